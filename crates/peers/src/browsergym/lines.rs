//! How two texts of the tool are compared: bids are replaced.

use crate::lines::{LineRules, PLACEHOLDER, Parts, count, quoted};

pub(super) const RULES: LineRules = LineRules { normalise: |line, _| bid(line), parts: flattened, ..LineRules::PLAIN };

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
