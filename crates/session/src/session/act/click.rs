//! Clicks: on a ref, or on what says a text; and what only the class of what was clicked tells.

use crate::answer::Answer;
use crate::args::{self, ClickArg, InArg, RefArg};
use crate::error::ToolError;
use crate::session::Session;
use crate::source::{Act, taken};
use browserlens_core::page::text::{escaped_line, folded};
use browserlens_core::page::{Flags, NodeKey, NodeKind, NodeRef, Page, role};
use browserlens_core::strategy::{ActionKind, Ref};
use browserlens_lens::extract::is_called_on;
use browserlens_lens::format::escape;
use browserlens_snapshot::{FindOptions, candidates, closed, matches, part_of};
use std::collections::BTreeSet;

/// How many of several elements that say the same are told.
const CANDIDATES: usize = 10;
/// Of how many elements in what was clicked the class is compared.
const MOST_CLASSES: usize = 20;
/// In how many elements around what was clicked, as its row, the class is compared.
const AROUND: usize = 3;
/// How classes begin that tools make of styles, or keep of a form: they say nothing.
const OF_TOOLS: [&str; 5] = ["css-", "sc-", "jss", "svelte-", "ng-"];
/// Longest class of what is around that says nothing, in bytes.
const SHORTHAND: usize = 2;
/// Longest class that is told, in characters.
const LONGEST_CLASS: usize = 40;

/// How the note of a class that changed begins, of what was clicked and of what is around it.
pub(super) const CLASS: &str = "its class changed: ";
pub(super) const CLASS_AROUND: &str = "the class of what it is in changed: ";
/// What is noted of a click that asks for files.
const CHOOSER: &str = "it opened a file chooser: give files to the same ref with `upload`\n";

pub(super) fn is_click(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Click | ActionKind::DoubleClick | ActionKind::RightClick)
}

/// The classes of a node, and the states that are told anyway.
type ClassWords = (NodeKey, BTreeSet<String>, String);

/// Returns the classes of a node and of what is below it: what only a class tells is in no
/// observation, but whether it calls what has a ref on.
fn within(clicked: NodeRef<'_>, has_ref: bool) -> Vec<ClassWords> {
    let below = clicked.subtree().filter(|node| node.kind() == NodeKind::Element).take(MOST_CLASSES);
    below.map(|node| class_words(node, has_ref && node.id() == clicked.id())).collect()
}

fn class_words(node: NodeRef<'_>, has_ref: bool) -> ClassWords {
    let says = |word: &&str| {
        let passes = ["hover", "focus"].iter().any(|state| word.to_lowercase().contains(state));
        !passes && !OF_TOOLS.iter().any(|begin| word.starts_with(begin))
    };
    let classes = node.attribute("class").unwrap_or_default().split_whitespace().filter(says);
    let is_on = has_ref && is_called_on(node);
    let states = format!("{:?} {:?} {:?} {is_on}", node.states(), node.checked(), node.expanded());
    (node.key(), classes.map(str::to_owned).collect(), states)
}

/// Says how a click changed the class of a node, of what is in it or of what it is in, of the first
/// of which nothing else says so; of what `earlier` opened where the node is gone. Where a state of
/// the node says what came of it, the class of what it is in is not told.
pub(super) fn class_change(
    [before, after]: [&Page; 2],
    clicked: NodeKey,
    earlier: Option<NodeKey>,
    has_ref: bool,
) -> Option<String> {
    let within = |page: &Page| page.find(clicked).map(|node| within(node, has_ref));
    let both = within(before).zip(within(after));
    let states = |words: &[ClassWords]| words.first().map(|(_, _, states)| states.clone());
    if both.as_ref().is_some_and(|(was, is)| states(was) != states(is)) {
        return None;
    }
    let own = both.and_then(|(was, is)| difference(CLASS, &was, &is));
    own.or_else(|| {
        let from = if after.find(clicked).is_some() { clicked } else { earlier? };
        let around = |page: &Page| -> Option<Vec<ClassWords>> {
            let around = page.find(from)?.ancestors().take(AROUND).take_while(|node| node.tag() != "body");
            let words = around.map(|node| class_words(node, true));
            // A letter or two are shorthand for how it looks.
            let long = |word: &String| word.len() > SHORTHAND;
            Some(words.map(|(key, words, states)| (key, words.into_iter().filter(long).collect(), states)).collect())
        };
        difference(CLASS_AROUND, &around(before)?, &around(after)?)
    })
}

fn difference(begin: &str, before: &[ClassWords], after: &[ClassWords]) -> Option<String> {
    let changed = after.iter().find_map(|(key, now, states)| {
        let (_, was, before) = before.iter().find(|(known, ..)| known == key)?;
        (was != now && before == states).then_some((was, now))
    });
    let (was, now) = changed?;
    let told =
        |sign: char, word: &String| [sign].into_iter().chain(word.chars().take(LONGEST_CLASS)).collect::<String>();
    let added = now.difference(was).map(|word| told('+', word));
    let words: Vec<String> = added.chain(was.difference(now).map(|word| told('-', word))).take(4).collect();
    Some(format!("{begin}{}\n", escaped_line(&words.join(" "))))
}

/// Returns what is painted last at a point of the viewport, and where in it that is.
pub(super) fn node_at(page: &Page, [x, y]: [f32; 2]) -> Result<(NodeKey, [f32; 2]), ToolError> {
    let scroll = page.scroll();
    let (x, y) = (x + scroll.x, y + scroll.y);
    let is_there = |node: &NodeRef<'_>| {
        let can_be_hit = node.kind() == NodeKind::Element && !node.flags().has(Flags::NO_POINTER_EVENTS);
        can_be_hit && node.is_visible() && node.in_viewport() && node.bounds().contains((x, y))
    };
    let top = page.nodes().filter(is_there).max_by_key(|node| (node.paint_order(), node.id()));
    let Some(node) = top else {
        let hint = "give a point inside the viewport: `screenshot` shows it, in CSS px";
        return Err(ToolError::NotThere { message: "nothing is there to click".to_owned(), hint });
    };
    let bounds = node.bounds();
    Ok((node.key(), [x - bounds.x, y - bounds.y]))
}

impl Session {
    pub(super) fn click(&mut self, click: args::Click) -> Result<Answer, ToolError> {
        let (kind, held) = match click.kind {
            ClickArg::Left => (ActionKind::Click, ""),
            ClickArg::Right => (ActionKind::RightClick, ""),
            ClickArg::Double => (ActionKind::DoubleClick, ""),
            ClickArg::Shift => (ActionKind::Click, "Shift"),
            ClickArg::Control => (ActionKind::Click, "Control"),
        };
        let wanted = |what: &str| Err(ToolError::Arguments(what.to_owned()));
        match (click.reference, click.text.filter(|text| !text.trim().is_empty()), click.role) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) => wanted("`ref`, or `text` and `role`: not both"),
            (Some(on), None, None) => {
                self.do_at(kind, Some(on.0), click.at, held.to_owned())?;
                Ok(self.told())
            }
            (None, None, None) => match click.at {
                Some(point) => {
                    self.ready_for(kind, false)?;
                    let (key, at, what) = self.with_whole_page(|lens, page| {
                        let (key, at) = node_at(page, point)?;
                        Ok((key, at, candidates(lens, page, &[key], 1).replacen("1 found:", "clicked", 1) + "\n"))
                    })?;
                    let answer = self.on_found(kind, key, Some(at), held)?;
                    Ok(Answer { text: what + &answer.text, ..answer })
                }
                None => wanted("`ref` or `text` is missing"),
            },
            (None, text, role) => {
                let (text, role) = (text.unwrap_or_default(), role.unwrap_or_default());
                self.ready_for(kind, false)?;
                let (within, beside) = self.scope(click.within)?;
                let options = FindOptions { text, role, within, beside, limit: CANDIDATES };
                let key = self.node_that_says(&options)?;
                let at = click.at.or_else(|| self.place_of(key, &options.text));
                let what = self.known_by_another_name(key, &options.text);
                let answer = self.on_found(kind, key, at, held)?;
                Ok(Answer { text: what + &answer.text, ..answer })
            }
        }
    }

    /// Notes what a click hit, if it was something else than was meant.
    pub(super) fn note_hit(&mut self, kind: ActionKind) -> Result<(), ToolError> {
        if is_click(kind) {
            let hit = self.source()?.hit_instead();
            self.notes = hit.map_or_else(String::new, |hit| format!("hit {} instead\n", escaped_line(&hit)));
            if self.source()?.asks_for_files() {
                self.notes.push_str(CHOOSER);
            }
        }
        Ok(())
    }

    pub(super) fn hover(&mut self, args::Hover { target, within }: args::Hover) -> Result<Answer, ToolError> {
        self.act_on(ActionKind::Hover, target, within, String::new())
    }

    /// Acts on the element of a ref, or on what says a text.
    pub(super) fn act_on(
        &mut self,
        kind: ActionKind,
        target: InArg,
        within: Option<InArg>,
        text: String,
    ) -> Result<Answer, ToolError> {
        if let InArg::Ref(on) = target {
            self.do_it(kind, Some(on.0), text)?;
            return Ok(self.told());
        }
        self.ready_for(kind, false)?;
        let key = self.element(target, within)?;
        self.on_found(kind, key, None, &text)
    }

    /// Returns the element of a ref that was given, or the one that says a text.
    pub(super) fn element(&mut self, target: InArg, within: Option<InArg>) -> Result<NodeKey, ToolError> {
        let text = match target {
            InArg::Ref(on) => return self.node(on.0),
            InArg::Text(text) => text,
        };
        let (within, beside) = self.scope(within)?;
        let options = FindOptions { text, within, beside, limit: CANDIDATES, ..FindOptions::default() };
        self.node_that_says(&options).map_err(|error| match error {
            ToolError::NotThere { message, .. } => {
                let hint = match message.starts_with("nothing") {
                    true => "take a ref that `find` gives, or say more of the text",
                    false => "say more of the text, or take a ref of what is meant or of what it lies in",
                };
                ToolError::NotThere { message, hint }
            }
            error => error,
        })
    }

    /// Returns the ref that was given, or that of the one element that says a text.
    pub(super) fn reference_of(&mut self, target: InArg) -> Result<Ref, ToolError> {
        if let InArg::Ref(on) = target {
            return Ok(on.0);
        }
        self.ready_for(ActionKind::Fill, true)?;
        // What is meant by a ref may be anything: it is not said again.
        let key = self.element(target, None).map_err(|error| match error {
            ToolError::NotThere { message, hint } if message.starts_with("nothing ") => {
                ToolError::NotThere { message: "nothing on the page is called so".to_owned(), hint }
            }
            error => error,
        })?;
        self.lens.reference(key).ok_or_else(|| {
            let message = "what says that has no ref".to_owned();
            ToolError::NotThere { message, hint: "call `find` and take the ref of what is meant, or `click` the text" }
        })
    }

    /// Returns what a search is kept within: a ref, or what it stands beside.
    ///
    /// # Errors
    /// As of any ref: it was never given, or is not on the page any more.
    pub(in crate::session) fn scope(&mut self, within: Option<InArg>) -> Result<(Option<Ref>, String), ToolError> {
        let reference = match within {
            None => return Ok((None, String::new())),
            Some(InArg::Text(text)) => return Ok((None, text)),
            Some(InArg::Ref(RefArg(reference))) => reference,
        };
        self.given(Some(reference))?;
        self.catch_up()?;
        if part_of(&self.lens, self.on_hand()?, reference).is_none() {
            self.node(reference)?;
        }
        Ok((Some(reference), String::new()))
    }

    /// Returns the one node that says a text; where several do, the only one that has a ref.
    fn node_that_says(&mut self, options: &FindOptions) -> Result<NodeKey, ToolError> {
        self.with_whole_page(|lens, page| {
            let nodes = matches(lens, page, options);
            let says = !options.text.is_empty();
            let mut with_refs = nodes.iter().filter(|key| says && lens.reference(**key).is_some());
            if let (Some(only), None) = (with_refs.next(), with_refs.next()) {
                return Ok(*only);
            }
            let leads_to = |key: &NodeKey| {
                let place = page.find(*key).filter(|link| link.tag() == "a")?.attribute("href")?.trim();
                // What leads nowhere does something else each time.
                let is_place = !place.is_empty() && !place.starts_with('#') && !place.starts_with("javascript:");
                is_place.then_some(place)
            };
            match nodes.as_slice() {
                [one] => Ok(*one),
                // Links to one place: a pager above a list and below it.
                [first, rest @ ..]
                    if leads_to(first).is_some_and(|place| rest.iter().all(|other| leads_to(other) == Some(place))) =>
                {
                    Ok(*first)
                }
                [] => Err(ToolError::NotThere {
                    message: format!(
                        "nothing {} says {:?}{}{}",
                        match (options.within, options.beside.as_str()) {
                            (Some(within), _) => format!("in {within}"),
                            (None, "") => "on the page".to_owned(),
                            (None, beside) => format!("in a row or card with {beside:?}"),
                        },
                        options.text,
                        if options.role.is_empty() { "" } else { " in this role" },
                        closed(lens, page, &options.text)
                    ),
                    hint: "call `find` with a part of the text, or `observe`",
                }),
                several => Err(ToolError::NotThere {
                    message: candidates(lens, page, several, CANDIDATES),
                    hint: "take one of these refs, or say more of the text, its `role`, or what stands in the same row \
                        or card as `in`",
                }),
            }
        })
    }

    /// Acts on a node that was found by what it says or where it is.
    fn on_found(
        &mut self,
        kind: ActionKind,
        key: NodeKey,
        at: Option<[f32; 2]>,
        text: &str,
    ) -> Result<Answer, ToolError> {
        let act = Act { node: Some(key), at: at.map(Into::into), ..Act::bare(taken(kind, text)) };
        self.on_node(act, None)?;
        Ok(self.told())
    }

    /// Says what a part of a text meant, where that has a ref and is called more than that.
    fn known_by_another_name(&self, key: NodeKey, text: &str) -> String {
        let node = self.lens.reference(key).and_then(|on| Some((on, self.page.as_ref()?.find(key)?)));
        let Some((on, node)) = node.filter(|_| !text.is_empty()) else { return String::new() };
        let name = node.name_or_text();
        if name.to_lowercase() == folded(text).to_lowercase() {
            return String::new();
        }
        let mut what = format!("clicked {on} ");
        escape::quote_beginning(&mut what, &name, LONGEST_CLASS * 2);
        what + "\n"
    }

    /// Returns where in an element its text says some words, unless it is a control: that is
    /// pressed in its middle.
    fn place_of(&mut self, key: NodeKey, words: &str) -> Option<[f32; 2]> {
        let node = self.page.as_ref()?.find(key)?;
        let is_pressed = role::is_interactive(node.role()) && !role::is_text_field(node.role());
        if is_pressed || words.trim().is_empty() {
            return None;
        }
        self.source().ok()?.place_of(key, words)
    }
}
