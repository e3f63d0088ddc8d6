//! The authority: tables, lobby, ladder, store, the gRPC face.

pub mod matches;
pub mod table;
