//! Every failure as a gRPC status: the one place where codes and reasons are given.

use std::collections::HashMap;
use std::time::Duration;

use mighty_protocol::v1;
use mighty_rules::RulesError;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::lobby::LobbyError;
use crate::table::effect::Ending;
use crate::table::state::ComebackRefused;
use crate::table::update::Refusal;
use crate::table::{FollowRefused, TableGone};

/// The domain of all reasons.
const DOMAIN: &str = "mighty.v1";

/// Texts repeat what was sent, and clients read only so many bytes of headers. In this many all options can be
/// named.
const LONGEST_TEXT: usize = 1500;

/// When to come back after the server was stopped.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(5);

/// A failure: its code, a reason that programs read, and a text that says what would be right.
pub(crate) fn failure(code: Code, reason: &str, text: impl Into<String>) -> Status {
    let mut text = text.into();
    if text.len() > LONGEST_TEXT {
        let end = (0..=LONGEST_TEXT).rfind(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
        text.push('\u{2026}');
    }
    let mut details = ErrorDetails::with_error_info(reason, DOMAIN, []);
    if code == Code::Unavailable {
        details.set_retry_info(Some(RETRY_AFTER));
    }
    Status::with_error_details(code, text, details)
}

/// A field of the request is wrong; the text says what would be right.
pub(crate) fn invalid(field: &str, text: &str) -> Status {
    failure(Code::InvalidArgument, "INVALID_FIELD", format!("{field}: {text}"))
}

/// There is no such thing.
pub(crate) fn not_found(what: &str) -> Status {
    failure(Code::NotFound, "NOT_FOUND", format!("there is no {what}"))
}

/// Too many streams are open.
pub(crate) fn too_many_streams(limit: usize) -> Status {
    let text = format!("{limit} streams are open, which is the limit of this server; close one");
    failure(Code::ResourceExhausted, "TOO_MANY_STREAMS", text)
}

/// Nothing was said in time.
pub(crate) fn no_hello(limit: Duration) -> Status {
    let text = format!("no hello came within {limit:?}; send one as the first message");
    failure(Code::DeadlineExceeded, "HELLO_TIMEOUT", text)
}

/// A call took too long.
pub(crate) fn no_answer(limit: Duration) -> Status {
    let text =
        format!("the call took longer than {limit:?}; send its message whole, or try again later");
    failure(Code::DeadlineExceeded, "CALL_TIMEOUT", text)
}

/// A message that could not be taken in: too large, or no message of the wire.
pub(crate) fn unreadable(error: &Status) -> Status {
    let text = format!("a message could not be read: {}", error.message());
    failure(Code::InvalidArgument, "UNREADABLE_MESSAGE", text)
}

/// The server has no ladder.
pub(crate) fn no_ladder() -> Status {
    let text = "this server has no ladder; take a seat at a table";
    failure(Code::FailedPrecondition, "NO_LADDER", text)
}

/// The server made a mistake; what it was is for its log.
pub(crate) fn broken() -> Status {
    let text =
        "the table broke through a fault of the server; nothing is scored, play another match";
    failure(Code::Internal, "BROKEN_OFF", text)
}

/// The server is stopping.
pub(crate) fn stopped() -> Status {
    failure(Code::Unavailable, "SHUTTING_DOWN", "the server is stopping; come back in a moment")
}

/// The reader was too slow.
pub(crate) fn too_slow() -> Status {
    let text = "messages were read too slowly; read them as they come, and resume with the token of the seat";
    failure(Code::ResourceExhausted, "TOO_SLOW", text)
}

/// How a stream ends whose table is done with it.
pub(crate) fn ending(why: Ending) -> Result<(), Status> {
    match why {
        Ending::MatchOver | Ending::Left | Ending::NoMore => Ok(()),
        Ending::TakenOver => Err(failure(
            Code::Aborted,
            "TAKEN_OVER",
            "another stream has taken this seat over; use one stream for each seat",
        )),
        Ending::Stopped => Err(stopped()),
        Ending::NotKept => Err(failure(
            Code::Internal,
            "RESULT_NOT_KEPT",
            "the result could not be kept, so the match does not count; play another one",
        )),
        Ending::TooSlow => Err(too_slow()),
        Ending::NoRoom => Err(failure(
            Code::ResourceExhausted,
            "LADDER_FULL",
            "too many bots wait for a match already; come back later",
        )),
    }
}

/// Why an answer was refused, as a reason of the wire.
pub(crate) fn refusal_reason(why: &Refusal) -> v1::RefusalReason {
    match why {
        Refusal::StaleTurn { .. } => v1::RefusalReason::StaleTurn,
        Refusal::Conflict { .. } => v1::RefusalReason::Conflict,
        Refusal::UnknownTurn { .. } => v1::RefusalReason::UnknownTurn,
        Refusal::Malformed(_) => v1::RefusalReason::Malformed,
        Refusal::Illegal(illegal) => illegal.into(),
        Refusal::TooManyAnswers => v1::RefusalReason::TooManyAnswers,
    }
}

/// Why an answer that came through Act was not accepted, and how many may still be refused where it counts.
pub(crate) fn refusal(why: &Refusal, tries_left: Option<u32>) -> Status {
    let code = match why {
        Refusal::StaleTurn { .. } | Refusal::Conflict { .. } | Refusal::UnknownTurn { .. } => {
            Code::Aborted
        }
        Refusal::Malformed(_) | Refusal::Illegal(mighty_rules::Illegal::Unreadable(_)) => {
            Code::InvalidArgument
        }
        Refusal::Illegal(_) => Code::FailedPrecondition,
        Refusal::TooManyAnswers => Code::ResourceExhausted,
    };
    let name = refusal_reason(why).as_str_name();
    let reason = name.strip_prefix("REFUSAL_REASON_").unwrap_or(name);
    let tries_left = tries_left.map(|left| ("tries_left".to_owned(), left.to_string()));
    let details = ErrorDetails::with_error_info(reason, DOMAIN, HashMap::from_iter(tries_left));
    Status::with_error_details(code, why.to_string(), details)
}

/// A failure of the server's own kinds on its way to a status.
#[derive(Debug)]
pub(crate) struct Failure(Status);

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        failure.0
    }
}

impl From<LobbyError> for Failure {
    fn from(error: LobbyError) -> Failure {
        let (code, reason) = match &error {
            LobbyError::TooManyTables { .. } => (Code::ResourceExhausted, "TOO_MANY_TABLES"),
            LobbyError::NoSuchTable(_) => (Code::NotFound, "NO_SUCH_TABLE"),
            LobbyError::NoOpenSeat(_) => (Code::FailedPrecondition, "NO_OPEN_SEAT"),
            LobbyError::SeatTaken { .. } => (Code::FailedPrecondition, "SEAT_TAKEN"),
            LobbyError::NoSuchHouseBot { .. } => (Code::InvalidArgument, "NO_SUCH_HOUSE_BOT"),
            LobbyError::UnknownToken => (Code::PermissionDenied, "UNKNOWN_RESUME_TOKEN"),
            LobbyError::Follow(refused) => return (*refused).into(),
            LobbyError::Closed => (Code::Unavailable, "SHUTTING_DOWN"),
        };
        Failure(failure(code, reason, error.to_string()))
    }
}

impl From<FollowRefused> for Failure {
    fn from(error: FollowRefused) -> Failure {
        match error {
            FollowRefused::TooMany { .. } => {
                Failure(failure(Code::ResourceExhausted, "TOO_MANY_FOLLOWERS", error.to_string()))
            }
            FollowRefused::Gone(gone) => gone.into(),
        }
    }
}

impl From<TableGone> for Failure {
    fn from(error: TableGone) -> Failure {
        Failure(failure(Code::NotFound, "TABLE_GONE", error.to_string()))
    }
}

impl From<ComebackRefused> for Failure {
    fn from(error: ComebackRefused) -> Failure {
        let (code, reason) = match error {
            ComebackRefused::HouseSeat(_) => (Code::PermissionDenied, "HOUSE_SEAT"),
            ComebackRefused::EventToCome { .. } => (Code::InvalidArgument, "EVENT_TO_COME"),
        };
        Failure(failure(code, reason, error.to_string()))
    }
}

impl From<RulesError> for Failure {
    fn from(error: RulesError) -> Failure {
        let reason = match &error {
            RulesError::UnknownProfile { .. } => "UNKNOWN_PROFILE",
            RulesError::UnknownOption { .. } => "UNKNOWN_OPTION",
            RulesError::WrongValue { .. } => "WRONG_VALUE",
            RulesError::NoSheet { .. } => "NO_RULE_SHEET",
            RulesError::Nonsense { .. } => "OPTIONS_DISAGREE",
        };
        Failure(failure(Code::InvalidArgument, reason, error.to_string()))
    }
}
