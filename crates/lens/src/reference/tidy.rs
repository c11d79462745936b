//! R's last look at what was collected: names for the nameless, nothing twice, dialogs first.
//!
//! In: things and what is at the top. Out: the same, tidied. Invariant: shares no code with
//! `extract`; what can be pressed, and the last resort for its name, both take from `controls`,
//! which the press test in Chromium checks.

use super::{Meaning, Thing, Writer, among, meaning, squeeze};
use crate::last_resort::{act_of, drawn_label, kind_of_its_own};
use crate::tree::StateSet;
use browserlens_core::page::{Clickability, Flags, NodeKind, NodeRef};
use std::collections::HashSet;

const QUIET: &str = "active bar base block box button card cell circle clickable col container control cursor \
    dark default elem element field flex ghost glyph hidden ico icon icons image img inline inner input \
    interactive item large light link material medium mini outer outline outlined plain pointer primary regular \
    root round rounded row secondary sharp small solid square symbol symbols tertiary tiny visible wrap wrapper";
const ICONS: &str = "bi codicon fa fab fal far fas feather glyphicon ico icon icons lucide mdi octicon";
const SPEAKING: &str = "act action cmd command do icon label name test testid tool value";
const MUTE: &str = "col entity id idx index key orientation ref row side slot state theme uid";

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
        let (before, after) = (|| label(at.checked_sub(1)), || label(Some(at + 1)));
        let label = match (field, toggle) {
            (true, _) => before(),
            (_, true) if self.is_labelled_before(list, at) => before().or_else(after),
            (_, true) => after().or_else(before),
            _ => drawn_label(node),
        };
        let attribute = |name: &str| Some(squeeze(node.attribute(name).unwrap_or("")));
        let offers = [
            attribute("title"),
            Some(squeeze(node.description())),
            attribute("data-tooltip"),
            attribute("data-title"),
            attribute("data-original-title"),
            attribute("data-tip"),
            attribute("placeholder"),
            label,
            Some(telling(node.attribute("id").unwrap_or(""))),
            node.attributes().map(|(name, value)| from_data(name, value)).find(|words| !words.is_empty()),
            Some(from_classes(node, true)),
            act_of(node).map(str::to_owned),
            node.descendants().take(12).map(from_icon).find(|words| !words.is_empty()),
            kind_of_its_own(node, telling),
        ];
        offers.into_iter().flatten().find(|offer| !offer.is_empty())
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

/// Lower-case pieces between dashes, underscores and capitals; none if there is anything but
/// letters.
fn pieces(token: &str) -> Vec<String> {
    if !token.chars().all(|c| c.is_ascii_alphabetic() || "-_".contains(c)) {
        return Vec::new();
    }
    let letters: Vec<char> = token.chars().collect();
    let mut spaced = String::new();
    for (at, c) in letters.iter().enumerate() {
        let rises = at > 0 && letters[at - 1].is_ascii_lowercase() && c.is_ascii_uppercase();
        spaced.push_str(if rises { " " } else { "" });
        spaced.push(if c.is_ascii_alphabetic() { c.to_ascii_lowercase() } else { ' ' });
    }
    spaced.split(' ').filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

fn telling(token: &str) -> String {
    let tells = |piece: &String| {
        piece.len() > 2 && piece.len() < 17 && piece.chars().any(|c| "aeiouy".contains(c)) && !among(QUIET, piece)
    };
    pieces(token).into_iter().filter(tells).take(3).collect::<Vec<_>>().join(" ")
}

fn from_data(name: &str, value: &str) -> String {
    let Some(key) = name.strip_prefix("data-") else { return String::new() };
    if among(MUTE, key) || value.len() > 24 || value == "true" || value == "false" {
        return String::new();
    }
    let number = !value.is_empty() && value.chars().all(|c| c.is_ascii_digit());
    let long = pieces(value).into_iter().filter(|piece| piece.len() > 2).take(3).collect::<Vec<_>>().join(" ");
    match (among(SPEAKING, key), number) {
        (true, true) => String::new(),
        (true, false) => long,
        _ if telling(key).is_empty() => String::new(),
        (false, true) => format!("{} {value}", telling(key)),
        (false, false) if long.is_empty() => long,
        (false, false) => format!("{} {long}", telling(key)),
    }
}

fn from_classes(node: NodeRef<'_>, of_blocks: bool) -> String {
    let classes = node.attribute("class").unwrap_or("").split_ascii_whitespace();
    let bare = classes.map(|class| class.find("--").map_or(class, |at| &class[..at]));
    let good = bare
        .filter(|class| pieces(class).iter().any(|piece| among(ICONS, piece)) || (of_blocks && class.contains("__")));
    good.map(telling).find(|words| !words.is_empty()).unwrap_or_default()
}

fn from_icon(node: NodeRef<'_>) -> String {
    let attribute = |name: &str| node.attribute(name);
    match node.tag() {
        _ if node.kind() != NodeKind::Element => String::new(),
        "i" | "svg" | "span" => from_classes(node, false),
        "use" => {
            let target = attribute("href").or(attribute("xlink:href")).unwrap_or("");
            telling(&target[target.rfind('#').map_or(0, |at| at + 1)..])
        }
        "img" => {
            let path = attribute("src").unwrap_or("");
            let file = &path[path.rfind('/').map_or(0, |at| at + 1)..];
            telling(&file[..file.find('.').unwrap_or(file.len())])
        }
        _ => String::new(),
    }
}
