//! Any JSON becomes scenarios that parse, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::scripts(data));
