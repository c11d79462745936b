//! No code. `Cargo.toml` says which features of dependencies the bench and the tests share.
