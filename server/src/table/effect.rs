//! What a table wants done for those who are connected to it.

use super::update::Update;

/// One of the connections that a server has had.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// A player's connection to its seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Connection {
    /// Which connection.
    pub id: ConnectionId,
    /// Whether it is sent each event at once, rather than with its turns.
    pub at_once: bool,
    /// Whether its turns come without the scene.
    pub omits_observation: bool,
    /// Whether it wants another match after this one.
    pub wants_more: bool,
}

/// What the table wants done, in this order.
#[derive(Clone, Debug)]
pub enum Effect {
    /// One connection is told something.
    Tell {
        /// Which.
        to: ConnectionId,
        /// What.
        update: Update,
    },
    /// Every spectator is told something.
    Show(Update),
    /// A connection is done with this table.
    End {
        /// Which.
        connection: ConnectionId,
        /// Why.
        why: Ending,
    },
    /// Every spectator is done with this table.
    EndSpectators(Ending),
    /// The last hand is over: the result is to be kept, then [`Table::announce`](super::state::Table::announce) is due.
    Finished,
}

/// Why a connection is done with a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The match is over.
    MatchOver,
    /// The player left.
    Left,
    /// A newer connection has the seat.
    TakenOver,
    /// The server is stopping.
    Stopped,
    /// The result could not be kept.
    NotKept,
    /// It read too slowly.
    TooSlow,
    /// Too many wait for a match already.
    NoRoom,
    /// The ladder has no further match.
    NoMore,
}
