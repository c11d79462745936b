//! Reading of the replies of Playwright MCP 0.0.68: full snapshots and, between them, changed
//! parts.
//!
//! In: whole replies in order. A snapshot whose first item is not `- <changed> …` is full. A
//! changed part replaces the held node of its ref; a child `- ref=e4 [unchanged]` stands for the
//! node that was held before the reply; a held child that such a list leaves out is gone. A reply
//! without a snapshot, or with an empty one, changes nothing. Out: a [`Reading`] after each.
//! Invariant: any texts are read; a ref that is not held stays a line with a handle and no role, a
//! part of no held node is added at the end.

use super::read::{self, Part};
use crate::read::{HeldText, Reading};
use std::collections::{HashMap, HashSet};

/// How deep changed parts may lie in each other: frames in frames.
const MAX_PASSES: usize = 8;

/// The snapshot of one run.
#[derive(Debug, Default)]
pub struct IncrementalText {
    lines: Vec<Line>,
    /// The `### Page` section of the last reply that had one.
    page: String,
}

#[derive(Clone, Debug)]
struct Line {
    indent: usize,
    /// The line without indentation.
    body: String,
}

impl HeldText for IncrementalText {
    fn read(&mut self, text: &str) -> Reading {
        let mut around = String::new();
        let mut said_page = false;
        let mut in_page = false;
        let mut snapshot: Vec<Line> = Vec::new();
        for (part, line) in read::parts(text) {
            match part {
                Part::Snapshot => {
                    let body = line.trim_start_matches(' ');
                    if !body.is_empty() {
                        snapshot.push(Line { indent: line.len() - body.len(), body: body.to_owned() });
                    }
                }
                Part::Around => {
                    if line.starts_with("### ") {
                        in_page = line.starts_with("### Page");
                        if in_page && !std::mem::replace(&mut said_page, true) {
                            self.page.clear();
                        }
                    }
                    let kept = if in_page { &mut self.page } else { &mut around };
                    kept.push_str(line);
                    kept.push('\n');
                }
                Part::Code => {}
            }
        }
        // Loose text of the page itself stands in a changed snapshot too, without a mark.
        let (loose, parts): (Vec<Line>, Vec<Line>) = snapshot.iter().cloned().partition(is_root_text);
        if parts.iter().any(|line| changed(&line.body).is_some()) || (parts.is_empty() && !self.lines.is_empty()) {
            if !loose.is_empty() {
                self.lines.retain(|line| !is_root_text(line));
            }
            self.apply(&parts);
            self.lines.extend(loose);
        } else {
            self.lines = snapshot;
        }
        let mut whole = format!("### Reply\n{}{around}```yaml\n", self.page);
        for line in &self.lines {
            whole.extend(std::iter::repeat_n(' ', line.indent));
            whole.push_str(&line.body);
            whole.push('\n');
        }
        read::parse(&whole)
    }
}

impl IncrementalText {
    fn apply(&mut self, snapshot: &[Line]) {
        let before = self.lines.clone();
        let known = starts(&before);
        let mut blocks: Vec<&[Line]> = Vec::new();
        let mut at = 0;
        while at < snapshot.len() {
            let below = snapshot[at + 1..].iter().take_while(|line| changed(&line.body).is_none()).count();
            blocks.push(&snapshot[at..=at + below]);
            at += below + 1;
        }
        // A frame's parts stand after those of the frame around it, and may lie in one of these:
        // they wait for the next pass.
        for _ in 0..MAX_PASSES {
            let waiting = self.pass(&blocks, &before, &known);
            if waiting.is_empty() || waiting.len() == blocks.len() {
                blocks = waiting;
                break;
            }
            blocks = waiting;
        }
        for block in blocks {
            self.lines.extend(expand(block, 0, &before, &known));
        }
    }

    /// Replaces what parts stand for, as far as they do not overlap. Out: the parts that are left.
    fn pass<'b>(&mut self, blocks: &[&'b [Line]], before: &[Line], known: &HashMap<&str, usize>) -> Vec<&'b [Line]> {
        let now = std::mem::take(&mut self.lines);
        let starts = starts(&now);
        let mut waiting = Vec::new();
        // First line of a held part, the line after it, and the index of what replaces it.
        let mut replaced: Vec<(usize, usize, usize)> = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            match changed(&block[0].body).and_then(reference).and_then(|name| starts.get(name)) {
                Some(start) => replaced.push((*start, subtree_end(&now, *start), index)),
                None => waiting.push(index),
            }
        }
        replaced.sort_by_key(|(from, to, index)| (*from, std::cmp::Reverse(*to), *index));
        let mut next = 0;
        for (from, to, index) in replaced {
            if from < next {
                waiting.push(index);
                continue;
            }
            self.lines.extend_from_slice(&now[next..from]);
            self.lines.extend(expand(blocks[index], now[from].indent, before, known));
            next = to;
        }
        self.lines.extend_from_slice(&now[next..]);
        waiting.sort_unstable();
        waiting.into_iter().map(|index| blocks[index]).collect()
    }
}

fn starts(lines: &[Line]) -> HashMap<&str, usize> {
    lines.iter().enumerate().filter_map(|(index, line)| Some((reference(&line.body)?, index))).collect()
}

/// Writes a changed part out, with what was held for its unchanged children.
fn expand(block: &[Line], indent: usize, before: &[Line], known: &HashMap<&str, usize>) -> Vec<Line> {
    let base = block[0].indent;
    let mut lines = Vec::new();
    // A node stands in a tree once: a part cannot be made to repeat one and grow without bound.
    let mut used: HashSet<usize> = HashSet::new();
    for (at, line) in block.iter().enumerate() {
        let indent = indent + line.indent.saturating_sub(base);
        let same = line.body.strip_suffix(" [unchanged]").and_then(|body| body.strip_prefix("- ref="));
        let mut kept = same.and_then(|name| known.get(name)).map(|start| (*start, *start));
        if kept.is_none() {
            let body = changed(&line.body).map_or_else(|| line.body.clone(), |rest| format!("- {rest}"));
            // The tool prints the line of a frame anew and leaves out what is in it while that
            // stays.
            let is_bare_frame =
                body.starts_with("- iframe ") && block.get(at + 1).is_none_or(|next| next.indent <= line.indent);
            if is_bare_frame {
                kept = reference(&body).and_then(|name| known.get(name)).map(|start| (*start, *start + 1));
            }
            lines.push(Line { indent, body });
        }
        let Some((start, first)) = kept.filter(|(start, _)| used.insert(*start)) else { continue };
        for old in &before[first..subtree_end(before, start)] {
            lines.push(Line {
                indent: indent + old.indent.saturating_sub(before[start].indent),
                body: old.body.clone(),
            });
        }
    }
    lines
}

/// Returns what follows the mark of a changed part.
fn changed(body: &str) -> Option<&str> {
    body.strip_prefix("- <changed> ")
}

fn is_root_text(line: &Line) -> bool {
    line.indent == 0 && line.body.starts_with("- text: ")
}

fn subtree_end(lines: &[Line], start: usize) -> usize {
    let below = lines[start + 1..].iter().take_while(|line| line.indent > lines[start].indent).count();
    start + 1 + below
}

/// Returns the ref of a line: of `[ref=e5]` behind role and name, which stand before any text.
fn reference(body: &str) -> Option<&str> {
    // A name may hold the same letters, quoted: the last one before the text is the tool's.
    let head = body.find(": ").map_or(body, |_| head_of(body));
    let start = head.rfind("[ref=")? + "[ref=".len();
    let end = head[start..].find(']')?;
    Some(&head[start..start + end])
}

/// Cuts off the inline text: what follows the first `: ` outside quotes.
fn head_of(body: &str) -> &str {
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', Some('"')) => escaped = true,
            (_, Some(open)) if c == open => quote = None,
            ('"', None) => quote = Some(c),
            // A single quote opens only a whole key.
            ('\'', None) if matches!(&body[..at], "" | "- " | "- <changed> ") => quote = Some(c),
            (':', None) if body[at + 1..].starts_with(' ') => return &body[..at],
            _ => {}
        }
    }
    body
}

/// Returns whether a reply has no snapshot, or one of changed parts only.
pub(super) fn is_delta(text: &str) -> bool {
    let Some((_, snapshot)) = text.split_once("### Snapshot") else { return true };
    snapshot
        .lines()
        .skip_while(|line| !line.starts_with("```yaml"))
        .nth(1)
        .is_none_or(|line| line.starts_with("- <changed>") || line.starts_with("```") || line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FULL: &str = "### Ran Playwright code\n```js\nawait page.goto('http://a.test/');\n```\n### Page\n- Page URL: \
        http://a.test/\n- Page Title: Orders\n### Snapshot\n```yaml\n- generic [active] [ref=e1]:\n  - main \
        [ref=e2]:\n    - checkbox \"On sale\" [ref=e3]\n    - 'button \"Cancel: all\" [ref=e4]'\n    - list \
        [ref=e5]:\n      - listitem [ref=e6]:\n        - link \"Order 1\" [ref=e7]:\n          - /url: /1\n      - \
        listitem [ref=e8]: Order 2\n    - iframe [ref=e9]:\n      - button \"Pay\" [ref=f1e2]\n```";

    fn reply(snapshot: &str) -> String {
        format!(
            "### Ran Playwright code\n```js\nclick();\n```\n### Page\n- Page URL: http://a.test/\n- Page Title: \
                Orders\n### Snapshot\n```yaml\n{snapshot}\n\n```"
        )
    }

    fn after(replies: &[&str]) -> Reading {
        let mut text = IncrementalText::default();
        text.read(FULL);
        replies.iter().map(|snapshot| text.read(&reply(snapshot))).last().unwrap_or_default()
    }

    fn handles(reading: &Reading) -> Vec<&str> {
        reading.nodes.iter().filter_map(|node| node.handle.as_deref()).collect()
    }

    #[test]
    fn changed_parts_replace_the_held_ones_in_their_place() {
        let reading = after(&[
            "- <changed> checkbox \"On sale\" [checked] [active] [ref=e3]\n- <changed> list [ref=e5]:\n  - ref=e8 \
                [unchanged]\n  - ref=e6 [unchanged]\n  - listitem [ref=e10]: Order 3",
        ]);
        assert_eq!(handles(&reading), ["e1", "e2", "e3", "e4", "e5", "e8", "e6", "e7", "e10", "e9", "f1e2"]);
        let checkbox = reading.nodes.iter().find(|node| node.name == "On sale").expect("the checkbox is read");
        assert_eq!(checkbox.states, ["checked", "active"]);
        let link = reading.nodes.iter().position(|node| node.name == "Order 1").expect("the link is read");
        assert_eq!(
            reading.path(link).map(|node| node.role.as_str()).collect::<Vec<_>>(),
            ["listitem", "list", "main", "generic"]
        );
        assert!(reading.haystack().holds("Page Title: Orders") && !reading.haystack().holds("click"));
    }

    #[test]
    fn what_a_list_leaves_out_is_gone_and_no_snapshot_changes_nothing() {
        let reading = after(&[
            "- <changed> list [ref=e5]:\n  - ref=e8 [unchanged]",
            "",
            "- <changed> 'button \"Cancel: none\" [ref=e4]'",
        ]);
        assert_eq!(handles(&reading), ["e1", "e2", "e3", "e4", "e5", "e8", "e9", "f1e2"]);
        assert!(reading.nodes.iter().any(|node| node.name == "Cancel: none"));
        let mut text = IncrementalText::default();
        text.read(FULL);
        assert_eq!(text.read("### Ran Playwright code\n```js\npress('a');\n```").nodes, text.read(FULL).nodes);
        assert!(text.read("### Error\nRef e3 not found").haystack().holds("Ref e3 not found"));
        assert_eq!(handles(&text.read(&reply("- main [ref=e1]"))), ["e1"]);
    }

    #[test]
    fn frames_keep_what_is_in_them_and_change_by_themselves() {
        let reading = after(&[
            "- <changed> main [ref=e2]:\n  - ref=e3 [unchanged]\n  - iframe [active] [ref=e9]\n  - iframe [ref=e20]\n- \
                <changed> button \"Paid\" [ref=f1e2]\n- <changed> iframe [ref=e20]:\n  - link \"New\" [ref=f2e1]",
        ]);
        assert_eq!(handles(&reading), ["e1", "e2", "e3", "e9", "f1e2", "e20", "f2e1"]);
        assert!(reading.nodes.iter().any(|node| node.name == "Paid"));
    }

    #[test]
    fn a_ref_that_is_not_held_does_no_harm() {
        let reading = after(&[
            "- <changed> button \"New\" [ref=e70]\n- <changed> list [ref=e5]:\n  - ref=e99 [unchanged]\n  - ref=e8 \
                [unchanged]\n  - ref=e8 [unchanged]",
        ]);
        assert_eq!(handles(&reading), ["e1", "e2", "e3", "e4", "e5", "e99", "e8", "e9", "f1e2", "e70"]);
    }

    proptest! {
        #[test]
        fn any_texts_are_read(texts in prop::collection::vec("(### Snapshot\n```yaml\n)?([ ]{0,4}- (<changed> \
            )?'?(iframe|list|text|ref=e[1-3])?( \"a: \\PC{0,3}\")?( \\[ref=e[1-3]\\])?( \
            \\[unchanged\\])?'?:?\n){0,6}\\PC{0,20}", 0..5)) {
            let mut reader = IncrementalText::default();
            for text in &texts {
                let reading = reader.read(text);
                prop_assert!(reading.nodes.len() < 400);
            }
        }
    }
}
