//! A trace becomes plans whose pages can be reconstructed, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::playwright_trace(data));
