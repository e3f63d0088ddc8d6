//! Random numbers for both sides of a comparison.

use mighty_rules::{Card, CardSet, Deck};

/// Random numbers of a seed (splitmix64): fast, and the same on both sides.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of a seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below the limit.
    #[inline]
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (((z >> 32) * limit as u64) >> 32) as usize
    }

    /// A shuffled deck.
    pub fn deck(&mut self) -> Deck {
        let mut cards: Vec<Card> = CardSet::FULL.iter().collect();
        for last in (1..cards.len()).rev() {
            cards.swap(last, self.below(last + 1));
        }
        Deck::new(&cards).expect("a shuffle keeps every card")
    }
}
