//! Any text is read; what was read is written so that it is read the same again.
#![no_main]

use browserlens_snapshot::markdown::{WriteOptions, normalise, parse, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let read = parse(text);
    assert_eq!(normalise(read.clone()), read, "what is read is in normal form");
    for width in [None, Some(20)] {
        let written = write(&read, WriteOptions { width });
        assert_eq!(parse(&written), read, "written as\n{written}");
    }
});
