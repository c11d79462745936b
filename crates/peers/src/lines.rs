//! Two texts of a tool, line by line: what names a node by chance becomes one placeholder, and a
//! line comes apart as far as naming a difference needs it.
//!
//! Which node has which ref is another question (wrong rebinds), so refs are not put in order but
//! replaced.

use std::ops::Range;

/// What stands in place of a ref or id.
pub const PLACEHOLDER: &str = "*";

/// How the lines of a format are compared.
#[derive(Clone, Copy, Debug)]
pub struct LineRules {
    /// Which lines are about the page; those outside are the tool's wrapper.
    pub content: fn(&[&str]) -> Range<usize>,
    /// Whether a line inside the content is the tool's all the same.
    pub is_mark: fn(&str) -> bool,
    /// A line with refs and ids replaced by [`PLACEHOLDER`]; the flag says that it is wrapper.
    pub normalise: fn(&str, bool) -> String,
    /// Takes a line without its indentation apart; none if it does not look like a line of the
    /// format.
    pub parts: fn(&str) -> Option<Parts<'_>>,
}

impl LineRules {
    /// Lines as they stand.
    pub const PLAIN: Self = Self {
        content: |lines| 0..lines.len(),
        is_mark: |_| false,
        normalise: |line, _| line.to_owned(),
        parts: |_| None,
    };
}

/// A text as lines to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines, refs and ids replaced.
    pub lines: Vec<String>,
    /// Which of them are wrapper.
    pub wrapper: Vec<bool>,
}

impl Lines {
    /// Splits a text at line breaks (the last one ends the last line) and replaces refs and ids.
    pub fn of(rules: &LineRules, text: &str) -> Self {
        let raw: Vec<&str> = text.split_terminator('\n').collect();
        let content = (rules.content)(&raw);
        let is_wrapper = |(at, line): (usize, &&str)| !content.contains(&at) || (rules.is_mark)(line);
        let wrapper: Vec<bool> = raw.iter().enumerate().map(is_wrapper).collect();
        let lines = raw.iter().zip(&wrapper).map(|(line, &wrapper)| (rules.normalise)(line, wrapper)).collect();
        Self { lines, wrapper }
    }
}

/// The parts of a line, without its indentation; empty where the line has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts<'a> {
    /// Marks before the role: an index or bid, what the tool says of shadow roots and scrolling.
    pub prefix: &'a str,
    /// The role, or the tag.
    pub role: &'a str,
    /// The name with its quotes.
    pub name: &'a str,
    /// States and attributes as written.
    pub states: &'a str,
    /// The value, or the text.
    pub value: &'a str,
}

impl<'a> Parts<'a> {
    /// Takes a line apart; what does not look like a line of the format is a value alone.
    pub fn of(rules: &LineRules, line: &'a str) -> Self {
        let line = line.trim_start_matches([' ', '\t']);
        (rules.parts)(line).unwrap_or(Self { value: line, ..Self::default() })
    }
}

/// Returns how many bytes at the beginning are ASCII characters of a kind.
pub(crate) fn count(text: &str, of_kind: impl Fn(&char) -> bool) -> usize {
    text.chars().take_while(|c| c.is_ascii() && of_kind(c)).count()
}

/// Replaces what follows each `mark` as far as `length` says; where it says none, the text stands.
pub(crate) fn replace(line: &str, mark: &str, length: impl Fn(&str) -> Option<usize>) -> String {
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
pub(crate) fn reference(rest: &str) -> Option<usize> {
    let frame = rest.strip_prefix('f').map_or(0, |rest| 1 + count(rest, char::is_ascii_digit));
    let digits = count(rest[frame..].strip_prefix('e')?, char::is_ascii_digit);
    let length = frame + 1 + digits;
    // A frame's number has digits too: `fe1` is none.
    (frame != 1 && digits > 0 && rest[length..].starts_with([']', ','])).then_some(length)
}

/// `- role "name" [states]: value`, where all but the value may be one quoted YAML key.
pub(crate) fn outline(line: &str) -> Option<Parts<'_>> {
    let line = line.strip_prefix("- ")?;
    if let Some(inner) = line.strip_prefix('\'') {
        let end = inner.rfind("':").or_else(|| inner.strip_suffix('\'').map(str::len)).unwrap_or(inner.len());
        let value = inner[end..].trim_start_matches('\'').trim_start_matches(':').trim();
        return Some(Parts { value, ..head(&inner[..end]) });
    }
    Some(head(line))
}

fn head(line: &str) -> Parts<'_> {
    // `/url: …` and `text: …` have a colon right after the role.
    let role_end = line.find([' ', ':']).unwrap_or(line.len());
    let (role, rest) = line.split_at(role_end);
    let rest = rest.trim_start_matches(' ');
    let name_end = if rest.starts_with('"') { quoted(rest, '"') } else { 0 };
    let (name, rest) = rest.split_at(name_end);
    let mut depth = 0;
    let colon = rest.char_indices().find(|(_, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        *c == ':' && depth <= 0
    });
    let (states, value) = colon.map_or((rest, ""), |(at, _)| (&rest[..at], &rest[at + 1..]));
    Parts { prefix: "", role, name, states: states.trim(), value: value.trim() }
}

/// Returns where the quoted text that a line begins with ends, its closing quote included.
pub(crate) fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_browser::TEXT as AGENT_BROWSER;
    use crate::browser_use::ELEMENTS as BROWSER_USE;
    use crate::browsergym::TREE as BROWSER_GYM;
    use crate::playwright_mcp::ARIA as PLAYWRIGHT;

    #[test]
    fn refs_and_ids_of_each_format_become_one_placeholder() {
        for (format, wrapper, line, expected) in [
            (
                &PLAYWRIGHT,
                false,
                "  - link \"A\" [ref=e12] [cursor=pointer]:",
                "  - link \"A\" [ref=*] [cursor=pointer]:",
            ),
            (&PLAYWRIGHT, false, "- button \"B\" [ref=f3e1]", "- button \"B\" [ref=*]"),
            (
                &PLAYWRIGHT,
                true,
                "- New console entries: .playwright-mcp/console-2026-11-22T04-03-50-018Z.log#L1-L2",
                "- New console entries: .playwright-mcp/console-*.log#L1-L2",
            ),
            (&AGENT_BROWSER, false, "- heading \"A\" [level=1, ref=e9]", "- heading \"A\" [level=1, ref=*]"),
            (&AGENT_BROWSER, false, "- combobox \"A\" [ref=e5, focused]: B", "- combobox \"A\" [ref=*, focused]: B"),
            (&BROWSER_USE, false, "\t|SHADOW(open)|*[240791]<input id=a />", "\t|SHADOW(open)|*[*]<input id=a />"),
            (&BROWSER_USE, true, "Current tab: B593", "Current tab: *"),
            (&BROWSER_USE, true, "Tab B593: http://a.test/ - Tab B593: x", "Tab *: http://a.test/ - Tab B593: x"),
            (&BROWSER_GYM, false, "\t\t[a12] link 'A', clickable", "\t\t[*] link 'A', clickable"),
        ] {
            assert_eq!((format.lines.normalise)(line, wrapper), expected);
        }
    }

    #[test]
    fn everything_else_stands() {
        for (format, wrapper, line) in [
            (&PLAYWRIGHT, false, "- text: see [ref=12] and [ref=fe1] and [ref=e1x] ref=e5"),
            (&PLAYWRIGHT, false, "- text: .playwright-mcp/console-2026-11-22T04-03-50-018Z.log"),
            (&PLAYWRIGHT, true, "- see .playwright-mcp/console-2026-11-22.log"),
            (&AGENT_BROWSER, false, "- StaticText \"ref=e5\" [level=2]"),
            (&BROWSER_USE, false, "note [12] <a> [x]<a"),
            (&BROWSER_USE, false, "Tab B593: a line of the page"),
            (&BROWSER_USE, true, "Tab B5932: x"),
            (&BROWSER_USE, true, "Tab Bé5: x"),
            (&BROWSER_GYM, false, "\tStaticText '[a12] x'"),
            (&BROWSER_GYM, false, "\t[é] link"),
        ] {
            assert_eq!((format.lines.normalise)(line, wrapper), line);
        }
    }

    #[test]
    fn wrapper_is_what_stands_around_the_content() {
        let of = |format: &crate::tool::Format, text: &str| Lines::of(&format.lines, text).wrapper;
        assert_eq!(
            of(&PLAYWRIGHT, "### Page\n```yaml\n- a\n- b\n```\n### Events\n"),
            [true, true, false, false, true, true]
        );
        assert_eq!(of(&PLAYWRIGHT, "- a\n"), [false]);
        assert_eq!(
            of(&BROWSER_USE, "Current tab: 0001\nInteractive elements:\n[Start of page]\nA\n[End of page]"),
            [true, true, true, false, true]
        );
        assert_eq!(of(&AGENT_BROWSER, "- a\n\n- b"), [false, false, false]);
        assert_eq!(Lines::of(&AGENT_BROWSER.lines, ""), Lines::default());
    }

    #[test]
    fn lines_of_each_format_come_apart() {
        for (format, line, expected) in [
            (
                &PLAYWRIGHT,
                "  - link \"A: \\\"b\\\"\" [ref=*] [cursor=pointer]:",
                ["link", r#""A: \"b\"""#, "[ref=*] [cursor=pointer]", ""],
            ),
            (&PLAYWRIGHT, "- generic [ref=*]: 10:30", ["generic", "", "[ref=*]", "10:30"]),
            (&PLAYWRIGHT, "- /url: https://a.test/", ["/url", "", "", "https://a.test/"]),
            (&PLAYWRIGHT, "- 'cell \"a: b\" [ref=*]': c", ["cell", "\"a: b\"", "[ref=*]", "c"]),
            (&PLAYWRIGHT, "- text: a", ["text", "", "", "a"]),
            (
                &AGENT_BROWSER,
                "- combobox \"L\" [expanded=false, ref=*]: English",
                ["combobox", "\"L\"", "[expanded=false, ref=*]", "English"],
            ),
            (&AGENT_BROWSER, "text of many lines", ["", "", "", "text of many lines"]),
            (&BROWSER_USE, "\t*[*]<a id=b />", ["<a", "", "id=b />", ""]),
            (&BROWSER_USE, "|SHADOW(open)|[*]<input type=a />", ["<input", "", "type=a />", ""]),
            (&BROWSER_USE, "1 < 2", ["", "", "", "1 < 2"]),
            (&BROWSER_GYM, "\t[*] textbox 'A' value='b, c', clickable", ["textbox", "'A'", "clickable", "'b, c'"]),
            (&BROWSER_GYM, "StaticText \"it's\"", ["StaticText", "\"it's\"", "", ""]),
            (&BROWSER_GYM, "[*] checkbox 'é', checked='true'", ["checkbox", "'é'", "checked='true'", ""]),
        ] {
            let [role, name, states, value] = expected;
            let parts = Parts::of(&format.lines, line);
            assert_eq!(parts, Parts { prefix: parts.prefix, role, name, states, value }, "{line}");
        }
        assert_eq!(Parts::of(&BROWSER_USE.lines, "\t|SHADOW(open)|*[*]<a />").prefix, "|SHADOW(open)|*[*]");
        assert_eq!(Parts::of(&BROWSER_GYM.lines, "\t[*] link 'A'").prefix, "[*] ");
    }

    #[test]
    fn odd_lines_do_no_harm() {
        for format in [&PLAYWRIGHT, &BROWSER_USE, &BROWSER_GYM] {
            for line in [
                "", "- ", "- '", "- ':", "- \"", "[*] ", "[*] a '", "<", "[*]<é", "- a \"é", "[*] a 'b' value='é",
                "[*] a 'b' value=",
            ] {
                Parts::of(&format.lines, line);
            }
        }
    }
}
