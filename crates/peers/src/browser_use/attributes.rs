//! The attributes of an element's line, and the components of compound controls.
//!
//! In: a [`View`]. Out: `key=value` words. Invariant: order is the tool's: attributes of the
//! document in source order, then format hints, then accessibility properties; a later value
//! replaces an earlier one in its place.

use super::view::View;
use crate::dom::{Id, push_reversed};
use browserlens_core::page::NodeKind;

/// The attributes that are shown, in the order that decides which of two equal values stays.
pub const SHOWN: &[&str] = &[
    "title", "type", "checked", "id", "name", "role", "value", "placeholder", "data-date-format", "alt", "aria-label",
    "aria-expanded", "data-state", "aria-checked", "aria-valuemin", "aria-valuemax", "aria-valuenow",
    "aria-placeholder", "pattern", "min", "max", "minlength", "maxlength", "step", "accept", "multiple", "inputmode",
    "autocomplete", "aria-autocomplete", "list", "data-mask", "data-inputmask", "data-datepicker", "format",
    "expected_format", "contenteditable", "pseudo", "selected", "expanded", "pressed", "disabled", "invalid",
    "valuemin", "valuemax", "valuenow", "keyshortcuts", "haspopup", "multiselectable", "required", "valuetext",
    "level", "busy", "live", "ax_name",
];

/// Longest value of an attribute, in characters.
const LONGEST: usize = 100;
/// Longest source of a word about an image.
const LONGEST_IMAGE_SOURCE: usize = 4_096;

/// Keys in order, each once.
#[derive(Default)]
struct Words(Vec<(String, String)>);

impl Words {
    fn set(&mut self, key: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => value.clone_into(known),
            None => self.0.push((key.to_owned(), value.to_owned())),
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    fn remove(&mut self, key: &str) {
        self.0.retain(|(known, _)| known != key);
    }
}

/// Cuts a value as the tool does.
pub(super) fn cap(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The attributes of an element's line; empty if there are none.
pub(super) fn attribute_words(view: &View<'_, '_>, id: Id) -> String {
    let tag = view.dom.tag(id);
    let attributes = view.attributes(id);
    let get = |name: &str| attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let mut words = Words::default();
    for (name, value) in &attributes {
        if SHOWN.contains(name) && !value.trim().is_empty() {
            words.set(name, value.trim());
        }
    }
    let kind = get("type").unwrap_or("").to_lowercase();
    if tag == "input" && !attributes.is_empty() {
        add_formats(&mut words, &kind, get);
    }
    let password = tag == "input" && kind == "password";
    let ax = view.ax(id);
    let properties = ax.iter().flat_map(|ax| &ax.properties);
    for (name, value) in properties.clone() {
        let text = value.text().trim();
        if SHOWN.contains(&name.as_str())
            && !text.is_empty()
            && !(password && matches!(name.as_str(), "value" | "valuetext"))
        {
            words.set(name, text);
        }
    }
    if password {
        words.remove("value");
    } else if matches!(tag, "input" | "textarea" | "select") {
        let value = properties
            .filter(|(name, _)| matches!(name.as_str(), "valuetext" | "value"))
            .map(|(_, value)| value.text().trim());
        if let Some(value) = value.into_iter().find(|value| !value.is_empty()) {
            words.set("value", value);
        }
    }
    drop_repetitions(&mut words);
    if words.get("type").is_some_and(|kind| kind.eq_ignore_ascii_case(tag)) {
        words.remove("type");
    }
    if words.get("invalid").is_some_and(|value| value.eq_ignore_ascii_case("false")) {
        words.remove("invalid");
    }
    if words.get("required").is_some_and(|value| matches!(value.to_lowercase().as_str(), "false" | "0" | "no")) {
        words.remove("required");
    }
    if words.get("expanded").is_some() {
        words.remove("aria-expanded");
    }
    let shown: Vec<String> = words.0.iter().map(|(key, value)| format!("{key}={}", cap(value, LONGEST))).collect();
    shown.join(" ")
}

fn date_format(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "date" => "YYYY-MM-DD",
        "time" => "HH:MM",
        "datetime-local" => "YYYY-MM-DDTHH:MM",
        "month" => "YYYY-MM",
        "week" => "YYYY-W##",
        _ => return None,
    })
}

fn add_formats<'a>(words: &mut Words, kind: &str, get: impl Fn(&str) -> Option<&'a str>) {
    if let Some(format) = date_format(kind) {
        words.set("format", format);
    }
    if words.get("placeholder").is_some() {
        return;
    }
    if let Some(format) = date_format(kind) {
        words.set("placeholder", format);
    } else if kind == "tel" && words.get("pattern").is_none() {
        words.set("placeholder", "123-456-7890");
    } else if matches!(kind, "text" | "") {
        let class = get("class").unwrap_or("").to_lowercase();
        let picker = ["datepicker", "datetimepicker", "daterangepicker"].into_iter().any(|word| class.contains(word));
        if let Some(format) = get("uib-datepicker-popup") {
            if !format.is_empty() {
                words.set("expected_format", format);
                words.set("format", format);
            }
        } else if picker || get("data-datepicker").is_some() {
            let format = get("data-date-format").filter(|format| !format.is_empty()).unwrap_or("mm/dd/yyyy");
            words.set("placeholder", format);
            words.set("format", format);
        }
    }
}

fn drop_repetitions(words: &mut Words) {
    let mut seen: Vec<String> = Vec::new();
    for key in SHOWN {
        let Some(value) = words.get(key).filter(|value| value.chars().count() > 5).map(str::to_owned) else { continue };
        let kept = matches!(*key, "format" | "expected_format" | "placeholder" | "value" | "aria-label" | "title");
        if seen.contains(&value) && !kept {
            words.remove(key);
        } else {
            seen.push(value);
        }
    }
}

/// What is said about an image on its own line or on that of the interactive element around it;
/// none if nothing is known.
pub(super) fn image_words(view: &View<'_, '_>, id: Id) -> Option<String> {
    if view.dom.tag(id) != "img" {
        return None;
    }
    let get = |name: &str| {
        view.dom.attribute(id, name).filter(|value| value.chars().count() <= LONGEST_IMAGE_SOURCE).unwrap_or("")
    };
    let mut parts = Vec::new();
    for (attribute, word) in [("alt", "image_alt"), ("title", "image_title"), ("aria-label", "image_label")] {
        let value = get(attribute).trim();
        if !value.is_empty() {
            parts.push(format!("{word}={}", cap(value, LONGEST)));
        }
    }
    let source: String =
        get("src").trim_matches(|c| c <= ' ').chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    if !source.to_lowercase().starts_with("data:") {
        let path = source.split('?').next().unwrap_or("").split('#').next().unwrap_or("").trim_end_matches('/');
        let file = path.rsplit('/').next().unwrap_or("");
        if !file.is_empty() {
            parts.push(format!("image_src={}", cap(file, LONGEST)));
        }
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The parts of a compound control; none if the element is no such control.
pub(super) fn compound_words(view: &View<'_, '_>, id: Id) -> Option<String> {
    let dom = view.dom;
    let kind = dom.attribute(id, "type").unwrap_or("");
    let number = |name: &str| {
        dom.attribute(id, name).filter(|value| !value.is_empty()).and_then(|value| value.trim().parse::<f64>().ok())
    };
    let tag = dom.tag(id);
    if tag != "input" && !view.ax(id).is_some_and(|ax| ax.has_children) {
        return None;
    }
    let parts = match (tag, kind) {
        ("input", "range") => {
            let (min, max) = (number("min").unwrap_or(0.0), number("max").unwrap_or(100.0));
            format!("(name=Value,role=slider,min={min:?},max={max:?})")
        }
        ("input", "number") => {
            let limit = |name: &str| number(name).map(|value| format!(",{name}={value:?}")).unwrap_or_default();
            let limits = limit("min") + &limit("max");
            format!("(name=Increment,role=button),(name=Decrement,role=button),(name=Value,role=textbox{limits})")
        }
        ("input", "color") => "(name=Hex Value,role=textbox),(name=Color Picker,role=button)".to_owned(),
        ("input", "file") => {
            let files = if dom.attribute(id, "multiple").is_some() { "Files" } else { "File" };
            let chosen = chosen_file(view, id);
            format!("(name=Browse Files,role=button),(name={files} Selected,role=textbox,current={chosen})")
        }
        ("select", _) => format!("(name=Dropdown Toggle,role=button),{}", options(view, id)),
        ("details", _) => "(name=Toggle Disclosure,role=button),(name=Content Area,role=region)".to_owned(),
        ("audio" | "video", _) => {
            let full = if tag == "video" { ",(name=Fullscreen,role=button)" } else { "" };
            format!(
                "(name=Play/Pause,role=button),(name=Progress,role=slider,min=0,max=100),(name=Mute,role=button),\
                 (name=Volume,role=slider,min=0,max=100){full}"
            )
        }
        _ => return None,
    };
    Some(format!("compound_components={parts}"))
}

fn chosen_file(view: &View<'_, '_>, id: Id) -> String {
    let ax = view.ax(id);
    for (name, value) in ax.iter().flat_map(|ax| &ax.properties).filter(|(_, value)| value.is_truthy()) {
        let text = value.text().trim();
        match name.as_str() {
            "valuetext" if matches!(text.to_lowercase().as_str(), "" | "no file chosen" | "no file selected") => break,
            "valuetext" => return text.to_owned(),
            "value" if !text.is_empty() => return text.rsplit(['\\', '/']).next().unwrap_or(text).to_owned(),
            _ => {}
        }
    }
    "None".to_owned()
}

fn options(view: &View<'_, '_>, select: Id) -> String {
    let dom = view.dom;
    let mut found: Vec<(String, String)> = Vec::new();
    let mut todo = vec![select];
    while let Some(next) = todo.pop() {
        if dom.tag(next) != "option" {
            push_reversed(&mut todo, dom.light_children(next));
            continue;
        }
        let texts = dom.children(next).filter(|child| dom.node(*child).kind == NodeKind::Text);
        let texts: Vec<&str> = texts.map(|child| dom.node(child).text.trim()).collect();
        let text = texts.join(" ").trim().to_owned();
        let value =
            dom.attribute(next, "value").map(str::trim).filter(|value| !value.is_empty()).unwrap_or(&text).to_owned();
        if !text.is_empty() || !value.is_empty() {
            found.push((text, value));
        }
    }
    if found.is_empty() {
        return "(name=Options,role=listbox)".to_owned();
    }
    // A fifth entry, "... N more options...", is made and then cut off by the same limit of four.
    let first: Vec<String> =
        found.iter().take(4).map(|(text, value)| cap(if text.is_empty() { value } else { text }, 30)).collect();
    let hint = format_hint(&found).map(|hint| format!(",format={hint}")).unwrap_or_default();
    format!("(name=Options,role=listbox,count={},options={}{hint})", found.len(), first.join("|"))
}

fn format_hint(options: &[(String, String)]) -> Option<&'static str> {
    if options.len() < 2 {
        return None;
    }
    let all = |passes: fn(&str) -> bool| options.iter().take(5).all(|(_, value)| passes(value));
    if all(|value| value.chars().all(|c| c.is_ascii_digit())) {
        Some("numeric")
    } else if all(|value| {
        value.chars().count() == 2 && value.chars().any(char::is_uppercase) && !value.chars().any(char::is_lowercase)
    }) {
        Some("country/state codes")
    } else if all(|value| value.contains(['/', '-'])) {
        Some("date/path format")
    } else if options.iter().take(5).any(|(_, value)| value.contains('@')) {
        Some("email addresses")
    } else {
        None
    }
}
