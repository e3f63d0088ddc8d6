//! The store: every finished match with its record, and how the ladder's bots stand, in one SQLite file.
//!
//! One thread owns the connection and does one job after the other, so a job is a plain function of the connection.
//! A match is one transaction: its record, its seats, the ratings and sums that follow from it are there together or
//! not at all. A transaction is synced to the disk before it is reported: whoever announces a result after
//! [`Store::save`] has returned may be killed, or lose power, and the result is still there. One sync a match is
//! little beside the time that a match takes, so nothing weaker is worth its doubts.

mod query;
mod recount;
mod save;
mod schema;
#[cfg(test)]
pub(crate) mod tests;

use std::path::Path;
use std::time::{Duration, SystemTime};

use mighty_rules::BySeat;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::ladder::rating::RatingRules;
use crate::ladder::standings::Standing;
use crate::matches::{FinishedMatch, PlayerId, SeatReport};

/// The store. A clone is another handle to the same one; when the last is gone, its thread ends.
#[derive(Clone, Debug)]
pub struct Store {
    jobs: mpsc::Sender<Job>,
    rating_rules: RatingRules,
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;
type Answer<T> = oneshot::Receiver<Result<T, StoreError>>;

/// What the store may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreLimits {
    /// How many jobs may wait for the store's thread, at least 1. Beyond it a question is refused, and a match that is to
    /// be saved waits.
    pub queue: usize,
    /// How long to wait while another process has the file locked.
    pub lock_wait: Duration,
}

impl Default for StoreLimits {
    fn default() -> StoreLimits {
        StoreLimits { queue: 256, lock_wait: Duration::from_secs(5) }
    }
}

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be used.
    #[error("the store {path} cannot be opened: {why}")]
    Open {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: Box<StoreError>,
    },
    /// The file is something else.
    #[error("it is no store of Mighty; give the path of one, or of a file that does not exist yet")]
    NotAStore,
    /// The file was written by a newer server.
    #[error(
        "its schema has version {found} and this server knows up to {known}; start a newer server, or give another path"
    )]
    Newer {
        /// The version of its schema.
        found: usize,
        /// The newest version that this server knows.
        known: usize,
    },
    /// Too many wait already.
    #[error("the store is busy: {queue} requests wait already; ask again in a moment")]
    Busy {
        /// How many may wait.
        queue: usize,
    },
    /// Its thread has ended.
    #[error("the store has stopped; restart the server")]
    Stopped,
    /// SQLite could not read or write.
    #[error("the store's file cannot be read or written: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// What was read makes no sense.
    #[error("the store is damaged: {0}; restore it from a copy")]
    Damaged(String),
}

/// What became of a match that was to be saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// It was saved.
    Now,
    /// It had been saved before; nothing was changed.
    Before,
}

/// How the bots stand, and what that rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// Every bot that has finished a ladder match, the highest points per 100 hands first.
    pub standings: Vec<Standing>,
    /// How many ladder matches there are.
    pub matches: u64,
}

/// A match that was saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedMatch {
    /// Its number, which grows in the order of saving, from 1.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// The profile.
    pub profile: String,
    /// SHA-256 of the rules' canonical JSON, where the record has it.
    pub rules_hash: Option<String>,
    /// When it ended, to the millisecond.
    pub ended_at: SystemTime,
    /// Whether it counted for the ladder.
    pub ladder: bool,
    /// How many hands were settled.
    pub hands: u32,
    /// How each seat did.
    pub seats: BySeat<SavedSeat>,
}

/// How a seat did in a match that was saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedSeat {
    /// Its report.
    pub report: SeatReport,
    /// Whether the match changed its player's rating.
    pub rated: bool,
}

/// A record that was saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedRecord {
    /// The match.
    pub saved: SavedMatch,
    /// The record itself, one line of JSON.
    pub line: String,
}

/// Which matches are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchQuery {
    /// Only those with this name at a seat; all when empty.
    pub name: String,
    /// Only those of the ladder.
    pub ladder_only: bool,
    /// Only those with a lower number; the newest when unset.
    pub before: Option<u64>,
    /// How many at most.
    pub size: u32,
}

/// Some of the matches that were asked for, newest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchPage {
    /// The matches.
    pub matches: Vec<SavedMatch>,
    /// Where the next page begins, for [`MatchQuery::before`]; unset on the last.
    pub next_before: Option<u64>,
}

/// What the standings are when they are counted anew from the matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Recount {
    /// How the bots stand by the matches alone.
    pub standings: Standings,
    /// Where the store says otherwise, a sentence each; empty in a sound store.
    pub differences: Vec<String>,
}

impl Store {
    /// Opens a store, or makes one where there is no file yet.
    ///
    /// # Errors
    /// [`StoreError::Open`]: the file cannot be used, is something else, or is newer than this server.
    pub fn open(
        path: &Path,
        limits: &StoreLimits,
        rating_rules: RatingRules,
    ) -> Result<Store, StoreError> {
        Store::start(schema::open_file(path, limits)?, limits, rating_rules)
    }

    /// A store that is gone with the process.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`]: there is no memory.
    pub fn in_memory(limits: &StoreLimits, rating_rules: RatingRules) -> Result<Store, StoreError> {
        Store::start(schema::open_in_memory(limits)?, limits, rating_rules)
    }

    fn start(
        mut connection: Connection,
        limits: &StoreLimits,
        rating_rules: RatingRules,
    ) -> Result<Store, StoreError> {
        let (jobs, mut waiting) = mpsc::channel::<Job>(limits.queue.max(1));
        let work = move || {
            while let Some(job) = waiting.blocking_recv() {
                job(&mut connection);
            }
        };
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(work);
        thread.map_err(|_| StoreError::Stopped)?;
        Ok(Store { jobs, rating_rules })
    }

    /// Saves a match; when this returns it is on the disk. Saving a match again changes nothing.
    ///
    /// Where the queue is full it waits, since a result must not be lost. A match that has been queued is saved even
    /// when nobody waits for the answer any more.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`]: it could not be written, and nothing of it is there. [`StoreError::Stopped`].
    pub async fn save(&self, finished: FinishedMatch) -> Result<Saved, StoreError> {
        let rules = self.rating_rules;
        let line = serde_json::to_string(&finished.record)
            .expect("a record is plain data with text for keys, which JSON can hold");
        self.insist(move |connection| save::save(connection, &finished, &line, rules)).await
    }

    /// How the bots stand.
    ///
    /// # Errors
    /// As every question: [`StoreError::Busy`], [`StoreError::Sqlite`], [`StoreError::Damaged`], [`StoreError::Stopped`].
    pub async fn standings(&self) -> Result<Standings, StoreError> {
        self.ask(|connection| query::standings(connection)).await
    }

    /// How a player stands; `None` before its first ladder match.
    ///
    /// # Errors
    /// As [`Store::standings`].
    pub async fn standing(&self, player: PlayerId) -> Result<Option<Standing>, StoreError> {
        self.ask(move |connection| query::standing(connection, &player)).await
    }

    /// Matches, newest first.
    ///
    /// # Errors
    /// As [`Store::standings`].
    pub async fn matches(&self, query: MatchQuery) -> Result<MatchPage, StoreError> {
        self.ask(move |connection| query::matches(connection, &query)).await
    }

    /// The record with this id.
    ///
    /// # Errors
    /// As [`Store::standings`].
    pub async fn record(&self, id: &str) -> Result<Option<SavedRecord>, StoreError> {
        let id = id.to_owned();
        self.ask(move |connection| query::record(connection, &id)).await
    }

    /// Up to `size` records, oldest first, after the match with this number (0: from the first), of those with this
    /// name at a seat (empty: of all). Asking again after the last one walks through all of them; so that no walk breaks
    /// off halfway, it waits where the queue is full.
    ///
    /// # Errors
    /// As [`Store::standings`], but never busy.
    pub async fn records_after(
        &self,
        after: u64,
        name: &str,
        size: u32,
    ) -> Result<Vec<SavedRecord>, StoreError> {
        let name = name.to_owned();
        self.insist(move |connection| query::records_after(connection, after, &name, size)).await
    }

    /// Takes a match that does not count for the ladder out of the store, with its record, and gives it back; `None`
    /// where there is none. For those who keep what is played elsewhere.
    ///
    /// # Errors
    /// As [`Store::standings`], but never busy.
    pub async fn take(&self, id: &str) -> Result<Option<SavedRecord>, StoreError> {
        let id = id.to_owned();
        self.insist(move |connection| save::take(connection, &id)).await
    }

    /// Counts the standings anew from the matches, and compares them with what is stored.
    ///
    /// It reads every record, and other jobs wait meanwhile: for checks, not for every day.
    ///
    /// # Errors
    /// As [`Store::standings`].
    pub async fn recount(&self) -> Result<Recount, StoreError> {
        self.ask(recount::recount).await
    }

    /// Does a job; while too many wait it is refused.
    async fn ask<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        let (job, answer) = job(work);
        self.jobs.try_send(job).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                StoreError::Busy { queue: self.jobs.max_capacity() }
            }
            mpsc::error::TrySendError::Closed(_) => StoreError::Stopped,
        })?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }

    /// Does a job; while too many wait it waits too.
    async fn insist<T: Send + 'static>(&self, work: impl Work<T>) -> Result<T, StoreError> {
        let (job, answer) = job(work);
        self.jobs.send(job).await.map_err(|_| StoreError::Stopped)?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }
}

/// What a job does to give its answer.
trait Work<T>: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static {}

impl<T, F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static> Work<T> for F {}

/// Work as a job, and where its answer comes.
fn job<T: Send + 'static>(work: impl Work<T>) -> (Job, Answer<T>) {
    let (answered, answer) = oneshot::channel();
    let job = move |connection: &mut Connection| {
        // Who asked may have gone meanwhile; the work counts all the same.
        let _ = answered.send(work(connection));
    };
    (Box::new(job), answer)
}
