//! A seat at a table: who moves for it, its connection, its clock and its turns.

use std::time::Duration;

use mighty_rules::{Move, Seat, Stage};

use super::clock::{Moment, SeatClock};
use super::effect::Connection;
use super::event::Numbered;
use super::update::ResumeToken;

/// A seat and who has it.
#[derive(Debug)]
pub(super) struct Chair {
    pub(super) sitter: Sitter,
    pub(super) token: Option<ResumeToken>,
    pub(super) connection: Option<Connection>,
    pub(super) absent_since: Option<Moment>,
    /// What the connection has not been told yet.
    pub(super) untold: Vec<Numbered>,
    pub(super) clock: SeatClock,
    /// How many turns it has had.
    pub(super) turns: u64,
    pub(super) last_turn: Option<ClosedTurn>,
    pub(super) last_took: Option<Duration>,
    pub(super) last_late: Option<Duration>,
    pub(super) defaults_in_a_row: u32,
    pub(super) defaults: u32,
    pub(super) refusals: u32,
}

/// Who moves for a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sitter {
    /// A player from outside.
    Bot,
    /// A house bot that has the seat for itself.
    House,
    /// A house bot that plays on for a player from outside.
    StandIn,
}

/// The turn that a player from outside has now.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenTurn {
    pub(super) seat: Seat,
    pub(super) number: u64,
    pub(super) stage: Stage,
    pub(super) opened: Moment,
    /// When the turn was handed to its reader, where its clock starts.
    pub(super) handed: Option<Moment>,
    pub(super) refused: u32,
}

/// A seat's last turn that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosedTurn {
    pub(super) number: u64,
    pub(super) stage: Stage,
    pub(super) how: Closed,
}

/// How a turn was closed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Closed {
    /// With this answer.
    Answered(Move),
    /// The time was over at this moment.
    TimedOut(Moment),
    /// By too many refusals, or since the seat was given up.
    Lost,
}

impl Chair {
    /// A seat that a house bot has for itself.
    pub(super) fn of_the_house(clock: SeatClock) -> Chair {
        Chair {
            sitter: Sitter::House,
            token: None,
            connection: None,
            absent_since: None,
            untold: Vec::new(),
            clock,
            turns: 0,
            last_turn: None,
            last_took: None,
            last_late: None,
            defaults_in_a_row: 0,
            defaults: 0,
            refusals: 0,
        }
    }

    /// The seat of a player from outside, which is absent while it has no connection.
    pub(super) fn of_a_bot(
        clock: SeatClock,
        token: Option<ResumeToken>,
        connection: Option<Connection>,
        now: Moment,
    ) -> Chair {
        Chair {
            sitter: Sitter::Bot,
            token,
            connection,
            absent_since: connection.is_none().then_some(now),
            ..Chair::of_the_house(clock)
        }
    }

    /// Whether a player from outside moves for it.
    pub(super) fn is_bots(&self) -> bool {
        self.sitter == Sitter::Bot
    }
}
