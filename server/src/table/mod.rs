//! One table: its state machine without I/O, and the task around it.

mod actor;
mod chair;
pub mod clock;
pub mod effect;
pub mod event;
pub mod feed;
pub mod standing;
pub mod state;
pub mod update;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use mighty_house::Player;
use mighty_rules::{BySeat, MatchLine, Seat};
use tokio::sync::{Mutex, OwnedSemaphorePermit, mpsc, oneshot, watch};
use tokio::time::Instant;

use self::actor::Command;
pub use self::actor::Opening;
use self::effect::{Connection, ConnectionId};
use self::feed::Line;
use self::standing::{Progress, Standing};
use self::state::{ComebackRefused, TableLimits};
use self::update::{Answer, Reply, ResumeToken};
use crate::matches::MatchSpec;
use crate::stalls::ServerClock;
use crate::store::Store;

/// What all tables of a server share.
#[derive(Clone)]
pub struct TableSetting {
    /// What a table may cost.
    pub limits: TableLimits,
    /// How many commands may wait for one table.
    pub mailbox: usize,
    /// How many may look on at one table.
    pub followers: usize,
    /// The server's clock.
    pub clock: ServerClock,
    /// Where results are kept.
    pub store: Store,
    /// Where house bots come from.
    pub house: HouseBots,
}

/// Makes the house bot of a name; the number decides what it leaves to chance.
pub type HouseBots = fn(&str, u64) -> Option<Box<dyn Player>>;

impl fmt::Debug for TableSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableSetting").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Somebody who has a seat when its table opens.
#[derive(Debug)]
pub struct Sitting {
    /// The connection.
    pub connection: Connection,
    /// Where its updates go.
    pub line: Line,
}

/// A table, for everybody but its own task. A clone is the same table; when the last is gone, its task ends.
#[derive(Clone, Debug)]
pub struct TableHandle {
    spec: Arc<MatchSpec>,
    mailbox: mpsc::Sender<Command>,
    questions: Arc<Questions>,
    standing: watch::Receiver<Standing>,
}

/// Each seat asks one question at a time, and so do all others together: however many they have, the mailbox keeps its
/// room for answers.
#[derive(Debug, Default)]
struct Questions {
    seats: BySeat<Mutex<()>>,
    others: Mutex<()>,
}

/// The table does not answer: it broke, or is being forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the table is gone; look for another one")]
pub struct TableGone;

/// The table has more to do than it can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy;

/// Why somebody cannot look on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FollowRefused {
    /// Too many do.
    #[error("{limit} spectators follow this table already; try again later, or follow another one")]
    TooMany {
        /// How many may.
        limit: usize,
    },
    /// The table does not answer.
    #[error(transparent)]
    Gone(#[from] TableGone),
}

impl TableHandle {
    /// Opens a table and deals its first hand. Nobody is told anything before [`Opening::begin`], so that everybody who
    /// sits there can be given the handle first.
    pub fn open(
        setting: &TableSetting,
        spec: MatchSpec,
        tokens: BySeat<Option<ResumeToken>>,
        sitting: BySeat<Option<Sitting>>,
        spectators: Vec<Line>,
    ) -> (TableHandle, Opening) {
        actor::open(setting, Arc::new(spec), tokens, sitting, spectators)
    }

    /// The match that is played.
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// What anybody may see of it now.
    pub fn standing(&self) -> Standing {
        *self.standing.borrow()
    }

    /// Waits until the match is over or broken off.
    pub async fn over(&self) -> Progress {
        let is_over = |standing: &Standing| match standing.progress {
            Progress::Playing | Progress::Closing => false,
            Progress::Over | Progress::BrokenOff => true,
        };
        let mut standing = self.standing.clone();
        let over = standing.wait_for(is_over).await;
        over.map_or(Progress::BrokenOff, |standing| standing.progress)
    }

    /// Brings an answer of a connection; what becomes of it is told to the connection. The permit is given back when
    /// the table has taken it in.
    ///
    /// # Errors
    /// The table has too much to do.
    pub fn answer(
        &self,
        seat: Seat,
        connection: ConnectionId,
        answer: Answer,
        permit: OwnedSemaphorePermit,
    ) -> Result<(), Busy> {
        let command =
            Command::Answer { seat, connection, answer, at: Instant::now(), _permit: permit };
        self.mailbox.try_send(command).map_err(|_| Busy)
    }

    /// Brings an answer, and waits for what becomes of it.
    ///
    /// # Errors
    /// The table does not answer.
    pub async fn act(&self, seat: Seat, answer: Answer) -> Result<Reply, TableGone> {
        let at = Instant::now();
        let asking = &self.questions.seats[seat];
        self.ask(asking, |reply| Command::Act { seat, answer, at, reply }).await
    }

    /// Comes back to a seat, or takes it over; the events after this number are told again.
    ///
    /// # Errors
    /// The seat is a house bot's, the event has not happened, or the table does not answer.
    pub async fn sit(
        &self,
        seat: Seat,
        sitting: Sitting,
        after: u64,
    ) -> Result<Result<(), ComebackRefused>, TableGone> {
        let asking = &self.questions.seats[seat];
        self.ask(asking, |reply| Command::Sit { seat, sitting, after, reply }).await
    }

    /// Looks on.
    ///
    /// # Errors
    /// Too many do, or the table does not answer.
    pub async fn follow(&self, line: Line) -> Result<(), FollowRefused> {
        self.ask(&self.questions.others, |reply| Command::Follow { line, reply }).await?
    }

    /// The record of the hands that are finished.
    ///
    /// # Errors
    /// The table does not answer.
    pub async fn record(&self) -> Result<MatchLine, TableGone> {
        self.ask(&self.questions.others, |reply| Command::Record { reply }).await
    }

    /// The player of a connection leaves its seat.
    pub async fn leave(&self, seat: Seat, connection: ConnectionId) {
        self.tell(Command::Leave { seat, connection }).await;
    }

    /// A connection is gone.
    pub async fn lost(&self, connection: ConnectionId) {
        self.tell(Command::Lost { connection }).await;
    }

    /// The server is stopping: the hand in play may finish.
    pub async fn drain(&self) {
        self.tell(Command::Drain).await;
    }

    /// The server stops now.
    pub async fn break_off(&self) {
        self.tell(Command::BreakOff).await;
    }

    async fn ask<T>(
        &self,
        asking: &Mutex<()>,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, TableGone> {
        let _asking = asking.lock().await;
        let (reply, answer) = oneshot::channel();
        self.mailbox.send(command(reply)).await.map_err(|_| TableGone)?;
        answer.await.map_err(|_| TableGone)
    }

    async fn tell(&self, command: Command) {
        // A table that is gone has nothing left to be told.
        let _ = self.mailbox.send(command).await;
    }
}
