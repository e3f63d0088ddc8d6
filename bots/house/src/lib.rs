//! The house bots: policies that take a view and its choices and give a move.
//!
//! They see what a seat may see and nothing else: this crate knows the rules, and neither server nor wire.

use mighty_rules::{Choices, Move, View};

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
