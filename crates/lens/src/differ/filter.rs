//! The semantic filter: small named passes that recognise changes that are noise.
//!
//! In: a change, and what is known of the item. Out: the name of the pass that would hide it.
//! Invariants: only what nobody can act on is hidden, and only its text or value; errors, alerts,
//! dialogs, navigation, focus, anything with a ref, and values that a person would act on (prices,
//! stock, counts, results) are told, whatever a pass says. What is hidden is counted, and its item
//! is marked *volatile*.

use super::{Change, Side};
use crate::extract::View;
use crate::tree::{Item, NONE, ROOT, StateSet, Tree};
use browserlens_core::named;
use browserlens_core::page::{NodeRef, Page, States, role};

/// Largest container that may be marked volatile for what came in it by itself, in items.
const LARGEST_VOLATILE: u32 = 40;

named! {
    /// One pass of the filter.
    pub enum FilterPass {
        /// A second look saw the node change by itself.
        Evidence = "evidence",
        /// Clocks and countdowns: role `timer`, or a live region whose text is a time and changed in
        /// digits only.
        Timers = "timers",
        /// How many others look on, where only the number changed.
        Onlookers = "onlookers",
        /// Slides of a carousel.
        Carousels = "carousels",
        /// Advertisements.
        Ads = "ads",
        /// What scrolling alone changes: scroll bars, reading progress.
        Scroll = "scroll",
    }
}

/// The passes that are on, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SemanticFilter {
    /// The passes.
    pub passes: Vec<FilterPass>,
}

impl SemanticFilter {
    /// Every pass.
    pub fn all() -> Self {
        Self { passes: FilterPass::ALL.to_vec() }
    }

    /// Returns the pass that hides a change, if one does. `from` says which item of the view each
    /// new item is.
    pub fn hides(
        &self,
        change: Change,
        old: &Side,
        new: &Side,
        from: &[u32],
        view: &View,
        page: &Page,
    ) -> Option<FilterPass> {
        let id = match change {
            Change::Said { old: s, new: t } => {
                let (shown, says) = (old.tree.item(s), new.tree.item(t));
                let text_only = shown.states == says.states && shown.mark == says.mark && shown.cut == says.cut;
                // A mark on a container would cover all that is in it.
                let leaf = old.tree.children(s).is_empty() && new.tree.children(t).is_empty();
                (text_only && leaf).then_some(t)?
            }
            Change::Added { new: t } => {
                let parent = new.tree.parent(t);
                let container = new.tree.item(parent);
                let small = parent != ROOT && new.sizes[parent as usize] <= LARGEST_VOLATILE;
                let landmark = role::is_landmark(&container.role) || container.reference.is_some();
                let marks = || new.tree.subtree(parent).any(|id| new.tree.item(id).mark.is_some());
                (small && !landmark && !marks()).then_some(t)?
            }
            // What is shown and is gone would be a lie without a mark, and the mark costs as much
            // as the news.
            Change::Removed { .. } | Change::Moved { .. } => return None,
        };
        let at = from[id as usize];
        if must_be_told(&new.tree, id) || at == NONE {
            return None;
        }
        let meta = view.meta[at as usize];
        let node = page.node(meta.node);
        self.passes.iter().copied().find(|pass| match pass {
            FilterPass::Evidence => meta.noisy && !is_value(change, old, new),
            FilterPass::Timers => is_timer(change, old, new, node),
            FilterPass::Onlookers => counts_onlookers(change, old, new),
            FilterPass::Carousels => around(node).any(|above| described(above, &["carousel", "slide"])),
            FilterPass::Ads => around(node).any(is_advertisement),
            FilterPass::Scroll => {
                node.role() == "scrollbar" || node.role() == "progressbar" && names(node, &["reading", "scroll"])
            }
        })
    }
}

/// Whether an item or anything around or below it must be told.
fn must_be_told(tree: &Tree, id: u32) -> bool {
    let loud = |item: &Item| item.reference.is_some() || item.is_urgent() || item.states.has(StateSet::FOCUSED);
    tree.subtree(id).any(|below| loud(tree.item(below)))
        || tree.ancestors(id).any(|above| loud(tree.item(above)) || &*tree.item(above).role == "navigation")
}

/// Whether a change is of values that a person may act on: in a table or a list of terms, or a
/// number that tells no time.
fn is_value(change: Change, old: &Side, new: &Side) -> bool {
    let (t, was) = match change {
        Change::Said { old: s, new: t } => (t, &*old.tree.item(s).name),
        Change::Added { new: t } => (t, ""),
        Change::Removed { .. } | Change::Moved { .. } => return false,
    };
    let tabled = |id: u32| {
        matches!(&*new.tree.item(id).role, "row" | "cell" | "gridcell" | "definition" | "option" | "table" | "grid")
    };
    let counts =
        |text: &str| text.contains(|c: char| c.is_ascii_digit()) && !tells_time(text) && !names_onlookers(text);
    std::iter::once(t).chain(new.tree.ancestors(t)).any(tabled)
        || counts(was)
        || new.tree.subtree(t).any(|id| counts(&new.tree.item(id).name) || counts(&new.tree.item(id).value))
}

/// Whether a text counts who else is there: it moves by itself, and nothing follows from it.
fn names_onlookers(text: &str) -> bool {
    has_word(text, &["people", "visitors", "viewers", "watching", "viewing", "online"])
}

fn has_word(text: &str, known: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| known.contains(&word))
}

/// Whether a text says that others look on now: `Table for 4 people` does not.
fn says_who_looks_on(text: &str) -> bool {
    has_word(text, &["people", "visitors", "viewers", "users", "others", "shoppers"])
        && has_word(text, &["here", "online", "looking", "watching", "viewing", "browsing", "shopping"])
}

fn counts_onlookers(change: Change, old: &Side, new: &Side) -> bool {
    let Change::Said { old: s, new: t } = change else { return false };
    let (was, is) = (&old.tree.item(s).name, &new.tree.item(t).name);
    let is_number_alone = without_number(was).eq(without_number(is));
    new.tree.item(t).is_text() && is_number_alone && says_who_looks_on(is)
}

/// A text without its digits and what groups them.
fn without_number(text: &str) -> impl Iterator<Item = char> + '_ {
    without_digits(text).filter(|c| !matches!(c, ',' | '.' | '\u{a0}' | '\u{202f}'))
}

fn around(node: NodeRef<'_>) -> impl Iterator<Item = NodeRef<'_>> {
    std::iter::once(node).chain(node.ancestors()).take(12)
}

fn described(node: NodeRef<'_>, words: &[&str]) -> bool {
    node.attribute("aria-roledescription").is_some_and(|said| words.iter().any(|word| said.eq_ignore_ascii_case(word)))
}

fn names(node: NodeRef<'_>, words: &[&str]) -> bool {
    let mut said = node.name().split(|c: char| !c.is_alphanumeric());
    said.any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
}

/// Whether a node holds advertisements: what rotates there is another each time, though it looks
/// the same.
pub(crate) fn is_advertisement(node: NodeRef<'_>) -> bool {
    let is_one_of = |said: &str, words: &[&str]| words.iter().any(|word| said.eq_ignore_ascii_case(word));
    let is_called_so = |value: &str| {
        let words = ["ad", "ads", "advert", "advertisement", "sponsored"];
        value.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| is_one_of(part, &words))
    };
    ["id", "class"].into_iter().any(|name| node.attribute(name).is_some_and(is_called_so))
        || ["data-ad", "data-ad-slot"].into_iter().any(|name| node.attribute(name).is_some())
        || is_one_of(node.name(), &["advertisement", "sponsored", "advertising"])
}

fn is_timer(change: Change, old: &Side, new: &Side, node: NodeRef<'_>) -> bool {
    let Change::Said { old: s, new: t } = change else { return false };
    if around(node).any(|above| matches!(above.role(), "timer" | "marquee")) {
        return true;
    }
    let (was, is) = (&old.tree.item(s).name, &new.tree.item(t).name);
    let is_live = around(node).any(|above| above.states().has(States::LIVE_POLITE));
    is_live && tells_time(is) && without_digits(was).eq(without_digits(is))
}

fn without_digits(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_ascii_digit())
}

/// Whether a text holds a clock time or a duration: `12:04`, `3 s`, `5 minutes ago`.
pub(crate) fn tells_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let clock = bytes
        .windows(4)
        .any(|w| w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit());
    let units = ["s", "sec", "second", "seconds", "min", "minute", "minutes", "hour", "hours"];
    let mut after_number = false;
    let duration = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).any(|word| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
        // Without a number it is a word like any other: the end of a genitive, a hand of a clock.
        let is_duration = units.contains(&unit) && (after_number || unit.len() < word.len());
        after_number = unit.is_empty();
        is_duration
    });
    clock || duration
}

#[cfg(test)]
mod tests {
    use super::tells_time;

    #[test]
    fn a_time_is_a_clock_or_a_number_with_a_unit() {
        for told in ["at 12:04", "ends in 30s", "3 s", "5 minutes ago"] {
            assert!(tells_time(told), "{told}");
        }
        for other in ["Ada's desk", "the hour hand", "3 seats", "1:2", "room 4", "minutes of the meeting"] {
            assert!(!tells_time(other), "{other}");
        }
    }
}
