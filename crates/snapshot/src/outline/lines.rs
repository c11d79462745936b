//! From what was collected of a page to its lines: what is folded, what a line says, what it may
//! cost.
//!
//! In: a [`Walk`] that has seen the page. Out: the lines of a [`Built`], and the nodes they stand
//! for. Invariants: an explicit stack, no recursion; a line is shortened until it costs what it
//! may.

use super::build::{Built, FOLDED_FROM, NOT, Walk};
use super::costs::{Costs, fit, shortened};
use super::{DEEPEST, Line, Meta, Role, write_line};
use crate::path::Label;
use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeId, NodeKind, NodeRef};

/// Repeated siblings that stay where others are folded.
const SHOWN: usize = 2;
/// Most words of a repeated sibling that is no article, on average.
const MOST_WORDS_FOLDED: u32 = 150;
/// Longest heading, name and preview, in characters.
const LONGEST_HEADING: usize = 200;
const LONGEST_NAME: usize = 60;
const LONGEST_PREVIEW: usize = 40;
/// Text of a node beyond this is not read for a name.
const READ_FOR_NAME: usize = 1_000;

impl Walk<'_, '_> {
    fn kept_children(&self, entry: usize) -> Vec<usize> {
        if self.is_preview(entry) {
            return Vec::new();
        }
        self.entries[entry].children.iter().copied().filter(|child| self.entries[*child].kept).collect()
    }

    /// Writes the lines: an explicit stack of siblings still to be written.
    pub(super) fn emit(&self, built: &mut Built) {
        let mut costs = Costs::default();
        // Notes stand in the stack as entries beyond the last.
        let mut notes: Vec<(String, Vec<NodeId>)> = Vec::new();
        let first_note = self.entries.len();
        let mut stack = self.below(0, 0, &mut notes);
        while let Some((at, depth)) = stack.pop() {
            let is_deeper = self.options.max_depth.is_some_and(|deepest| depth > deepest);
            if is_deeper && (at >= first_note || !self.is_silent(at)) {
                let (lines, deepest) = built.outline.deeper.unwrap_or_default();
                built.outline.deeper = Some((lines + 1, deepest.max(depth)));
            }
            if let Some((name, nodes)) = at.checked_sub(first_note).and_then(|note| notes.get(note)) {
                if is_deeper {
                    continue;
                }
                let line = Line {
                    depth: depth.min(DEEPEST),
                    role: Role::Text,
                    level: None,
                    name: name.clone(),
                    meta: Vec::new(),
                    path: None,
                };
                built.outline.lines.push(line);
                built.nodes.push(nodes.clone());
                continue;
            }
            let inner = if self.is_silent(at) { depth } else { depth + 1 };
            if !is_deeper && !self.is_silent(at) {
                built.outline.lines.push(self.line(at, depth.min(DEEPEST), &mut costs));
                built.nodes.push(vec![self.entries[at].node]);
            }
            stack.extend(self.below(at, inner, &mut notes));
        }
    }

    /// Returns the children of an entry that are written, and notes that count the others, each with
    /// its depth; the last comes first, for the stack.
    fn below(&self, at: usize, depth: usize, notes: &mut Vec<(String, Vec<NodeId>)>) -> Vec<(usize, usize)> {
        let children = self.kept_children(at);
        let mut below = Vec::with_capacity(children.len());
        for run in children.chunk_by(|one, next| self.is_next(*one, *next)) {
            // What is kept for its words would be lost in a number.
            let told = run.iter().any(|at| self.entries[*at].by_words);
            let is_folded = !told && run.len() >= FOLDED_FROM && self.is_foldable(run);
            let (shown, rest) = run.split_at(if is_folded { SHOWN } else { run.len() });
            below.extend(shown.iter().map(|entry| (*entry, depth)));
            if is_folded {
                below.push((self.entries.len() + notes.len(), depth));
                let name = format!("+{} more {}", rest.len(), self.noun(at, run));
                notes.push((name, rest.iter().map(|entry| self.entries[*entry].node).collect()));
            }
        }
        below.reverse();
        below
    }

    fn is_next(&self, first: usize, other: usize) -> bool {
        let (first, other) = (&self.entries[first], &self.entries[other]);
        if first.series != 0 || other.series != 0 {
            return first.series == other.series;
        }
        first.role == other.role
            && matches!(
                first.role,
                Some(Role::List | Role::Table | Role::Figure | Role::Img | Role::Code | Role::Blockquote | Role::Text)
            )
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

    /// What repeated siblings are called: by their class, else by the last word of the heading
    /// before, else by what they are.
    fn noun(&self, parent: usize, run: &[usize]) -> String {
        let first = self.page.node(self.entries[run[0]].node);
        let series = self.entries[run[0]].series != 0;
        let class = first.attribute("class").filter(|_| series).and_then(crate::class::meaningful_class);
        if let Some(class) = class {
            let word = class.rsplit(['-', '_']).find(|part| part.len() > 2).unwrap_or(class);
            let word = word.to_lowercase();
            let says =
                !matches!(word.as_str(), "cell" | "item" | "entry" | "block" | "box" | "element" | "unit" | "tile");
            if says && word.chars().all(|c| c.is_ascii_lowercase()) {
                return plural(&word);
            }
        }
        let heading = self.entries[parent]
            .children
            .iter()
            .map(|at| &self.entries[*at])
            .find(|entry| entry.role == Some(Role::Heading));
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

    /// Whether an entry has no line of its own: a repeated sibling, or an article that stands alone
    /// and has no name.
    pub(super) fn is_silent(&self, at: usize) -> bool {
        let entry = &self.entries[at];
        match entry.role {
            None => true,
            Some(Role::Article) => {
                let node = self.page.node(entry.node);
                let named = entry.matched || node.role() == "article" && !node.name().trim().is_empty();
                !named && !self.is_preview(at) && entry.series == 0 && self.is_only_article(at)
            }
            Some(_) => false,
        }
    }

    pub(super) fn is_only_article(&self, at: usize) -> bool {
        let parent = self.entries[at].parent;
        let siblings = self.entries.get(parent).map_or(&[][..], |parent| &parent.children[..]);
        siblings.iter().filter(|child| self.entries[**child].role == Some(Role::Article)).count() <= 1
    }

    fn line(&self, at: usize, depth: usize, costs: &mut Costs) -> Line {
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
                    matches!(above.role, Some(Role::Banner | Role::Navigation | Role::Contentinfo))
                        && self.links_in(above.node) == links
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
                name = if own.is_empty() || heading.as_deref() == Some(own.as_str()) {
                    self.label(entry.node)
                } else {
                    own
                };
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
        if role == Role::Heading && name.chars().count() > LONGEST_HEADING {
            name = shortened(&name, LONGEST_HEADING, true);
            meta.push(Meta::Preview);
        } else if !preview && role != Role::Heading {
            name = shortened(&name, LONGEST_NAME, false);
        }
        let mut line = Line { depth, role, level, name, meta, path: Some(path) };
        // A heading is what an outline is read for: it stays whole.
        if role != Role::Heading {
            fit(&mut line, costs);
        }
        line
    }

    /// Returns the line of an entry as it stands in the outline, without its indentation.
    pub(super) fn says(&self, at: usize, costs: &mut Costs) -> String {
        let mut text = String::new();
        write_line(&mut text, &self.line(at, 0, costs));
        text
    }

    /// Returns the name of an entry as far as it is read, where its line may have cut it.
    pub(super) fn whole_name(&self, at: usize) -> String {
        let entry = &self.entries[at];
        let own = accessible_name(self.page.node(entry.node));
        let reads = match entry.role {
            Some(Role::Heading) => true,
            Some(Role::Article) => self.is_preview(at),
            Some(Role::Figure | Role::Img) => own.is_empty(),
            _ => false,
        };
        match entry.role {
            Some(Role::Text | Role::Paragraph | Role::Code | Role::Blockquote) | None => String::new(),
            Some(Role::Region) if own.is_empty() => self.label(entry.node),
            _ if reads => self.text(entry.node, READ_FOR_NAME),
            _ => own,
        }
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

    /// Returns the beginning of the text of a node as one line: at least `least` bytes of it where
    /// it has them.
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
                _ => block |= node.flags().has(browserlens_core::page::Flags::BLOCK) || node.tag() == "br",
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

fn accessible_name(node: NodeRef<'_>) -> String {
    let name = match node.name() {
        "" => node.attribute("aria-label").or_else(|| node.attribute("title")).unwrap_or(""),
        name => name,
    };
    let name = &name[..name.floor_char_boundary(READ_FOR_NAME)];
    folded(name)
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
