//! Graphs in an SQLite file.
//!
//! In: content graphs of pages, told apart by their [normal address](crate::normal_url). Out: the
//! same graphs; texts and what they repeat on. Invariants: a text that stands in several places is
//! stored once, and goes when the last place goes; saving a page again replaces its rows; a graph
//! is read back equal to what was saved, or [`StoreError::Damaged`] says why not; each change is
//! one transaction, so that several processes may write. Lists and tables are stored by their
//! lines, as [`crate::boilerplate`] compares them.

use super::content::{ContentGraph, ContentId, ContentKind, ContentNode, Relation};
use super::schema::{APPLICATION_ID, MIGRATIONS, STORE_VERSION, StoreError};
use crate::address::normal_url;
use crate::boilerplate::{BoilerplateIndex, BoilerplateRule, Repeatable, TextHash};
use crate::cache::{beside, write_ahead};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Unix time in milliseconds, given by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeenAt(pub i64);

/// A page of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPage {
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// When it was seen last.
    pub seen_at: SeenAt,
}

/// Graphs of pages in an SQLite file.
#[derive(Debug)]
pub struct GraphStore {
    path: PathBuf,
    pub(super) connection: Connection,
    max_pages: usize,
}

impl GraphStore {
    /// Opens a store, or makes one if there is no file.
    ///
    /// # Errors
    /// [`StoreError`] if the file is another's, damaged, or from a later build.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let connection = Connection::open(path).map_err(|source| wrap(path, source))?;
        Self::prepare(path, connection)
    }

    /// Opens a store as [`GraphStore::open`] does, but moves a damaged file aside and starts a new
    /// one.
    ///
    /// Returns the store and, if that happened, where the damaged file is now. A file of a later
    /// build is never moved. Of several processes that find a damaged file at once, one moves it
    /// and the others use the new one.
    ///
    /// # Errors
    /// [`StoreError`] if there is another reason.
    pub fn open_or_replace(path: impl AsRef<Path>) -> Result<(Self, Option<PathBuf>), StoreError> {
        let path = path.as_ref();
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        // Held while the file is looked at too: who has the damaged file open while another makes
        // the new one takes the new one's journal for that of the old.
        let lock = File::create(beside(path, ".lock")).map_err(io)?;
        lock.lock().map_err(io)?;
        match Self::open(path) {
            Err(StoreError::Damaged { .. }) => {}
            other => return Ok((other?, None)),
        }
        let aside = (0..)
            .map(|number| path.with_added_extension(format!("damaged-{number}")))
            .find(|aside| !aside.exists())
            .unwrap_or_default();
        // A log of the old file must not be played into the new one, nor that of a new one be taken
        // for it: so they go first.
        for end in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(beside(path, end));
        }
        std::fs::rename(path, &aside).map_err(io)?;
        Ok((Self::open(path)?, Some(aside)))
    }

    /// Makes a store in memory.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = Path::new(":memory:");
        let connection = Connection::open_in_memory().map_err(|source| wrap(path, source))?;
        Self::prepare(path, connection)
    }

    fn prepare(path: &Path, mut connection: Connection) -> Result<Self, StoreError> {
        Self::migrate(path, &mut connection).map_err(|error| match error {
            Migration::Sqlite(source) => wrap(path, source),
            Migration::Other(error) => error,
        })?;
        Ok(Self { path: path.to_owned(), connection, max_pages: crate::boilerplate::MAX_PAGES })
    }

    fn migrate(path: &Path, connection: &mut Connection) -> Result<(), Migration> {
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;")?;
        let damaged =
            |reason: &str| Migration::Other(StoreError::Damaged { path: path.to_owned(), reason: reason.to_owned() });
        // All this is read before the write-ahead log is asked for: a file that is refused is left
        // as it is.
        let tables = "SELECT count(*) FROM sqlite_schema";
        let empty = connection.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0;
        let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if !empty && id != APPLICATION_ID {
            return Err(damaged("it bears no mark of one"));
        }
        let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if check != "ok" {
            return Err(damaged(&check));
        }
        let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if found > STORE_VERSION {
            return Err(Migration::Other(StoreError::TooNew { path: path.to_owned(), found }));
        }
        write_ahead(connection)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        if found == STORE_VERSION {
            return Ok(());
        }
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again: another process may have been faster.
        let version: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
        for migration in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(0)) {
            change.execute_batch(migration)?;
        }
        change.pragma_update(None, "application_id", APPLICATION_ID)?;
        change.pragma_update(None, "user_version", STORE_VERSION)?;
        change.commit()?;
        Ok(())
    }

    /// Keeps at most so many pages: those seen longest ago go first.
    pub fn with_max_pages(mut self, pages: usize) -> Self {
        self.max_pages = pages.max(1);
        self
    }

    /// Saves the graph of a page in the place of what was saved under its address.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses; then nothing has changed.
    pub fn save(&mut self, graph: &ContentGraph, seen_at: SeenAt) -> Result<(), StoreError> {
        let max_pages = self.max_pages;
        self.change(|change| {
            insert_page(change, graph, seen_at)?;
            prune(change, max_pages)
        })
    }

    /// Reads the graph of a page; none if it is not here.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the rows make no graph.
    pub fn load(&self, url: &str) -> Result<Option<ContentGraph>, StoreError> {
        let found = self.read(|connection| {
            let page = |row: &rusqlite::Row<'_>| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            };
            let Some((id, url, title)) = connection
                .query_row("SELECT id, url, title FROM page WHERE address = ?1", [normal_url(url)], page)
                .optional()?
            else {
                return Ok(None);
            };
            Ok(Some((url, title, read_nodes(connection, id)?, read_edges(connection, id)?)))
        })?;
        let Some((url, title, nodes, edges)) = found else { return Ok(None) };
        let damaged =
            |reason: &str| StoreError::Damaged { path: self.path.clone(), reason: format!("{url}: {reason}") };
        let nodes = nodes.ok_or_else(|| damaged("a node of an unknown kind, or out of place"))?;
        let graph = ContentGraph::of_nodes(&url, &title, nodes);
        let mut own: Vec<_> = graph.edges().map(|(from, to, relation)| (to, relation, from)).collect();
        own.sort_unstable();
        if edges.is_none_or(|edges| edges != own) {
            return Err(damaged("the edges are not those of the nodes"));
        }
        Ok(Some(graph))
    }

    /// Removes a page and what only it held.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses; then nothing has changed.
    pub fn remove(&mut self, url: &str) -> Result<bool, StoreError> {
        self.change(|change| {
            let find = "SELECT id FROM page WHERE address = ?1";
            let id = change.query_row(find, [normal_url(url)], |row| row.get(0)).optional()?;
            id.map_or(Ok(()), |id| remove_page(change, id))?;
            Ok(id.is_some())
        })
    }

    /// Returns the pages in the order of their addresses.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses.
    pub fn pages(&self) -> Result<Vec<StoredPage>, StoreError> {
        self.read(|connection| {
            let mut rows = connection.prepare_cached("SELECT url, title, seen_at FROM page ORDER BY address")?;
            let page = |row: &rusqlite::Row<'_>| {
                Ok(StoredPage { url: row.get(0)?, title: row.get(1)?, seen_at: SeenAt(row.get(2)?) })
            };
            rows.query_map([], page)?.collect()
        })
    }

    /// Returns which texts repeat on the pages of the store.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses.
    pub fn boilerplate(&self, rule: BoilerplateRule) -> Result<BoilerplateIndex, StoreError> {
        self.read(|connection| read_boilerplate(connection, rule))
    }

    /// Returns every text of the store, each once.
    ///
    /// # Errors
    /// [`StoreError`] if SQLite refuses.
    pub fn texts(&self) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut rows = connection.prepare("SELECT body FROM text ORDER BY id")?;
            rows.query_map([], |row| row.get(0))?.collect()
        })
    }

    pub(super) fn max_pages(&self) -> usize {
        self.max_pages
    }

    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        read(&self.connection).map_err(|source| wrap(&self.path, source))
    }

    pub(super) fn change<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let run = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(|source| wrap(&self.path, source))
    }
}

enum Migration {
    Sqlite(rusqlite::Error),
    Other(StoreError),
}

impl From<rusqlite::Error> for Migration {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sqlite(source)
    }
}

fn wrap(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            StoreError::Damaged { path, reason: source.to_string() }
        }
        _ => StoreError::Sqlite { path, source },
    }
}

/// How a block is cut into the texts that are stored and compared.
pub(super) fn repeatable(node: &ContentNode) -> Repeatable<'_> {
    Repeatable {
        heading: node.level,
        text: &node.text,
        by_lines: matches!(node.kind, ContentKind::List | ContentKind::Table),
    }
}

/// Writes a page and returns its number; what stood under its address is gone.
pub(super) fn insert_page(change: &Transaction<'_>, graph: &ContentGraph, seen_at: SeenAt) -> rusqlite::Result<i64> {
    let address = normal_url(graph.url());
    let find = "SELECT id FROM page WHERE address = ?1";
    let old = change.query_row(find, [&address], |row| row.get::<_, i64>(0)).optional()?;
    // Texts of the old page are collected after the new one is written: most are in both.
    let mut orphans = Vec::new();
    if let Some(old) = old {
        orphans = texts_of(change, old)?;
        change.execute("DELETE FROM page WHERE id = ?1", [old])?;
    }
    change
        .prepare_cached("INSERT INTO page (address, url, title, seen_at) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![address, graph.url(), graph.title(), seen_at.0])?;
    let page = change.last_insert_rowid();
    let mut find = change.prepare_cached("SELECT id FROM text WHERE hash = ?1")?;
    let mut add = change.prepare_cached("INSERT INTO text (hash, body) VALUES (?1, ?2)")?;
    let mut add_node = change.prepare_cached(
        "INSERT INTO node (page, position, kind, level, xpath, side) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut add_part =
        change.prepare_cached("INSERT INTO node_text (page, position, part, text) VALUES (?1, ?2, ?3, ?4)")?;
    for node in graph.nodes() {
        add_node.execute(params![page, node.position, node.kind.name(), node.level, node.xpath, node.side])?;
        // `split` and not `lines`: joining what it gives is the text again.
        let end = if repeatable(node).by_lines { '\n' } else { '\0' };
        let whole = [node.text.as_str()];
        let lines = (end == '\n').then(|| node.text.split('\n'));
        let whole = (end != '\n').then_some(whole);
        for (part, text) in whole.into_iter().flatten().chain(lines.into_iter().flatten()).enumerate() {
            let hash = blake3::hash(text.as_bytes());
            let known = find.query_row([hash.as_bytes()], |row| row.get::<_, i64>(0)).optional()?;
            let id = match known {
                Some(id) => id,
                None => {
                    add.execute(params![hash.as_bytes(), text])?;
                    change.last_insert_rowid()
                }
            };
            add_part.execute(params![page, node.position, part as i64, id])?;
        }
    }
    let mut add_edge =
        change.prepare_cached("INSERT INTO edge (page, source, target, relation) VALUES (?1, ?2, ?3, ?4)")?;
    for (from, to, relation) in graph.edges() {
        add_edge.execute(params![page, from.0, to.0, relation.name()])?;
    }
    drop_orphans(change, &orphans)?;
    Ok(page)
}

fn texts_of(change: &Transaction<'_>, page: i64) -> rusqlite::Result<Vec<i64>> {
    let mut rows = change.prepare_cached("SELECT DISTINCT text FROM node_text WHERE page = ?1")?;
    rows.query_map([page], |row| row.get(0))?.collect()
}

fn drop_orphans(change: &Transaction<'_>, texts: &[i64]) -> rusqlite::Result<()> {
    let mut drop_text = change
        .prepare_cached("DELETE FROM text WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM node_text WHERE text = ?1)")?;
    for text in texts {
        drop_text.execute([text])?;
    }
    Ok(())
}

pub(super) fn drop_unmentioned(change: &Transaction<'_>) -> rusqlite::Result<usize> {
    change.execute("DELETE FROM concept WHERE NOT EXISTS (SELECT 1 FROM mention WHERE concept = concept.id)", [])
}

fn remove_page(change: &Transaction<'_>, page: i64) -> rusqlite::Result<()> {
    let texts = texts_of(change, page)?;
    change.execute("DELETE FROM page WHERE id = ?1", [page])?;
    drop_orphans(change, &texts)?;
    drop_unmentioned(change)?;
    Ok(())
}

/// Removes the pages seen longest ago, down to so many.
pub(super) fn prune(change: &Transaction<'_>, max_pages: usize) -> rusqlite::Result<()> {
    let count: i64 = change.query_row("SELECT count(*) FROM page", [], |row| row.get(0))?;
    let surplus = count - i64::try_from(max_pages).unwrap_or(i64::MAX);
    if surplus > 0 {
        let mut oldest = change.prepare_cached("SELECT id FROM page ORDER BY seen_at, id LIMIT ?1")?;
        let oldest: Vec<i64> = oldest.query_map([surplus], |row| row.get(0))?.collect::<Result<_, _>>()?;
        for page in oldest {
            remove_page(change, page)?;
        }
    }
    Ok(())
}

/// Removes the pages seen longest ago, but not `keep`, until so many concepts are left; returns how
/// many concepts went.
pub(super) fn prune_concepts(change: &Transaction<'_>, most: usize, keep: i64) -> rusqlite::Result<usize> {
    let count = || change.query_row("SELECT count(*) FROM concept", [], |row| row.get::<_, i64>(0));
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let before = count()?;
    let mut left = before;
    while left > most {
        let oldest = "SELECT id FROM page WHERE id <> ?1 ORDER BY seen_at, id LIMIT 1";
        let Some(page) = change.query_row(oldest, [keep], |row| row.get(0)).optional()? else { break };
        remove_page(change, page)?;
        left = count()?;
    }
    Ok(usize::try_from(before - left).unwrap_or_default())
}

/// The nodes of a page; none if a row is not what it should be.
pub(super) fn read_nodes(connection: &Connection, page: i64) -> rusqlite::Result<Option<Vec<ContentNode>>> {
    let mut rows = connection.prepare_cached(
        "SELECT node.position, kind, level, xpath, part, body, side FROM node
         LEFT JOIN node_text ON node_text.page = node.page AND node_text.position = node.position
         LEFT JOIN text ON text.id = node_text.text
         WHERE node.page = ?1 ORDER BY node.position, part",
    )?;
    let mut rows = rows.query([page])?;
    let mut nodes: Vec<ContentNode> = Vec::new();
    while let Some(row) = rows.next()? {
        let position: u32 = row.get(0)?;
        let (Some(part), Some(body)) = (row.get::<_, Option<i64>>(4)?, row.get::<_, Option<String>>(5)?) else {
            return Ok(None);
        };
        if part > 0 {
            let Some(node) = nodes.last_mut().filter(|node| node.position == position) else { return Ok(None) };
            node.text.push('\n');
            node.text.push_str(&body);
            continue;
        }
        let level: Option<u8> = row.get(2)?;
        let Some(kind) = ContentKind::from_name(&row.get::<_, String>(1)?) else { return Ok(None) };
        if position as usize != nodes.len() || (kind == ContentKind::Heading) != level.is_some() {
            return Ok(None);
        }
        nodes.push(ContentNode { kind, level, text: body, xpath: row.get(3)?, position, side: row.get(6)? });
    }
    Ok(Some(nodes))
}

type EdgeRow = (ContentId, Relation, ContentId);

fn read_edges(connection: &Connection, page: i64) -> rusqlite::Result<Option<Vec<EdgeRow>>> {
    let mut rows = connection.prepare_cached("SELECT target, relation, source FROM edge WHERE page = ?1")?;
    let mut rows = rows.query([page])?;
    let mut edges = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(relation) = Relation::from_name(&row.get::<_, String>(1)?) else { return Ok(None) };
        edges.push((ContentId(row.get(0)?), relation, ContentId(row.get(2)?)));
    }
    edges.sort_unstable();
    Ok(Some(edges))
}

pub(super) fn read_boilerplate(connection: &Connection, rule: BoilerplateRule) -> rusqlite::Result<BoilerplateIndex> {
    let mut texts = connection.prepare("SELECT id, body FROM text")?;
    let hashes: std::collections::HashMap<i64, TextHash> = texts
        .query_map([], |row| Ok((row.get(0)?, TextHash::of(row.get_ref(1)?.as_str()?))))?
        .collect::<rusqlite::Result<_>>()?;
    let mut pages = connection.prepare("SELECT id, url FROM page ORDER BY seen_at, id")?;
    let pages: Vec<(i64, String)> =
        pages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let mut parts = connection.prepare("SELECT DISTINCT text FROM node_text WHERE page = ?1")?;
    let empty = TextHash::of("");
    let mut index = BoilerplateIndex::new(rule);
    for (page, url) in pages {
        let ids: Vec<i64> = parts.query_map([page], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let known: HashSet<TextHash> =
            ids.iter().filter_map(|id| hashes.get(id)).copied().filter(|hash| *hash != empty).collect();
        index.add_hashes(&url, known);
    }
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_over_the_bound_take_the_oldest_pages_with_them_and_never_the_newest() {
        let mut store = GraphStore::in_memory().expect("opens");
        let node = |text: &str| ContentNode {
            kind: ContentKind::Paragraph,
            level: None,
            text: text.to_owned(),
            xpath: String::new(),
            position: 0,
            side: 0,
        };
        let left = store.change(|change| {
            let mut last = 0;
            for at in 0..4_i64 {
                let url = format!("https://a.test/{at}");
                last = insert_page(change, &ContentGraph::of_nodes(&url, "", [node(&url)]), SeenAt(at))?;
                for own in [at * 2, at * 2 + 1] {
                    change.execute("INSERT INTO concept (id, text, folded) VALUES (?1, ?1, ?1)", [own.to_string()])?;
                    let mention =
                        "INSERT INTO mention (page, position, concept, kind, weight) VALUES (?1, 0, ?2, 'link', 1)";
                    change.execute(mention, params![last, own])?;
                }
            }
            assert_eq!(prune_concepts(change, 8, last)?, 0);
            assert_eq!(prune_concepts(change, 5, last)?, 4, "two pages go, for one leaves six");
            assert_eq!(prune_concepts(change, 0, last)?, 2);
            change.query_row("SELECT url FROM page", [], |row| row.get::<_, String>(0))
        });
        assert_eq!(left.expect("changed"), "https://a.test/3");
    }
}
