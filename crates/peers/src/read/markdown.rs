//! Parser of Markdown, as html2text, markdownify and trafilatura write it.
//!
//! In: headings, lists, quotes, tables, code, links, emphasis. Out: headings, list items, cells and
//! links as nodes, in the order of the text; no handles. Emphasis, escapes and URLs are not read,
//! so that text reads as plain words; code is read as it stands. Invariant: any text parses, in
//! linear time; markers without a partner stay text.

use super::markdown_inline::pieces;
use super::node::{ReadNode, Reading};

/// Parses Markdown.
pub fn parse(text: &str) -> Reading {
    let mut parser = Parser::default();
    let mut lines = text.lines().peekable();
    let mut fence: Option<&str> = None;
    let mut in_table = false;
    while let Some(line) = lines.next() {
        let body = line.trim();
        let begins_fence = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark));
        if let Some(open) = fence {
            if begins_fence == Some(open) {
                fence = None;
            } else {
                parser.push("text", body);
            }
            continue;
        }
        let next_is_rule = lines.peek().is_some_and(|next| is_table_rule(next.trim()));
        in_table = (in_table && body.contains('|')) || (body.contains('|') && next_is_rule);
        if begins_fence.is_some() {
            parser.flush();
            fence = begins_fence;
        } else if body.is_empty() || is_rule(body) {
            parser.flush();
        } else if (in_table || body.starts_with('|')) && is_table_rule(body) {
            in_table = true;
        } else if in_table || (body.starts_with('|') && body.ends_with('|') && body.len() > 1) {
            parser.row(body);
        } else {
            parser.line(body);
        }
    }
    parser.flush();
    Reading { nodes: parser.nodes, ..Reading::default() }
}

#[derive(Default)]
struct Parser {
    nodes: Vec<ReadNode>,
    /// The block that is being read: its role (`paragraph`, `heading`, `listitem`), its state, its
    /// text.
    role: &'static str,
    state: String,
    buffer: String,
}

impl Parser {
    fn line(&mut self, body: &str) {
        let mut body = body;
        while let Some(quoted) = body.strip_prefix('>') {
            body = quoted.trim_start();
        }
        let hashes = body.bytes().take_while(|byte| *byte == b'#').count();
        if (1..=6).contains(&hashes) && body[hashes..].starts_with(' ') {
            self.flush();
            self.role = "heading";
            self.state = format!("level={hashes}");
            self.buffer.push_str(body[hashes..].trim().trim_end_matches('#').trim_end());
            self.flush();
        } else if let Some(item) = list_item(body) {
            self.flush();
            self.role = "listitem";
            self.buffer.push_str(item);
        } else {
            if !self.buffer.is_empty() {
                self.buffer.push('\n');
            }
            self.buffer.push_str(body);
        }
    }

    fn row(&mut self, body: &str) {
        self.flush();
        let body = body.strip_prefix('|').unwrap_or(body);
        let body = body.strip_suffix('|').filter(|row| !row.ends_with('\\')).unwrap_or(body);
        let row = self.push("row", "");
        let mut start = 0;
        let ends = body.match_indices('|').map(|(at, _)| at).filter(|at| !body[..*at].ends_with('\\'));
        for end in ends.chain([body.len()]).collect::<Vec<_>>() {
            self.block("cell", String::new(), body[start..end].trim(), Some(row));
            start = end + 1;
        }
    }

    fn push(&mut self, role: &str, text: &str) -> usize {
        self.nodes.push(ReadNode { role: role.to_owned(), text: text.to_owned(), ..ReadNode::default() });
        self.nodes.len() - 1
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.buffer);
        let role = std::mem::take(&mut self.role);
        let state = std::mem::take(&mut self.state);
        self.block(role, state, &text, None);
    }

    /// Adds a block and what stands in it.
    fn block(&mut self, role: &str, state: String, text: &str, parent: Option<usize>) {
        let pieces = pieces(text);
        if pieces.is_empty() {
            return;
        }
        let block = (!role.is_empty()).then(|| {
            let at = self.push(role, "");
            let node = &mut self.nodes[at];
            node.parent = parent;
            if matches!(role, "heading" | "cell") {
                node.name = pieces.iter().map(|piece| piece.text.trim()).collect::<Vec<_>>().join(" ");
                node.named_by_content = true;
            }
            node.states.extend((!state.is_empty()).then_some(state));
            at
        });
        for piece in pieces {
            let at = if piece.is_link {
                let at = self.push("link", "");
                self.nodes[at].name = piece.text;
                at
            } else {
                self.push("text", &piece.text)
            };
            self.nodes[at].parent = block;
        }
    }
}

fn list_item(body: &str) -> Option<&str> {
    if let Some(item) = ["- ", "* ", "+ "].into_iter().find_map(|mark| body.strip_prefix(mark)) {
        let item = item.trim_start();
        return Some(["[ ] ", "[x] "].into_iter().find_map(|mark| item.strip_prefix(mark)).unwrap_or(item));
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=9).contains(&digits)).then(|| body[digits..].strip_prefix(". ")).flatten().map(str::trim_start)
}

/// Returns whether a line is a rule, or underlines a heading.
fn is_rule(body: &str) -> bool {
    let mut marks = body.chars().filter(|c| *c != ' ');
    let Some(first) = marks.next().filter(|c| matches!(c, '-' | '*' | '_' | '=')) else { return false };
    let (count, same) = marks.fold((1, true), |(count, same), c| (count + 1, same && c == first));
    same && count >= 3
}

fn is_table_rule(body: &str) -> bool {
    body.contains("---") && body.contains('|') && body.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Orders *desk*\n\nShowing **3** of _142_ orders, see [the\nguide](/g \"A (very) good one\") \
        now.\n\n  * [Order 1](/o/1) $**49**.00\n  * snake_case 2 * 3 \\*not\\* it\n\n1. First\n   goes on\n\n| Item | \
        Price |\n| --- | --- |\n| Lamp | $20 |\n\nDesk | Cost\n---|---\nOak | $120\n\n> ![Map](/m.png) \
        [![Logo](/l.svg)](/home)\n\n```\na *b* [c](d)\n```\nTerms\n-----\n";

    fn names<'r>(reading: &'r Reading, role: &str) -> Vec<&'r str> {
        reading.nodes.iter().filter(|node| node.role == role).map(|node| node.name.as_str()).collect()
    }

    #[test]
    fn blocks_and_links_are_read() {
        let reading = parse(PAGE);
        assert_eq!(names(&reading, "heading"), ["Orders desk"]);
        assert_eq!(names(&reading, "link"), ["the\nguide", "Order 1", "Logo"]);
        assert_eq!(names(&reading, "cell"), ["Item", "Price", "Lamp", "$20", "Desk", "Cost", "Oak", "$120"]);
        assert!(reading.nodes.iter().all(|node| node.handle.is_none()));
    }

    #[test]
    fn text_reads_as_plain_words() {
        let haystack = parse(PAGE).haystack();
        for fact in [
            "Showing 3 of 142 orders, see the guide now.",
            "Order 1 $49.00",
            "snake_case 2 * 3 *not* it",
            "First goes on",
            "Oak $120",
            "Map",
            "a *b* [c](d)",
            "Terms",
        ] {
            assert!(haystack.holds(fact), "{fact}");
        }
        assert!(!haystack.holds("/o/1") && !haystack.holds("very"));
    }

    #[test]
    fn markers_without_a_partner_stay_and_do_no_harm() {
        let haystack = parse("5 * 3 [open *star\n[a](b\n**bold").haystack();
        assert!(haystack.holds("5 * 3 [open *star [a](b **bold"));
        let deep = "[".repeat(50_000) + &"*".repeat(50_000) + &"](".repeat(20_000);
        parse(&deep);
    }
}
