//! Text of events for searches: without it a search seeks every row of a large table.
//!
//! In: the rows of a table of events. Out: chunks in table `search`, and the positions in them that
//! a filter lets pass. Invariants: a chunk holds, of each of its rows, whatever
//! [`EventFilter::passes`] asks of an event, so that no row is read that is not shown; the texts
//! that are searched stand there in lower case as Rust folds it, so that a chunk says what the rows
//! would; it is a copy, made when a recording ends, and only readers of a sealed file use it. What
//! it says is never shown: rows are read from their table and asked again.
//!
//! Why not SQLite's full-text index: its trigrams fold case in another way and know no term under
//! three characters, and it weighs more than the text. A chunk is scanned byte by byte, one in
//! memory at a time: 5 MB for a hundred thousand URLs.
//!
//! A chunk is its columns one after another: numbers, then texts. A column of numbers is the least
//! of them (8 bytes), the width of what is added to it (a byte: 0, 1, 2, 4 or 8), and that for each
//! row. A column of texts is how many different ones there are (4 bytes), which of them each row
//! has (numbers), where each ends (numbers), and all of them without anything between.

use crate::error::{Place, TraceError};
use crate::rows::{self, int, text};
use crate::schema::{EVENT_TABLES, SEARCH, SEARCHED_FROM, Table};
use browserlens_strategy::{EventFilter, host_of};
use memchr::memmem::Finder;
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Which tables get chunks, and how large those are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Fewest rows of a table that gets chunks: fewer are searched row by row, and the file stays
    /// small.
    pub from_rows: u64,
    /// Most rows of a chunk.
    pub rows: usize,
    /// A chunk with so many bytes of text takes no further row.
    pub bytes: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { from_rows: 4096, rows: 1024, bytes: 256 << 10 }
    }
}

/// The columns of a chunk, by the columns of its table; position comes first, and the two texts
/// that are searched.
struct Shape {
    numbers: &'static [&'static str],
    texts: &'static [&'static str],
}

/// Which texts are searched; the others stand in a chunk as they are.
const SEARCHED: usize = 2;

fn shape(table: &Table) -> Shape {
    const PLACE: &[&str] = &["position", "step", "tab", "at_ms"];
    let (numbers, texts): (_, &[&str]) = match table.name {
        "console" => (PLACE, &["text", "url", "level"]),
        // The host stands for itself: in lower case as domains are compared, which is not that of
        // searches.
        "request" => (
            &["position", "step", "tab", "at_ms", "status", "duration_ms"],
            &["url", "failure", "method", "resource_type", HOST],
        ),
        "dialog" => (PLACE, &["message", "typed"]),
        "tab_event" => (PLACE, &["url", "title"]),
        _ => (PLACE, &["url", "file_name"]),
    };
    Shape { numbers, texts }
}

/// The text that a request's host is taken from.
const HOST: &str = "url AS host";

/// Returns the columns of a table that are searched, as
/// [`browserlens_strategy::EventKind::searched`] names them.
pub(crate) fn searched_columns(table: &Table) -> [&'static str; SEARCHED] {
    let texts = shape(table).texts;
    [texts[0], texts[1]]
}

/// A chunk that is made.
struct Columns {
    shape: Shape,
    numbers: Vec<Vec<u64>>,
    texts: Vec<TextColumn>,
}

#[derive(Default)]
struct TextColumn {
    known: HashMap<String, u64>,
    of_row: Vec<u64>,
    ends: Vec<u64>,
    bytes: Vec<u8>,
}

impl Columns {
    fn new(table: &Table) -> Self {
        let shape = shape(table);
        let numbers = vec![Vec::new(); shape.numbers.len()];
        let texts = shape.texts.iter().map(|_| TextColumn::default()).collect();
        Self { shape, numbers, texts }
    }

    /// Asks for the rows of a table that [`Columns::push`] takes.
    fn select(table: &Table) -> String {
        let Shape { numbers, texts } = shape(table);
        format!("SELECT {}, {} FROM {} NOT INDEXED", numbers.join(", "), texts.join(", "), table.name)
    }

    fn push(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        for (index, column) in self.numbers.iter_mut().enumerate() {
            let number: i64 = row.get(index)?;
            let number = u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, number))?;
            column.push(number);
        }
        let first = self.numbers.len();
        for (index, (column, name)) in self.texts.iter_mut().zip(self.shape.texts).enumerate() {
            let text = row.get_ref(first + index)?.as_str()?;
            column.push(match *name {
                HOST => host_of(text).to_ascii_lowercase(),
                _ if index < SEARCHED => text.to_lowercase(),
                _ => text.to_owned(),
            });
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        self.numbers[0].len()
    }

    fn bytes(&self) -> usize {
        self.texts.iter().map(|column| column.bytes.len()).sum()
    }

    fn pack(&self) -> Vec<u8> {
        let mut packed = Vec::new();
        self.numbers.iter().for_each(|column| pack(column, &mut packed));
        for column in &self.texts {
            // No chunk has more rows than its options allow, and those are few.
            packed.extend(u32::try_from(column.ends.len()).unwrap_or(u32::MAX).to_le_bytes());
            pack(&column.of_row, &mut packed);
            pack(&column.ends, &mut packed);
            packed.extend(&column.bytes);
        }
        packed
    }

    /// The values of a row of table `search`; none where nothing was taken.
    fn values(&self, id: i64, table: &Table) -> Option<Vec<Value>> {
        let (first, last) = (self.numbers[0].first()?, self.numbers[0].last()?);
        Some(vec![int(id), text(table.name), int(*first), int(*last), int(self.rows()), Value::Blob(self.pack())])
    }
}

impl TextColumn {
    fn push(&mut self, text: String) {
        let next = self.ends.len() as u64;
        let (bytes, ends) = (&mut self.bytes, &mut self.ends);
        let number = *self.known.entry(text).or_insert_with_key(|text| {
            bytes.extend(text.as_bytes());
            ends.push(bytes.len() as u64);
            next
        });
        self.of_row.push(number);
    }
}

fn pack(numbers: &[u64], to: &mut Vec<u8>) {
    let least = numbers.iter().copied().min().unwrap_or(0);
    let span = numbers.iter().copied().max().unwrap_or(0) - least;
    let width: u8 = match span {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    };
    to.extend(least.to_le_bytes());
    to.push(width);
    for number in numbers {
        to.extend(&(number - least).to_le_bytes()[..usize::from(width)]);
    }
}

/// Writes the chunks of every large table, in one transaction.
pub(crate) fn write(connection: &Connection, path: &Path, options: SearchOptions) -> Result<(), TraceError> {
    let wrap = || TraceError::sqlite(path, Place::table(SEARCH.name));
    let transaction = connection.unchecked_transaction().map_err(wrap())?;
    let mut id = 0;
    for (_, table) in EVENT_TABLES {
        if count(&transaction, path, table)? < options.from_rows.max(1) {
            continue;
        }
        let wrap = || TraceError::sqlite(path, Place::table(table.name));
        let mut insert = |columns: &Columns| {
            id += 1;
            columns.values(id, table).map_or(Ok(()), |values| rows::insert(&transaction, path, &SEARCH, values))
        };
        let mut statement =
            transaction.prepare(&format!("{} ORDER BY position", Columns::select(table))).map_err(wrap())?;
        let mut rows = statement.query([]).map_err(wrap())?;
        let mut columns = Columns::new(table);
        while let Some(row) = rows.next().map_err(wrap())? {
            columns.push(row).map_err(wrap())?;
            if columns.rows() >= options.rows || columns.bytes() >= options.bytes {
                insert(&columns)?;
                columns = Columns::new(table);
            }
        }
        if columns.rows() > 0 {
            insert(&columns)?;
        }
    }
    transaction.commit().map_err(wrap())
}

fn count(connection: &Connection, path: &Path, table: &Table) -> Result<u64, TraceError> {
    connection
        .query_row(&format!("SELECT count(*) FROM {}", table.name), [], |row| row.get::<_, i64>(0))
        .map(|count| u64::try_from(count).unwrap_or(0))
        .map_err(TraceError::sqlite(path, Place::table(table.name)))
}

/// Checks that the chunks of each table hold every row of it, and what the row says.
pub(crate) fn check(
    connection: &Connection,
    path: &Path,
    version: i64,
    report: &mut dyn FnMut(TraceError),
) -> Result<(), TraceError> {
    if version < SEARCHED_FROM {
        return Ok(());
    }
    let wrap = || TraceError::sqlite(path, Place::table(SEARCH.name));
    let lies = |id: i64, reason: String| TraceError::damaged(path, Place::row(SEARCH.name, id), reason);
    let sql = "SELECT id, source, from_position, to_position, events, packed FROM search ORDER BY id";
    let mut statement = connection.prepare(sql).map_err(wrap())?;
    let mut rows = statement.query([]).map_err(wrap())?;
    let mut held: HashMap<&str, (u64, i64)> = HashMap::new();
    while let Some(row) = rows.next().map_err(wrap())? {
        let id: i64 = row.get(0).map_err(wrap())?;
        let (source, from, to): (String, i64, i64) =
            row.get(1).and_then(|source| Ok((source, row.get(2)?, row.get(3)?))).map_err(wrap())?;
        let Some((_, table)) = EVENT_TABLES.into_iter().find(|(_, table)| table.name == source) else {
            report(lies(id, format!("{source:?} is no table of events")));
            continue;
        };
        let (count, last) = held.entry(table.name).or_insert((0, -1));
        // No row is read for two chunks, whatever a file says.
        if from <= *last {
            report(lies(id, "it does not begin after the one before".to_owned()));
            continue;
        }
        *last = to;
        let wrap = || TraceError::sqlite(path, Place::table(table.name));
        let sql = format!("{} WHERE position BETWEEN ?1 AND ?2 ORDER BY position", Columns::select(table));
        let mut columns = Columns::new(table);
        let mut statement = connection.prepare_cached(&sql).map_err(wrap())?;
        let mut of_chunk = statement.query([from, to]).map_err(wrap())?;
        let mut read = || -> rusqlite::Result<()> {
            while let Some(row) = of_chunk.next()? {
                columns.push(row)?;
            }
            Ok(())
        };
        if let Err(error) = read() {
            report(wrap()(error));
            continue;
        }
        let said: rusqlite::Result<Vec<Value>> = (0..6).map(|column| row.get(column)).collect();
        if columns.values(id, table) != Some(said.map_err(self::wrap(path))?) {
            report(lies(id, format!("it does not hold what table {source} says")));
        }
        *count += columns.rows() as u64;
    }
    for (table, (held, _)) in held {
        let Some((_, table)) = EVENT_TABLES.into_iter().find(|(_, of)| of.name == table) else { continue };
        let found = count(connection, path, table)?;
        if found != held {
            let reason = format!("it holds {held} rows of table {}, {found} are there", table.name);
            report(TraceError::damaged(path, Place::table(SEARCH.name), reason));
        }
    }
    Ok(())
}

fn wrap(path: &Path) -> impl FnOnce(rusqlite::Error) -> TraceError {
    TraceError::sqlite(path, Place::table(SEARCH.name))
}

/// Returns whether a table has chunks.
pub(crate) fn has_chunks(connection: &Connection, path: &Path, table: &Table) -> Result<bool, TraceError> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM search WHERE source = ?1)")
        .and_then(|mut statement| statement.query_row([table.name], |row| row.get(0)))
        .map_err(wrap(path))
}

/// Which chunks do not hold what was looked for last: one page of answers asks for the same text up
/// to three times, and so do those after it.
#[derive(Debug, Default)]
pub(crate) struct Without {
    needle: String,
    chunks: HashSet<i64>,
}

/// Gives the positions of a table that pass a filter to `each`, in order, until it wants no more.
/// Only for a table that has chunks, in a sealed file.
pub(crate) fn passing(
    connection: &Connection,
    path: &Path,
    table: &Table,
    (filter, after): (&EventFilter, Option<u64>),
    without: &mut Without,
    mut each: impl FnMut(u64) -> Result<bool, TraceError>,
) -> Result<(), TraceError> {
    let Some(needle) = filter.contains.as_deref().map(str::to_lowercase) else { return Ok(()) };
    if without.needle != needle {
        *without = Without { needle: needle.clone(), chunks: HashSet::new() };
    }
    let finder = Finder::new(&needle);
    let sql = "SELECT id, from_position, to_position, events FROM search WHERE source = ?1 AND to_position > ?2 AND \
        from_position <= ?3 ORDER BY id";
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let bounds = (table.name, after.map_or(-1, bound), filter.to_position.map_or(i64::MAX, bound));
    let mut statement = connection.prepare_cached(sql).map_err(wrap(path))?;
    let mut body = connection.prepare_cached("SELECT packed FROM search WHERE id = ?1").map_err(wrap(path))?;
    let mut rows = statement.query(bounds).map_err(wrap(path))?;
    let mut last = -1;
    while let Some(row) = rows.next().map_err(wrap(path))? {
        let read =
            || -> rusqlite::Result<(i64, [i64; 3])> { Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?])) };
        let (id, said) = read().map_err(wrap(path))?;
        let damaged = || TraceError::damaged(path, Place::row(SEARCH.name, id), "it is no chunk of columns");
        if said[0] <= std::mem::replace(&mut last, said[1]) {
            return Err(damaged());
        }
        if without.chunks.contains(&id) {
            continue;
        }
        let mut bodies = body.query([id]).map_err(wrap(path))?;
        let packed = bodies.next().map_err(wrap(path))?.ok_or_else(damaged)?;
        let packed = packed.get_ref(0).map_err(wrap(path))?.as_blob().map_err(|_| damaged())?;
        let chunk = Chunk::parse(table, said, packed).ok_or_else(damaged)?;
        let Some(found) = chunk.holding(&finder) else {
            without.chunks.insert(id);
            continue;
        };
        for (row, passes) in chunk.passing(filter, after, &found).into_iter().enumerate() {
            if passes && !each(chunk.position(row))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A chunk that is read.
struct Chunk<'d> {
    rows: usize,
    numbers: Vec<Numbers<'d>>,
    texts: Vec<Texts<'d>>,
}

/// A column of numbers.
struct Numbers<'d> {
    least: u64,
    width: usize,
    bytes: &'d [u8],
}

/// A column of texts.
struct Texts<'d> {
    of_row: Numbers<'d>,
    ends: Vec<usize>,
    bytes: &'d [u8],
}

impl<'d> Numbers<'d> {
    fn parse(packed: &mut &'d [u8], count: usize) -> Option<Self> {
        let least = u64::from_le_bytes(*packed.split_off(..8)?.first_chunk()?);
        let width = usize::from(*packed.split_off_first()?);
        let bytes = packed.split_off(..count.checked_mul(width)?)?;
        matches!(width, 0 | 1 | 2 | 4 | 8).then_some(Self { least, width, bytes })
    }

    fn get(&self, index: usize) -> u64 {
        let from = index * self.width;
        let mut number = [0; 8];
        // A constant length each: this is asked of every row.
        match (self.width, self.bytes.get(from..)) {
            (1, Some([one, ..])) => number[0] = *one,
            (2, Some([one, two, ..])) => number[..2].copy_from_slice(&[*one, *two]),
            (4, Some(bytes)) if bytes.len() >= 4 => number[..4].copy_from_slice(&bytes[..4]),
            (8, Some(bytes)) if bytes.len() >= 8 => number.copy_from_slice(&bytes[..8]),
            _ => {}
        }
        self.least.wrapping_add(u64::from_le_bytes(number))
    }
}

impl<'d> Texts<'d> {
    fn parse(packed: &mut &'d [u8], rows: usize) -> Option<Self> {
        let count = usize::try_from(u32::from_le_bytes(*packed.split_off(..4)?.first_chunk()?)).ok()?;
        // Each of them is the text of a row.
        if count > rows {
            return None;
        }
        let of_row = Numbers::parse(packed, rows)?;
        let ends = Numbers::parse(packed, count)?;
        let ends: Vec<usize> = (0..count).map(|index| usize::try_from(ends.get(index)).ok()).collect::<Option<_>>()?;
        let bytes = packed.split_off(..ends.last().copied().unwrap_or(0))?;
        ends.is_sorted().then_some(Self { of_row, ends, bytes })
    }

    /// Tells of each text whether it passes.
    fn that(&self, mut passes: impl FnMut(&str) -> bool) -> Vec<bool> {
        let mut from = 0;
        let mut each = |end: usize| {
            let text = self.bytes.get(from..end).and_then(|bytes| std::str::from_utf8(bytes).ok());
            from = end;
            text.is_some_and(&mut passes)
        };
        self.ends.iter().map(|end| each(*end)).collect()
    }

    /// Tells of each text whether it holds what is looked for.
    fn holding(&self, finder: &Finder<'_>) -> Vec<bool> {
        let length = finder.needle().len();
        if length == 0 {
            return vec![true; self.ends.len()];
        }
        let mut found = vec![false; self.ends.len()];
        let (mut number, mut from) = (0, 0);
        while let Some(hit) = self.bytes.get(from..).and_then(|bytes| finder.find(bytes)).map(|hit| from + hit) {
            while self.ends.get(number).is_some_and(|end| *end <= hit) {
                number += 1;
            }
            let Some(end) = self.ends.get(number) else { break };
            found[number] = hit + length <= *end;
            // Found, or nothing that begins later in this text ends in it either.
            from = *end;
        }
        found
    }
}

impl<'d> Chunk<'d> {
    /// Reads a chunk; `said` are its first position, its last, and how many rows it has.
    fn parse(table: &Table, said: [i64; 3], mut packed: &'d [u8]) -> Option<Self> {
        let shape = shape(table);
        // Positions rise, so that each row takes a byte at least, but for the first.
        let rows = usize::try_from(said[2]).ok().filter(|rows| (1..=packed.len()).contains(rows))?;
        let numbers = shape.numbers.iter().map(|_| Numbers::parse(&mut packed, rows)).collect::<Option<Vec<_>>>()?;
        let texts = shape.texts.iter().map(|_| Texts::parse(&mut packed, rows)).collect::<Option<Vec<_>>>()?;
        let chunk = Self { rows, numbers, texts };
        let ends = [chunk.position(0), chunk.position(rows - 1)];
        let as_said = ends.map(i64::try_from) == [Ok(said[0]), Ok(said[1])];
        let rising = (1..rows).all(|row| chunk.position(row - 1) < chunk.position(row));
        (as_said && rising && packed.is_empty()).then_some(chunk)
    }

    fn position(&self, row: usize) -> u64 {
        self.numbers.first().map_or(0, |positions| positions.get(row))
    }

    /// Tells which of the texts that are searched hold what is looked for; none if none does.
    fn holding(&self, finder: &Finder<'_>) -> Option<Vec<Vec<bool>>> {
        let found: Vec<_> = self.texts.iter().take(SEARCHED).map(|texts| texts.holding(finder)).collect();
        found.iter().any(|found| found.contains(&true)).then_some(found)
    }

    /// Tells of each row whether it passes: what [`EventFilter::passes`] asks, of a table whose
    /// kind is wanted.
    fn passing(&self, filter: &EventFilter, after: Option<u64>, found: &[Vec<bool>]) -> Vec<bool> {
        let mut keep = vec![true; self.rows];
        narrow(&mut keep, |row| found.iter().zip(&self.texts).any(|(found, texts)| is_at(found, &texts.of_row, row)));
        let in_bounds = |number: u64, from: Option<u64>, to: Option<u64>| {
            from.is_none_or(|from| number >= from) && to.is_none_or(|to| number <= to)
        };
        let from_position = after.map(|after| after.saturating_add(1));
        let bounds = [
            (from_position, filter.to_position),
            (filter.from_step.map(u64::from), filter.to_step.map(u64::from)),
            (filter.tab.map(u64::from), filter.tab.map(u64::from)),
            (filter.since_ms, None),
        ];
        for ((from, to), column) in bounds.into_iter().zip(&self.numbers) {
            if from.is_some() || to.is_some() {
                narrow(&mut keep, |row| in_bounds(column.get(row), from, to));
            }
        }
        if let (true, Some(levels)) = (filter.is_about_console(), self.texts.get(2)) {
            let wanted = levels.that(|level| {
                (filter.levels.is_empty() || filter.levels.iter().any(|wanted| wanted == level))
                    && !filter.without_levels.iter().any(|unwanted| unwanted == level)
            });
            narrow(&mut keep, |row| is_at(&wanted, &levels.of_row, row));
        }
        if filter.is_about_requests() {
            self.narrow_requests(filter, &mut keep);
        }
        keep
    }

    fn narrow_requests(&self, filter: &EventFilter, keep: &mut [bool]) {
        let ([_, _, _, _, statuses, durations], [_, failures, methods, types, hosts]) =
            (self.numbers.as_slice(), self.texts.as_slice())
        else {
            keep.fill(false);
            return;
        };
        if filter.min_status.is_some() || !filter.statuses.is_empty() {
            narrow(keep, |row| {
                let status = statuses.get(row);
                filter.min_status.is_none_or(|least| status >= u64::from(least))
                    && (filter.statuses.is_empty()
                        || filter
                            .statuses
                            .iter()
                            .any(|(from, to)| (u64::from(*from)..=u64::from(*to)).contains(&status)))
            });
        }
        if let Some(wanted) = filter.failed {
            let failed = failures.that(|failure| !failure.is_empty());
            narrow(keep, |row| (statuses.get(row) >= 400 || is_at(&failed, &failures.of_row, row)) == wanted);
        }
        if let Some(least) = filter.min_duration_ms {
            narrow(keep, |row| durations.get(row) >= least);
        }
        for (wanted, found) in [(&filter.methods, methods), (&filter.resource_types, types)] {
            if !wanted.is_empty() {
                let passes = found.that(|text| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(text)));
                narrow(keep, |row| is_at(&passes, &found.of_row, row));
            }
        }
        if let Some(domain) = &filter.domain {
            let domain = domain.to_ascii_lowercase();
            let passes = hosts.that(|host| host.contains(&domain));
            narrow(keep, |row| is_at(&passes, &hosts.of_row, row));
        }
    }
}

fn narrow(keep: &mut [bool], passes: impl Fn(usize) -> bool) {
    for (row, keep) in keep.iter_mut().enumerate() {
        *keep = *keep && passes(row);
    }
}

/// Returns what is said of the text that a row has.
fn is_at(said: &[bool], of_row: &Numbers<'_>, row: usize) -> bool {
    usize::try_from(of_row.get(row)).ok().and_then(|number| said.get(number)).copied().unwrap_or(false)
}
