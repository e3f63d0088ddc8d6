//! What a session or a spectator tells besides asking for moves.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mighty_protocol::decode::{self, BadMessage, Told};
use mighty_protocol::v1;
use mighty_rules::{BySeat, Card, Rules, Seat};

use crate::sentence::write_told;

/// Something worth knowing. Each has a sentence for a log.
#[derive(Clone, PartialEq, Debug)]
pub enum News {
    /// There is no match yet.
    Waiting {
        /// Why, in a sentence.
        reason: String,
        /// How many seats are still open or looked for.
        seats_open: u32,
    },
    /// A match begins, or goes on after the connection was lost.
    MatchStarted(Box<MatchInfo>),
    /// The view was sent whole, on joining late or after events were missed.
    CaughtUp {
        /// How many events were missed, of which nothing more is told.
        missed: u64,
    },
    /// Something happened that the viewer may know.
    Told(Told),
    /// An answer was refused.
    Refused(Refusal),
    /// A match is over.
    MatchOver {
        /// Which.
        match_id: String,
        /// Whether another match follows on this stream.
        another_follows: bool,
    },
    /// The server says something about the seat or itself.
    Notice {
        /// What it is about.
        kind: NoticeKind,
        /// A sentence that says what to do.
        message: String,
    },
    /// The connection was lost and will be made again.
    Reconnecting {
        /// After this wait.
        after: Duration,
        /// What was wrong.
        why: String,
    },
}

/// What is known of a match from its start.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchInfo {
    /// Its id.
    pub match_id: String,
    /// The table's id.
    pub table_id: String,
    /// The rules.
    pub rules: Arc<Rules>,
    /// The viewer's seat; unset for a spectator.
    pub seat: Option<Seat>,
    /// Who sits where.
    pub seats: BySeat<SeatInfo>,
    /// The time that each seat has for the whole match.
    pub bank: Duration,
    /// What each move adds to what may be thought about it.
    pub increment: Duration,
    /// SHA-256 of the secret seed in lower-case hex.
    pub commitment: String,
    /// The card that each seat drew in the cut for the first deal.
    pub cut: BySeat<Card>,
    /// Whether each deal stands alone.
    pub duplicate: bool,
    /// How many answers to one turn may be refused before the default is played.
    pub refusals_allowed: u32,
    /// Whether it is a match of the ladder.
    pub ladder: bool,
}

/// Who sits at a seat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeatInfo {
    /// The name.
    pub name: String,
    /// Whether it is a house bot.
    pub house: bool,
    /// Whether its player is connected.
    pub present: bool,
    /// Whether the player gave the seat up, so that a house bot plays on for it.
    pub given_up: bool,
}

/// An answer that was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The turn.
    pub turn: u64,
    /// The machine-readable reason, such as `MUST_FOLLOW`.
    pub reason: String,
    /// What would be right.
    pub message: String,
    /// How many answers may still be refused before the default is played; unset where this one does not count.
    pub tries_left: Option<u32>,
}

/// What a notice of the server is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoticeKind {
    /// The server is stopping.
    ShuttingDown,
    /// The seat was given up.
    SeatGivenUp,
    /// Another stream has taken the seat over.
    TakenOver,
    /// The match was broken off by a fault of the server; nothing is scored.
    BrokenOff,
    /// Something that this program does not know; the sentence says what.
    Other,
}

impl MatchInfo {
    pub(crate) fn read(start: &v1::MatchStart) -> Result<MatchInfo, BadMessage> {
        let rules = decode::required(&start.rules, "MatchStart.rules")?;
        let clock = start.clock.unwrap_or_default();
        let cut = start.cut.iter().map(|drawn| decode::card(*drawn, "MatchStart.cut"));
        let cut = cut.collect::<Result<Vec<_>, _>>()?;
        Ok(MatchInfo {
            match_id: start.match_id.clone(),
            table_id: start.table_id.clone(),
            rules: decode::rules(rules)?,
            seat: decode::seat_or_none(start.seat, "MatchStart.seat")?,
            seats: decode::five(&start.seats, "MatchStart.seats")?.map(SeatInfo::from),
            bank: duration(clock.bank, "Clock.bank")?.unwrap_or_default(),
            increment: duration(clock.increment, "Clock.increment")?.unwrap_or_default(),
            commitment: start.commitment.clone(),
            cut: decode::five(&cut, "MatchStart.cut")?,
            duplicate: start.duplicate,
            refusals_allowed: start.refusals_allowed,
            ladder: start.ladder,
        })
    }
}

impl From<v1::SeatInfo> for SeatInfo {
    fn from(seat: v1::SeatInfo) -> SeatInfo {
        let v1::SeatInfo { name, house, present, given_up } = seat;
        SeatInfo { name, house, present, given_up }
    }
}

impl From<v1::AnswerRefused> for Refusal {
    fn from(refused: v1::AnswerRefused) -> Refusal {
        let reason = refused.reason().as_str_name();
        Refusal {
            turn: refused.turn,
            reason: reason.trim_start_matches("REFUSAL_REASON_").to_owned(),
            message: refused.message,
            tries_left: refused.tries_left,
        }
    }
}

impl From<v1::server_notice::Kind> for NoticeKind {
    fn from(kind: v1::server_notice::Kind) -> NoticeKind {
        use v1::server_notice::Kind;
        match kind {
            Kind::Unspecified => NoticeKind::Other,
            Kind::ShuttingDown => NoticeKind::ShuttingDown,
            Kind::SeatGivenUp => NoticeKind::SeatGivenUp,
            Kind::TakenOver => NoticeKind::TakenOver,
            Kind::BrokenOff => NoticeKind::BrokenOff,
        }
    }
}

/// A length of time of the wire.
pub(crate) fn duration<D: TryInto<Duration>>(
    length: Option<D>,
    field: &'static str,
) -> Result<Option<Duration>, BadMessage> {
    let negative =
        || BadMessage { field, problem: "negative; a duration is at least 0".to_owned() };
    length.map(|length| length.try_into().map_err(|_| negative())).transpose()
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            News::Waiting { reason, .. } => write!(f, "waiting: {reason}"),
            News::MatchStarted(info) => {
                let names = info.seats.0.each_ref().map(|seat| seat.name.as_str()).join(", ");
                write!(f, "match {} ({}): {names}", info.match_id, info.rules.profile())
            }
            News::CaughtUp { missed: 0 } => f.write_str("caught up"),
            News::CaughtUp { missed } => write!(f, "caught up, {missed} events were missed"),
            News::Told(told) => write_told(f, told),
            News::Refused(Refusal { reason, message, .. }) => {
                write!(f, "answer refused ({reason}): {message}")
            }
            News::MatchOver { match_id, .. } => write!(f, "match {match_id} is over"),
            News::Notice { message, .. } => write!(f, "the server says: {message}"),
            News::Reconnecting { after, why } => {
                write!(f, "connection lost ({why}), trying again in {:.1} s", after.as_secs_f64())
            }
        }
    }
}
