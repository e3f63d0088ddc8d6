//! What a hand is worth, and how far it bids.

use mighty_rules::{
    Bid, CallChoices, Card, CardSet, FailureScore, FriendKind, Move, Private, Public, Rank, Rules,
    Shares, Suit, Trump,
};

/// How many points the pick of three more cards brings on average.
const KITTY: f64 = 0.9;

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
    let likely_friend = own.cards.contains(Card::ACE_OF_SPADES) || own.cards.contains(Card::JOKER);
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

/// How many points it dares to bid on ten dealt cards, the kitty still unseen.
fn promise(cards: CardSet, trump: Trump, rules: &Rules) -> f64 {
    estimate(cards, trump, rules) + KITTY - caution(rules)
}

/// It bids a little less where a made contract pays but half, or a failed one costs more than what is missing.
fn caution(rules: &Rules) -> f64 {
    let pays_half = match rules.scoring.shares {
        Shares::Halved => 0.25,
        Shares::ZeroSum | Shares::Uneven => 0.0,
    };
    let costs_more = match rules.scoring.failure {
        FailureScore::ContractPlusDeficit => 0.25,
        FailureScore::Flat | FailureScore::Deficit => 0.0,
    };
    pays_half + costs_more
}

/// How many of the twenty points the declarer's side takes on average with these ten cards, a friend's help included.
///
/// The weights are rounded from a least-squares fit over hands that this bot declared at tables of its like; the base is
/// what friend and luck bring.
pub(super) fn estimate(cards: CardSet, trump: Trump, rules: &Rules) -> f64 {
    let mighty = rules.mighty(trump);
    let plain = cards.without(mighty).without(Card::JOKER);
    let suits = |worth: fn(CardSet) -> f64| {
        let side_suits = Suit::ALL.iter().filter(|suit| trump != Trump::Suit(**suit));
        side_suits.map(|suit| worth(plain.suit(*suit))).sum::<f64>()
    };
    let (base, mighty_worth, rest) = match trump {
        Trump::Suit(suit) => (7.3, 1.2, trumps_worth(plain.suit(suit)) + suits(side_suit_worth)),
        Trump::NoTrump => (8.1, 1.7, suits(suit_worth_without_trumps)),
    };
    let held = |card: Card, worth: f64| if cards.contains(card) { worth } else { 0.0 };
    base + held(mighty, mighty_worth) + held(Card::JOKER, 1.5) + rest - missing_help(rules)
}

/// How many points are missing where the rules do not let the declarer choose its friend, or have one at all.
fn missing_help(rules: &Rules) -> f64 {
    if rules.allows_friend(FriendKind::Card) {
        0.0
    } else if rules.allows_friend(FriendKind::FirstTrick) {
        3.0
    } else {
        6.0
    }
}

fn trumps_worth(trumps: CardSet) -> f64 {
    0.7 * trumps.len() as f64
        + worth_of(Rank::Ace, 1.1, trumps)
        + worth_of(Rank::King, 0.8, trumps)
        + worth_of(Rank::Queen, 0.6, trumps)
        + worth_of(Rank::Jack, 0.4, trumps)
        + worth_of(Rank::Ten, 0.4, trumps)
}

fn side_suit_worth(cards: CardSet) -> f64 {
    let shortness = match cards.len() {
        0 => 0.3,
        1 => 0.2,
        _ => 0.0,
    };
    shortness
        + worth_of(Rank::Ace, 0.9, cards)
        + worth_of(Rank::King, 0.4, cards)
        + worth_of(Rank::Queen, 0.3, cards)
}

fn suit_worth_without_trumps(cards: CardSet) -> f64 {
    worth_of(Rank::Ace, 1.2, cards)
        + worth_of(Rank::King, 0.8, cards)
        + worth_of(Rank::Jack, 0.4, cards)
        + worth_of(Rank::Ten, 0.4, cards)
}

/// The worth of the card of this rank, if it is among these cards of one suit.
fn worth_of(rank: Rank, worth: f64, cards: CardSet) -> f64 {
    if cards.iter().any(|card| card.rank() == Some(rank)) { worth } else { 0.0 }
}
