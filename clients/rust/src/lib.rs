//! The Rust SDK: a [`Session`] that runs a [`Player`] over gRPC, and a [`Spectator`] that follows a table.
//!
//! A player is asked for one move at a time and sees what its seat may know. The session does the rest: it takes a
//! seat, folds the events into the view, answers turns, comes back after a lost connection, and says why it stopped.
//! `use mighty_client::*` brings all that a bot needs, the types of the rules included.

mod backoff;
mod news;
mod options;
mod sentence;
mod server;
mod session;
mod spectator;
mod stopped;
mod story;

pub use mighty_house::Player;
pub use mighty_protocol::decode::{BadMessage, DefaultCause, HandEnd, MatchEnd, Told};
pub use mighty_rules::*;

pub use news::{MatchInfo, News, NoticeKind, Refusal, SeatInfo};
pub use options::{Options, Place, Reconnecting};
pub use server::{BadAddress, Server};
pub use session::{Session, play_many};
pub use spectator::Spectator;
pub use stopped::Stopped;
