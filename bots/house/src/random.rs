//! A bot that plays anything.

use rand::rngs::ChaCha12Rng;
use rand::{RngExt, SeedableRng};

use mighty_rules::{Choices, Move, View};

use crate::Player;

/// Passes four times in five when it may, and else makes any legal move, each as likely as the others.
///
/// Were its bids uniform too, every auction among such bots would run to 20. A friend that may reveal itself tosses a coin.
#[derive(Debug)]
pub struct Random {
    rng: ChaCha12Rng,
}

impl Random {
    /// A bot that makes the same choices again for the same seed.
    pub fn new(seed: u64) -> Random {
        Random { rng: ChaCha12Rng::seed_from_u64(seed) }
    }
}

impl Player for Random {
    fn act(&mut self, _view: &View, choices: &Choices) -> Move {
        if let Choices::Call(call) = choices
            && call.may_pass
            && self.rng.random_ratio(4, 5)
        {
            return Move::Pass;
        }
        let place = self.rng.random_range(0..choices.count());
        let mut wanted = choices.nth(place).expect("a place below the count has its move");
        if let (Choices::Play(plays), Move::Play(play)) = (choices, &mut wanted) {
            play.reveals = plays.may_reveal && self.rng.random_ratio(1, 2);
        }
        wanted
    }
}
