//! Any text is a path or refused with a place in it; a path is written as it was read. The same of
//! outlines, which hold paths.
#![no_main]

use browserlens_snapshot::outline;
use browserlens_snapshot::path::Path;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<Path>() {
        Ok(path) => assert_eq!(path.to_string(), text),
        Err(error) => assert!(error.at >= 1 && error.at <= text.chars().count() + 1, "{error}"),
    }
    match outline::parse(text) {
        Ok(outline) => {
            let written = outline::write(&outline);
            assert_eq!(outline::parse(&written).as_ref(), Ok(&outline), "{written}");
        }
        Err(error) => assert!(error.line >= 1 && error.line <= text.split('\n').count(), "{error}"),
    }
});
