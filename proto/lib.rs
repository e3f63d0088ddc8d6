//! The wire of Mighty: `mighty.v1` as generated from `proto/mighty/v1`, and the two conversions to and from the
//! rules' types. No generated type travels further than the border of a program.

pub mod decode;
pub mod encode;

/// The generated messages, clients and servers of `mighty.v1`.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::wildcard_enum_match_arm)]
pub mod v1 {
    tonic::include_proto!("mighty.v1");
}

/// The encoded descriptors of `mighty.v1`, for server reflection.
pub const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("mighty");
