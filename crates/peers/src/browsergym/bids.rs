//! Which bid each element bears: the marks that the tool writes into the page and finds again.
//!
//! In: the documents of each step. Out: bids by place. Invariants: an element keeps its bid as long
//! as its node lives; numbers count elements in document order, open shadow trees right behind
//! their host, per document and never back; frames count in letters; a document in a frame has the
//! frame's bid in front; closed shadow trees, elements that are not standard HTML, and frames whose
//! sandbox lets no script run get none.

use super::layout::NodeIndex;
use crate::dom::{Dom, Id, Shadow, push_reversed};
use browserlens_core::page::NodeKey;
use std::collections::HashMap;

/// The marks of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Bids {
    given: HashMap<NodeKey, String>,
    /// Numbers and letters given so far in a document (frame, loader).
    counters: HashMap<(u32, u32), (u32, u32)>,
}

impl Bids {
    /// Marks every element of a page as the tool does before it looks. Out: the bids of this page.
    pub fn mark(&mut self, dom: &Dom<'_>) -> HashMap<NodeIndex, String> {
        let mut bids = HashMap::new();
        let mut frames: Vec<(Id, String)> = dom.main_document().map(|main| (main, String::new())).into_iter().collect();
        let mut marked = vec![false; dom.len()];
        while let Some((document, prefix)) = frames.pop() {
            let mut todo = vec![document];
            while let Some(id) = todo.pop() {
                if std::mem::replace(&mut marked[id as usize], true) {
                    continue;
                }
                if dom.is_element(id) && is_marked_tag(dom.tag(id)) {
                    let bid = self.give(dom, id, &prefix);
                    if let Some(content) = dom.content_of(id)
                        && !is_scriptless(dom, id)
                    {
                        frames.push((content, bid.clone()));
                    }
                    let key = dom.key(id);
                    bids.insert((key.frame, key.backend), bid);
                }
                if dom.is_host(id) {
                    let inside = |child: &Id| dom.scope(*child) == id && dom.node(*child).shadow == Shadow::Open;
                    push_reversed(&mut todo, dom.children(id).filter(inside).chain(dom.light_children(id)));
                } else {
                    // What a slot holds is met below its host.
                    push_reversed(&mut todo, dom.children(id).filter(|child| !dom.node(*child).slotted));
                }
            }
        }
        bids
    }

    fn give(&mut self, dom: &Dom<'_>, id: Id, prefix: &str) -> String {
        let key = dom.key(id);
        if let Some(bid) = self.given.get(&key) {
            return bid.clone();
        }
        let (numbers, letters) = self.counters.entry((key.frame, key.loader)).or_default();
        let own = if matches!(dom.tag(id), "iframe" | "frame") {
            *letters += 1;
            lettered(*letters - 1)
        } else {
            *numbers += 1;
            (*numbers - 1).to_string()
        };
        let bid = format!("{prefix}{own}");
        self.given.insert(key, bid.clone());
        bid
    }
}

/// Whether a frame's sandbox keeps the tool's script out.
fn is_scriptless(dom: &Dom<'_>, frame: Id) -> bool {
    let sandbox = dom.attribute(frame, "sandbox");
    sandbox.is_some_and(|sandbox| !sandbox.split_ascii_whitespace().any(|word| word == "allow-scripts"))
}

/// `a` to `z`, then `aA`, `aB`, …: all letters but the first are capitals.
fn lettered(number: u32) -> String {
    let mut digits = Vec::new();
    let mut rest = u64::from(number) + 1;
    while rest > 0 {
        rest -= 1;
        digits.push((rest % 26) as u8);
        rest /= 26;
    }
    let last = digits.len() - 1;
    let letter = |(at, digit): (usize, &u8)| char::from(if at < last { b'A' } else { b'a' } + digit);
    digits.iter().enumerate().rev().map(letter).collect()
}

/// Whether an element is standard HTML, by the tool's list.
fn is_marked_tag(tag: &str) -> bool {
    const TAGS: &str = "a abbr acronym address applet area article aside audio b base basefont bdi bdo big blockquote \
        body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl \
        dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr \
        html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noframes noscript \
        object ol optgroup option output p param picture pre progress q rp rt ruby s samp script search section select \
        small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time \
        title tr track tt u ul var video wbr";
    static KNOWN: std::sync::LazyLock<std::collections::HashSet<&str>> =
        std::sync::LazyLock::new(|| TAGS.split_ascii_whitespace().collect());
    KNOWN.contains(tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::outline;
    use browserlens_core::page::PageBuilder;

    fn bids(bids: &mut Bids, page: &browserlens_core::page::Page) -> Vec<String> {
        let dom = Dom::new(page, &[]);
        let found = bids.mark(&dom);
        let keys = (0..dom.len() as Id).map(|id| (dom.key(id), dom.tag(id).to_owned()));
        keys.filter_map(|(key, tag)| Some(format!("{tag} {}", found.get(&(key.frame, key.backend))?))).collect()
    }

    #[test]
    fn numbers_follow_the_document_and_new_elements_take_the_next() {
        let mut state = Bids::default();
        let before = outline("generic tag=div #10\n  link tag=a #11\n  generic tag=my-card #12");
        assert_eq!(bids(&mut state, &before), ["html 0", "body 1", "div 2", "a 3"]);
        let after = outline("generic tag=p #20\ngeneric tag=div #10\n  link tag=a #11");
        assert_eq!(bids(&mut state, &after), ["html 0", "body 1", "p 4", "div 2", "a 3"]);
    }

    #[test]
    fn a_new_document_counts_from_zero() {
        let mut state = Bids::default();
        bids(&mut state, &outline("generic tag=div #10"));
        let mut builder = PageBuilder::new("https://test.test/", "Test");
        builder.document(1, 2);
        builder.open(browserlens_core::page::NodeSpec { tag: "html", backend: 10, ..Default::default() });
        assert_eq!(bids(&mut state, &builder.finish()), ["html 0"]);
    }

    #[test]
    fn frames_count_in_letters() {
        let some: Vec<String> = [0, 25, 26, 27, 51, 52, 701, 702].into_iter().map(lettered).collect();
        assert_eq!(some, ["a", "z", "aA", "aB", "aZ", "bA", "zZ", "aAA"]);
    }
}
