//! What a match is made of, and what is left of it: shared by tables, store and ladder.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mighty_rules::{BySeat, MatchLine, Rules, Score, Seed};

/// Somebody who may sit at a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlayerId {
    /// The bot's name; in open mode each name is its own owner.
    pub name: String,
    /// Its version; empty where it has none.
    pub version: String,
    /// Whether it is a house bot, played in process.
    pub house: bool,
}

/// The time that a seat has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// The bank for the whole match.
    pub bank: Duration,
    /// What each move adds to what may be thought about it.
    pub increment: Duration,
}

/// What is played at a table, whoever sits there.
#[derive(Clone, Debug)]
pub struct MatchTerms {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The clock of each seat.
    pub time: TimeControl,
    /// Where its decks come from.
    pub deals: Deals,
    /// Whether it counts for the ladder.
    pub ladder: bool,
}

/// Where the decks of a match come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deals {
    /// From a new secret of the operating system; each hand follows from the one before.
    Fresh,
    /// From this seed, as at other tables too; each deal stands alone.
    Duplicate(Seed),
}

/// A match that is to be played.
#[derive(Clone, Debug)]
pub struct MatchSpec {
    /// Its id, which is that of its table and of its record too.
    pub match_id: String,
    /// The rules.
    pub rules: Arc<Rules>,
    /// Whether each deal stands alone.
    pub duplicate: bool,
    /// The secret from which its decks follow.
    pub seed: Seed,
    /// Who sits where.
    pub players: BySeat<PlayerId>,
    /// The clock of each seat.
    pub time: TimeControl,
    /// Whether it counts for the ladder.
    pub ladder: bool,
}

/// A match that was played to its end.
#[derive(Clone, Debug)]
pub struct FinishedMatch {
    /// Its id.
    pub match_id: String,
    /// When it ended.
    pub ended_at: SystemTime,
    /// Whether it counts for the ladder.
    pub ladder: bool,
    /// The record: rules, seed, decks, moves, defaults, refusals, totals.
    pub record: MatchLine,
    /// How each seat did.
    pub seats: BySeat<SeatReport>,
    /// How many hands were finished and settled.
    pub hands: u32,
}

/// How a seat did in a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatReport {
    /// Who sat there; a seat that was given up is still its own.
    pub player: PlayerId,
    /// Its total.
    pub total: Score,
    /// Its place, 1 for the highest total, equals share the better place.
    pub place: u8,
    /// Default moves made for it.
    pub defaults: u32,
    /// Answers of it that were refused.
    pub refusals: u32,
    /// Whether it gave its seat up, so that a house bot played on.
    pub given_up: bool,
}
