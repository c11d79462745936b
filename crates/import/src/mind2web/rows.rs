//! Multimodal-Mind2Web: Parquet files of actions, one a row, as the publisher lays them out.
//!
//! In: files, which together may hold the actions of a task in any order. Out: a [`Plan`] for each
//! task, in the order of their first rows. Invariants: the files are read once to find out which
//! rows there are and whether their pages can be had; pages themselves are read again when a step
//! is made, one at a time; a row that cannot be read is passed over and said.

use super::page::marked;
use super::{About, Candidate, DataSet, Done, Operation, Told, VIEWPORT, checked, plan};
use crate::columns::{Cell, Column, Cursor, Table};
use crate::error::ImportError;
use crate::limits::Limits;
use crate::plan::{Pages, Plan};
use crate::scene::Scene;
use browserlens_core::sync::locked;
use browserlens_trace::files_below;
use parquet::file::reader::ChunkReader;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const SET: DataSet = DataSet {
    format: "multimodal-mind2web",
    name: "osunlp/Multimodal-Mind2Web",
    licence: "OpenRAIL (as its publisher states it)",
};
/// Most bytes of a page of small columns that are unpacked at once.
const SMALL_PAGE: u64 = 16 << 20;
/// Most bytes of texts that are kept of all rows.
const MOST_KEPT: u64 = 256 << 20;

/// Returns the Parquet files that an input means: itself, or those of a folder in the order of
/// their names.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
    if !path.is_dir() {
        return Ok(if super::is_table(path)? { vec![path.to_owned()] } else { Vec::new() });
    }
    let listed = files_below(path, "parquet", |_| false);
    let mut found = listed.map_err(|(_, error)| ImportError::io(path, "list the folder")(error))?;
    found.retain(|file| file.is_file());
    if found.is_empty() {
        return Err(ImportError::empty(path, "the folder holds no *.parquet"));
    }
    Ok(found)
}

/// Reads the tasks of all files.
pub(crate) fn read(
    paths: &[PathBuf],
    limits: &Limits,
    take: impl FnMut(Plan, &Path) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let open = |path: &PathBuf| Ok((path.clone(), File::open(path).map_err(ImportError::io(path, "open the file"))?));
    read_from(paths.iter().map(open).collect::<Result<_, ImportError>>()?, limits, take)
}

pub(crate) fn read_from<R: ChunkReader + 'static>(
    sources: Vec<(PathBuf, R)>,
    limits: &Limits,
    mut take: impl FnMut(Plan, &Path) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut tables = Vec::new();
    for (path, source) in sources {
        tables.push(Read::new(Table::open(&path, source, *limits)?)?);
    }
    let mut found = Found::default();
    for (file, table) in tables.iter().enumerate() {
        found.add(file, table, limits)?;
    }
    let Some(first) = tables.first().map(|read| read.table.path().to_owned()) else { return Ok(()) };
    if found.tasks.is_empty() {
        return Err(ImportError::empty(&first, "it has no rows"));
    }
    let shared = Arc::new(Shared { tables, open: Mutex::new(None), limits: *limits });
    for (number, mut task) in found.tasks.into_iter().enumerate() {
        task.rows.sort_by_key(|row| row.number);
        let mut gaps: Vec<String> = shared.tables.iter().flat_map(|read| read.gaps.iter().cloned()).collect();
        gaps.append(&mut task.gaps);
        if task.actions > task.rows.len() {
            gaps.push(format!("{} of the task's {} actions are in these files", task.rows.len(), task.actions));
        }
        let twice = task.rows.windows(2).filter(|pair| pair[0].number == pair[1].number).count();
        if twice > 0 {
            gaps.push(format!("{twice} actions have the number of another one: they come in the order of their rows"));
        }
        let (told, places): (Vec<Told>, Vec<RowPosition>) =
            task.rows.into_iter().map(|row| (row.told, row.place)).unzip();
        let path = shared.tables[places[0].file].table.path().to_owned();
        let made = plan(&SET, &format!("task {}", number + 1), task.about, &told, gaps, |kept, url| {
            let rows = kept.into_iter().map(|at| (places[at], told[at].done.clone())).collect();
            Box::new(InTables { shared: Arc::clone(&shared), rows, url })
        });
        made.map_or(Ok(()), |plan| take(plan, &path))?;
    }
    Ok(())
}

/// Where a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowPosition {
    file: usize,
    group: usize,
    row: u64,
}

/// One row.
struct ActionRow {
    place: RowPosition,
    /// Its number among the actions of its task.
    number: u64,
    told: Told,
}

/// The rows of one task.
#[derive(Default)]
struct Task {
    about: About,
    rows: Vec<ActionRow>,
    /// How many actions the task has, as its rows say.
    actions: usize,
    gaps: Vec<String>,
}

/// A file and its columns.
struct Read<R> {
    table: Table<R>,
    html: Column,
    operation: Column,
    task: Column,
    others: Vec<Option<Column>>,
    candidates: Option<Column>,
    reprs: Option<Column>,
    screenshot: Option<Column>,
    gaps: Vec<String>,
}

/// Columns of text that a task can do without, in the order in which they are read.
const OTHERS: [&str; 6] = ["action_uid", "target_action_index", "website", "domain", "subdomain", "confirmed_task"];

impl<R: ChunkReader + 'static> Read<R> {
    fn new(table: Table<R>) -> Result<Self, ImportError> {
        let needed = |name: &str| {
            let column = table.column(name, false)?;
            column.ok_or_else(|| ImportError::malformed(table.path(), format!("column {name:?}"), "it is not there"))
        };
        let (html, operation, task) = (needed("raw_html")?, needed("operation")?, needed("annotation_id")?);
        let mut gaps = Vec::new();
        let mut wanted = |name: &str, is_list: bool| {
            let column = table.column(name, is_list)?;
            if column.is_none() {
                gaps.push(format!("the data has no column {name:?}"));
            }
            Ok::<_, ImportError>(column)
        };
        let others = OTHERS.iter().map(|name| wanted(name, false)).collect::<Result<_, _>>()?;
        let (candidates, reprs) = (wanted("pos_candidates", true)?, wanted("action_reprs", true)?);
        let screenshot = wanted("screenshot.bytes", false)?;
        Ok(Self { table, html, operation, task, others, candidates, reprs, screenshot, gaps })
    }

    /// Opens a column of a row group; an error names both.
    fn cursor(&self, group: usize, name: &str, column: Column, most: u64) -> Result<Cursor, ImportError> {
        self.table.cursor(group, column, most).map_err(|reason| {
            ImportError::malformed(self.table.path(), format!("row group {}, column {name:?}", group + 1), reason)
        })
    }
}

#[derive(Default)]
struct Found {
    tasks: Vec<Task>,
    by_id: HashMap<String, usize>,
    kept: u64,
    read: u64,
}

impl Found {
    /// Looks at every row of a file.
    fn add<R: ChunkReader + 'static>(
        &mut self,
        file: usize,
        read: &Read<R>,
        limits: &Limits,
    ) -> Result<(), ImportError> {
        for group in 0..read.table.groups() {
            let mut columns = Columns::open(read, group, limits)?;
            for row in 0..read.table.rows(group) {
                let place = RowPosition { file, group, row };
                let looked = columns.row(&read.table, place, limits)?;
                self.kept += 256 + looked.bytes();
                self.read += looked.page_bytes;
                let over =
                    |what, limit| Err(ImportError::too_large(read.table.path(), place.said("raw_html"), what, limit));
                if self.kept > MOST_KEPT {
                    return over("what its rows tell", MOST_KEPT);
                }
                if self.read > limits.total_bytes {
                    return over("what its pages hold", limits.total_bytes);
                }
                self.take(looked, place, read.others[1].is_some());
            }
        }
        Ok(())
    }

    /// Puts a row to its task.
    fn take(&mut self, mut looked: Looked, place: RowPosition, is_numbered: bool) {
        let id = looked.about.annotation_id.clone();
        let at = *self.by_id.entry(id).or_insert_with(|| {
            self.tasks.push(Task { about: looked.about.clone(), ..Task::default() });
            self.tasks.len() - 1
        });
        let task = &mut self.tasks[at];
        let number = looked.number.trim().parse().unwrap_or_else(|_| {
            if is_numbered {
                looked.gaps.push(format!("{}: {:?} is no number", place.said("target_action_index"), looked.number));
            }
            task.rows.len() as u64
        });
        if task.about.confirmed_task != looked.about.confirmed_task {
            looked.gaps.push("its rows tell different goals: that of the first is taken".to_owned());
        }
        task.actions = task.actions.max(looked.actions);
        task.gaps.append(&mut looked.gaps);
        task.rows.push(ActionRow { place, number, told: looked.told });
    }
}

/// What the first look at a row tells.
struct Looked {
    about: About,
    number: String,
    told: Told,
    page_bytes: u64,
    actions: usize,
    gaps: Vec<String>,
}

impl Looked {
    /// Returns how many bytes of it are kept.
    fn bytes(&self) -> u64 {
        let (about, done) = (&self.about, &self.told.done);
        let operation = &done.operation;
        let texts = [&about.annotation_id, &about.website, &about.domain, &about.subdomain, &about.confirmed_task];
        let told = [&self.number, &done.uid, &operation.op, &operation.original_op, &operation.value];
        let candidates = done.candidates.iter().map(|candidate| candidate.backend_node_id.0.len() + 32);
        let gaps = self.gaps.iter().map(String::len);
        let texts = texts.iter().chain(&told).map(|text| text.len());
        texts.chain(candidates).chain(gaps).sum::<usize>() as u64
    }
}

impl RowPosition {
    fn said(self, column: &str) -> String {
        format!("row group {}, row {}, column {column:?}", self.group + 1, self.row + 1)
    }
}

/// The columns of one row group, read side by side.
struct Columns {
    /// Or why none of its pages can be had.
    html: Result<Cursor, String>,
    operation: Cursor,
    ids: Cursor,
    others: Vec<Option<Cursor>>,
    candidates: Option<Cursor>,
    reprs: Option<Cursor>,
}

impl Columns {
    fn open<R: ChunkReader + 'static>(read: &Read<R>, group: usize, limits: &Limits) -> Result<Self, ImportError> {
        let table = &read.table;
        let open = |name: &str, column: Column, most: u64| read.cursor(group, name, column, most);
        let small =
            |name: &str, column: Option<Column>| column.map(|column| open(name, column, SMALL_PAGE)).transpose();
        Ok(Self {
            html: table.cursor(group, read.html, limits.column_page_bytes),
            operation: open("operation", read.operation, SMALL_PAGE)?,
            ids: open("annotation_id", read.task, SMALL_PAGE)?,
            others: OTHERS
                .iter()
                .zip(&read.others)
                .map(|(name, column)| small(name, *column))
                .collect::<Result<_, _>>()?,
            candidates: read.candidates.map(|column| open("pos_candidates", column, limits.line_bytes)).transpose()?,
            reprs: small("action_reprs", read.reprs)?,
        })
    }

    /// Looks at the next row.
    fn row<R: ChunkReader + 'static>(
        &mut self,
        table: &Table<R>,
        place: RowPosition,
        limits: &Limits,
    ) -> Result<Looked, ImportError> {
        let malformed = |name: &str, reason: String| ImportError::malformed(table.path(), place.said(name), reason);
        let annotation_id = match text(self.ids.value()) {
            Ok(Some(id)) if !id.is_empty() => id,
            Ok(_) => return Err(malformed("annotation_id", "a row has no task".to_owned())),
            Err(reason) => return Err(malformed("annotation_id", reason)),
        };
        let mut gaps = Vec::new();
        let mut texts = OTHERS.iter().zip(&mut self.others).map(|(name, cursor)| {
            let value = cursor.as_mut().map_or(Ok(None), |cursor| text(cursor.value()));
            value.unwrap_or_else(|reason| {
                gaps.push(format!("{}: {reason}", place.said(name)));
                None
            })
        });
        let mut next = || texts.next().flatten().unwrap_or_default();
        let (uid, number) = (next(), next());
        let about = About { annotation_id, website: next(), domain: next(), subdomain: next(), confirmed_task: next() };
        let operation = text(self.operation.value()).and_then(|told| {
            serde_json::from_str::<Operation>(&told.unwrap_or_default()).map_err(|error| error.to_string())
        });
        let mut candidates = Vec::new();
        if let Some(cursor) = &mut self.candidates {
            for raw in cursor.list().map_err(|reason| malformed("pos_candidates", reason))? {
                match serde_json::from_slice::<Candidate>(&raw) {
                    Ok(candidate) => candidates.push(candidate),
                    Err(error) => {
                        gaps.push(format!("{}: a candidate cannot be read: {error}", place.said("pos_candidates")));
                    }
                }
            }
        }
        let actions = match &mut self.reprs {
            Some(cursor) => cursor.list().map_err(|reason| malformed("action_reprs", reason))?.len(),
            None => 0,
        };
        let unreadable = operation.as_ref().err().map(|reason| format!("its operation cannot be read: {reason}"));
        let done = Done { uid, operation: operation.unwrap_or_default(), candidates };
        let mut page_bytes = 0;
        let page = match self.html.as_mut().map(Cursor::value) {
            Ok(Cell::Bytes(bytes)) => {
                page_bytes = bytes.len() as u64;
                utf8(&bytes).and_then(|html| checked(html, limits).map(|()| marked(html, &done).1))
            }
            Ok(Cell::Null) => Err("it is empty".to_owned()),
            Ok(Cell::Lost(reason)) => Err(reason),
            Err(reason) => Err(reason.clone()),
        };
        let page = unreadable.map_or(page, Err);
        Ok(Looked { about, number, told: Told { done, page }, page_bytes, actions, gaps })
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))
}

fn text(cell: Cell) -> Result<Option<String>, String> {
    match cell {
        Cell::Null => Ok(None),
        Cell::Lost(reason) => Err(reason),
        Cell::Bytes(bytes) => utf8(&bytes).map(|text| Some(text.to_owned())),
    }
}

/// What the plans of all files read their pages from.
struct Shared<R> {
    tables: Vec<Read<R>>,
    open: Mutex<Option<Open>>,
    limits: Limits,
}

/// The row group that is being read, and the last row that was.
struct Open {
    at: RowPosition,
    html: Cursor,
    screenshot: Option<Cursor>,
    /// Its page and picture.
    last: (Cell, Cell),
}

impl<R: ChunkReader + 'static> Shared<R> {
    /// Returns page and picture of a row.
    fn row(&self, place: RowPosition) -> Result<(Cell, Cell), ImportError> {
        let read = &self.tables[place.file];
        let mut open = locked(&self.open);
        if let Some(open) = open.as_ref().filter(|open| open.at == place) {
            return Ok(open.last.clone());
        }
        let goes_on = open.as_ref().is_some_and(|open| {
            (open.at.file, open.at.group) == (place.file, place.group) && open.html.at() <= place.row
        });
        if !goes_on {
            // What was open is let go before more is unpacked.
            *open = None;
            let most = self.limits.column_page_bytes;
            let cursor = |name: &str, column: Column| read.cursor(place.group, name, column, most);
            *open = Some(Open {
                at: place,
                html: cursor("raw_html", read.html)?,
                // A picture is no reason to fail.
                screenshot: read.screenshot.and_then(|column| cursor("screenshot.bytes", column).ok()),
                last: (Cell::Null, Cell::Null),
            });
        }
        let Some(open) = open.as_mut() else { return Ok((Cell::Null, Cell::Null)) };
        open.at = place;
        open.last = (Cell::Null, Cell::Null);
        open.html.skip_to(place.row);
        let html = open.html.value();
        let screenshot = open.screenshot.as_mut().map_or(Cell::Null, |cursor| {
            cursor.skip_to(place.row);
            cursor.value()
        });
        open.last = (html, screenshot);
        Ok(open.last.clone())
    }
}

/// The pages of one task.
struct InTables<R> {
    shared: Arc<Shared<R>>,
    rows: Vec<(RowPosition, Done)>,
    url: String,
}

impl<R: ChunkReader + 'static> Pages for InTables<R> {
    fn scene(&self, step: usize) -> Result<Scene, ImportError> {
        let (place, done) = &self.rows[step.min(self.rows.len() - 1)];
        let (html, screenshot) = self.shared.row(*place)?;
        let bad = |reason: String| {
            let path = self.shared.tables[place.file].table.path();
            ImportError::malformed(path, format!("row group {}, row {}", place.group + 1, place.row + 1), reason)
        };
        let html = match html {
            Cell::Bytes(bytes) => marked(utf8(&bytes).map_err(&bad)?, done).0,
            Cell::Null => return Err(bad("its page is gone".to_owned())),
            Cell::Lost(reason) => return Err(bad(reason)),
        };
        let mut gaps = Vec::new();
        let screenshot = match screenshot {
            Cell::Null => None,
            Cell::Lost(reason) => {
                gaps.push(format!("step {step}: its screenshot cannot be read: {reason}"));
                None
            }
            Cell::Bytes(bytes) => viewport_of(&bytes)
                .map_err(|reason| gaps.push(format!("step {step}: its screenshot is not used: {reason}")))
                .ok(),
        };
        Ok(Scene { screenshot, gaps, ..Scene::of(&self.url, html, VIEWPORT) })
    }
}

/// Returns the part of a picture of the whole page that the viewport shows, as PNG.
fn viewport_of(picture: &[u8]) -> Result<Vec<u8>, String> {
    let said = |error: image::ImageError| error.to_string();
    let mut reader = image::ImageReader::new(std::io::Cursor::new(picture))
        .with_guessed_format()
        .map_err(|error| error.to_string())?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(256 << 20);
    limits.max_image_width = Some(16_384);
    limits.max_image_height = Some(65_535);
    reader.limits(limits);
    let picture = reader.decode().map_err(said)?;
    let (width, height) = (picture.width(), picture.height());
    if width != VIEWPORT.width || height < VIEWPORT.height {
        return Err(format!("it is {width} x {height}, and the viewport {} x {}", VIEWPORT.width, VIEWPORT.height));
    }
    let mut png = std::io::Cursor::new(Vec::new());
    let shown = picture.crop_imm(0, 0, VIEWPORT.width, VIEWPORT.height).into_rgb8();
    shown.write_to(&mut png, image::ImageFormat::Png).map_err(said)?;
    Ok(png.into_inner())
}
