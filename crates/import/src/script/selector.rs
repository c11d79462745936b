//! Targets of other tools in our terms.
//!
//! In: selectors: CSS, text, XPath, those of DevTools and of Selenium. Out: the table of a target:
//! role and name where they are told, else CSS, else text. Invariant: an XPath becomes CSS only
//! where it is a plain path from an element to its children; anything else is none.

use super::table;
use toml::Table;

/// A target by role and name.
pub(super) fn role(role: &str, name: &str) -> Table {
    let mut target = table([("role", role.into())]);
    if !name.is_empty() {
        target.insert("name".to_owned(), name.into());
    }
    target
}

/// A target by CSS.
pub(super) fn css(selector: &str) -> Table {
    table([("css", selector.into())])
}

/// A target by its text.
pub(super) fn text(text: &str) -> Table {
    table([("text", text.into())])
}

/// A target by the value of an attribute.
pub(super) fn attribute(tag: &str, name: &str, value: &str) -> Table {
    css(&format!("{tag}[{name}={}]", quoted(value)))
}

/// A CSS string.
fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    for character in value.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            control if control.is_control() => out.push_str(&format!("\\{:x} ", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Turns a plain XPath into CSS: `/html/body/div[2]/a`, `//*[@id="x"]/b`, `//a[@href='y']`.
pub(super) fn xpath(path: &str) -> Option<Table> {
    let path = path.trim();
    let mut rest = path.strip_prefix("//").or(path.strip_prefix('/')).unwrap_or(path);
    let mut joined = "";
    let mut selector = String::new();
    while !rest.is_empty() {
        let (step, after) = split_step(rest)?;
        selector.push_str(joined);
        selector.push_str(&step_css(step)?);
        (rest, joined) = match after.strip_prefix("//") {
            Some(after) => (after, " "),
            None => (after.strip_prefix('/').unwrap_or(after), " > "),
        };
    }
    (!selector.is_empty()).then(|| css(&selector))
}

/// Splits at the next `/` that stands in no bracket.
fn split_step(path: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quote) = (0_i32, None);
    for (at, character) in path.char_indices() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            (None, '/') if depth == 0 => return Some((&path[..at], &path[at..])),
            _ => {}
        }
    }
    (depth == 0 && quote.is_none()).then_some((path, ""))
}

fn step_css(step: &str) -> Option<String> {
    let (name, predicates) = step.split_once('[').map_or((step, ""), |(name, _)| (name, &step[name.len()..]));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !(name == "*" || name.chars().all(plain)) {
        return None;
    }
    let mut css = name.to_owned();
    let mut rest = predicates;
    while let Some(inner) = rest.strip_prefix('[') {
        let end = inner.find(']')?;
        let (predicate, after) = (inner[..end].trim(), &inner[end + 1..]);
        if let Ok(place) = predicate.parse::<u32>() {
            // In XPath the place counts among elements of that name, and so does this.
            css.push_str(if name == "*" { ":nth-child(" } else { ":nth-of-type(" });
            css.push_str(&format!("{place})"));
        } else {
            let (key, value) = predicate.strip_prefix('@')?.split_once('=')?;
            let value = value.trim();
            let unquoted = value.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?;
            if !key.trim().chars().all(plain) {
                return None;
            }
            css.push_str(&format!("[{}={}]", key.trim(), quoted(unquoted)));
        }
        rest = after;
    }
    rest.is_empty().then_some(css)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_become_css_and_others_none() {
        let css = |path: &str| xpath(path).and_then(|table| Some(table.get("css")?.as_str()?.to_owned()));
        assert_eq!(css("html/body/div[2]/a").as_deref(), Some("html > body > div:nth-of-type(2) > a"));
        assert_eq!(css("//*[@id=\"a/b\"]/td[1]").as_deref(), Some("*[id=\"a/b\"] > td:nth-of-type(1)"));
        assert_eq!(css("//form//input[@name='q']").as_deref(), Some("form input[name=\"q\"]"));
        for odd in ["", "//", "//a[text()='x']", "//a[contains(@b,'c')]", "//a/..", "//a[", "//a[@b=c]", "a[@b='x]"] {
            assert_eq!(css(odd), None, "{odd}");
        }
    }
}
