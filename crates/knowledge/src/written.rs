//! What a written step says to do.
//!
//! In: a line of a numbered list. Out: the action, its target and what it is done with, or nothing
//! if the line begins with no verb that is known. Invariants: every verb of
//! [`ActionType`](crate::translate::ActionType) can be written; what stands in quotation marks is
//! the name of an element or what is typed, and is never read as a verb.

use crate::model::StepAction;
use crate::quoted::quoted;
use crate::translate::{ActionType, chord};
use serde_json::{Map, Value, json};

use ActionType as A;

/// Phrases that begin a step, and what they do; of several that fit the longest counts.
const PHRASES: &[(&str, ActionType)] = &[
    ("accept", A::AcceptDialog),
    ("adjust the volume", A::AdjustVolume),
    ("append", A::Type),
    ("attach", A::UploadFile),
    ("browse to", A::Navigate),
    ("check", A::Check),
    ("choose", A::SelectDropdown),
    ("clear", A::Clear),
    ("click", A::Click),
    ("close", A::Close),
    ("confirm the dialog", A::AcceptDialog),
    ("context-click", A::RightClick),
    ("copy", A::Copy),
    ("cut", A::Cut),
    ("dismiss", A::DismissDialog),
    ("double click", A::DoubleClick),
    ("double-click", A::DoubleClick),
    ("drag", A::DragDrop),
    ("empty", A::Clear),
    ("enter", A::Input),
    ("extract", A::Extract),
    ("fill", A::Input),
    ("fill in", A::Input),
    ("fill out", A::Input),
    ("find", A::FindText),
    ("focus", A::Focus),
    ("go back", A::GoBack),
    ("go forward", A::GoForward),
    ("go to", A::Navigate),
    ("hit", A::SendKeys),
    ("hover", A::Hover),
    ("list the options", A::DropdownOptions),
    ("mouse over", A::Hover),
    ("move back", A::GoBack),
    ("mute", A::ToggleMute),
    ("navigate", A::Navigate),
    ("navigate back", A::GoBack),
    ("navigate forward", A::GoForward),
    ("open", A::Navigate),
    ("open a new tab", A::NewTab),
    ("open a tab", A::NewTab),
    ("paste", A::Paste),
    ("pause", A::PauseVideo),
    ("pick", A::SelectDropdown),
    ("play", A::PlayVideo),
    ("point at", A::Hover),
    ("press", A::SendKeys),
    ("put", A::Input),
    ("read", A::Extract),
    ("redo", A::Redo),
    ("refresh", A::Refresh),
    ("reload", A::Refresh),
    ("reset", A::ResetForm),
    ("return to the previous page", A::GoBack),
    ("right click", A::RightClick),
    ("right-click", A::RightClick),
    ("save as pdf", A::SaveAsPdf),
    ("save the page as pdf", A::SaveAsPdf),
    ("scroll", A::Scroll),
    ("scroll down", A::ScrollDown),
    ("scroll to", A::ScrollToElement),
    ("scroll to the bottom", A::ScrollToBottom),
    ("scroll to the end", A::ScrollToBottom),
    ("scroll to the top", A::ScrollToTop),
    ("scroll up", A::ScrollUp),
    ("search for", A::Search),
    ("search the page for", A::SearchPage),
    ("search the web for", A::Search),
    ("seek", A::SeekVideo),
    ("select", A::SelectDropdown),
    ("select all", A::SelectAll),
    ("set", A::Input),
    ("set the volume", A::AdjustVolume),
    ("skip to", A::SeekVideo),
    ("submit", A::SubmitForm),
    ("switch", A::Switch),
    ("take a picture", A::Screenshot),
    ("take a screenshot", A::Screenshot),
    ("tap", A::Click),
    ("tick", A::Check),
    ("toggle", A::Toggle),
    ("type", A::Input),
    ("type slowly", A::TypeSlowly),
    ("uncheck", A::Uncheck),
    ("undo", A::Undo),
    ("unmute", A::ToggleMute),
    ("untick", A::Uncheck),
    ("upload", A::UploadFile),
    ("visit", A::Navigate),
    ("wait", A::Wait),
    ("wait for", A::WaitFor),
    ("wait until", A::WaitFor),
];

/// Reads a step; none where the line begins with no verb that is known, or does two things.
pub(crate) fn read(line: &str) -> Option<StepAction> {
    // Most phrases are ASCII, and lower case changes the length of few letters: lengths may differ.
    let lower = line.to_lowercase();
    let fits = |phrase: &str| lower.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let (phrase, kind) = PHRASES.iter().filter(|(phrase, _)| fits(phrase)).max_by_key(|(phrase, _)| phrase.len())?;
    let rest: String = line.chars().skip(phrase.chars().count()).collect();
    let said = VerbPhrase { rest: rest.trim(), kind: *kind, sets: *phrase == "set" };
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

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

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
                None if !self.names().is_empty() => (A::Click, self.last(), Map::new()),
                None => with("", json!({})),
            },
            A::NewTab => with("", json!({ "url": self.url() })),
            A::Search | A::SearchPage | A::FindText | A::Extract => {
                let query = self.names().first().map_or_else(|| self.rest.trim_matches('.'), |name| *name);
                let parameter = if self.kind == A::FindText { "text" } else { "query" };
                with("", json!({ parameter: query }))
            }
            A::Wait => match self.seconds() {
                Some(seconds) => with("", json!({ "seconds": seconds })),
                None => with("", json!({})),
            },
            A::WaitFor => match (self.names().last(), self.seconds()) {
                (Some(name), _) => with(name, json!({ "text": name })),
                (None, seconds) => (A::Wait, String::new(), object(json!({ "seconds": seconds }))),
            },
            A::SendKeys => match self.key() {
                Some(key) => {
                    let on = self.two().map_or("", |(_, last)| last);
                    with(on, json!({ "keys": key }))
                }
                None => (A::Click, self.last(), Map::new()),
            },
            A::Input | A::Type | A::TypeSlowly => self.typed(),
            A::SelectDropdown => match self.two() {
                // `Select "Blue" from "Colour"`.
                Some((option, list)) => with(list, json!({ "text": option })),
                None => (A::Click, self.last(), Map::new()),
            },
            A::DragDrop => match self.two() {
                Some((from, to)) => with(from, json!({ "to": { "name": to } })),
                None => with(&self.last(), json!({})),
            },
            A::UploadFile => match self.two() {
                Some((file, field)) => with(field, json!({ "path": file })),
                None => with("", json!({ "path": self.names().last() })),
            },
            A::Check | A::Uncheck | A::Toggle | A::Clear | A::Focus | A::Hover => with(&self.last(), json!({})),
            A::Close if !self.has("tab") && !self.names().is_empty() => (A::Click, self.last(), Map::new()),
            A::AcceptDialog | A::DismissDialog if !self.names().is_empty() && !self.has("dialog") => {
                (A::Click, self.last(), Map::new())
            }
            A::Switch if !self.has("tab") && !self.names().is_empty() => (A::Click, self.last(), Map::new()),
            A::Switch => with("", json!({ "index": self.number().map(|number| (number - 1.0).max(0.0)) })),
            A::SeekVideo => with("", json!({ "seconds": self.seconds() })),
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
