//! Where bots ask for matches, whoever decides which.

use std::fmt::Debug;
use std::sync::Arc;

use tokio::sync::watch;

use crate::ladder::LadderStatus;
use crate::lobby::Guest;
use crate::matches::PlayerId;
use crate::table::effect::ConnectionId;

/// A desk at which bots ask for matches: the ladder's, or that of an arena which brings its own schedule.
#[tonic::async_trait]
pub trait MatchDesk: Debug + Send + Sync {
    /// Whether there may be further matches.
    fn is_open(&self) -> bool;

    /// Asks for a match. The guest is told why it waits, when it is seated, and that no match follows any more.
    async fn enter(&self, entrant: Entrant<Guest>);

    /// A bot that waited is gone.
    async fn leave(&self, connection: ConnectionId);

    /// How things are at the desk, always the newest.
    fn status(&self) -> watch::Receiver<LadderStatus>;

    /// The server is stopping: who waits is sent away.
    async fn close(&self);
}

/// A desk that a server shares with its streams.
pub type SharedDesk = Arc<dyn MatchDesk>;

/// A bot that asks for a match.
#[derive(Debug)]
pub struct Entrant<G> {
    /// Who it is, and where it is told.
    pub guest: G,
    /// The player.
    pub player: PlayerId,
    /// How many matches it asked for; 0 for as many as there are.
    pub wanted: u32,
    /// How many of them it has played.
    pub played: u32,
}
