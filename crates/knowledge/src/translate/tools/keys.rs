//! Names of keys, and chords of them.
//!
//! In: a text. Out: the one spelling that tools know, or nothing if it names no key.

/// Names of keys as browser-use knows them.
const KEYS: [&str; 34] = [
    "Enter", "Tab", "Delete", "Backspace", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp",
    "PageDown", "Home", "End", "Control", "Alt", "Meta", "Shift", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9",
    "F10", "F11", "F12", "Space", "Up", "Down", "Left", "Right",
];
/// Other names of keys.
const OTHER_KEYS: [(&str, &str); 9] = [
    ("return", "Enter"),
    ("esc", "Escape"),
    ("del", "Delete"),
    ("ctrl", "Control"),
    ("cmd", "Meta"),
    ("command", "Meta"),
    ("option", "Alt"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
];

pub(super) fn is_key(text: &str) -> bool {
    key(text.trim()).is_some()
}

fn key(text: &str) -> Option<&'static str> {
    let known = KEYS.iter().find(|key| key.eq_ignore_ascii_case(text)).copied();
    known.or_else(|| OTHER_KEYS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, key)| *key))
}

/// Returns a key or chord in the one spelling that tools know; none if it is neither. `Space` is
/// written as it is named: a blank is cut by some.
pub fn chord(keys: &str) -> Option<String> {
    let keys = keys.trim_matches(|c: char| c.is_control());
    let parts: Vec<&str> = match keys {
        "+" => return Some("+".to_owned()),
        " " => return Some("Space".to_owned()),
        keys => keys.trim().split('+').map(str::trim).collect(),
    };
    let (last, modifiers) = parts.split_last()?;
    let mut out: Vec<String> = Vec::new();
    for modifier in modifiers {
        match key(modifier)? {
            name @ ("Control" | "Alt" | "Meta" | "Shift") => out.push(name.to_owned()),
            _ => return None,
        }
    }
    let mut characters = last.chars();
    match (key(last), characters.next(), characters.next()) {
        (Some(name), ..) => out.push(name.to_owned()),
        (None, Some(c), None) if !c.is_control() => {
            out.push(if modifiers.is_empty() { c.to_string() } else { c.to_lowercase().to_string() });
        }
        _ => return None,
    }
    Some(out.join("+"))
}
