//! The arena: compares bots on the same deals, on a server of its own.
//!
//! A [`contest::Contest`] says who plays what, [`results::Results`] keeps what was played, [`play::play`] plays the rest.

pub mod block;
pub mod contest;
mod desk;
pub mod estimate;
pub mod file;
pub mod ledger;
pub mod play;
mod process;
pub mod report;
pub mod results;
pub mod schedule;
pub mod sequential;
pub mod tally;
