//! What a table tells those who sit at it or look on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mighty_rules::{BySeat, Choices, Illegal, Move, Score, Viewer};

use super::event::{Numbered, Scene};
use crate::matches::{MatchSpec, PlayerId};

/// Something that one viewer is told.
#[derive(Clone, Debug)]
pub enum Update {
    /// There is no match yet.
    Waiting(Waiting),
    /// A match begins, or goes on for who comes late or comes back.
    MatchStart(Box<MatchStart>),
    /// The viewer's state of affairs; events go on after it.
    Snapshot(Box<Snapshot>),
    /// Events that come without a turn.
    Events(Vec<Numbered>),
    /// It is the seat's turn.
    Turn(Box<Turn>),
    /// What became of an answer.
    Reply(Reply),
    /// The match is over.
    MatchOver {
        /// Which match.
        match_id: String,
        /// Its last events.
        events: Vec<Numbered>,
        /// Whether the viewer wants another match, and it is not known that there is none.
        another_follows: bool,
    },
    /// Something about the seat or the server.
    Notice(Notice),
}

/// Why there is no match yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Why, in a sentence.
    pub reason: String,
    /// How many seats are open or looked for.
    pub seats_open: u32,
}

/// A match as it is told to one viewer.
#[derive(Clone, Debug)]
pub struct MatchStart {
    /// The match.
    pub spec: Arc<MatchSpec>,
    /// Who is told.
    pub viewer: Viewer,
    /// Who sits where.
    pub seats: BySeat<SeatInfo>,
    /// How to come back to the seat; a spectator has none.
    pub resume_token: Option<ResumeToken>,
    /// How many answers to one turn may be refused before the default is played.
    pub refusals_allowed: u32,
}

/// A seat as anybody may see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatInfo {
    /// Whose it is.
    pub player: PlayerId,
    /// Whether its player is connected; a house bot always is.
    pub present: bool,
    /// Whether it was given up, so that a house bot plays on.
    pub given_up: bool,
}

/// What a viewer knows at one point of the match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The last event in it.
    pub sequence: u64,
    /// The hand in play; none before the first.
    pub scene: Option<Scene>,
    /// The totals.
    pub totals: BySeat<Score>,
    /// How many events the viewer missed.
    pub missed: u64,
}

/// A turn as it is handed to its seat.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The match.
    pub match_id: String,
    /// Its number among those of this seat, from 1.
    pub number: u64,
    /// What happened since the seat's last message.
    pub events: Vec<Numbered>,
    /// All that the seat may know, unless it wants none.
    pub scene: Option<Scene>,
    /// What it may do.
    pub choices: Choices,
    /// The move that is made when no answer comes.
    pub default_move: Move,
    /// How long it may think.
    pub time_left: Duration,
    /// What its last answer took.
    pub last_took: Option<Duration>,
    /// By how much its last answer came too late.
    pub last_late: Option<Duration>,
}

/// An answer to a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The match of the turn.
    pub match_id: String,
    /// The turn.
    pub turn: u64,
    /// The move.
    pub wanted: Wanted,
}

/// A move as it was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Structured.
    Move(Move),
    /// In text notation.
    Text(String),
    /// Neither: what is wrong with it, and what would be right.
    Malformed(String),
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wanted::Move(wanted) => wanted.fmt(f),
            Wanted::Text(text) => f.write_str(text),
            Wanted::Malformed(_) => f.write_str("(no move)"),
        }
    }
}

/// What became of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It was accepted, now or before.
    Accepted {
        /// The turn.
        turn: u64,
        /// The move.
        played: Move,
        /// Whether this same answer had been accepted before.
        repeated: bool,
    },
    /// It was refused, and nothing has changed.
    Refused {
        /// The turn that was answered.
        turn: u64,
        /// Why.
        why: Refusal,
        /// How many more may be refused; `None` where the refusal does not count.
        tries_left: Option<u32>,
    },
}

/// Why an answer was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The turn is over.
    #[error("turn {turn} is over: answer the newest turn only, and in time")]
    StaleTurn {
        /// The turn that was answered.
        turn: u64,
    },
    /// Another move was accepted for the turn.
    #[error("turn {turn} was answered with {played} already; an answer cannot be taken back")]
    Conflict {
        /// The turn that was answered.
        turn: u64,
        /// What was accepted.
        played: Move,
    },
    /// There has been no such turn.
    #[error("this seat has had no turn {turn} in this match; answer with the numbers of the turn")]
    UnknownTurn {
        /// The turn that was answered.
        turn: u64,
    },
    /// The answer has no move, or an impossible one.
    #[error("{0}")]
    Malformed(String),
    /// The move breaks a rule, or its text cannot be read.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// Answers come faster than the table takes them.
    #[error("answers come faster than the table takes them: send one answer for each turn")]
    TooManyAnswers,
}

/// Something about the seat or the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The server is stopping; hands may finish.
    ShuttingDown,
    /// The seat was given up.
    SeatGivenUp,
    /// Another connection has the seat now.
    TakenOver,
    /// The match was broken off, and nothing is scored.
    BrokenOff,
}

/// The secret that opens a seat again.
#[derive(Clone, PartialEq, Eq)]
pub struct ResumeToken(String);

impl ResumeToken {
    /// A token of these random bytes.
    pub fn new(secret: [u8; 32]) -> ResumeToken {
        ResumeToken(secret.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The token itself, for its seat alone.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResumeToken(secret)")
    }
}
