//! Waiting for a text, an element or its state, or for time to pass.

use crate::answer::Answer;
use crate::args;
use crate::error::ToolError;
use crate::session::Session;
use crate::source::{Act, taken};
use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeKey, NodeRef, Page, States, Tri};
use browserlens_core::strategy::{ActionKind, Ref};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest time that `wait` lets go by, in milliseconds: if it is told, and if not.
const LONGEST_WAIT_MS: u32 = 120_000;
const WAIT_MS: u32 = 30_000;

/// How often `wait` looks.
const WAIT_SLICE: Duration = Duration::from_millis(100);

/// What an element can be waited for to be.
const STATES: [&str; 13] = [
    "visible", "gone", "enabled", "disabled", "checked", "unchecked", "expanded", "collapsed", "selected", "pressed",
    "unpressed", "focused", "readonly",
];

/// Returns whether what can be seen of a page holds a text, white space and case apart.
pub(super) fn says(page: &Page, text: &str) -> bool {
    let plain = |text: &str| folded(text).to_lowercase();
    let wanted = plain(text);
    let seen = page.nodes().filter(|node| node.is_visible() && node.tag() != "script");
    let own = |node: NodeRef<'_>| plain(node.text()).contains(&wanted) || plain(node.value()).contains(&wanted);
    plain(&page.root().visible_text()).contains(&wanted) || seen.into_iter().any(own)
}

fn is_so(page: &Page, key: NodeKey, state: &str) -> bool {
    let Some(node) = page.find(key).filter(|node| node.is_visible()) else { return state == "gone" };
    let has = |state| node.states().has(state);
    match state {
        "visible" => true,
        "enabled" => !has(States::DISABLED),
        "disabled" => has(States::DISABLED),
        "checked" => node.checked() == Some(Tri::True),
        "unchecked" => node.checked() == Some(Tri::False),
        "expanded" => node.expanded() == Some(true),
        "collapsed" => node.expanded() == Some(false),
        "selected" => node.selected() == Some(true),
        "pressed" => node.pressed() == Some(Tri::True),
        "unpressed" => node.pressed() == Some(Tri::False),
        "focused" => has(States::FOCUSED),
        "readonly" => has(States::READONLY),
        _ => false,
    }
}

impl Session {
    pub(in crate::session) fn wait(&mut self, wanted: args::Wait) -> Result<Answer, ToolError> {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (text, gone) = (said(wanted.text), said(wanted.gone));
        if wanted.state.is_some() && wanted.reference.is_none() {
            return Err(ToolError::Arguments("`state` needs `ref`".to_owned()));
        }
        if !self.is_live() {
            self.do_it(ActionKind::WaitFor, None, text.unwrap_or_default())?;
            return Ok(self.pending.take());
        }
        let asked = text.is_some() || gone.is_some() || wanted.reference.is_some() || wanted.network;
        let most = wanted.ms.unwrap_or(if asked { WAIT_MS } else { 0 }).min(LONGEST_WAIT_MS);
        if !asked {
            self.source()?.wait(Duration::from_millis(u64::from(most)))?;
            return self.observe(&args::Observe { full: false, budget: None, strategy: None, why: false });
        }
        let reference = wanted.reference.map(|reference| reference.0);
        self.given(reference)?;
        let state = wanted.state.as_deref().unwrap_or("visible").trim().to_lowercase();
        if reference.is_some() && !STATES.contains(&state.as_str()) {
            return Err(ToolError::Arguments(format!("state: there are {}", STATES.join(", "))));
        }
        let deadline = Instant::now() + Duration::from_millis(u64::from(most));
        // The clock of a page may be its own, and go faster.
        let mut passed = 0_u32;
        let mut is_first = true;
        let mut last: Option<(Arc<Page>, Option<NodeKey>)> = None;
        let missing = loop {
            self.unblocked()?;
            let source = self.source()?;
            let is_quiet = !wanted.network || source.is_network_quiet()?;
            source.refresh();
            let page = source.pages().look()?;
            self.guard(&page)?;
            let known = last.take().filter(|(known, _)| Arc::ptr_eq(known, &page)).map(|(_, key)| key);
            let key = match (reference, known) {
                (Some(reference), None) => self.node_on(&page, reference)?,
                (_, known) => known.flatten(),
            };
            if let Some(reference) = reference.filter(|_| is_first && key.is_none() && state != "gone") {
                return Err(self.gone(reference));
            }
            (last, is_first) = (Some((Arc::clone(&page), key)), false);
            let holds = |text: &str| says(&page, text);
            let missing = if text.as_deref().is_some_and(|text| !holds(text)) {
                Some("the text did not appear")
            } else if gone.as_deref().is_some_and(holds) {
                Some("the text is still there")
            } else if reference.is_some() && !key.map_or(state == "gone", |key| is_so(&page, key, &state)) {
                Some(if key.is_some() {
                    "the element did not come to that state"
                } else {
                    "the element did not come back"
                })
            } else if !is_quiet {
                Some("requests are still under way")
            } else {
                None
            };
            if missing.is_none() || Instant::now() >= deadline || passed >= most {
                break missing;
            }
            self.source()?.wait(WAIT_SLICE)?;
            passed = passed.saturating_add(WAIT_SLICE.as_millis() as u32);
        };
        let mut act = Act::bare(taken(ActionKind::WaitFor, text.as_deref().or(gone.as_deref()).unwrap_or_default()));
        act.taken.error = missing.map(|missing| format!("{missing} within {most} ms"));
        self.after(&act, false)?;
        let is_silent = self.pending.is_silent();
        let answer = self.pending.take();
        Ok(match act.taken.error {
            // Else an answer that nothing changed could be taken for time that ran out.
            None if is_silent => {
                let so = [text.map(|_| "the text is there"), gone.map(|_| "the text is gone")];
                let so = so.into_iter().flatten().chain(reference.map(|_| "the element is in that state"));
                let so = so.chain(wanted.network.then_some("no request is under way")).collect::<Vec<_>>().join(", ");
                Answer { text: format!("{so}\n{}", answer.text), ..answer }
            }
            None => answer,
            Some(failed) => Answer { text: format!("{failed}\n{}", answer.text), is_undone: true, ..answer },
        })
    }

    /// Returns the node that a ref means on a page that is there now; what took the place of the
    /// node that it was given for is followed.
    fn node_on(&mut self, page: &Arc<Page>, reference: Ref) -> Result<Option<NodeKey>, ToolError> {
        let key = match self.page.as_ref().is_some_and(|known| Arc::ptr_eq(known, page)) {
            true => self.lens.node(reference),
            false => self.aside(page, |lens, _| lens.node(reference))?,
        };
        Ok(key.filter(|key| page.find(*key).is_some()))
    }
}
