//! The Rust SDK: a session that runs a `Player` over gRPC.
