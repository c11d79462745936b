//! What a page says in short: its headings of level 2 and 3, each with the first paragraph under
//! it.
//!
//! In: a [`ContentGraph`] and a limit in characters. Out: text with one heading a line and its
//! paragraph below. Invariants: the text never exceeds the limit; headings go before paragraphs,
//! and when space is short all paragraphs are cut at the same length (if that is too short to say
//! anything, the first ones are kept); headings left out are counted. Where a page has no heading
//! of those levels, its headings of the lowest level there is stand in, and where it has none at
//! all, its first blocks do.

use super::content::{ContentGraph, ContentId, ContentKind, ContentNode};
use browserlens_core::page::text::{beginning, one_line};

/// A paragraph cut below this says nothing: it is left out instead.
const LEAST_PARAGRAPH: usize = 24;

/// Where space is too short for all, the first ones are cut at this.
const FIRST_PARAGRAPHS: usize = 120;

struct Entry<'g> {
    heading: &'g ContentNode,
    /// The first paragraph; where there is none, the first block of another kind.
    body: Option<String>,
}

/// Returns the main points of a page in at most `limit` characters.
pub fn summary(graph: &ContentGraph, limit: usize) -> String {
    let entries = entries(graph);
    let mut out = Limited { text: String::new(), left: limit };
    let title = one_line(graph.title());
    if !title.is_empty() {
        out.push_cut(&title);
        out.push("\n");
    }
    if entries.is_empty() {
        without_headings(graph, &mut out);
        return out.text.trim_end().to_owned();
    }
    let heads: Vec<String> = entries.iter().map(|entry| head(entry.heading)).collect();
    // A head and its newline; the note on what is left out is reserved for from the start.
    let cost = |head: &String| head.chars().count() + 1;
    let whole: usize = heads.iter().map(cost).sum();
    let shown = if whole <= out.left {
        heads.len()
    } else {
        let room = out.left.saturating_sub(left_out(heads.len()).chars().count());
        let mut used = 0;
        heads
            .iter()
            .take_while(|head| {
                used += cost(head);
                used <= room
            })
            .count()
    };
    let used: usize = heads[..shown].iter().map(cost).sum();
    let bodies: Vec<&str> = if shown < heads.len() {
        vec![""; shown]
    } else {
        entries.iter().map(|entry| entry.body.as_deref().unwrap_or_default()).collect()
    };
    let mut room = out.left - used.min(out.left);
    let cut = even_cut(&bodies, room);
    for (head, body) in heads.iter().zip(&bodies) {
        out.push(head);
        out.push("\n");
        // Cut evenly, all would say nothing: then the first ones speak.
        let body = clip(body, if cut < LEAST_PARAGRAPH { FIRST_PARAGRAPHS.min(room.saturating_sub(1)) } else { cut });
        if !body.is_empty() {
            room = room.saturating_sub(body.chars().count() + 1);
            out.push(&body);
            out.push("\n");
        }
    }
    if shown < heads.len() {
        out.push(&left_out(heads.len() - shown));
    }
    out.text.trim_end().to_owned()
}

fn left_out(headings: usize) -> String {
    format!("… {headings} more headings")
}

fn head(heading: &ContentNode) -> String {
    let level = usize::from(heading.level.unwrap_or(1).min(6));
    format!("{} {}", "#".repeat(level), clip(&one_line(&heading.text), 200))
}

/// The headings of levels 2 and 3; where there are none, those of the lowest level there is.
fn entries(graph: &ContentGraph) -> Vec<Entry<'_>> {
    let levels = || graph.nodes().filter_map(|node| node.level);
    let wanted: Vec<u8> = match levels().any(|level| matches!(level, 2 | 3)) {
        true => vec![2, 3],
        false => levels().min().into_iter().collect(),
    };
    graph
        .nodes()
        .filter(|node| node.level.is_some_and(|level| wanted.contains(&level)) && !node.text.trim().is_empty())
        .map(|heading| Entry { heading, body: first_body(graph, ContentId(heading.position)) })
        .collect()
}

/// The first paragraph directly under a heading, else the first block of another kind before any
/// heading.
fn first_body(graph: &ContentGraph, heading: ContentId) -> Option<String> {
    let blocks = || graph.children(heading).iter().filter_map(|id| graph.node(*id));
    let said = |node: &&ContentNode| node.kind != ContentKind::Heading && !node.text.trim().is_empty();
    let found =
        blocks().filter(said).find(|node| node.kind == ContentKind::Paragraph).or_else(|| blocks().find(said))?;
    Some(one_line(&found.text))
}

fn without_headings(graph: &ContentGraph, out: &mut Limited) {
    for node in graph.nodes().filter(|node| !node.text.trim().is_empty()) {
        if out.left < LEAST_PARAGRAPH {
            return;
        }
        out.push_cut(&one_line(&node.text));
        out.push("\n");
    }
}

/// The greatest length at which all texts may be cut and still fit, a newline counted for each.
fn even_cut(texts: &[&str], room: usize) -> usize {
    let mut lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).filter(|length| *length > 0).collect();
    lengths.sort_unstable();
    let mut room = room.saturating_sub(lengths.len());
    let mut waiting = lengths.len();
    for length in lengths {
        let share = room / waiting;
        if length > share {
            return share;
        }
        room -= length;
        waiting -= 1;
    }
    usize::MAX
}

/// Cuts at a word where there is one near, and marks the cut; the result has at most `limit`
/// characters.
fn clip(text: &str, limit: usize) -> String {
    if limit == usize::MAX || text.chars().take(limit.saturating_add(1)).count() <= limit {
        return text.to_owned();
    }
    if limit < LEAST_PARAGRAPH {
        return String::new();
    }
    let cut = beginning(text, limit - 1);
    let word = cut.rfind(' ').filter(|at| *at * 3 > cut.len() * 2).unwrap_or(cut.len());
    format!("{}…", cut[..word].trim_end())
}

/// Text with so many characters to go; what does not fit is not written.
struct Limited {
    text: String,
    left: usize,
}

impl Limited {
    fn push(&mut self, text: &str) {
        let length = text.chars().count();
        if length <= self.left {
            self.text.push_str(text);
            self.left -= length;
        }
    }

    fn push_cut(&mut self, text: &str) {
        let cut = clip(text, self.left);
        self.push(&cut);
    }
}
