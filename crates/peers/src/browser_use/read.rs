//! Parser of browser-use's element list.
//!
//! In: lines indented by tabs, `[12]<input type=text placeholder=Email />` or bare text, with the
//! marks `|SHADOW(open)|`, `*`, `|scroll element|`, `|IFRAME|` before the tag. Out: nodes; the role
//! comes from tag, `type` and `role`, the name from the attributes that name, from the text below
//! the element, or from the label text next to it, as an agent would take it. Invariant: any text
//! parses; only elements with an index have a handle.

use super::attributes::SHOWN as BROWSER_USE_ATTRIBUTES;
use crate::read::tags;
use crate::read::{ReadNode, Reading};
use std::borrow::Cow;

/// Words that stand in the same form beside the attributes that the tool is known to write.
const MORE_WORDS: [&str; 9] = [
    "compound_components", "image_alt", "image_title", "image_label", "image_src", "aria-hidden", "href", "for",
    "tabindex",
];

/// States that the tool does not write; `disabled` it tells by leaving the element out.
const SILENT: [&str; 2] = ["focused", "readonly"];

/// A word `x=` begins an attribute only if `x` is one that the tool writes.
fn is_attribute(word: &str) -> bool {
    BROWSER_USE_ATTRIBUTES.contains(&word) || MORE_WORDS.contains(&word)
}

/// Parses an element list.
pub fn parse(text: &str) -> Reading {
    let mut nodes: Vec<ReadNode> = Vec::new();
    // Open elements: indentation in tabs and index.
    let mut open: Vec<(usize, usize)> = Vec::new();
    // The bare text line before, with its parent: the label of a field that follows.
    let mut label: Option<(Option<usize>, String)> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let body = line.trim_start_matches('\t');
        let indent = line.len() - body.len();
        let mut body = Cow::Borrowed(body.trim());
        // Values may hold line breaks: the element goes on until its end, or until a line that
        // begins one.
        if is_open(&body) {
            let whole = body.to_mut();
            while let Some(next) = lines.next_if(|next| marked(next.trim()).is_none()) {
                whole.push(' ');
                whole.push_str(next.trim());
                if next.contains(" />") {
                    break;
                }
            }
        }
        let body = body.as_ref();
        if body.is_empty() {
            continue;
        }
        while open.last().is_some_and(|(at, _)| *at >= indent) {
            open.pop();
        }
        let parent = open.last().map(|(_, index)| *index);
        match element(body) {
            Some((mut node, is_field)) => {
                node.parent = parent;
                if let Some((beside, words)) = label.take()
                    && beside == parent
                    && is_field
                    && node.name != words
                {
                    node.also.push(words);
                }
                open.push((indent, nodes.len()));
                nodes.push(node);
            }
            None => {
                // A bare text names the open elements that have no other name, a few levels up.
                open.iter().rev().take(4).for_each(|(_, index)| nodes[*index].name_by(body));
                // Text after a checkbox in the same label names it too.
                if let Some(previous) = nodes.last_mut()
                    && previous.parent == parent
                    && matches!(previous.role.as_str(), "checkbox" | "radio" | "switch")
                {
                    previous.also.push(body.to_owned());
                }
                nodes.push(ReadNode { parent, ..ReadNode::loose(body) });
                label = Some((parent, body.to_owned()));
            }
        }
    }
    Reading { nodes, silent: &SILENT, ..Reading::default() }
}

/// Whether the text before an element may be its label; buttons say on themselves what they do.
fn is_field(role: &str, tag: &str) -> bool {
    browserlens_core::page::role::is_text_field(role)
        || matches!(role, "checkbox" | "radio" | "slider" | "listbox" | "switch")
        || (role == "button" && tag == "input")
}

/// Returns whether a line begins an element that it does not end; such a line without a mark is
/// text.
fn is_open(line: &str) -> bool {
    marked(line).is_some_and(|(handle, inside)| handle.is_some() && !inside.contains(" />"))
}

/// Parses the marks of an element line. Out: the handle, and what follows `<`.
fn marked(line: &str) -> Option<(Option<&str>, &str)> {
    let mut rest = line;
    for shadow in ["|SHADOW(open)|", "|SHADOW(closed)|"] {
        rest = rest.strip_prefix(shadow).unwrap_or(rest);
    }
    rest = rest.strip_prefix('*').unwrap_or(rest);
    let mut handle = None;
    if let Some(scroller) = rest.strip_prefix("|scroll element[") {
        let (index, after) = scroller.split_once(']')?;
        handle = Some(index);
        rest = after.strip_prefix('|').unwrap_or(after);
    } else if let Some(marked) = rest.strip_prefix('|') {
        let (mark, after) = marked.split_once('|')?;
        if !matches!(mark, "scroll element" | "IFRAME" | "FRAME" | "SCROLL") {
            return None;
        }
        rest = after;
    }
    if let Some(indexed) = rest.strip_prefix('[') {
        let (index, after) = indexed.split_once(']')?;
        handle = Some(index);
        rest = after;
    }
    if handle.is_some_and(|index| index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    Some((handle, rest.strip_prefix('<')?))
}

/// Parses an element line. Out: the element, and whether it is a field.
fn element(line: &str) -> Option<(ReadNode, bool)> {
    let (handle, inside) = marked(line)?;
    let end = inside.rfind(" />");
    if end.is_none() && handle.is_none() {
        return None;
    }
    let inside = &inside[..end.unwrap_or(inside.len())];
    let (tag, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
    if tag.is_empty() || !tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return None;
    }
    let attributes = split_attributes(attributes);
    let get = |name: &str| attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
    let mut node = ReadNode {
        role: tags::role(tag, get).to_owned(),
        // The tool does not write what a select has chosen, nor the value of a password field.
        value_unsaid: tag == "select" || get("type") == Some("password"),
        handle: handle.map(str::to_owned),
        ..ReadNode::default()
    };
    let mut names = ["aria-label", "ax_name", "alt", "image_alt", "title"].into_iter().filter_map(get);
    node.name = names.next().unwrap_or("").to_owned();
    node.also.extend(names.map(str::to_owned));
    let written_on = node.role == "button" && tag == "input";
    if let Some(value) = get("valuetext").or_else(|| get("value")) {
        if written_on && node.name.is_empty() {
            node.name = value.to_owned();
        } else if !matches!(node.role.as_str(), "checkbox" | "radio") {
            node.value = value.to_owned();
        }
    }
    node.also.extend(get("placeholder").or_else(|| get("aria-placeholder")).map(str::to_owned));
    // A type that says what the field is for names it where nothing else does.
    let purpose = match get("type").filter(|_| tag == "input") {
        Some("password") => Some("Password"),
        Some("email") => Some("Email"),
        Some("search") => Some("Search"),
        Some("tel") => Some("Phone"),
        _ => None,
    };
    node.also.extend(purpose.map(str::to_owned));
    for state in [
        "checked", "selected", "expanded", "aria-expanded", "pressed", "disabled", "invalid", "required", "level",
        "busy",
    ] {
        if let Some(value) = get(state) {
            node.states.push(tags::state(state.trim_start_matches("aria-"), value));
        }
    }
    if let Some(options) = get("compound_components").and_then(|parts| parts.split("options=").nth(1)) {
        node.text = options.trim_end_matches(')').replace('|', " | ");
    }
    let is_field = is_field(&node.role, tag);
    Some((node, is_field))
}

/// Splits `a=b c=d e` into pairs; a word that begins no known attribute belongs to the value before
/// it.
fn split_attributes(text: &str) -> Vec<(&str, String)> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for word in text.split(' ') {
        if let Some((name, value)) = word.split_once('=')
            && is_attribute(name)
        {
            pairs.push((name, if value == "''" { String::new() } else { value.to_owned() }));
        } else if let Some((_, value)) = pairs.last_mut() {
            value.push(' ');
            value.push_str(word);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::by_handle;

    const LOGIN: &str = "[240649]<a />\n\tAcme\nSign in\nUse your work account. Need help?\n[240664]<a />\n\tRead the \
        guide\nEmail\n|SHADOW(open)|[240627]<input id=u name=user type=email autocomplete=username \
        placeholder=you@example.com value=ann@acme.test required=true />\nPassword\n|SHADOW(open)|[240628]<input id=p \
        name=pass type=password autocomplete=current-password required=true />\n[240679]<label />\n\t[240632]<input \
        type=checkbox name=rem checked=true value=on />\n\tRemember me\nRole\n|SHADOW(open)|*[240629]<select id=role \
        name=role expanded=false compound_components=(name=Dropdown \
        Toggle,role=button),(name=Options,role=listbox,count=5,options=Admin|Editor|Viewer|Billing) />\nContinue with \
        SSO\n[240635]<button type=submit />\n\tSign in\n|scroll element|<div /> (0.0 pages above, 21.5 pages \
        below)\n\tLog entry 36: job 19 finished\n[240792]<input type=search name=q placeholder=Search products \
        aria-label=Search products />\n[241276]<a image_alt=Prime Tablet 2 product photo \
        />\n\t|SHADOW(open)|[241277]<img alt=Prime Tablet 2 product photo image_alt=Prime Tablet 2 product photo />";

    #[test]
    fn roles_come_from_tags_and_names_from_what_stands_around() {
        let reading = parse(LOGIN);
        let guide = by_handle(&reading, "240664");
        assert_eq!((guide.role.as_str(), guide.name.as_str()), ("link", "Read the guide"));
        let email = by_handle(&reading, "240627");
        assert_eq!((email.role.as_str(), email.value.as_str()), ("textbox", "ann@acme.test"));
        assert_eq!(email.also, ["you@example.com", "Email", "Email"]);
        assert_eq!(email.states, ["required"]);
        let remember = by_handle(&reading, "240632");
        assert_eq!(
            (remember.role.as_str(), remember.states.as_slice()),
            ("checkbox", ["checked".to_owned()].as_slice())
        );
        assert_eq!(remember.also, ["Remember me"]);
        assert_eq!(by_handle(&reading, "240629").role, "combobox");
        assert_eq!(by_handle(&reading, "240629").text, "Admin | Editor | Viewer | Billing");
        assert_eq!(by_handle(&reading, "240635").name, "Sign in");
        assert_eq!(by_handle(&reading, "240792").name, "Search products");
        assert_eq!(by_handle(&reading, "240792").role, "searchbox");
        assert_eq!(by_handle(&reading, "241277").name, "Prime Tablet 2 product photo");
    }

    #[test]
    fn bare_lines_are_text_and_are_not_named_twice() {
        let reading = parse(LOGIN);
        let haystack = reading.haystack();
        for fact in ["Continue with SSO", "Need help? Read the guide Email", "Log entry 36: job 19 finished"] {
            assert!(haystack.holds(fact), "{fact}");
        }
    }
}
