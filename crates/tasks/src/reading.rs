//! Reads the elements out of tools' answers, as far as scripts need them.
//!
//! In: the text of an answer. Out: [`Seen`] elements with their refs, in the order of the answer.
//! Invariant: nothing is known of the page but what the answer says.

use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Target, TargetBy};

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

/// Marks of the direction of writing are no part of what something is called: tools leave them out,
/// or write them as escapes.
fn bare(text: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    folded(&text.chars().filter(|c| !is_mark(*c)).collect::<String>())
}

fn is_called(name: &str, wanted: &str) -> bool {
    // Small or large letters are a matter of style sheets, which some tools follow.
    let (name, wanted) = (bare(name).to_lowercase(), bare(wanted).to_lowercase());
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
    while chars.peek().is_some() {
        if chars.next_if(|c| c.is_whitespace()).is_some() {
            continue;
        }
        if chars.next_if_eq(&'"').is_some() {
            let mut text = String::new();
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => match chars.next() {
                        Some('n') => text.push('\n'),
                        Some('t') => text.push('\t'),
                        Some('u') => {
                            let digits: String = match chars.next_if_eq(&'{') {
                                Some(_) => chars.by_ref().take_while(|c| *c != '}').collect(),
                                None => chars.by_ref().take(4).collect(),
                            };
                            text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                        }
                        Some(escaped) => text.push(escaped),
                        None => {}
                    },
                    c => text.push(c),
                }
            }
            text.extend(chars.next_if_eq(&'…'));
            tokens.push(Token::Quoted(text));
        } else {
            let next = || chars.next_if(|c| !c.is_whitespace() && *c != '"');
            tokens.push(Token::Word(std::iter::from_fn(next).collect()));
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

/// Reads lines that lie in one another by their indent; `read` gives the element of a line, if it
/// is one.
fn nested(answer: &str, read: impl Fn(&str) -> Option<Seen>) -> Vec<Seen> {
    let mut found: Vec<Seen> = Vec::new();
    let mut above: Vec<(usize, String, String)> = Vec::new();
    for line in answer.lines() {
        let item = line.trim_start();
        let indent = line.len() - item.len();
        let Some(seen) = read(item) else { continue };
        while above.last().is_some_and(|(depth, _, _)| *depth >= indent) {
            above.pop();
        }
        let lies_in = above.iter().rev().map(|(_, role, name)| (role.clone(), name.clone())).collect();
        above.push((indent, seen.role.clone(), seen.name.clone()));
        found.push(Seen { above: lies_in, ..seen });
    }
    found
}

/// Reads an outline in YAML as Playwright writes it: `- button "Go" [ref=e5] [checked]: text`.
pub(crate) fn of_outline(answer: &str) -> Vec<Seen> {
    nested(answer, |line| {
        let item = line.strip_prefix("- ")?;
        // A line that YAML would read otherwise stands in single quotes.
        let unquoted = item.strip_prefix('\'').map(|rest| rest.replacen("':", ":", 1).replace("''", "'"));
        let item = unquoted.as_deref().map_or(item, |item| item.strip_suffix('\'').unwrap_or(item));
        Some(of_outline_item(item)).filter(|seen| !seen.role.starts_with('/'))
    })
}

fn of_outline_item(item: &str) -> Seen {
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
        for mark in inside[..end].split(", ") {
            match mark.strip_prefix("ref=") {
                Some(reference) => seen.reference = Some(reference.to_owned()),
                None => seen.states.push(mark.to_owned()),
            }
        }
        rest = inside[end + 1..].trim_start();
    }
    let text = rest.strip_prefix(':').unwrap_or_default().trim();
    if !text.is_empty() {
        seen.value = match tokens(text).into_iter().next() {
            Some(Token::Quoted(quoted)) => quoted,
            _ => text.to_owned(),
        };
    }
    seen
}

/// Reads a snapshot of chrome-devtools-mcp: `uid=1_5 textbox "Name" value="Mia" focused`, indented by
/// depth; what has no role is text.
pub(crate) fn of_uids(answer: &str) -> Vec<Seen> {
    nested(answer, |line| {
        let item = line.strip_prefix("uid=")?;
        let mut seen = Seen::default();
        let (mut attribute, mut is_named) = (String::new(), false);
        for (at, token) in tokens(item).into_iter().enumerate() {
            match token {
                Token::Word(uid) if at == 0 => seen.reference = Some(uid),
                Token::Word(role) if at == 1 => seen.role = role,
                Token::Word(word) => match word.strip_suffix('=') {
                    Some(name) => attribute = name.to_owned(),
                    None => seen.states.push(word),
                },
                Token::Quoted(text) if attribute == "value" => seen.value = text,
                Token::Quoted(text) if attribute.is_empty() && !is_named => {
                    seen.name = text;
                    is_named = true;
                }
                Token::Quoted(_) => {}
            }
        }
        Some(seen)
    })
}

/// Reads a tree as Stagehand writes it: `[0-43] button: Sign up`, indented by depth.
pub(crate) fn of_tree(answer: &str) -> Vec<Seen> {
    nested(answer, |line| {
        let (id, item) = line.strip_prefix('[')?.split_once("] ")?;
        let (role, rest) = item.split_once(": ").unwrap_or((item, ""));
        let role = role.split(", ").last().unwrap_or(role);
        // What is selected or checked stands behind the name.
        let (name, state) = match rest.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) {
            Some((name, state)) => (name, Some(state.to_owned())),
            None => (rest, None),
        };
        Some(Seen {
            role: if role == "select" { "combobox" } else { role }.to_owned(),
            name: folded(name),
            reference: Some(id.to_owned()),
            states: state.into_iter().collect(),
            ..Seen::default()
        })
    })
}

/// Reads the page as browser-use writes it: `[81]<button aria-label=Close />`, its text in the lines
/// below it, indented. It names no role and no name: both are told from tag, attributes and text, as
/// a model would.
pub(crate) fn of_indexes(answer: &str) -> Vec<Seen> {
    let mut found: Vec<(usize, String, Seen)> = Vec::new();
    // What the line lies in: depth, and position in `found`.
    let mut above: Vec<(usize, usize)> = Vec::new();
    // The line before, if it is text: what a field without a name stands behind.
    let mut before = String::new();
    for line in answer.lines().skip_while(|line| !line.starts_with("[Start of page]")) {
        let depth = line.len() - line.trim_start_matches('\t').len();
        let item = line.trim_start().trim_start_matches("|SHADOW(open)|").trim_start_matches("|SHADOW(closed)|");
        let item = item.trim_start_matches('*').trim_start_matches("|scroll element");
        while above.last().is_some_and(|(at, _)| *at >= depth) {
            above.pop();
        }
        let index = item.strip_prefix('[').and_then(|rest| rest.split_once("]<"));
        let Some((index, element)) = index.filter(|(index, _)| index.chars().all(|c| c.is_ascii_digit())) else {
            for (_, at) in &above {
                let name = &mut found[*at].2.name;
                *name = folded(&format!("{name} {item}"));
            }
            item.clone_into(&mut before);
            continue;
        };
        let (tag, attributes) = element.split_once(' ').unwrap_or((element, ""));
        let attribute = |name: &str| {
            let from = format!(" {attributes}").find(&format!(" {name}="))? + name.len() + 1;
            let rest = attributes[from..].trim_end_matches("/>").trim();
            // A value ends where the next attribute begins; it is in no quotes.
            let next = rest.match_indices(' ').map(|(at, _)| at).find(|at| {
                let word = rest[at + 1..].split(' ').next().unwrap_or_default();
                word.split_once('=')
                    .is_some_and(|(key, _)| key.chars().all(|c| c.is_alphanumeric() || "-_".contains(c)))
            });
            Some(&rest[..next.unwrap_or(rest.len())])
        };
        let kind = attribute("type").unwrap_or_default();
        let role = attribute("role").unwrap_or(match (tag, kind) {
            ("a", _) => "link",
            ("button", _) | ("input", "submit" | "button" | "reset" | "image") => "button",
            ("input", "checkbox" | "radio") => kind,
            ("input", "range") => "slider",
            ("input", "number") => "spinbutton",
            ("input", "search") => "searchbox",
            ("input" | "textarea", _) => "textbox",
            ("select", _) => "combobox",
            (other, _) => other,
        });
        let mut seen = Seen { role: role.to_owned(), reference: Some(index.to_owned()), ..Seen::default() };
        seen.value = attribute("value").unwrap_or_default().to_owned();
        seen.states.extend(
            ["checked", "disabled"].iter().filter(|state| attribute(state) == Some("true")).map(|it| (*it).to_owned()),
        );
        let called = ["aria-label", "placeholder", "title", "alt"].iter().find_map(|name| attribute(name));
        above.push((depth, found.len()));
        let called = called.map_or_else(|| folded(&before), str::to_owned);
        before.clear();
        found.push((depth, called, seen));
    }
    // A field has no text of its own: it is called by its attributes, or by the label around it.
    for at in 0..found.len() {
        let (depth, called, seen) = &found[at];
        if seen.name.is_empty() {
            let label = found[..at].iter().rev().find(|(outer, _, seen)| outer < depth && seen.role == "label");
            let around = label.map(|it| it.2.name.clone()).filter(|name| called.is_empty() && !name.is_empty());
            found[at].2.name = around.unwrap_or_else(|| called.clone());
        }
    }
    found.into_iter().map(|(_, _, seen)| seen).collect()
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
    fn uids_are_read_with_values_and_nesting() {
        let answer = "## Latest page snapshot\nuid=1_0 RootWebArea \"A\" url=\"http://a/\"\n  uid=1_3 form \"Sign \
            up\"\n    \
                      uid=1_4 \"Name \"\n    uid=1_5 textbox \"Name\" focused value=\"Mia O\"\n  uid=1_6 link \"Go\"";
        let seen = of_uids(answer);
        let field = &seen[3];
        assert_eq!((field.role.as_str(), field.name.as_str(), field.value.as_str()), ("textbox", "Name", "Mia O"));
        assert_eq!((field.reference.as_deref(), field.above[0].1.as_str()), (Some("1_5"), "Sign up"));
        assert_eq!((seen[2].role.as_str(), seen[2].name.as_str()), ("", "Name "));
        assert_eq!(seen[4].above.len(), 1);
    }

    #[test]
    fn indexes_are_read_with_names_of_texts_labels_and_attributes() {
        let answer = "[9]<a />\n[Start of page]\nSign up\n[71]<label />\n\tName\n\t|SHADOW(open)|*[59]<input \
            type=text name=n value=Mia Osei />\n\
                      [61]<input type=checkbox aria-label=Send me letters checked=true />\n[81]<button />\n\tSign \
                      up:\n\tnow\n[82]<div role=tab />\n\tAll\nVersion\n[83]<select id=v />";
        let seen = of_indexes(answer);
        let field = &seen[1];
        assert_eq!((field.role.as_str(), field.name.as_str(), field.value.as_str()), ("textbox", "Name", "Mia Osei"));
        assert_eq!(field.reference.as_deref(), Some("59"));
        assert_eq!(
            (seen[2].name.as_str(), seen[2].states.as_slice()),
            ("Send me letters", &["checked".to_owned()][..])
        );
        assert_eq!((seen[3].role.as_str(), seen[3].name.as_str()), ("button", "Sign up: now"));
        assert_eq!((seen[4].role.as_str(), seen[4].name.as_str(), seen.len()), ("tab", "All", 6));
        assert_eq!((seen[5].role.as_str(), seen[5].name.as_str()), ("combobox", "Version"));
    }

    #[test]
    fn a_tree_is_read_with_nesting_and_states() {
        let answer = "Accessibility Tree:\n[0-3] form: Sign up\n  [0-5] select: Colour: pale\n    [0-27] option: Red \
            [selected]\n\
                      [0-7] scrollable, list";
        let seen = of_tree(answer);
        assert_eq!((seen[1].role.as_str(), seen[1].name.as_str()), ("combobox", "Colour: pale"));
        assert_eq!((seen[2].name.as_str(), seen[2].states.as_slice()), ("Red", &["selected".to_owned()][..]));
        assert_eq!((seen[2].reference.as_deref(), seen[2].above[1].1.as_str()), (Some("0-27"), "Sign up"));
        assert_eq!(seen[3].role, "list");
    }

    #[test]
    fn several_marks_in_one_pair_of_brackets_are_read() {
        let seen = of_outline("- textbox \"Name\" [required, ref=e5]: Mia\n- generic [ref=e2] clickable [onclick]");
        assert_eq!((seen[0].reference.as_deref(), seen[0].value.as_str()), (Some("e5"), "Mia"));
        assert_eq!(
            (seen[0].states.as_slice(), seen[1].reference.as_deref()),
            (&["required".to_owned()][..], Some("e2"))
        );
    }

    #[test]
    fn what_is_no_element_gives_no_panic() {
        for odd in ["- ", "- \"", "- \\", "- a \"\\", "- [", "- x [ref=", "- '", "- \"\\u{ZZ\"", "-", "- é\"ü…"] {
            drop((of_find(odd), of_outline(odd), of_uids(&format!("uid={odd}"))));
            drop(of_tree(&format!("[1] {odd}")));
            drop(of_indexes(&format!("[Start of page]\n[1]<{odd}\n{odd}")));
        }
    }
}
