//! The house bots: policies that take a view and its choices and give a move.
//!
//! They see what a seat may see and nothing else: this crate knows the rules, and neither server nor wire.

mod cautious;
mod playout;
mod random;

use mighty_rules::{Choices, Move, View};

pub use cautious::Cautious;
pub use playout::{Foul, Playout, play_out};
pub use random::Random;

/// Somebody who plays a seat.
pub trait Player: Send {
    /// The move to make now. `choices` is what the rules allow; `view` is all that the seat may know.
    fn act(&mut self, view: &View, choices: &Choices) -> Move;
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn act(&mut self, view: &View, choices: &Choices) -> Move {
        (**self).act(view, choices)
    }
}

/// The names that [`by_name`] knows, weakest first.
pub const NAMES: &[&str] = &["random", "cautious"];

/// The house bot of this name; `None` for a name that is not among [`NAMES`].
///
/// `seed` decides whatever the bot leaves to chance: the same seed and the same views give the same moves.
pub fn by_name(name: &str, seed: u64) -> Option<Box<dyn Player>> {
    match name {
        "random" => Some(Box::new(Random::new(seed))),
        "cautious" => Some(Box::new(Cautious)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_bot() {
        for name in NAMES {
            assert!(by_name(name, 7).is_some(), "{name}");
        }
        assert!(by_name("reckless", 7).is_none());
    }
}
