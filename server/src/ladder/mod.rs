//! The ladder: who plays whom, how bots are rated, and how they stand.

pub mod desk;
pub mod pairing;
pub mod rating;
pub mod standings;

use std::time::SystemTime;

/// How the ladder is, for whoever asks; its default is a server without a ladder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LadderStatus {
    /// Whether there is a ladder on this server.
    pub enabled: bool,
    /// The profile that is played.
    pub profile: String,
    /// Matches that were finished since the server started.
    pub finished: u64,
    /// Who waits.
    pub waiting: Vec<WaitingBot>,
    /// The tables of the matches that go on.
    pub tables: Vec<String>,
}

/// A bot that waits for a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitingBot {
    /// Its name.
    pub name: String,
    /// Since when.
    pub since: SystemTime,
    /// For what and why, in a sentence.
    pub reason: String,
}
