//! Parser of text without structure: every line is a loose text.
//!
//! In: any text. Out: one node a line that is not blank. Invariant: any text parses; no node has a
//! handle.

use super::node::{ReadNode, Reading};

/// Parses plain text.
pub fn parse(text: &str) -> Reading {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Reading { nodes: lines.map(ReadNode::loose).collect(), ..Reading::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_together() {
        let reading = parse("Showing 3 of\n142 results\n\n  Next  ");
        assert_eq!(reading.nodes.len(), 3);
        assert!(reading.haystack().holds("3 of 142 results"));
        assert!(reading.nodes.iter().all(|node| node.handle.is_none()));
    }
}
