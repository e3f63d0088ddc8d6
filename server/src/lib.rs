//! The authority: tables, lobby, ladder, store, the gRPC face.

pub mod grpc;
pub mod ladder;
pub mod lobby;
pub mod matches;
pub mod stalls;
pub mod store;
pub mod table;
