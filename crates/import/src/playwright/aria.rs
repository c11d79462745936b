//! Recorded accessibility trees as a check on what was rendered.
//!
//! In: the tree that Playwright recorded with a snapshot (since version 9), and the rendered page.
//! Out: how many of its controls and headings the page has too, by role and name. Invariant:
//! nothing of the tree goes into the trace; it only says how well the page was reconstructed.

use crate::json::text;
use browserlens_core::page::Page;
use browserlens_core::page::text::folded;
use serde_json::Value;
use std::collections::HashMap;

/// Roles that both sides name alike.
const COMPARED: [&str; 11] =
    ["button", "checkbox", "combobox", "heading", "link", "menuitem", "radio", "slider", "switch", "tab", "textbox"];
/// Most nodes of one tree.
const MOST_NODES: usize = 200_000;

/// Returns how many nodes the tree has that count, and in words those that the page lacks; none if
/// it cannot be read.
pub(crate) fn missing(tree: &[u8], page: &Page) -> Option<(usize, Vec<String>)> {
    let tree: Value = serde_json::from_slice(tree).ok()?;
    let mut there: HashMap<(&str, String), usize> = HashMap::new();
    for node in page.nodes() {
        // Buttons that unfold something have roles of their own for the browser, and are buttons
        // for Playwright.
        let role = match node.role() {
            "DisclosureTriangle" | "DisclosureTriangleGrouped" | "PopUpButton" => "button",
            role => role,
        };
        if COMPARED.contains(&role) {
            *there.entry((role, plain(node.name()))).or_default() += 1;
        }
    }
    let mut open: Vec<&Value> = vec![&tree];
    let (mut all, mut lacking, mut seen) = (0, Vec::new(), 0);
    while let Some(node) = open.pop() {
        seen += 1;
        if seen > MOST_NODES {
            return None;
        }
        if let Some(list) = node.as_array().or(node["children"].as_array()) {
            open.extend(list);
        }
        let role = text(node, "role");
        if COMPARED.contains(&role) {
            all += 1;
            let name = text(node, "name");
            match there.get_mut(&(role, plain(name))) {
                Some(left) if *left > 0 => *left -= 1,
                _ => lacking.push(format!("{role} {name:?}")),
            }
        }
    }
    Some((all, lacking))
}

/// A name as both sides say it: the browser's has the letters that are painted (`text-transform`),
/// Playwright's those of the document.
fn plain(name: &str) -> String {
    folded(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_recorder_saw_and_the_page_lacks_is_counted() {
        let page = browserlens_core::page::PageBuilder::outline("main\n  button \"Go  now\"");
        let tree = br#"[{"role":"generic","children":[
            {"role":"button","name":"Go now"},{"role":"button","name":"Go now"},{"role":"link","name":"x"}]}]"#;
        let (all, lacking) = missing(tree, &page).expect("it can be read");
        assert_eq!((all, lacking), (3, vec!["link \"x\"".to_owned(), "button \"Go now\"".to_owned()]));
        assert_eq!(missing(b"{", &page), None);
    }

    #[test]
    fn a_name_that_is_painted_in_capitals_is_the_same_name() {
        let page = browserlens_core::page::PageBuilder::outline("main\n  button \"SAVED FILTERS\"");
        let tree = br#"[{"role":"button","name":"Saved filters"},{"role":"button","name":"Saved lists"}]"#;
        let (all, lacking) = missing(tree, &page).expect("it can be read");
        assert_eq!((all, lacking), (2, vec!["button \"Saved lists\"".to_owned()]));
    }
}
