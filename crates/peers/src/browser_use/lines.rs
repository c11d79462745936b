//! How two texts of the tool are compared: indices of elements and the tab's id are replaced.

use crate::lines::{LineRules, PLACEHOLDER, Parts, count, replace};

pub(super) const RULES: LineRules = LineRules {
    content: |lines| {
        let begin = lines.iter().position(|line| *line == "Interactive elements:").map_or(0, |at| at + 1);
        begin..lines.len()
    },
    is_mark: |line| matches!(line, "[Start of page]" | "[End of page]"),
    normalise: |line, wrapper| if wrapper { tab(line) } else { replace(line, "[", index) },
    parts: element,
};

/// Length of the digits of `240791]<`.
fn index(rest: &str) -> Option<usize> {
    let digits = count(rest, char::is_ascii_digit);
    (digits > 0 && rest[digits..].starts_with("]<")).then_some(digits)
}

/// `Tab B593: …` and `Current tab: B593` without the id.
fn tab(line: &str) -> String {
    let id = |rest: &str| count(rest, char::is_ascii_alphanumeric) == 4;
    if let Some(rest) = line.strip_prefix("Current tab: ").filter(|rest| rest.len() == 4 && id(rest)) {
        return line.replace(rest, PLACEHOLDER);
    }
    match line.strip_prefix("Tab ").filter(|rest| id(rest) && rest[4..].starts_with(": ")) {
        Some(rest) => format!("Tab {PLACEHOLDER}{}", &rest[4..]),
        None => line.to_owned(),
    }
}

/// `|SCROLL|*[*]<tag attributes />`.
fn element(line: &str) -> Option<Parts<'_>> {
    let at = line.find('<')?;
    let before = &line[..at];
    let is_element = before.is_empty() || before.ends_with('|') || before.ends_with(&format!("[{PLACEHOLDER}]"));
    let tag = &line[at + 1..];
    if !is_element || !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = at + 1 + tag.find([' ', '>']).unwrap_or(tag.len());
    Some(Parts { prefix: before, role: &line[at..end], states: line[end..].trim(), ..Parts::default() })
}
