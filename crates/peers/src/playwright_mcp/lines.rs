//! How two texts of the tool are compared: refs, and the time in a console log's name, are replaced.

use crate::lines::{LineRules, outline, reference, replace};

pub(super) const RULES: LineRules = LineRules {
    content: |lines| {
        let all = lines.len();
        let begin = lines.iter().position(|line| *line == "```yaml").map_or(all, |at| at + 1);
        let end = lines[begin..].iter().position(|line| *line == "```").map_or(all, |at| begin + at);
        // Without a fence the snapshot stands alone, as the option `wrapper = false` gives it.
        if begin == all { 0..all } else { begin..end }
    },
    normalise: |line, wrapper| {
        if wrapper {
            replace(line, "/console-", |rest| Some(stamp(rest)).filter(|length| rest[*length..].starts_with(".log")))
        } else {
            replace(line, "[ref=", reference)
        }
    },
    parts: outline,
    ..LineRules::PLAIN
};

/// Length of a time such as `2026-11-22T04-03-50-018Z`; 0 if there is none.
fn stamp(rest: &str) -> usize {
    const FORM: &[u8] = b"0000-00-00T00-00-00-000Z";
    let fits = rest.len() >= FORM.len()
        && rest
            .bytes()
            .zip(FORM)
            .all(|(found, form)| if *form == b'0' { found.is_ascii_digit() } else { found == *form });
    if fits { FORM.len() } else { 0 }
}
