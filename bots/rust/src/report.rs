//! What the bot writes about its games: sentences for people, or JSON for programs.

use std::io::{Write, stdout};

use mighty_client::{Event, News, Seat, Stopped, Told};
use serde_json::{Value, json};

/// How to write what happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Report {
    /// A sentence a line.
    Sentences,
    /// A JSON object a line.
    Json,
}

impl Report {
    /// Writes what happened on one of the bot's streams, unless it is a single card or call.
    pub(crate) fn news(self, stream: usize, news: &News) {
        let Some(object) = object(news) else { return };
        self.line(stream, object, &news.to_string());
    }

    /// Writes why a stream stopped.
    pub(crate) fn stopped(self, stream: usize, why: &Stopped) {
        let kind = match why {
            Stopped::Finished { .. } => "finished",
            Stopped::Left { .. } => "left",
            Stopped::TakenOver => "taken_over",
            Stopped::SeatGivenUp => "seat_given_up",
            Stopped::BrokenOff => "broken_off",
            Stopped::Refused { .. } => "refused",
            Stopped::GaveUpReconnecting { .. } => "gave_up_reconnecting",
            Stopped::Misunderstood { .. } => "misunderstood",
        };
        let object = json!({ "news": "stopped", "why": kind, "message": why.to_string() });
        self.line(stream, object, &why.to_string());
    }

    fn line(self, stream: usize, mut object: Value, sentence: &str) {
        let line = match self {
            Report::Sentences => format!("[{stream}] {sentence}"),
            Report::Json => {
                object["stream"] = json!(stream);
                object.to_string()
            }
        };
        // Where nobody reads any more there is nobody to tell; the game goes on.
        drop(writeln!(stdout(), "{line}"));
    }
}

/// The news as JSON; `None` for what is not written: what happens within a hand, up to its result.
fn object(news: &News) -> Option<Value> {
    Some(match news {
        News::Waiting { reason, seats_open } => {
            json!({ "news": "waiting", "reason": reason, "seats_open": seats_open })
        }
        News::MatchStarted(info) => json!({
            "news": "match_started",
            "match_id": info.match_id,
            "table_id": info.table_id,
            "profile": info.rules.profile().name(),
            "seat": info.seat.map(Seat::number),
            "names": info.seats.0.each_ref().map(|seat| seat.name.as_str()),
        }),
        News::CaughtUp { missed } => json!({ "news": "caught_up", "missed": missed }),
        News::Told(told) => return told_object(told),
        News::Refused(refusal) => json!({
            "news": "refused",
            "turn": refusal.turn,
            "reason": refusal.reason,
            "message": refusal.message,
            "tries_left": refusal.tries_left,
        }),
        News::MatchOver { match_id, another_follows } => {
            json!({ "news": "match_over", "match_id": match_id, "another_follows": another_follows })
        }
        News::Notice { message, .. } => json!({ "news": "notice", "message": message }),
        News::Reconnecting { after, why } => {
            json!({ "news": "reconnecting", "after_ms": after.as_millis() as u64, "why": why })
        }
    })
}

fn told_object(told: &Told) -> Option<Value> {
    Some(match told {
        Told::InHand(Event::HandScored { result }) => json!({
            "news": "hand_scored",
            "declarer": result.declarer.number(),
            "friend": result.friend.map(Seat::number),
            "contract": result.contract.to_string(),
            "taken": result.taken,
            "made": result.made,
            "scores": result.scores.0,
        }),
        Told::InHand(_) | Told::HandStarted(_) | Told::SeatPresence { .. } => return None,
        Told::HandEnded(end) => json!({
            "news": "hand_ended",
            "hand": end.hand,
            "redeal": end.redeal,
            "totals": end.totals.0,
        }),
        Told::DefaultMade { seat, .. } => {
            json!({ "news": "default_made", "seat": seat.number(), "message": News::Told(told.clone()).to_string() })
        }
        Told::SeatGivenUp { seat, stand_in } => {
            json!({ "news": "seat_given_up", "seat": seat.number(), "stand_in": stand_in })
        }
        Told::MatchEnded(end) => json!({
            "news": "match_ended",
            "totals": end.totals.0,
            "places": end.places.0,
            "record_id": end.record_id,
        }),
    })
}
