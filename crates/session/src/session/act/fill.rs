//! Filling in: a form field by field, each by what it takes, and what is told if one fails.

use crate::answer::Answer;
use crate::args::{self, OptionArg, ValueArg};
use crate::error::ToolError;
use crate::session::Session;
use browserlens_core::strategy::{ActionKind, Ref};

impl Session {
    /// Sets fields one after the other; what came of all is told at the end. One that cannot be set
    /// stops none after it, unless a dialog blocks the page or the browser is gone.
    pub(super) fn fill(&mut self, form: args::Fill) -> Result<Answer, ToolError> {
        let mut told = String::new();
        let mut is_undone = false;
        let last = form.fields.len().saturating_sub(1);
        for (at, field) in form.fields.into_iter().enumerate() {
            let called = field.reference.to_string();
            // What happened before the form is told apart from what came of it.
            if at == 0 && field.reference.reference().is_none_or(|on| self.lens.has_given(on)) {
                self.catch_up()?;
            }
            self.is_silent = at < last;
            let set = self.reference_of(field.reference).and_then(|on| Ok((on, self.set(on, field.value)?)));
            self.is_silent = false;
            let error = match set {
                Ok((on, said)) => {
                    told.push_str(&format!("{on} {said}\n"));
                    continue;
                }
                Err(error) if last == 0 => return Err(error),
                Err(error) => error,
            };
            is_undone = true;
            let is_gone = matches!(error, ToolError::BrowserGone(_));
            let ends = at < last && (is_gone || self.source.as_mut().is_some_and(|source| source.dialog().is_some()));
            let rest = if ends { ", and none after it" } else { "" };
            told.push_str(&format!("{called} was not set{rest}: {}\nhint: {}\n", error.message(), error.hint()));
            if is_gone {
                self.lose();
                return Ok(Answer { is_undone, ..Answer::text(&told) });
            }
            if ends {
                break;
            }
        }
        if is_undone {
            self.look_after_failure(&mut told);
        }
        let answer = self.told();
        Ok(Answer { text: told + &answer.text, is_undone, ..answer })
    }

    /// Looks at the page again: what failed may have changed it too.
    fn look_after_failure(&mut self, told: &mut String) {
        let looked = match self.source() {
            Ok(source) => {
                source.refresh();
                self.look(None, true)
            }
            Err(error) => Err(error),
        };
        self.pending.forget_silence();
        if let Err(error) = looked {
            told.push_str(&format!("the page could not be looked at again: {}\n", error.told()));
        }
    }

    fn set(&mut self, on: Ref, value: ValueArg) -> Result<&'static str, ToolError> {
        let is_there = |session: &Self| {
            session.page.as_ref().zip(session.lens.node(on)).is_some_and(|(page, key)| page.find(key).is_some())
        };
        if self.lens.has_given(on) && !is_there(self) {
            // A field that was made anew has its ref once the lens saw it.
            let was_silent = std::mem::take(&mut self.is_silent);
            self.look(None, true)?;
            self.is_silent = was_silent;
        }
        let key = self.lens.node(on);
        let node = key.and_then(|key| self.page.as_ref()?.find(key));
        let chooses = node.is_some_and(|node| {
            node.tag() == "select"
                || matches!(node.role(), "listbox" | "radiogroup")
                || node.role() == "combobox" && (node.tag() != "input" || node.attribute("readonly").is_some())
        });
        let lists = node.is_some_and(|node| node.role() == "combobox");
        let (kind, text, said) = match value {
            ValueArg::Checked(on) => (ActionKind::Check, on.to_string(), if on { "checked" } else { "unchecked" }),
            ValueArg::Options(names) => (ActionKind::Select, OptionArg::Several(names).lines(), "chosen"),
            ValueArg::Text(text) if chooses => (ActionKind::Select, OptionArg::One(text).lines(), "chosen"),
            ValueArg::Text(text) => (ActionKind::Fill, text, "set"),
            ValueArg::Number(number) if chooses => (ActionKind::Select, number.to_string(), "chosen"),
            ValueArg::Number(number) => (ActionKind::Fill, number.to_string(), "set"),
        };
        self.do_it(kind, Some(on), text)?;
        // What was typed into a list's field may only search it.
        let page = self.page.as_ref().filter(|_| lists && kind == ActionKind::Fill);
        let is_open =
            page.and_then(|page| page.find(self.lens.node(on)?)).is_some_and(|node| node.expanded() == Some(true));
        Ok(if is_open { "typed; its list is open: `select` chooses from it" } else { said })
    }
}
