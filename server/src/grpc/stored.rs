//! What the services over the store share: pages, limits, and how its failures are told.

use std::time::Duration;

use tonic::{Code, Status};

use super::status;
use crate::store::{MatchQuery, StoreError};

/// What whoever reads the store may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// How many matches or records a page has at most; at least 1.
    pub page_size: u32,
    /// How many streams of records may run at once.
    pub record_streams: usize,
    /// How many records of a stream are held at once; at least 1.
    pub stream_batch: u32,
    /// How long a stream waits for a reader that takes nothing.
    pub stream_wait: Duration,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            page_size: 100,
            record_streams: 8,
            stream_batch: 16,
            stream_wait: Duration::from_secs(30),
        }
    }
}

/// A list of matches that is given out in pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum List {
    /// The ladder's matches.
    Matches,
    /// All records.
    Records,
}

impl List {
    /// What the store is asked for this page.
    pub(super) fn query(
        self,
        limits: &ReadLimits,
        name: String,
        page_size: u32,
        page_token: &str,
    ) -> Result<MatchQuery, Status> {
        let before = self.read_token(&name, page_token)?;
        let size = if page_size == 0 { limits.page_size } else { page_size.min(limits.page_size) };
        let ladder_only = match self {
            List::Matches => true,
            List::Records => false,
        };
        Ok(MatchQuery { name, ladder_only, before, size })
    }

    /// The token of the page that begins below this match. It names its list and its filter, so that it cannot be
    /// taken for a page of another.
    pub(super) fn token(self, name: &str, before: u64) -> String {
        let list = match self {
            List::Matches => "matches",
            List::Records => "records",
        };
        format!("{list}.{before}.{name}")
    }

    fn read_token(self, name: &str, token: &str) -> Result<Option<u64>, Status> {
        if token.is_empty() {
            return Ok(None);
        }
        let number = token.split('.').nth(1).and_then(|number| number.parse::<u32>().ok());
        match number.map(u64::from) {
            Some(before) if token == self.token(name, before) => Ok(Some(before)),
            Some(_) | None => Err(status::invalid(
                "page_token",
                "it is none of this list; send next_page_token of the page before with the same name, or nothing",
            )),
        }
    }
}

/// A failure of the store. What its file looks like is for the log, not for the caller.
pub(super) fn failed(error: StoreError) -> Status {
    match error {
        StoreError::Busy { .. } => {
            status::failure(Code::Unavailable, "STORE_BUSY", error.to_string())
        }
        StoreError::Stopped => {
            status::failure(Code::Unavailable, "STORE_STOPPED", "the store has stopped")
        }
        StoreError::Open { .. }
        | StoreError::NotAStore
        | StoreError::Newer { .. }
        | StoreError::Sqlite(_)
        | StoreError::Damaged(_) => {
            tracing::error!(%error, "the store could not be read");
            status::failure(
                Code::Internal,
                "STORE_UNREADABLE",
                "the store could not be read; the server's log says why",
            )
        }
    }
}
