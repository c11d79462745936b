//! Where an imported trace comes from.
//!
//! In: what an importer knows of its source. Out: the row of table `origin`, and the same back.
//! Invariant: a trace that was recorded here has neither the row nor the table, and keeps the
//! format it had before there were imports.

use crate::db::Db;
use crate::error::TraceError;
use crate::reader::Trace;
use crate::rows::{int, text};
use crate::schema::{FORMAT_VERSION, ORIGIN, migrate};
use serde::{Deserialize, Serialize};

/// The format from which on a trace may say where it was imported from.
const ORIGIN_FROM: i64 = 4;

/// Where an imported trace comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name and version of the format, such as `playwright-trace 8`.
    pub format: String,
    /// What was read: a file's name, a data set with the record's id.
    pub source: String,
    /// Licence of the source, as its publisher states it; empty where none is known.
    pub licence: String,
    /// Name and version of the importer, such as `browserlens-import 0.1.0`.
    pub importer: String,
    /// Whether the pages were rendered anew in a browser.
    pub rendered: bool,
    /// What the source has and the trace has not, or not as it was: one line each.
    pub gaps: Vec<String>,
}

impl Origin {
    /// Returns source, licence and importer in one sentence, for reports.
    pub fn in_words(&self) -> String {
        let licence = if self.licence.is_empty() { "its licence is not known" } else { &self.licence };
        format!(
            "Imported from {} ({}; {licence}) by {}; other tools are compared through their re-implementations.",
            self.source, self.format, self.importer
        )
    }
}

/// Writes or replaces the row.
pub(crate) fn write(db: &Db, origin: &Origin) -> Result<(), TraceError> {
    let version = db.connection.pragma_query_value(None, "user_version", |row| row.get(0));
    version.and_then(|version| migrate(&db.connection, version, FORMAT_VERSION)).map_err(db.failed(ORIGIN.place()))?;
    let values = vec![
        int(1),
        text(&origin.format),
        text(&origin.source),
        text(&origin.licence),
        text(&origin.importer),
        int(i64::from(origin.rendered)),
        text(&origin.gaps.join("\n")),
    ];
    db.replace(&ORIGIN, values)
}

impl Trace {
    /// Returns where the trace was imported from; none for one that was recorded here.
    ///
    /// # Errors
    /// [`TraceError`] if the row cannot be read.
    pub fn origin(&self) -> Result<Option<Origin>, TraceError> {
        if self.format_version() < ORIGIN_FROM {
            return Ok(None);
        }
        let sql = "SELECT format, source, licence, importer, rendered, gaps FROM origin WHERE id = 1";
        self.db().first(ORIGIN.place(), sql, [], |row| {
            let gaps: String = row.get(5)?;
            Ok(Origin {
                format: row.get(0)?,
                source: row.get(1)?,
                licence: row.get(2)?,
                importer: row.get(3)?,
                rendered: row.get(4)?,
                gaps: gaps.lines().map(str::to_owned).collect(),
            })
        })
    }
}
