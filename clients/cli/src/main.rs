//! The command line of Mighty.

fn main() {}
