//! Columns of a Parquet file, read row by row.
//!
//! In: a file. Out: [`Cursor`]s over columns of text and bytes. Invariants: no page is unpacked
//! before its own header, which is read here first, says that it fits; no column has more values
//! than [`Limits`] allow; a page that does not fit costs the rows that it holds, and a damaged one
//! those behind it. Only Snappy is unpacked: of its texts the length is known before. Values are
//! decoded here, because the library trusts its pages.

use crate::error::ImportError;
use crate::limits::Limits;
use bytes::Bytes;
use heads::Head;
use parquet::basic::{Compression, Type};
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use values::{Level, Values};

mod heads;
mod shapes;
mod values;

/// What a Parquet file begins and ends with.
pub(crate) const MAGIC: &[u8; 4] = b"PAR1";
/// Largest footer, which is read whole.
const MOST_FOOTER: u64 = 64 << 20;

/// A file that is open.
pub(crate) struct Table<R> {
    path: PathBuf,
    source: Arc<R>,
    meta: ParquetMetaData,
    limits: Limits,
}

/// One value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// There is none.
    Null,
    /// It is there.
    Bytes(Bytes),
    /// It cannot be had, and why.
    Lost(String),
}

/// A column of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    leaf: usize,
    is_list: bool,
}

impl<R: ChunkReader + 'static> Table<R> {
    pub(crate) fn open(path: &Path, source: R, limits: Limits) -> Result<Self, ImportError> {
        let said = |reason: String| ImportError::malformed(path, "the footer", reason);
        let length = source.len();
        let mut tail = [0; 8];
        let start = length.checked_sub(8).ok_or_else(|| said("it is no Parquet: it is too short".to_owned()))?;
        let read = source.get_read(start).map_err(|error| said(error.to_string()))?.read_exact(&mut tail);
        read.map_err(|error| said(error.to_string()))?;
        if &tail[4..] != MAGIC {
            return Err(said("it has no end: the file is truncated, or no Parquet".to_owned()));
        }
        let footer = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
        if footer > MOST_FOOTER {
            return Err(ImportError::too_large(path, "the footer", "its size", MOST_FOOTER));
        }
        let at = start.checked_sub(footer).ok_or_else(|| said("it is longer than the file".to_owned()))?;
        let footer = source.get_bytes(at, footer as usize).map_err(|error| said(error.to_string()))?;
        heads::check_footer(&footer).map_err(said)?;
        let meta = ParquetMetaDataReader::new().parse_and_finish(&source).map_err(|error| said(error.to_string()))?;
        let rows: u64 = meta
            .row_groups()
            .iter()
            .map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX))
            .fold(0, u64::saturating_add);
        if rows > limits.entries {
            return Err(ImportError::too_large(path, "the footer", "its number of rows", limits.entries));
        }
        Ok(Self { path: path.to_owned(), source: Arc::new(source), meta, limits })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn groups(&self) -> usize {
        self.meta.num_row_groups()
    }

    pub(crate) fn rows(&self, group: usize) -> u64 {
        self.meta.row_groups().get(group).map_or(0, |group| u64::try_from(group.num_rows()).unwrap_or(0))
    }

    /// Finds a column by its path, such as `screenshot.bytes`; a list by its own name. None if it
    /// is not there.
    pub(crate) fn column(&self, name: &str, is_list: bool) -> Result<Option<Column>, ImportError> {
        let schema = self.meta.file_metadata().schema_descr();
        let said = |reason: String| ImportError::malformed(&self.path, format!("column {name:?}"), reason);
        let mut found = None;
        for (leaf, column) in schema.columns().iter().enumerate() {
            let parts = column.path().parts();
            let is_it =
                if is_list { parts.first().is_some_and(|first| first == name) } else { parts.join(".") == name };
            if !is_it {
                // A name that is there with something else below it is of another type.
                if !is_list && parts.first().is_some_and(|first| first == name) {
                    return Err(said("it is no text: it has parts".to_owned()));
                }
                continue;
            }
            if found.is_some() {
                return Err(said("it is there twice".to_owned()));
            }
            let (repeats, kind) = (column.max_rep_level(), column.physical_type());
            if kind != Type::BYTE_ARRAY {
                return Err(said(format!("it is of type {kind}, and text was expected")));
            }
            if repeats != i16::from(is_list) {
                let (is, expected) = if is_list { ("no list", "a list of texts") } else { ("a list", "one text") };
                return Err(said(format!("it is {is}, and {expected} was expected")));
            }
            found = Some(Column { leaf, is_list });
        }
        Ok(found)
    }

    /// Opens a column of a row group. `most` is the size of the largest page that is unpacked.
    pub(crate) fn cursor(&self, group: usize, column: Column, most: u64) -> Result<Cursor, String> {
        let Some(chunk) = self.meta.row_groups().get(group).and_then(|group| group.columns().get(column.leaf)) else {
            return Err("the row group has no such column".to_owned());
        };
        let rows = self.rows(group);
        if !matches!(chunk.compression(), Compression::UNCOMPRESSED | Compression::SNAPPY) {
            return Err(format!(
                "it is compressed by {}, which is not read: write it with Snappy",
                chunk.compression()
            ));
        }
        let span = span(chunk, self.source.len())?;
        let heads = heads::read(&*self.source, span, self.limits.nodes as u64)?;
        too_large(&heads, most, column.is_list)?;
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let pages = SerializedPageReader::new(Arc::clone(&self.source), chunk, rows, None);
        let pages = Box::new(pages.map_err(|error| error.to_string())?);
        let descriptor = chunk.column_descr();
        let [levels, repeats] =
            [descriptor.max_def_level(), descriptor.max_rep_level()].map(|most| u32::from(most.unsigned_abs()));
        Ok(Cursor {
            pages,
            heads: heads.into(),
            most,
            levels,
            repeats,
            dictionary: Vec::new(),
            dictionary_bytes: 0,
            page: Reading::Nothing,
            held: None,
            at: 0,
            rows: rows as u64,
            failed: None,
        })
    }
}

/// Where a column's pages lie.
fn span(chunk: &ColumnChunkMetaData, length: u64) -> Result<Range<u64>, String> {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    let (start, bytes) = (u64::try_from(start).ok(), u64::try_from(chunk.compressed_size()).ok());
    let end = start.zip(bytes).and_then(|(start, bytes)| start.checked_add(bytes)).filter(|end| *end <= length);
    match (start, end) {
        (Some(start), Some(end)) => Ok(start..end),
        _ => Err("its pages lie outside the file".to_owned()),
    }
}

/// Refuses what cannot be gone over: a dictionary that is too large, and a page of lists, whose
/// rows nobody knows.
fn too_large(heads: &[Head], most: u64, is_list: bool) -> Result<(), String> {
    let dictionary: u64 = heads.iter().filter(|head| head.is_dictionary).map(|head| head.bytes).sum();
    let needed = |head: &&Head| head.is_dictionary || is_list;
    match heads.iter().filter(needed).map(|head| head.bytes).chain([dictionary]).max() {
        Some(bytes) if bytes > most => Err(format!("a page of it has {bytes} bytes, and {most} is the limit")),
        _ => Ok(()),
    }
}

/// Reads one column of one row group from its first row to its last.
pub(crate) struct Cursor {
    pages: Box<dyn PageReader>,
    heads: VecDeque<Head>,
    most: u64,
    /// The largest levels of its values.
    levels: u32,
    repeats: u32,
    dictionary: Vec<Bytes>,
    dictionary_bytes: u64,
    page: Reading,
    /// What was read of the next row while looking for the end of one.
    held: Option<Level>,
    at: u64,
    rows: u64,
    failed: Option<String>,
}

/// The page that is being read, and how many of its levels are left.
enum Reading {
    Nothing,
    Values(Box<Values>, u64),
    /// It is too large.
    Lost(u64),
}

impl Cursor {
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Goes on to a row that is not yet read.
    pub(crate) fn skip_to(&mut self, row: u64) {
        while self.at < row.min(self.rows) && self.failed.is_none() {
            drop(self.value());
        }
    }

    /// Returns the next row's value; of a column of lists, [`Cursor::list`] does.
    pub(crate) fn value(&mut self) -> Cell {
        match self.level() {
            Ok(Some(level)) => {
                self.at += 1;
                level.text.map_or(Cell::Null, Cell::Bytes)
            }
            Ok(None) => {
                self.at += 1;
                Cell::Lost(format!("it lies in a page of more than {} bytes", self.most))
            }
            Err(reason) => Cell::Lost(reason),
        }
    }

    /// Returns the values of the next row.
    pub(crate) fn list(&mut self) -> Result<Vec<Bytes>, String> {
        let mut values = Vec::new();
        let mut is_first = true;
        loop {
            let level = match self.held.take() {
                Some(level) => level,
                // The last row ends with its column.
                None if !is_first && self.is_over() => break,
                None => self.level()?.ok_or("a page of it is too large")?,
            };
            if level.begins && !is_first {
                self.held = Some(level);
                break;
            }
            is_first = false;
            values.extend(level.text);
        }
        self.at += 1;
        Ok(values)
    }

    fn is_over(&self) -> bool {
        let left = match self.page {
            Reading::Nothing => 0,
            Reading::Values(_, left) | Reading::Lost(left) => left,
        };
        left == 0 && self.heads.iter().all(|head| head.is_dictionary || head.values == 0)
    }

    /// Returns the next level; none in a page that is too large.
    fn level(&mut self) -> Result<Option<Level>, String> {
        if let Some(reason) = &self.failed {
            return Err(reason.clone());
        }
        let read = self.next_level();
        if let Err(reason) = &read {
            self.failed = Some(reason.clone());
        }
        read
    }

    fn next_level(&mut self) -> Result<Option<Level>, String> {
        loop {
            match &mut self.page {
                Reading::Values(values, left) if *left > 0 => {
                    *left -= 1;
                    return values.next(&self.dictionary).map(Some);
                }
                Reading::Lost(left) if *left > 0 => {
                    *left -= 1;
                    return Ok(None);
                }
                _ => self.turn()?,
            }
        }
    }

    /// Goes to the next page.
    fn turn(&mut self) -> Result<(), String> {
        // The page before is let go before the next one is unpacked.
        self.page = Reading::Nothing;
        let said = |error: ParquetError| error.to_string();
        let Some(head) = self.heads.pop_front() else { return Err("it ends before the last row".to_owned()) };
        if !head.is_dictionary && head.bytes > self.most - self.dictionary_bytes {
            self.pages.skip_next_page().map_err(said)?;
            self.page = Reading::Lost(head.values);
            return Ok(());
        }
        let Some(page) = self.pages.get_next_page().map_err(said)? else {
            return Err("it ends before the last row".to_owned());
        };
        if head.is_dictionary {
            self.dictionary = values::dictionary(&page)?;
            self.dictionary_bytes = head.bytes;
        } else {
            let values = Values::new(&page, self.levels, self.repeats)?;
            self.page = Reading::Values(Box::new(values), head.values);
        }
        Ok(())
    }
}
