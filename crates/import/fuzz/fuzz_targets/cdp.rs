//! A pair of protocol answers becomes a capture that parses, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::cdp(data));
