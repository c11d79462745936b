//! `raw/ax-tree` and `raw/html`: what CDP and the DOM say, unabridged.
//!
//! In: the accessibility payloads, or the snapshot payload. Out: their JSON without blanks, one
//! frame a line; or HTML with every element, attribute and text, frames and shadow trees in place.
//! Invariant: nothing is filtered, scripts and styles stay; comments and the doctype are not in a
//! [`Dom`] and so not in the HTML.

use crate::dom::{self, Dom, Id, push_reversed};
use crate::tool::{PeerStrategy, missing, no_options};
use browserlens_core::page::{NodeKind, PayloadKind};
use browserlens_core::strategy::{ActionChannel, Observation, OptionsError, Run, Stage, StepInput, StrategyError};
use serde_json::Value;

pub(crate) const AX_TREE: &str = "raw/ax-tree";
pub(crate) const HTML: &str = "raw/html";

/// `raw/ax-tree`: the results of `Accessibility.getFullAXTree` of every frame, as recorded.
pub(super) fn ax_tree_strategy(options: &Value) -> Result<PeerStrategy, OptionsError> {
    no_options(options)?;
    let strategy = PeerStrategy::new(AX_TREE, "1", &crate::read::AX_JSON, |_| RawAxTree);
    Ok(PeerStrategy { channel: ActionChannel::RoleName, ..strategy })
}

/// `raw/html`: the documents as HTML.
pub(super) fn html_strategy(options: &Value) -> Result<PeerStrategy, OptionsError> {
    no_options(options)?;
    let strategy = PeerStrategy::new(HTML, "1", &crate::read::HTML, |_| RawHtml);
    Ok(PeerStrategy { channel: ActionChannel::Selector, reads_dom_only: true, ..strategy })
}

struct RawAxTree;

struct RawHtml;

impl Run for RawAxTree {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let mut text = String::new();
        for payload in input.capture.of_kind(PayloadKind::Ax) {
            if !text.is_empty() {
                text.push('\n');
            }
            push_compact(&mut text, &String::from_utf8_lossy(&payload.body));
        }
        input.clock.enter(None);
        if text.is_empty() {
            return Err(missing(input, "accessibility tree", AX_TREE));
        }
        Ok(Observation::full_text(text, crate::REPRODUCED))
    }
}

/// Appends JSON text without the blanks between its tokens. Why not parse it: keys keep their order
/// and numbers their spelling.
fn push_compact(out: &mut String, json: &str) {
    let mut quoted = false;
    let mut escaped = false;
    for c in json.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            out.push(c);
        } else if !matches!(c, ' ' | '\t' | '\n' | '\r') {
            quoted = c == '"';
            out.push(c);
        }
    }
}

impl Run for RawHtml {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        if !dom::has_snapshot(input.capture) {
            return Err(missing(input, "DOM snapshot", HTML));
        }
        input.clock.enter(Some(Stage::Extract));
        let snapshots = dom::snapshots(input.capture);
        let dom = Dom::new(input.page, &snapshots);
        input.clock.enter(Some(Stage::Format));
        let text = html(&dom);
        input.clock.enter(None);
        Ok(Observation::full_text(text, crate::REPRODUCED))
    }
}

enum Todo {
    Open(Id),
    Close(Id),
}

/// Writes the main document and everything in it as HTML.
pub(crate) fn html(dom: &Dom<'_>) -> String {
    let mut out = String::new();
    let mut todo: Vec<Todo> = dom.main_document().map(Todo::Open).into_iter().collect();
    while let Some(next) = todo.pop() {
        match next {
            Todo::Open(id) => open(dom, id, &mut out, &mut todo),
            Todo::Close(id) => {
                out.push_str("</");
                out.push_str(dom.tag(id));
                out.push('>');
            }
        }
    }
    out
}

fn open(dom: &Dom<'_>, id: Id, out: &mut String, todo: &mut Vec<Todo>) {
    let node = dom.node(id);
    match node.kind {
        NodeKind::Pseudo => return,
        NodeKind::Text => {
            let raw = node.parent.is_some_and(|parent| matches!(dom.tag(parent), "script" | "style"));
            return if raw { out.push_str(node.text) } else { push_escaped(out, node.text, false) };
        }
        NodeKind::Document => {}
        NodeKind::Element => {
            out.push('<');
            out.push_str(&node.tag);
            for (name, value) in &node.attributes {
                out.push(' ');
                out.push_str(name);
                if !value.is_empty() {
                    out.push_str("=\"");
                    push_escaped(out, value, true);
                    out.push('"');
                }
            }
            out.push('>');
            if is_void(&node.tag) {
                return;
            }
            todo.push(Todo::Close(id));
        }
    }
    push_reversed(todo, dom.children(id).chain(dom.content_of(id)).map(Todo::Open));
}

pub(crate) fn push_escaped(out: &mut String, text: &str, in_attribute: bool) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '\u{a0}' => out.push_str("&nbsp;"),
            '"' if in_attribute => out.push_str("&quot;"),
            '<' if !in_attribute => out.push_str("&lt;"),
            '>' if !in_attribute => out.push_str("&gt;"),
            _ => out.push(c),
        }
    }
}

/// Whether an element has no end tag.
pub(crate) fn is_void(tag: &str) -> bool {
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
        .contains(&tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Step, outline, payload};
    use browserlens_core::page::PageBuilder;

    #[test]
    fn the_tree_of_every_frame_is_one_line_without_blanks() {
        let step = Step::new(outline("main")).with_payloads(vec![
            payload(PayloadKind::Ax, 1, "{ \"nodes\" : [ { \"name\": \"a \\\" b\" } ] }"),
            payload(PayloadKind::Frames, 1, "{}"),
            payload(PayloadKind::Ax, 2, "{\"nodes\":[]}\n"),
        ]);
        insta::assert_snapshot!(step.observe(&mut RawAxTree).text, @r#"
        {"nodes":[{"name":"a \" b"}]}
        {"nodes":[]}
        "#);
    }

    #[test]
    fn a_capture_without_the_payload_is_an_error_that_names_it() {
        let step = Step::new(outline("main"));
        let error = step.try_observe(&mut RawAxTree).expect_err("nothing to show");
        assert_eq!(error.to_string(), "step 0: the capture has no accessibility tree, which raw/ax-tree reads");
        assert!(step.try_observe(&mut RawHtml).is_err());
    }

    #[test]
    fn html_keeps_attributes_scripts_and_unrendered_text() {
        let snapshot = r##"{"documents":[{"frameId":0,"nodes":{
            "parentIndex":[-1,0,1,2,3,2,5,2,1,8],"nodeType":[9,1,1,1,3,1,3,1,1,3],
            "nodeName":[1,2,3,4,5,6,5,7,8,5],"nodeValue":[-1,-1,-1,-1,9,-1,10,-1,-1,9],
            "backendNodeId":[1,2,3,4,5,6,7,8,9,10],
            "attributes":[[],[],[],[],[],[11,12],[],[13,14],[],[]]}}],
            "strings":["F1","#document","HTML","BODY","P","#text","SCRIPT","INPUT","FOOTER","a < b & c","if (a < b) {}",
            "type","module","value","\"x\""]}"##;
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.document(1, 1);
        let step = Step::new(builder.finish()).with_payloads(vec![payload(PayloadKind::Snapshot, 1, snapshot)]);
        insta::assert_snapshot!(
            step.observe(&mut RawHtml).text,
            @"<html><body><p>a &lt; b &amp; c</p><script type=\"module\">if (a < b) {}</script><input \
                value=\"&quot;x&quot;\"></body><footer>a &lt; b &amp; c</footer></html>"
        );
    }

    #[test]
    fn a_page_nested_ten_thousand_deep_becomes_html() {
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        for _ in 0..10_000 {
            builder.open(browserlens_core::page::NodeSpec::default());
        }
        let page = builder.finish();
        let text = html(&Dom::new(&page, &[]));
        assert_eq!(text.len(), 10_000 * "<div></div>".len());
    }
}
