//! Who plays, where, and within which limits.

use std::time::Duration;

use mighty_protocol::{encode, v1};
use mighty_rules::Seat;

/// Who plays, where, and within which limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The bot's name: 1 to 32 letters, digits, `-`, `_`, `.`.
    pub name: String,
    /// The version of the bot, at most 32 such characters; empty for none.
    pub version: String,
    /// The bot's secret token; empty where the server asks for none.
    pub token: String,
    /// Where to sit.
    pub place: Place,
    /// How to come back after a lost connection.
    pub reconnecting: Reconnecting,
    /// How long the server may take to let go of a session that leaves.
    pub leave_within: Duration,
}

/// Where to sit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// At a table, for its one match.
    Table {
        /// The table.
        table_id: String,
        /// The seat; the first open one when unset.
        seat: Option<Seat>,
    },
    /// In matches of the ladder.
    Ladder {
        /// After how many matches to stop; unset for as long as there are any.
        matches: Option<u32>,
    },
}

/// How to come back after a lost connection: each wait is twice as long as the one before, less up to a half by chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reconnecting {
    /// The first wait.
    pub first_wait: Duration,
    /// The longest wait.
    pub longest_wait: Duration,
    /// After how many attempts in a row without any answer to give up.
    pub attempts: u32,
}

impl Default for Reconnecting {
    /// From 0.2 to 10 seconds, some three minutes in all.
    fn default() -> Reconnecting {
        Reconnecting {
            first_wait: Duration::from_millis(200),
            longest_wait: Duration::from_secs(10),
            attempts: 25,
        }
    }
}

impl Options {
    /// A bot of this name at this place, without version and token, with the usual limits.
    pub fn new(name: impl Into<String>, place: Place) -> Options {
        Options {
            name: name.into(),
            version: String::new(),
            token: String::new(),
            place,
            reconnecting: Reconnecting::default(),
            leave_within: Duration::from_secs(5),
        }
    }

    pub(crate) fn hello(&self, place: v1::hello::Place) -> v1::Hello {
        v1::Hello {
            name: self.name.clone(),
            version: self.version.clone(),
            token: self.token.clone(),
            place: Some(place),
            delivery: v1::hello::Delivery::WithTurns.into(),
            omit_observation: true,
        }
    }
}

impl Place {
    /// A table, at whichever seat is open.
    pub fn table(table_id: impl Into<String>) -> Place {
        Place::Table { table_id: table_id.into(), seat: None }
    }

    /// So many matches of the ladder.
    pub fn ladder(matches: u32) -> Place {
        Place::Ladder { matches: Some(matches) }
    }

    /// The place on the wire, after so many matches were played there.
    pub(crate) fn after(&self, played: u32) -> v1::hello::Place {
        match self {
            Place::Table { table_id, seat } => v1::hello::Place::Table(v1::TablePlace {
                table_id: table_id.clone(),
                seat: seat.map(encode::seat),
            }),
            Place::Ladder { matches } => v1::hello::Place::Ladder(v1::LadderPlace {
                matches: matches.map_or(0, |matches| matches.saturating_sub(played).max(1)),
            }),
        }
    }

    /// Whether all matches are played after so many.
    pub(crate) fn is_done(&self, played: u32) -> bool {
        match self {
            Place::Table { .. } => played >= 1,
            Place::Ladder { matches } => matches.is_some_and(|matches| played >= matches),
        }
    }
}
