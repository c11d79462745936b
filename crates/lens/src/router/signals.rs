//! Cheap facts about a page that a router reads, in one linear pass.
//!
//! In: a [`Page`], and the dynamic-content ratio where an earlier second look is known. Out: [`Signals`].
//! Invariant: one visit a node, no allocation a node; under 1 ms on 10,000 nodes (`benches/lens.rs`).

use super::page_type::{self, Evidence, PageType};
use browserlens_page::{Flags, NodeKind, Page, SecondLook, role};

/// Cheap facts about a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Visible `canvas` elements (2D or WebGL: CDP does not tell them apart).
    pub canvases: u32,
    /// Elements with `data-canvas`.
    pub data_canvases: u32,
    /// Area of the visible canvases, in square CSS px.
    pub canvas_area: f32,
    /// Interactive nodes in the accessibility tree ÷ interactive elements in the DOM, both visible; 1 if the DOM has none.
    pub a11y_coverage: f32,
    /// Elements.
    pub node_count: u32,
    /// Greatest nesting.
    pub max_depth: u32,
    /// Mean number of element children of elements that have any.
    pub mean_children: f32,
    /// Share of nodes that change by themselves; none where no earlier second look is known.
    pub dynamic_ratio: Option<f32>,
    /// What kind of page it is.
    pub page_type: PageType,
}

impl Signals {
    /// Reads the signals of a page; `earlier` is a second look at a step before, never at this one.
    pub fn of(page: &Page, earlier: Option<&SecondLook>) -> Self {
        let mut signals = Self { dynamic_ratio: earlier.map(SecondLook::dynamic_ratio), ..Self::default() };
        let mut evidence = Evidence { url: page.url(), ..Evidence::default() };
        let (mut dom, mut ax) = (0_u32, 0_u32);
        let (mut parents, mut has_child) = (0_u32, vec![false; page.len()]);
        for node in page.nodes() {
            match node.kind() {
                NodeKind::Element => {}
                NodeKind::Text => {
                    if node.is_visible() {
                        evidence.text_chars = evidence.text_chars.saturating_add(node.text().len() as u32);
                    }
                    continue;
                }
                _ => continue,
            }
            signals.node_count += 1;
            signals.max_depth = signals.max_depth.max(node.depth());
            if let Some(parent) = node.parent()
                && !std::mem::replace(&mut has_child[parent.id().index()], true)
            {
                parents += 1;
            }
            let visible = node.is_visible();
            if node.flags().has(Flags::CANVAS) && visible {
                signals.canvases += 1;
                signals.canvas_area += node.bounds().area();
            }
            if node.attributes().any(|(name, _)| name == "data-canvas") {
                signals.data_canvases += 1;
            }
            if visible && node.is_interactive() {
                dom += 1;
                let in_tree = !node.flags().has(Flags::AX_IGNORED);
                ax += u32::from(in_tree && node.has_interactive_role());
                evidence.fields += u32::from(role::is_text_field(node.role()));
            }
            match node.role() {
                "row" | "listitem" if visible => evidence.rows += 1,
                "article" if visible => evidence.articles += 1,
                "" if node.tag() == "meta" => {
                    let about = node.attribute("property").or_else(|| node.attribute("name"));
                    if matches!(about, Some("og:type" | "page-type")) {
                        evidence.meta = node.attribute("content").unwrap_or("");
                    }
                }
                _ => {}
            }
        }
        evidence.interactive = dom;
        evidence.canvases = signals.canvases;
        signals.a11y_coverage = if dom == 0 { 1.0 } else { ax as f32 / dom as f32 };
        signals.mean_children = if parents == 0 { 0.0 } else { signals.node_count as f32 / parents as f32 };
        signals.page_type = page_type::guess(&evidence);
        signals
    }

    /// Returns whether anything on the page is drawn rather than written.
    pub fn has_canvas(&self) -> bool {
        self.canvases + self.data_canvases > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::PageBuilder;

    #[test]
    fn coverage_counts_clickable_nodes_that_the_accessibility_tree_misses() {
        let page = PageBuilder::outline(
            r#"
            main
              button "Go"
              generic clickable
                text "Card"
              generic clickable hidden
              canvas canvas box=0,0,300,200
            "#,
        );
        let signals = Signals::of(&page, None);
        assert!((signals.a11y_coverage - 0.5).abs() < 1e-6, "{signals:?}");
        assert_eq!((signals.canvases, signals.canvas_area), (1, 60_000.0));
        assert_eq!(signals.dynamic_ratio, None);
    }

    #[test]
    fn a_page_without_interactive_elements_is_fully_covered() {
        let page = PageBuilder::outline("main\n  text \"Hello\"");
        assert!((Signals::of(&page, None).a11y_coverage - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_page_type_comes_from_url_and_content() {
        let typed = |url: &str| Signals::of(&PageBuilder::new(url, "").finish(), None).page_type;
        assert_eq!(typed("https://a.test/login"), PageType::Form);
        assert_eq!(typed("https://a.test/docs/install"), PageType::Document);
        assert_eq!(typed("https://a.test/search?q=login"), PageType::Listing);
        assert_eq!(typed("not a url"), PageType::Other);
    }
}
