//! Parser of text without structure: every line is a loose text.
//!
//! In: any text. Out: one node a line that is not blank. Invariant: any text parses; no node has a
//! handle.

use super::node::{ReadNode, Reading};

/// Parses plain text.
pub fn parse(text: &str) -> Reading {
    let nodes = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| ReadNode { role: "text".to_owned(), text: line.trim().to_owned(), ..ReadNode::default() })
        .collect();
    Reading { nodes, ..Reading::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_read_together() {
        let reading = parse("Showing 3 of\n142 results\n\n  Next  ");
        assert_eq!(reading.nodes.len(), 3);
        assert!(reading.haystack().holds("3 of 142 results"));
        assert!(reading.nodes.iter().all(|node| node.handle.is_none()));
    }

    proptest! {
        #[test]
        fn any_text_parses(text in ".{0,200}") {
            prop_assert!(parse(&text).nodes.len() <= text.len());
        }
    }
}
