//! Failures as gRPC statuses.

use tonic::Status;

/// A field of the request is wrong; the text says what would be right.
pub(crate) fn invalid(field: &str, text: &str) -> Status {
    Status::invalid_argument(format!("{field}: {text}"))
}

/// There is no such thing.
pub(crate) fn not_found(what: &str) -> Status {
    Status::not_found(format!("there is no {what}"))
}
