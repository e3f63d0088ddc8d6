//! Deal miss: which dealt hands are weak enough to be thrown in.

use crate::card::{Card, CardSet, Rank, Suit};
use crate::rules::DealMiss;

/// Whether ten dealt cards may be thrown in: their weight, in half points, is low enough.
pub fn is_weak(cards: CardSet, miss: &DealMiss) -> bool {
    let tens = CardSet::of_rank(Rank::Ten);
    let spade_ace = CardSet::only(Card::ACE_OF_SPADES);
    let diamond_ace = CardSet::only(Card::new(Rank::Ace, Suit::Diamonds));
    let honours = CardSet::POINTS.minus(tens).minus(spade_ace).minus(diamond_ace);
    let lines = [
        (honours, miss.honour),
        (tens, miss.ten),
        (spade_ace, miss.spade_ace),
        (diamond_ace, miss.diamond_ace),
        (CardSet::JOKER, miss.joker),
    ];
    let weight_of = |(line, weight)| cards.and(line).len() as i32 * i32::from(weight);
    lines.map(weight_of).into_iter().sum::<i32>() <= i32::from(miss.at_most)
}
