//! The notation as the simple reader takes it: heads, statements, items, patterns, fields and
//! states.
//!
//! In: a line, or a piece of one. Out: what it is made of. Invariant: any text is taken apart; what
//! is not understood is left out.

use super::Item;

/// States of which an item has one.
const EXCLUSIVE: [&[&str]; 4] = [
    &["checked", "unchecked", "mixed"],
    &["expanded", "collapsed"],
    &["pressed", "unpressed"],
    &["selected", "unselected"],
];

/// A part of a pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub role: String,
    pub name: String,
    pub states: Vec<String>,
    pub value: Option<String>,
    pub own: Own,
    /// Fields that say something else where they say anything, or on which the part depends.
    pub columns: Vec<(char, usize)>,
    pub children: Vec<Part>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Own {
    #[default]
    None,
    /// The ref of the row.
    Row,
    /// A part of the ref of the row.
    Part(usize),
    /// A ref that the row lists.
    Listed(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Quoted(String),
    Word(String),
    Comma,
    Colon,
    Open,
    Close,
}

/// The steps that the head of an observation names: which page it changes, and where that leads.
pub fn steps(text: &str) -> (&str, &str) {
    let head = text.lines().next().and_then(|line| line.split_once(']')).map_or("", |(head, _)| head);
    let number = |text: &'_ str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if let Some(full) = head.strip_prefix("[FULL PAGE STATE ") {
        return ("", &full[..number(full)]);
    }
    let Some((from, to)) = head.strip_prefix("[DELTA ").and_then(|rest| rest.split_once('→')) else {
        return ("", "");
    };
    (from, &to[..number(to)])
}

/// The statement that a line of a delta begins, and what follows.
pub(super) fn statement(line: &str) -> Option<(&'static str, &str)> {
    let words = ["CHANGED", "REMOVED", "REMOVED in", "MOVED", "ADDED in", "NOW in", "ORDER in", "EXPANDED"];
    let more = ["ELIDED", "VOLATILE", "FOCUS", "UNCHANGED", "PAGE"];
    words.into_iter().chain(more).find_map(|word| {
        let rest = line.strip_prefix(word)?;
        let rest =
            if word.ends_with(" in") || word == "EXPANDED" { rest.strip_prefix(' ') } else { rest.strip_prefix(": ") };
        Some((word, rest?))
    })
}

/// What a change tells something of, without what went and what it stands beside, and what follows
/// on the same line.
pub(super) fn told(text: &str) -> (Vec<Token>, &str) {
    let mut scanner = Scanner { text, at: 0 };
    let mut locator = Vec::new();
    let mut is_over = false;
    while let Some(token) = scanner.next() {
        is_over |= match &token {
            Token::Colon => return (locator, text[scanner.at..].trim_start()),
            Token::Open => true,
            Token::Word(word) => !locator.is_empty() && matches!(word.as_str(), "at" | "after" | "before" | "between"),
            _ => false,
        };
        if !is_over {
            locator.push(token);
        }
    }
    (locator, "")
}

/// What stands behind `8 × `.
pub(super) fn repeated(text: &str) -> Option<&str> {
    let (number, rest) = text.split_once(" × ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

/// The first item of a text, how much of the text it takes, and what ends it.
pub(super) fn item(text: &str) -> (Option<Item>, usize, Option<Token>) {
    let mut item = Item::default();
    let mut scanner = Scanner { text, at: 0 };
    let mut is_mark = false;
    let mut is_value = false;
    let mut count = 0;
    loop {
        let before = scanner.at;
        let Some(token) = scanner.next() else { return (some(item, is_mark, count), scanner.at, None) };
        match token {
            Token::Comma => return (some(item, is_mark, count), scanner.at, Some(Token::Comma)),
            Token::Colon if is_value => {}
            Token::Colon => return (some(item, is_mark, count), scanner.at, Some(Token::Colon)),
            Token::Word(word) if count == 0 && word == "…" => is_mark = true,
            Token::Word(word) if count == 0 => item.role = word,
            Token::Word(word) if word.starts_with("@e") => item.handle = Some(word),
            Token::Word(word) if word == "value" => is_value = true,
            // The column that a day stands in.
            Token::Word(word) if word == "in" => drop(scanner.next()),
            Token::Word(word) if word != "…" && !word.starts_with(['@', '+', '~']) => item.states.push(word),
            Token::Quoted(text) if count == 0 => {
                item.role = "text".to_owned();
                item.name = text;
            }
            Token::Quoted(text) if is_value && item.value.is_empty() => item.value = text,
            Token::Quoted(text) if count == 1 && item.role != "text" => item.name = text,
            // Text beside it, without a comma between.
            Token::Quoted(_) => return (some(item, is_mark, count), before, Some(Token::Comma)),
            _ => {}
        }
        count += 1;
    }
}

pub(super) fn some(item: Item, is_mark: bool, tokens: usize) -> Option<Item> {
    (!is_mark && tokens > 0).then_some(item)
}

/// The parts of a pattern, up to the end or the bracket that closes them.
pub(super) fn parts(tokens: &mut impl Iterator<Item = Token>) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut part = Part::default();
    let mut is_value = false;
    let mut count = 0;
    while let Some(token) = tokens.next() {
        match token {
            Token::Close => break,
            Token::Comma => {
                found.push(std::mem::take(&mut part));
                (count, is_value) = (0, false);
                continue;
            }
            Token::Open => part.children = parts(tokens),
            Token::Word(word) if count == 0 => part.role = word,
            Token::Word(word) if word == "value" => is_value = true,
            Token::Word(word) if word == "@" => part.own = Own::Row,
            Token::Word(word) => {
                let column = word.get(1..).and_then(column);
                match (word.chars().next(), column) {
                    (Some(kind @ ('/' | '?' | '-' | '+')), Some(column)) => part.columns.push((kind, column)),
                    (Some('.'), _) => part.own = word[1..].parse().map_or(Own::None, Own::Part),
                    (Some('@'), _) => part.own = word[1..].parse().map_or(Own::None, Own::Listed),
                    _ if word.starts_with('~') => {}
                    _ => part.states.push(word),
                }
            }
            Token::Quoted(text) if is_value => part.value = Some(text),
            Token::Quoted(text) => {
                if count == 0 {
                    part.role = "text".to_owned();
                }
                part.name = text;
            }
            Token::Colon => {}
        }
        count += 1;
    }
    if count > 0 {
        found.push(part);
    }
    found
}

pub(super) fn column(text: &str) -> Option<usize> {
    text.strip_prefix('{')?.strip_suffix('}')?.parse().ok()
}

/// The name of a pattern with the fields of a row in the places of `{1}`, `{2}`, …
pub(super) fn filled(name: &str, fields: &[String]) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}').and_then(|(number, behind)| Some((number.parse::<usize>().ok()?, behind))) {
            Some((number, behind)) => {
                out.push_str(fields.get(number.wrapping_sub(1)).map_or("", String::as_str));
                rest = behind;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

pub(super) fn is_states(text: &str) -> bool {
    let known = ["disabled", "required", "readonly", "invalid", "current", "busy", "covered", "inert", "filled"];
    text.split(' ').all(|word| known.contains(&word) || EXCLUSIVE.iter().any(|group| group.contains(&word)))
}

/// `12`, `12.3` or `@e12` as a ref.
pub(super) fn handle(text: &str) -> Option<String> {
    let number = text.strip_prefix("@e").unwrap_or(text);
    number.starts_with(|c: char| c.is_ascii_digit()).then(|| format!("@e{number}"))
}

pub(super) fn set(states: &mut Vec<String>, change: &str) {
    let state = change.trim_start_matches(['+', '-']);
    let group = EXCLUSIVE.iter().find(|group| group.contains(&state));
    states.retain(|known| known != state && !group.is_some_and(|group| group.contains(&known.as_str())));
    if !change.starts_with('-') {
        states.push(state.to_owned());
    }
}

pub(super) fn field(text: &str) -> String {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(quoted) => unescaped(quoted),
        None => unescaped(text),
    }
}

pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n' | 't' | 'r') => out.push(' '),
            // An unseen character, written out: the haystack knows it.
            Some('u') => out.push_str("\\u"),
            Some(next) => out.push(next),
            None => {}
        }
    }
    out
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut scanner = Scanner { text, at: 0 };
    std::iter::from_fn(|| scanner.next()).collect()
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<Token> {
        let rest = self.text.get(self.at..)?;
        let trimmed = rest.trim_start_matches([' ', '~']);
        self.at += rest.len() - trimmed.len();
        let first = trimmed.chars().next()?;
        let single = match first {
            ',' => Some(Token::Comma),
            ':' => Some(Token::Colon),
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            _ => None,
        };
        if let Some(token) = single {
            self.at += 1;
            return Some(token);
        }
        if first == '"' {
            let mut escaped = false;
            let end = trimmed[1..].find(|c| {
                let is_end = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                is_end
            });
            let (text, used) = end.map_or((&trimmed[1..], trimmed.len()), |end| (&trimmed[1..=end], end + 2));
            self.at += used;
            return Some(Token::Quoted(unescaped(text)));
        }
        let end = trimmed.find([' ', ',', ':', '(', ')', '"']).unwrap_or(trimmed.len());
        self.at += end;
        Some(Token::Word(trimmed[..end].to_owned()))
    }
}
