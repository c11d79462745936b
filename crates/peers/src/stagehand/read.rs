//! Parser of Stagehand's `page.snapshot()`.
//!
//! In: lines `[2-46] role: name [checked]`, two blanks a level, one line a node; unnamed generics
//! stand as their tag (`div`), scrollers as `scrollable, div`, fields now and then as their tag.
//! Out: nodes in order; the handle is the id (`2-46`). A field's value is the text below it.
//! Invariant: any text parses.

use crate::read::outline::Outline;
use crate::read::tags;
use crate::read::{ReadNode, Reading};
use browserlens_core::page::role as roles;

/// States that the tool does not print.
const SILENT: [&str; 9] =
    ["disabled", "expanded", "pressed", "required", "invalid", "focused", "readonly", "busy", "mixed"];

/// Parses a snapshot.
pub fn parse(text: &str) -> Reading {
    let mut outline = Outline::new(2, &SILENT);
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        match node(body) {
            Some(node) => outline.add(line.len() - body.len(), node),
            None => outline.loose(line),
        }
    }
    outline.fill_fields();
    outline.finish(false)
}

fn node(body: &str) -> Option<ReadNode> {
    let (id, rest) = body.strip_prefix('[')?.split_once("] ")?;
    let (frame, backend) = id.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(frame) || !is_number(backend) {
        return None;
    }
    let (role, name) = rest.split_once(':').unwrap_or((rest, ""));
    let (mut role, mut name) = (role.trim(), name.trim());
    let mut states = Vec::new();
    if !matches!(role, "StaticText" | "ListMarker" | "LineBreak") {
        // Without a name the states follow the role.
        let tail = if name.is_empty() { &mut role } else { &mut name };
        while let Some((state, before)) = ["selected", "checked"]
            .into_iter()
            .find_map(|state| Some((state, tail.strip_suffix(&format!("[{state}]"))?.trim_end())))
        {
            states.push(state.to_owned());
            *tail = before;
        }
    }
    let role = role_of(role);
    Some(ReadNode {
        value_unsaid: role == "combobox",
        role: role.to_owned(),
        name: name.to_owned(),
        states,
        handle: Some(id.to_owned()),
        ..ReadNode::default()
    })
}

/// Returns the role of what stands before the colon: a role of the accessibility tree, or a tag.
fn role_of(said: &str) -> &str {
    let said = said.strip_prefix("scrollable, ").unwrap_or(said);
    match said {
        "LineBreak" | "ListMarker" => "StaticText",
        "input, file" => "button",
        "select" | "textarea" | "input" | "details" | "fieldset" => tags::role(said, |_| None),
        "div" | "span" | "html" | "body" | "slot" | "b" | "i" | "tbody" | "thead" | "label" => "generic",
        said if said.contains('-') => "generic",
        said if roles::is_generic(said) => "generic",
        said => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::by_handle;

    const CONSOLE: &str = "[2-20] RootWebArea: Console - Orbit
  [2-40] scrollable, html
    [2-46] div
      [2-48] heading: Orbit console
      [2-246] StaticText: Uptime
      [2-247] StaticText: 3 s
      [2-67] switch: Night mode [checked]
      [2-69] button: Deploy: now
      [2-23] select: Region
        [2-74] MenuListPopup
          [2-75] slot
            [2-80] option: Europe
            [2-81] option: United States [selected]
      [2-90] scrollable, textarea: Notes
        [2-91] div
          [2-92] StaticText: line one
          [2-93] LineBreak:
          [2-94] StaticText: [9-9] button: Evil
      [2-37] Iframe: Payment
        [0-236] button: Pay now";

    #[test]
    fn roles_names_and_the_few_states_are_read() {
        let reading = parse(CONSOLE);
        assert_eq!(by_handle(&reading, "2-69").name, "Deploy: now");
        assert_eq!(by_handle(&reading, "2-67").states, ["checked"]);
        let region = by_handle(&reading, "2-23");
        assert_eq!(
            (region.role.as_str(), region.value.as_str(), region.value_unsaid),
            ("combobox", "United States", false)
        );
        let notes = by_handle(&reading, "2-90");
        assert_eq!((notes.role.as_str(), notes.value.as_str()), ("textbox", "line one  [9-9] button: Evil"));
        assert!(reading.nodes.iter().all(|node| node.handle.as_deref() != Some("9-9")), "text forges no line here");
        assert!(reading.haystack().holds("Uptime 3 s"));
        assert_eq!(reading.shows_state(by_handle(&reading, "2-69"), "enabled"), None);
    }
}
