//! The stored tables that reports show: their counts are what is measured now. Times are those of
//! the machine that they name.

#[path = "../benches/synthetic/counts.rs"]
mod counts;
#[path = "../benches/synthetic/mod.rs"]
mod synthetic;

use serde_json::{Value, json};
use synthetic::SIZES;

const STORED: &str = include_str!("../seed_tables.json");

#[test]
fn the_counts_in_the_stored_tables_are_what_is_measured() {
    let stored: Value = serde_json::from_str(STORED).expect("is JSON");
    let table = |title: &str| {
        let tables = stored["tables"].as_array().expect("tables");
        tables
            .iter()
            .find(|table| table["title"].as_str().is_some_and(|found| found.starts_with(title)))
            .expect(title)
            .clone()
    };
    let (times, tokens) = (table("Benchmark Data: what reading a page takes"), table(counts::TITLE));
    assert_eq!(tokens["headers"], json!(counts::HEADERS));
    let again = "run `cargo run --release -p browserlens-reading --example seed_tables -- --write`";
    for (at, size) in SIZES.into_iter().enumerate() {
        let counts = counts::of(size).expect("counts");
        assert_eq!(tokens["rows"][at], json!(counts.cells(size.name)), "{again}");
        let row = &times["rows"][at];
        assert_eq!(
            json!([row[1], row[2], row[6]]),
            json!([counts.nodes.to_string(), counts.text_in_kb(), counts.lost_in_kb()]),
            "{again}"
        );
    }
    assert!(
        stored["measured"].as_str().is_some_and(|said| said.contains("cores")),
        "the tables say where they are from"
    );
}
