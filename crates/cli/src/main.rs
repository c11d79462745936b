//! The `browserlens` command.
fn main() {}
