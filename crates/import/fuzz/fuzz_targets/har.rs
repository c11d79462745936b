//! A HAR file becomes requests that go with steps, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::har(data));
