//! Reads the elements out of tools' answers, as far as scripts need them.
//!
//! In: the text of an answer. Out: [`Seen`] elements with their refs, in the order of the answer.
//! Invariant: nothing is known of the page but what the answer says.

use browserlens_scenario::{Target, TargetBy};

/// An element as an answer names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub role: String,
    pub name: String,
    pub reference: Option<String>,
    /// States, such as `checked`.
    pub states: Vec<String>,
    pub value: String,
    /// What it lies in, from the inside: role and name, the latter perhaps cut.
    pub above: Vec<(String, String)>,
    /// What stands beside it.
    pub near: String,
}

pub(crate) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Marks of the direction of writing are no part of what something is called: tools leave them out,
/// or write them as escapes.
fn bare(text: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    plain(&text.chars().filter(|c| !is_mark(*c)).collect::<String>())
}

fn is_called(name: &str, wanted: &str) -> bool {
    let (name, wanted) = (bare(name), bare(wanted));
    match name.strip_suffix('…') {
        Some(cut) => name == wanted || !cut.is_empty() && wanted.starts_with(cut.trim_end()),
        None => name == wanted,
    }
}

impl Seen {
    /// Returns whether it is what a target names.
    pub(crate) fn is(&self, target: &Target) -> bool {
        let is_it = match &target.by {
            TargetBy::Role { role, name } => {
                self.role.eq_ignore_ascii_case(role) && name.as_ref().is_none_or(|name| is_called(&self.name, name))
            }
            TargetBy::Text(text) => is_called(&self.name, text) || is_called(&self.value, text),
            // An answer has no selectors; a tag that is a role, as `canvas`, stands for it.
            TargetBy::Css { selector, .. } => self.role.eq_ignore_ascii_case(tag_of(selector)),
        };
        is_it && target.within.as_deref().is_none_or(|within| self.is_within(within))
    }

    fn is_within(&self, within: &Target) -> bool {
        let (role, name) = match &within.by {
            TargetBy::Role { role, name } => (Some(role), name.as_deref()),
            TargetBy::Text(text) => (None, Some(text.as_str())),
            TargetBy::Css { .. } => return true,
        };
        let fits = |(above_role, above_name): &(String, String)| {
            role.is_none_or(|role| above_role.eq_ignore_ascii_case(role))
                && name.is_none_or(|name| is_called(above_name, name))
        };
        self.above.iter().any(fits) || name.is_some_and(|name| bare(&self.near).contains(&bare(name)))
    }
}

/// Returns the tag that a selector ends in.
pub(crate) fn tag_of(selector: &str) -> &str {
    let last = selector.rsplit([' ', '>']).next().unwrap_or_default();
    last.split(['#', '.', '[', ':']).next().unwrap_or_default()
}

/// A word, or a text in quotes with what marks it as cut.
enum Token {
    Word(String),
    Quoted(String),
}

/// Splits a line into words and quoted texts; escapes are taken out.
fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(&next) = chars.peek() {
        if next.is_whitespace() {
            chars.next();
        } else if next == '"' {
            chars.next();
            let mut text = String::new();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => match chars.next() {
                        Some('n') => text.push('\n'),
                        Some('t') => text.push('\t'),
                        Some('u') => {
                            let digits: String = if chars.peek() == Some(&'{') {
                                chars.next();
                                chars.by_ref().take_while(|c| *c != '}').collect()
                            } else {
                                chars.by_ref().take(4).collect()
                            };
                            text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                        }
                        Some(escaped) => text.push(escaped),
                        None => {}
                    },
                    c => text.push(c),
                }
            }
            if chars.peek() == Some(&'…') {
                chars.next();
                text.push('…');
            }
            tokens.push(Token::Quoted(text));
        } else {
            let mut word = String::new();
            while let Some(&c) = chars.peek() {
                if c.is_whitespace() || c == '"' {
                    break;
                }
                word.push(c);
                chars.next();
            }
            tokens.push(Token::Word(word));
        }
    }
    tokens
}

/// Reads the answer of our own `find`: a line an element, with what it lies in.
pub(crate) fn of_find(answer: &str) -> Vec<Seen> {
    answer.lines().filter_map(|line| line.strip_prefix("- ")).map(of_found_line).collect()
}

fn of_found_line(line: &str) -> Seen {
    let mut seen = Seen::default();
    // 0 the element, 1 what it lies in, 2 what is near.
    let mut part = 0;
    let (mut is_named, mut next_is_value) = (false, false);
    for token in tokens(line) {
        match token {
            Token::Word(word) if part == 0 && word == "in" => part = 1,
            Token::Word(word) if word == "near" => part = 2,
            Token::Word(word) if part == 0 => match word.as_str() {
                "value:" => next_is_value = true,
                _ if word.starts_with("@e") && seen.reference.is_none() => seen.reference = Some(word),
                _ if seen.role.is_empty() && !is_named && seen.reference.is_none() => seen.role = word,
                "~" => {}
                _ => seen.states.push(word),
            },
            Token::Quoted(text) if part == 0 => {
                if next_is_value {
                    seen.value = text;
                    next_is_value = false;
                } else if !is_named {
                    seen.name = text;
                    is_named = true;
                }
            }
            Token::Word(word) if part == 1 => {
                if word != "<" && !word.starts_with('@') && !word.starts_with('…') {
                    seen.above.push((word, String::new()));
                }
            }
            Token::Quoted(text) if part == 1 => {
                if let Some(last) = seen.above.last_mut() {
                    last.1 = text;
                }
            }
            Token::Word(_) => {}
            Token::Quoted(text) => seen.near = text,
        }
    }
    seen
}

/// Reads an outline in YAML as Playwright writes it: `- button "Go" [ref=e5] [checked]: text`.
pub(crate) fn of_outline(answer: &str) -> Vec<Seen> {
    let mut found: Vec<Seen> = Vec::new();
    let mut above: Vec<(usize, String, String)> = Vec::new();
    for line in answer.lines() {
        let indent = line.len() - line.trim_start().len();
        let Some(item) = line.trim_start().strip_prefix("- ") else { continue };
        // A line that YAML would read otherwise stands in single quotes.
        let unquoted = item.strip_prefix('\'').map(|rest| rest.replacen("':", ":", 1).replace("''", "'"));
        let item = unquoted.as_deref().map_or(item, |item| item.strip_suffix('\'').unwrap_or(item));
        while above.last().is_some_and(|(depth, _, _)| *depth >= indent) {
            above.pop();
        }
        let seen = of_outline_item(item, &above);
        if seen.role.starts_with('/') {
            continue;
        }
        above.push((indent, seen.role.clone(), seen.name.clone()));
        found.push(seen);
    }
    found
}

fn of_outline_item(item: &str, above: &[(usize, String, String)]) -> Seen {
    let mut seen = Seen::default();
    let role_ends = item.find([' ', ':']).unwrap_or(item.len());
    seen.role = item[..role_ends].to_owned();
    let mut rest = item[role_ends..].trim_start();
    if rest.starts_with('"') {
        let mut is_escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let is_end = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            is_end
        });
        let end = end.map_or(rest.len(), |(at, _)| at + 1);
        if let Some(Token::Quoted(name)) = tokens(&rest[..end]).pop() {
            seen.name = name;
        }
        rest = rest[end..].trim_start();
    }
    while let Some(inside) = rest.strip_prefix('[') {
        let Some(end) = inside.find(']') else { break };
        match inside[..end].strip_prefix("ref=") {
            Some(reference) => seen.reference = Some(reference.to_owned()),
            None => seen.states.push(inside[..end].to_owned()),
        }
        rest = inside[end + 1..].trim_start();
    }
    let text = rest.strip_prefix(':').unwrap_or_default().trim();
    if !text.is_empty() {
        seen.value = tokens(text).into_iter().next().map_or_else(String::new, |first| match first {
            Token::Quoted(quoted) if text.starts_with('"') => quoted,
            _ => text.to_owned(),
        });
    }
    seen.above = above.iter().rev().map(|(_, role, name)| (role.clone(), name.clone())).collect();
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_find_is_read_with_states_value_and_what_it_lies_in() {
        let answer = "2 found\n- textbox \"E \\\"mail\\\"\" @e7 invalid value: \"a@b\" in form @e2 < main \"Sign…\"\n\
                      - button \"Go\" @e8 near \"Row 2\"";
        let seen = of_find(answer);
        assert_eq!(seen.len(), 2);
        let first = &seen[0];
        assert_eq!((first.role.as_str(), first.name.as_str(), first.value.as_str()), ("textbox", "E \"mail\"", "a@b"));
        assert_eq!((first.reference.as_deref(), first.states.as_slice()), (Some("@e7"), &["invalid".to_owned()][..]));
        assert_eq!(first.above, [("form".to_owned(), String::new()), ("main".to_owned(), "Sign…".to_owned())]);
        assert_eq!(seen[1].near, "Row 2");
    }

    #[test]
    fn an_outline_is_read_with_nesting_and_quoted_lines() {
        let answer = [
            "- main [ref=e1]:",
            "  - row \"A 1\" [ref=e2]:",
            "    - link \"Edit\" [ref=e3] [cursor=pointer]:",
            "      - /url: /x",
            "  - 'button \"a: b\" [ref=e4]'",
            "  - textbox \"Name\" [ref=e5]: Mira",
        ];
        let answer = &answer.join("\n");
        let seen = of_outline(answer);
        let link = seen.iter().find(|seen| seen.role == "link").expect("there");
        assert_eq!(link.above[0], ("row".to_owned(), "A 1".to_owned()));
        let button = seen.iter().find(|seen| seen.role == "button").expect("there");
        assert_eq!((button.name.as_str(), button.reference.as_deref()), ("a: b", Some("e4")));
        assert_eq!(seen.last().map(|seen| seen.value.as_str()), Some("Mira"));
        assert!(!seen.iter().any(|seen| seen.role.contains("url")));
    }

    #[test]
    fn what_is_no_element_gives_no_panic() {
        for odd in ["- ", "- \"", "- \\", "- a \"\\", "- [", "- x [ref=", "- '", "- \"\\u{ZZ\"", "-", "- é\"ü…"] {
            drop((of_find(odd), of_outline(odd)));
        }
    }
}
