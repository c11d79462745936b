//! What several tests need: the bundled recordings, and tables in PROTOCOL.md.

#![allow(dead_code, reason = "each test is a program of its own and uses a part")]

use std::path::PathBuf;

/// The bundled recordings, sorted by name.
pub fn traces() -> Vec<PathBuf> {
    below("../../traces")
}

/// The variants of some of them, sorted by name.
pub fn variants() -> Vec<PathBuf> {
    below("../../traces/variants")
}

fn below(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("bundled files are there")
        .map(|entry| entry.expect("bundled files are there").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "trace"))
        .collect();
    files.sort();
    files
}

/// Compares a table with what stands between its marks in PROTOCOL.md, or writes it there
/// (`UPDATE_README=1`).
pub fn readme(name: &str, table: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("PROTOCOL.md");
    let text = std::fs::read_to_string(&path).expect("bundled files are there");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = text.find(&begin).expect("PROTOCOL.md has the mark of the table") + begin.len();
    let to = from + text[from..].find(&end).expect("PROTOCOL.md has the end of the table");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..from], &text[to..])).expect("bundled files are there");
    } else {
        assert_eq!(&text[from..to], table, "run this test with UPDATE_README=1");
    }
}
