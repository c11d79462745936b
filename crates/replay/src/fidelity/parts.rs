//! A line of a peer's text, taken apart as far as naming a difference needs it.
//!
//! In: a normalised line and its format. Out: [`Parts`]: role, name, states and value as written.
//! Invariant: never fails; what does not look like a line of the format is a value alone. No
//! reader: nothing here is looked up or scored.

use super::normalise::PLACEHOLDER;
use browserlens_core::strategy::TextFormat;

/// The parts of a line, without its indentation; empty where the line has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// Marks before the role: an index or bid, what the tool says of shadow roots and scrolling.
    pub prefix: &'a str,
    pub role: &'a str,
    /// The name with its quotes.
    pub name: &'a str,
    pub states: &'a str,
    pub value: &'a str,
}

impl<'a> Parts<'a> {
    /// Takes a line apart.
    pub fn of(format: TextFormat, line: &'a str) -> Self {
        let line = line.trim_start_matches([' ', '\t']);
        let text = Self { value: line, ..Self::default() };
        match format {
            TextFormat::PlaywrightAria | TextFormat::PlaywrightIncremental | TextFormat::AgentBrowser => {
                line.strip_prefix("- ").map_or(text, outline)
            }
            TextFormat::BrowserUse => element(line).unwrap_or(text),
            TextFormat::BrowserGym => flattened(line).unwrap_or(text),
            _ => text,
        }
    }
}

/// `role "name" [states]: value`, where all but the value may be one quoted YAML key.
fn outline(line: &str) -> Parts<'_> {
    if let Some(inner) = line.strip_prefix('\'') {
        let end = inner.rfind("':").or_else(|| inner.strip_suffix('\'').map(str::len)).unwrap_or(inner.len());
        let value = inner[end..].trim_start_matches('\'').trim_start_matches(':').trim();
        return Parts { value, ..head(&inner[..end]) };
    }
    head(line)
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
fn quoted(text: &str, quote: char) -> usize {
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

/// `[*] role 'name' value='…', states`.
fn flattened(line: &str) -> Option<Parts<'_>> {
    let rest = line.strip_prefix(&format!("[{PLACEHOLDER}] ")).unwrap_or(line);
    let role_end = rest.find(' ')?;
    let prefix = &line[..line.len() - rest.len()];
    let (role, rest) = rest.split_at(role_end);
    let rest = &rest[1..];
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (name, rest) = rest.split_at(quoted(rest, quote));
    let Some(value) = rest.strip_prefix(" value=") else {
        return Some(Parts { prefix, role, name, states: rest.trim_start_matches(',').trim(), value: "" });
    };
    let end = match value.chars().next() {
        Some(quote @ ('\'' | '"')) => quoted(value, quote),
        _ => value.find(',').unwrap_or(value.len()),
    };
    Some(Parts { prefix, role, name, states: value[end..].trim_start_matches(',').trim(), value: &value[..end] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use TextFormat::{AgentBrowser, BrowserGym, BrowserUse, PlaywrightAria};

    #[test]
    fn lines_of_each_format_come_apart() {
        for (format, line, expected) in [
            (
                PlaywrightAria,
                "  - link \"A: \\\"b\\\"\" [ref=*] [cursor=pointer]:",
                ["link", r#""A: \"b\"""#, "[ref=*] [cursor=pointer]", ""],
            ),
            (PlaywrightAria, "- generic [ref=*]: 10:30", ["generic", "", "[ref=*]", "10:30"]),
            (PlaywrightAria, "- /url: https://a.test/", ["/url", "", "", "https://a.test/"]),
            (PlaywrightAria, "- 'cell \"a: b\" [ref=*]': c", ["cell", "\"a: b\"", "[ref=*]", "c"]),
            (PlaywrightAria, "- text: a", ["text", "", "", "a"]),
            (
                AgentBrowser,
                "- combobox \"L\" [expanded=false, ref=*]: English",
                ["combobox", "\"L\"", "[expanded=false, ref=*]", "English"],
            ),
            (AgentBrowser, "text of many lines", ["", "", "", "text of many lines"]),
            (BrowserUse, "\t*[*]<a id=b />", ["<a", "", "id=b />", ""]),
            (BrowserUse, "|SHADOW(open)|[*]<input type=a />", ["<input", "", "type=a />", ""]),
            (BrowserUse, "1 < 2", ["", "", "", "1 < 2"]),
            (BrowserGym, "\t[*] textbox 'A' value='b, c', clickable", ["textbox", "'A'", "clickable", "'b, c'"]),
            (BrowserGym, "StaticText \"it's\"", ["StaticText", "\"it's\"", "", ""]),
            (BrowserGym, "[*] checkbox 'é', checked='true'", ["checkbox", "'é'", "checked='true'", ""]),
        ] {
            let [role, name, states, value] = expected;
            let parts = Parts::of(format, line);
            assert_eq!(parts, Parts { prefix: parts.prefix, role, name, states, value }, "{line}");
        }
        assert_eq!(Parts::of(BrowserUse, "\t|SHADOW(open)|*[*]<a />").prefix, "|SHADOW(open)|*[*]");
        assert_eq!(Parts::of(BrowserGym, "\t[*] link 'A'").prefix, "[*] ");
    }

    #[test]
    fn odd_lines_do_no_harm() {
        for format in [PlaywrightAria, BrowserUse, BrowserGym] {
            for line in [
                "", "- ", "- '", "- ':", "- \"", "[*] ", "[*] a '", "<", "[*]<é", "- a \"é", "[*] a 'b' value='é",
                "[*] a 'b' value=",
            ] {
                Parts::of(format, line);
            }
        }
    }
}
