//! A bot that plays as a careful beginner does.

mod bidding;
mod burying;
mod calling;
mod playing;
mod sight;

use mighty_rules::{Choices, Move, View};

use crate::Player;

/// Plays as a careful beginner does, under any rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cautious;

impl Player for Cautious {
    fn act(&mut self, view: &View, choices: &Choices) -> Move {
        considered(view, choices)
            .or_else(|| choices.nth(0))
            .expect("a seat that is asked has a move to make")
    }
}

fn considered(view: &View, choices: &Choices) -> Option<Move> {
    let (public, own) = (&view.public, view.private.as_ref()?);
    match choices {
        Choices::WeakHand => Some(bidding::keep_or_throw_in(public, own)),
        Choices::Call(call) => bidding::call(public, own, call),
        Choices::Bury { .. } => burying::bury(public, own).map(Move::Bury),
        Choices::Contract(contracts) => {
            burying::fix_contract(public, own, contracts).map(Move::FixContract)
        }
        Choices::FriendCall(friends) => {
            calling::call_friend(public, own, friends).map(Move::CallFriend)
        }
        Choices::Play(plays) => playing::play(view, own, plays).map(|play| Move::Play(play.into())),
    }
}
