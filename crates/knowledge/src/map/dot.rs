//! The site map in the DOT language.
//!
//! In: a [`Knowledge`]. Out: text. Invariants: equal knowledge gives equal bytes; every text of a
//! page is quoted; ways that were only inferred are dashed.

use super::graph::{Graph, MapOptions};
use crate::model::Knowledge;
use browserlens_core::page::text::{escaped_line, quoted_dot};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Writes the site map in the DOT language.
pub fn site_map_dot(knowledge: &Knowledge, options: &MapOptions) -> String {
    let graph = Graph::of(knowledge, options);
    let mut dot = String::from("digraph site {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n");
    for screen in &graph.screens {
        let style = match (screen.parent_screen_id.is_some(), screen.metadata.inferred) {
            (true, _) => ", style=\"rounded,dotted\"",
            (false, true) => ", style=\"rounded,dashed\"",
            (false, false) => "",
        };
        let _ = writeln!(dot, "  {} [label={}{style}];", quoted(screen.screen_id.as_str()), quoted(&screen.name));
    }
    for ((from, to), way) in &graph.ways {
        let (from, to) = (graph.screens[*from].screen_id.as_str(), graph.screens[*to].screen_id.as_str());
        let style = if way.inferred { ", style=dashed" } else { "" };
        let _ = writeln!(dot, "  {} -> {} [label={}{style}];", quoted(from), quoted(to), quoted(&way.label()));
    }
    let states: BTreeSet<&(usize, usize)> = graph.parents.iter().collect();
    for (state, parent) in states {
        let (state, parent) = (graph.screens[*state].screen_id.as_str(), graph.screens[*parent].screen_id.as_str());
        let _ = writeln!(dot, "  {} -> {} [style=dotted, arrowhead=none];", quoted(state), quoted(parent));
    }
    dot.push_str("}\n");
    dot
}

fn quoted(text: &str) -> String {
    quoted_dot(&escaped_line(text))
}
