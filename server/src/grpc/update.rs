//! What a table tells, as messages of the wire.

use std::time::Duration;

use mighty_protocol::{encode, v1};
use mighty_rules::{BySeat, Score, Viewer};

use super::status::{RETRY_AFTER, refusal_reason};
use crate::matches::TimeControl;
use crate::table::event::{DefaultCause, Numbered, Scene, TableEvent};
use crate::table::update::{MatchStart, Notice, Reply, SeatInfo, Snapshot, Turn, Update, Waiting};

/// An update; `is_open` tells whether there are any further matches.
pub(super) fn update(update: Update, is_open: bool) -> v1::Update {
    use v1::update::Kind;
    let kind = match update {
        Update::Waiting(Waiting { reason, seats_open }) => {
            Kind::Waiting(v1::Waiting { reason, seats_open })
        }
        Update::MatchStart(start) => Kind::MatchStart(match_start(*start)),
        Update::Snapshot(at) => Kind::Snapshot(snapshot(*at)),
        Update::Events(told) => Kind::Events(v1::Events { events: events(told) }),
        Update::Turn(handed) => Kind::Turn(turn(*handed)),
        Update::Reply(Reply::Accepted { turn, played, repeated }) => {
            Kind::Accepted(accepted(turn, played, repeated))
        }
        Update::Reply(Reply::Refused { turn, why, tries_left }) => {
            Kind::Refused(v1::AnswerRefused {
                turn,
                reason: refusal_reason(&why).into(),
                message: why.to_string(),
                tries_left,
            })
        }
        Update::MatchOver { match_id, events: last, another_follows } => {
            let another_follows = another_follows && is_open;
            Kind::MatchOver(v1::MatchOver { match_id, events: events(last), another_follows })
        }
        Update::Notice(notice) => Kind::Notice(server_notice(notice)),
    };
    v1::Update { kind: Some(kind) }
}

/// What was accepted.
pub(super) fn accepted(
    turn: u64,
    played: mighty_rules::Move,
    repeated: bool,
) -> v1::AnswerAccepted {
    v1::AnswerAccepted { turn, text: played.to_string(), repeated_answer: repeated }
}

/// A seat as anybody may see it; nobody sits at an open one.
pub(super) fn seat_info(info: Option<SeatInfo>) -> v1::SeatInfo {
    info.map_or_else(v1::SeatInfo::default, |SeatInfo { player, present, given_up }| v1::SeatInfo {
        name: player.name,
        house: player.house,
        present,
        given_up,
    })
}

fn match_start(start: MatchStart) -> v1::MatchStart {
    let MatchStart { spec, viewer, seats, resume_token, refusals_allowed } = start;
    let TimeControl { bank, increment } = spec.time;
    v1::MatchStart {
        match_id: spec.match_id.clone(),
        table_id: spec.match_id.clone(),
        rules: Some((&*spec.rules).into()),
        seat: match viewer {
            Viewer::Seat(seat) => Some(encode::seat(seat)),
            Viewer::Spectator => None,
        },
        seats: seats.map(|info| seat_info(Some(info))).0.into(),
        clock: Some(v1::Clock { bank: duration(bank), increment: duration(increment) }),
        commitment: spec.seed.commitment(),
        cut: spec.seed.cut().cards.map(|card| v1::Card::from(card).into()).0.into(),
        duplicate: spec.duplicate,
        resume_token: resume_token.map_or_else(String::new, |token| token.reveal().to_owned()),
        refusals_allowed,
        ladder: spec.ladder,
    }
}

fn snapshot(at: Snapshot) -> v1::Snapshot {
    v1::Snapshot {
        sequence: at.sequence,
        observation: at.scene.map(|scene| observation(&scene)),
        totals_half_points: encode::half_points(&at.totals),
        missed: at.missed,
    }
}

fn observation(scene: &Scene) -> v1::Observation {
    let Scene { view, dealing, totals } = scene;
    encode::observation(view, dealing.hand, dealing.redeal, totals)
}

fn turn(turn: Turn) -> v1::Turn {
    v1::Turn {
        match_id: turn.match_id,
        number: turn.number,
        events: events(turn.events),
        observation: turn.scene.map(|scene| observation(&scene)),
        choices: Some(turn.choices.into()),
        default_text: turn.default_move.to_string(),
        default_move: Some(turn.default_move.into()),
        time_left: duration(turn.time_left),
        last_took: turn.last_took.and_then(duration),
        last_late: turn.last_late.and_then(duration),
    }
}

fn events(events: Vec<Numbered>) -> Vec<v1::Event> {
    let one = |Numbered { sequence, event }| v1::Event { sequence, kind: Some(kind(event)) };
    events.into_iter().map(one).collect()
}

fn kind(event: TableEvent) -> v1::event::Kind {
    use v1::event::Kind;
    match event {
        TableEvent::HandStarted(dealing) => Kind::HandStarted(dealing.into()),
        TableEvent::Hand(event) => event.into(),
        TableEvent::HandEnded { dealing, next, totals, pot } => Kind::HandEnded(v1::HandEnded {
            hand: dealing.hand,
            redeal: dealing.redeal,
            next: v1::hand_ended::Next::from(next).into(),
            totals_half_points: encode::half_points(&totals),
            pot,
        }),
        TableEvent::DefaultMade { seat, cause } => {
            let cause = match cause {
                DefaultCause::Time => v1::default_made::Cause::Time,
                DefaultCause::Refusals => v1::default_made::Cause::Refusals,
            };
            Kind::DefaultMade(v1::DefaultMade { seat: encode::seat(seat), cause: cause.into() })
        }
        TableEvent::SeatGivenUp { seat, stand_in } => Kind::SeatGivenUp(v1::SeatGivenUp {
            seat: encode::seat(seat),
            stand_in: stand_in.to_string(),
        }),
        TableEvent::SeatPresence { seat, present } => {
            Kind::SeatPresence(v1::SeatPresence { seat: encode::seat(seat), present })
        }
        TableEvent::MatchEnded { totals, places, seed, record_id } => {
            Kind::MatchEnded(match_ended(&totals, places, seed.reveal(), record_id))
        }
    }
}

fn match_ended(
    totals: &BySeat<Score>,
    places: BySeat<u8>,
    seed: &[u8; 32],
    record_id: String,
) -> v1::MatchEnded {
    v1::MatchEnded {
        totals_half_points: encode::half_points(totals),
        places: places.map(u32::from).0.into(),
        seed: seed.to_vec(),
        record_id,
    }
}

fn server_notice(notice: Notice) -> v1::ServerNotice {
    use v1::server_notice::Kind;
    let (kind, message, retry_after) = match notice {
        Notice::ShuttingDown => (
            Kind::ShuttingDown,
            "The server is stopping: this hand may still finish, then the stream ends; come back later.",
            duration(RETRY_AFTER),
        ),
        Notice::SeatGivenUp => (
            Kind::SeatGivenUp,
            "The seat was given up after too many defaults or too long an absence: a house bot plays on, and you keep the result.",
            None,
        ),
        Notice::TakenOver => (
            Kind::TakenOver,
            "Another stream has taken this seat over: use one stream for each seat.",
            None,
        ),
        Notice::BrokenOff => (
            Kind::BrokenOff,
            "The match was broken off, nothing is scored: play another one.",
            duration(RETRY_AFTER),
        ),
    };
    v1::ServerNotice { kind: kind.into(), message: message.to_owned(), retry_after }
}

/// A duration of the wire; there are none of more than some thousand years.
pub(super) fn duration(duration: Duration) -> Option<prost_types::Duration> {
    duration.try_into().ok()
}
