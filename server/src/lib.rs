//! The authority: tables, lobby, ladder, store, the gRPC face.

pub mod grpc;
pub mod ladder;
pub mod matches;
pub mod store;
