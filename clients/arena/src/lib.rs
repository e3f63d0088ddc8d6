//! The arena: compares bots on the same deals, on a server of its own.

pub mod estimate;
pub mod schedule;
pub mod sequential;
