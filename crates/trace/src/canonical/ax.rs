//! Canonical form of `Accessibility.getFullAXTree`.
//!
//! Inline text boxes go: their ids change from capture to capture, and the text they hold stands in
//! their parent. Ids of nodes come from the backend node id where there is one, so that an
//! unchanged node keeps its id from step to step.

use super::{CanonicalError, Canonicalizer, frame_id};
use crate::json::{JsonError, Scanner, Token, rewrite, unescape};
use std::collections::HashMap;

const METHOD: &str = "Accessibility.getFullAXTree";

/// What the first pass reads of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct AxNode<'a> {
    pub id: &'a str,
    pub parent: Option<&'a str>,
    pub role: &'a str,
    pub backend: Option<i64>,
    pub frame: Option<&'a str>,
}

/// Where a token stands in an accessibility tree.
#[derive(Default)]
pub(crate) struct AxPlace<'a> {
    /// Member of the whole: `nodes`.
    pub top: &'a str,
    /// Member of a node: `nodeId`, `role`, `childIds`, …
    pub of_node: &'a str,
    /// The last key at any depth.
    pub key: &'a str,
}

impl<'a> AxPlace<'a> {
    /// Takes the token that `scanner` gave last; returns whether it opened a node.
    pub(crate) fn take(&mut self, scanner: &Scanner<'_>, token: Token<'a>) -> bool {
        match (token, scanner.depth()) {
            (Token::Key(key), depth) => {
                self.key = key;
                match depth {
                    1 => self.top = key,
                    3 => self.of_node = key,
                    _ => {}
                }
            }
            (Token::OpenObject, 3) if self.top == "nodes" => {
                (self.of_node, self.key) = ("", "");
                return true;
            }
            _ => {}
        }
        false
    }
}

/// Returns the nodes of an accessibility tree, in the order given.
pub(crate) fn ax_nodes(json: &str) -> Result<Vec<AxNode<'_>>, JsonError> {
    let (mut scanner, mut place) = (Scanner::new(json), AxPlace::default());
    let mut nodes: Vec<AxNode<'_>> = Vec::new();
    while let Some(token) = scanner.next()? {
        if place.take(&scanner, token) {
            nodes.push(AxNode::default());
            continue;
        }
        let Some(node) = nodes.last_mut().filter(|_| place.top == "nodes") else { continue };
        match (token, scanner.depth(), place.of_node) {
            (Token::Text(id), 3, "nodeId") => node.id = id,
            (Token::Text(id), 3, "parentId") => node.parent = Some(id),
            (Token::Text(id), 3, "frameId") => node.frame = Some(id),
            (Token::Plain(number), 3, "backendDOMNodeId") => node.backend = number.parse().ok(),
            (Token::Text(role), 4, "role") if place.key == "value" => node.role = role,
            _ => {}
        }
    }
    Ok(nodes)
}

impl Canonicalizer {
    /// Returns what becomes of each raw accessibility node id; none of a node that is dropped.
    fn ax_names<'a>(&mut self, loader: u32, nodes: &[AxNode<'a>]) -> HashMap<&'a str, Option<String>> {
        let mut names: HashMap<&str, Option<String>> = HashMap::with_capacity(nodes.len());
        let mut twins: HashMap<u32, u32> = HashMap::new();
        let mut without_backend = 0u32;
        for node in nodes {
            let parent_dropped = || node.parent.is_some_and(|parent| names.get(parent) == Some(&None));
            let name = if node.role == "InlineTextBox" || parent_dropped() {
                None
            } else if let Some(raw) = node.backend {
                let backend = self.number_in(loader, raw);
                let twin = twins.entry(backend).and_modify(|twin| *twin += 1).or_insert(1);
                // Several accessibility nodes of one DOM node: the first has the plain name.
                Some(if *twin == 1 { format!("n{backend}") } else { format!("n{backend}-{twin}") })
            } else {
                without_backend += 1;
                Some(format!("x{without_backend}"))
            };
            names.insert(node.id, name);
        }
        names
    }

    /// Canonicalises the result of `Accessibility.getFullAXTree` of one frame.
    ///
    /// # Errors
    /// [`CanonicalError`] if the text is no JSON.
    pub fn ax(&mut self, raw_frame: &str, raw: &str) -> Result<String, CanonicalError> {
        let wrap = CanonicalError::new(METHOD);
        let frame = self.frame_number(raw_frame);
        let loader = self.document_of(frame);
        let nodes = ax_nodes(raw).map_err(&wrap)?;
        let mut names = self.ax_names(loader, &nodes);
        let mut place = AxPlace::default();
        let (mut index, mut unknown) = (0, 0u32);
        let rewritten = rewrite(raw, |scanner, token, writer| {
            if place.take(scanner, token) {
                let dropped = nodes.get(index).is_some_and(|node| names.get(node.id) == Some(&None));
                index += 1;
                if dropped {
                    while scanner.depth() > 2 && scanner.next()?.is_some() {}
                    return Ok(());
                }
            }
            match (token, scanner.depth(), place.of_node) {
                (Token::Text(id), 3, "nodeId" | "parentId") | (Token::Text(id), 4, "childIds")
                    if place.top == "nodes" =>
                {
                    // Ids that no node has (children that CDP did not send) are named in order of
                    // sight.
                    let name = names.entry(id).or_insert_with(|| {
                        unknown += 1;
                        Some(format!("u{unknown}"))
                    });
                    if let Some(name) = name {
                        writer.text(name);
                    }
                }
                (Token::Text(id), 3, "frameId") if place.top == "nodes" => {
                    writer.text(&frame_id(self.frame_number(&unescape(id))));
                }
                (Token::Plain(number), _, _) if place.key == "backendDOMNodeId" => match number.parse() {
                    Ok(backend) => writer.number(u64::from(self.number_in(loader, backend))),
                    Err(_) => writer.token(token),
                },
                _ => writer.token(token),
            }
            Ok(())
        });
        rewritten.map_err(wrap)
    }
}
