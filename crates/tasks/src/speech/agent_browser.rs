//! agent-browser: `snapshot -i` and refs such as `@e5`, as commands.

use super::{Places, Speech, command, literal, point_of, text_of};
use crate::agent::Wanted;
use crate::reading::{Seen, of_outline};
use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Action, Target};

/// `agent-browser …`.
pub(super) struct CommandLine;

fn cli(words: &[&str]) -> Wanted {
    command(&[&["agent-browser"], words].concat())
}

impl Speech for CommandLine {
    fn open(&self, url: &str) -> Wanted {
        cli(&["open", url])
    }

    fn look_for(&self, target: &Target, again: bool) -> Wanted {
        // The short look shows what can be acted on, without what it lies in.
        if again || target.within.is_some() { cli(&["snapshot"]) } else { self.look() }
    }

    fn look(&self) -> Wanted {
        cli(&["snapshot", "-i"])
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_outline(answer)
    }

    fn wait_for(&self, target: &Target, ms: u32) -> Wanted {
        match folded(text_of(target)) {
            text if text.is_empty() => cli(&["wait", &ms.to_string()]),
            text => cli(&["wait", "--text", &text, "--timeout", &ms.to_string()]),
        }
    }

    fn act(&self, action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        let marked = |seen: &Seen| seen.reference.as_ref().map(|reference| format!("@{reference}"));
        let reference = found.and_then(marked);
        let on = || reference.as_deref();
        Some(match action {
            Action::Goto { url } => cli(&["open", &at.url(url)]),
            Action::Click { on: target } if point_of(target).is_none() => cli(&["click", on()?]),
            Action::DoubleClick { on: target } if point_of(target).is_none() => cli(&["dblclick", on()?]),
            Action::Hover { .. } => cli(&["hover", on()?]),
            Action::Fill { text, .. } => cli(&["fill", on()?, literal(text)]),
            Action::Type { text, on: Some(_) } => cli(&["type", on()?, literal(text)]),
            Action::Type { text, on: None } => cli(&["keyboard", "type", literal(text)]),
            Action::Press { key, .. } => cli(&["press", key]),
            Action::Select { option, .. } => cli(&["select", on()?, literal(option)]),
            Action::Check { checked, .. } => cli(&[if *checked { "check" } else { "uncheck" }, on()?]),
            Action::Upload { files, .. } => {
                let files = at.files(files);
                let files: Vec<&str> = files.iter().map(String::as_str).collect();
                cli(&[&["upload", on()?], files.as_slice()].concat())
            }
            Action::Drag { on: from, to: place } if point_of(from).is_none() && point_of(place).is_none() => {
                cli(&["drag", on()?, &marked(to?)?])
            }
            Action::Scroll { by: (x, y), .. } => {
                let (way, px) = if x.abs() > y.abs() {
                    (if *x > 0.0 { "right" } else { "left" }, x.abs())
                } else {
                    (if *y >= 0.0 { "down" } else { "up" }, y.abs())
                };
                cli(&["scroll", way, &px.to_string()])
            }
            Action::Back => cli(&["back"]),
            Action::Forward => cli(&["forward"]),
            Action::SwitchTab { index } => cli(&["tab", &(index + 1).to_string()]),
            Action::CloseTab => cli(&["tab", "close"]),
            Action::Dialog { accept: true, text: Some(text) } => cli(&["dialog", "accept", text]),
            Action::Dialog { accept: true, text: None } => cli(&["dialog", "accept"]),
            Action::Dialog { accept: false, .. } => cli(&["dialog", "dismiss"]),
            _ => return None,
        })
    }
}
