//! A snapshot's tree parses or is refused with a place, and its page is written within bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::playwright_tree(data));
