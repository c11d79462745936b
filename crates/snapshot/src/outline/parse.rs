//! Reads an outline back.
//!
//! In: text in the grammar. Out: the [`Outline`] it was written from. Invariants: never panics,
//! linear; what is not in the grammar is an error with its line.

use super::{Line, Meta, Outline, Role, Totals};
use browserlens_lens::format::escape;

/// A text that is no outline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no outline at line {line}: {expected}")]
pub struct MalformedOutline {
    /// The line, counted from 1.
    pub line: usize,
    /// What is expected there.
    pub expected: &'static str,
}

/// Parses the text of an outline.
///
/// # Errors
/// [`MalformedOutline`] that names the first line that is not in the grammar.
pub fn parse(text: &str) -> Result<Outline, MalformedOutline> {
    let at = |line: usize, expected| MalformedOutline { line, expected };
    let mut lines = text.split('\n');
    let page = lines.next().and_then(|line| line.strip_prefix("PAGE: "));
    let page = page.ok_or(at(1, "\"PAGE: {url} | {title} | viewport={width}x{height}\""))?;
    let mut outline = head(page).ok_or(at(1, "\"{url} | {title} | viewport={width}x{height}\""))?;
    let counts = lines.next().and_then(|line| line.strip_prefix("OUTLINE: ")).and_then(totals);
    let (totals, grep) = counts.ok_or(at(2, "\"OUTLINE: landmarks={n} sections={n} headings={n} words={n}\""))?;
    (outline.totals, outline.grep) = (totals, grep);
    match lines.next() {
        None => return Ok(outline),
        Some("") => {}
        Some(_) => return Err(at(3, "a blank line")),
    }
    for (index, text) in lines.enumerate() {
        match text.strip_prefix("CUT [") {
            _ if outline.deeper.is_some() => return Err(at(index + 4, "the end")),
            Some(cut) => {
                let cut = deeper(cut).ok_or(at(index + 4, "CUT [{n} lines left; max depth {n} shows all]"))?;
                outline.deeper = Some(cut);
            }
            None => outline.lines.push(line(text).ok_or(at(index + 4, "ROLE [\"name\"] [[metadata]] path"))?),
        }
    }
    Ok(outline)
}

fn head(text: &str) -> Option<Outline> {
    let mut parts = text.split(" | ");
    let (url, title, viewport) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (width, height) = viewport.strip_prefix("viewport=")?.split_once('x')?;
    Some(Outline {
        url: escape::unescape(url)?,
        title: escape::unescape(title)?,
        viewport: (number(width)?, number(height)?),
        ..Outline::default()
    })
}

fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

fn totals(text: &str) -> Option<(Totals, String)> {
    let (counts, grep) = match text.split_once(" grep=") {
        Some((counts, grep)) => (counts, Some(grep)),
        None => (text, None),
    };
    let mut fields = counts.split(' ');
    let mut field = |name: &str| number(fields.next()?.strip_prefix(name)?.strip_prefix('=')?);
    let totals = Totals {
        landmarks: field("landmarks")?,
        sections: field("sections")?,
        headings: field("headings")?,
        words: field("words")?,
    };
    if fields.next().is_some() || grep == Some("") {
        return None;
    }
    Some((totals, grep.unwrap_or("").to_owned()))
}

fn line(text: &str) -> Option<Line> {
    let body = text.trim_start_matches(' ');
    let blanks = text.len() - body.len();
    if !blanks.is_multiple_of(2) {
        return None;
    }
    let (role, mut rest) = body.split_once(' ').unwrap_or((body, ""));
    let mut line = Line {
        depth: blanks / 2,
        role: Role::from_word(role)?,
        level: None,
        name: String::new(),
        meta: Vec::new(),
        path: None,
    };
    if body.ends_with(' ') {
        return None;
    }
    if let Some(level) = rest.strip_prefix("level=") {
        let (digits, after) = level.split_once(' ').unwrap_or((level, ""));
        line.level = Some(u8::try_from(number(digits)?).ok()?);
        rest = after;
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = end_of_quote(quoted)?;
        line.name = escape::unescape(&quoted[..end])?;
        if line.name.is_empty() {
            return None;
        }
        rest = after(&quoted[end + 1..])?;
    }
    if let Some(inner) = rest.strip_prefix('[') {
        let (meta, behind) = inner.split_once(']')?;
        line.meta = meta.split(", ").map(one_meta).collect::<Option<_>>()?;
        rest = after(behind)?;
    }
    if !rest.is_empty() {
        line.path = Some(rest.parse().ok()?);
    }
    Some(line)
}

fn deeper(text: &str) -> Option<(usize, usize)> {
    let (lines, depth) = text.strip_suffix(" shows all]")?.split_once(" lines left; max depth ")?;
    Some((number(lines)? as usize, number(depth)? as usize))
}

/// What follows a part: nothing, or a blank and more.
fn after(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some("") } else { rest.strip_prefix(' ').filter(|rest| !rest.is_empty()) }
}

fn end_of_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

fn one_meta(text: &str) -> Option<Meta> {
    if text == "preview" {
        return Some(Meta::Preview);
    }
    let (n, unit) = text.split_once(' ')?;
    let n = number(n)?;
    Some(match unit {
        "words" => Meta::Words(n),
        "items" => Meta::Items(n),
        "paragraphs" => Meta::Paragraphs(n),
        "links" => Meta::Links(n),
        "lines" => Meta::Lines(n),
        _ => return None,
    })
}
