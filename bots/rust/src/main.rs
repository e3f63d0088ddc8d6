//! A Rust bot that connects over gRPC.

fn main() {}
