//! Why a session has stopped.

use std::error::Error;
use std::fmt;

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::story::Trouble;

/// Why a session has stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// All matches were played.
    Finished {
        /// How many.
        matches: u32,
    },
    /// The session was asked to leave.
    Left {
        /// How many matches it had played to the end.
        matches: u32,
    },
    /// Another stream has taken the seat over.
    TakenOver,
    /// The seat was given up after too many defaults or too long an absence; a house bot plays on.
    SeatGivenUp,
    /// The match was broken off by a fault of the server; nothing is scored.
    BrokenOff,
    /// The server refused.
    Refused {
        /// The status code.
        code: Code,
        /// The machine-readable reason; empty where the server gave none.
        reason: String,
        /// What would be right.
        message: String,
    },
    /// The connection could not be made again.
    GaveUpReconnecting {
        /// The address of the server.
        server: String,
        /// What was wrong the last time.
        last_error: String,
    },
    /// The server said something that this program does not understand: one of them is newer than the other.
    Misunderstood {
        /// What.
        problem: String,
    },
}

impl Stopped {
    pub(crate) fn refused(status: &Status) -> Stopped {
        Stopped::Refused {
            code: status.code(),
            reason: reason(status),
            message: status.message().to_owned(),
        }
    }
}

fn counted(matches: u32) -> String {
    format!("{matches} {}", if matches == 1 { "match" } else { "matches" })
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Finished { matches } => write!(f, "finished after {}", counted(*matches)),
            Stopped::Left { matches } => write!(f, "left after {}", counted(*matches)),
            Stopped::TakenOver => f.write_str("another stream has taken the seat over"),
            Stopped::SeatGivenUp => {
                f.write_str("the seat was given up after too many defaults or too long an absence")
            }
            Stopped::BrokenOff => {
                f.write_str("the match was broken off by a fault of the server; nothing is scored")
            }
            Stopped::Refused { code, reason, message } if reason.is_empty() => {
                write!(f, "the server refused ({code:?}): {message}")
            }
            Stopped::Refused { reason, message, .. } => {
                write!(f, "the server refused ({reason}): {message}")
            }
            Stopped::GaveUpReconnecting { server, last_error } => write!(
                f,
                "gave up connecting to {server} ({last_error}); is the server running there?"
            ),
            Stopped::Misunderstood { problem } => write!(
                f,
                "the server said what this program does not understand ({problem}); use the same version of both"
            ),
        }
    }
}

/// What to do about the trouble: another stream may tell events that are missing, for the reason given.
pub(crate) fn after_trouble(trouble: &Trouble) -> Result<String, Stopped> {
    match trouble {
        Trouble::Gap { .. } => Ok(trouble.to_string()),
        Trouble::BadMessage(_) | Trouble::NothingBegan => {
            Err(Stopped::Misunderstood { problem: trouble.to_string() })
        }
    }
}

/// What was wrong, with the causes that a failed connection hides behind its message.
pub(crate) fn in_words(status: &Status) -> String {
    let mut words = status.message().to_owned();
    let mut cause = status.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
        }
        cause = error.source();
    }
    words
}

/// The machine-readable reason; empty where there is none.
fn reason(status: &Status) -> String {
    status.get_details_error_info().map_or(String::new(), |info| info.reason)
}

/// Whether the match was broken off, or its result could not be kept: it is no use to come back to it.
pub(crate) fn is_broken_off(status: &Status) -> bool {
    matches!(reason(status).as_str(), "BROKEN_OFF" | "RESULT_NOT_KEPT")
}

/// Whether a call that failed so is worth another attempt. A keep-alive that runs out shows as `Unknown`.
pub(crate) fn is_passing(status: &Status) -> bool {
    match status.code() {
        Code::Unknown
        | Code::Unavailable
        | Code::Cancelled
        | Code::ResourceExhausted
        | Code::Internal
        | Code::DeadlineExceeded => true,
        Code::Ok
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::DataLoss
        | Code::Unauthenticated => false,
    }
}
