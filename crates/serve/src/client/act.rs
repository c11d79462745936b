//! The tools that act: each on what its ref means on the page as it stands, and each answered with what came of it.
//!
//! In: typed arguments. Out: what changed. Invariants: an action is carried out on the node of its ref or not at all; whoever witnesses the client is told of
//! every action that was carried out.

use super::{Client, said};
use crate::answer::Answer;
use crate::args::{self, ClickArg};
use crate::error::{ToolError, act_error};
use crate::shared::Witness;
use crate::source::{Act, Source, Undone, taken};
use browserlens_lens::format::escape;
use browserlens_page::NodeKey;
use browserlens_strategy::{ActionKind, NodeHint, Ref, TakenAction};
use serde_json::Value;
use std::time::Duration;

/// Longest time that `wait` lets go by, in milliseconds.
const LONGEST_WAIT_MS: u32 = 30_000;
/// How far `scroll` goes if not said otherwise, in CSS px.
const SCROLL: i32 = 600;

impl Client {
    pub(super) fn action(&mut self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        use ActionKind as K;
        let (kind, on, text) = match tool {
            "click" => {
                let click: args::Click = args::read(arguments)?;
                let kind = match click.kind {
                    ClickArg::Left => K::Click,
                    ClickArg::Right => K::RightClick,
                    ClickArg::Double => K::DoubleClick,
                };
                (kind, Some(click.reference.0), String::new())
            }
            "type" => {
                let typed: args::Type = args::read(arguments)?;
                let on = Some(typed.reference.0);
                self.do_it(if typed.keys { K::Type } else { K::Fill }, on, None, typed.text)?;
                if typed.submit {
                    self.do_it(K::Press, on, None, "Enter".to_owned())?;
                }
                return Ok(self.pending.take());
            }
            "select" => {
                let select: args::Select = args::read(arguments)?;
                (K::Select, Some(select.reference.0), select.option)
            }
            "hover" => (K::Hover, Some(args::read::<args::Hover>(arguments)?.reference.0), String::new()),
            "press" => {
                let press: args::Press = args::read(arguments)?;
                (K::Press, press.reference.map(|on| on.0), press.key)
            }
            "scroll" => {
                let scroll: args::Scroll = args::read(arguments)?;
                let by = if (scroll.x, scroll.y) == (0, 0) { (0, SCROLL) } else { (scroll.x, scroll.y) };
                (K::Scroll, scroll.reference.map(|on| on.0), format!("{}, {}", by.0, by.1))
            }
            "drag" => {
                let drag: args::Drag = args::read(arguments)?;
                self.do_it(K::Drag, Some(drag.from.0), Some(drag.to.0), String::new())?;
                return Ok(self.pending.take());
            }
            "upload" => {
                let upload: args::Upload = args::read(arguments)?;
                let files = self.shared.policy.files(&upload.files)?;
                (K::Upload, Some(upload.reference.0), files)
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
        self.do_it(kind, on, None, text)?;
        Ok(self.pending.take())
    }

    pub(super) fn navigate(&mut self, wanted: args::Navigate) -> Result<Answer, ToolError> {
        if self.is_live() {
            self.shared.policy.url(&wanted.url)?;
        }
        if let Some(source) = self.source.as_mut().filter(|source| !source.is_alive()) {
            source.restart()?;
            self.lose();
        }
        if self.source.is_some() || !self.is_live() {
            self.do_it(ActionKind::Goto, None, None, wanted.url)?;
            return Ok(self.pending.take());
        }
        self.source = self.shared.opener.open(Some(&wanted.url))?;
        self.after(&Act { taken: taken(ActionKind::Goto, &wanted.url), node: None, to: None }, true)?;
        Ok(self.pending.take())
    }

    /// Carries out an action on what a ref means now, and looks at what came of it.
    pub(super) fn do_it(
        &mut self,
        kind: ActionKind,
        on: Option<Ref>,
        to: Option<Ref>,
        text: String,
    ) -> Result<(), ToolError> {
        // What the client was never told it cannot mean: a number of another client is not one of its own.
        if let Some(reference) = [on, to].into_iter().flatten().find(|given| !self.session.has_given(*given)) {
            self.source()?;
            return Err(ToolError::UnknownRef { reference });
        }
        let source = self.source()?;
        let dialog = source.dialog();
        match dialog {
            Some(message) if !matches!(kind, ActionKind::Dialog | ActionKind::SwitchTab | ActionKind::CloseTab) => {
                let mut said = "a dialog is open: ".to_owned();
                escape::quote(&mut said, &message);
                return Err(ToolError::NotThere { message: said, hint: "answer it with `dialog` first" });
            }
            None if on.is_some() => self.catch_up()?,
            _ => {}
        }
        let node = on.map(|reference| self.node(reference)).transpose()?;
        let end = to.map(|reference| self.node(reference)).transpose()?;
        let words = node.map(|key| self.words(key));
        let what = words.as_ref().map(said).unwrap_or_default();
        let act = Act { taken: TakenAction { kind, node: words, text, error: None }, node, to: end };
        let is_first = self.page.is_none();
        self.witnessed(|witness, source| witness.before(source, &act));
        let done = self.source()?.act(&act);
        done.map_err(|undone| self.explained(undone, kind, what, on))?;
        self.after(&act, is_first)
    }

    /// Looks at what came of an action.
    pub(super) fn after(&mut self, act: &Act, is_first: bool) -> Result<(), ToolError> {
        if !is_first {
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
        match self.session.node(reference).filter(|key| page.find(*key).is_some()) {
            Some(key) => Ok(key),
            None if self.session.has_given(reference) => {
                let known = self.known.get(&reference).cloned();
                Err(ToolError::RefGone { reference, what: known.unwrap_or_else(|| "given long ago".to_owned()) })
            }
            None => Err(ToolError::UnknownRef { reference }),
        }
    }

    pub(super) fn words(&self, key: NodeKey) -> NodeHint {
        let node = self.page.as_ref().and_then(|page| page.find(key));
        node.map_or_else(NodeHint::default, |node| NodeHint {
            role: node.role().to_owned(),
            name: node.name().to_owned(),
            within: None,
            nth: None,
        })
    }

    /// Says what was recorded, with the ref of what it was done on.
    pub(super) fn recorded(&self, recorded: Option<Box<(TakenAction, Vec<NodeKey>)>>) -> String {
        let Some((taken, nodes)) = recorded.map(|recorded| *recorded) else { return "it ends at this step".to_owned() };
        let mut text = format!("it goes on with {}", taken.kind);
        if let Some(node) = &taken.node {
            text.push_str(" on ");
            text.push_str(&said(node));
            if let Some(reference) = nodes.iter().find_map(|key| self.session.reference(*key)) {
                text.push_str(&format!(" {reference}"));
            }
        }
        if !taken.text.is_empty() {
            text.push(' ');
            escape::quote(&mut text, &taken.text);
        }
        text
    }

    pub(super) fn wait(&mut self, wanted: args::Wait) -> Result<Answer, ToolError> {
        if let Some(ms) = wanted.ms {
            self.source()?.wait(Duration::from_millis(u64::from(ms.min(LONGEST_WAIT_MS))))?;
        }
        match wanted.text.filter(|text| !text.is_empty()) {
            Some(text) => self.do_it(ActionKind::WaitFor, None, None, text)?,
            None if self.is_live() => {
                return self.observe(&args::Observe { full: false, budget: None, strategy: None });
            }
            None => self.do_it(ActionKind::WaitFor, None, None, String::new())?,
        }
        Ok(self.pending.take())
    }

    pub(super) fn tabs(&mut self, wanted: &args::Tabs) -> Result<Answer, ToolError> {
        if let Some(url) = &wanted.open {
            if self.is_live() {
                self.shared.policy.url(url)?;
            }
            let is_first = self.page.is_none();
            let opened = self.source()?.open_tab(url);
            opened.map_err(|undone| self.explained(undone, ActionKind::SwitchTab, String::new(), None))?;
            let act = Act { taken: taken(ActionKind::Goto, url), node: None, to: None };
            self.after(&act, is_first)?;
            return Ok(self.pending.take());
        }
        if let Some(index) = wanted.switch_to {
            self.do_it(ActionKind::SwitchTab, None, None, index.to_string())?;
            return Ok(self.pending.take());
        }
        if wanted.close {
            self.do_it(ActionKind::CloseTab, None, None, String::new())?;
            return Ok(self.pending.take());
        }
        let tabs = self.source()?.tabs()?;
        let mut text = if tabs.len() == 1 { "1 tab".to_owned() } else { format!("{} tabs", tabs.len()) };
        for tab in tabs {
            text.push_str(&format!("\n- {}{} ", tab.index, if tab.is_current { " current" } else { "" }));
            escape::bare(&mut text, &tab.url);
        }
        Ok(Answer::text(text))
    }

    /// Says why an action was not carried out.
    pub(super) fn explained(&self, undone: Undone, kind: ActionKind, what: String, on: Option<Ref>) -> ToolError {
        match undone {
            Undone::Act(error) => act_error(error, kind, what, on),
            Undone::NotRecorded(recorded) => ToolError::NotRecorded(self.recorded(recorded)),
            Undone::Other(error) => error,
        }
    }
}
