//! The tree of one frame snapshot, and the HTML of a snapshot whose parts lie in earlier ones.
//!
//! In: the JSON under `html`: a text, `[name, attributes, child…]`, or `[[n, m]]`, which is node m
//! of the snapshot n before, counted in post-order over nodes that are no references. Out: a
//! [`Tree`], and HTML. Invariants: reading and writing are iterative, so that depth is bounded by
//! [`Limits`] and not by the stack; a reference that leads nowhere or to itself is a gap; a page
//! has a largest size, however often its parts refer to each other.

use super::attributes::{Marked, Page, write_attributes};
use crate::html;
use crate::limits::Limits;
use browserlens_trace::json::{Scanner, Token, unescape};
use std::ops::Range;

/// A piece of [`Tree::text`].
type Span = Range<u32>;

#[derive(Clone, Debug)]
enum Node {
    Text(Span),
    Element { name: Span, attributes: Range<u32>, children: Range<u32> },
    Reference { ago: u32, index: u32 },
}

/// The tree of one snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Every name, attribute and text, one after the other.
    text: String,
    attributes: Vec<(Span, Span)>,
    children: Vec<u32>,
    root: u32,
    /// Nodes that are no references, in post-order: what references count.
    order: Vec<u32>,
}

/// An element that is being read.
#[derive(Default)]
struct Open {
    name: Option<Span>,
    attributes: Range<u32>,
    children: Vec<u32>,
    reference: Option<(u32, u32)>,
}

/// The next token; where there is none, the text has been read.
fn next<'a>(scanner: &mut Scanner<'a>) -> Result<Option<Token<'a>>, String> {
    scanner.next().map_err(|error| error.to_string())
}

fn expected(scanner: &Scanner<'_>, what: &str) -> String {
    format!("byte {}: {what} was expected", scanner.at())
}

impl Tree {
    /// Reads a tree.
    pub(crate) fn parse(json: &str, limits: &Limits) -> Result<Self, String> {
        let mut tree = Self::default();
        let mut open: Vec<Open> = Vec::new();
        let mut scanner = Scanner::new(json);
        while let Some(token) = next(&mut scanner)? {
            let done = match token {
                Token::OpenArray => {
                    if open.len() >= limits.depth {
                        return Err(format!("it is nested deeper than {} levels", limits.depth));
                    }
                    open.push(tree.begin(&mut scanner)?);
                    continue;
                }
                Token::OpenObject => {
                    let Some(last) = open.last_mut() else { return Err("it is an object".to_owned()) };
                    if last.name.is_none() || !last.children.is_empty() || !last.attributes.is_empty() {
                        return Err(format!("byte {}: attributes stand in the wrong place", scanner.at()));
                    }
                    last.attributes = tree.read_attributes(&mut scanner)?;
                    continue;
                }
                Token::Text(text) => {
                    let span = tree.keep(&unescape(text));
                    let id = tree.push(Node::Text(span), limits)?;
                    tree.order.push(id);
                    id
                }
                Token::CloseArray => {
                    let Some(ended) = open.pop() else { return Err("an end too many".to_owned()) };
                    tree.end(ended, limits)?
                }
                _ => return Err(expected(&scanner, "a node")),
            };
            match open.last_mut() {
                Some(parent) => parent.children.push(done),
                None => tree.root = done,
            }
        }
        Ok(tree)
    }

    /// Reads what an element begins with: its name, or the pair of a reference.
    fn begin(&mut self, scanner: &mut Scanner<'_>) -> Result<Open, String> {
        match next(scanner)? {
            Some(Token::Text(name)) => Ok(Open { name: Some(self.keep(&unescape(name))), ..Open::default() }),
            Some(Token::OpenArray) => {
                let mut number = || {
                    let word = match next(scanner)? {
                        Some(Token::Plain(word)) => word.parse().ok(),
                        _ => None,
                    };
                    word.ok_or_else(|| format!("byte {}: a reference has no number", scanner.at()))
                };
                let reference = Some((number()?, number()?));
                match next(scanner)? {
                    Some(Token::CloseArray) => Ok(Open { reference, ..Open::default() }),
                    _ => Err(expected(scanner, "the end of a reference")),
                }
            }
            _ => Err(expected(scanner, "a name or a reference")),
        }
    }

    fn end(&mut self, ended: Open, limits: &Limits) -> Result<u32, String> {
        if let Some((ago, index)) = ended.reference {
            return self.push(Node::Reference { ago, index }, limits);
        }
        let Some(name) = ended.name else { return Err("an element has no name".to_owned()) };
        let start = self.children.len() as u32;
        self.children.extend(ended.children);
        let children = start..self.children.len() as u32;
        let id = self.push(Node::Element { name, attributes: ended.attributes, children }, limits)?;
        self.order.push(id);
        Ok(id)
    }

    fn push(&mut self, node: Node, limits: &Limits) -> Result<u32, String> {
        if self.nodes.len() >= limits.nodes {
            return Err(format!("it has more than {} nodes", limits.nodes));
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as u32 - 1)
    }

    fn keep(&mut self, text: &str) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        start..self.text.len() as u32
    }

    fn read_attributes(&mut self, scanner: &mut Scanner<'_>) -> Result<Range<u32>, String> {
        let start = self.attributes.len() as u32;
        while let Some(Token::Key(name)) = next(scanner)? {
            let name = self.keep(&unescape(name));
            let value = match next(scanner)? {
                // Old releases wrote the numbers of scroll offsets as numbers.
                Some(Token::Text(value) | Token::Plain(value)) => self.keep(&unescape(value)),
                _ => return Err(expected(scanner, "the value of an attribute")),
            };
            self.attributes.push((name, value));
        }
        Ok(start..self.attributes.len() as u32)
    }

    /// Gives the attributes of each element to `look`.
    pub(crate) fn each_element<'t>(&'t self, mut look: impl FnMut(&'t str, &dyn Fn(&str) -> Option<&'t str>)) {
        for node in &self.nodes {
            if let Node::Element { name, attributes, .. } = node {
                let get = |key: &str| {
                    self.pairs(attributes).find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, value)| value)
                };
                look(self.span(name), &get);
            }
        }
    }

    fn span(&self, span: &Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn pairs(&self, range: &Range<u32>) -> impl Iterator<Item = (&str, &str)> + Clone {
        let pairs = self.attributes.get(range.start as usize..range.end as usize).unwrap_or(&[]);
        pairs.iter().map(|(name, value)| (self.span(name), self.span(value)))
    }

    fn children(&self, range: &Range<u32>) -> &[u32] {
        self.children.get(range.start as usize..range.end as usize).unwrap_or(&[])
    }
}

/// What is to be done next while writing.
enum Work<'t> {
    Visit { snapshot: usize, node: u32, parent: &'t str },
    Close(&'t str),
    Leave,
}

/// Writes the HTML of a snapshot. `history` holds the trees of its frame, oldest first, the
/// snapshot's own last.
pub(crate) fn write(
    history: &[Tree],
    doctype: Option<&str>,
    limits: &Limits,
    marked: &mut Marked<'_>,
) -> Result<Page, String> {
    let mut page = Page::default();
    if let Some(doctype) = doctype.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
        page.html = format!("<!DOCTYPE {doctype}>");
    }
    let Some(own) = history.len().checked_sub(1) else { return Err("it has no snapshot".to_owned()) };
    let mut work = vec![Work::Visit { snapshot: own, node: history[own].root, parent: "" }];
    let mut inside: Vec<(usize, u32)> = Vec::new();
    let (mut written, mut depth) = (0_usize, 0_usize);
    while let Some(next) = work.pop() {
        let (snapshot, node, parent) = match next {
            Work::Close(name) => {
                depth -= 1;
                html::close(&mut page.html, name);
                continue;
            }
            Work::Leave => {
                inside.pop();
                continue;
            }
            Work::Visit { snapshot, node, parent } => (snapshot, node, parent),
        };
        written += 1;
        if written > limits.nodes || page.html.len() > limits.page_bytes {
            return Err(format!("the page has more than {} nodes or {} bytes", limits.nodes, limits.page_bytes));
        }
        let Some(tree) = history.get(snapshot) else { continue };
        let Some(found) = tree.nodes.get(node as usize) else { continue };
        match found {
            Node::Text(span) => html::text(&mut page.html, tree.span(span)),
            Node::Reference { ago, index } => {
                let to = snapshot.checked_sub(*ago as usize);
                let target = to.and_then(|to| Some((to, *history.get(to)?.order.get(*index as usize)?)));
                match target {
                    Some(target) if !inside.contains(&target) => {
                        inside.push(target);
                        work.push(Work::Leave);
                        work.push(Work::Visit { snapshot: target.0, node: target.1, parent });
                    }
                    Some(_) => page.gaps.push("a part of the page contains itself".to_owned()),
                    None => {
                        let place = format!("node {index} of {ago} snapshots before");
                        page.gaps.push(format!("a part of the page is not there ({place})"));
                    }
                }
            }
            Node::Element { name, attributes, children } => {
                let name = tree.span(name);
                if !html::is_written(name) {
                    continue;
                }
                let kids = tree.children(children);
                let pairs = tree.pairs(attributes);
                if !write_attributes(&mut page, name, parent, pairs, kids.len(), marked) {
                    continue;
                }
                if name.eq_ignore_ascii_case("style") {
                    let mut css = String::new();
                    for part in kids.iter().filter_map(|kid| resolve_text(history, snapshot, *kid)) {
                        if page.html.len() + css.len() + part.len() > limits.page_bytes {
                            return Err(format!("a style sheet of the page is over {} bytes", limits.page_bytes));
                        }
                        css.push_str(part);
                    }
                    html::style(&mut page.html, &css);
                    html::close(&mut page.html, name);
                    continue;
                }
                depth += 1;
                if depth == limits.depth {
                    return Err(format!("the page is nested deeper than {} levels", limits.depth));
                }
                // A line break that begins such an element is not part of its text.
                if ["pre", "textarea", "listing"].iter().any(|one| name.eq_ignore_ascii_case(one)) {
                    page.html.push('\n');
                }
                work.push(Work::Close(name));
                work.extend(kids.iter().rev().map(|kid| Work::Visit { snapshot, node: *kid, parent: name }));
            }
        }
    }
    page.gaps.sort();
    page.gaps.dedup();
    Ok(page)
}

/// Returns the text of a node, which may lie in an earlier snapshot.
fn resolve_text(history: &[Tree], snapshot: usize, node: u32) -> Option<&str> {
    let tree = history.get(snapshot)?;
    match tree.nodes.get(node as usize)? {
        Node::Text(span) => Some(tree.span(span)),
        Node::Reference { ago, index } => {
            let to = history.get(snapshot.checked_sub(*ago as usize)?)?;
            match to.nodes.get(*to.order.get(*index as usize)? as usize)? {
                Node::Text(span) => Some(to.span(span)),
                _ => None,
            }
        }
        Node::Element { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(list: &[&str]) -> Vec<Tree> {
        list.iter().map(|json| Tree::parse(json, &Limits::default()).expect("parses")).collect()
    }

    fn page(list: &[&str]) -> Page {
        write(&trees(list), Some("html"), &Limits::default(), &mut Marked::none()).expect("writes")
    }

    #[test]
    fn references_count_in_post_order_over_nodes_that_are_none() {
        // Post-order of the first: "a" 0, P 1, "b" 2, DIV 3, BODY 4.
        let first = r#"["BODY",{},["P",{"id":"x"},"a"],["DIV",{},"b"]]"#;
        // Of the second: "c" 0, DIV 1, BODY 2; the reference is not counted.
        let second = r#"["BODY",{},[[1,1]],["DIV",{},"c"]]"#;
        let third = r#"["BODY",{"class":"k"},[[2,1]],[[1,1]],[[2,3]]]"#;
        assert_eq!(
            page(&[first, second, third]).html,
            "<!DOCTYPE html><BODY class=\"k\"><P id=\"x\">a</P><DIV>c</DIV><DIV>b</DIV></BODY>"
        );
    }

    #[test]
    fn a_reference_inside_what_is_referred_to_counts_from_there() {
        let list = [r#"["B",{},"deep"]"#, r#"["BODY",{},["DIV",{},[[1,1]]]]"#, r#"["BODY",{},[[1,0]]]"#];
        assert_eq!(page(&list).html, "<!DOCTYPE html><BODY><DIV><B>deep</B></DIV></BODY>");
    }

    #[test]
    fn references_that_lead_nowhere_or_to_themselves_are_gaps() {
        let lost = page(&[r#"["BODY",{},[[7,0]],[[0,99]],"x"]"#]);
        assert!(lost.html.contains("x") && lost.gaps.len() == 2, "{lost:?}");
        // Node 0 of this very snapshot is the DIV that holds the reference.
        let round = page(&[r#"["BODY",{},["DIV",{},[[0,0]]]]"#]);
        assert!(round.gaps[0].contains("contains itself"), "{round:?}");
    }

    #[test]
    fn parts_that_double_with_each_snapshot_end_at_the_limit() {
        let mut list = vec![r#"["P",{},"x"]"#.to_owned()];
        (0..40).for_each(|_| list.push(r#"["P",{},[[1,1]],[[1,1]]]"#.to_owned()));
        // Each later snapshot has one node that is no reference.
        list[2..].iter_mut().for_each(|json| *json = r#"["P",{},[[1,0]],[[1,0]]]"#.to_owned());
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        let error = write(&trees(&list), None, &Limits { nodes: 5_000, ..Limits::default() }, &mut Marked::none());
        assert!(error.expect_err("too large").contains("5000 nodes"));
    }

    #[test]
    fn a_style_sheet_of_many_references_ends_at_the_limit() {
        let first = format!(r#"["STYLE",{{}},"{}"]"#, "a{}".repeat(1_000));
        let second = format!(r#"["STYLE",{{}}{}]"#, ",[[1,0]]".repeat(1_000));
        let limits = Limits { page_bytes: 100_000, ..Limits::default() };
        let error = write(&trees(&[&first, &second]), None, &limits, &mut Marked::none());
        assert!(error.expect_err("too large").contains("style sheet of the page is over 100000 bytes"));
    }

    #[test]
    fn depth_is_bounded_and_costs_no_stack() {
        let deep = |levels: usize| format!("{}\"x\"{}", r#"["P",{},"#.repeat(levels), "]".repeat(levels));
        assert!(Tree::parse(&deep(20_000), &Limits::default()).expect_err("too deep").contains("deeper"));
        let tree = Tree::parse(&deep(9_000), &Limits::default()).expect("parses");
        assert!(write(&[tree], None, &Limits::default(), &mut Marked::none()).is_ok());
    }

    #[test]
    fn what_is_no_tree_is_an_error_and_never_a_panic() {
        for json in [
            "", "[", "[]", "{}", "3", "[\"P\"", "[\"P\",{}", "[\"P\",{\"a\"}]", "[[1]]", "[[1,2],3]", "[\"P\"]]",
            "[\"P\",\"\\", "[[-1,0]]", "\"\\ud800",
        ] {
            assert!(Tree::parse(json, &Limits::default()).is_err(), "{json}");
        }
        assert!(Tree::parse(r#"["P",{"a":"\ud800x\ud83d\ude00"},"\udc00"]"#, &Limits::default()).is_ok());
    }
}
