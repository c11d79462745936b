//! A zip file and its entries are read, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::archive(data));
