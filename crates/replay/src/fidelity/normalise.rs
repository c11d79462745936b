//! Texts as lines that can be compared: what names a node by chance becomes one placeholder.
//!
//! In: a text and its format. Out: [`Lines`]: its lines and which of them are wrapper (around the
//! page's content, not of it). Invariant: nothing is replaced but the following, each by
//! [`PLACEHOLDER`]; everything else stands as the tool wrote it.
//!
//! | format | what | example | becomes |
//! | --- | --- | --- | --- |
//! | Playwright | refs | `[ref=f3e12]` | `[ref=*]` |
//! | Playwright, wrapper | the time in a console log's name | `console-2026-11-22T….log#L1` | `console-*.log#L1` |
//! | agent-browser | refs | `[level=1, ref=e9]` | `[level=1, ref=*]` |
//! | browser-use | indices of elements | `*[240791]<a` | `*[*]<a` |
//! | browser-use, wrapper | the last four characters of the tab's id | `Tab B593: …` | `Tab *: …` |
//! | BrowserGym | bids | `[a12] link` | `[*] link` |
//!
//! Why not the numbers' order: which node has which ref is the oracle's question (wrong rebinds),
//! not this one's.

use browserlens_core::strategy::TextFormat;

/// What stands in place of a ref or id.
pub const PLACEHOLDER: &str = "*";

/// A text as lines to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub lines: Vec<String>,
    /// Which of them are wrapper.
    pub wrapper: Vec<bool>,
}

impl Lines {
    /// Splits a text at line breaks (the last one ends the last line) and replaces refs and ids.
    pub fn of(format: TextFormat, text: &str) -> Self {
        let raw: Vec<&str> = text.split_terminator('\n').collect();
        let wrapper = wrapper(format, &raw);
        let lines = raw.iter().zip(&wrapper).map(|(line, &wrapper)| normalise(format, line, wrapper)).collect();
        Self { lines, wrapper }
    }
}

/// Says which lines are not about the page's content.
fn wrapper(format: TextFormat, lines: &[&str]) -> Vec<bool> {
    let all = lines.len();
    let inside = match format {
        TextFormat::PlaywrightAria | TextFormat::PlaywrightIncremental => {
            let begin = lines.iter().position(|line| *line == "```yaml").map_or(all, |at| at + 1);
            let end = lines[begin..].iter().position(|line| *line == "```").map_or(all, |at| begin + at);
            // Without a fence the snapshot stands alone, as the option `wrapper = false` gives it.
            if begin == all { 0..all } else { begin..end }
        }
        TextFormat::BrowserUse => {
            let begin = lines.iter().position(|line| *line == "Interactive elements:").map_or(0, |at| at + 1);
            begin..all
        }
        _ => 0..all,
    };
    let is_mark = |line: &str| format == TextFormat::BrowserUse && matches!(line, "[Start of page]" | "[End of page]");
    lines.iter().enumerate().map(|(at, line)| !inside.contains(&at) || is_mark(line)).collect()
}

fn normalise(format: TextFormat, line: &str, wrapper: bool) -> String {
    match format {
        TextFormat::PlaywrightAria | TextFormat::PlaywrightIncremental if wrapper => {
            replace(line, "/console-", |rest| Some(stamp(rest)).filter(|length| rest[*length..].starts_with(".log")))
        }
        TextFormat::PlaywrightAria | TextFormat::PlaywrightIncremental => replace(line, "[ref=", reference),
        TextFormat::AgentBrowser => replace(&replace(line, "[ref=", reference), ", ref=", reference),
        TextFormat::BrowserUse if wrapper => tab(line),
        TextFormat::BrowserUse => replace(line, "[", |rest| {
            let digits = count(rest, char::is_ascii_digit);
            (digits > 0 && rest[digits..].starts_with("]<")).then_some(digits)
        }),
        TextFormat::BrowserGym => bid(line),
        _ => line.to_owned(),
    }
}

/// Returns how many bytes at the beginning are ASCII characters of a kind.
fn count(text: &str, of_kind: impl Fn(&char) -> bool) -> usize {
    text.chars().take_while(|c| c.is_ascii() && of_kind(c)).count()
}

/// Replaces what follows each `mark` as far as `length` says; where it says none, the text stands.
fn replace(line: &str, mark: &str, length: impl Fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(mark) {
        let (before, after) = rest.split_at(at + mark.len());
        out.push_str(before);
        rest = after;
        if let Some(length) = length(rest).filter(|length| *length > 0) {
            out.push_str(PLACEHOLDER);
            rest = &rest[length..];
        }
    }
    out.push_str(rest);
    out
}

/// Length of `e12` or `f3e12` before a bracket or comma.
fn reference(rest: &str) -> Option<usize> {
    let frame = rest.strip_prefix('f').map_or(0, |rest| 1 + count(rest, char::is_ascii_digit));
    let digits = count(rest[frame..].strip_prefix('e')?, char::is_ascii_digit);
    let length = frame + 1 + digits;
    // A frame's number has digits too: `fe1` is none.
    (frame != 1 && digits > 0 && rest[length..].starts_with([']', ','])).then_some(length)
}

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

/// `[a12] link` without the bid; it stands first in a line.
fn bid(line: &str) -> String {
    let indent = count(line, |c| *c == '\t');
    let Some(rest) = line[indent..].strip_prefix('[') else { return line.to_owned() };
    let length = count(rest, char::is_ascii_alphanumeric);
    if length > 0 && rest[length..].starts_with("] ") {
        format!("{}[{PLACEHOLDER}{}", &line[..indent], &rest[length..])
    } else {
        line.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TextFormat::{AgentBrowser, BrowserGym, BrowserUse, PlaywrightAria};

    #[test]
    fn refs_and_ids_of_each_format_become_one_placeholder() {
        for (format, wrapper, line, expected) in [
            (
                PlaywrightAria,
                false,
                "  - link \"A\" [ref=e12] [cursor=pointer]:",
                "  - link \"A\" [ref=*] [cursor=pointer]:",
            ),
            (PlaywrightAria, false, "- button \"B\" [ref=f3e1]", "- button \"B\" [ref=*]"),
            (
                PlaywrightAria,
                true,
                "- New console entries: .playwright-mcp/console-2026-11-22T04-03-50-018Z.log#L1-L2",
                "- New console entries: .playwright-mcp/console-*.log#L1-L2",
            ),
            (AgentBrowser, false, "- heading \"A\" [level=1, ref=e9]", "- heading \"A\" [level=1, ref=*]"),
            (AgentBrowser, false, "- combobox \"A\" [ref=e5, focused]: B", "- combobox \"A\" [ref=*, focused]: B"),
            (BrowserUse, false, "\t|SHADOW(open)|*[240791]<input id=a />", "\t|SHADOW(open)|*[*]<input id=a />"),
            (BrowserUse, true, "Current tab: B593", "Current tab: *"),
            (BrowserUse, true, "Tab B593: http://a.test/ - Tab B593: x", "Tab *: http://a.test/ - Tab B593: x"),
            (BrowserGym, false, "\t\t[a12] link 'A', clickable", "\t\t[*] link 'A', clickable"),
        ] {
            assert_eq!(normalise(format, line, wrapper), expected);
        }
    }

    #[test]
    fn everything_else_stands() {
        for (format, wrapper, line) in [
            (PlaywrightAria, false, "- text: see [ref=12] and [ref=fe1] and [ref=e1x] ref=e5"),
            (PlaywrightAria, false, "- text: .playwright-mcp/console-2026-11-22T04-03-50-018Z.log"),
            (PlaywrightAria, true, "- see .playwright-mcp/console-2026-11-22.log"),
            (AgentBrowser, false, "- StaticText \"ref=e5\" [level=2]"),
            (BrowserUse, false, "note [12] <a> [x]<a"),
            (BrowserUse, false, "Tab B593: a line of the page"),
            (BrowserUse, true, "Tab B5932: x"),
            (BrowserUse, true, "Tab Bé5: x"),
            (BrowserGym, false, "\tStaticText '[a12] x'"),
            (BrowserGym, false, "\t[é] link"),
        ] {
            assert_eq!(normalise(format, line, wrapper), line);
        }
    }

    #[test]
    fn wrapper_is_what_stands_around_the_content() {
        let of = |format, text: &str| Lines::of(format, text).wrapper;
        assert_eq!(
            of(PlaywrightAria, "### Page\n```yaml\n- a\n- b\n```\n### Events\n"),
            [true, true, false, false, true, true]
        );
        assert_eq!(of(PlaywrightAria, "- a\n"), [false]);
        assert_eq!(
            of(BrowserUse, "Current tab: 0001\nInteractive elements:\n[Start of page]\nA\n[End of page]"),
            [true, true, true, false, true]
        );
        assert_eq!(of(AgentBrowser, "- a\n\n- b"), [false, false, false]);
        assert_eq!(Lines::of(AgentBrowser, ""), Lines::default());
    }
}
