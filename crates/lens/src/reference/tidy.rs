//! R's last look at what was collected: names for the nameless, nothing twice, dialogs first.
//!
//! In: things and what is at the top. Out: the same, tidied. Invariant: shares no code with
//! `extract`; both take what can be pressed from `controls`, which the press test in Chromium
//! checks, and names of the nameless from `last_resort`.

use super::{Meaning, Thing, Writer, among, meaning, squeeze};
use crate::last_resort::{drawn_label, line_of_label, name_of};
use crate::tree::StateSet;
use browserlens_core::page::{Clickability, Flags, NodeKind};
use std::collections::HashSet;

impl Writer<'_> {
    /// Tidies what is below `top` and returns the new top.
    pub(super) fn tidy(&mut self, mut top: Vec<usize>) -> Vec<usize> {
        self.name_the_nameless(&top);
        let all: Vec<usize> = self.all_below(&top).collect();
        top = self.without_repeats(None, &top);
        for thing in &all {
            self.things[*thing].below = self.without_repeats(Some(*thing), &self.things[*thing].below);
        }
        self.open_zones(&top);
        self.bring_errors(&mut top);
        let dialogs: Vec<usize> = self.all_below(&top).filter(|thing| self.is_modal(*thing)).collect();
        let outermost: Vec<usize> =
            dialogs.iter().copied().filter(|dialog| self.dialog_of(&top, *dialog).is_none()).collect();
        for (flag, state) in [(Flags::COVERED, StateSet::COVERED), (Flags::INERT, StateSet::INERT)] {
            self.say_blocked(if dialogs.is_empty() { &top } else { &outermost }, flag, state);
        }
        for thing in all {
            self.things[thing].below.retain(|below| !dialogs.contains(below));
        }
        let rest = top.into_iter().filter(|thing| !dialogs.contains(thing)).collect::<Vec<_>>();
        dialogs.iter().rev().copied().chain(rest).collect()
    }

    fn is_modal(&self, thing: usize) -> bool {
        let item = &self.things[thing].item;
        among("dialog alertdialog", &item.role) && item.states.has(StateSet::MODAL)
    }

    /// Says of the largest things that hold no control but blocked ones (of a control: itself; else
    /// at least two) that they are blocked.
    fn say_blocked(&mut self, top: &[usize], flag: Flags, state: StateSet) {
        let blocked = |thing: usize| {
            let Thing { acts, node, .. } = &self.things[thing];
            *acts && node.is_some_and(|node| self.page.node(node).flags().has(flag))
        };
        if !self.all_below(top).any(blocked) {
            return;
        }
        let mut say = Vec::new();
        let mut seen = HashSet::new();
        let mut todo = top.to_vec();
        while let Some(thing) = todo.pop() {
            if !seen.insert(thing) {
                continue;
            }
            let acting: Vec<usize> = self.all_below(&[thing]).filter(|below| self.things[*below].acts).collect();
            let all = !acting.is_empty() && acting.iter().all(|below| blocked(*below));
            if blocked(thing) || (all && acting.len() > 1) {
                say.push(thing);
            }
            if all && say.last() == Some(&thing) {
                seen.extend(self.all_below(&[thing]));
            } else {
                todo.extend(&self.things[thing].below);
            }
        }
        for thing in say {
            self.things[thing].item.states.add(state);
        }
    }

    /// Puts what an invalid field names as its error or description right after it, unless it
    /// stands near, or holds a control, or one of both is in a dialog that the other is not in.
    fn bring_errors(&mut self, top: &mut Vec<usize>) {
        let invalid =
            |thing: &usize| self.things[*thing].acts && self.things[*thing].item.states.has(StateSet::INVALID);
        let mut fields: Vec<usize> = self.all_below(top).filter(invalid).collect();
        fields.sort_by_key(|field| self.things[*field].begin.0);
        for field in fields {
            let Some(node) = self.things[field].node.map(|node| self.page.node(node)) else { continue };
            let said = ["aria-errormessage", "aria-describedby"].map(|name| node.attribute(name).unwrap_or(""));
            let mut last = field;
            for id in said.iter().flat_map(|ids| ids.split_ascii_whitespace()) {
                let named = self.page.nodes().find(|other| {
                    other.kind() == NodeKind::Element
                        && other.frame() == node.frame()
                        && other.attribute("id") == Some(id)
                });
                let Some(named) = named else { continue };
                let inside = |thing: usize| named.holds(self.things[thing].begin);
                let mut tops = Vec::new();
                let mut todo: Vec<(usize, bool)> = top.iter().map(|thing| (*thing, false)).collect();
                while let Some((thing, covered)) = todo.pop() {
                    if inside(thing) && !covered {
                        tops.push(thing);
                    }
                    todo.extend(self.things[thing].below.iter().map(|below| (*below, inside(thing))));
                }
                tops.sort_by_key(|thing| self.things[*thing].begin.0);
                for text in tops {
                    let (at_field, at_text) = (self.place_of(top, field), self.place_of(top, text));
                    let (Some(at_field), Some(at_text)) = (at_field, at_text) else { continue };
                    let near = at_field.0 == at_text.0 && at_field.1.abs_diff(at_text.1) <= 3;
                    let speaks = self.all_below(&[text]).all(|below| !self.things[below].acts && !self.is_modal(below));
                    let holds_field = self.all_below(&[text]).any(|below| below == field);
                    if near || !speaks || holds_field || self.dialog_of(top, field) != self.dialog_of(top, text) {
                        continue;
                    }
                    self.list_mut(top, at_text.0).remove(at_text.1);
                    if let Some((whole, at)) = self.place_of(top, last) {
                        self.list_mut(top, whole).insert(at + 1, text);
                    }
                    last = text;
                }
            }
        }
    }

    /// The thing that a thing is directly in (none: the top), and its place there.
    fn place_of(&self, top: &[usize], thing: usize) -> Option<(Option<usize>, usize)> {
        if let Some(at) = top.iter().position(|other| *other == thing) {
            return Some((None, at));
        }
        self.all_below(top)
            .find_map(|whole| Some((Some(whole), self.things[whole].below.iter().position(|other| *other == thing)?)))
    }

    fn list_mut<'a>(&'a mut self, top: &'a mut Vec<usize>, whole: Option<usize>) -> &'a mut Vec<usize> {
        match whole {
            Some(whole) => &mut self.things[whole].below,
            None => top,
        }
    }

    fn dialog_of(&self, top: &[usize], thing: usize) -> Option<usize> {
        let holding = |dialog: &usize| *dialog != thing && self.all_below(&[*dialog]).any(|below| below == thing);
        self.all_below(top).filter(|dialog| self.is_modal(*dialog)).filter(holding).last()
    }

    /// Parts that hold cards, and those of the same role beside them, can be acted on.
    fn open_zones(&mut self, top: &[usize]) {
        let lists: Vec<Vec<usize>> = std::iter::once(top.to_vec())
            .chain(self.all_below(top).map(|thing| self.things[thing].below.clone()))
            .collect();
        for list in lists {
            for role in ["region", "group", "list", "complementary"] {
                let named = |thing: &&usize| {
                    let item = &self.things[**thing].item;
                    &*item.role == role && !item.name.is_empty()
                };
                let parts: Vec<usize> = list.iter().filter(named).copied().collect();
                if parts.iter().any(|part| self.things[*part].below.iter().any(|below| self.is_card(*below))) {
                    for part in parts {
                        self.things[part].acts = true;
                    }
                }
            }
        }
    }

    fn is_card(&self, thing: usize) -> bool {
        let Thing { item, acts, node, .. } = &self.things[thing];
        let Some(node) = node.map(|node| self.page.node(node)) else { return false };
        let reason = |reason| node.clickability().has(reason);
        *acts
            && among("article listitem", &item.role)
            && (node.attribute("draggable") == Some("true")
                || (reason(Clickability::LISTENER) && reason(Clickability::TABINDEX)))
    }

    fn name_the_nameless(&mut self, top: &[usize]) {
        let mut lists = vec![top.to_vec()];
        while let Some(list) = lists.pop() {
            for (at, thing) in list.iter().enumerate() {
                if let Some(title) = self.title_of_a_sign(*thing) {
                    self.things[*thing].item.name = title.into();
                }
                if let Some(name) = self.name_for(&list, at) {
                    let item = &mut self.things[*thing].item;
                    item.name = name.into();
                    item.states.add(StateSet::DERIVED);
                }
            }
            lists.extend(list.iter().map(|thing| self.things[*thing].below.clone()));
        }
    }

    /// Whether a row of toggles and texts begins with a text and ends with a toggle.
    fn is_labelled_before(&self, list: &[usize], at: usize) -> bool {
        let role = |at: usize| &*self.things[list[at]].item.role;
        let belongs = |other: usize| role(other) == "text" || role(other) == role(at);
        let mut first = at;
        while first > 0 && belongs(first - 1) {
            first -= 1;
        }
        let mut last = at;
        while last + 1 < list.len() && belongs(last + 1) {
            last += 1;
        }
        first < at && role(first) == "text" && role(last) != "text"
    }

    /// The title of a control that says only a sign.
    fn title_of_a_sign(&self, at: usize) -> Option<String> {
        let Thing { item, acts, node, .. } = &self.things[at];
        let title = squeeze(self.page.node((*node)?).attribute("title").unwrap_or(""));
        let is_sign = !item.name.is_empty() && !item.name.chars().any(char::is_alphanumeric);
        (*acts && is_sign && &*item.role != "canvas" && !title.is_empty()).then_some(title)
    }

    fn name_for(&self, list: &[usize], at: usize) -> Option<String> {
        let Thing { item, acts, below, node, .. } = &self.things[list[at]];
        let node = self.page.node((*node)?);
        if !acts || !item.name.is_empty() || &*item.role == "canvas" {
            return None;
        }
        let field = meaning(&item.role) == Some(Meaning::Field) || among("listbox slider", &item.role);
        let toggle = among("checkbox radio switch", &item.role);
        if !field && self.all_below(below).any(|thing| !self.things[thing].item.name.is_empty()) {
            return None;
        }
        let label = |at: Option<usize>| {
            let item = &self.things[*list.get(at?)?].item;
            let short = item.name.chars().nth(60).is_none() && item.name.contains(char::is_alphabetic);
            (&*item.role == "text" && short).then(|| item.name.to_string())
        };
        let is_value = |at: usize| !item.value.is_empty() && self.things[list[at]].item.name == item.value;
        let steps = if at > 0 && is_value(at - 1) { 2 } else { 1 };
        let (before, after) = (|| label(at.checked_sub(steps)), || label(Some(at + 1)));
        let text = |at: Option<usize>| list.get(at?).map(|thing| self.page.node(self.things[*thing].begin));
        let is_before = || {
            let by_line = line_of_label(node, text(at.checked_sub(1)), text(Some(at + 1)));
            by_line.unwrap_or_else(|| self.is_labelled_before(list, at))
        };
        let label = match (field, toggle) {
            (true, _) => before(),
            (_, true) if is_before() => before().or_else(after),
            (_, true) => after().or_else(before),
            _ => drawn_label(node),
        };
        name_of(node, label)
    }

    /// The things of a list without those that say what the one beside them, or the whole, says.
    fn without_repeats(&self, whole: Option<usize>, list: &[usize]) -> Vec<usize> {
        let item = |thing: usize| &self.things[thing].item;
        let is_label = |at: usize, of: usize| {
            let (text, named) = (item(list[at]), item(list[of]));
            let bare = match text.name.char_indices().next_back() {
                Some((end, '*')) if named.states.has(StateSet::REQUIRED) => text.name[..end].trim_end(),
                _ => &text.name,
            };
            &*named.role != "text" && !named.name.is_empty() && (text.name == named.name || bare == &*named.name)
        };
        let mut kept = Vec::new();
        let mut title_gone = false;
        for (at, thing) in list.iter().enumerate() {
            let text = &*item(*thing).role == "text";
            let before = at > 0 && is_label(at, at - 1);
            let after = at + 1 < list.len() && is_label(at, at + 1);
            if text && (before || after) {
                continue;
            }
            let Thing { item: said, acts, below, .. } = &self.things[*thing];
            let repeats = among("heading caption text", &said.role)
                && whole.is_some_and(|whole| !item(whole).name.is_empty() && item(whole).name == said.name)
                && said.states == StateSet::NONE
                && said.value.is_empty()
                && !acts
                && below.is_empty();
            if repeats && !title_gone {
                title_gone = true;
                continue;
            }
            kept.push(*thing);
        }
        kept
    }
}
