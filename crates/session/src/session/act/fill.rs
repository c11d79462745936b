//! Filling in: a form field by field, each by what it takes, and what is told if one fails.

use super::dialogs::COVERED;
use crate::answer::Answer;
use crate::args::{self, OptionArg, ValueArg};
use crate::error::ToolError;
use crate::session::Session;
use crate::source::{Act, taken};
use browserlens_core::page::{Flags, NodeKey, NodeRef, States, role};
use browserlens_core::strategy::{ActionKind, Ref};
use browserlens_lens::extract::is_called_on;
use browserlens_lens::format::escape;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How the error ends of what cannot be typed into.
const NO_TEXT: &str = "it takes no text";
/// What is said of a list's field where the list is open.
const OPEN: &str = "typed; its list is open: `select` chooses from it";

/// What is said of a field that took what was typed.
const SET: &str = "set";
/// … that shows nothing any more.
const GONE: &str = "typed, and shows nothing now";
/// … that shows something else since the next was filled, and what helps.
const TAKEN_BACK: &str = "typed, and when it was left it showed ";
const WAITS: &str = "; where that is not what was meant, `type` it with submit\n";
/// … that the page calls invalid.
const INVALID: &str = "set, and the page calls it invalid";

/// How long the field over a cell of a grid may take to come, and between two looks for it.
const FIELD_LIMIT: Duration = Duration::from_millis(600);
const MOMENT: Duration = Duration::from_millis(60);

impl Session {
    /// Sets fields one after the other; what came of all is told at the end. One that cannot be set
    /// stops none after it, unless a dialog blocks the page or the browser is gone.
    pub(super) fn fill(&mut self, form: args::Fill) -> Result<Answer, ToolError> {
        let mut told: Vec<String> = Vec::new();
        // Fields that were typed into: where they are told, what was typed, what they showed then.
        let mut typed: Vec<(usize, Ref, String, String)> = Vec::new();
        let (mut is_undone, mut is_done) = (false, false);
        let mut hint = "";
        // The field whose list is still open: where it is told, its ref, what was typed.
        let mut open: Option<(usize, Ref, String)> = None;
        let last = form.fields.len().saturating_sub(1);
        for (at, field) in form.fields.into_iter().enumerate() {
            let called = field.reference.to_string();
            // What happened before the form is told apart from what came of it.
            if at == 0 && field.reference.reference().is_none_or(|on| self.lens.has_given(on)) {
                self.catch_up()?;
            }
            self.is_silent = at < last;
            let text = if let ValueArg::Text(text) = &field.value { text.clone() } else { String::new() };
            let mut set = self.reference_of(field.reference.clone()).and_then(|on| self.set(on, field.value.clone()));
            let is_covered = set.as_ref().is_err_and(|error| error.message().contains(COVERED));
            if let Some((line, on, text)) = open.take_if(|_| is_covered) {
                told[line] = match self.do_it(ActionKind::Select, Some(on), OptionArg::One(text).lines()) {
                    Ok(()) => format!("{on} chosen\n"),
                    Err(error) => format!("{on} typed, and nothing chosen: {}\n", error.message()),
                };
                set = self.reference_of(field.reference).and_then(|on| self.set(on, field.value));
            }
            self.is_silent = false;
            let error = match set {
                Ok((on, said)) => {
                    is_done = true;
                    match said.as_str() {
                        OPEN => open = Some((told.len(), on, text)),
                        SET => {
                            let shows = self.field(on).map_or("", |field| field.value()).to_owned();
                            typed.push((told.len(), on, text, shows));
                        }
                        _ => {}
                    }
                    told.push(format!("{on} {said}\n"));
                    continue;
                }
                Err(error) if last == 0 => return Err(error),
                Err(error) => error,
            };
            is_undone = true;
            let is_gone = matches!(error, ToolError::BrowserGone(_));
            let ends = at < last && (is_gone || self.source.as_mut().is_some_and(|source| source.dialog().is_some()));
            let rest = if ends { ", and none after it" } else { "" };
            told.push(format!("{called} was not set{rest}: {}\n", error.message()));
            if error.hint() != hint {
                hint = error.hint();
                told.push(format!("hint: {hint}\n"));
            }
            if is_gone {
                self.lose();
                return Ok(Answer { is_undone, ..Answer::text(&told.concat()) });
            }
            if ends {
                break;
            }
        }
        if is_undone {
            self.look_after_failure(&mut told, is_done);
        }
        // What follows may take back what was typed: a field that reads a date, a list that is searched.
        for (line, on, text, showed) in typed {
            let now = self.field(on).map_or("", |field| field.value());
            if !now.is_empty() && now != showed && now != text && !showed.is_empty() {
                let mut said = format!("{on} {TAKEN_BACK}");
                escape::quote(&mut said, now);
                told[line] = said + WAITS;
                continue;
            }
            let Some(said) = self.shown_otherwise(on, &text, last > 0) else { continue };
            let is_searched = said == GONE && self.field(on).is_some_and(|field| field.role() == "combobox");
            let said = match is_searched.then(|| self.do_it(ActionKind::Select, Some(on), OptionArg::One(text).lines()))
            {
                Some(Ok(())) => "chosen".to_owned(),
                Some(Err(error)) => format!("{said}, and nothing chosen: {}", error.message()),
                None => said,
            };
            told[line] = format!("{on} {said}\n");
        }
        let answer = self.told();
        Ok(Answer { text: told.concat() + &answer.text, is_undone, ..answer })
    }

    /// Looks at the page again: what failed may have changed it too, and what was done has.
    fn look_after_failure(&mut self, told: &mut Vec<String>, is_done: bool) {
        // Of a field that was set last it is told already.
        let filled = (is_done && self.pending.is_empty()).then(|| taken(ActionKind::Fill, ""));
        self.step += u32::from(filled.is_some());
        let looked = match self.source() {
            Ok(source) => {
                source.refresh();
                self.look_by(filled.as_ref(), true, filled.is_none())
            }
            Err(error) => Err(error),
        };
        self.pending.forget_silence();
        if let Err(error) = looked {
            told.push(format!("the page could not be looked at again: {}\n", error.told()));
        }
    }

    /// Sets a field; returns its ref and what became of it.
    fn set(&mut self, on: Ref, value: ValueArg) -> Result<(Ref, String), ToolError> {
        if self.lens.has_given(on) && self.field(on).is_none() {
            // A field that was made anew has its ref once the lens saw it.
            let was_silent = std::mem::take(&mut self.is_silent);
            self.look(None, true)?;
            self.is_silent = was_silent;
        }
        let node = self.field(on);
        let chooses = node.is_some_and(|node| {
            node.tag() == "select"
                || matches!(node.role(), "listbox" | "radiogroup")
                || node.role() == "combobox" && (node.tag() != "input" || node.attribute("readonly").is_some())
        });
        let lists = node.is_some_and(|node| node.role() == "combobox" && node.attribute("type") != Some("search"));
        let (kind, text, said) = match value {
            ValueArg::Checked(wanted) => return self.check(on, wanted).map(|said| (on, said.to_owned())),
            ValueArg::Options(names) => (ActionKind::Select, OptionArg::Several(names).lines(), "chosen"),
            ValueArg::Text(text) if chooses => (ActionKind::Select, OptionArg::One(text).lines(), "chosen"),
            ValueArg::Text(text) => (ActionKind::Fill, text, SET),
            ValueArg::Number(number) if chooses => (ActionKind::Select, number.to_string(), "chosen"),
            ValueArg::Number(number) => (ActionKind::Fill, number.to_string(), SET),
        };
        // What a list offers for what is typed is told only if nothing of it is chosen.
        let was_silent = self.is_silent;
        self.is_silent |= lists && kind == ActionKind::Fill;
        let done = self.do_it(kind, Some(on), text.clone());
        let is_untold = self.is_silent && !was_silent;
        self.is_silent = was_silent;
        match done {
            Err(error) if kind == ActionKind::Fill => {
                return self.set_in_grid(on, &text, error).map(|said| (on, said.to_owned()));
            }
            done => done?,
        }
        if kind != ActionKind::Fill {
            return Ok((on, said.to_owned()));
        }
        let node = self.field(on);
        // What was typed into a list's field may only search it.
        if lists && node.is_some_and(|node| node.expanded() == Some(true)) {
            let is_chosen = self.offers(&text) && self.do_it(ActionKind::Select, Some(on), text.clone()).is_ok();
            if is_untold && !is_chosen {
                self.tell_typed(&text)?;
            }
            return Ok((on, if is_chosen { "chosen" } else { OPEN }.to_owned()));
        }
        if is_untold {
            self.tell_typed(&text)?;
        }
        let is_masked = |field: NodeRef<'_>| {
            !field.value().is_empty() && !field.flags().has(Flags::SECRET) && cuts(field.value(), &text)
        };
        if self.field(on).is_some_and(is_masked) {
            let (was_silent, notes) = (std::mem::replace(&mut self.is_silent, true), self.notes.clone());
            let marked = self.do_it(ActionKind::Press, Some(on), "Control+A".to_owned());
            (self.is_silent, self.notes) = (was_silent, notes);
            marked?;
            self.do_it(ActionKind::Type, None, text.clone())?;
        }
        Ok((on, self.shown_otherwise(on, &text, false).unwrap_or_else(|| said.to_owned())))
    }

    /// Returns whether a field holds what was typed, and the beginning of one more line.
    pub(super) fn is_a_line_more(&self, on: Ref, text: &str) -> bool {
        self.field(on).is_some_and(|field| field.value().strip_suffix('\n').is_some_and(|value| value.ends_with(text)))
    }

    /// Says what a field shows that reads what is typed and shows it otherwise; `or_nothing`: or not at
    /// all, or as invalid.
    fn shown_otherwise(&self, on: Ref, text: &str, or_nothing: bool) -> Option<String> {
        let node = self.field(on).filter(|node| !node.flags().has(Flags::SECRET) && !text.trim().is_empty())?;
        let shows = node.value();
        let typed: HashSet<char> = text.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect();
        let shares = |c: char| c.to_lowercase().any(|c| typed.contains(&c));
        let is_cut = cuts(shows, text);
        let reads = shows == text || shows.contains(shares) && digits(shows).is_empty() == digits(text).is_empty();
        if reads && !is_cut || shows.is_empty() {
            let is_invalid = or_nothing && node.states().has(States::INVALID);
            let is_gone = or_nothing && shows.is_empty() && role::is_text_field(node.role());
            return match (is_gone, is_invalid) {
                (true, _) => Some(GONE.to_owned()),
                (false, true) => Some(INVALID.to_owned()),
                (false, false) => None,
            };
        }
        let mut told = "typed, and shows ".to_owned();
        escape::quote(&mut told, shows);
        Some(told)
    }

    /// Tells what came of typing into a list's field.
    fn tell_typed(&mut self, text: &str) -> Result<(), ToolError> {
        self.step += 1;
        self.look_by(Some(&taken(ActionKind::Fill, text)), true, false)
    }

    /// Whether exactly one option that can be seen is called so.
    fn offers(&self, text: &str) -> bool {
        let is_it = |node: &NodeRef<'_>| {
            matches!(node.role(), "option" | "treeitem")
                && node.is_visible()
                && node.name().trim().eq_ignore_ascii_case(text.trim())
        };
        self.page.as_ref().is_some_and(|page| page.nodes().filter(is_it).count() == 1)
    }

    fn is_in_grid(&self, on: Ref) -> bool {
        let is_grid = |node: NodeRef<'_>| matches!(node.role(), "grid" | "treegrid");
        self.field(on).is_some_and(|cell| cell.role() == "gridcell" && cell.ancestors().any(is_grid))
    }

    /// Sets a cell of a grid that takes no text itself: a double click lays a field over it, `Enter` ends that.
    /// Of all else it says why it was refused.
    pub(super) fn set_in_grid(&mut self, on: Ref, text: &str, refused: ToolError) -> Result<&'static str, ToolError> {
        if !(refused.message().ends_with(NO_TEXT) && self.is_in_grid(on)) {
            return Err(refused);
        }
        let was_silent = std::mem::replace(&mut self.is_silent, true);
        let set = self.field_over(on).and_then(|over| {
            let Some((key, is_list)) = over else { return Err(refused) };
            let kind = if is_list { ActionKind::Select } else { ActionKind::Fill };
            self.learn_typed(kind, Some(key), text);
            self.on_node(Act { node: Some(key), ..Act::bare(taken(kind, text)) }, None)
        });
        self.is_silent = was_silent;
        set?;
        self.notes.clear();
        self.do_it(ActionKind::Press, None, "Enter".to_owned())?;
        Ok("set by a double click and Enter")
    }

    /// Returns the field that a double click lays over a cell, and whether it is a list. A cell that is drawn anew
    /// between the clicks, as after another was set, takes them for two: they are tried once more.
    fn field_over(&mut self, on: Ref) -> Result<Option<(NodeKey, bool)>, ToolError> {
        let cell = self.field(on).map(|cell| cell.bounds()).unwrap_or_default();
        let is_there = |field: &NodeRef<'_>| {
            let over = field.bounds();
            let beside = over.right() <= cell.x || over.x >= cell.right();
            let is_field = role::is_text_field(field.role()) || field.tag() == "select";
            is_field && !beside && over.bottom() > cell.y && over.y < cell.bottom()
        };
        for _ in 0..2 {
            self.do_it(ActionKind::DoubleClick, Some(on), String::new())?;
            let began = Instant::now();
            loop {
                let focused = self.page.as_ref().and_then(|page| page.focused());
                if let Some(field) = focused.filter(is_there) {
                    let is_list = field.tag() == "select" || field.role() == "combobox" && field.tag() != "input";
                    return Ok(Some((field.key(), is_list)));
                }
                if began.elapsed() > FIELD_LIMIT {
                    break;
                }
                self.source()?.wait(MOMENT)?;
                self.source()?.refresh();
                self.look(None, true)?;
            }
        }
        Ok(None)
    }

    /// Checks or unchecks; what a page draws itself is pressed, where its class does not say that it
    /// is on or off as wanted.
    fn check(&mut self, on: Ref, wanted: bool) -> Result<&'static str, ToolError> {
        let is_on = |session: &Self| session.field(on).is_some_and(is_called_on);
        let (says_nothing, is_drawn) = self.field(on).map_or((false, false), |node| {
            let native = matches!(node.tag(), "label" | "input" | "select" | "textarea");
            let says_nothing = !native && node.checked().is_none() && node.pressed().is_none();
            (says_nothing, role::is_generic(node.role()) && node.attribute("role").is_none())
        });
        let was_on = is_on(self);
        // What is not called on need not be off.
        if !says_nothing || !(was_on || is_drawn && wanted) {
            self.do_it(ActionKind::Check, Some(on), wanted.to_string())?;
            return Ok(if wanted { "checked" } else { "unchecked" });
        }
        if was_on && wanted {
            return Ok("is on already");
        }
        self.do_it(ActionKind::Click, Some(on), String::new())?;
        Ok(match (is_on(self) == wanted, wanted) {
            (true, true) => "pressed; it is on",
            (true, false) => "pressed; it is off",
            _ => "pressed; the page does not say whether it is on",
        })
    }

    fn field(&self, on: Ref) -> Option<NodeRef<'_>> {
        self.lens.node(on).and_then(|key| self.page.as_ref()?.find(key))
    }
}

/// Whether a field shows less of a number than was typed: a mask takes it key by key alone.
fn cuts(shows: &str, number: &str) -> bool {
    number.parse::<f64>().is_ok() && !digits(shows).contains(&digits(number))
}

/// The digits of a text.
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}
