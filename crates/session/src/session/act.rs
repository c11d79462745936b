//! The tools that act: each on what its ref means on the page as it stands, and each answered with
//! what came of it.
//!
//! In: typed arguments. Out: what changed. Invariants: an action is carried out on the node of its
//! ref or not at all; whoever witnesses the session is told of every action that was carried out.

mod click;
mod dialogs;
mod fill;
mod formatting;
mod notes;
mod scroll;
mod wait;

use super::show::part_within;
use super::{Session, said};
use crate::answer::Answer;
use crate::args::{self, InArg, PlaceArg};
use crate::error::{ToolError, act_error};
use crate::shared::Witness;
use crate::source::{Act, DragTo, Source, Undone, taken, takes_secret, types};
use browserlens_core::page::NodeKey;
use browserlens_core::page::text::folded;
use browserlens_core::strategy::{ActionKind, NodeHint, Ref};
use browserlens_lens::format::escape;
use browserlens_trace::{ActionRecord, MASK};
use dialogs::{COVERED, open_dialog};
use serde_json::Value;

/// Says what a dialog says that blocks the page.
pub(super) fn blocked(message: &str) -> ToolError {
    let mut said = "a dialog is open: ".to_owned();
    escape::quote(&mut said, message);
    ToolError::NotThere { message: said, hint: "answer it with `dialog` first" }
}

/// Refuses a URL as an answer showed it, in which a secret is masked.
fn whole(url: &str) -> Result<(), ToolError> {
    if url.contains(MASK) {
        let message = "url: a secret in it is masked; `click` the link, or give the URL without that parameter";
        return Err(ToolError::Arguments(message.to_owned()));
    }
    Ok(())
}

impl Session {
    pub(super) fn action(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        use ActionKind as K;
        let (kind, on, text) = match tool {
            "click" => return self.click(args::read(arguments)?),
            "fill" => return self.fill(args::read(arguments)?),
            "type" => {
                let typed: args::Type = args::read(arguments)?;
                let on = typed.reference.map(|on| self.reference_of(on)).transpose()?;
                let kind = if typed.keys || on.is_none() { K::Type } else { K::Fill };
                match (self.do_it(kind, on, typed.text.clone()), on) {
                    (Err(refused), Some(on)) if kind == K::Fill => {
                        self.set_in_grid(on, &typed.text, refused)?;
                        return Ok(self.told());
                    }
                    (done, _) => done?,
                }
                if typed.submit {
                    // The field may have got another place by what was typed, and still has the
                    // focus.
                    self.do_it(K::Press, None, "Enter".to_owned())?;
                    if let Some(on) = on.filter(|on| self.is_a_line_more(*on, &typed.text)) {
                        self.notes.push_str(&format!("Enter only began a line in {on}\n"));
                    }
                }
                return Ok(self.told());
            }
            "select" => {
                let select: args::Select = args::read(arguments)?;
                (K::Select, Some(self.reference_of(select.reference)?), select.option.lines())
            }
            "hover" => return self.hover(args::read(arguments)?),
            "press" => {
                let press: args::Press = args::read(arguments)?;
                let keys: Vec<&str> = press.key.split_whitespace().collect();
                let key = match (press.times, keys.as_slice()) {
                    (None | Some(1), _) | (_, []) => press.key,
                    (Some(times), [key]) => format!("{key}*{times}"),
                    (Some(times), keys) => vec![keys.join(" "); times as usize].join(" "),
                };
                (K::Press, press.reference.map(|on| self.reference_of(on)).transpose()?, key)
            }
            "scroll" => return self.scroll(args::read(arguments)?),
            "drag" => return self.drag(args::read(arguments)?),
            "evaluate" => return self.evaluate(&args::read(arguments)?),
            "upload" => {
                let upload: args::Upload = args::read(arguments)?;
                let files = self.shared.policy.files(&upload.files)?;
                (K::Upload, Some(self.reference_of(upload.reference)?), files)
            }
            "back" | "forward" => {
                let args::Nothing {} = args::read(arguments)?;
                (if tool == "back" { K::Back } else { K::Forward }, None, String::new())
            }
            "dialog" => {
                let dialog: args::Dialog = args::read(arguments)?;
                let text = match (dialog.accept, dialog.text) {
                    (false, _) => "dismiss".to_owned(),
                    (true, Some(text)) if !text.is_empty() => text,
                    (true, _) => "accept".to_owned(),
                };
                (K::Dialog, None, text)
            }
            _ => return Err(ToolError::UnknownTool(tool.to_owned())),
        };
        self.do_it(kind, on, text)?;
        Ok(self.told())
    }

    pub(super) fn navigate(&mut self, wanted: args::Navigate) -> Result<Answer, ToolError> {
        // Nothing else that is no URL can be meant by these.
        if let step @ ("back" | "forward") = wanted.url.trim() {
            return self.action(step, Value::Null);
        }
        whole(&wanted.url)?;
        if self.is_live() {
            self.shared.policy.url(&wanted.url)?;
        }
        if let Some(source) = self.source.as_mut().filter(|source| !source.is_alive()) {
            source.restart()?;
            self.lose();
        }
        if self.source.is_some() || !self.is_live() {
            self.do_it(ActionKind::Goto, None, wanted.url)?;
            return Ok(self.pending.take());
        }
        self.source = self.shared.opener.open(Some(&wanted.url))?;
        self.after(&Act::bare(taken(ActionKind::Goto, &wanted.url)), true)?;
        Ok(self.pending.take())
    }

    /// Carries out an action on what a ref means now, and looks at what came of it.
    pub(super) fn do_it(&mut self, kind: ActionKind, on: Option<Ref>, text: String) -> Result<(), ToolError> {
        self.do_at(kind, on, None, text)
    }

    /// The same at a point of it.
    fn do_at(
        &mut self,
        kind: ActionKind,
        on: Option<Ref>,
        at: Option<[f32; 2]>,
        text: String,
    ) -> Result<(), ToolError> {
        self.given(on)?;
        self.ready_for(kind, on.is_some())?;
        let node = on.map(|reference| self.node(reference)).transpose()?;
        self.learn_typed(kind, node, &text);
        self.on_node(Act { node, at: at.map(Into::into), ..Act::bare(taken(kind, &text)) }, on)
    }

    /// Refuses a ref that the session was never told: it cannot mean it, and a number of another
    /// client is not one of its own.
    pub(super) fn given(&mut self, on: Option<Ref>) -> Result<(), ToolError> {
        match on.filter(|reference| !self.lens.has_given(*reference)) {
            Some(reference) => {
                self.source()?;
                Err(ToolError::UnknownRef { reference })
            }
            None => Ok(()),
        }
    }

    /// Carries out an action on its node, which has this ref, or none.
    fn on_node(&mut self, mut act: Act, on: Option<Ref>) -> Result<(), ToolError> {
        // The page may have opened one while the node was looked for.
        if act.node.is_some() && on.is_none() {
            self.unblocked()?;
        }
        act.taken.node = act.node.map(|key| self.words(key));
        let what = act.taken.node.as_ref().map(said).filter(|what| !what.is_empty());
        let what = what.or_else(|| act.node.map(|key| self.text_of(key))).unwrap_or_default();
        self.carry_out(&act, what.clone(), on).map_err(|error| match error {
            ToolError::NotPossible { reason, .. } if act.node.is_some() && on.is_none() => {
                ToolError::NotActionable { what, reason }
            }
            other => other,
        })
    }

    /// Carries an action out before the eyes of who witnesses it, and looks at what came of it.
    fn carry_out(&mut self, act: &Act, what: String, on: Option<Ref>) -> Result<(), ToolError> {
        let kind = act.taken.kind;
        let before = self.page.clone();
        self.witnessed(|witness, source| witness.before(source, act));
        let done = self.source()?.act(act);
        done.map_err(|undone| self.explained(undone, kind, what, on))?;
        self.note_hit(kind)?;
        self.after(act, before.is_none())?;
        self.note_more(act, before.as_deref());
        Ok(())
    }

    /// Learns what is typed into a secret field: the page may send it before it is looked at again.
    fn learn_typed(&mut self, kind: ActionKind, node: Option<NodeKey>, text: &str) {
        if types(kind) && self.page.as_ref().is_some_and(|page| takes_secret(page, node)) {
            self.mask.learn(text);
        }
    }

    /// Sees to it that an action can be carried out: no dialog blocks the page, and the page on
    /// hand is the one that is there now.
    fn ready_for(&mut self, kind: ActionKind, on_node: bool) -> Result<(), ToolError> {
        use ActionKind as K;
        let source = self.source()?;
        match source.dialog() {
            Some(message) if !matches!(kind, K::Dialog | K::SwitchTab | K::CloseTab) => Err(blocked(&message)),
            None if on_node => self.catch_up(),
            None if matches!(kind, K::Press | K::Type | K::Scroll) => self.see_first(),
            _ => Ok(()),
        }
    }

    /// Looks at the page, if one was shown: what changed before an action is not what it led to.
    fn see_first(&mut self) -> Result<(), ToolError> {
        if self.page.is_some() { self.catch_up() } else { self.guard_kept() }
    }

    /// Refuses to go on while a dialog blocks the page.
    fn unblocked(&mut self) -> Result<(), ToolError> {
        self.source()?.dialog().map_or(Ok(()), |message| Err(blocked(&message)))
    }

    /// Looks at what came of an action.
    pub(super) fn after(&mut self, act: &Act, is_first: bool) -> Result<(), ToolError> {
        // What is not told is no step.
        if !is_first && !self.is_silent {
            self.step += 1;
        }
        self.is_current = false;
        let looked = self.look(Some(&act.taken), true);
        match &looked {
            // It was carried out all the same; the page that it led to was left again.
            Err(error @ ToolError::Refused { .. }) => {
                let mut refused = act.clone();
                refused.taken.error = Some(error.to_string());
                self.witnessed(|witness, source| witness.after(source, &refused));
            }
            _ => self.witnessed(|witness, source| witness.after(source, act)),
        }
        looked
    }

    pub(super) fn witnessed(&mut self, tell: impl FnOnce(&mut dyn Witness, &mut dyn Source)) {
        if let (Some(witness), Some(source)) = (self.witness.as_mut(), self.source.as_mut()) {
            tell(witness.as_mut(), source.as_mut());
        }
    }

    /// Returns the node of a ref on the page as it stands.
    pub(super) fn node(&self, reference: Ref) -> Result<NodeKey, ToolError> {
        let page = self.on_hand()?;
        match self.lens.node(reference).filter(|key| page.find(*key).is_some()) {
            Some(key) => Ok(key),
            None if self.lens.has_given(reference) => Err(self.gone(reference)),
            None => Err(ToolError::UnknownRef { reference }),
        }
    }

    fn gone(&self, reference: Ref) -> ToolError {
        let Some(what) = self.known.get(&reference).cloned() else {
            return ToolError::RefGone { reference, what: "given long ago, or never".to_owned(), now: None };
        };
        let page = self.page.as_ref();
        let is_here = |other: &Ref| self.lens.node(*other).and_then(|key| page?.find(key)).is_some();
        let called_so = |(_, words): &(&Ref, &String)| **words == what && what.ends_with('"');
        let mut same = self.known.iter().filter(called_so).map(|(other, _)| *other).filter(is_here);
        let now = same.next().filter(|_| same.next().is_none());
        ToolError::RefGone { reference, what, now }
    }

    pub(super) fn words(&self, key: NodeKey) -> NodeHint {
        let node = self.page.as_ref().and_then(|page| page.find(key));
        node.map_or_else(NodeHint::default, |node| NodeHint {
            role: node.role().to_owned(),
            name: node.name().to_owned(),
            ..NodeHint::default()
        })
    }

    /// Returns the text of a node that has neither role nor name, as a page's.
    fn text_of(&self, key: NodeKey) -> String {
        let node = self.page.as_ref().and_then(|page| page.find(key));
        let mut out = String::new();
        if let Some(node) = node {
            let text: String = node.visible_text().chars().take(60).collect();
            escape::quote(&mut out, &folded(&text));
        }
        out
    }

    /// Says what was recorded, with the ref of what it was done on.
    fn recorded(&self, recorded: Option<Box<ActionRecord>>) -> String {
        let Some(recorded) = recorded else { return "it ends at this step".to_owned() };
        let taken = &recorded.taken;
        let mut text = format!("it goes on with {}", taken.kind);
        if let Some(node) = &taken.node {
            text.push_str(" on ");
            text.push_str(&said(node));
            if let Some(reference) = recorded.acceptable.iter().find_map(|key| self.lens.reference(*key)) {
                text.push_str(&format!(" {reference}"));
            }
        }
        if !taken.text.is_empty() {
            text.push(' ');
            escape::quote(&mut text, &taken.text);
        }
        text
    }

    fn drag(&mut self, drag: args::Drag) -> Result<Answer, ToolError> {
        let wanted = |what: &str| ToolError::Arguments(what.to_owned());
        for target in [&drag.from, &drag.to].into_iter().flatten() {
            self.given(target.reference())?;
        }
        self.ready_for(ActionKind::Drag, true)?;
        let on = drag.from.as_ref().and_then(InArg::reference);
        let (node, at) = match (drag.from, drag.at) {
            (Some(target), at) => (self.element(target, None)?, at),
            (None, Some(point)) => {
                let (node, at) = self.with_whole_page(|_, page| click::node_at(page, point))?;
                (node, Some(at))
            }
            (None, None) => return Err(wanted("`from` or `at` is missing")),
        };
        let to = match (drag.to, drag.by) {
            (Some(target), None) => {
                let node = self.element(target, None)?;
                match drag.place {
                    PlaceArg::On => DragTo::On(node),
                    PlaceArg::Before => DragTo::Before(node),
                    PlaceArg::After => DragTo::After(node),
                }
            }
            (None, Some([x, y])) => DragTo::By(x, y),
            (None, None) => return Err(wanted("`to` or `by` is missing")),
            (Some(_), Some(_)) => return Err(wanted("`to` or `by`: not both")),
        };
        let bare = Act::bare(taken(ActionKind::Drag, ""));
        // What is dropped elsewhere may be made anew there.
        let dragged = self.lens.reference(node);
        self.on_node(Act { node: Some(node), to: Some(to), at: at.map(Into::into), ..bare }, on)?;
        self.note_side(dragged.and_then(|dragged| self.lens.node(dragged)).unwrap_or(node), to);
        Ok(self.told())
    }

    fn evaluate(&mut self, wanted: &args::Evaluate) -> Result<Answer, ToolError> {
        if !self.shared.policy.evaluate {
            return Err(ToolError::Refused {
                message: "`evaluate`".to_owned(),
                hint: "the server's option --allow-evaluate allows it",
            });
        }
        self.unblocked()?;
        self.see_first()?;
        let source = self.source()?;
        let value = source.evaluate(&wanted.expression);
        let text = match (value, source.dialog()) {
            (Ok(value), _) => {
                let json = Answer::json(&value.to_string());
                let (part, rest) = part_within(&json.text, self.budget);
                let cut = |rest| format!("{part}\n… {rest} more characters; evaluate an expression for a part of it");
                if rest == 0 { part.to_owned() } else { cut(rest) }
            }
            // It waits for the dialog that it opened.
            (Err(_), Some(message)) => {
                let blocked = blocked(&message);
                format!("no value: {}; {}", blocked.message(), blocked.hint())
            }
            (Err(error), None) => return Err(error),
        };
        self.is_current = false;
        // What an expression changes has not changed by itself.
        self.look(None, true)?;
        self.pending.forget_silence();
        let changed = self.pending.take();
        let text = if changed.text.is_empty() { text } else { format!("{text}\n{}", changed.text) };
        Ok(Answer { text, ..changed })
    }

    /// Returns what an action led to, in words where it led to nothing.
    fn told(&mut self) -> Answer {
        let is_more = notes::tells(&self.notes);
        let mut answer = if is_more { self.pending.take() } else { self.pending.take_told() };
        if self.source.as_mut().is_some_and(|source| source.dialog().is_some()) {
            self.notes.push_str("the page waits: answer its dialog with `dialog`\n");
        }
        answer.text.insert_str(0, &std::mem::take(&mut self.notes));
        answer
    }

    pub(super) fn tabs(&mut self, wanted: &args::Tabs) -> Result<Answer, ToolError> {
        if let Some(url) = &wanted.open {
            whole(url)?;
            if self.is_live() {
                self.shared.policy.url(url)?;
            }
            let is_first = self.page.is_none();
            let opened = self.source()?.open_tab(url);
            opened.map_err(|undone| self.explained(undone, ActionKind::SwitchTab, String::new(), None))?;
            let act = Act::bare(taken(ActionKind::Goto, url));
            self.after(&act, is_first)?;
            return Ok(self.pending.take());
        }
        let switch = wanted.switch_to.map(|index| (ActionKind::SwitchTab, index.to_string()));
        let close = wanted.close.then(|| (ActionKind::CloseTab, String::new()));
        if let Some((kind, text)) = switch.or(close) {
            self.do_it(kind, None, text)?;
            return Ok(self.pending.take());
        }
        let tabs = self.source()?.tabs()?;
        let mut text = if tabs.len() == 1 { "1 tab".to_owned() } else { format!("{} tabs", tabs.len()) };
        for tab in tabs {
            text.push_str(&format!("\n- {}{} ", tab.index, if tab.is_current { " current" } else { "" }));
            escape::bare(&mut text, &tab.url);
        }
        Ok(Answer::text(&text))
    }

    /// Says why an action was not carried out.
    pub(super) fn explained(&self, undone: Undone, kind: ActionKind, what: String, on: Option<Ref>) -> ToolError {
        match undone {
            Undone::Act(error) => match act_error(error, kind, what, on) {
                ToolError::NotActionable { what, reason } if reason.starts_with(COVERED) => {
                    let open = self.page.as_ref().and_then(|page| open_dialog(&self.lens, page));
                    ToolError::NotActionable { what, reason: reason + &open.unwrap_or_default() }
                }
                error => error,
            },
            Undone::NotRecorded(recorded) => ToolError::NotRecorded(self.recorded(recorded)),
            Undone::Other(error) => error,
        }
    }
}
