//! The arena: compares bots on the same deals, on a server of its own.

pub mod block;
pub mod contest;
pub mod estimate;
pub mod ledger;
pub mod schedule;
pub mod sequential;
pub mod tally;
