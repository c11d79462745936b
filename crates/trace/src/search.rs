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

mod chunk;

use crate::db::Db;
use crate::error::TraceError;
use crate::rows::{int, text};
use crate::schema::{EVENT_TABLES, SEARCH, SEARCHED_FROM, Table};
use browserlens_core::strategy::{EventFilter, host_of};
use chunk::Chunk;
use memchr::memmem::Finder;
use rusqlite::Row;
use rusqlite::types::Value;
use std::collections::{HashMap, HashSet};

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
/// [`browserlens_core::strategy::EventKind::searched`] names them.
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
pub(crate) fn write(db: &Db, options: SearchOptions) -> Result<(), TraceError> {
    db.transaction(SEARCH.place(), || {
        let mut id = 0;
        for (_, table) in EVENT_TABLES {
            if db.count(table)? < options.from_rows.max(1) {
                continue;
            }
            let mut insert = |columns: &Columns| {
                id += 1;
                columns.values(id, table).map_or(Ok(()), |values| db.insert(&SEARCH, values))
            };
            let mut columns = Columns::new(table);
            db.each(table.place(), &format!("{} ORDER BY position", Columns::select(table)), [], |row| {
                columns.push(row)?;
                if columns.rows() >= options.rows || columns.bytes() >= options.bytes {
                    insert(&std::mem::replace(&mut columns, Columns::new(table)))?;
                }
                Ok(true)
            })?;
            if columns.rows() > 0 {
                insert(&columns)?;
            }
        }
        Ok(())
    })
}

/// Checks that the chunks of each table hold every row of it, and what the row says.
pub(crate) fn check(db: &Db, version: i64, findings: &mut Vec<TraceError>) -> Result<(), TraceError> {
    if version < SEARCHED_FROM {
        return Ok(());
    }
    let lies = |id: i64, reason: String| db.damaged(SEARCH.row(id), reason);
    let mut held: HashMap<&str, (&Table, u64, i64)> = HashMap::new();
    db.each(SEARCH.place(), &format!("SELECT {} FROM search ORDER BY id", SEARCH.list()), [], |row| {
        let (id, source): (i64, String) = (row.get(0)?, row.get(1)?);
        let (from, to): (i64, i64) = (row.get(2)?, row.get(3)?);
        let Some((_, table)) = EVENT_TABLES.into_iter().find(|(_, table)| table.name == source) else {
            findings.push(lies(id, format!("{source:?} is no table of events")));
            return Ok(true);
        };
        let (_, count, last) = held.entry(table.name).or_insert((table, 0, -1));
        // No row is read for two chunks, whatever a file says.
        if from <= *last {
            findings.push(lies(id, "it does not begin after the one before".to_owned()));
            return Ok(true);
        }
        *last = to;
        let sql = format!("{} WHERE position BETWEEN ?1 AND ?2 ORDER BY position", Columns::select(table));
        let mut columns = Columns::new(table);
        let read = db.each(table.place(), &sql, [from, to], |row| {
            columns.push(row)?;
            Ok(true)
        });
        if let Err(error) = read {
            findings.push(error);
            return Ok(true);
        }
        let said =
            (0..SEARCH.columns().len()).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>()?;
        if columns.values(id, table) != Some(said) {
            findings.push(lies(id, format!("it does not hold what table {source} says")));
        }
        *count += columns.rows() as u64;
        Ok(true)
    })?;
    for (table, held, _) in held.into_values() {
        let found = db.count(table)?;
        if found != held {
            let reason = format!("it holds {held} rows of table {}, {found} are there", table.name);
            findings.push(db.damaged(SEARCH.place(), reason));
        }
    }
    Ok(())
}

/// Returns whether a table has chunks.
pub(crate) fn has_chunks(db: &Db, table: &Table) -> Result<bool, TraceError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM search WHERE source = ?1)";
    Ok(db.first(SEARCH.place(), sql, [table.name], |row| row.get(0))? == Some(true))
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
    db: &Db,
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
    let mut last = -1;
    db.each(SEARCH.place(), sql, bounds, |row| {
        let (id, said): (i64, [i64; 3]) = (row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?]);
        let damaged = || db.damaged(SEARCH.row(id), "it is no chunk of columns");
        if said[0] <= std::mem::replace(&mut last, said[1]) {
            return Err(damaged().into());
        }
        if without.chunks.contains(&id) {
            return Ok(true);
        }
        let packed = "SELECT packed FROM search WHERE id = ?1";
        let packed: Vec<u8> = db.first(SEARCH.row(id), packed, [id], |row| row.get(0))?.ok_or_else(damaged)?;
        let chunk = Chunk::parse(table, said, &packed).ok_or_else(damaged)?;
        let Some(found) = chunk.holding(&finder) else {
            without.chunks.insert(id);
            return Ok(true);
        };
        for (row, passes) in chunk.passing(filter, after, &found).into_iter().enumerate() {
            if passes && !each(chunk.position(row))? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}
