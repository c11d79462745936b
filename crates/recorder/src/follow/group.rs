//! Groups events to actions: ten keys are one fill, a click on a label that checks a box is one
//! check.
//!
//! In: what the listener said, in order, with the elements' nodes. Out: [`Act`]s. Invariants: an
//! event is part of one action or of none; what an action brings about by itself (a form's button
//! that Enter clicks) is no action; an action that is written takes nothing more in.

use crate::follow::signal::{ListenerMessage, Spot};
use browserlens_core::strategy::ActionKind;
use std::time::{Duration, Instant};

/// An action of somebody else.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub(crate) kind: ActionKind,
    pub(crate) tab: u32,
    pub(crate) spot: Option<Spot>,
    /// Other elements that it went through: the label of a box, the end of a drag.
    pub(crate) also: Vec<Spot>,
    pub(crate) text: String,
    pub(crate) secret: bool,
    /// Where a pointer acted, in CSS px of the document.
    pub(crate) point: Option<(f32, f32)>,
    /// Event that it began with; what follows from that event belongs to it.
    serials: Vec<u64>,
    pub(crate) began: Instant,
    /// Whether it has brought a new document: what the browser does after that is not its doing.
    pub(crate) navigated: bool,
    /// Whether it is not known yet that the page got it.
    undecided: bool,
    /// Whether it was taken back when its step had begun.
    pub(crate) taken_back: bool,
}

/// How long what may yet be taken back is waited for.
const LONGEST_UNDECIDED: Duration = Duration::from_secs(3);

impl Act {
    pub(crate) fn new(kind: ActionKind, tab: u32, spot: Option<Spot>, text: impl Into<String>) -> Self {
        Self {
            kind,
            tab,
            spot,
            also: Vec::new(),
            text: text.into(),
            secret: false,
            point: None,
            serials: Vec::new(),
            began: Instant::now(),
            navigated: false,
            undecided: false,
            taken_back: false,
        }
    }

    fn is_on(&self, spot: Option<&Spot>) -> bool {
        match (&self.spot, spot) {
            (Some(own), Some(other)) => own.is(other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    /// Whether it may yet be taken back.
    pub(crate) fn may_be_held(&self) -> bool {
        self.undecided && self.began.elapsed() < LONGEST_UNDECIDED
    }

    pub(crate) fn caused(&self, said: &ListenerMessage) -> bool {
        said.by != 0 && self.serials.contains(&said.by)
    }
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is part of the last action.
    Merged,
    /// It begins a new one.
    Begun,
    /// It is no action.
    Passed,
}

/// Takes an event into the actions that are not written yet.
pub(crate) fn take(
    open: &mut Vec<Act>,
    said: &ListenerMessage,
    tab: u32,
    spot: Option<Spot>,
    to: Option<Spot>,
) -> Taken {
    let begin = |open: &mut Vec<Act>, kind: ActionKind, spot: Option<Spot>, text: &str| {
        let mut act = Act::new(kind, tab, spot, text);
        (act.point, act.secret, act.undecided) = (said.at, said.secret, said.undecided);
        act.serials.push(said.serial);
        open.push(act);
        Taken::Begun
    };
    let last_is = |open: &Vec<Act>, kinds: &[ActionKind]| {
        open.last().is_some_and(|act| act.tab == tab && kinds.contains(&act.kind) && act.is_on(spot.as_ref()))
    };
    match said.kind.as_str() {
        "click" if said.follows => {
            if let Some(act) = open.last_mut().filter(|act| act.caused(said))
                && let Some(spot) = spot
            {
                act.also.push(spot);
                return Taken::Merged;
            }
            Taken::Passed
        }
        "click" => {
            if said.detail > 1 && last_is(open, &[ActionKind::Click, ActionKind::DoubleClick, ActionKind::Check]) {
                return merge(open, said, |_| {});
            }
            // The pointer comes to a node before it presses.
            if last_is(open, &[ActionKind::Hover]) {
                open.pop();
            }
            begin(open, ActionKind::Click, spot, "")
        }
        "dblclick" => {
            if last_is(open, &[ActionKind::Click, ActionKind::Check]) {
                return merge(open, said, |act| act.kind = ActionKind::DoubleClick);
            }
            begin(open, ActionKind::DoubleClick, spot, "")
        }
        "contextmenu" => begin(open, ActionKind::RightClick, spot, ""),
        "hover" => begin(open, ActionKind::Hover, spot, ""),
        "scroll" => {
            if last_is(open, &[ActionKind::Scroll]) {
                return merge(open, said, |act| act.text = added(&act.text, &said.value));
            }
            begin(open, ActionKind::Scroll, spot, &said.value)
        }
        "drag" => {
            let taken = begin(open, ActionKind::Drag, spot, "");
            if let Some(act) = open.last_mut() {
                act.also.extend(to);
            }
            taken
        }
        "key" => begin(open, ActionKind::Press, spot, &said.value),
        "reached" => {
            open.iter_mut().filter(|act| act.caused(said)).for_each(|act| act.undecided = false);
            Taken::Passed
        }
        // The page never got it.
        "held" => {
            let before = open.len();
            open.retain(|act| !act.caused(said));
            if open.len() < before { Taken::Merged } else { Taken::Passed }
        }
        "value" => value(open, said, spot, begin),
        _ => Taken::Passed,
    }
}

fn merge(open: &mut [Act], said: &ListenerMessage, change: impl FnOnce(&mut Act)) -> Taken {
    let Some(act) = open.last_mut() else { return Taken::Passed };
    act.serials.push(said.serial);
    act.undecided |= said.undecided;
    change(act);
    Taken::Merged
}

/// A field has another value.
fn value(
    open: &mut Vec<Act>,
    said: &ListenerMessage,
    spot: Option<Spot>,
    begin: impl FnOnce(&mut Vec<Act>, ActionKind, Option<Spot>, &str) -> Taken,
) -> Taken {
    let kind = match said.control.as_str() {
        "checkbox" | "radio" => ActionKind::Check,
        "select" => ActionKind::Select,
        "file" => ActionKind::Upload,
        _ => ActionKind::Fill,
    };
    // Enter in a text area writes; in a form's field it sends.
    if kind == ActionKind::Fill
        && let [.., before, last] = open.as_slice()
        && last.kind == ActionKind::Press
        && last.caused(said)
        && before.kind == ActionKind::Fill
        && before.is_on(spot.as_ref())
    {
        open.pop();
    }
    let Some(last) = open.last_mut() else { return begin(open, kind, spot, &said.value) };
    let same = last.is_on(spot.as_ref());
    let through = |last: &Act| spot.as_ref().is_some_and(|spot| last.also.iter().any(|other| other.is(spot)));
    let clicked = last.kind == ActionKind::Click;
    let becomes = match kind {
        // A key that a control answers to stays a key.
        ActionKind::Check => clicked && last.caused(said),
        ActionKind::Select => (last.kind == kind && same) || (clicked && (same || last.caused(said))),
        ActionKind::Upload => (last.kind == kind && same) || (clicked && (same || through(last))),
        _ => {
            let pressed = last.kind == ActionKind::Press;
            let writes = pressed && (is_editing(&last.text) || (last.caused(said) && !said.untrusted));
            same && (last.kind == ActionKind::Fill || clicked || writes) || (clicked && through(last))
        }
    };
    if becomes {
        if !last.is_on(spot.as_ref()) {
            let was = std::mem::replace(&mut last.spot, spot);
            last.also.retain(|other| last.spot.as_ref().is_none_or(|spot| !spot.is(other)));
            last.also.extend(was);
        }
        last.kind = kind;
        last.text.clone_from(&said.value);
        last.secret |= said.secret;
        last.serials.push(said.serial);
        if kind != ActionKind::Check {
            last.point = None;
        }
        forget_way_into(open);
        return Taken::Merged;
    }
    // What a key or a drag does to the control that has it belongs to it.
    if said.follows
        && last.caused(said)
        && matches!(last.kind, ActionKind::Press | ActionKind::Drag | ActionKind::Click)
    {
        last.serials.push(said.serial);
        return Taken::Merged;
    }
    begin(open, kind, spot, &said.value)
}

/// Drops what only led to the fill that is last: the click into its field, the key that emptied it.
fn forget_way_into(open: &mut Vec<Act>) {
    while let [.., before, last] = open.as_slice()
        && last.kind == ActionKind::Fill
        && before.tab == last.tab
        && before.is_on(last.spot.as_ref())
        && (matches!(before.kind, ActionKind::Click | ActionKind::Fill | ActionKind::Hover)
            || before.kind == ActionKind::Press && is_editing(&before.text))
    {
        open.remove(open.len() - 2);
    }
}

fn is_editing(key: &str) -> bool {
    let key = key.to_lowercase();
    matches!(key.as_str(), "backspace" | "delete" | "home" | "end")
        || ["control+", "meta+"].iter().any(|held| {
            key.strip_prefix(held).is_some_and(|key| matches!(key, "a" | "v" | "x" | "z" | "backspace" | "delete"))
        })
}

/// Returns the sum of two ways, each as `x, y`.
fn added(one: &str, other: &str) -> String {
    let way = |text: &str| {
        let (x, y) = text.split_once(", ")?;
        Some((x.parse::<i64>().ok()?, y.parse::<i64>().ok()?))
    };
    match (way(one), way(other)) {
        (Some(a), Some(b)) => format!("{}, {}", a.0 + b.0, a.1 + b.1),
        _ => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::NodeKey;

    fn spot(backend: u32) -> Option<Spot> {
        Some(Spot { key: Some(NodeKey { frame: 1, loader: 1, backend }), ..Spot::default() })
    }

    /// Takes events, each a JSON object whose `on` names its node, and returns the actions as
    /// `kind node text`.
    fn acts(events: &[&str]) -> Vec<String> {
        let mut open = Vec::new();
        for event in events {
            let said: ListenerMessage = serde_json::from_str(event).expect("an event");
            let node = |name: &str| {
                let value: serde_json::Value = serde_json::from_str(event).expect("an event");
                value[name].as_u64().and_then(|backend| spot(backend as u32))
            };
            take(&mut open, &said, 0, node("on"), node("end"));
        }
        open.iter()
            .map(|act| {
                let node = act.spot.as_ref().and_then(|spot| spot.key).map_or(0, |key| key.backend);
                format!("{} {node} {}", act.kind, act.text).trim_end().to_owned()
            })
            .collect()
    }

    #[test]
    fn keys_into_a_field_are_one_fill_with_the_last_value() {
        let typed = [
            r#"{"s":1,"k":"click","on":7,"detail":1}"#,
            r#"{"s":2,"k":"key","v":"Control+a","on":7,"typed":true}"#,
            r#"{"s":3,"k":"value","c":"text","v":"l","on":7}"#,
            r#"{"s":4,"k":"value","c":"text","v":"la","on":7}"#,
            r#"{"s":5,"k":"key","v":"Backspace","on":7,"typed":true}"#,
            r#"{"s":6,"k":"value","c":"text","v":"l","on":7,"by":5,"follows":true}"#,
        ];
        assert_eq!(acts(&typed[..4]), ["fill 7 la"].map(str::to_owned).as_slice().to_vec());
        assert_eq!(acts(&typed).last().map(String::as_str), Some("fill 7 l"));
    }

    #[test]
    fn a_click_on_a_label_that_checks_a_box_is_one_check_of_the_box() {
        let events = [
            r#"{"s":1,"k":"click","on":3,"detail":1}"#,
            r#"{"s":2,"k":"click","on":4,"by":1,"follows":true}"#,
            r#"{"s":3,"k":"value","c":"checkbox","v":"true","on":4,"by":1,"follows":true}"#,
        ];
        assert_eq!(acts(&events), ["check 4 true"]);
    }

    #[test]
    fn enter_sends_a_form_and_the_click_that_it_makes_is_no_action() {
        let events = [
            r#"{"s":1,"k":"value","c":"text","v":"lamp","on":5}"#,
            r#"{"s":2,"k":"key","v":"Enter","on":5,"typed":true}"#,
            r#"{"s":3,"k":"click","on":9,"by":2,"follows":true}"#,
        ];
        assert_eq!(acts(&events), ["fill 5 lamp", "press 5 Enter"]);
    }

    #[test]
    fn enter_in_a_text_area_is_part_of_its_text() {
        let events = [
            r#"{"s":1,"k":"value","c":"text","v":"a","on":5}"#,
            r#"{"s":2,"k":"key","v":"Enter","on":5,"typed":true}"#,
            r#"{"s":3,"k":"value","c":"text","v":"a\n","on":5,"by":2,"follows":true}"#,
        ];
        assert_eq!(acts(&events), ["fill 5 a"]);
    }

    #[test]
    fn a_click_waits_until_it_is_known_whether_the_page_got_it() {
        let said = |event: &str| serde_json::from_str::<ListenerMessage>(event).expect("an event");
        let click = |serial: u64| said(&format!(r#"{{"s":{serial},"k":"click","undecided":true}}"#));
        let mut open = Vec::new();
        take(&mut open, &click(1), 0, spot(4), None);
        assert!(open[0].may_be_held());
        take(&mut open, &said(r#"{"s":2,"k":"reached","by":1}"#), 0, None, None);
        assert!(!open[0].may_be_held());
        take(&mut open, &click(3), 0, spot(5), None);
        take(&mut open, &said(r#"{"s":4,"k":"held","by":3}"#), 0, None, None);
        assert_eq!(open.len(), 1);
    }

    #[test]
    fn two_fields_are_two_fills_and_a_field_that_a_click_changes_is_none() {
        let events = [
            r#"{"s":1,"k":"value","c":"text","v":"a","on":5}"#,
            r#"{"s":2,"k":"value","c":"text","v":"b","on":6}"#,
            r#"{"s":3,"k":"click","on":8,"detail":1}"#,
            r#"{"s":4,"k":"value","c":"text","v":"c","on":6,"by":3,"follows":true}"#,
        ];
        assert_eq!(acts(&events), ["fill 5 a", "fill 6 b", "click 8"]);
    }

    #[test]
    fn a_second_click_makes_a_double_click_and_wheels_add_up() {
        let events = [
            r#"{"s":1,"k":"hover","on":8}"#,
            r#"{"s":2,"k":"click","on":8,"detail":1}"#,
            r#"{"s":3,"k":"click","on":8,"detail":2}"#,
            r#"{"s":4,"k":"dblclick","on":8}"#,
            r#"{"s":5,"k":"scroll","v":"0, 300"}"#,
            r#"{"s":6,"k":"scroll","v":"0, -100"}"#,
            r#"{"s":7,"k":"drag","on":1,"end":2}"#,
        ];
        assert_eq!(acts(&events), ["double_click 8", "scroll 0 0, 200", "drag 1"]);
    }
}
