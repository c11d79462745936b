//! Scrolling: by so much, or on and on until a text is in view.

use super::wait::says;
use crate::answer::Answer;
use crate::args;
use crate::error::ToolError;
use crate::session::Session;
use crate::source::{Act, taken};
use browserlens_core::page::text::folded;
use browserlens_core::page::{Flags, NodeKey, NodeKind, NodeRef, Page};
use browserlens_core::strategy::ActionKind;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

/// How far `scroll` goes unless told, in CSS px.
const SCROLL: i32 = 600;
/// How often it goes on until a text is there, and for how long.
const MOST_SCROLLS: u32 = 100;
const LONGEST: Duration = Duration::from_secs(45);
/// How often nothing may move before that is the end: what comes when it is near takes a moment.
const STILL: u32 = 2;
/// How long that moment is.
const MOMENT: Duration = Duration::from_millis(700);

/// How going on ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    There,
    AtTheEnd,
    Enough,
}

/// Returns what changes where a page or a part of it has scrolled.
fn places(page: &Page) -> u64 {
    let mut hasher = DefaultHasher::new();
    let offset = page.scroll();
    [offset.x, offset.y].map(f32::to_bits).hash(&mut hasher);
    for node in page.nodes().filter(|node| node.kind() == NodeKind::Text && node.is_visible()) {
        let bounds = node.bounds();
        ([bounds.x, bounds.y].map(f32::to_bits), node.text()).hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns what says all of a text and nothing in which does.
fn deepest<'p>(page: &'p Page, text: &str) -> Option<NodeRef<'p>> {
    let wanted = folded(text).to_lowercase();
    let says = |node: &NodeRef<'_>| folded(&node.visible_text()).to_lowercase().contains(&wanted);
    std::iter::successors(page.nodes().next(), |node| node.children().find(says)).last()
}

fn is_element(node: &NodeRef<'_>) -> bool {
    node.kind() == NodeKind::Element
}

impl Session {
    pub(super) fn scroll(&mut self, scroll: args::Scroll) -> Result<Answer, ToolError> {
        let by = if (scroll.x, scroll.y) == (0, 0) { (0, SCROLL) } else { (scroll.x, scroll.y) };
        let text = format!("{}, {}", by.0, by.1);
        let until = scroll.until.filter(|until| !until.trim().is_empty() && self.is_live());
        let Some(until) = until else {
            return match scroll.target {
                Some(target) => self.act_on(ActionKind::Scroll, target, None, text),
                None => {
                    self.do_it(ActionKind::Scroll, None, text)?;
                    Ok(self.told())
                }
            };
        };
        self.given(scroll.target.as_ref().and_then(args::InArg::reference))?;
        self.ready_for(ActionKind::Scroll, true)?;
        let around = match scroll.target {
            Some(target) => {
                let key = self.element(target, None)?;
                let node = self.page.as_ref().and_then(|page| page.find(key));
                node.into_iter().flat_map(|node| [node].into_iter().chain(node.ancestors())).map(|n| n.key()).collect()
            }
            None => Vec::new(),
        };
        self.is_silent = true;
        let ended = self.scroll_until(&until, &around, &text);
        self.is_silent = false;
        let (ended, count) = ended?;
        self.step += u32::from(count > 0);
        self.look_by(Some(&taken(ActionKind::Scroll, &text)), true, false)?;
        let answer = self.told();
        let times = if count == 1 { "time" } else { "times" };
        let said = match ended {
            Ended::There => format!("the text is there, scrolled {count} {times}{}", self.what_says(&until)),
            Ended::AtTheEnd if count == 0 => {
                "the text did not appear, and nothing moved: where a part moves by keys alone, `click` in it, then \
                `press` PageDown"
                    .to_owned()
            }
            Ended::AtTheEnd => format!("the text did not appear: scrolled {count} {times}, to the end"),
            Ended::Enough => format!("the text did not appear: scrolled {count} {times}, there is more"),
        };
        Ok(Answer { text: format!("{said}\n{}", answer.text), is_undone: ended != Ended::There, ..answer })
    }

    /// Names the ref of what says a text, or of what that lies in.
    fn what_says(&self, text: &str) -> String {
        let is_list = |node: &NodeRef<'_>| node.flags().has(Flags::PARTIAL);
        let found = self.page.as_ref().and_then(|page| {
            let deepest = deepest(page, text)?;
            let mut around = std::iter::once(deepest).chain(deepest.ancestors()).take_while(|node| !is_list(node));
            around.find_map(|node| self.lens.reference(node.key()))
        });
        found.map_or_else(String::new, |on| format!(", in {on}"))
    }

    /// Scrolls what is around the first of some nodes that is still there, else the page, until a
    /// text is drawn, and brings that into view; returns how that ended, and how often it scrolled.
    fn scroll_until(&mut self, until: &str, around: &[NodeKey], text: &str) -> Result<(Ended, u32), ToolError> {
        let began = Instant::now();
        let (mut count, mut still) = (0, 0);
        loop {
            let Some(page) = self.page.clone() else { return Ok((Ended::AtTheEnd, count)) };
            if says(&page, until) {
                // It may be drawn where it is not seen yet.
                let unseen = deepest(&page, until).filter(|node| !node.in_viewport());
                let element = unseen.and_then(|node| std::iter::once(node).chain(node.ancestors()).find(is_element));
                if let Some(element) = element {
                    let scroll = taken(ActionKind::Scroll, "0, 0");
                    self.on_node(Act { node: Some(element.key()), ..Act::bare(scroll) }, None)?;
                }
                return Ok((Ended::There, count + u32::from(element.is_some())));
            }
            if still >= STILL {
                return Ok((Ended::AtTheEnd, count));
            }
            if count >= MOST_SCROLLS || began.elapsed() > LONGEST {
                return Ok((Ended::Enough, count));
            }
            self.unblocked()?;
            let node = around.iter().copied().find(|key| page.find(*key).is_some());
            let before = places(&page);
            self.on_node(Act { node, ..Act::bare(taken(ActionKind::Scroll, text)) }, None)?;
            if self.page.as_ref().is_some_and(|page| places(page) == before) {
                still += 1;
                self.source()?.wait(MOMENT)?;
                self.source()?.refresh();
                self.look(None, true)?;
            } else {
                (still, count) = (0, count + 1);
            }
        }
    }
}
