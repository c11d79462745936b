//! Entry points of the fuzz targets: each reads untrusted bytes and must not panic.

use crate::limits::Limits;
use crate::playwright::tree::Tree;
use crate::playwright::upgrade::Chain;

/// Limits under which a single input stays quick.
fn small() -> Limits {
    Limits { depth: 500, nodes: 20_000, page_bytes: 1 << 20, ..Limits::default() }
}

/// Reads lines of snapshot trees, and writes the page of the last.
pub fn playwright_tree(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let trees: Vec<Tree> = text.lines().map(|line| Tree::parse(line, &small()).unwrap_or_default()).collect();
    drop(crate::playwright::tree::write_plain(&trees, &small()));
}

/// Passes lines through the chain of upgrades.
pub fn playwright_upgrade(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut chain = Chain::default();
    for line in text.lines() {
        if let Ok(event) = serde_json::from_str(line) {
            drop(chain.upgrade(event));
        }
    }
}
