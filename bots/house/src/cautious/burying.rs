//! After the auction: which trump, which three cards to bury, which contract.

use mighty_rules::{
    Bid, Burial, Card, CardSet, ContractChoices, ContractMove, Private, Public, Rank, Rules,
    SuccessScore, Suit, Trump, WinningBid,
};

use super::bidding::estimate;

/// Another trump than the one that was bid must promise so much more, beyond its price.
const CLEARLY_BETTER: f64 = 1.0;
/// A contract that is raised stays so far below what the cards promise.
const SAFETY: f64 = 0.5;
/// A point that lies buried is safe; in hand it would be so only in most cases.
const POINT_MADE_SAFE: f64 = 0.6;
/// A suit that the declarer can ruff from the start.
const VOID: f64 = 0.6;

/// Buries what it will miss least in the contract that it has in mind.
pub(super) fn bury(public: &Public, own: &Private) -> Option<Burial> {
    let won = public.won()?;
    let contracts = ContractChoices::of(won.with, &public.rules);
    let bid = intended_contract(own.cards, won.with, &contracts, &public.rules)?;
    best_burial(own.cards, bid.trump, &public.rules)
}

/// Fixes what it had in mind when it buried; higher where points called for in advance pay and are well in reach.
pub(super) fn fix_contract(
    public: &Public,
    own: &Private,
    contracts: &ContractChoices,
) -> Option<ContractMove> {
    let won = public.won()?;
    let all_thirteen = own.cards.or(own.buried);
    let bid = intended_contract(all_thirteen, won.with, contracts, &public.rules)?;
    let calling_card = calling_card(own, contracts.calling_cards(bid.trump), bid.trump);
    Some(ContractMove { bid, calling_card })
}

fn intended_contract(
    thirteen: CardSet,
    with: WinningBid,
    contracts: &ContractChoices,
    rules: &Rules,
) -> Option<Bid> {
    let choice = |trump: Trump| {
        let (lowest, highest) = contracts.range(trump)?;
        let buried = best_burial(thirteen, trump, rules)?.cards();
        let promise = estimate(thirteen.minus(buried), trump, rules);
        let loyalty = if with.trump() == Some(trump) { CLEARLY_BETTER } else { 0.0 };
        let points = raised(lowest, highest, promise, rules);
        Some((Bid { points, trump }, promise + loyalty - f64::from(lowest)))
    };
    Trump::ALL
        .into_iter()
        .filter_map(choice)
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .map(|(bid, _)| bid)
}

/// Raises to what the cards promise where the rules pay for the contract's height.
fn raised(lowest: u8, highest: u8, promise: f64, rules: &Rules) -> u8 {
    let height_pays = match rules.scoring.success {
        SuccessScore::Contract | SuccessScore::TwiceContractPlusOver | SuccessScore::Risk => true,
        SuccessScore::Flat
        | SuccessScore::PointsOverBase
        | SuccessScore::Over
        | SuccessScore::OverPlusOne => false,
    };
    let safe = (promise - SAFETY).clamp(0.0, f64::from(Bid::MOST_POINTS)) as u8;
    if height_pays { safe.clamp(lowest, highest) } else { lowest }
}

/// The three that it misses least; trumps, Mighty and joker are kept as long as there is anything else.
fn best_burial(thirteen: CardSet, trump: Trump, rules: &Rules) -> Option<Burial> {
    let masters = CardSet::JOKER.with(rules.mighty(trump));
    let spare = thirteen.minus(masters).minus(trump.cards());
    let from = if spare.len() < Burial::CARDS {
        with_lowest(spare, thirteen.minus(spare), masters)
    } else {
        spare
    };
    threes(from)
        .max_by(|one, other| {
            gain(thirteen, *one, trump, masters).total_cmp(&gain(thirteen, *other, trump, masters))
        })
        .and_then(Burial::new)
}

/// The spare cards, made up to three with the lowest of the others, the masters last.
fn with_lowest(spare: CardSet, others: CardSet, masters: CardSet) -> CardSet {
    let mut others: Vec<Card> = others.iter().collect();
    others.sort_by_key(|card| (masters.contains(*card), card.rank()));
    others.into_iter().take(Burial::CARDS - spare.len()).fold(spare, CardSet::with)
}

fn threes(from: CardSet) -> impl Iterator<Item = CardSet> {
    let above = move |card: Card| from.iter().filter(move |other| *other > card);
    from.iter().flat_map(move |first| {
        above(first).flat_map(move |second| {
            above(second).map(move |third| CardSet::only(first).with(second).with(third))
        })
    })
}

/// What burying these cards brings: points made safe and voids, less the tricks that they would win.
fn gain(thirteen: CardSet, buried: CardSet, trump: Trump, masters: CardSet) -> f64 {
    let plain = thirteen.minus(masters);
    let points = POINT_MADE_SAFE * f64::from(buried.points());
    let side_suits = Suit::ALL.into_iter().filter(|suit| trump != Trump::Suit(*suit));
    let left =
        |cards: CardSet| side_suits.clone().map(|suit| suit_left(cards.suit(suit))).sum::<f64>();
    points + left(plain.minus(buried)) - left(plain)
}

/// What a side suit is good for: its aces and kings, or having none of it.
fn suit_left(cards: CardSet) -> f64 {
    let has = |rank: Rank| cards.iter().any(|card| card.rank() == Some(rank));
    match (has(Rank::Ace), has(Rank::King), cards.len()) {
        (_, _, 0) => VOID,
        (true, true, length) => 2.9 - 0.05 * length as f64,
        (true, false, length) => 1.8 - 0.1 * length as f64,
        (false, true, 1) => 0.1,
        (false, true, length) => 0.8 - 0.1 * length as f64,
        (false, false, length) => 0.1 - 0.1 * length as f64,
    }
}

/// The lowest card that it holds, so that nobody else calls; with the joker one that it buried, so that nobody calls at all.
fn calling_card(own: &Private, offered: CardSet, trump: Trump) -> Option<Card> {
    let lowest = |cards: CardSet| {
        cards.and(offered).iter().min_by_key(|card| (trump.cards().contains(*card), card.rank()))
    };
    let out_of_play = if own.cards.contains(Card::JOKER) { lowest(own.buried) } else { None };
    out_of_play.or_else(|| lowest(own.cards)).or_else(|| lowest(offered))
}
