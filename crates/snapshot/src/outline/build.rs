//! From a page to its outline.
//!
//! In: a page and its paths, what to look at. Out: a [`Built`]: the outline, and which nodes each line stands for.
//! Invariants: two passes over the arena, no recursion; what is hidden counts for nothing unless it was asked for.

use super::kind::{Kind, is_landmark, is_sectioning, kind, may_repeat};
use super::{DEEPEST, Line, MOST_TOKENS, Meta, Outline, Role, Totals, write_line};
use crate::grep::Grep;
use crate::path::{Label, Paths};
use browserlens_page::{NodeId, NodeKind, NodeRef, Page};
use browserlens_tokens::{Encoding, Tokens};

/// Repeated siblings from which some are folded, and how many stay.
const FOLDED_FROM: usize = 4;
const SHOWN: usize = 2;
/// Most words of a repeated sibling that is no article, on average.
const MOST_WORDS_FOLDED: u32 = 150;
/// Words of loose text from which it has a line.
const LEAST_LOOSE: u32 = 10;
/// Longest name and longest preview, in characters.
const LONGEST_NAME: usize = 60;
const LONGEST_PREVIEW: usize = 40;
/// Lines of at most so many bytes need no counting: they are cheap enough.
const SURELY_CHEAP: usize = 25;
/// Text of a node beyond this is not read for a name.
const READ_FOR_NAME: usize = 400;

/// What of a page is outlined.
#[derive(Clone, Debug, Default)]
pub struct OutlineOptions<'a> {
    /// The elements to outline; empty for the whole page.
    pub roots: &'a [NodeId],
    /// Whether hidden nodes count too.
    pub include_hidden: bool,
    /// Deepest nesting of lines; none for no limit.
    pub max_depth: Option<usize>,
    /// Which paths are kept.
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
}

/// A line to be, or a repeated sibling that has none of its own.
struct Entry {
    node: NodeId,
    parent: usize,
    role: Option<Role>,
    level: u8,
    /// Items, rows, paragraphs or words, by role.
    count: u32,
    /// Series of the sibling, counted from 1; 0 for none.
    series: u32,
    /// Whether a landmark or a section lies in it.
    holds_part: bool,
    /// Whether a heading or a part lies in it: else an article among others is told by its first words alone.
    rich: bool,
    children: Vec<usize>,
    kept: bool,
}

/// What is around a node.
#[derive(Clone, Copy)]
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

const NOT: usize = usize::MAX;

struct Walk<'p, 'o> {
    page: &'p Page,
    paths: &'o Paths<'p>,
    options: &'o OutlineOptions<'o>,
    /// Words and links before each node.
    words: Vec<u32>,
    links: Vec<u32>,
    /// Series of each node, counted from 1; 0 for none.
    series: Vec<u32>,
    entries: Vec<Entry>,
    totals: Totals,
}

/// Outlines a page.
pub fn build(page: &Page, paths: &Paths<'_>, options: &OutlineOptions<'_>) -> Built {
    let mut walk = Walk {
        page,
        paths,
        options,
        words: Vec::with_capacity(page.len() + 1),
        links: Vec::with_capacity(page.len() + 1),
        series: vec![0; page.len()],
        entries: vec![Entry::new(NodeId::ROOT, NOT, None)],
        totals: Totals::default(),
    };
    walk.count();
    walk.find_series();
    walk.collect();
    walk.filter();
    let mut built = Built {
        outline: Outline {
            url: page.url().to_owned(),
            title: page.title().trim().to_owned(),
            viewport: (page.viewport().width, page.viewport().height),
            totals: walk.totals,
            grep: options.pattern.to_owned(),
            lines: Vec::new(),
        },
        nodes: Vec::new(),
    };
    walk.emit(&mut built);
    built
}

impl Entry {
    fn new(node: NodeId, parent: usize, role: Option<Role>) -> Self {
        Self { node, parent, role, level: 0, count: 0, series: 0, holds_part: false, rich: false, children: Vec::new(), kept: true }
    }
}

impl<'p> Walk<'p, '_> {
    fn shows(&self, node: NodeRef<'_>) -> bool {
        self.options.include_hidden || node.is_visible()
    }

    /// Counts words and links before each node.
    fn count(&mut self) {
        let (mut words, mut links) = (0, 0);
        for node in self.page.nodes() {
            self.words.push(words);
            self.links.push(links);
            match node.kind() {
                NodeKind::Text | NodeKind::Pseudo if self.shows(node) => {
                    words += words_of(node.text());
                }
                NodeKind::Element if (node.role() == "link" || node.tag() == "a") && self.shows(node) => links += 1,
                _ => {}
            }
        }
        self.words.push(words);
        self.links.push(links);
        self.totals.words = words;
    }

    fn words_in(&self, node: NodeId) -> u32 {
        self.words[self.page.node(node).end() as usize] - self.words[node.index()]
    }

    fn links_in(&self, node: NodeId) -> u32 {
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
        let outside = Open {
            end: self.page.len() as u32,
            entry: NOT,
            quiet: false,
            told: false,
            list: NOT,
            in_section: false,
            in_landmark: false,
            in_series: false,
        };
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
        // A wrapper without a box of its own is shown where something in it is; a canvas or image has no words.
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
                self.totals.sections += u32::from(is_sectioning(role) && series == 0 && !(role == Role::Article && around.in_series));
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
                if role == Role::Img && !(self.shows(node) && (node.tag() == "canvas" || !node.name().trim().is_empty())) {
                    return Some(open);
                }
                if role == Role::Paragraph
                    && let Some(before) = self.entries[around.entry].children.last().copied()
                    && self.entries[before].role == Some(Role::Paragraph)
                {
                    self.entries[before].count += 1;
                    return Some(open);
                }
                let entry = self.add(Entry { count: u32::from(role == Role::Paragraph), ..Entry::new(id, around.entry, Some(role)) });
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
        let words = words_of(node.text());
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
            let inline = self.paths.spelled(at).is_some_and(|(tag, _)| {
                matches!(tag, "a" | "button" | "span" | "time" | "code" | "img" | "svg" | "input" | "output" | "option" | "summary" | "legend")
            });
            match self.page.node(at).parent().filter(|_| inline) {
                Some(parent) => at = self.paths.nearest(parent.id()),
                None => return at,
            }
        }
    }

    /// Drops entries that say nothing and those that `grep` does not keep; what holds a kept one stays.
    fn filter(&mut self) {
        for at in (1..self.entries.len()).rev() {
            let entry = &self.entries[at];
            let holds = entry.children.iter().any(|child| self.entries[*child].kept);
            let says = match entry.role {
                None => false,
                Some(Role::Text) => entry.count >= LEAST_LOOSE,
                Some(Role::List | Role::Table) => entry.count > 0,
                Some(_) => true,
            };
            let kept = holds
                || says
                    && self.options.grep.is_none_or(|grep| {
                        self.paths.path(self.paths.nearest(entry.node)).is_some_and(|path| grep.keeps(&path.to_string()))
                    });
            self.entries[at].kept = kept;
            let of_weight = self.entries[at].rich
                || self.entries[at].role.is_some_and(|role| role == Role::Heading || role.is_part());
            let parent = self.entries[at].parent;
            if kept && of_weight && parent != NOT {
                self.entries[parent].rich = true;
            }
        }
    }

    /// Whether an article is told by its first words alone.
    fn is_preview(&self, at: usize) -> bool {
        let entry = &self.entries[at];
        entry.role == Some(Role::Article) && !entry.rich && (entry.series != 0 || !self.is_only_article(at) || entry.children.iter().all(|child| self.entries[*child].role == Some(Role::Text)))
    }

    fn kept_children(&self, entry: usize) -> Vec<usize> {
        if self.is_preview(entry) {
            return Vec::new();
        }
        self.entries[entry].children.iter().copied().filter(|child| self.entries[*child].kept).collect()
    }

    /// Writes the lines: an explicit stack of siblings still to be written.
    fn emit(&self, built: &mut Built) {
        let mut stack: Vec<(usize, usize)> = self.kept_children(0).into_iter().rev().map(|entry| (entry, 0)).collect();
        // Notes stand in the stack as entries beyond the last.
        let mut notes: Vec<(String, Vec<NodeId>)> = Vec::new();
        let first_note = self.entries.len();
        if let Some(plan) = self.fold(0) {
            stack = Self::place(plan, 0, first_note, &mut notes);
        }
        while let Some((at, depth)) = stack.pop() {
            if self.options.max_depth.is_some_and(|deepest| depth > deepest) {
                continue;
            }
            if let Some((name, nodes)) = at.checked_sub(first_note).and_then(|note| notes.get(note)) {
                let line = Line { depth: depth.min(DEEPEST), role: Role::Text, level: None, name: name.clone(), meta: Vec::new(), path: None };
                built.outline.lines.push(line);
                built.nodes.push(nodes.clone());
                continue;
            }
            let inner = if self.is_silent(at) { depth } else { depth + 1 };
            if !self.is_silent(at) {
                built.outline.lines.push(self.line(at, depth.min(DEEPEST)));
                built.nodes.push(vec![self.entries[at].node]);
            }
            match self.fold(at) {
                Some(plan) => {
                    let placed = Self::place(plan, inner, first_note, &mut notes);
                    stack.extend(placed);
                }
                None => stack.extend(self.kept_children(at).into_iter().rev().map(|child| (child, inner))),
            }
        }
    }

    /// Entries and notes in reverse order, for the stack.
    fn place(plan: Vec<Planned>, depth: usize, first_note: usize, notes: &mut Vec<(String, Vec<NodeId>)>) -> Vec<(usize, usize)> {
        let mut placed = Vec::with_capacity(plan.len());
        for planned in plan.into_iter().rev() {
            match planned {
                Planned::Entry(at) => placed.push((at, depth)),
                Planned::Note(name, nodes) => {
                    placed.push((first_note + notes.len(), depth));
                    notes.push((name, nodes));
                }
            }
        }
        placed
    }

    /// Says which children of an entry are written and which are counted; none if all are written.
    fn fold(&self, at: usize) -> Option<Vec<Planned>> {
        let children = self.kept_children(at);
        if children.len() < FOLDED_FROM {
            return None;
        }
        let mut plan = Vec::new();
        let mut begin = 0;
        let mut folded = false;
        while begin < children.len() {
            let mut end = begin + 1;
            while end < children.len() && self.is_next(children[begin], children[end]) {
                end += 1;
            }
            let run = &children[begin..end];
            if run.len() >= FOLDED_FROM && self.is_foldable(run) {
                folded = true;
                plan.extend(run[..SHOWN].iter().map(|entry| Planned::Entry(*entry)));
                let rest = &run[SHOWN..];
                let name = format!("+{} more {}", rest.len(), self.noun(at, run));
                plan.push(Planned::Note(name, rest.iter().map(|entry| self.entries[*entry].node).collect()));
            } else {
                plan.extend(run.iter().map(|entry| Planned::Entry(*entry)));
            }
            begin = end;
        }
        folded.then_some(plan)
    }

    fn is_next(&self, first: usize, other: usize) -> bool {
        let (first, other) = (&self.entries[first], &self.entries[other]);
        if first.series != 0 || other.series != 0 {
            return first.series == other.series;
        }
        first.role == other.role
            && matches!(first.role, Some(Role::List | Role::Table | Role::Figure | Role::Img | Role::Code | Role::Blockquote | Role::Text))
            && first.children.is_empty()
            && other.children.is_empty()
    }

    fn is_foldable(&self, run: &[usize]) -> bool {
        if run.iter().any(|at| self.entries[*at].holds_part) {
            return false;
        }
        let article = self.entries[run[0]].role == Some(Role::Article) || self.entries[run[0]].series == 0;
        let words: u32 = run.iter().map(|at| self.words_in(self.entries[*at].node)).sum();
        article || words / run.len() as u32 <= MOST_WORDS_FOLDED
    }

    /// What repeated siblings are called: by their class, else by the last word of the heading before, else by what they are.
    fn noun(&self, parent: usize, run: &[usize]) -> String {
        let first = self.page.node(self.entries[run[0]].node);
        let series = self.entries[run[0]].series != 0;
        let class = first.attribute("class").filter(|_| series).and_then(crate::class::meaningful_class);
        if let Some(class) = class {
            let word = class.rsplit(['-', '_']).find(|part| part.len() > 2).unwrap_or(class);
            let word = word.to_lowercase();
            let says = !matches!(word.as_str(), "cell" | "item" | "entry" | "block" | "box" | "element" | "unit" | "tile");
            if says && word.chars().all(|c| c.is_ascii_lowercase()) {
                return plural(&word);
            }
        }
        let heading = self.entries[parent].children.iter().map(|at| &self.entries[*at]).find(|entry| entry.role == Some(Role::Heading));
        if let Some(heading) = heading.filter(|_| series) {
            let text = self.text(heading.node, READ_FOR_NAME);
            let word = text.split_whitespace().next_back().unwrap_or("").to_lowercase();
            if word.len() > 3 && word.ends_with('s') && word.chars().all(|c| c.is_ascii_lowercase()) {
                return word;
            }
        }
        let only = self.entries[run[0]].children.first().map(|child| &self.entries[*child]);
        match self.entries[run[0]].role.or(only.and_then(|only| only.role)) {
            Some(Role::Article) => "articles",
            Some(Role::List) => "lists",
            Some(Role::Table) => "tables",
            Some(Role::Figure) => "figures",
            Some(Role::Img) => "images",
            Some(Role::Code) => "code blocks",
            Some(Role::Blockquote) => "quotes",
            Some(Role::Text) if !series => "texts",
            _ if first.tag() == "tr" => "rows",
            _ => "items",
        }
        .to_owned()
    }

    /// Whether an entry has no line of its own: a repeated sibling, or an article that stands alone and has no name.
    fn is_silent(&self, at: usize) -> bool {
        let entry = &self.entries[at];
        match entry.role {
            None => true,
            Some(Role::Article) => {
                let node = self.page.node(entry.node);
                let named = node.role() == "article" && !node.name().trim().is_empty();
                !named && !self.is_preview(at) && entry.series == 0 && self.is_only_article(at)
            }
            Some(_) => false,
        }
    }

    fn is_only_article(&self, at: usize) -> bool {
        let parent = self.entries[at].parent;
        let siblings = self.entries.get(parent).map_or(&[][..], |parent| &parent.children[..]);
        siblings.iter().filter(|child| self.entries[**child].role == Some(Role::Article)).count() <= 1
    }

    fn line(&self, at: usize, depth: usize) -> Line {
        let entry = &self.entries[at];
        let node = self.page.node(entry.node);
        let role = entry.role.unwrap_or(Role::Text);
        let own = if role == Role::Text { String::new() } else { accessible_name(node) };
        let words = self.words_in(entry.node);
        let mut meta = Vec::new();
        let mut name = String::new();
        let words_or_nothing = |meta: &mut Vec<Meta>| {
            if words > 0 {
                meta.push(Meta::Words(words));
            }
        };
        let links = self.links_in(entry.node);
        match role {
            Role::Heading => {
                name = self.text(entry.node, READ_FOR_NAME);
                if name.is_empty() {
                    name = own;
                }
            }
            Role::Banner | Role::Navigation | Role::Contentinfo => {
                name = own;
                let above = self.above(at);
                let told = above.is_some_and(|above| {
                    let above = &self.entries[above];
                    matches!(above.role, Some(Role::Banner | Role::Navigation | Role::Contentinfo)) && self.links_in(above.node) == links
                });
                if role != Role::Navigation {
                    words_or_nothing(&mut meta);
                }
                if links > 0 && !told {
                    meta.push(Meta::Links(links));
                }
            }
            Role::Region => {
                let heading = self.first_heading(at);
                name = if own.is_empty() || heading.as_deref() == Some(own.as_str()) { self.label(entry.node) } else { own };
                words_or_nothing(&mut meta);
            }
            Role::Article => {
                let heading = self.first_heading(at);
                name = if heading.as_deref() == Some(own.as_str()) { String::new() } else { own };
                if !self.is_preview(at) {
                    words_or_nothing(&mut meta);
                } else {
                    let text = self.text(entry.node, READ_FOR_NAME);
                    let short = text.chars().count() <= LONGEST_PREVIEW && !self.is_longer(entry.node);
                    if short {
                        name = text;
                    } else {
                        name = shortened(&text, LONGEST_PREVIEW, true);
                        meta.push(Meta::Preview);
                    }
                }
            }
            Role::Main | Role::Aside | Role::Search | Role::Form | Role::Dialog | Role::Iframe => {
                name = own;
                words_or_nothing(&mut meta);
            }
            Role::Paragraph => meta.push(Meta::Paragraphs(entry.count)),
            Role::List | Role::Table => {
                name = own;
                meta.push(Meta::Items(entry.count));
            }
            Role::Code => meta.push(Meta::Lines(self.lines(node))),
            Role::Blockquote => words_or_nothing(&mut meta),
            Role::Figure | Role::Img => {
                name = if own.is_empty() { self.text(entry.node, READ_FOR_NAME) } else { own };
            }
            Role::Text => meta.push(Meta::Words(entry.count)),
        }
        let level = (role == Role::Heading).then_some(entry.level);
        let path = self.paths.path_near(entry.node);
        let preview = meta.contains(&Meta::Preview);
        if !preview {
            name = shortened(&name, LONGEST_NAME, false);
        }
        let mut line = Line { depth, role, level, name, meta, path: Some(path) };
        fit(&mut line);
        line
    }

    fn above(&self, at: usize) -> Option<usize> {
        let mut at = self.entries[at].parent;
        while at != NOT && at != 0 && self.is_silent(at) {
            at = self.entries[at].parent;
        }
        (at != NOT && at != 0).then_some(at)
    }

    fn first_heading(&self, at: usize) -> Option<String> {
        let mut at = at;
        // Down the first entries: a heading may lie in a silent one.
        for _ in 0..8 {
            let first = *self.entries[at].children.first()?;
            if self.entries[first].role == Some(Role::Heading) {
                return Some(self.text(self.entries[first].node, READ_FOR_NAME));
            }
            at = first;
        }
        None
    }

    /// The id or class that says what a part is.
    fn label(&self, node: NodeId) -> String {
        match self.paths.spelled(node) {
            Some((_, Label::Id(label) | Label::Class(label))) => label,
            _ => String::new(),
        }
    }

    /// Returns the beginning of the text of a node as one line: at least `least` bytes of it where it has them.
    fn text(&self, node: NodeId, least: usize) -> String {
        let mut text = String::new();
        let mut block = false;
        for node in self.page.node(node).subtree() {
            match node.kind() {
                NodeKind::Text | NodeKind::Pseudo if self.shows(node) => {
                    let raw = node.text();
                    let own = &raw[..raw.floor_char_boundary(READ_FOR_NAME)];
                    if (block || own.starts_with(char::is_whitespace)) && !text.is_empty() && !text.ends_with(' ') {
                        text.push(' ');
                    }
                    block = false;
                    for word in own.split_whitespace() {
                        if !text.is_empty() && !text.ends_with(' ') && !own.starts_with(word) {
                            text.push(' ');
                        }
                        text.push_str(word);
                        text.push(' ');
                    }
                    if !own.ends_with(char::is_whitespace) && text.ends_with(' ') {
                        text.pop();
                    }
                }
                _ => block |= node.flags().has(browserlens_page::Flags::BLOCK) || node.tag() == "br",
            }
            if text.len() >= least {
                break;
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn is_longer(&self, node: NodeId) -> bool {
        self.text(node, READ_FOR_NAME).len() >= READ_FOR_NAME
    }

    fn lines(&self, node: NodeRef<'_>) -> u32 {
        let mut lines = 1;
        let mut ends = true;
        for node in node.subtree() {
            if node.tag() == "br" {
                lines += 1;
            }
            if matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) && self.shows(node) {
                lines += node.text().matches('\n').count() as u32;
                ends = node.text().ends_with('\n');
            }
        }
        lines - u32::from(ends && lines > 1)
    }
}

enum Planned {
    Entry(usize),
    Note(String, Vec<NodeId>),
}

/// Counts the words of a text: what stands between blanks and has a letter or digit.
fn words_of(text: &str) -> u32 {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count() as u32
}

fn alike(first: NodeRef<'_>, other: NodeRef<'_>) -> bool {
    if first.tag() != other.tag() {
        return false;
    }
    if matches!(first.tag(), "li" | "tr" | "article") {
        return true;
    }
    let class = |node: NodeRef<'_>| node.attribute("class").and_then(|classes| classes.split_ascii_whitespace().next()).map(str::to_owned);
    class(first) == class(other)
}

fn accessible_name(node: NodeRef<'_>) -> String {
    let name = match node.name() {
        "" => node.attribute("aria-label").or_else(|| node.attribute("title")).unwrap_or(""),
        name => name,
    };
    let name = &name[..name.floor_char_boundary(READ_FOR_NAME)];
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plural(word: &str) -> String {
    if word.ends_with('s') {
        return word.to_owned();
    }
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if word.ends_with("ch") || word.ends_with("sh") || word.ends_with('x') => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// Cuts a text at the end of a word and says so; `always`: the text goes on beyond what is here.
fn shortened(text: &str, longest: usize, always: bool) -> String {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return if always { format!("{text}...") } else { text.to_owned() };
    };
    let cut = &text[..end];
    let cut = match cut.rfind(' ') {
        Some(space) if space * 2 >= cut.len() => &cut[..space],
        _ => cut,
    };
    format!("{}...", cut.trim_end_matches([' ', ',', ';', ':', '.']))
}

/// Shortens a line to what a line may cost: first its name, then what it counts.
fn fit(line: &mut Line) {
    if is_cheap(line) {
        return;
    }
    let whole = line.name.trim_end_matches("...").to_owned();
    for longest in [40, 24, 12, 6] {
        if whole.chars().count() > longest {
            line.name = shortened(&whole, longest, false);
            if is_cheap(line) {
                return;
            }
        }
    }
    line.name.clear();
    if !is_cheap(line) {
        line.meta.clear();
    }
}

fn is_cheap(line: &Line) -> bool {
    let mut text = String::new();
    write_line(&mut text, line);
    text.len() <= SURELY_CHEAP || Encoding::O200kBase.count_within(&text, Tokens(MOST_TOKENS - 1)).is_some()
}
