//! Text that only ticks: timers, counters, rotating tips.
//!
//! In: pairs of looks at a page, and the time between them. Out: whether nothing but such text lies
//! between two. Invariants: what changed while an action was carried out ticks only if it was seen
//! to change by itself before, and only to what it would have come to by itself; where that is not
//! sure it is no tick. Anything else that can be told, such as a state, a name or a place, is no
//! tick either, and nor is an element with a ref that another took the place of.

use browserlens_core::page::{NodeKey, NodeKind, NodeRef, Page};
use browserlens_lens::extract::is_called_on;
use std::collections::HashMap;
use std::time::Duration;

/// Most texts that are known to tick.
const MOST: usize = 1_000;
/// Most texts that tick at once: where more change, something else is going on.
const MOST_AT_ONCE: usize = 100;
/// How often a text has to change by itself until it ticks, if not only its numbers change.
const TIMES: u32 = 2;
/// How many texts that an element had are remembered.
const MOST_SEEN: usize = 32;
/// How far apart the moments may lie at which two looks read a text, beside what is measured, in
/// seconds.
const SLACK: f64 = 0.3;
/// How much faster than measured a counter may be.
const FASTER: f64 = 2.0;
/// Between looks that are so many seconds apart, a clock moves by as much, give or take this.
const APART: f64 = 2.0;
const OFF: f64 = 1.3;
/// How often a text has to move as time does until it is a clock.
const CLOCK: u32 = 3;

/// An element whose text ticks: itself, or what it always lies in and where, if it is made anew
/// each time.
type TickKey = (NodeKey, u32);

/// What a text was seen to do by itself.
#[derive(Debug, Default)]
struct Tick {
    times: u32,
    /// The texts that it had.
    seen: Vec<String>,
    /// How its number moved: up, down, or both ways.
    up: bool,
    down: bool,
    /// The sum of its moves, in how many seconds, and the smallest of them.
    moved: f64,
    seconds: f64,
    step: f64,
    /// Between which values it was.
    low: f64,
    high: f64,
    /// How often in a row it moved by as many seconds as passed.
    in_time: u32,
}

/// Which texts change by themselves, and how.
#[derive(Debug, Default)]
pub(super) struct Ticks(HashMap<TickKey, Tick>);

impl Ticks {
    /// Learns from two looks between which nobody acted; returns whether nothing but ticking text
    /// lies between them. `has_ref` says which nodes are told by ref.
    pub(super) fn by_itself(
        &mut self,
        before: &Page,
        now: &Page,
        between: Duration,
        has_ref: &dyn Fn(NodeKey) -> bool,
    ) -> bool {
        let Some(changed) = changed_texts(before, now, has_ref) else { return false };
        if self.0.len() + changed.len() > MOST {
            self.0.clear();
        }
        let mut only_ticks = true;
        for change in &changed {
            let tick = self.0.entry(change.place).or_default();
            tick.learn(change, between.as_secs_f64());
            only_ticks &= change.is_number() || tick.times >= TIMES;
        }
        // Time in which it did not move counts too.
        for tick in self.0.values_mut() {
            tick.seconds += between.as_secs_f64();
        }
        only_ticks
    }

    /// Returns the texts of a page that were seen to move as time does.
    pub(super) fn clocks(&self, page: &Page) -> Vec<NodeKey> {
        let mut found = Vec::new();
        for ((element, _), _) in self.0.iter().filter(|((_, at), tick)| *at == 0 && tick.in_time >= CLOCK) {
            let Some(element) = page.find(*element) else { continue };
            let texts = element.children().filter(|node| node.kind() == NodeKind::Text);
            found.extend(texts.map(|text| text.key()));
        }
        found
    }

    /// Returns whether nothing lies between two looks but text that ticks, and that has only ticked
    /// on; where nothing at all does, whether something `ticked` before.
    pub(super) fn are_all(
        &self,
        before: &Page,
        now: &Page,
        between: Duration,
        ticked: bool,
        has_ref: &dyn Fn(NodeKey) -> bool,
    ) -> bool {
        let goes_on =
            |change: &Change| self.0.get(&change.place).is_some_and(|tick| tick.expects(change, between.as_secs_f64()));
        changed_texts(before, now, has_ref)
            .is_some_and(|changed| (ticked || !changed.is_empty()) && changed.iter().all(goes_on))
    }
}

impl Tick {
    fn learn(&mut self, change: &Change, seconds: f64) {
        self.times += 1;
        if seconds >= APART {
            let moved = change.number().map(|(old, new)| (new - old).abs());
            let in_time = moved.is_some_and(|moved| (moved - seconds).abs() <= OFF);
            self.in_time = if in_time { self.in_time + 1 } else { 0 };
        }
        for text in [&change.old, &change.new] {
            if !self.seen.contains(text) {
                if self.seen.len() == MOST_SEEN {
                    self.seen.remove(0);
                }
                self.seen.push(text.clone());
            }
        }
        let Some((old, new)) = change.number() else { return };
        let by = new - old;
        let is_first = !self.up && !self.down;
        (self.up, self.down) = (self.up || by > 0.0, self.down || by < 0.0);
        self.moved += by.abs();
        self.step = if is_first { by.abs() } else { self.step.min(by.abs()) };
        (self.low, self.high) = match is_first {
            true => (old.min(new), old.max(new)),
            false => (self.low.min(old).min(new), self.high.max(old).max(new)),
        };
    }

    /// Returns whether a change is what the text would have done by itself in that time.
    fn expects(&self, change: &Change, seconds: f64) -> bool {
        match change.number() {
            // A counter: no further than its speed, and not back.
            Some((old, new)) if self.up != self.down => {
                let speed = self.moved / self.seconds.max(SLACK);
                let most = speed * (seconds + SLACK) * FASTER + self.step;
                (new > old) == self.up && (new - old).abs() <= most
            }
            // A value that moves both ways: where it has been.
            Some((_, new)) if self.times >= TIMES => (self.low..=self.high).contains(&new),
            _ => self.seen.contains(&change.new),
        }
    }
}

/// A text that is another now.
#[derive(Debug)]
struct Change {
    place: TickKey,
    old: String,
    new: String,
}

impl Change {
    /// Returns whether only numbers changed.
    fn is_number(&self) -> bool {
        unnumbered(&self.old) == unnumbered(&self.new)
    }

    /// Returns the one number that changed, before and after; none if several did, or other words.
    fn number(&self) -> Option<(f64, f64)> {
        if !self.is_number() {
            return None;
        }
        let (old, new) = (numbers(&self.old), numbers(&self.new));
        let mut changed = old.iter().zip(&new).filter(|(old, new)| old != new);
        let found = changed.next().map(|(old, new)| (*old, *new));
        found.filter(|_| changed.next().is_none() && old.len() == new.len())
    }
}

/// Returns the elements whose own text changed; none if anything else changed that can be told.
fn changed_texts(before: &Page, now: &Page, has_ref: &dyn Fn(NodeKey) -> bool) -> Option<Vec<Change>> {
    if before.url() != now.url() || unnumbered(before.title()) != unnumbered(now.title()) {
        return None;
    }
    fn elements(page: &Page) -> impl Iterator<Item = NodeRef<'_>> {
        page.nodes().filter(|node| node.kind() != NodeKind::Text)
    }
    let mut changed: Vec<(NodeRef<'_>, Change)> = Vec::new();
    let mut renamed: Vec<NodeRef<'_>> = Vec::new();
    let mut replaced = 0;
    let mut was = elements(before);
    for node in elements(now) {
        let was = was.next().filter(|was| is_same(*was, node))?;
        if was.key() != node.key() {
            replaced += 1;
            // Who has a ref is no longer the one that it was given for.
            if replaced > MOST_AT_ONCE || was.is_interactive() || has_ref(was.key()) || has_ref(node.key()) {
                return None;
            }
        }
        let (old, new) = (own_text(was), own_text(node));
        if old != new {
            if changed.len() == MOST_AT_ONCE {
                return None;
            }
            changed.push((node, Change { place: place_of(before, node), old, new }));
        }
        if was.name() != node.name() {
            renamed.push(node);
        }
    }
    let is_theirs =
        |node: &NodeRef<'_>| changed.iter().any(|(ticking, _)| node.holds(ticking.id()) || node.id() == ticking.id());
    (was.next().is_none() && renamed.iter().all(is_theirs))
        .then(|| changed.into_iter().map(|(_, change)| change).collect())
}

/// Returns the innermost element around a node, or itself, that was there before, and where in it
/// the node is.
fn place_of(before: &Page, node: NodeRef<'_>) -> TickKey {
    let mut around = std::iter::once(node).chain(node.ancestors());
    let kept = around.find(|around| before.find(around.key()).is_some()).unwrap_or(node);
    (kept.key(), node.id().0 - kept.id().0)
}

/// Returns whether two elements are the same but for their texts; one may have taken the other's
/// place.
fn is_same(was: NodeRef<'_>, is: NodeRef<'_>) -> bool {
    was.kind() == is.kind()
        && was.tag() == is.tag()
        && was.role() == is.role()
        && was.states() == is.states()
        && (was.checked(), was.pressed(), was.expanded()) == (is.checked(), is.pressed(), is.expanded())
        && was.selected() == is.selected()
        // A class alone may say that what is used is on.
        && (!is.is_interactive() || is_called_on(was) == is_called_on(is))
        && was.value() == is.value()
        && was.description() == is.description()
        && was.visibility() == is.visibility()
        && was.is_seen() == is.is_seen()
        && was.attribute("href") == is.attribute("href")
        && was.scrolled().map(|(offset, ..)| offset) == is.scrolled().map(|(offset, ..)| offset)
}

fn own_text(node: NodeRef<'_>) -> String {
    if node.kind() == NodeKind::Pseudo {
        return node.text().to_owned();
    }
    node.children().filter(|child| child.kind() == NodeKind::Text).map(|child| child.text()).collect()
}

/// Returns a text with each number as one digit.
fn unnumbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '0'..='9' if out.ends_with('0') => {}
            '0'..='9' => out.push('0'),
            _ => out.push(letter),
        }
    }
    out
}

/// Returns the numbers of a text: `1,234.5` is one, and so is `1:02:03`, in seconds.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',');
    let pieces = text.split(|c: char| !is_part(c)).map(|piece| piece.trim_matches([':', '.', ',']));
    let of = |piece: &str| {
        piece.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + part.replace(',', "").parse::<f64>().ok()?))
    };
    pieces.filter(|piece| !piece.is_empty()).map(|piece| of(piece).unwrap_or(f64::NAN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(old: &str, new: &str) -> Change {
        let key = NodeKey { frame: 0, loader: 0, backend: 1 };
        Change { place: (key, 0), old: old.to_owned(), new: new.to_owned() }
    }

    fn tick(seconds: f64, changes: &[(&str, &str)]) -> Tick {
        let mut tick = Tick { seconds, ..Tick::default() };
        changes.iter().for_each(|(old, new)| tick.learn(&change(old, new), seconds));
        tick
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(numbers("Left: 1:02:03 of 1,234.5."), [3_723.0, 1_234.5]);
        assert_eq!(change("0:59", "1:00").number(), Some((59.0, 60.0)));
        assert_eq!(change("5 of 10", "6 of 10").number(), Some((5.0, 6.0)));
        assert_eq!(change("1 2", "2 3").number(), None);
        assert_eq!(change("one", "two").number(), None);
    }

    #[test]
    fn a_counter_goes_on_as_fast_as_it_was_and_no_other_way() {
        let timer = tick(4.0, &[("Left 60", "Left 58"), ("Left 58", "Left 56")]);
        assert!(timer.expects(&change("Left 56", "Left 55"), 0.5));
        assert!(!timer.expects(&change("Left 56", "Left 0"), 0.5), "somebody set it");
        assert!(!timer.expects(&change("Left 56", "Left 57"), 0.5), "it never goes up");
        assert!(!timer.expects(&change("Left 56", "Over"), 0.5), "it never says that");
    }

    #[test]
    fn what_moves_as_time_does_is_a_clock() {
        let three = |texts: [&str; 4]| tick(4.0, &[(texts[0], texts[1]), (texts[1], texts[2]), (texts[2], texts[3])]);
        let clock = three(["Wed 11 Mar 9:59:50", "Wed 11 Mar 9:59:54", "Wed 11 Mar 9:59:58", "Wed 11 Mar 10:00:02"]);
        assert_eq!(clock.in_time, CLOCK);
        assert_eq!(three(["12 online", "16 online", "17 online", "13 online"]).in_time, 1, "not every time");
        assert_eq!(tick(0.5, &[("1", "2"), ("2", "3"), ("3", "4")]).in_time, 0, "too soon to tell");
    }

    #[test]
    fn what_moves_both_ways_or_rotates_is_expected_where_it_has_been() {
        let price = tick(4.0, &[("9.5 €", "9.7 €"), ("9.7 €", "9.4 €")]);
        assert!(price.expects(&change("9.4 €", "9.6 €"), 0.5) && !price.expects(&change("9.4 €", "12.0 €"), 0.5));
        let tip = tick(4.0, &[("Save often", "Ask us"), ("Ask us", "Save often")]);
        assert!(tip.expects(&change("Save often", "Ask us"), 0.5));
        assert!(!tip.expects(&change("Save often", "Saved"), 0.5));
    }
}
