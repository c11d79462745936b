//! From a page to its outline.
//!
//! In: a page and its paths, what to look at. Out: a [`Built`]: the outline, and which nodes each
//! line stands for. Invariants: two passes over the arena, no recursion; what is hidden counts for
//! nothing unless it was asked for.

mod filter;

use super::kind::{Kind, is_landmark, is_sectioning, kind, may_repeat};
use super::{Outline, Role, Totals};
use crate::content::words_before;
use crate::grep::Grep;
use crate::nearest::Choice;
use crate::path::Paths;
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page};

/// Repeated siblings from which some are folded.
pub(super) const FOLDED_FROM: usize = 4;
/// Words of loose text from which it has a line.
const LEAST_LOOSE: u32 = 10;
/// Elements that are parts of a line of text.
const INLINE: [&str; 12] =
    ["a", "button", "span", "time", "code", "img", "svg", "input", "output", "option", "summary", "legend"];

/// What of a page is outlined.
#[derive(Clone, Debug, Default)]
pub struct OutlineOptions<'a> {
    /// The elements to outline; empty for the whole page.
    pub roots: &'a [NodeId],
    /// Whether hidden nodes count too.
    pub include_hidden: bool,
    /// Deepest nesting of lines; none for no limit.
    pub max_depth: Option<usize>,
    /// Which paths and lines are kept.
    pub grep: Option<&'a Grep>,
    /// The pattern as the header tells it.
    pub pattern: &'a str,
}

/// An outline, and what its lines stand for.
#[derive(Clone, Debug)]
pub struct Built {
    /// The outline.
    pub outline: Outline,
    /// For each line, the nodes it stands for: one, or those that a note counts.
    pub nodes: Vec<Vec<NodeId>>,
    /// What a pattern could have matched, if it matched nothing.
    pub(crate) missed: Option<Vec<Choice>>,
}

/// A line to be, or a repeated sibling that has none of its own.
pub(super) struct Entry {
    pub node: NodeId,
    pub parent: usize,
    pub role: Option<Role>,
    pub level: u8,
    /// Items, rows, paragraphs or words, by role.
    pub count: u32,
    /// Series of the sibling, counted from 1; 0 for none.
    pub series: u32,
    /// Whether a landmark or a section lies in it.
    pub holds_part: bool,
    /// Whether a heading or a part lies in it: else an article among others is told by its first
    /// words alone.
    pub rich: bool,
    pub children: Vec<usize>,
    pub kept: bool,
    /// Whether the pattern matches the path, so that it has a line even if it would give way.
    pub matched: bool,
    /// Whether it, or something in it, is kept for what its line says: it is not folded away.
    pub by_words: bool,
}

/// What is around a node.
#[derive(Clone, Copy, Default)]
struct Open {
    end: u32,
    entry: usize,
    /// Whether only headings and parts have lines here.
    quiet: bool,
    /// Whether text here is that of a line already.
    told: bool,
    /// The list or table whose items are counted, or `usize::MAX`.
    list: usize,
    in_section: bool,
    in_landmark: bool,
    in_series: bool,
}

/// No entry.
pub(super) const NOT: usize = usize::MAX;

/// A page while it is outlined.
pub(super) struct Walk<'p, 'o> {
    pub page: &'p Page,
    pub paths: &'o Paths<'p>,
    pub options: &'o OutlineOptions<'o>,
    /// Words and links before each node.
    pub words: Vec<u32>,
    pub links: Vec<u32>,
    /// Series of each node, counted from 1; 0 for none.
    pub series: Vec<u32>,
    pub entries: Vec<Entry>,
    pub totals: Totals,
}

/// Outlines a page.
pub fn build(page: &Page, paths: &Paths<'_>, options: &OutlineOptions<'_>) -> Built {
    let mut walk = Walk {
        page,
        paths,
        options,
        words: Vec::new(),
        links: Vec::with_capacity(page.len() + 1),
        series: vec![0; page.len()],
        entries: vec![Entry::new(NodeId::ROOT, NOT, None)],
        totals: Totals::default(),
    };
    walk.count();
    walk.find_series();
    walk.collect();
    walk.filter();
    let missed = options.grep.and_then(|grep| walk.grep(grep));
    let mut built = Built {
        outline: Outline {
            url: page.url().to_owned(),
            title: page.title().trim().to_owned(),
            viewport: (page.viewport().width, page.viewport().height),
            totals: walk.totals,
            grep: options.pattern.to_owned(),
            lines: Vec::new(),
            deeper: None,
        },
        nodes: Vec::new(),
        missed,
    };
    walk.emit(&mut built);
    built
}

impl Entry {
    fn new(node: NodeId, parent: usize, role: Option<Role>) -> Self {
        Self {
            node,
            parent,
            role,
            level: 0,
            count: 0,
            series: 0,
            holds_part: false,
            rich: false,
            children: Vec::new(),
            kept: true,
            matched: false,
            by_words: false,
        }
    }
}

impl<'p> Walk<'p, '_> {
    pub(super) fn shows(&self, node: NodeRef<'_>) -> bool {
        self.options.include_hidden || node.is_visible()
    }

    /// Counts words and links before each node; words are those that content has.
    fn count(&mut self) {
        self.words = words_before(self.page, self.options.include_hidden);
        let mut links = 0;
        for node in self.page.nodes() {
            self.links.push(links);
            let is_link = node.kind() == NodeKind::Element && (node.role() == "link" || node.tag() == "a");
            links += u32::from(is_link && self.shows(node));
        }
        self.links.push(links);
        self.totals.words = self.words.last().copied().unwrap_or(0);
    }

    pub(super) fn words_in(&self, node: NodeId) -> u32 {
        self.words[self.page.node(node).end() as usize] - self.words[node.index()]
    }

    pub(super) fn links_in(&self, node: NodeId) -> u32 {
        self.links[self.page.node(node).end() as usize] - self.links[node.index()]
    }

    /// Finds siblings in a row that are spelled alike.
    fn find_series(&mut self) {
        let mut last = 0;
        let mut run: Vec<NodeRef<'p>> = Vec::new();
        for parent in self.page.nodes() {
            if parent.kind() != NodeKind::Element && parent.kind() != NodeKind::Document {
                continue;
            }
            run.clear();
            for child in parent.children().filter(|child| child.kind() == NodeKind::Element) {
                if run.first().is_some_and(|first| !alike(*first, child)) {
                    self.end_series(&mut run, &mut last);
                }
                if may_repeat(child) && self.words_in(child.id()) > 0 {
                    run.push(child);
                }
            }
            self.end_series(&mut run, &mut last);
        }
    }

    fn end_series(&mut self, run: &mut Vec<NodeRef<'p>>, last: &mut u32) {
        if run.len() >= FOLDED_FROM {
            *last += 1;
            for node in run.iter() {
                self.series[node.id().index()] = *last;
            }
        }
        run.clear();
    }

    /// Walks the page and collects entries.
    fn collect(&mut self) {
        let whole = [NodeId::ROOT];
        let roots = if self.options.roots.is_empty() { &whole[..] } else { self.options.roots };
        let mut roots = roots.to_vec();
        roots.sort_unstable();
        let mut at = 0;
        let mut stack: Vec<Open> = Vec::new();
        let outside = Open { end: self.page.len() as u32, entry: NOT, list: NOT, ..Open::default() };
        stack.push(outside);
        let mut heading_end = 0;
        let mut inside = 0;
        for node in self.page.nodes() {
            let id = node.id();
            while stack.len() > 1 && stack.last().is_some_and(|open| open.end <= id.0) {
                stack.pop();
            }
            if roots.get(at) == Some(&id) {
                at += 1;
                inside = inside.max(node.end());
            }
            let around = *stack.last().unwrap_or(&outside);
            // Whatever is outlined, the header counts the whole page.
            let shown = id.0 < inside;
            let around = if shown && around.entry == NOT { Open { entry: 0, ..around } } else { around };
            match node.kind() {
                NodeKind::Text | NodeKind::Pseudo => {
                    if shown && !around.told && !around.quiet && id.0 >= heading_end && self.shows(node) {
                        self.loose(node, around);
                    }
                }
                NodeKind::Document | NodeKind::Element => {
                    if let Some(open) = self.open(node, around, shown, &mut heading_end) {
                        stack.push(open);
                    } else if around.entry != stack.last().map_or(NOT, |open| open.entry) {
                        stack.push(Open { end: node.end(), ..around });
                    }
                }
            }
        }
    }

    /// Opens an element; returns what is around its children if that is not what is around itself.
    fn open(&mut self, node: NodeRef<'p>, around: Open, shown: bool, heading_end: &mut u32) -> Option<Open> {
        let id = node.id();
        let kind = kind(node, around.in_section);
        // A wrapper without a box of its own is shown where something in it is; a canvas or image
        // has no words.
        let is_shown = self.shows(node) || self.words_in(id) > 0;
        let series = self.series[id.index()];
        let mut open = Open { end: node.end(), in_series: around.in_series || series != 0, ..around };
        if !is_shown {
            return None;
        }
        if kind == Kind::Plain && node.tag() != "option" {
            let control = matches!(node.tag(), "button" | "label" | "select" | "textarea" | "summary" | "legend");
            if series != 0 && shown {
                open.entry = self.add(Entry { series, ..Entry::new(id, around.entry, None) });
                return Some(open);
            }
            return (control || series != 0).then_some(Open { told: around.told || control, ..open });
        }
        match kind {
            Kind::Heading(level) => {
                if id.0 < *heading_end || self.words_in(id) == 0 && node.name().is_empty() {
                    return None;
                }
                *heading_end = node.end();
                self.totals.headings += 1;
                if shown {
                    self.add(Entry { level, ..Entry::new(id, around.entry, Some(Role::Heading)) });
                }
                open.told = true;
            }
            Kind::Part(role) => {
                let landmark = is_landmark(node, role);
                self.totals.landmarks += u32::from(landmark && !around.in_landmark);
                self.totals.sections +=
                    u32::from(is_sectioning(role) && series == 0 && !(role == Role::Article && around.in_series));
                open.in_section = around.in_section || is_sectioning(role) || role == Role::Main;
                open.in_landmark = around.in_landmark || landmark;
                let small = matches!(role, Role::Banner | Role::Navigation | Role::Contentinfo);
                open.quiet = if role.is_part() && !small && around.list == NOT { false } else { around.quiet || small };
                open.told = small || (around.told && around.list != NOT);
                if matches!(role, Role::Main | Role::Region | Role::Dialog | Role::Iframe) {
                    (open.list, open.told, open.quiet) = (NOT, false, false);
                }
                if shown {
                    open.entry = self.add(Entry { series, ..Entry::new(id, around.entry, Some(role)) });
                    if landmark || role == Role::Region {
                        self.mark_parts(open.entry);
                    }
                }
            }
            Kind::Item => {
                if let Some(list) = self.entries.get_mut(around.list) {
                    list.count += 1;
                }
                if shown && series != 0 {
                    open.entry = self.add(Entry { series, ..Entry::new(id, around.entry, None) });
                }
                open.told = true;
            }
            Kind::Leaf(role) => {
                open.told = true;
                if role == Role::Paragraph && self.words_in(id) == 0 {
                    return Some(open);
                }
                if around.quiet || around.list != NOT || (around.told && role != Role::List) || !shown {
                    if matches!(role, Role::List | Role::Table) {
                        open.list = if shown { usize::MAX - 1 } else { NOT };
                        open.quiet = true;
                    }
                    return Some(open);
                }
                if role == Role::Img
                    && !(self.shows(node) && (node.tag() == "canvas" || !node.name().trim().is_empty()))
                {
                    return Some(open);
                }
                if role == Role::Paragraph
                    && let Some(before) = self.entries[around.entry].children.last().copied()
                    && self.entries[before].role == Some(Role::Paragraph)
                {
                    self.entries[before].count += 1;
                    return Some(open);
                }
                let entry = self.add(Entry {
                    count: u32::from(role == Role::Paragraph),
                    ..Entry::new(id, around.entry, Some(role))
                });
                if matches!(role, Role::List | Role::Table) {
                    open.entry = entry;
                    open.list = entry;
                    open.quiet = true;
                }
            }
            Kind::Plain => {}
        }
        Some(open)
    }

    fn add(&mut self, entry: Entry) -> usize {
        let at = self.entries.len();
        let parent = entry.parent;
        self.entries.push(entry);
        if let Some(parent) = self.entries.get_mut(parent) {
            parent.children.push(at);
        }
        at
    }

    fn mark_parts(&mut self, entry: usize) {
        let mut at = self.entries[entry].parent;
        while let Some(above) = self.entries.get_mut(at).filter(|above| !above.holds_part) {
            above.holds_part = true;
            at = above.parent;
        }
    }

    /// Takes in a text that belongs to no paragraph, list or heading.
    fn loose(&mut self, node: NodeRef<'p>, around: Open) {
        let words = self.words_in(node.id());
        if words == 0 {
            return;
        }
        let at = self.container(node.id());
        if let Some(before) = self.entries[around.entry].children.last().copied() {
            let before = &mut self.entries[before];
            if before.role == Some(Role::Text) && before.node == at {
                before.count += words;
                return;
            }
        }
        self.add(Entry { count: words, ..Entry::new(at, around.entry, Some(Role::Text)) });
    }

    /// Returns the nearest element with a path that is no part of a line of text.
    fn container(&self, node: NodeId) -> NodeId {
        let mut at = self.paths.nearest(node);
        loop {
            let inline = self.paths.spelled(at).is_some_and(|(tag, _)| INLINE.contains(&tag));
            match self.page.node(at).parent().filter(|_| inline) {
                Some(parent) => at = self.paths.nearest(parent.id()),
                None => return at,
            }
        }
    }

    /// Whether an article is told by its first words alone.
    pub(super) fn is_preview(&self, at: usize) -> bool {
        let entry = &self.entries[at];
        entry.role == Some(Role::Article)
            && !entry.rich
            && (entry.series != 0
                || !self.is_only_article(at)
                || entry.children.iter().all(|child| self.entries[*child].role == Some(Role::Text)))
    }
}

fn alike(first: NodeRef<'_>, other: NodeRef<'_>) -> bool {
    if first.tag() != other.tag() {
        return false;
    }
    if matches!(first.tag(), "li" | "tr" | "article") {
        return true;
    }
    first.classes().next() == other.classes().next()
}
