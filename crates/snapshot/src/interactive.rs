//! What can be acted on, with refs.
//!
//! In: pages, step by step. Out: the lens' own tree of each page, cut down to what has a ref, what
//! that stands in, and what must not be missed (dialogs, alerts, fields in error), in the grammar
//! of the lens. Invariants: refs are given by the lens and mean what they mean there, over all
//! steps of one lens; nothing is said that the lens does not say.

use crate::grep::Grep;
use crate::nearest::Choice;
use crate::options::{Mode, RefStyle, SnapshotError};
use crate::path::Paths;
use browserlens_core::page::{NodeId, NodeKey, Page};
use browserlens_core::strategy::{
    CaptureImage, Observation, PageAlone, Ref, RefTarget, Request, Run, StepInput, StrategyError,
};
use browserlens_lens::format::{Head, Observed, Style, write, write_item};
use browserlens_lens::tree::{ROOT, Tree};
use browserlens_lens::{Lens, LensOptions, Representation, ShownState};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Most refs that are kept beside those of observations.
const MOST_NAMED: usize = 500;

/// A lens that knows what the refs of its pages mean, over all steps.
#[derive(Debug)]
pub struct RefLens {
    lens: Lens,
    refs: BTreeMap<Ref, NodeKey>,
    /// Refs that were given outside of observations, to what cannot be acted on as far as the lens knows.
    named: BTreeMap<Ref, NodeKey>,
    step: u32,
}

impl Default for RefLens {
    fn default() -> Self {
        Self::new()
    }
}

impl RefLens {
    /// Starts with a lens that shows pages whole.
    pub fn new() -> Self {
        let options = LensOptions {
            representation: Some(Representation::A11y),
            delta: false,
            events: false,
            ..LensOptions::default()
        };
        Self::with_options(options)
    }

    /// Starts with a lens that works by these options: what it observes and its snapshots have
    /// the same refs.
    pub fn with_options(options: LensOptions) -> Self {
        Self { lens: Lens::new(options), refs: BTreeMap::new(), named: BTreeMap::new(), step: 0 }
    }

    /// Looks at the next page: the refs are those of this page from now on.
    ///
    /// # Errors
    /// [`StrategyError`] if the lens cannot show it.
    pub fn look(&mut self, page: &Arc<Page>) -> Result<(), StrategyError> {
        let alone = PageAlone::default();
        let input = alone.input(self.step, page);
        self.observe(&input).map(drop)
    }

    /// Looks at the page of a step, and returns what the lens says of it.
    ///
    /// # Errors
    /// [`StrategyError`] if the lens cannot show it.
    pub fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let observation = self.lens.observe(input)?;
        self.step = input.step.0 + 1;
        self.learn(&observation);
        Ok(observation)
    }

    /// Answers a request about the page that was looked at last.
    ///
    /// # Errors
    /// [`StrategyError::Unanswerable`] if the lens has not what is asked for.
    pub fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let observation = self.lens.request(request)?;
        self.learn(&observation);
        Ok(observation)
    }

    /// Returns why the page looked at last is shown as it is, in lines of words.
    pub fn why(&self) -> Option<String> {
        self.lens.why()
    }

    fn learn(&mut self, observation: &Observation) {
        self.refs =
            observation.refs.iter().filter_map(|target| Some((target.handle.parse().ok()?, target.key))).collect();
    }

    /// Learns that nodes change by themselves, whatever is done; what of them nobody acts on is not told again.
    pub fn learn_noise(&mut self, nodes: Vec<NodeKey>) {
        self.lens.learn_noise(nodes);
    }

    /// Works by other options from the next look on; refs keep what they mean.
    pub fn set_options(&mut self, options: LensOptions) {
        self.lens.set_options(options);
    }

    /// Forgets what was told, so that the next observation is full; refs keep what they mean.
    pub fn forget(&mut self) {
        self.lens.forget();
    }

    /// Looks at a page by other options and hands over the lens as it then stands; what was told
    /// before is as it was afterwards, and refs that were given in between stay good.
    ///
    /// # Errors
    /// [`StrategyError`] if the lens cannot show the page.
    pub fn aside<T>(
        &mut self,
        options: LensOptions,
        input: &StepInput<'_>,
        what: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, StrategyError> {
        let (aside, refs, step) = (self.lens.set_aside(options), self.refs.clone(), self.step);
        let found = self.observe(input).map(|_| what(self));
        self.lens.take_up(aside);
        (self.refs, self.step) = (refs, step);
        found
    }

    /// Draws the refs of what can be acted on and seen into a picture of the page looked at last; returns the
    /// PNG and how many refs it shows, or none if the picture cannot be read.
    pub fn annotated(&self, picture: &CaptureImage) -> Option<(Arc<[u8]>, usize)> {
        self.lens.annotated(picture)
    }

    /// Returns whether a ref was ever given.
    pub fn has_given(&self, reference: Ref) -> bool {
        self.lens.has_given(reference)
    }

    /// Returns the ref of a node of the page that was looked at last.
    pub fn reference(&self, key: NodeKey) -> Option<Ref> {
        self.refs.iter().find(|(_, found)| **found == key).map(|(reference, _)| *reference)
    }

    /// Returns the node that a ref means on the page that was looked at last, also if it was given
    /// for what is left out now.
    pub fn node(&self, reference: Ref) -> Option<NodeKey> {
        let named = || self.named.get(&reference).copied();
        self.refs.get(&reference).copied().or_else(|| self.lens.node(reference)).or_else(named)
    }

    /// Returns the ref of a node, or else one that only [`Self::node`] knows.
    pub fn name(&mut self, key: NodeKey) -> Ref {
        let named = || self.named.iter().find(|(_, found)| **found == key).map(|(reference, _)| *reference);
        self.reference(key).or_else(named).unwrap_or_else(|| {
            let spare = self.lens.spare_ref();
            self.named.insert(spare, key);
            if self.named.len() > MOST_NAMED {
                self.named.pop_first();
            }
            spare
        })
    }

    /// Returns the node that an item of what was told last stands for.
    pub fn key_of(&self, item: u32) -> Option<NodeKey> {
        self.lens.key_of(item)
    }

    /// Returns the refs of the page that was looked at last.
    pub fn refs(&self) -> &BTreeMap<Ref, NodeKey> {
        &self.refs
    }

    /// Returns what was told so far.
    pub fn shown(&self) -> Option<&ShownState> {
        self.lens.shown()
    }
}

/// What of a page is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct InteractiveOptions<'a> {
    /// The elements to look into; empty for the whole page.
    pub roots: &'a [NodeId],
    /// Deepest nesting of items; none for no limit.
    pub max_depth: Option<usize>,
    /// Which paths and lines are kept.
    pub grep: Option<&'a Grep>,
    /// How refs are written.
    pub style: RefStyle,
}

/// An interactive snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Interactive {
    /// The text.
    pub text: String,
    /// What the refs in it mean.
    pub refs: Vec<RefTarget>,
    /// The nodes that have a ref in it, in document order.
    pub nodes: Vec<NodeId>,
    /// What lies deeper than was asked for, which the text says too.
    pub cut: Option<String>,
}

/// Shows what can be acted on, on the page that the lens looked at last.
///
/// # Errors
/// [`SnapshotError::Lens`] if the lens has looked at no page, [`SnapshotError::NothingMatches`]
/// if the pattern leaves nothing.
pub fn interactive(
    page: &Page,
    paths: &Paths<'_>,
    lens: &RefLens,
    options: InteractiveOptions<'_>,
) -> Result<Interactive, SnapshotError> {
    let shown = lens.shown().ok_or_else(|| SnapshotError::Lens { reason: "nothing was looked at yet".to_owned() })?;
    let by_key: HashMap<NodeKey, NodeId> = page.nodes().map(|node| (node.key(), node.id())).collect();
    let tree = shown.tree();
    let lines = lines_of(page, lens, tree, &by_key, &options);
    let mut keep = match options.grep {
        None => lines.iter().map(|line| *line != Shown::Not).collect(),
        Some(grep) => filtered(tree, &lines, paths, grep)?,
    };
    let mut depths = vec![0_usize; tree.len()];
    let (mut left, mut deepest) = (0, 0);
    for (id, _) in tree.items().skip(1) {
        let (at, parent) = (id as usize, tree.parent(id));
        depths[at] = if parent == ROOT { 0 } else { depths[parent as usize] + 1 };
        if keep[at] && options.max_depth.is_some_and(|depth| depths[at] > depth) {
            keep[at] = false;
            deepest = deepest.max(depths[at]);
            left += 1;
        }
    }
    keep[ROOT as usize] = true;
    for id in (1..tree.len() as u32).rev() {
        if keep[id as usize] {
            keep[tree.parent(id) as usize] = true;
        }
    }
    let mut refs = Vec::new();
    let mut nodes = Vec::new();
    for (id, item) in tree.items() {
        if let (true, Shown::Control(node), Some(reference)) = (keep[id as usize], lines[id as usize], item.reference) {
            refs.push(RefTarget { handle: reference.to_string(), key: page.node(node).key() });
            nodes.push(node);
        }
    }
    let mut cut = Tree::default();
    let mut new = vec![ROOT; tree.len()];
    for (id, item) in tree.items().skip(1) {
        if keep[id as usize] {
            new[id as usize] = cut.push(new[tree.parent(id) as usize], item.clone());
        }
    }
    let head = Head { title: page.title().trim().to_owned(), url: page.url().to_owned(), cut: false };
    let observed = Observed::Full {
        step: None,
        reason: None,
        head: Some(head),
        events: Vec::new(),
        images: Vec::new(),
        tree: cut,
    };
    let mut text = match options.style {
        RefStyle::Lens => write(&observed, Style::DEFAULT),
        RefStyle::Seed => seed_refs(&write(&observed, Style::PLAIN)),
    };
    let cut = (deepest > 0).then(|| format!("{left} items left; max depth {deepest} shows all"));
    text.extend(cut.iter().map(|cut| format!("\nCUT [{cut}]")));
    nodes.sort_unstable();
    Ok(Interactive { text, refs, nodes, cut })
}

/// What an item of the lens' tree is to an interactive snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Nothing, unless something in it is shown.
    Not,
    /// What can be acted on.
    Control(NodeId),
    /// What must not be missed.
    Urgent,
    /// What the item above it says, or what can be chosen in it.
    Says,
}

/// Says of each item of the tree whether it is shown, whatever the pattern.
fn lines_of(
    page: &Page,
    lens: &RefLens,
    tree: &Tree,
    by_key: &HashMap<NodeKey, NodeId>,
    options: &InteractiveOptions<'_>,
) -> Vec<Shown> {
    let inside =
        |node: NodeId| options.roots.is_empty() || options.roots.iter().any(|root| page.node(*root).holds(node));
    let mut lines = vec![Shown::Not; tree.len()];
    for (id, item) in tree.items().skip(1) {
        let at = id as usize;
        let parent = tree.parent(id);
        lines[at] = if let Some(key) = item.reference.and_then(|reference| lens.node(reference)) {
            match by_key.get(&key).copied() {
                Some(node) if inside(node) => Shown::Control(node),
                _ => Shown::Not,
            }
        } else if item.is_urgent() && options.roots.is_empty() {
            Shown::Urgent
        } else {
            let above = tree.item(parent);
            let says = item.is_text() && (above.name.is_empty() || above.is_urgent());
            let belongs = (above.reference.is_some() || above.is_urgent()) && lines[parent as usize] != Shown::Not;
            if belongs && (says || &*item.role == "option") { Shown::Says } else { Shown::Not }
        };
    }
    lines
}

/// Says which items the pattern keeps. A control and what it says are one line; what holds a
/// control is a line too, but is not kept for what it is not.
fn filtered(tree: &Tree, lines: &[Shown], paths: &Paths<'_>, grep: &Grep) -> Result<Vec<bool>, SnapshotError> {
    let mut holds = vec![false; tree.len()];
    let mut words: Vec<String> = vec![String::new(); tree.len()];
    for id in (1..tree.len() as u32).rev() {
        let (at, parent) = (id as usize, tree.parent(id) as usize);
        if lines[at] == Shown::Not && !holds[at] {
            continue;
        }
        holds[parent] = true;
        let own = write_item(tree.item(id), Style::PLAIN);
        let below = std::mem::replace(&mut words[at], own);
        if !below.is_empty() {
            words[at].push(' ');
            words[at].push_str(&below);
        }
        if lines[at] == Shown::Says {
            // Items are taken from the last to the first.
            let said = std::mem::take(&mut words[at]);
            let above = std::mem::take(&mut words[parent]);
            words[parent] = if above.is_empty() { said } else { format!("{said} {above}") };
        }
    }
    // The lines in their order, and what a pattern can match in each.
    let order: Vec<usize> =
        (1..tree.len()).filter(|at| lines[*at] != Shown::Says && (holds[*at] || lines[*at] != Shown::Not)).collect();
    let path_of = |at: usize| match lines[at] {
        Shown::Control(node) => paths.path_near(node).to_string(),
        _ => String::new(),
    };
    let matching: Vec<bool> = order
        .iter()
        .map(|at| {
            let path = path_of(*at);
            let matches = grep.says(&words[*at]) || !path.is_empty() && grep.matches(&path);
            if grep.is_inverted() { !matches && lines[*at] != Shown::Not } else { matches }
        })
        .collect();
    if !matching.contains(&true) {
        let choices = order.iter().flat_map(|at| {
            let item = tree.item(*at as u32);
            let name = if item.name.is_empty() { &words[*at] } else { &*item.name };
            [Choice::Name(name.to_owned()), Choice::Path(path_of(*at))]
        });
        return Err(grep.nothing(Mode::Interactive, choices.collect()));
    }
    let mut keep = vec![false; tree.len()];
    for (at, kept) in order.iter().zip(grep.with_context(&matching)) {
        keep[*at] = kept;
    }
    for id in 1..tree.len() as u32 {
        if lines[id as usize] == Shown::Says {
            keep[id as usize] = keep[tree.parent(id) as usize];
        }
    }
    Ok(keep)
}

/// Writes `@e5` as `@ref:5`. The lens escapes `@e` in text of the page, so that what stands there
/// unescaped is a ref; `@ref:` of a page is escaped here.
fn seed_refs(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let escaped = before.ends_with('\\');
        let digits = here.strip_prefix("@e").filter(|after| after.starts_with(|c: char| c.is_ascii_digit()));
        match digits {
            Some(after) if !escaped => {
                out.push_str("@ref:");
                rest = after;
            }
            _ => {
                if here.starts_with("@ref:") {
                    out.push('\\');
                }
                out.push('@');
                rest = &here[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grep::GrepOptions;
    use browserlens_core::page::PageBuilder;

    fn page() -> Arc<Page> {
        Arc::new(PageBuilder::outline(
            r#"
            main
              heading "Orders" level=1
                text "Orders"
              paragraph
                text "Showing 3 of 142 @ref:9"
              form "Filter"
                textbox "Query" value="lamp"
                button "Go @e1"
                  text "Go @e1"
            contentinfo
              link "Imprint @ref:1"
                text "Imprint @ref:1"
            "#,
        ))
    }

    fn shown(options: InteractiveOptions<'_>) -> String {
        let page = page();
        let mut lens = RefLens::new();
        lens.look(&page).expect("the lens shows it");
        interactive(&page, &Paths::of(&page), &lens, options).expect("shown").text
    }

    #[test]
    fn controls_stand_with_what_they_lie_in_and_the_refs_of_the_lens() {
        insta::assert_snapshot!(shown(InteractiveOptions::default()));
        let mut lens = RefLens::new();
        lens.look(&page()).expect("the lens shows it");
        assert_eq!(lens.refs().len(), 3);
    }

    #[test]
    fn the_seed_s_marks_are_a_style_and_no_text_of_the_page_forges_one() {
        let text = shown(InteractiveOptions { style: RefStyle::Seed, ..InteractiveOptions::default() });
        insta::assert_snapshot!(text);
        assert_eq!(text.matches("\\@ref:").count(), 1);
    }

    #[test]
    fn grep_and_depth_filter_controls() {
        let footer = GrepOptions::from("Imprint");
        for (grep, shows, hides) in [
            ("footer".into(), "Imprint", "Query"),
            (footer.clone(), "Imprint", "Query"),
            (GrepOptions { context: 1, ..footer.clone() }, "contentinfo", "Query"),
            (GrepOptions { context: 2, ..footer }, "Go", "Query"),
            (GrepOptions { invert: true, ..GrepOptions::from("^button|^link") }, "Query", "Go"),
            (GrepOptions { invert: true, ..GrepOptions::from("^button|^link") }, "Query", "Imprint"),
        ] {
            let grep = Grep::new(&grep).expect("a pattern");
            let text = shown(InteractiveOptions { grep: Some(&grep), ..InteractiveOptions::default() });
            assert!(text.contains(shows) && !text.contains(hides), "{text}");
        }
        let text = shown(InteractiveOptions { max_depth: Some(0), ..InteractiveOptions::default() });
        assert!(!text.contains("Query"), "{text}");
    }
}
