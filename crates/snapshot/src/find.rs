//! What on a page says a text, with refs and with what it stands in.
//!
//! In: the lens that looked at the page, words, a role. Out: one line an item that was found, in
//! the grammar of the lens. Invariants: only what the lens shows is found; what is left out is
//! counted; in an element that is not on the page nothing is found.

mod elsewhere;
mod near;

use crate::interactive::RefLens;
use browserlens_core::page::text::folded;
use browserlens_core::page::{Flags, NodeId, NodeKey, NodeKind, NodeRef, Page, role};
use browserlens_core::strategy::Ref;
use browserlens_lens::format::{Style, write_item};
use browserlens_lens::tree::StateSet;
use browserlens_lens::{ShownNode, ShownState};
pub use elsewhere::closed;
use elsewhere::{clipped, unfilled, where_more_is};
use near::{Near, around_slots, chain, innermost, joined, sharing, words, write_place, write_quoted, write_words};
use std::collections::HashMap;
use std::fmt::Write as _;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindOptions {
    /// Text that name or value holds, ignoring case; empty for any.
    pub text: String,
    /// Only items of this role; empty for any.
    pub role: String,
    /// Only in the element of this ref.
    pub within: Option<Ref>,
    /// Only what shares its row, card or other part of the page with this text; empty for anything.
    pub beside: String,
    /// Most lines.
    pub limit: usize,
}

/// Longest name of what an item stands in, in characters.
const LONGEST: usize = 60;
/// Of how many items it is said what they are near.
const MOST_NEAR: usize = 50;
/// How many containers of an item are named, from the inside.
const ABOVE: usize = 4;
/// What holds many things that have nothing to do with each other.
const OF_MANY: [&str; 14] = [
    "RootWebArea", "document", "application", "main", "table", "grid", "treegrid", "rowgroup", "list", "listbox",
    "tree", "feed", "tablist", "menu",
];

/// Finds items of the page that the lens looked at last; those that can be acted on come first,
/// else in document order.
pub fn find(lens: &mut RefLens, page: &Page, options: &FindOptions) -> String {
    let items = |lens: &RefLens, options: &FindOptions| -> Vec<u32> {
        let found = lens.shown().map(|shown| found(lens, page, shown, options));
        found.into_iter().flatten().map(|node| node.id()).collect()
    };
    let mut told = items(lens, options);
    // Who asks for a role by text, asks for it.
    let called = options.text.trim().to_lowercase();
    let such = FindOptions { text: String::new(), role: called, ..options.clone() };
    if told.is_empty() && options.role.is_empty() && !such.role.is_empty() && !items(lens, &such).is_empty() {
        return format!("nothing says that; what has it as its role:\n{}", find(lens, page, &such));
    }
    // … or for a state.
    let asks_state = told.is_empty() && options.role.is_empty() && StateSet::from_word(&such.role).is_some();
    if let Some(shown) = lens.shown().filter(|_| asks_state) {
        let all = found(lens, page, shown, &FindOptions { role: String::new(), ..such.clone() });
        told = all.iter().filter(|node| node.states().any(|state| state == such.role)).map(|node| node.id()).collect();
    }
    // Who asks for all there is, asks for nothing to act on.
    let asks = !(options.text.trim().is_empty() && options.role.trim().is_empty());
    let mut named = HashMap::new();
    for item in told.iter().copied().filter(|_| asks).take(options.limit) {
        // A text is acted on by its words.
        let key = lens.key_of(item).filter(|key| page.find(*key).is_some_and(|node| node.kind() == NodeKind::Element));
        named.extend(key.map(|key| (item, lens.name(key))));
    }
    let Some(shown) = lens.shown() else { return "nothing was looked at yet".to_owned() };
    let nodes: HashMap<u32, ShownNode<'_>> = shown.nodes().map(|node| (node.id(), node)).collect();
    let found: Vec<ShownNode<'_>> = told.iter().filter_map(|item| nodes.get(item).copied()).collect();
    let mut out = match found.len() {
        0 => {
            let closed = closed(lens, page, &options.text);
            format!("nothing found{}{closed}{}", where_more_is(shown, options), unfilled(page))
        }
        count if asks_state => format!("nothing says that; {count} in that state"),
        count => format!("{count} found"),
    };
    let told = &found[..found.len().min(options.limit)];
    let near = Near::of(told.iter().map(|node| page.find(lens.node(node.reference()?)?)));
    let node_of = |node: ShownNode<'_>| lens.key_of(node.id()).and_then(|key| page.find(key));
    for (at, node) in told.iter().enumerate() {
        out.push_str("\n- ");
        write_found(&mut out, shown, *node, (&options.text, named.get(&node.id()).copied()));
        write_place(&mut out, page, node_of(*node));
        let before = out.len();
        near.write(&mut out, at);
        // A cell says little without its row, nor does a text without its card.
        let is_part = node.reference().is_none() && out.len() == before;
        let mut around = [*node].into_iter().chain(node.ancestors());
        let row = around.find(|above| is_part && role::is_item(above.role())).map(|row| folded(&row.text()));
        if let Some(row) = row.filter(|row| row != node.name()) {
            out.push_str(" near ");
            write_quoted(&mut out, &row);
        }
    }
    if found.len() > options.limit {
        let _ = write!(out, "\n… {} more", found.len() - options.limit);
    }
    out
}

/// Lists nodes on one line, in the words of [`find`], with a ref each; one that the lens gave none
/// with the nearest that it lies in.
pub fn candidates(lens: &mut RefLens, page: &Page, nodes: &[NodeKey], limit: usize) -> String {
    let refs: Vec<Ref> = nodes.iter().take(limit).map(|key| lens.name(*key)).collect();
    let mut out = format!("{} found", nodes.len());
    let item = |key| lens.shown()?.with_ref(lens.reference(key)?);
    let near = Near::of(nodes.iter().take(limit).map(|key| page.find(*key)));
    for (at, key) in nodes.iter().take(limit).enumerate() {
        out.push_str(if at == 0 { ": " } else { "; " });
        if let Some((shown, node)) = lens.shown().zip(item(*key)) {
            write_found(&mut out, shown, node, ("", None));
            near.write(&mut out, at);
            continue;
        }
        let Some(node) = page.find(*key) else { continue };
        let (role, name) = words(node);
        write_words(&mut out, &role, &name);
        let _ = write!(out, " {}", refs[at]);
        let above = node.ancestors().find_map(|above| Some((above, lens.reference(above.key())?)));
        if let Some((above, reference)) = above {
            out.push_str(" in ");
            let (role, name) = words(above);
            write_words(&mut out, &role, &name);
            let _ = write!(out, " {reference}");
        }
        let before = out.len();
        near.write(&mut out, at);
        let row = node.ancestors().find(|above| out.len() == before && name.is_empty() && role::is_item(above.role()));
        if let Some(row) = row {
            out.push_str(" near ");
            write_quoted(&mut out, &joined(row, MOST_NEAR * 4));
        }
    }
    if nodes.len() > limit {
        let _ = write!(out, "; … {} more", nodes.len() - limit);
    }
    out
}

/// Of a long value only what is around the text that was looked for.
fn write_found(out: &mut String, shown: &ShownState, node: ShownNode<'_>, (text, named): (&str, Option<Ref>)) {
    let mut item = shown.tree().item(node.id()).clone();
    item.reference = item.reference.or(named);
    item.value = around(&item.value, text.trim()).map_or(item.value, Into::into);
    out.push_str(&write_item(&item, Style::PLAIN));
    let above: Vec<ShownNode<'_>> = node.ancestors().filter(|node| node.id() != 0).collect();
    // Rows within rows say nothing but that.
    let same =
        |a: &ShownNode<'_>, b: &ShownNode<'_>| a.role() == b.role() && a.name() == b.name() && role::is_item(a.role());
    let above = above.chunk_by(same).map(|alike| alike[0]);
    for (at, node) in above.take(ABOVE).enumerate() {
        out.push_str(if at == 0 { " in " } else { " < " });
        write_words(out, node.role(), node.name());
        if let Some(reference) = node.reference() {
            let _ = write!(out, " {reference}");
        }
    }
}

/// Returns what stands around a text in a long value.
fn around(value: &str, text: &str) -> Option<String> {
    if value.len() <= LONGEST * 4 || text.is_empty() {
        return None;
    }
    let at = value.to_lowercase().find(&text.to_lowercase())?;
    let from = value.floor_char_boundary(at.saturating_sub(LONGEST));
    let to = value.ceil_char_boundary((at + text.len() + LONGEST).min(value.len()));
    let mark = |is_cut: bool| if is_cut { "…" } else { "" };
    Some(format!("{}{}{}", mark(from > 0), &value[from..to], mark(to < value.len())))
}

/// Returns the nodes that a text means: those with refs that say exactly that, else the elements
/// that do, else those with refs that hold it, else the elements.
pub fn matches(lens: &RefLens, page: &Page, options: &FindOptions) -> Vec<NodeKey> {
    let plain = |text: &str| folded(text).to_lowercase();
    let wanted = plain(&options.text);
    let within = options.within.map(|within| part_of(lens, page, within));
    // What it should lie in is not there: the rest of the page is not meant.
    if matches!(within, Some(None)) {
        return Vec::new();
    }
    let within = within.flatten();
    // What they stand beside is looked for in the page, once for those with refs and without.
    let anywhere = FindOptions { beside: String::new(), ..options.clone() };
    let mut with_refs: Vec<ShownNode<'_>> =
        lens.shown().map_or_else(Vec::new, |shown| found(lens, page, shown, &anywhere));
    with_refs.retain(|node| node.reference().is_some());
    let beside = plain(&options.beside);
    let saying: Vec<Vec<u32>> = match beside.as_str() {
        "" => Vec::new(),
        words => {
            let said = |node: &NodeRef<'_>| match node.kind() {
                NodeKind::Text => node.is_seen() && plain(node.text()).contains(words),
                _ => node.is_visible() && plain(node.name()).contains(words),
            };
            let saying: Vec<Vec<u32>> = page.nodes().filter(said).map(chain).collect();
            // The pieces of a row, as `find` tells them.
            let says = |node: NodeRef<'_>| plain(&joined(node, usize::MAX)).contains(words);
            match saying.is_empty() {
                true => innermost(page.root(), says).into_iter().map(chain).collect(),
                false => saying,
            }
        }
    };
    let near = |keys: Vec<NodeKey>| -> Vec<NodeKey> {
        if beside.is_empty() {
            return keys;
        }
        if saying.is_empty() {
            let is_in = |node: NodeRef<'_>| node.ancestors().any(|above| above.role() == beside);
            return keys.into_iter().filter(|key| page.find(*key).is_some_and(is_in)).collect();
        }
        // Of what goes by its role alone, what says it is no nearer to it than what stands beside that.
        let around = |node| chain(node).split_off(usize::from(wanted.is_empty()));
        let chains: Vec<_> = keys.iter().map(|key| page.find(*key).map_or_else(Vec::new, around)).collect();
        let is_of_many = |id: u32| OF_MANY.contains(&page.node(NodeId(id)).role());
        keys.into_iter().zip(sharing(&chains, &saying, is_of_many)).filter_map(|(key, is)| is.then_some(key)).collect()
    };
    let keys_of = |fits: &dyn Fn(&ShownNode<'_>) -> bool| -> Vec<NodeKey> {
        let fitting = with_refs.iter().filter(|node| fits(node));
        near(fitting.filter_map(|node| lens.node(node.reference()?)).filter(|key| page.find(*key).is_some()).collect())
    };
    let as_written = folded(&options.text);
    let exact = keys_of(&|node| plain(node.name()) == wanted);
    if !exact.is_empty() && !wanted.is_empty() {
        // Upper and lower case tell apart what is called alike.
        let written_so = keys_of(&|node| folded(node.name()) == as_written);
        return if written_so.is_empty() { exact } else { written_so };
    }
    let holding = keys_of(&|_| true);
    let elements =
        page.nodes().filter(|node| within.is_none_or(|within| within.holds(node.id()) && within.id() != node.id()));
    let role = options.role.trim();
    let told: Vec<(NodeRef<'_>, String)> = if role.is_empty() {
        let texts = elements.filter(|node| node.kind() == NodeKind::Text && node.is_seen());
        texts.filter_map(|node| Some((around_slots(node.parent()?), folded(node.text())))).collect()
    } else {
        let of_role = elements.filter(|node| node.is_visible() && node.role().eq_ignore_ascii_case(role));
        of_role.map(|node| (node, words(node).1)).collect()
    };
    let keys = |fits: &dyn Fn(&str) -> bool| {
        let mut keys: Vec<NodeKey> = told.iter().filter(|(_, text)| fits(text)).map(|(node, _)| node.key()).collect();
        keys.dedup();
        near(keys)
    };
    let exact = keys(&|text| text.to_lowercase() == wanted);
    if !exact.is_empty() && !wanted.is_empty() {
        let written_so = keys(&|text| text == as_written);
        return if written_so.is_empty() { exact } else { written_so };
    }
    let mut holding = match holding.is_empty() {
        false if !wanted.is_empty() || role.is_empty() => holding,
        // Of a role alone those without a ref are meant as well.
        _ => {
            let others = keys(&|text| text.to_lowercase().contains(&wanted));
            let mut all: Vec<NodeRef<'_>> =
                holding.into_iter().chain(others).filter_map(|key| page.find(key)).collect();
            all.sort_unstable_by_key(|node| node.id());
            all.dedup_by_key(|node| node.id());
            all.into_iter().map(|node| node.key()).collect()
        }
    };
    // A text field says its text itself, in however many pieces it is drawn.
    let field = within.filter(|field| role::is_text_field(field.role()) && plain(field.value()).contains(&wanted));
    if holding.is_empty() && !wanted.is_empty() {
        match field {
            Some(field) => holding.push(field.key()),
            // A text of several pieces, as where a part of a word is bold.
            None if role.is_empty() => {
                let says = |node: NodeRef<'_>| blocks_of(node).lines().any(|line| plain(line).contains(&wanted));
                let inner = innermost(within.unwrap_or(page.root()), says);
                holding = near(inner.iter().map(|node| node.key()).collect());
            }
            None => {}
        }
    }
    if holding.is_empty() && role.is_empty() && beside.is_empty() && !wanted.is_empty() {
        holding = clipped(page, &wanted, within);
    }
    holding
}

/// Returns the text below an element as it is written, a line each block.
fn blocks_of(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    let mut last = None;
    for part in node.subtree().filter(|part| part.kind() == NodeKind::Text && part.is_seen()) {
        let block = part.ancestors().find(|above| above.flags().has(Flags::BLOCK)).map(|block| block.id());
        if last.is_some_and(|last| last != block) {
            text.push('\n');
        }
        text.push_str(&part.text().replace('\n', " "));
        last = Some(block);
    }
    text
}

/// Returns what a ref stands for; of the number of a row that has no ref itself, the smallest part of
/// the page that holds the controls of that number.
pub fn part_of<'p>(lens: &RefLens, page: &'p Page, on: Ref) -> Option<NodeRef<'p>> {
    if let Some(node) = lens.node(on).and_then(|key| page.find(key)) {
        return Some(node);
    }
    let parts = lens.refs().range(on..Ref::new(on.number + 1)).filter(|_| on.part == 0);
    let mut parts = parts.filter_map(|(_, key)| page.find(*key));
    let (first, last) = (parts.next()?, parts.next_back()?);
    first.ancestors().find(|above| above.holds(last.id()))
}

/// Finds items, those that can be acted on first; where a role is asked for, also by what stands in
/// them.
fn found<'s>(lens: &RefLens, page: &Page, shown: &'s ShownState, options: &FindOptions) -> Vec<ShownNode<'s>> {
    let wanted = options.text.trim().to_lowercase();
    let says = |node: &ShownNode<'_>| {
        node.name().to_lowercase().contains(&wanted) || node.value().to_lowercase().contains(&wanted)
    };
    let fits = |node: &ShownNode<'_>| {
        let item = shown.tree().item(node.id());
        if item.mark.is_some() || !(options.role.is_empty() || node.role().eq_ignore_ascii_case(options.role.trim())) {
            return false;
        }
        says(node) || !options.role.is_empty() && node.text().to_lowercase().contains(&wanted)
    };
    let within = options.within.map(|within| part_of(lens, page, within));
    let is_within = |node: &ShownNode<'_>| {
        let node = || lens.key_of(node.id()).and_then(|key| page.find(key));
        within.is_none_or(|within| {
            within.zip(node()).is_some_and(|(within, node)| within.holds(node.id()) && within.id() != node.id())
        })
    };
    let mut found: Vec<_> = shown.nodes().filter(|node| node.id() != 0 && fits(node) && is_within(node)).collect();
    let beside = options.beside.trim().to_lowercase();
    if !beside.is_empty() {
        let chain = |node: &ShownNode<'s>| -> Vec<u32> {
            [node.id()].into_iter().chain(node.ancestors().map(|above| above.id())).collect()
        };
        let says =
            |node: &ShownNode<'_>| [node.name(), node.value()].iter().any(|text| text.to_lowercase().contains(&beside));
        let around = |node: &ShownNode<'s>| chain(node).split_off(usize::from(wanted.is_empty()));
        let chains: Vec<_> = found.iter().map(around).collect();
        let saying: Vec<_> = shown.nodes().filter(says).map(|node| chain(&node)).collect();
        if saying.is_empty() {
            // Nothing says it: what has it as its role is meant.
            found.retain(|node| node.ancestors().any(|above| above.role() == beside));
            found.sort_by_key(|node| node.reference().is_none());
            return found;
        }
        let is_of_many = |id: u32| id == 0 || OF_MANY.contains(&&*shown.tree().item(id).role);
        let mut kept = sharing(&chains, &saying, is_of_many).into_iter();
        found.retain(|_| kept.next().unwrap_or(false));
    }
    found.sort_by_key(|node| node.reference().is_none());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;
    use std::sync::Arc;

    #[test]
    fn what_can_be_acted_on_comes_first_with_its_ref_and_what_it_stands_in() {
        let page = Arc::new(PageBuilder::outline(
            r#"
            main
              heading "Save \"now\"" tag=h1 level=1
              region "Basket"
                button "Save for later"
                button "Remove"
            "#,
        ));
        let mut lens = RefLens::new();
        lens.look(&page).expect("looks");
        let options = FindOptions { text: "SAVE".to_owned(), limit: 5, ..FindOptions::default() };
        let all = find(&mut lens, &page, &options);
        assert_eq!(
            all,
            "2 found\n- button \"Save for later\" @e1 in region \"Basket\" < main\n- heading \"Save \\\"now\\\"\" @e3 \
                in main"
        );
        let one = find(&mut lens, &page, &FindOptions { limit: 1, ..options.clone() });
        assert!(one.ends_with("\n… 1 more"), "{one}");
        let none = find(&mut lens, &page, &FindOptions { role: "link".to_owned(), ..options });
        assert_eq!(none, "nothing found");
    }

    #[test]
    fn where_words_do_not_tell_things_apart_their_rows_do() {
        let page = Arc::new(PageBuilder::outline(
            r#"
            main
              table
                row
                  cell "Rug"
                    text "Rug"
                  button "Reserve"
                row
                  cell "Lamp"
                    text "Lamp"
                  button "Reserve"
              button "Help"
            "#,
        ));
        let mut lens = RefLens::new();
        lens.look(&page).expect("looks");
        let options = FindOptions { role: "button".to_owned(), limit: 5, ..FindOptions::default() };
        let all = find(&mut lens, &page, &options);
        assert!(all.contains(" near \"Rug") && all.contains(" near \"Lamp"), "{all}");
        assert!(!all.lines().any(|line| line.contains("Help") && line.contains("near")), "{all}");
        let options = FindOptions { text: "Reserve".to_owned(), ..options };
        let nodes = matches(&lens, &page, &options);
        let told = candidates(&mut lens, &page, &nodes, 5);
        assert!(told.contains(" near \"Rug") && told.contains(" near \"Lamp"), "{told}");
        let in_row = |words: &str| FindOptions { beside: words.to_owned(), ..options.clone() };
        assert_eq!(matches(&lens, &page, &in_row("lamp")), nodes[1..]);
        assert_eq!(find(&mut lens, &page, &in_row("lamp")).lines().next(), Some("1 found"));
        // Help is in no row: what it shares with them is the whole page.
        let help = FindOptions { text: "Help".to_owned(), ..in_row("Lamp") };
        assert!(matches(&lens, &page, &help).is_empty());
        assert_eq!(find(&mut lens, &page, &help), "nothing found");
    }

    #[test]
    fn in_what_is_not_there_nothing_is_found_and_candidates_say_what_they_lie_in() {
        let page = Arc::new(PageBuilder::outline(
            r#"
            main
              paragraph
                text "Birch"
              region "Trees"
                button "Grow"
                paragraph
                  text "Birch"
            "#,
        ));
        let mut lens = RefLens::new();
        lens.look(&page).expect("looks");
        let options = FindOptions { text: "birch".to_owned(), limit: 5, ..FindOptions::default() };
        let both = matches(&lens, &page, &options);
        assert_eq!(both.len(), 2);
        assert_eq!(candidates(&mut lens, &page, &both, 1), "2 found: paragraph \"Birch\" @e2; … 1 more");
        let button = *lens.refs().values().next().expect("the button");
        assert_eq!(
            candidates(&mut lens, &page, &[button], 1),
            "1 found: button \"Grow\" @e1 in region \"Trees\" < main"
        );
        let beside = |words: &str| FindOptions { beside: words.to_owned(), ..options.clone() };
        assert_eq!(matches(&lens, &page, &beside("trees")), both[1..]);
        assert!(matches(&lens, &page, &beside("Oaks")).is_empty());
        let nowhere = FindOptions { within: "@e99".parse().ok(), ..options };
        assert!(matches(&lens, &page, &nowhere).is_empty());
        assert_eq!(find(&mut lens, &page, &nowhere), "nothing found");
    }
    #[test]
    fn what_says_a_text_is_what_its_slot_is_in_and_never_the_slot() {
        let page = Arc::new(PageBuilder::outline(
            r#"
            main
              listitem tag=li
                generic tag=span
                  generic tag=slot
                    text "Okafor "
                    strong tag=strong
                      text "Bearings"
            "#,
        ));
        let mut lens = RefLens::new();
        lens.look(&page).expect("looks");
        for (text, tag) in [("Okafor", "span"), ("Okafor Bearings", "span"), ("Bearings", "strong")] {
            let found = matches(&lens, &page, &FindOptions { text: text.to_owned(), ..FindOptions::default() });
            let tags: Vec<&str> = found.iter().map(|key| page.find(*key).expect("there").tag()).collect();
            assert_eq!(tags, [tag], "{text}");
        }
    }
}
