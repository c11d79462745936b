//! Where a script finds a node: selectors that match it and nothing else.
//!
//! In: a node of a page. Out: one selector a tree (document, open shadow tree, frame of the same
//! origin), from the outside in. Invariants: names and values are serialised by `cssparser`; each
//! selector was run over the page and matched this node alone in its tree; a node in a closed
//! shadow tree or in a frame of another origin has no path.

use crate::extract::nodes::css_string;
use crate::extract::urls::same_origin;
use browserlens_core::page::select::{Selector, Trees};
use browserlens_core::page::{Flags, NodeKind, NodeRef};
use cssparser::{ToCss, Token};

/// Attributes that tell an element, in the order in which they are tried.
const TELLING: [&str; 10] =
    ["data-testid", "data-test", "data-part", "data-id", "name", "aria-label", "href", "title", "placeholder", "value"];
/// Longest value of an attribute that is used, in bytes.
const LONGEST_VALUE: usize = 200;

fn same(trees: &Trees, a: NodeRef<'_>, b: NodeRef<'_>) -> bool {
    a.frame() == b.frame() && trees.host[a.id().index()] == trees.host[b.id().index()]
}

/// Returns the selectors of a node, from the document in; where no script reaches it, what it lies in.
pub(crate) fn path(node: NodeRef<'_>) -> Result<Vec<String>, &'static str> {
    let page = node.page();
    let trees = Trees::of(page);
    let mut path = Vec::new();
    let mut at = node;
    loop {
        path.push(selector(at, &trees).ok_or("a place that no selector tells")?);
        let host = trees.host[at.id().index()];
        if host != Trees::NONE {
            let host = page.node(browserlens_core::page::NodeId(host));
            if !host.flags().has(Flags::SHADOW_HOST_OPEN) {
                return Err("a closed shadow tree");
            }
            at = host;
            continue;
        }
        let frame = &page.frames()[usize::from(at.frame().0)];
        let Some(owner) = frame.owner else { break };
        let owner = page.node(owner);
        let outer = &page.frames()[usize::from(owner.frame().0)];
        // `about:srcdoc` and `about:blank` have the origin of what holds them.
        if !frame.url.starts_with("about:") && !same_origin(&outer.url, &frame.url) {
            return Err("a frame of another origin");
        }
        at = owner;
    }
    path.reverse();
    Ok(path)
}

fn identifier(text: &str) -> String {
    Token::Ident(text.into()).to_css_string()
}

/// Returns a selector that matches the node alone in its tree.
fn selector(node: NodeRef<'_>, trees: &Trees) -> Option<String> {
    let page = node.page();
    let is_alone = |text: &str| {
        let Ok(selector) = text.parse::<Selector>() else { return false };
        let mut found = selector.find(page).into_iter().filter(|id| same(trees, page.node(*id), node));
        found.next() == Some(node.id()) && found.next().is_none()
    };
    let tag = identifier(node.tag());
    let by_id = id_of(node).map(|id| format!("#{id}"));
    let by_attribute = TELLING.iter().filter_map(|name| {
        let value = node.attribute(name).filter(|value| !value.is_empty() && value.len() <= LONGEST_VALUE)?;
        Some(format!("{tag}[{name}={}]", css_string(value)))
    });
    let mut short = by_id.into_iter().chain(by_attribute).chain([tag.clone()]);
    if let Some(text) = short.find(|text| is_alone(text)) {
        return Some(text);
    }
    // Step by step up to the nearest element with an id, or to the top.
    let mut steps = step(node, trees);
    let mut above = trees.parent[node.id().index()];
    while above != Trees::NONE {
        let at = page.node(browserlens_core::page::NodeId(above));
        let from_id = id_of(at).map(|id| format!("#{id} > {steps}")).filter(|text| is_alone(text));
        if from_id.is_some() {
            return from_id;
        }
        steps = format!("{} > {steps}", step(at, trees));
        above = trees.parent[above as usize];
    }
    is_alone(&steps).then_some(steps)
}

fn id_of(node: NodeRef<'_>) -> Option<String> {
    node.attribute("id").filter(|id| !id.is_empty() && id.len() <= LONGEST_VALUE).map(identifier)
}

/// Tag and number among the siblings of that tag.
fn step(node: NodeRef<'_>, trees: &Trees) -> String {
    let own = trees.parent[node.id().index()];
    let is_sibling = |other: &NodeRef<'_>| {
        other.kind() == NodeKind::Element
            && other.tag() == node.tag()
            && trees.parent[other.id().index()] == own
            && same(trees, *other, node)
    };
    // Siblings stand between the parent (or host, or document) and the node in document order.
    let begin =
        node.ancestors().find(|above| above.id().0 == own || own == Trees::NONE && above.kind() != NodeKind::Text);
    let first = begin.map_or(0, |begin| begin.id().index());
    let number = node.page().nodes().skip(first).take_while(|other| other.id() <= node.id()).filter(is_sibling).count();
    format!("{}:nth-of-type({number})", identifier(node.tag()))
}
