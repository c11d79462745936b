//! Cheap facts about a page that a router reads, in one linear pass.
//!
//! In: a [`Page`], and the dynamic-content ratio where an earlier second look is known. Out:
//! [`Signals`]. Invariant: one visit a node, no allocation a node; under 1 ms on 10,000 nodes
//! (`benches/lens.rs`). The token estimates are made of counts: no text is tokenised and no
//! observation written. They are there to compare representations of one page with each other; how
//! many tokens an observation has is for `browserlens_core::tokens` to say.

use super::page_type::{self, Evidence, PageType};
use crate::extract::regions;
use browserlens_core::page::{Flags, NodeKind, NodeRef, Page, SecondLook, role};
use browserlens_core::tokens::{ImageFormula, ImageSize};

/// Bytes of text that make one token, about.
const BYTES_PER_TOKEN: u32 = 4;
/// Tokens of an item beside its name: role, ref, line.
const TOKENS_PER_CONTROL: u32 = 6;
/// Tokens of an item without a ref.
const TOKENS_PER_HEADING: u32 = 3;
/// Tokens of an image's line in the text.
const TOKENS_PER_CROP: u32 = 15;

/// Cheap facts about a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Elements that match `canvas, [data-canvas]`, seen or not: what the seed's rule calls a
    /// canvas.
    pub canvas_elements: u32,
    /// Visible `canvas` elements (2D or WebGL: CDP does not tell them apart).
    pub canvases: u32,
    /// Share of the viewport that visible canvases take up, without those that an open dialog makes
    /// inert; at most 1.
    pub canvas_share: f32,
    /// Interactive nodes in the accessibility tree ÷ interactive elements in the DOM, both visible;
    /// 1 if the DOM has none.
    pub a11y_coverage: f32,
    /// The same over what is open to the agent: without what an open dialog makes inert, and
    /// without canvases.
    pub open_coverage: f32,
    /// Visible interactive elements.
    pub interactive: u32,
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
    /// What the accessibility tree with the visible text costs, about.
    pub a11y_tokens: u32,
    /// What the distilled DOM costs, about.
    pub dom_tokens: u32,
    /// What crops of all that text cannot tell cost on top, by the order of [`ImageFormula::ALL`].
    pub crop_tokens: [u32; 4],
    /// What a screenshot costs, likewise.
    pub screenshot_tokens: [u32; 4],
}

impl Signals {
    /// Reads the signals of a page; `earlier` is a second look at a step before, never at this one.
    pub fn of(page: &Page, earlier: Option<&SecondLook>) -> Self {
        let mut signals = Self { dynamic_ratio: earlier.map(SecondLook::dynamic_ratio), ..Self::default() };
        let mut evidence = Evidence { url: page.url(), ..Evidence::default() };
        let (mut dom, mut ax) = (0_u32, 0_u32);
        // Under an open dialog the accessibility tree leaves out what is behind it: such elements
        // are missed only if there is no dialog.
        let (mut dialog_end, mut has_dialog) = (0_u32, false);
        let (mut behind, mut drawn_controls, mut canvas_behind) = (0_u32, 0_u32, 0.0_f32);
        // What stands around the content says little of what kind of page it is.
        let mut around_end = 0_u32;
        let mut sizes = Sizes::default();
        let seen = page.view();
        let mut canvas_in_view = 0.0_f32;
        let (mut parents, mut has_child) = (0_u32, vec![false; page.len()]);
        for node in page.nodes() {
            if node.kind() == NodeKind::Text && node.is_visible() {
                evidence.text_chars = evidence.text_chars.saturating_add(bytes(node.text()));
            }
            if node.kind() != NodeKind::Element {
                continue;
            }
            signals.node_count += 1;
            signals.max_depth = signals.max_depth.max(node.depth());
            if let Some(parent) = node.parent()
                && !std::mem::replace(&mut has_child[parent.id().index()], true)
            {
                parents += 1;
            }
            let visible = node.is_visible();
            let is_canvas = node.flags().has(Flags::CANVAS);
            signals.canvas_elements += u32::from(is_canvas || node.attributes().any(|(name, _)| name == "data-canvas"));
            if is_canvas && visible {
                signals.canvases += 1;
                canvas_in_view += node.bounds().intersection(seen).area();
            }
            if visible && matches!(node.role(), "dialog" | "alertdialog") {
                has_dialog = true;
                dialog_end = dialog_end.max(node.end());
            }
            if matches!(node.role(), "navigation" | "banner" | "contentinfo") {
                around_end = around_end.max(node.end());
            }
            let is_content = node.id().0 >= around_end;
            let is_behind = node.flags().has(Flags::AX_IGNORED) && node.id().0 >= dialog_end;
            if is_canvas && visible && is_behind {
                canvas_behind += node.bounds().intersection(seen).area();
            }
            let mut in_tree = false;
            if visible && node.is_interactive() {
                dom += 1;
                in_tree = !node.flags().has(Flags::AX_IGNORED) && node.has_interactive_role();
                ax += u32::from(in_tree);
                evidence.interactive += u32::from(is_content);
                evidence.fields += u32::from(is_content && role::is_text_field(node.role()));
                evidence.passwords += u32::from(node.attribute("type") == Some("password"));
                if is_canvas {
                    drawn_controls += 1;
                } else if is_behind {
                    behind += 1;
                }
            }
            if visible {
                sizes.add(node, in_tree);
            }
            match node.role() {
                "row" | "listitem" if visible && is_content => evidence.rows += 1,
                "article" if visible => evidence.articles += 1,
                _ if visible && (node.tag() == "form" || node.role() == "form") => {
                    evidence.forms += u32::from(is_content);
                }
                "" if node.tag() == "meta" => {
                    let about = node.attribute("property").or_else(|| node.attribute("name"));
                    if matches!(about, Some("og:type" | "page-type")) {
                        evidence.meta = node.attribute("content").unwrap_or("");
                    }
                }
                _ => {}
            }
        }
        let share = |part: u32, whole: u32| if whole == 0 { 1.0 } else { part as f32 / whole as f32 };
        signals.a11y_coverage = share(ax, dom);
        signals.open_coverage = share(ax, dom - drawn_controls - if has_dialog { behind } else { 0 });
        signals.interactive = dom;
        if seen.area() > 0.0 {
            let open = canvas_in_view - if has_dialog { canvas_behind } else { 0.0 };
            signals.canvas_share = (open / seen.area()).clamp(0.0, 1.0);
        }
        let head = (page.url().len() + page.title().len()) as u32 / BYTES_PER_TOKEN + 10;
        let text = evidence.text_chars / BYTES_PER_TOKEN;
        signals.a11y_tokens = head.saturating_add(text).saturating_add(sizes.a11y);
        signals.dom_tokens = signals.a11y_tokens.saturating_add(sizes.dom_only);
        signals.crop_tokens = sizes.crops;
        let screenshot = ImageSize { width: page.viewport().width, height: page.viewport().height };
        signals.screenshot_tokens = ImageFormula::ALL.map(|formula| head + formula.tokens(screenshot).0);
        signals.mean_children = if parents == 0 { 0.0 } else { signals.node_count as f32 / parents as f32 };
        signals.page_type = page_type::guess(&evidence, &signals);
        signals
    }
}

/// What the items of a page cost beside its text, about.
#[derive(Default)]
struct Sizes {
    a11y: u32,
    /// What only tags and attributes tell.
    dom_only: u32,
    crops: [u32; 4],
}

impl Sizes {
    fn add(&mut self, node: NodeRef<'_>, in_tree: bool) {
        let role = node.role();
        // The text of a button or a link is counted as text; a field or an image says its name
        // itself.
        let named = role::is_text_field(role) || matches!(role, "image" | "img" | "combobox" | "listbox");
        if named {
            self.a11y = self.a11y.saturating_add(bytes(node.name()) / BYTES_PER_TOKEN);
        }
        if in_tree {
            self.a11y = self.a11y.saturating_add(TOKENS_PER_CONTROL);
        } else if matches!(role, "heading" | "listitem" | "row" | "cell" | "gridcell" | "columnheader" | "dialog") {
            self.a11y = self.a11y.saturating_add(TOKENS_PER_HEADING);
        } else if role::is_generic(role) {
            self.dom_only = self.dom_only.saturating_add(match node.tag() {
                "a" | "button" | "summary" | "select" | "textarea" | "input" => TOKENS_PER_CONTROL,
                "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "tr" | "td" | "th" | "li" | "nav" | "main" | "table" => {
                    TOKENS_PER_HEADING
                }
                _ if node.attribute("role").is_some() => TOKENS_PER_CONTROL,
                _ => 0,
            });
        }
        if regions::role_of(node).is_some() {
            let bounds = node.bounds();
            let size = ImageSize { width: bounds.width.max(1.0) as u32, height: bounds.height.max(1.0) as u32 };
            for (sum, formula) in self.crops.iter_mut().zip(ImageFormula::ALL) {
                *sum = sum.saturating_add(formula.tokens(size).0).saturating_add(TOKENS_PER_CROP);
            }
        }
    }
}

fn bytes(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{Clickability, NodeSpec, PageBuilder};

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
        assert_eq!(signals.canvases, 1);
        assert_eq!(signals.dynamic_ratio, None);
    }

    #[test]
    fn a_dialog_that_the_tree_knows_excuses_what_is_behind_it_and_one_that_it_does_not_know_excuses_nothing() {
        let behind = |dialog: &str| {
            let mut builder = PageBuilder::new("https://a.test/", "");
            for name in ["one", "two", "three"] {
                let flags = Flags::AX_IGNORED;
                builder.leaf(NodeSpec { flags, clickability: Clickability::POINTER, ..NodeSpec::with_role("", name) });
            }
            builder.open(NodeSpec::with_role(dialog, "Sure?"));
            builder.leaf(NodeSpec::with_role("button", "Yes"));
            builder.close();
            Signals::of(&builder.finish(), None)
        };
        let known = behind("dialog");
        assert!((known.open_coverage - 1.0).abs() < 1e-6 && (known.a11y_coverage - 0.25).abs() < 1e-6, "{known:?}");
        let unknown = behind("generic");
        assert!((unknown.open_coverage - 0.25).abs() < 1e-6, "{unknown:?}");
    }

    #[test]
    fn a_canvas_is_no_control_that_the_tree_misses_but_a_part_of_the_viewport() {
        let page = PageBuilder::outline("canvas canvas clickable box=0,0,640,720\nbutton \"Go\"");
        let signals = Signals::of(&page, None);
        assert!((signals.open_coverage - 1.0).abs() < 1e-6, "{signals:?}");
        let viewport = page.viewport();
        let share = 640.0 * 720.0 / (viewport.width * viewport.height) as f32;
        assert!((signals.canvas_share - share).abs() < 1e-3, "{signals:?}");
        let expected = ImageFormula::ALL.map(|formula| formula.tokens(ImageSize { width: 640, height: 720 }).0 + 15);
        assert_eq!(signals.crop_tokens, expected);
    }

    #[test]
    fn estimates_grow_with_text_and_the_dom_costs_what_the_tree_leaves_out() {
        let small = Signals::of(&PageBuilder::outline("main\n  text \"Hello\""), None);
        let text = format!("main\n  text \"{}\"", "word ".repeat(400));
        let large = Signals::of(&PageBuilder::outline(&text), None);
        assert_eq!(large.a11y_tokens - small.a11y_tokens, 2_000 / 4 - 5 / 4);
        assert_eq!(large.dom_tokens, large.a11y_tokens, "the tree leaves nothing out");
        let untold = Signals::of(&PageBuilder::outline("generic tag=a href=\"/x\"\n  text \"Hello\""), None);
        assert_eq!(untold.dom_tokens - untold.a11y_tokens, 6);
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
        let shown = |outline: &str| Signals::of(&PageBuilder::outline(outline), None).page_type;
        let links = "  link \"Help\"\n".repeat(30);
        let items = "    listitem \"Help\"\n".repeat(30);
        let sign_in = "main\n  textbox \"Email\"\n  textbox \"Password\" type=password\n  button \"Sign in\"\n";
        assert_eq!(shown(&format!("navigation\n{links}{sign_in}")), PageType::Form);
        let fields = "main\n  generic tag=form\n    textbox \"Room\"\n    textbox \"Day\"\n    button \"Book\"\n";
        assert_eq!(shown(&format!("navigation\n{links}{fields}")), PageType::Form);
        assert_eq!(shown(&format!("navigation\n  list\n{items}main\n  heading \"Start\"")), PageType::Other);
        assert_eq!(shown(&format!("main\n  list\n{items}")), PageType::Listing);
        assert_eq!(shown("main\n  generic canvas box=0,0,1280,600"), PageType::Dashboard);
    }
}
