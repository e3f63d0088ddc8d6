//! What anybody may see of a table.

use mighty_rules::{BySeat, Score};

use super::update::SeatInfo;
use crate::matches::MatchSpec;

/// How far a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A hand is played.
    Playing,
    /// The last hand is over, and its result is being kept.
    Closing,
    /// The result was announced.
    Over,
    /// The match was broken off.
    BrokenOff,
}

/// What anybody may see of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// How far it is.
    pub progress: Progress,
    /// Which hand is played, from 1.
    pub hand: u32,
    /// The totals.
    pub totals: BySeat<Score>,
    /// How the seats are.
    pub seats: BySeat<SeatState>,
    /// How many spectators look on.
    pub followers: usize,
}

/// How a seat is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatState {
    /// Whether its player is connected; a house bot always is.
    pub present: bool,
    /// Whether it was given up, so that a house bot plays on.
    pub given_up: bool,
}

impl Standing {
    /// The seats with their players.
    pub fn seat_infos(&self, spec: &MatchSpec) -> BySeat<SeatInfo> {
        BySeat::from_fn(|seat| {
            let SeatState { present, given_up } = self.seats[seat];
            SeatInfo { player: spec.players[seat].clone(), present, given_up }
        })
    }
}
