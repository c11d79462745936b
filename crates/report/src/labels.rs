//! Names as a terminal has room for them.

use crate::text_table::one_line;
use browserlens_replay::RECORDED_SUFFIX;

/// What stands in a terminal's table for the ending that says that a tool's own words were
/// recorded.
pub(crate) const RECORDED_MARK: &str = "*";

/// Returns a strategy's name in at most `limit` characters: the ending of recorded output as a
/// mark, then without the tool's version, then without its middle, so that variants of one tool
/// stay apart.
pub(crate) fn strategy_label(name: &str, limit: usize) -> String {
    let line = one_line(name);
    let (base, mark) = match line.strip_suffix(RECORDED_SUFFIX) {
        Some(base) => (base, RECORDED_MARK),
        None => (line.as_str(), ""),
    };
    let room = limit.saturating_sub(mark.len());
    let unversioned = match (base.split_once('@'), base.split_once('/')) {
        (Some((tool, _)), Some((_, variant))) => format!("{tool}/{variant}"),
        _ => base.to_owned(),
    };
    let fitting = [base, &unversioned].into_iter().find(|text| text.chars().count() <= room);
    let text = fitting.map_or_else(
        || {
            let letters: Vec<char> = unversioned.chars().collect();
            let tail = room.saturating_sub(1) / 2;
            let head = room.saturating_sub(1 + tail);
            letters[..head].iter().chain(['…'].iter()).chain(&letters[letters.len() - tail..]).collect()
        },
        str::to_owned,
    );
    text + mark
}
