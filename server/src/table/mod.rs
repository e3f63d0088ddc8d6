//! One table: its state machine without I/O, and the task around it.

pub mod clock;
pub mod event;
pub mod state;
pub mod update;

#[cfg(test)]
mod tests;
