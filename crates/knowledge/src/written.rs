//! What a written step says to do.
//!
//! In: a line of a numbered list. Out: the action, its target and what it is done with, or nothing
//! if the line begins with no verb that is known. Invariants: every verb of
//! [`ActionType`](crate::translate::ActionType) can be written; what stands in quotation marks is
//! the name of an element or what is typed, and is never read as a verb.

use crate::model::StepAction;
use crate::quoted::quoted;
use crate::translate::{ActionType, chord, object};
use serde_json::{Map, Value, json};

use ActionType as A;

/// What phrases that begin a step do; of several that fit the longest counts.
const PHRASES: &[(ActionType, &[&str])] = &[
    (A::Navigate, &["browse to", "go to", "navigate", "open", "visit"]),
    (A::NewTab, &["open a new tab", "open a tab"]),
    (A::Search, &["search for", "search the web for"]),
    (A::GoBack, &["go back", "move back", "navigate back", "return to the previous page"]),
    (A::GoForward, &["go forward", "navigate forward"]),
    (A::Refresh, &["refresh", "reload"]),
    (A::Wait, &["wait"]),
    (A::WaitFor, &["wait for", "wait until"]),
    (A::Click, &["click", "tap"]),
    (A::RightClick, &["context-click", "right click", "right-click"]),
    (A::DoubleClick, &["double click", "double-click"]),
    (A::Hover, &["hover", "mouse over", "point at"]),
    (A::DragDrop, &["drag"]),
    (A::Focus, &["focus"]),
    (A::Input, &["enter", "fill", "fill in", "fill out", "put", "set", "type"]),
    (A::Type, &["append"]),
    (A::TypeSlowly, &["type slowly"]),
    (A::Clear, &["clear", "empty"]),
    (A::SendKeys, &["hit", "press"]),
    (A::SelectAll, &["select all"]),
    (A::Copy, &["copy"]),
    (A::Paste, &["paste"]),
    (A::Cut, &["cut"]),
    (A::Undo, &["undo"]),
    (A::Redo, &["redo"]),
    (A::SelectDropdown, &["choose", "pick", "select"]),
    (A::DropdownOptions, &["list the options"]),
    (A::Check, &["check", "tick"]),
    (A::Uncheck, &["uncheck", "untick"]),
    (A::Toggle, &["toggle"]),
    (A::UploadFile, &["attach", "upload"]),
    (A::SubmitForm, &["submit"]),
    (A::ResetForm, &["reset"]),
    (A::Scroll, &["scroll"]),
    (A::ScrollUp, &["scroll up"]),
    (A::ScrollDown, &["scroll down"]),
    (A::ScrollToTop, &["scroll to the top"]),
    (A::ScrollToBottom, &["scroll to the bottom", "scroll to the end"]),
    (A::ScrollToElement, &["scroll to"]),
    (A::FindText, &["find"]),
    (A::SearchPage, &["search the page for"]),
    (A::PlayVideo, &["play"]),
    (A::PauseVideo, &["pause"]),
    (A::SeekVideo, &["seek", "skip to"]),
    (A::AdjustVolume, &["adjust the volume", "set the volume"]),
    (A::ToggleMute, &["mute", "unmute"]),
    (A::Screenshot, &["take a picture", "take a screenshot"]),
    (A::SaveAsPdf, &["save as pdf", "save the page as pdf"]),
    (A::Extract, &["extract", "read"]),
    (A::Switch, &["switch"]),
    (A::Close, &["close"]),
    (A::AcceptDialog, &["accept", "confirm the dialog"]),
    (A::DismissDialog, &["dismiss"]),
];

/// Reads a step; none where the line begins with no verb that is known, or does two things.
pub(crate) fn read(line: &str) -> Option<StepAction> {
    // Most phrases are ASCII, and lower case changes the length of few letters: lengths may differ.
    let lower = line.to_lowercase();
    let fits = |phrase: &str| lower.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let phrases = PHRASES.iter().flat_map(|(kind, phrases)| phrases.iter().map(move |phrase| (*phrase, *kind)));
    let (phrase, kind) = phrases.filter(|(phrase, _)| fits(phrase)).max_by_key(|(phrase, _)| phrase.len())?;
    let rest: String = line.chars().skip(phrase.chars().count()).collect();
    let said = VerbPhrase { rest: rest.trim(), kind, sets: phrase == "set" };
    if said.does_two() {
        return None;
    }
    let (kind, target, parameters) = said.read();
    Some(StepAction {
        action_type: kind.name().to_owned(),
        target,
        parameters: parameters.into_iter().filter(|(_, value)| !value.is_null()).collect(),
    })
}

/// What stands behind the verb.
struct VerbPhrase<'l> {
    rest: &'l str,
    kind: ActionType,
    /// Whether the verb names the field first: `Set "Name" to "Ada"`.
    sets: bool,
}

type Read = (ActionType, String, Map<String, Value>);

impl<'l> VerbPhrase<'l> {
    fn names(&self) -> Vec<&'l str> {
        quoted(self.rest).into_iter().map(|(_, name, _)| name).collect()
    }

    /// The first and the last of the names, if there are two.
    fn two(&self) -> Option<(&'l str, &'l str)> {
        match self.names().as_slice() {
            [first, .., last] => Some((first, last)),
            _ => None,
        }
    }

    /// Whether names are joined by "and" or "then": `Click "Save" and then "Close"`. Only what is
    /// dragged is so named in one doing: `Drag "Milk" and drop it on "Basket"`.
    fn does_two(&self) -> bool {
        let names = quoted(self.rest);
        let joins =
            |between: &str| between.split(|c: char| !c.is_alphabetic()).any(|word| matches!(word, "and" | "then"));
        let mut pairs = names.windows(2).map(|pair| &self.rest[self.rest.len() - pair[0].2.len()..pair[1].0.len()]);
        self.kind != A::DragDrop && pairs.any(joins)
    }

    fn last(&self) -> String {
        self.names().last().copied().unwrap_or_default().to_owned()
    }

    fn url(&self) -> Option<&'l str> {
        self.rest
            .split_whitespace()
            .map(|word| word.trim_matches(['<', '>', '(', ')', '.', ',', ';', '"', '“', '”', '`']))
            .find(|word| word.starts_with("http://") || word.starts_with("https://"))
    }

    /// The words outside of quotation marks, in lower case.
    fn words(&self) -> Vec<String> {
        let mut bare = self.rest.to_owned();
        for name in self.names() {
            bare = bare.replace(name, " ");
        }
        let words = bare.split(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | ':' | '%' | '.'));
        words.map(|word| word.trim_matches('.').to_lowercase()).filter(|word| !word.is_empty()).collect()
    }

    fn has(&self, word: &str) -> bool {
        self.words().iter().any(|known| known == word)
    }

    fn number(&self) -> Option<f64> {
        self.words().iter().find_map(|word| word.trim_end_matches(['%', 's']).parse().ok())
    }

    /// Seconds, as `0:30`, `90 seconds` or `2 minutes`.
    fn seconds(&self) -> Option<f64> {
        let clock = self.words().iter().find_map(|word| {
            let (minutes, seconds) = word.split_once(':')?;
            Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
        });
        let unit = match self.words().iter().any(|word| word.starts_with("minute")) {
            true => 60.0,
            false if self.has("ms") || self.has("milliseconds") => 0.001,
            false => 1.0,
        };
        clock.or(self.number().map(|number| number * unit))
    }

    /// The key or chord that is pressed, quoted or not: `Enter`, `the Escape key`, `Ctrl+S`.
    fn key(&self) -> Option<String> {
        let named = self.names();
        let quoted = named.first().and_then(|name| chord(name).filter(|key| key.chars().count() > 1));
        let bare = || {
            let words = self.rest.split(['"', '“', '`']).next().unwrap_or_default().split_whitespace();
            let words = words.map(|word| word.trim_matches(['.', ',', ';']));
            words.filter(|word| !matches!(*word, "the" | "on")).find_map(chord)
        };
        if self.has("button") || self.has("link") { None } else { quoted.or_else(bare) }
    }

    fn read(&self) -> Read {
        let with = |target: &str, more: Value| (self.kind, target.to_owned(), object(more));
        match self.kind {
            A::Navigate => match self.url() {
                Some(url) => with(url, json!({ "url": url })),
                // `Open the "Reports" menu` is no address.
                None if !self.names().is_empty() => self.click(),
                None => with("", json!({})),
            },
            A::NewTab => with("", json!({ "url": self.url() })),
            A::Search | A::SearchPage | A::FindText | A::Extract => {
                let query = self.names().first().map_or_else(|| self.rest.trim_matches('.'), |name| *name);
                let parameter = if self.kind == A::FindText { "text" } else { "query" };
                with("", json!({ parameter: query }))
            }
            A::Wait | A::SeekVideo => with("", json!({ "seconds": self.seconds() })),
            A::WaitFor => match (self.names().last(), self.seconds()) {
                (Some(name), _) => with(name, json!({ "text": name })),
                (None, seconds) => (A::Wait, String::new(), object(json!({ "seconds": seconds }))),
            },
            A::SendKeys => match self.key() {
                Some(key) => {
                    let on = self.two().map_or("", |(_, last)| last);
                    with(on, json!({ "keys": key }))
                }
                None => self.click(),
            },
            A::Input | A::Type | A::TypeSlowly => self.typed(),
            A::SelectDropdown => match self.two() {
                // `Select "Blue" from "Colour"`.
                Some((option, list)) => with(list, json!({ "text": option })),
                None => self.click(),
            },
            A::DragDrop => match self.two() {
                Some((from, to)) => with(from, json!({ "to": { "name": to } })),
                None => with(&self.last(), json!({})),
            },
            A::UploadFile => match self.two() {
                Some((file, field)) => with(field, json!({ "path": file })),
                None => with("", json!({ "path": self.names().last() })),
            },
            A::Close | A::Switch if !self.has("tab") && !self.names().is_empty() => self.click(),
            A::AcceptDialog | A::DismissDialog if !self.names().is_empty() && !self.has("dialog") => self.click(),
            A::Switch => with("", json!({ "index": self.number().map(|number| (number - 1.0).max(0.0)) })),
            A::AdjustVolume => with("", json!({ "volume": self.number() })),
            A::Scroll => {
                let directions = ["up", "down", "left", "right"];
                let direction = directions.into_iter().find(|direction| self.has(direction));
                with(&self.last(), json!({ "direction": direction, "amount": self.number() }))
            }
            A::ScrollUp | A::ScrollDown => with(&self.last(), json!({ "amount": self.number() })),
            _ => with(&self.last(), json!({})),
        }
    }

    /// What is named is pressed.
    fn click(&self) -> Read {
        (A::Click, self.last(), Map::new())
    }

    /// `Type "Ada" into "Name"`, and the other way about: `Fill "Name" with "Ada"`, `Set "Name" to
    /// "Ada"`.
    fn typed(&self) -> Read {
        let Some((first, last)) = self.two() else {
            let turns = |state: &str| self.has(state) && !self.names().is_empty();
            return match (self.rest.starts_with("the "), turns("on"), turns("off")) {
                (_, true, _) => (A::Check, self.last(), Map::new()),
                (_, _, true) => (A::Uncheck, self.last(), Map::new()),
                // What is typed is not said.
                _ if self.has("field") || self.has("box") => (self.kind, self.last(), Map::new()),
                _ => (self.kind, String::new(), object(json!({ "text": self.names().last() }))),
            };
        };
        let between = self.rest.split(first).nth(1).and_then(|rest| rest.split(last).next()).unwrap_or_default();
        let is_turned =
            between.split_whitespace().any(|word| word == "with" || (self.sets && matches!(word, "to" | "as")));
        let (text, target) = if is_turned { (last, first) } else { (first, last) };
        (self.kind, target.to_owned(), object(json!({ "text": text })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let Some(step) = read(line) else { return "nothing".to_owned() };
        let parameters = Value::Object(step.parameters.into_iter().collect());
        format!("{} {:?} {parameters}", step.action_type, step.target)
    }

    #[test]
    fn every_verb_of_the_seed_is_read() {
        for (line, read) in [
            ("Open https://shop.test/cart.", r#"navigate "https://shop.test/cart" {"url":"https://shop.test/cart"}"#),
            ("Open the \"Reports\" menu", r#"click "Reports" {}"#),
            ("Open a new tab at https://a.test/", r#"new_tab "" {"url":"https://a.test/"}"#),
            ("Search for \"red lamp\"", r#"search "" {"query":"red lamp"}"#),
            ("Go back", r#"go_back "" {}"#),
            ("Go forward.", r#"go_forward "" {}"#),
            ("Refresh the page", r#"refresh "" {}"#),
            ("Wait 5 seconds", r#"wait "" {"seconds":5.0}"#),
            ("Wait 2 minutes", r#"wait "" {"seconds":120.0}"#),
            ("Wait for \"Saved\" to appear", r#"wait_for "Saved" {"text":"Saved"}"#),
            ("Click the \"Sign in\" button", r#"click "Sign in" {}"#),
            ("Right-click \"Row 3\"", r#"right_click "Row 3" {}"#),
            ("Double click \"Row 3\"", r#"double_click "Row 3" {}"#),
            ("Hover over \"Account\"", r#"hover "Account" {}"#),
            ("Drag \"Milk\" and drop it on \"Basket\"", r#"drag_drop "Milk" {"to":{"name":"Basket"}}"#),
            ("Click \"Save\" and then \"Close\"", "nothing"),
            ("Fill \"Name\" with \"Jo\" and \"Surname\" with \"Li\"", "nothing"),
            ("Click \"Save and close\"", r#"click "Save and close" {}"#),
            ("Drag \"Milk\" onto \"Basket\"", r#"drag_drop "Milk" {"to":{"name":"Basket"}}"#),
            ("Focus the \"Name\" field", r#"focus "Name" {}"#),
            ("Type \"ada\" into the \"Name\" field", r#"input "Name" {"text":"ada"}"#),
            ("Fill in \"Name\" with \"ada\"", r#"input "Name" {"text":"ada"}"#),
            ("Set \"Name\" to \"ada\"", r#"input "Name" {"text":"ada"}"#),
            ("Enter the \"Name\" field", r#"input "Name" {}"#),
            ("Append \"!\" to \"Name\"", r#"type "Name" {"text":"!"}"#),
            ("Clear \"Name\"", r#"clear "Name" {}"#),
            ("Press Enter", r#"send_keys "" {"keys":"Enter"}"#),
            ("Press the Escape key.", r#"send_keys "" {"keys":"Escape"}"#),
            ("Press Ctrl+S", r#"send_keys "" {"keys":"Control+s"}"#),
            ("Press \"Tab\" in \"Name\"", r#"send_keys "Name" {"keys":"Tab"}"#),
            ("Press the \"Save\" button", r#"click "Save" {}"#),
            ("Select all", r#"select_all "" {}"#),
            ("Copy", r#"copy "" {}"#),
            ("Paste", r#"paste "" {}"#),
            ("Cut", r#"cut "" {}"#),
            ("Undo", r#"undo "" {}"#),
            ("Redo", r#"redo "" {}"#),
            ("Select \"Blue\" from \"Colour\"", r#"select_dropdown "Colour" {"text":"Blue"}"#),
            ("Choose \"Express\"", r#"click "Express" {}"#),
            ("Check \"Gift\"", r#"check "Gift" {}"#),
            ("Untick \"Gift\"", r#"uncheck "Gift" {}"#),
            ("Toggle \"Dark mode\"", r#"toggle "Dark mode" {}"#),
            ("Set \"Dark mode\" on", r#"check "Dark mode" {}"#),
            ("Upload \"cv.pdf\" to \"Attachment\"", r#"upload_file "Attachment" {"path":"cv.pdf"}"#),
            ("Submit the form", r#"submit_form "" {}"#),
            ("Reset the form", r#"reset_form "" {}"#),
            ("Scroll down", r#"scroll_down "" {}"#),
            ("Scroll to the bottom", r#"scroll_to_bottom "" {}"#),
            ("Scroll to \"Reviews\"", r#"scroll_to_element "Reviews" {}"#),
            ("Play the video", r#"play_video "" {}"#),
            ("Pause the video", r#"pause_video "" {}"#),
            ("Seek to 1:30", r#"seek_video "" {"seconds":90.0}"#),
            ("Set the volume to 50%", r#"adjust_volume "" {"volume":50.0}"#),
            ("Mute the video", r#"toggle_mute "" {}"#),
            ("Take a screenshot", r#"screenshot "" {}"#),
            ("Save the page as PDF", r#"save_as_pdf "" {}"#),
            ("Switch to tab 2", r#"switch "" {"index":1.0}"#),
            ("Switch to the \"Yearly\" plan", r#"click "Yearly" {}"#),
            ("Close the tab", r#"close "" {}"#),
            ("Close the \"Welcome\" dialog", r#"click "Welcome" {}"#),
            ("Accept the dialog", r#"accept_dialog "" {}"#),
            ("Dismiss the dialog", r#"dismiss_dialog "" {}"#),
            ("Extract the price", r#"extract "" {"query":"the price"}"#),
            ("That was it.", "nothing"),
            ("Checkered flags are nice", "nothing"),
        ] {
            assert_eq!(said(line), read, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_or_not(line in "(press|type|open|set|wait|drag|İ)[ -~\"“”é\u{130}]{0,60}") {
            if let Some(step) = read(&line) {
                proptest::prop_assert!(ActionType::parse(&step.action_type).is_ok());
            }
        }
    }
}
