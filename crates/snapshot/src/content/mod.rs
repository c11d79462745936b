//! Content: what a person reads on a page, as typed sections, and the two formats that show it.
//!
//! In: a [`Page`], the nodes to read below, options, and a function that says the semantic path of
//! a node. Out: [`Section`]s in document order; [`write_tree`] and [`write_markdown`] write them.
//! Invariants: each visible word stands in exactly one section, in the page's order, across frames
//! and shadow roots; hidden text is left out unless it was asked for; nothing here recurses on the
//! depth of a page.
//!
//! What is a section: a landmark, `article`, `section`, `dialog`, or the document of a frame,
//! unless it stands within a list, table, quote or link. What a section says itself, before,
//! between and after the sections inside it, is a [`Section`] of its path each time.

mod boxes;
mod cut;
mod fields;
mod lines;
mod table;
mod tree_text;
mod walk;

pub use tree_text::write_tree;

use crate::blocks::outermost;
use crate::grep::Grep;
use crate::markdown::{self, Block};
use crate::nearest::Choice;
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page};
use rustc_hash::FxHashSet;

/// What is read of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentOptions {
    /// At most this many characters of text per section; 0 keeps the sections' paths and sizes
    /// alone. None keeps all.
    pub max_length: Option<usize>,
    /// Keeps where links lead.
    pub include_links: bool,
    /// Keeps images.
    pub include_images: bool,
    /// Reads text that cannot be seen, too.
    pub include_hidden: bool,
}

/// What one section of a page says itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The element (or document) that is the section.
    pub node: NodeId,
    /// The node with which what it says begins.
    pub begins: NodeId,
    /// Its semantic path.
    pub path: String,
    /// The headings that it begins below, `# A > ## B`, if they are told.
    pub headings: Option<String>,
    /// Words in it, those that were cut off or do not match included.
    pub words: usize,
    /// Its blocks in markdown's normal form, cut to [`ContentOptions::max_length`].
    pub blocks: Vec<Block>,
    /// Whether something was cut off.
    pub truncated: bool,
    /// Whether only the lines that a pattern keeps are here.
    pub partial: bool,
    /// Words here before something was cut off.
    pub kept_words: usize,
    /// Characters of text here before something was cut off.
    pub characters: usize,
}

impl Section {
    /// Says how much was cut off, and how to get it; none if nothing was.
    pub fn left(&self) -> Option<String> {
        self.truncated.then(|| {
            let words = self.kept_words.saturating_sub(self.shown_words());
            let characters = self.characters.saturating_sub(cut::characters(&self.blocks));
            format!("{words} words, {characters} characters left; max length {} shows all", self.characters)
        })
    }

    /// Returns the number of words that are shown.
    pub fn shown_words(&self) -> usize {
        if self.truncated || self.partial { self.blocks.iter().map(Block::words).sum() } else { self.words }
    }
}

/// What stands above the sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// URL of the page.
    pub url: &'a str,
    /// Title of the page.
    pub title: &'a str,
    /// The pattern that sections were filtered by.
    pub grep: Option<&'a str>,
    /// What lies deeper than was asked for, if something does.
    pub cut: Option<&'a str>,
}

impl<'a> Header<'a> {
    /// Returns the header of a page that is not filtered.
    pub fn of(page: &'a Page) -> Self {
        Self { url: page.url(), title: page.title(), grep: None, cut: None }
    }
}

/// Reads the sections below `roots` (`&[NodeId::ROOT]` for the whole page); a root below another
/// root is read once.
///
/// `path` says the semantic path of a node; it is asked once a section.
pub fn sections(
    page: &Page,
    roots: &[NodeId],
    options: &ContentOptions,
    path: impl Fn(NodeRef<'_>) -> String,
) -> Vec<Section> {
    read(page, roots, &FxHashSet::default(), options)
        .into_iter()
        .map(|found| section(page, found, None, options, &path))
        .collect()
}

/// Reads the sections below `roots` of which a pattern keeps something, and what could have been
/// matched if it keeps nothing: the elements whose paths match whole, of the others the lines that
/// match and as many around as the pattern says; inverted, the lines that do not match of what no
/// path that matches has to do with.
pub(crate) fn sections_kept(
    page: &Page,
    roots: &[NodeId],
    grep: &Grep,
    by_path: &[NodeId],
    options: &ContentOptions,
    path: impl Fn(NodeRef<'_>) -> String,
) -> Result<Vec<Section>, Vec<Choice>> {
    let nothing = FxHashSet::default();
    let (whole, searched) = if grep.is_inverted() {
        (Vec::new(), read(page, by_path, &nothing, options))
    } else {
        let skipped: FxHashSet<NodeId> = by_path.iter().copied().collect();
        let roots: Vec<NodeId> = roots.iter().copied().filter(|root| !skipped.contains(root)).collect();
        (read(page, by_path, &nothing, options), read(page, &roots, &skipped, options))
    };
    let mut all = Vec::new();
    let mut ends = Vec::with_capacity(searched.len());
    for found in &searched {
        lines::lines(&found.blocks, &mut all);
        ends.push(all.len());
    }
    let matching = lines::matching(&all, grep);
    if (by_path.is_empty() || grep.is_inverted()) && !matching.contains(&true) {
        let mut choices: Vec<Choice> = all.iter().map(|line| Choice::Name(line.words().to_owned())).collect();
        choices.extend(searched.iter().map(|found| Choice::Path(path(page.node(found.node)))));
        return Err(choices);
    }
    let kept = lines::kept(&all, &grep.with_context(&matching), &matching, grep.is_inverted());
    let mut sections: Vec<Section> = Vec::new();
    let mut from = 0;
    for (mut found, end) in searched.into_iter().zip(ends) {
        let of = &kept[from..end];
        from = end;
        if !of.contains(&true) {
            continue;
        }
        let words = if of.contains(&false) {
            let words = found.blocks.iter().map(Block::words).sum();
            found.blocks = lines::keep(std::mem::take(&mut found.blocks), of);
            Some(words)
        } else {
            None
        };
        sections.push(section(page, found, words, options, &path));
    }
    sections.extend(whole.into_iter().map(|found| section(page, found, None, options, &path)));
    sections.sort_by_key(|section| section.begins);
    Ok(sections)
}

/// Returns for each node how many words are read of the page before it, and last all: the words of
/// a subtree are one subtraction, and the same that [`sections`] counts.
pub(crate) fn words_before(page: &Page, include_hidden: bool) -> Vec<u32> {
    let of = walk::count(page, &ContentOptions { include_hidden, ..ContentOptions::default() });
    let mut before = Vec::with_capacity(of.len() + 1);
    let mut sum = 0;
    before.push(0);
    before.extend(of.into_iter().map(|words| {
        sum += words;
        sum
    }));
    before
}

fn read(page: &Page, roots: &[NodeId], skipped: &FxHashSet<NodeId>, options: &ContentOptions) -> Vec<walk::Found> {
    let roots = roots.iter().copied().filter(|root| root.index() < page.len()).collect();
    let mut found = Vec::new();
    for root in outermost(page, roots) {
        walk::read(page.node(root), options, skipped, &mut found);
    }
    found
}

/// Makes a section of what was found; `words`: those of the whole, if only a part of it is here.
fn section(
    page: &Page,
    found: walk::Found,
    words: Option<usize>,
    options: &ContentOptions,
    path: &impl Fn(NodeRef<'_>) -> String,
) -> Section {
    let walk::Found { node, begins, blocks } = found;
    let partial = words.is_some();
    let kept_words = blocks.iter().map(Block::words).sum();
    let words = words.unwrap_or(kept_words);
    let characters = cut::characters(&blocks);
    let (blocks, truncated) = match options.max_length {
        Some(length) => cut::cut(blocks, length),
        None => (blocks, false),
    };
    let path = Some(path(page.node(node))).filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned());
    Section { node, begins, path, headings: None, words, blocks, truncated, partial, kept_words, characters }
}

/// Tells of each section which headings it begins below: those before it in whose reach it lies.
pub(crate) fn tell_headings(page: &Page, sections: &mut [Section], options: &ContentOptions) {
    let is_heading =
        |node: &NodeRef<'_>| node.role() == "heading" || matches!(node.tag().as_bytes(), [b'h', b'1'..=b'6']);
    let mut headings = page
        .nodes()
        .filter(is_heading)
        .filter_map(|node| {
            let mut found = Vec::new();
            walk::read(node, options, &FxHashSet::default(), &mut found);
            match found.into_iter().next()?.blocks.into_iter().next()? {
                Block::Heading { level, content } => {
                    Some((node, level, markdown::clean_title(&markdown::plain_text(&content))))
                }
                _ => None,
            }
        })
        .peekable();
    let mut above: Vec<(NodeRef<'_>, u8, String)> = Vec::new();
    for section in sections {
        while let Some((node, level, title)) = headings.next_if(|(node, ..)| node.end() <= section.begins.0) {
            above.retain(|(reach, other, _)| *other < level && reach.holds(node.id()));
            above.push((reach(node, level), level, title));
        }
        let told = above.iter().filter(|(reach, ..)| reach.holds(section.begins));
        let told: Vec<String> =
            told.map(|(_, level, title)| format!("{} {title}", "#".repeat((*level).into()))).collect();
        section.headings = Some(told.join(" > "));
    }
}

/// Returns what a heading stands above: its section; the heading in the head of a page all of that,
/// the title of a page in a `section` more than that.
fn reach(heading: NodeRef<'_>, level: u8) -> NodeRef<'_> {
    let ends = |above: &NodeRef<'_>| {
        above.kind() == NodeKind::Document
            || (boxes::is_section(*above, above.tag(), above.role())
                && above.role() != "banner"
                && !(level == 1 && above.tag() == "section"))
    };
    heading.ancestors().find(ends).unwrap_or(heading)
}

/// Writes sections as markdown with comments that say where each comes from.
pub fn write_markdown(header: &Header<'_>, sections: &[Section]) -> String {
    let mut out = String::new();
    markdown::write_source(&mut out, header.url);
    for section in sections {
        if let Some(headings) = &section.headings {
            out.push_str(&format!("\n<!-- headings: {headings} -->\n"));
        }
        markdown::write_part(&mut out, &section.path, &section.blocks);
        if let Some(left) = section.left() {
            markdown::write_note(&mut out, &format!("cut: {left}"));
        }
    }
    if let Some(cut) = header.cut {
        markdown::write_note(&mut out, &format!("cut: {cut}"));
    }
    markdown::write_end(&mut out, sections.iter().map(Section::shown_words).sum::<usize>() as u64);
    out
}

#[cfg(test)]
mod tests;
