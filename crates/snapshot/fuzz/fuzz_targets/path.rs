//! Any text is a path or refused with a place in it; a path is written as it was read.
#![no_main]

use browserlens_snapshot::path::Path;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<Path>() {
        Ok(path) => assert_eq!(path.to_string(), text),
        Err(error) => assert!(error.at >= 1 && error.at <= text.chars().count() + 1, "{error}"),
    }
});
