//! The spelling of patterns and rows.
//!
//! In: a [`Pattern`] and [`FoldedRow`]s, or leaves. Out: their text; and from such text the same again.
//! Invariant: page text is escaped so that it cannot end its field, its row or its pattern.

use super::{FoldedRow, Own, Part, Pattern, Presence, RefAt, Segment, Words, state_words};
use crate::format::escape::{self, Put as _, unescape};
use crate::format::scan::{Scan, unescaped};
use crate::tree::{Item, StateSet, TEXT};
use browserlens_core::strategy::Ref;

/// Appends a pattern, without an end.
pub(in crate::format) fn pattern(out: &mut String, pattern: &Pattern) {
    let mut depth = 0;
    for (index, part) in pattern.parts.iter().enumerate() {
        if index > 0 {
            if part.depth > depth {
                out.push_str(" (");
            } else {
                (part.depth..depth).for_each(|_| out.push(')'));
                out.push_str(", ");
            }
        }
        depth = part.depth;
        write_part(out, part);
    }
    (0..depth).for_each(|_| out.push(')'));
}

fn write_part(out: &mut String, part: &Part) {
    let text = &*part.role == TEXT;
    if !text {
        out.push_str(&part.role);
    }
    if text || !part.name.segments.is_empty() {
        if !text {
            out.push(' ');
        }
        words(out, &part.name);
    }
    unless(out, part.name.unless);
    match part.reference {
        RefAt::None => {}
        RefAt::Row(0) => out.push_str(" @"),
        RefAt::Row(number) => write!(out, " .{number}"),
        RefAt::Listed(index) => write!(out, " @{}", index + 2),
    }
    if part.reference == RefAt::None && part.reference_unless.is_some() {
        out.push_str(" @-");
    }
    unless(out, part.reference_unless);
    if part.states != StateSet::NONE || part.volatile {
        out.push(' ');
        out.push_str(&state_words(part.states, part.volatile));
    }
    if part.states_unless.is_some() {
        out.push(' ');
        unless(out, part.states_unless);
    }
    if !part.value.segments.is_empty() {
        out.push_str(" value: ");
        words(out, &part.value);
    }
    match part.presence {
        Presence::Always => {}
        Presence::Given(column) => write!(out, " ?{{{}}}", column + 1),
        Presence::Unless { usual: true, column } => write!(out, " -{{{}}}", column + 1),
        Presence::Unless { usual: false, column } => write!(out, " +{{{}}}", column + 1),
    };
}

fn words(out: &mut String, words: &Words) {
    out.push('"');
    for segment in &words.segments {
        match segment {
            Segment::Literal(literal) => escape::in_pattern(out, literal),
            Segment::Column(column) => write!(out, "{{{}}}", column + 1),
        }
    }
    out.push('"');
}

fn unless(out: &mut String, column: Option<usize>) {
    if let Some(column) = column {
        write!(out, "/{{{}}}", column + 1);
    }
}

/// Appends the rows of a pattern, each on a line of its own.
pub(in crate::format) fn rows(out: &mut String, pattern: &Pattern, rows: &[FoldedRow]) {
    let mut refs = vec![false; pattern.columns];
    for column in pattern.parts.iter().filter_map(|part| part.reference_unless) {
        refs[column] = true;
    }
    for row in rows {
        out.push('\n');
        match row.number {
            Some(number) => write!(out, "{number}"),
            None => out.push('|'),
        }
        for listed in &row.listed {
            match listed {
                Some(reference) => write!(out, " {reference}"),
                None => out.push_str(" -"),
            }
        }
        for (column, value) in row.values[..row.fields()].iter().enumerate() {
            if column > 0 {
                out.push_str(" |");
            }
            if let Some(value) = value {
                if !stands_close(value) || column == 0 && row.number.is_none() && !row.listed.is_empty() {
                    out.push(' ');
                } else if column == 0 && row.number.is_some() {
                    out.push('|');
                }
                if refs[column] {
                    out.push_str(value);
                } else {
                    field(out, value);
                }
            }
        }
    }
}

/// Whether a field follows its bar without a blank: before a digit, a blank is a token of its own.
fn stands_close(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit()) && !value.ends_with(char::is_whitespace)
}

/// Appends what a row or entry says in one field.
fn field(out: &mut String, value: &str) {
    let begins = |c: char| c.is_whitespace() || c == '~';
    let quoted = value.is_empty() || value.starts_with(begins) || value.ends_with(char::is_whitespace);
    if quoted {
        out.push('"');
    }
    escape::bare(out, value);
    if quoted {
        out.push('"');
    }
}

/// Appends leaves of one role: refs, names, and in brackets what each has besides the states that
/// all share and the column that it stands in, if one is given.
/// Where `numbered`, each begins with the number of its ref, or `-`.
pub(in crate::format) fn leaf_entries<'t>(
    out: &mut String,
    items: impl Iterator<Item = (&'t Item, &'t str)>,
    shared: (StateSet, bool),
    numbered: bool,
) {
    for (index, (item, column)) in items.enumerate() {
        if index > 0 {
            out.push_str(" |");
        }
        let close = index > 0 && item.reference.is_none() && !numbered && stands_close(&item.name);
        match item.reference {
            Some(Ref { number, part }) if numbered => {
                out.push_str(if index == 0 { " " } else { "" });
                match part {
                    0 => write!(out, "{number}"),
                    _ => write!(out, "{number}.{part}"),
                }
            }
            None if numbered => out.push_str(" -"),
            Some(reference) => write!(out, " {reference}"),
            None => {}
        }
        let derived = item.states.has(StateSet::DERIVED) && !item.name.is_empty();
        if !item.name.is_empty() {
            if !close || derived {
                out.push(' ');
            }
            if derived {
                out.push('~');
            }
            field(out, &item.name);
        } else if item.reference.is_none() && !numbered {
            out.push_str(" \"\"");
        }
        let own = Own::of(item, shared).words();
        if own.is_empty() && column.is_empty() {
            continue;
        }
        let between = if own.is_empty() || column.is_empty() { "" } else { ", " };
        write!(out, " [{own}{between}");
        escape::bare(out, column);
        out.push(']');
    }
}

/// Splits at bars that are not escaped.
fn fields(mut text: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    while let Some(bar) = unescaped(text, &['|']) {
        fields.push(&text[..bar]);
        text = &text[bar + 1..];
    }
    fields.push(text);
    fields
}

/// Returns a field without the blanks that set it off.
fn set_off(field: &str) -> &str {
    let field = field.strip_prefix(' ').unwrap_or(field);
    field.strip_suffix(' ').unwrap_or(field)
}

fn read_field(text: &str) -> Option<String> {
    match text.strip_prefix('"') {
        Some(rest) => unescape(rest.strip_suffix('"')?),
        None => unescape(text),
    }
}

/// Reads one row; none if it is no row of the pattern.
pub(in crate::format) fn read_row(line: &str, pattern: &Pattern) -> Option<FoldedRow> {
    let mut scan = Scan::new(line);
    let number = if scan.eat("|") { None } else { Some(scan.number()?) };
    let mut listed = Vec::with_capacity(pattern.listed);
    for _ in 0..pattern.listed {
        scan.expect(" ")?;
        listed.push(if scan.eat("-") { None } else { Some(scan.reference()?) });
    }
    // Only a digit stands close to what is before it, and then behind a bar.
    let barred = number.is_some() && scan.eat("|");
    let rest = scan.rest();
    let close = rest.starts_with(|c: char| c.is_ascii_digit()) && (barred || number.is_none() && listed.is_empty());
    if barred && !close || !rest.is_empty() && !close && !rest.starts_with(' ') {
        return None;
    }
    let mut values = Vec::with_capacity(pattern.columns);
    for said in fields(rest).into_iter().filter(|_| !rest.is_empty()).map(set_off) {
        values.push(if said.is_empty() { None } else { Some(read_field(said)?) });
    }
    if values.len() > pattern.columns {
        return None;
    }
    values.resize(pattern.columns, None);
    Some(FoldedRow { number, listed, values })
}

/// Reads leaves of one role; where `numbered`, each begins with the number of its ref, or `-`.
pub(in crate::format) fn read_leaves(
    text: &str,
    role: &str,
    usual: (StateSet, bool),
    numbered: bool,
) -> Option<Vec<Item>> {
    fields(text)
        .into_iter()
        .map(|entry| {
            let mut entry = set_off(entry);
            let mut item = Item::new(role, "");
            (item.states, item.volatile) = usual;
            if let Some(rest) = entry.strip_suffix(']')
                && let Some(open) = opening(rest)
            {
                let said = &rest[open + 1..];
                let (own, column) = match said.split_once(", ") {
                    Some(said) => said,
                    None if Own::read(said).is_none() => ("", said),
                    None => (said, ""),
                };
                // The column helps the reader and decides nothing.
                unescape(column).filter(|column| column.is_empty() || Own::read(column).is_none())?;
                if !own.is_empty() {
                    let own = Own::read(own)?;
                    item.states = own.beside(item.states);
                    item.volatile |= own.volatile;
                }
                entry = rest[..open].strip_suffix(' ')?;
            }
            if numbered || entry.starts_with("@e") {
                let (reference, name) = entry.split_once(' ').unwrap_or((entry, ""));
                item.reference = match reference {
                    "-" if numbered => None,
                    number if numbered => Some(format!("@e{number}").parse::<Ref>().ok()?),
                    reference => Some(reference.parse::<Ref>().ok()?),
                };
                entry = name;
            }
            if let Some(name) = entry.strip_prefix('~') {
                item.states = item.states.with(StateSet::DERIVED);
                entry = name;
            }
            item.name = read_field(entry)?.into();
            Some(item)
        })
        .collect()
}

/// Returns where the last bracket opens that is not escaped.
fn opening(text: &str) -> Option<usize> {
    text.rmatch_indices('[').map(|(at, _)| at).find(|at| !text[..*at].ends_with('\\'))
}

fn column(scan: &mut Scan<'_>, columns: &mut usize) -> Option<usize> {
    scan.expect("{")?;
    let number = scan.number()? as usize;
    scan.expect("}").filter(|()| (1..=10_000).contains(&number))?;
    *columns = (*columns).max(number);
    Some(number - 1)
}

fn read_words(scan: &mut Scan<'_>, columns: &mut usize) -> Option<Words> {
    scan.expect("\"")?;
    let mut words = Words::default();
    while !scan.eat("\"") {
        words.segments.push(if scan.rest().starts_with('{') {
            Segment::Column(column(scan, columns)?)
        } else {
            Segment::Literal(scan.pattern_text().filter(|literal| !literal.is_empty())?)
        });
    }
    Some(words)
}

fn read_part(scan: &mut Scan<'_>, depth: usize, columns: &mut usize) -> Option<Part> {
    let text = scan.rest().starts_with('"');
    let role = if text { TEXT } else { scan.word()? };
    let mut part = Part { depth, role: role.into(), ..Part::default() };
    if text || scan.rest().starts_with(" \"") {
        scan.eat(" ");
        part.name = read_words(scan, columns)?;
    }
    part.name.unless = scan.after("/", |scan| column(scan, columns))?;
    loop {
        let mut ahead = scan.clone();
        if !ahead.eat(" ") || ahead.rest().starts_with('(') {
            return Some(part);
        }
        if ahead.eat("@") {
            part.reference = match ahead.rest().starts_with(|c: char| c.is_ascii_digit()) {
                true => RefAt::Listed((ahead.number()? as usize).checked_sub(2)?),
                false if ahead.eat("-") => RefAt::None,
                false => RefAt::Row(0),
            };
            part.reference_unless = ahead.after("/", |scan| column(scan, columns))?.or(part.reference_unless);
        } else if ahead.eat(".") {
            part.reference = RefAt::Row(u16::try_from(ahead.number()?).ok()?);
            part.reference_unless = ahead.after("/", |scan| column(scan, columns))?.or(part.reference_unless);
        } else if ahead.eat("/") {
            part.states_unless = Some(column(&mut ahead, columns)?);
        } else if ahead.eat("?") {
            part.presence = Presence::Given(column(&mut ahead, columns)?);
        } else if ahead.eat("-") {
            part.presence = Presence::Unless { usual: true, column: column(&mut ahead, columns)? };
        } else if ahead.eat("+") {
            part.presence = Presence::Unless { usual: false, column: column(&mut ahead, columns)? };
        } else {
            match ahead.word()? {
                "value" if ahead.eat(": ") => part.value = read_words(&mut ahead, columns)?,
                "volatile" => part.volatile = true,
                word => part.states = part.states.with(StateSet::from_word(word)?),
            }
        }
        *scan = ahead;
    }
}

/// Reads a pattern up to what ends it.
pub(in crate::format) fn read_pattern(scan: &mut Scan<'_>) -> Option<Pattern> {
    let mut pattern = Pattern::default();
    let mut depth = 0;
    loop {
        let part = read_part(scan, depth, &mut pattern.columns)?;
        pattern.parts.push(part);
        if scan.eat(" (") {
            depth += 1;
            continue;
        }
        while depth > 0 && scan.eat(")") {
            depth -= 1;
        }
        if !scan.eat(", ") {
            let listed = pattern.parts.iter().filter_map(|part| match part.reference {
                RefAt::Listed(index) => Some(index + 1),
                _ => None,
            });
            pattern.listed = listed.max().unwrap_or(0);
            return (depth == 0 && pattern.listed <= pattern.parts.len()).then_some(pattern);
        }
    }
}
