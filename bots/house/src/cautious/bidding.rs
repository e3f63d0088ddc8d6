//! What a hand is worth, and how far it bids.

use mighty_rules::{
    Bid, CallChoices, Card, CardSet, Move, Private, Public, Rank, Rules, Suit, Trump,
};

/// How many points the kitty brings on average: the pick of three more cards.
const KITTY: f64 = 1.5;

/// Bids the lowest that is allowed in the trump that promises most beyond it, as long as the promise holds.
pub(super) fn call(public: &Public, own: &Private, call: &CallChoices) -> Option<Move> {
    if call.may_throw_in && is_hopeless(public, own) {
        return Some(Move::ThrowIn);
    }
    let (bid, surplus) = best_bid(own.cards, call, &public.rules)?;
    let wants_it = surplus >= 0.0;
    Some(if wants_it || !call.may_pass { Move::Bid(bid) } else { Move::Pass })
}

/// Throws in a hand that is good for nothing.
pub(super) fn keep_or_throw_in(public: &Public, own: &Private) -> Move {
    if is_hopeless(public, own) { Move::ThrowIn } else { Move::Keep }
}

/// Neither worth a bid nor likely to be called as friend. A dealer who would have to pay a fine keeps it anyway.
fn is_hopeless(public: &Public, own: &Private) -> bool {
    let rules = &public.rules;
    let pays = own.seat == public.setup.dealer
        && rules.deal.miss.as_ref().is_some_and(|miss| miss.fine > 0);
    let likely_friend =
        own.cards.contains(Card::ACE_OF_SPADES) || own.cards.contains(Card::JOKER);
    let worth_a_bid = Trump::ALL
        .iter()
        .any(|trump| promise(own.cards, *trump, rules) >= f64::from(rules.lowest_bid(*trump)));
    !pays && !likely_friend && !worth_a_bid
}

/// The lowest bid in the trump whose promise goes furthest beyond it, and how far.
fn best_bid(cards: CardSet, call: &CallChoices, rules: &Rules) -> Option<(Bid, f64)> {
    Trump::ALL
        .into_iter()
        .filter_map(|trump| {
            let (points, _) = call.points[trump.index()]?;
            Some((Bid { points, trump }, promise(cards, trump, rules) - f64::from(points)))
        })
        .max_by(|one, other| one.1.total_cmp(&other.1))
}

/// How many points ten dealt cards promise, the kitty still unseen.
fn promise(cards: CardSet, trump: Trump, rules: &Rules) -> f64 {
    estimate(cards, trump, rules) + KITTY
}

/// How many of the twenty points the declarer's side can expect with these cards, a friend's help included.
pub(super) fn estimate(cards: CardSet, trump: Trump, rules: &Rules) -> f64 {
    let mighty = rules.mighty(trump);
    let plain = cards.without(mighty).without(Card::JOKER);
    let masters = f64::from(u8::from(cards.contains(mighty))) * MIGHTY
        + f64::from(u8::from(cards.contains(Card::JOKER))) * JOKER;
    let suits = Suit::ALL.map(|suit| match trump {
        Trump::Suit(trump) if trump == suit => trumps_worth(plain.suit(suit)),
        Trump::Suit(_) => side_suit_worth(plain.suit(suit)),
        Trump::NoTrump => long_suit_worth(plain.suit(suit)),
    });
    let base = match trump {
        Trump::Suit(_) => SUIT_BASE,
        Trump::NoTrump => NO_TRUMP_BASE,
    };
    base + masters + suits.iter().sum::<f64>()
}

/// What friend and luck bring in a suit contract.
const SUIT_BASE: f64 = 3.5;
/// What they bring without trumps, where the defenders' long suits count too.
const NO_TRUMP_BASE: f64 = 2.0;
const MIGHTY: f64 = 1.8;
const JOKER: f64 = 1.8;

fn trumps_worth(trumps: CardSet) -> f64 {
    let height = |card: Card| match card.rank() {
        Some(Rank::Ace) => 1.1,
        Some(Rank::King) => 0.9,
        Some(Rank::Queen) => 0.6,
        Some(Rank::Jack | Rank::Ten) => 0.3,
        _ => 0.0,
    };
    trumps.len() as f64 * 1.1 + trumps.iter().map(height).sum::<f64>()
}

fn side_suit_worth(cards: CardSet) -> f64 {
    let has = |rank: Rank| cards.iter().any(|card| card.rank() == Some(rank));
    let shortness = match cards.len() {
        0 => 0.8,
        1 => 0.3,
        _ => 0.0,
    };
    let honours = match (has(Rank::Ace), has(Rank::King)) {
        (true, true) => 2.0,
        (true, false) => 1.2,
        (false, true) => 0.4,
        (false, false) => 0.0,
    };
    shortness + honours
}

fn long_suit_worth(cards: CardSet) -> f64 {
    let mut worth = side_suit_worth(cards);
    if cards.iter().any(|card| card.rank() == Some(Rank::Ace)) {
        worth += 0.7 * cards.len().saturating_sub(3) as f64;
    }
    if cards.len() < 2 { 0.0_f64.max(worth - 0.8) } else { worth }
}
