//! The arena's desk: to a bot it is a ladder, and what is played there is the schedule.

use mighty_server::desk::{Entrant, MatchDesk};
use mighty_server::ladder::LadderStatus;
use mighty_server::lobby::Guest;
use mighty_server::table::effect::ConnectionId;
use tokio::sync::{mpsc, watch};

/// The desk, as the server sees it.
#[derive(Debug)]
pub(crate) struct ArenaDesk {
    visits: mpsc::Sender<Visit>,
    is_open: watch::Receiver<bool>,
    status: watch::Receiver<LadderStatus>,
}

/// What happens at the desk.
#[derive(Debug)]
pub(crate) enum Visit {
    /// A stream of a bot asks for a table.
    Enter(Box<Guest>),
    /// A stream that waited is gone.
    Leave(ConnectionId),
}

/// How many visits may wait for the arena.
const VISITS: usize = 256;

impl ArenaDesk {
    /// The desk, who visits it, and how it is closed.
    pub(crate) fn open() -> (ArenaDesk, mpsc::Receiver<Visit>, watch::Sender<bool>) {
        let (sender, visits) = mpsc::channel(VISITS);
        let (opener, is_open) = watch::channel(true);
        let (_, status) = watch::channel(LadderStatus::default());
        (ArenaDesk { visits: sender, is_open, status }, visits, opener)
    }

    async fn tell(&self, visit: Visit) {
        // An arena that has ended seats nobody: guests see their lines dropped.
        let _ = self.visits.send(visit).await;
    }
}

#[tonic::async_trait]
impl MatchDesk for ArenaDesk {
    fn is_open(&self) -> bool {
        *self.is_open.borrow()
    }

    async fn enter(&self, entrant: Entrant<Guest>) {
        self.tell(Visit::Enter(Box::new(entrant.guest))).await;
    }

    async fn leave(&self, connection: ConnectionId) {
        self.tell(Visit::Leave(connection)).await;
    }

    fn status(&self) -> watch::Receiver<LadderStatus> {
        self.status.clone()
    }

    /// The arena stops its server itself, after it has sent everybody away.
    async fn close(&self) {}
}
