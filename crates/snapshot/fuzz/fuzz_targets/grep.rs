//! Any pattern compiles or is refused with a place in it; what compiles decides for every path, the
//! same inverted or not.
#![no_main]

use browserlens_snapshot::grep::{Grep, GrepOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, u8)| {
    let (pattern, path, flags) = input;
    let options = GrepOptions {
        pattern: pattern.to_owned(),
        ignore_case: flags & 1 != 0,
        invert: flags & 2 != 0,
        fixed_strings: flags & 4 != 0,
        context: 0,
    };
    match Grep::new(&options) {
        Ok(grep) => {
            let opposite = GrepOptions { invert: !options.invert, ..options.clone() };
            let opposite = Grep::new(&opposite).expect("compiles either way");
            assert_eq!(grep.matches(path), opposite.matches(path));
            if options.fixed_strings && !options.ignore_case {
                assert_eq!(grep.matches(path), path.contains(pattern));
            }
        }
        Err(error) => assert!(error.at >= 1 && error.at <= pattern.chars().count().max(1), "{error}"),
    }
});
