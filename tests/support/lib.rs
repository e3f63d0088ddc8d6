//! What the stories share: a server in process behind a real port, bots that are played move by move, a line that can be
//! cut, and records that are played again.

mod bot;
mod line;
mod record;
mod server;
mod wire;

use std::time::Duration;

pub use bot::{Bot, Memory, at_table, hello, in_ladder, reason};
pub use line::Line;
pub use record::{relive, retold};
pub use server::TestServer;
pub use wire::{Raw, cards_in};

/// Nothing that must come takes longer, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for what must come.
///
/// # Panics
/// It did not come.
pub async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    let come = tokio::time::timeout(PATIENCE, coming).await;
    come.unwrap_or_else(|_| panic!("{what} did not come"))
}
