//! HTML as a browser's parser would read it, within bounds.
//!
//! In: HTML. Out: a tree. Invariants: no script runs; parsing is iterative; once there are more
//! nodes than allowed nothing is added, and the result is an error: markup can make a parser repeat
//! what it has seen.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};
use markup5ever_rcdom::{Handle, RcDom};
use std::borrow::Cow;
use std::cell::Cell;

/// Levels of a document: browsers that save pages put what is deeper beside each other, from 512
/// on.
const MOST_LEVELS: usize = 2_000;

/// A parsed document.
pub(crate) struct Markup(RcDom);

impl Markup {
    pub(crate) fn document(&self) -> Handle {
        self.0.document.clone()
    }
}

/// Parses a document of no more than `most` nodes.
pub(crate) fn parse(html: &str, most: usize) -> Result<Markup, String> {
    let sink = Counting { dom: RcDom::default(), left: Cell::new(most), is_deep: Cell::new(false) };
    let refused = |sink: &Counting| match (sink.is_deep.get(), sink.is_full()) {
        (true, _) => Err(format!("the page is nested deeper than {MOST_LEVELS} levels")),
        (_, true) => Err(format!("the page has more than {most} nodes")),
        _ => Ok(()),
    };
    let mut parser = parse_document(sink, ParseOpts::default());
    // Tag by tag: a single one can make the parser repeat every element that is open.
    let mut from = 0;
    let ends = memchr::memchr_iter(b'<', html.as_bytes()).skip_while(|at| *at == 0);
    for end in ends.chain([html.len()]) {
        parser.process(StrTendril::from_slice(&html[from..end]));
        refused(&parser.tokenizer.sink.sink)?;
        from = end;
    }
    let sink = parser.finish();
    refused(&sink).map(|()| Markup(sink.dom))
}

/// A tree that counts what is added to it.
struct Counting {
    dom: RcDom,
    left: Cell<usize>,
    is_deep: Cell<bool>,
}

impl Counting {
    /// Looks how deep a node lies. What the parser may have to repeat is no more than what is open
    /// above it.
    fn measure(&self, node: &Handle) {
        let mut above = node.clone();
        for _ in 0..MOST_LEVELS {
            let Some(weak) = above.parent.take() else { return };
            let next = weak.upgrade();
            above.parent.set(Some(weak));
            let Some(next) = next else { return };
            above = next;
        }
        self.is_deep.set(true);
        self.left.set(0);
    }

    fn count(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }

    fn is_full(&self) -> bool {
        self.left.get() == 0
    }
}

impl TreeSink for Counting {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.dom.elem_name(target)
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        self.count();
        let attrs = if self.is_full() { Vec::new() } else { attrs };
        self.dom.create_element(name, attrs, flags)
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.count();
        self.dom.create_comment(StrTendril::new())
    }

    fn create_pi(&self, target: StrTendril, _: StrTendril) -> Handle {
        self.count();
        self.dom.create_pi(target, StrTendril::new())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if !self.is_full() {
            self.count();
            self.measure(parent);
            self.dom.append(parent, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, before: &Handle, child: NodeOrText<Handle>) {
        if !self.is_full() {
            self.count();
            self.dom.append_based_on_parent_node(element, before, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.dom.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.dom.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if !self.is_full() {
            self.count();
            self.dom.append_before_sibling(sibling, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        self.dom.add_attrs_if_missing(target, attrs);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.dom.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Handle, parent: &Handle) {
        self.dom.reparent_children(node, parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_a_parser_would_multiply_ends_at_the_limit() {
        // Each paragraph repeats every element that is open.
        let open: String = (0..50).map(|size| format!("<font size={size}>")).collect();
        let html = format!("<p>{open}</p>{}", "<p>x".repeat(5_000));
        assert!(parse(&html, 10_000).err().is_some_and(|reason| reason.contains("10000 nodes")));
        assert!(parse("<p>x<b>y", 100).is_ok());
        assert!(parse(&"<div>".repeat(1_500), 10_000).is_ok());
        assert!(parse(&"<div>".repeat(2_500), 10_000).err().is_some_and(|reason| reason.contains("2000 levels")));
    }
}
