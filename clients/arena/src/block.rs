//! What the tables of a block came to.

use mighty_rules::{Bid, MatchLine, Seat};
use mighty_server::store::SavedRecord;
use serde::{Deserialize, Serialize};

use crate::schedule::Entrant;

/// A deal, played at all tables of its block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Which, from 0.
    pub block: u64,
    /// Its tables, in the order of the schedule.
    pub tables: Vec<Played>,
    /// How often the process of each bot ended too early since the block before.
    pub crashes: Vec<u32>,
    /// How long the file of records is with those of this block, in bytes.
    pub records_bytes: u64,
}

/// A deal, played at one table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Played {
    /// The seats, 0 to 4.
    pub seats: [SeatPlayed; 5],
    /// How the hand was settled; none where the deal was void, which counts as a hand without points.
    pub hand: Option<HandPlayed>,
}

/// How a seat did.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeatPlayed {
    /// Who sat there.
    pub bot: Entrant,
    /// What it made, in half points.
    pub half_points: i64,
    /// What it was in the hand.
    pub role: Option<Role>,
    /// Default moves made for it.
    pub defaults: u32,
    /// Answers of it that were refused.
    pub refusals: u32,
    /// Whether it gave its seat up, so that a house bot played on.
    pub given_up: bool,
}

impl SeatPlayed {
    /// What it made, in points.
    pub fn points(&self) -> f64 {
        self.half_points as f64 / 2.0
    }
}

/// How a hand was settled.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HandPlayed {
    /// The contract in notation.
    pub contract: String,
    /// The points that it promised.
    pub level: u32,
    /// Whether it was made.
    pub made: bool,
}

/// What a seat is in a hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It plays for its contract.
    Declarer,
    /// It was called.
    Friend,
    /// It plays against the contract.
    Defender,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Declarer, Role::Friend, Role::Defender];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Declarer => "declarer",
            Role::Friend => "friend",
            Role::Defender => "defender",
        }
    }
}

/// The result of a hand, as a record has it.
#[derive(Deserialize)]
struct Settled {
    declarer: usize,
    friend: Option<usize>,
    contract: String,
    made: bool,
}

/// What a table came to, by its record; `None` where that is not one of a deal that was played.
pub fn played(bots: &[Entrant; 5], record: &SavedRecord) -> Option<Played> {
    let line: MatchLine = serde_json::from_str(&record.line).ok()?;
    let outcome = &line.rows.last()?.outcome;
    let settled: Option<Settled> =
        outcome.result.clone().map(serde_json::from_value).transpose().ok()?;
    let role = |seat: usize| {
        settled.as_ref().map(|settled| match () {
            () if settled.declarer == seat => Role::Declarer,
            () if settled.friend == Some(seat) => Role::Friend,
            () => Role::Defender,
        })
    };
    let seats = Seat::ALL.map(|seat| {
        let report = &record.saved.seats[seat].report;
        SeatPlayed {
            bot: bots[seat.number()],
            half_points: report.total.in_halves(),
            role: role(seat.number()),
            defaults: report.defaults,
            refusals: report.refusals,
            given_up: report.given_up,
        }
    });
    let hand = match settled {
        None => None,
        Some(Settled { contract, made, .. }) => {
            let level = contract.parse::<Bid>().ok()?.points;
            Some(HandPlayed { contract, level: level.into(), made })
        }
    };
    Some(Played { seats, hand })
}
