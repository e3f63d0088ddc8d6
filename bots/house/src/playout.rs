//! Players at a table in the same process: a hand, or a whole match, played out.

use std::sync::Arc;

use mighty_rules::{
    BySeat, Dealing, Hand, Illegal, Match, MatchKind, Move, Outcome, Rules, Seat, Seed, Viewer,
};

use crate::Player;

/// A move that the rules refuse.
#[derive(Clone, Debug, thiserror::Error)]
#[error("seat {seat} wanted {wanted}: {why}")]
pub struct Foul {
    /// Who wanted to make it.
    pub seat: Seat,
    /// The move.
    pub wanted: Move,
    /// Why it is refused.
    pub why: Illegal,
}

/// Plays a hand to its end. Each player sees what its seat may know.
///
/// # Errors
/// The first move that the rules refuse; the hand then stands as it was before that move.
pub fn play_out(hand: &mut Hand, players: &mut BySeat<Box<dyn Player>>) -> Result<Outcome, Foul> {
    while let Some(seat) = hand.turn() {
        let view = hand.view(Viewer::Seat(seat));
        let choices = hand.choices(seat).expect("the seat whose turn it is has choices");
        let wanted = players[seat].act(&view, &choices);
        hand.apply(seat, wanted).map_err(|why| Foul { seat, wanted, why })?;
    }
    Ok(hand.outcome().expect("a hand without a turn is over"))
}

/// A match that five players play out, one deal for each step of the iterator; void deals are steps too.
///
/// It ends after the last hand of the match, or with a foul.
pub struct Playout<'a> {
    rules: Arc<Rules>,
    seed: Seed,
    flow: Match,
    players: &'a mut BySeat<Box<dyn Player>>,
    fouled: bool,
}

impl<'a> Playout<'a> {
    /// A match of which nothing was dealt yet. All its decks follow from the seed.
    pub fn new(
        rules: Arc<Rules>,
        kind: MatchKind,
        seed: Seed,
        players: &'a mut BySeat<Box<dyn Player>>,
    ) -> Playout<'a> {
        let flow = Match::new(Arc::clone(&rules), kind);
        Playout { rules, seed, flow, players, fouled: false }
    }

    /// The match as far as it has come: totals, places, pot.
    pub fn flow(&self) -> &Match {
        &self.flow
    }
}

impl Iterator for Playout<'_> {
    type Item = Result<(Dealing, Outcome), Foul>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.fouled {
            return None;
        }
        let dealing = self.flow.dealing()?;
        let deck = self.seed.deck(dealing.hand, dealing.redeal);
        let mut hand = Hand::deal(Arc::clone(&self.rules), &deck, dealing.setup);
        let played = play_out(&mut hand, self.players);
        match &played {
            Ok(outcome) => {
                self.flow.finish(outcome);
            }
            Err(_) => self.fouled = true,
        }
        Some(played.map(|outcome| (dealing, outcome)))
    }
}
