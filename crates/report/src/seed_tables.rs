//! The two tables of the design that reading follows, with what is measured beside its estimates.
//!
//! In: `crates/reading/seed_tables.json`, which an example of that crate writes (its counts are
//! checked by a test there; its times are of the machine that it names). Out: tables as they are
//! stored, and where they are from. Invariant: nothing is worked out here, so a report never tells
//! times of another run as its own.

use crate::text_table::TextTable;
use serde::Deserialize;
use std::sync::LazyLock;

/// How they are measured again.
const AGAIN: &str =
    "`cargo run --release -p browserlens-reading --example seed_tables -- --write` measures them again.";

/// Tables that were stored.
#[derive(Debug, Deserialize)]
pub(crate) struct SeedTables {
    measured: String,
    tables: Vec<Stored>,
}

#[derive(Debug, Deserialize)]
struct Stored {
    title: String,
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
}

static STORED: LazyLock<Option<SeedTables>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../reading/seed_tables.json")).ok());

impl SeedTables {
    /// Returns what is stored.
    pub fn stored() -> Option<&'static Self> {
        STORED.as_ref()
    }

    /// Each table with its title.
    pub fn tables(&self) -> impl Iterator<Item = (&str, TextTable)> {
        self.tables.iter().map(|stored| {
            let mut table = TextTable::new(stored.headers.iter().map(String::as_str));
            stored.rows.iter().for_each(|row| table.row(row.clone()));
            (stored.title.as_str(), table)
        })
    }

    /// Says where they are from.
    pub fn in_words(&self) -> String {
        format!(
            "Generated pages of five sizes, beside what was estimated for them before anything was built. Stored, not \
                measured in this run. {} {AGAIN}",
            self.measured
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_tables_are_read_and_say_where_they_are_from() {
        let stored = SeedTables::stored().expect("the file is of this form");
        let titles: Vec<&str> = stored.tables().map(|(title, _)| title).collect();
        assert_eq!(titles.len(), 3);
        assert!(titles[0].starts_with("Benchmark Data") && titles[2] == "Performance Comparison", "{titles:?}");
        for (title, table) in stored.tables() {
            let (headers, rows) = table.cells();
            let headers = headers.count();
            assert!(!rows.is_empty() && rows.iter().all(|row| row.len() == headers), "{title}");
        }
        assert!(stored.in_words().contains("a machine of"), "{}", stored.in_words());
    }

    #[test]
    fn all_five_sizes_stand_beside_their_estimates() {
        let stored = SeedTables::stored().expect("the file is of this form");
        let (_, times) = stored.tables().next().expect("a table");
        let (headers, rows) = times.cells();
        assert!(headers.filter(|header| header.starts_with("estimate")).count() == 2);
        let sizes: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(sizes, ["Simple blog", "News article", "Documentation", "E-commerce", "Long article"]);
    }
}
