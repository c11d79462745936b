//! What is noted beside an answer: what an action led to that no observation tells.

use super::Session;
use super::click::{CLASS, CLASS_AROUND, class_change, is_click};
use super::dialogs::dialogs_change;
use super::formatting::{FORMATTING, formatting_change};
use crate::source::{Act, DragTo};
use browserlens_core::page::{Flags, NodeKey, NodeRef, Page};
use browserlens_core::strategy::ActionKind;
use browserlens_lens::format::escape;

/// What is noted of keys that changed nothing where nothing has the focus.
const NO_FOCUS: &str = "nothing has the focus: give the ref of the field\n";
/// What is noted of a canvas of which nothing is told.
const DRAWN: &str = "what a canvas draws is in no text: `screenshot` shows it\n";
/// How the note begins of what went elsewhere or got another size, in CSS px of the document.
const BOX: &str = "its box changed: ";

/// Whether a note tells a change.
pub(super) fn tells(notes: &str) -> bool {
    let tells =
        |line: &str| [CLASS, CLASS_AROUND, DRAWN, FORMATTING, BOX].iter().any(|note| line.starts_with(note.trim_end()));
    notes.lines().any(tells)
}

/// Says where a node is now and how large, if that was otherwise: a bar of a plan that was dragged.
/// What stands elsewhere in the page is told by what changed.
fn box_change(before: NodeRef<'_>, after: NodeRef<'_>) -> Option<String> {
    let place = |node: NodeRef<'_>| {
        let around = node.parent()?;
        let at = around.children().position(|child| child.id() == node.id());
        Some((around.key(), at))
    };
    if place(before) != place(after) {
        return None;
    }
    let told = |node: NodeRef<'_>| {
        let b = node.bounds();
        format!("{:.0}×{:.0} at {:.0}, {:.0}", b.width, b.height, b.x, b.y)
    };
    let (was, is) = (told(before), told(after));
    (was != is).then(|| format!("{BOX}{was} → {is}\n"))
}

impl Session {
    /// Notes what came of an action besides what is told.
    pub(super) fn note_more(&mut self, act: &Act, before: Option<&Page>) {
        let kind = act.taken.kind;
        let after = self.page.clone();
        let both = before.zip(after.as_deref());
        if self.pending.is_against_an_older_page()
            && let Some((before, after)) = both
        {
            self.notes.push_str(&dialogs_change(before, after));
        }
        let on = act.node.and_then(|key| after.as_ref()?.find(key));
        let is_canvas = on.is_some_and(|node| node.flags().has(Flags::CANVAS));
        if is_canvas && (kind == ActionKind::Drag || is_click(kind) && self.pending.is_silent()) {
            self.notes.push_str(DRAWN);
        }
        let earlier = self.clicked.take();
        if is_click(kind)
            && let Some(node) = act.node
            && let Some((before, after)) = both
        {
            let has_ref = self.lens.reference(node).is_some();
            self.notes.extend(class_change([before, after], node, earlier, has_ref));
            self.clicked = Some(node);
        }
        if (is_click(kind) || kind == ActionKind::Press)
            && let Some((before, after)) = both
        {
            self.notes.extend(formatting_change(before, after));
        }
        let may_move = kind == ActionKind::Drag || kind == ActionKind::Press && self.pending.is_silent();
        if may_move
            && let Some((before, after)) = both
            && let Some(after) = on.or_else(|| after.focused())
            && let Some(before) = before.find(after.key())
        {
            self.notes.extend(box_change(before, after));
        }
        self.note_selected(act);
    }

    /// Notes where what was dragged before or after another stands on the other side of it.
    pub(super) fn note_side(&mut self, dragged: NodeKey, to: DragTo) {
        let (DragTo::Before(other) | DragTo::After(other)) = to else { return };
        let after = to == DragTo::After(other);
        let Some(page) = &self.page else { return };
        let Some((dragged, other)) = page.find(dragged).zip(page.find(other)) else { return };
        let is_apart = !dragged.holds(other.id()) && !other.holds(dragged.id());
        if is_apart && (dragged.id() > other.id()) != after {
            let [is, was] = if after { ["before", "after"] } else { ["after", "before"] };
            self.notes.push_str(&format!("it stands {is} that now, not {was} it\n"));
        }
    }

    /// Notes what an action selected in a text, and where keys that changed nothing put the caret:
    /// no observation tells it. Nor that keys went to no field.
    fn note_selected(&mut self, act: &Act) {
        use ActionKind as K;
        let kind = act.taken.kind;
        let keys = act.taken.text.to_lowercase();
        let may_select = match kind {
            K::DoubleClick | K::Drag | K::Select => true,
            K::Press => keys.contains("shift+") || keys.ends_with("+a"),
            _ => false,
        };
        let is_silent =
            matches!(kind, K::Press | K::Type) && self.is_live() && self.pending.is_silent() && self.notes.is_empty();
        if !may_select && !is_silent {
            return;
        }
        let focused = self.page.as_ref().and_then(|page| page.focused());
        if focused.is_some_and(|field| field.flags().has(Flags::SECRET)) {
            return;
        }
        if let Some((what, text)) = self.source.as_mut().and_then(|source| source.selected_text()) {
            // A bar in a secret would keep it from being known.
            let joined = text.replacen('|', "", 1);
            if self.mask.text(&joined) != joined {
                return;
            }
            if what == "selected" || is_silent {
                self.notes.push_str(&format!("{what}: "));
                escape::quote(&mut self.notes, &text);
                self.notes.push('\n');
            }
        } else if is_silent && self.page.as_ref().is_some_and(|page| page.focused().is_none()) {
            self.notes.push_str(NO_FOCUS);
        }
    }
}
