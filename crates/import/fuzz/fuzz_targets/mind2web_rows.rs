//! A Parquet file becomes rows and pages, or an error with a place.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| browserlens_import::fuzzing::mind2web_rows(data));
