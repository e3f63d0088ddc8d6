//! The gRPC face.

pub mod ladder;
pub mod record;
mod status;
pub mod stored;
