//! Pointer and keys: real input events.
//!
//! In: points in CSS px of the viewport, keys, text. Out: events that the page cannot tell from a
//! person's. Invariant: an event that opens a dialog is not waited for: the page answers nothing
//! until the dialog is closed.

use crate::browser_state::State;
use crate::driver::Driver;
use crate::socket::{CALL_LIMIT, CallError};
use chromiumoxide::cdp::browser_protocol::input::MouseButton;
use chromiumoxide::keys::{KeyDefinition, USKEYBOARD_LAYOUT};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const EVENT_LIMIT: Duration = Duration::from_secs(30);

/// Moves of a drag, and the least time between two of them: a painted frame.
const MOVES: u32 = 12;
const A_MOVE: Duration = Duration::from_millis(20);

/// First part of a pointer's way, in CSS px.
const A_LITTLE: f64 = 6.0;

/// Modifier keys, with their bit in the protocol.
const MODIFIERS: [(&str, i64); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

impl Driver {
    /// Sends an input event and awaits its acknowledgement; a dialog or a closed tab ends the wait too.
    async fn dispatch(&self, method: &str, params: &Value) -> Result<(), CallError> {
        self.browser.read().input.get_or_insert_with(Instant::now);
        let session = self.session();
        let event = self.socket.call(Some(&session), method, params, CALL_LIMIT);
        let is_closed = |state: &State| state.tab(self.tab).is_some_and(|tab| !tab.open).then_some(());
        tokio::select! {
            biased;
            done = event => match done {
                Ok(_) => Ok(()),
                Err(error) => {
                    // A tab that the event closed answers no more; what says that it is closed came before.
                    self.catch_up(Instant::now() + EVENT_LIMIT).await;
                    let closed = is_closed(&self.browser.read()).is_some();
                    if closed { Ok(()) } else { Err(CallError::Refused { message: error.to_string() }) }
                }
            },
            why = self.interrupted(EVENT_LIMIT) => match why {
                CallError::Dialog => Ok(()),
                other => Err(other),
            },
            _ = self.browser.wait_for(Instant::now() + EVENT_LIMIT, is_closed) => Ok(()),
        }
    }

    async fn mouse(
        &mut self,
        kind: &str,
        (x, y): (f64, f64),
        button: MouseButton,
        buttons: i64,
        clicks: i64,
    ) -> Result<(), CallError> {
        self.pointer = (x, y);
        let params = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": clicks,
            "modifiers": self.held });
        self.dispatch("Input.dispatchMouseEvent", &params).await
    }

    /// Moves the pointer: a little on its way, then all of it. A menu closes under a pointer that it did not
    /// see come its way; on a longer way others would open.
    pub(crate) async fn move_to(&mut self, point: (f64, f64)) -> Result<(), CallError> {
        let from = self.pointer;
        let way = (point.0 - from.0, point.1 - from.1);
        let far = way.0.hypot(way.1);
        if far > 4.0 * A_LITTLE {
            let part = A_LITTLE / far;
            let little = (from.0 + way.0 * part, from.1 + way.1 * part);
            self.mouse("mouseMoved", little, MouseButton::None, 0, 0).await?;
        }
        self.mouse("mouseMoved", point, MouseButton::None, 0, 0).await
    }

    /// Clicks `times` at a point.
    pub(crate) async fn click_at(
        &mut self,
        point: (f64, f64),
        button: MouseButton,
        times: i64,
    ) -> Result<(), CallError> {
        self.move_to(point).await?;
        let held = if button == MouseButton::Right { 2 } else { 1 };
        for clicks in 1..=times {
            for (kind, buttons) in [("mousePressed", held), ("mouseReleased", 0)] {
                if self.is_blocked() {
                    return Ok(());
                }
                self.mouse(kind, point, button.clone(), buttons, clicks).await?;
            }
        }
        Ok(())
    }

    /// Returns whether a dialog blocks the tab or the tab is closed.
    pub(crate) fn is_blocked(&self) -> bool {
        let state = self.browser.read();
        state.has_dialog(self.tab) || !state.is_open(self.tab)
    }

    /// Takes up what is dragged.
    pub(crate) async fn take_up(&mut self, from: (f64, f64)) -> Result<(), CallError> {
        self.browser.change(|state| state.drag = None);
        self.intercept_drags(true).await?;
        self.move_to(from).await?;
        self.mouse("mousePressed", from, MouseButton::Left, 1, 1).await
    }

    /// Carries what was taken up from a point to a point; where the page starts a drag of its own
    /// (`draggable`), that is gone on with.
    pub(crate) async fn carry(&mut self, from: (f64, f64), to: (f64, f64)) -> Result<(), CallError> {
        let mut drag = self.browser.read().drag.clone();
        let far = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
        let along = |part: f64| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        // As a hand does it: slowly off, quicker over, and a moment of rest at the end. What is
        // sorted moves out of the way of each move.
        let off = [2.0, 5.0, 10.0].into_iter().map(|px| px / far).filter(|part| *part < 0.2);
        let over = (1..=MOVES).map(|step| f64::from(step) / f64::from(MOVES));
        let mut points: Vec<(f64, f64)> = off.chain(over).map(along).collect();
        points.extend([(to.0 - 1.0, to.1 - 1.0), to]);
        for point in points {
            if drag.is_none() {
                self.mouse("mouseMoved", point, MouseButton::Left, 1, 0).await?;
                // The browser tells of a drag after the page's handlers of it have run.
                let soon = Instant::now() + A_MOVE;
                drag = self.browser.wait_for(soon, |state| state.drag.clone()).await;
                if drag.is_some() {
                    self.drag_event("dragEnter", point, drag.as_ref()).await?;
                }
            }
            if drag.is_some() {
                self.drag_event("dragOver", point, drag.as_ref()).await?;
                tokio::time::sleep(A_MOVE).await;
            }
        }
        Ok(())
    }

    /// Puts down what is dragged.
    pub(crate) async fn put_down(&mut self, to: (f64, f64)) -> Result<(), CallError> {
        let drag = self.browser.read().drag.clone();
        if drag.is_some() {
            self.drag_event("dragOver", to, drag.as_ref()).await?;
            self.drag_event("drop", to, drag.as_ref()).await?;
        }
        self.mouse("mouseReleased", to, MouseButton::Left, 0, 1).await?;
        self.intercept_drags(false).await
    }

    /// Drags are told to the session that asks for them: our own, whose events we read.
    async fn intercept_drags(&self, on: bool) -> Result<(), CallError> {
        self.call(&self.session(), "Input.setInterceptDrags", &json!({ "enabled": on })).await.map(drop)
    }

    /// Sends an event of a drag with its data as the browser gave them.
    async fn drag_event(&self, kind: &str, (x, y): (f64, f64), data: Option<&Value>) -> Result<(), CallError> {
        self.dispatch("Input.dispatchDragEvent", &json!({ "type": kind, "x": x, "y": y, "data": data })).await
    }

    /// Inserts text at once, as an input method does.
    pub(crate) async fn insert_text(&self, text: &str) -> Result<(), CallError> {
        self.dispatch("Input.insertText", &json!({ "text": text })).await
    }

    /// Tells of the last key of a text that it came up: pickers and sums read a field then.
    pub(crate) async fn key_up(&self, text: &str) -> Result<(), CallError> {
        let last = text.chars().next_back().and_then(|last| definition(&last.to_string()));
        match last.filter(|_| !self.is_blocked()) {
            Some(known) => self.key_event("keyUp", known, 0, None).await,
            None => Ok(()),
        }
    }

    /// Types key by key; characters that no key of the table makes are inserted. Returns how many
    /// were typed: a dialog ends it.
    pub(crate) async fn type_text(&self, text: &str) -> Result<usize, CallError> {
        for (typed, character) in text.chars().enumerate() {
            if self.is_blocked() {
                return Ok(typed);
            }
            let key = match character {
                '\n' | '\r' => "Enter".to_owned(),
                '\t' => "Tab".to_owned(),
                other => other.to_string(),
            };
            match definition(&key) {
                Some(known) => self.press_key(known, needs_shift(character)).await?,
                None => self.insert_text(&key).await?,
            }
        }
        Ok(text.chars().count())
    }

    /// Presses a key or a chord such as `Control+Shift+K`.
    pub(crate) async fn press(&self, chord: &str) -> Result<(), CallError> {
        let (modifiers, key) = parse_chord(chord)?;
        let mut held = 0;
        for (name, bit) in MODIFIERS.iter().filter(|(_, bit)| modifiers & bit != 0) {
            held |= bit;
            if let Some(known) = definition(name) {
                self.key_event("rawKeyDown", known, held, None).await?;
            }
        }
        match definition(&key) {
            Some(known) => self.press_key(known, held).await?,
            None => self.insert_text(&key).await?,
        }
        for (name, bit) in MODIFIERS.iter().rev().filter(|(_, bit)| modifiers & bit != 0) {
            held &= !bit;
            if let Some(known) = definition(name) {
                if self.is_blocked() {
                    return Ok(());
                }
                self.key_event("keyUp", known, held, None).await?;
            }
        }
        Ok(())
    }

    async fn press_key(&self, key: &KeyDefinition, modifiers: i64) -> Result<(), CallError> {
        let written = key.text.or_else(|| (key.key.chars().count() == 1).then_some(key.key));
        // With Control, Alt or Meta held a key is a command and writes nothing.
        let text = written.filter(|_| modifiers & !8 == 0);
        let kind = if text.is_some() { "keyDown" } else { "rawKeyDown" };
        self.key_event(kind, key, modifiers, text).await?;
        if self.is_blocked() {
            return Ok(());
        }
        self.key_event("keyUp", key, modifiers, None).await
    }

    async fn key_event(
        &self,
        kind: &str,
        key: &KeyDefinition,
        modifiers: i64,
        text: Option<&str>,
    ) -> Result<(), CallError> {
        let mut params = json!({ "type": kind, "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.key_code,
            "modifiers": modifiers });
        if let Some(text) = text {
            (params["text"], params["unmodifiedText"]) = (text.into(), text.into());
        }
        // Without the command the browser's own editing shortcuts do not run for synthetic keys.
        let command = EDITING.iter().find(|(known, _)| known.eq_ignore_ascii_case(key.key));
        if let Some((_, command)) = command.filter(|_| kind != "keyUp" && modifiers & 2 != 0) {
            params["commands"] = json!([command]);
        }
        self.dispatch("Input.dispatchKeyEvent", &params).await
    }
}

fn definition(key: &str) -> Option<&'static KeyDefinition> {
    // The table lists digits and signs of the number pad too; the main block comes first.
    USKEYBOARD_LAYOUT.iter().find(|known| known.key == key)
}

fn needs_shift(character: char) -> i64 {
    let shifted = character.is_ascii_uppercase() || "~!@#$%^&*()_+{}|:\"<>?".contains(character);
    if shifted { 8 } else { 0 }
}

/// Keys that are commands of the browser's own editing with Control held.
const EDITING: [(&str, &str); 5] = [("a", "selectAll"), ("c", "copy"), ("x", "cut"), ("v", "paste"), ("z", "undo")];

/// Returns the keys that are held while the pointer clicks (`Shift`, `Control+Alt`), as CDP counts
/// them; words that name none hold none.
pub(crate) fn held_keys(names: &str) -> i64 {
    let bit = |name: &str| MODIFIERS.iter().find(|(known, _)| *known == name).map_or(0, |(_, bit)| *bit);
    names.split('+').map(bit).fold(0, |held, bit| held | bit)
}

pub(crate) fn parse_chord(chord: &str) -> Result<(i64, String), CallError> {
    let unknown = |key: &str| {
        let known = "keys are named as in KeyboardEvent.key, such as Enter, ArrowDown or Control+A";
        CallError::Refused { message: format!("{key:?} is no key; {known}") }
    };
    // "+" itself is a key, alone or at the end of a chord.
    let (names, key) = match chord.strip_suffix('+') {
        Some(rest) if rest.is_empty() || rest.ends_with('+') => (rest.trim_end_matches('+'), "+"),
        _ => chord.rsplit_once('+').unwrap_or(("", chord)),
    };
    let mut modifiers = 0;
    for name in names.split('+').filter(|name| !name.is_empty()) {
        let name = match name.to_ascii_lowercase().as_str() {
            "ctrl" => "Control",
            "cmd" | "command" => "Meta",
            "option" => "Alt",
            _ => name,
        };
        let known = MODIFIERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        modifiers |= known.ok_or_else(|| unknown(name))?.1;
    }
    let key = if key == "Space" { " " } else { key };
    let is_one = key.chars().count() == 1;
    if !is_one && definition(key).is_none() {
        return Err(unknown(key));
    }
    // A capital letter without Shift would be a key that no keyboard has: Control+A means the key
    // A, as people write it.
    let lower = is_one && modifiers & 8 == 0 && modifiers != 0;
    Ok((modifiers, if lower { key.to_lowercase() } else { key.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_parse_into_modifiers_and_a_key() {
        let parsed = |chord: &str| parse_chord(chord).expect("a chord");
        assert_eq!(parsed("Enter"), (0, "Enter".into()));
        assert_eq!(parsed("Control+A"), (2, "a".into()));
        assert_eq!(parsed("Control+Shift+K"), (10, "K".into()));
        assert_eq!(parsed("+"), (0, "+".into()));
        assert_eq!(parsed("Control++"), (2, "+".into()));
        assert_eq!(parsed("Space"), (0, " ".into()));
        assert_eq!(parsed("é"), (0, "é".into()));
        assert_eq!([parsed("Ctrl+A"), parsed("shift+Tab")], [(2, "a".into()), (8, "Tab".into())]);
        for bad in ["Entr", "Strg+A", "", "Control+Nope"] {
            assert!(parse_chord(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_printable_ascii_character_is_a_key_of_the_table() {
        for byte in 0x20..0x7f_u8 {
            let key = char::from(byte).to_string();
            assert!(definition(&key).is_some(), "{key:?}");
        }
    }
}
