//! Probes: nodes and texts of a page that no scenario named, so that no strategy can be tuned to
//! them.
//!
//! In: a page, then what each strategy shows of it. Out: a [`ProbeScore`]. Rules: a *node probe* is
//! a role and a name that some visible interactive node has, a *text probe* the text of some text
//! node that a person sees and that stands still, with at least three letters or digits, the halves
//! of words at its ends left out; equal ones are one probe. A text stands still if no earlier
//! second look saw it change by itself; a list's marker, which a browser paints and no document
//! says, is none. At most [`PROBES`] of each kind are drawn by a [`SplitMix64`] from the page hash
//! (nodes: its first 8 bytes, texts: the next 8, little-endian). A node probe is found if a handle
//! means one of its nodes, or the reader finds role and name in a node whose handle means no other,
//! or one of its nodes lies uncovered in a shown image, or, in plain text that has no nodes, its
//! name can be read. A text probe is found if it can be read in text or images. Why equal ones are
//! one probe: where a map of handles is not known, the reader cannot tell the 142 "Add to cart"
//! apart, and strategies with and without such a map would be measured differently. Why not
//! [`find`] for each probe over the whole reading: forty searches a strategy and step would take
//! longer than all the rest; one pass over the reading picks the nodes that may match, and `find`
//! then decides on each of them alone.

use super::Shown;
use crate::measure::{ProbeScore, count};
use crate::reader::text::normalize;
use crate::reader::{ReadNode, Reading, find};
use browserlens_core::page::{Flags, NodeId, NodeKey, NodeKind, NodeRef, Page};
use browserlens_core::random::SplitMix64;
use browserlens_core::strategy::{ActionChannel, NodeHint};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most probes of a kind on one page.
pub const PROBES: usize = 20;
/// Least letters and digits of a text probe: shorter ones stand everywhere.
const LEAST_LETTERS: usize = 3;
/// Least characters that a cut name must show, as in [`find`].
const LEAST_STEM: usize = 12;

/// The probes of one page.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    nodes: Vec<NodeProbe>,
    texts: Vec<TextProbe>,
    /// Which node probes have a name, normalised.
    by_name: HashMap<String, Vec<usize>>,
    /// Which node probe a node belongs to.
    by_key: HashMap<NodeKey, usize>,
    /// Length in bytes of the shortest name.
    shortest: usize,
}

#[derive(Debug)]
struct NodeProbe {
    hint: NodeHint,
    ids: Vec<NodeId>,
}

#[derive(Debug)]
struct TextProbe {
    text: String,
    ids: Vec<NodeId>,
}

impl Probes {
    /// Draws the probes of a page.
    pub fn draw(page: &Page, changing: &HashSet<NodeKey>) -> Self {
        let mut nodes: BTreeMap<NodeId, NodeProbe> = BTreeMap::new();
        let mut texts: BTreeMap<NodeId, TextProbe> = BTreeMap::new();
        let mut known: HashMap<(String, String), NodeId> = HashMap::new();
        for node in page.nodes().filter(|node| node.is_visible()) {
            let id = node.id();
            let is_text = matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo);
            if is_text {
                if !node.is_seen() || node.tag() == "::marker" || !stands_still(node, changing) {
                    continue;
                }
                let text = normalize(whole_words(node));
                if text.chars().filter(|c| c.is_alphanumeric()).take(LEAST_LETTERS).count() == LEAST_LETTERS {
                    let first = *known.entry((String::new(), text.clone())).or_insert(id);
                    texts.entry(first).or_insert_with(|| TextProbe { text, ids: Vec::new() }).ids.push(id);
                }
            } else if node.is_interactive() && node.covered_by().is_none() {
                let name = normalize(node.name());
                if !name.is_empty() && !node.role().is_empty() {
                    let first = *known.entry((node.role().to_owned(), name.clone())).or_insert(id);
                    let hint = || NodeHint { role: node.role().to_owned(), name, ..NodeHint::default() };
                    nodes.entry(first).or_insert_with(|| NodeProbe { hint: hint(), ids: Vec::new() }).ids.push(id);
                }
            }
        }
        let hash = page.hash().0;
        let seed = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| hash[at + byte]));
        let mut probes = Self {
            nodes: pick(nodes.into_values().collect(), seed(0)),
            texts: pick(texts.into_values().collect(), seed(8)),
            ..Self::default()
        };
        for (at, probe) in probes.nodes.iter().enumerate() {
            probes.by_name.entry(probe.hint.name.clone()).or_default().push(at);
            probes.by_key.extend(probe.ids.iter().map(|id| (page.node(*id).key(), at)));
        }
        probes.shortest = probes.by_name.keys().map(String::len).min().unwrap_or(usize::MAX);
        probes
    }

    /// Calls `may_match` with every probe that a node of a reading may be, by its words alone.
    fn like(&self, node: &ReadNode, mut may_match: impl FnMut(usize)) {
        if node.role == "text" {
            return;
        }
        let unnamed = node.name.is_empty().then_some(&node.text);
        for words in [&node.name].into_iter().chain(&node.also).chain(unnamed) {
            // Normalising only shortens.
            if words.len() < self.shortest {
                continue;
            }
            let probes = match self.by_name.get(words.as_str()) {
                None if !is_plain(words) => self.by_name.get(&normalize(words)),
                found => found,
            };
            probes.into_iter().flatten().for_each(|at| may_match(*at));
        }
        if node.name.ends_with('…') || node.name.ends_with("...") {
            let name = normalize(&node.name);
            let stem = name.trim_end_matches(['…', '.']).trim_end();
            if stem.chars().count() >= LEAST_STEM {
                let begins = |probe: &NodeProbe| probe.hint.name.starts_with(stem);
                let likely = self.nodes.iter().enumerate().filter(|(_, probe)| begins(probe));
                likely.for_each(|(at, _)| may_match(at));
            }
        }
    }
}

/// Returns whether neither a text nor an element that holds nothing else was seen to change:
/// scripts put a new text node in the place of the old one.
fn stands_still(text: NodeRef<'_>, changing: &HashSet<NodeKey>) -> bool {
    let is_text = |below: &NodeRef<'_>| matches!(below.kind(), NodeKind::Text | NodeKind::Pseudo);
    let mut at = text;
    loop {
        if changing.contains(&at.key()) {
            return false;
        }
        match at.parent() {
            Some(parent) if parent.descendants().filter(is_text).nth(1).is_none() => at = parent,
            _ => return true,
        }
    }
}

/// Returns the text of a node without the halves of words at its ends: in `<mark>plan</mark>s`
/// nobody reads *plan*.
fn whole_words(node: NodeRef<'_>) -> &str {
    let mut text = node.text();
    let page = node.page();
    let in_word = |text: &str, last: bool| {
        let end = if last { text.chars().next_back() } else { text.chars().next() };
        end.is_some_and(char::is_alphanumeric)
    };
    let beside = |id: Option<u32>, forwards: bool| {
        let mut at = id?;
        loop {
            if at as usize >= page.len() {
                return None;
            }
            let other = page.node(NodeId(at));
            match other.kind() {
                NodeKind::Text | NodeKind::Pseudo if other.is_visible() => return Some(other),
                NodeKind::Document => return None,
                NodeKind::Element
                    if other.flags().has(Flags::BLOCK)
                        || other.is_interactive()
                        || matches!(other.tag(), "br" | "img") =>
                {
                    return None;
                }
                _ => at = if forwards { at + 1 } else { at.checked_sub(1)? },
            }
        }
    };
    // Blocks that end between the two part them as well.
    let joined = |a: NodeRef<'_>, b: NodeRef<'_>| {
        let (before, after) = if a.id() < b.id() { (a, b) } else { (b, a) };
        before.parent() != after.parent()
            && !before
                .ancestors()
                .take_while(|above| !above.holds(after.id()))
                .any(|above| above.flags().has(Flags::BLOCK))
    };
    if in_word(text, false)
        && let Some(before) = beside(node.id().0.checked_sub(1), false)
        && joined(before, node)
        && in_word(before.text(), true)
    {
        text = text.trim_start_matches(char::is_alphanumeric);
    }
    if in_word(text, true)
        && let Some(after) = beside(Some(node.end()), true)
        && joined(node, after)
        && in_word(after.text(), false)
    {
        text = text.trim_end_matches(char::is_alphanumeric);
    }
    text
}

fn pick<T>(all: Vec<T>, seed: u64) -> Vec<T> {
    let drawn: HashSet<usize> = SplitMix64::new(seed).draw(all.len(), PROBES).into_iter().collect();
    all.into_iter().enumerate().filter(|(at, _)| drawn.contains(at)).map(|(_, probe)| probe).collect()
}

/// Returns whether a text is surely normalised: ASCII without control characters, or blanks at its
/// ends or side by side.
fn is_plain(words: &str) -> bool {
    let bytes = words.as_bytes();
    let mut blank = true;
    for byte in bytes {
        let is_blank = *byte == b' ';
        if !(b' '..=b'~').contains(byte) || (is_blank && blank) {
            return false;
        }
        blank = is_blank;
    }
    !blank
}

impl Shown<'_> {
    /// Counts the probes of the page that are in the shown state.
    pub fn probes(&self) -> ProbeScore {
        let probes = self.index.probes(self.page);
        let mut found = vec![false; probes.nodes.len()];
        for (node, key) in self.reading.nodes.iter().zip(&self.keys) {
            // A handle says which node it is; words count where none does.
            match key {
                Some(key) => {
                    if let Some(at) = probes.by_key.get(key) {
                        found[*at] = true;
                    }
                }
                None => probes.like(node, |at| {
                    found[at] = found[at] || is_found_alone(node, &probes.nodes[at].hint);
                }),
            }
        }
        for (found, probe) in found.iter_mut().zip(&probes.nodes) {
            *found = *found
                || (self.channel == ActionChannel::None && self.haystack.holds(&probe.hint.name))
                || self.is_in_image(&probe.ids);
        }
        let is_read = |probe: &&TextProbe| {
            self.haystack.holds(&probe.text)
                || (!self.images.is_empty() && probe.ids.iter().any(|id| self.is_text_in_image(*id)))
        };
        ProbeScore {
            nodes: count(found.len()),
            nodes_found: count(found.iter().filter(|found| **found).count()),
            texts: count(probes.texts.len()),
            texts_found: count(probes.texts.iter().filter(is_read).count()),
        }
    }
}

fn is_found_alone(node: &ReadNode, hint: &NodeHint) -> bool {
    let alone = Reading { nodes: vec![ReadNode { parent: None, ..node.clone() }], ..Reading::default() };
    !find(&alone, hint).candidates.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::reading_of;
    use crate::score::PageIndex;
    use browserlens_core::page::PageBuilder;
    use proptest::prelude::*;

    const PAGE: &str = r#"
        main
          link "Cart" #10
          link "Cart" #11
          button "Buy now" #12
          button "Gone" hidden #13
          button #14
          generic "Open" clickable #15
          heading "Lamps" #16
          text "Oak lamp, 49.00" #20
          text "Oak lamp, 49.00" #21
          text "of" #22
          text "hidden words" hidden #23
    "#;

    fn score(reading: &Reading, handles: &[(&str, u32)], channel: ActionChannel) -> ProbeScore {
        let (page, index) = (PageBuilder::outline(PAGE), PageIndex::default());
        let key = |backend| NodeKey { frame: 1, loader: 1, backend };
        let handles = handles.iter().map(|(handle, backend)| ((*handle).to_owned(), key(*backend))).collect();
        Shown::new(&page, &index, reading, &handles, &[], channel).probes()
    }

    #[test]
    fn probes_are_visible_named_and_each_once() {
        let probes = Probes::draw(&PageBuilder::outline(PAGE), &HashSet::new());
        let names: Vec<&str> = probes.nodes.iter().map(|probe| probe.hint.name.as_str()).collect();
        assert_eq!(names, ["Cart", "Buy now", "Open"]);
        assert_eq!(probes.nodes[0].ids.len(), 2);
        assert_eq!(probes.texts.iter().map(|probe| probe.text.as_str()).collect::<Vec<_>>(), ["Oak lamp, 49.00"]);
    }

    #[test]
    fn what_changes_by_itself_markers_and_halves_of_words_are_no_probes() {
        let page = PageBuilder::outline(
            r#"
            paragraph block
              text "The Stand"
              mark tag="mark"
                text "ard plan"
              text "s cost"
            paragraph block
              text "09:00:23" #30
            "#,
        );
        let texts = |changing: &HashSet<NodeKey>| -> Vec<String> {
            Probes::draw(&page, changing).texts.into_iter().map(|probe| probe.text).collect()
        };
        assert_eq!(texts(&HashSet::new()), ["The", "cost", "09:00:23"]);
        let clock = NodeKey { frame: 1, loader: 1, backend: 30 };
        assert_eq!(texts(&HashSet::from([clock])), ["The", "cost"]);
    }

    #[test]
    fn at_most_twenty_are_drawn_and_the_same_for_the_same_page() {
        let outline: String = (0..90).map(|n| format!("button \"Button {n}\"\ntext \"Words {n}\"\n")).collect();
        let drawn = |page: &Page| {
            let probes = Probes::draw(page, &HashSet::new());
            let names: Vec<String> = probes.nodes.into_iter().map(|probe| probe.hint.name).collect();
            (names, probes.texts.into_iter().map(|probe| probe.text).collect::<Vec<_>>())
        };
        let (names, texts) = drawn(&PageBuilder::outline(&outline));
        assert_eq!((names.len(), texts.len()), (PROBES, PROBES));
        assert_eq!((names.clone(), texts), drawn(&PageBuilder::outline(&outline)));
        let other = outline.replace("Words 89", "Words 90");
        assert_ne!(names, drawn(&PageBuilder::outline(&other)).0, "another page, another draw");
    }

    #[test]
    fn handles_words_and_readable_names_find_probes() {
        let text = "- link \"Cart\" [ref=e1]\n- generic \"Open\"\n- text: Oak lamp, 49.00";
        let aria = reading_of("playwright-aria", text);
        let found = |nodes_found, texts_found| ProbeScore { nodes: 3, nodes_found, texts: 1, texts_found };
        assert_eq!(score(&aria, &[("e1", 11)], ActionChannel::Ref), found(2, 1));
        assert_eq!(score(&aria, &[("e1", 16)], ActionChannel::Ref), found(1, 1), "its handle means the heading");
        assert_eq!(score(&aria, &[], ActionChannel::RoleName), found(2, 1));
        let plain = reading_of("plain", "Cart | Buy now | Oak lamp");
        assert_eq!(score(&plain, &[], ActionChannel::None), found(2, 0));
        assert_eq!(score(&plain, &[], ActionChannel::Selector), found(0, 0), "plain words are no nodes");
        assert_eq!(score(&Reading::default(), &[], ActionChannel::Ref), found(0, 0));
    }

    proptest! {
        /// The shortcut picks every node that a whole search would find.
        #[test]
        fn one_pass_finds_what_forty_searches_would(words in prop::collection::vec("( ?Cart ?|Buy  now|Buy \
            now|Open…|Open|\u{200b}Cart|Gone)", 0..5), role in "(link|button|generic|text)", also in any::<bool>()) {
            let nodes: Vec<ReadNode> = words.iter().map(|words| {
                let node = ReadNode { role: role.clone(), ..ReadNode::default() };
                match also {
                    true => ReadNode { also: vec![words.clone()], ..node },
                    false => ReadNode { name: words.clone(), ..node },
                }
            }).collect();
            let reading = Reading { nodes, ..Reading::default() };
            let probes = Probes::draw(&PageBuilder::outline(PAGE), &HashSet::new());
            let whole = probes.nodes.iter().filter(|probe| !find(&reading, &probe.hint).candidates.is_empty()).count();
            prop_assert_eq!(score(&reading, &[], ActionChannel::Ref).nodes_found, count(whole));
        }
    }
}
