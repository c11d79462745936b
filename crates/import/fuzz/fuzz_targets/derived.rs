//! HTML becomes a capture without a browser, and the capture a page.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::derived(data));
