//! Which dialogs and menus opened and closed, where what changed is told against an older page than
//! the last, and which one keeps an action from its element.

use browserlens_core::page::{Flags, NodeRef, Page};
use browserlens_lens::format::escape;
use browserlens_snapshot::RefLens;

/// Longest name of a dialog, in characters.
const LONGEST: usize = 60;
/// Most controls of a dialog that are named.
const MOST_CONTROLS: usize = 4;

/// How the reason begins for which what lies under something is not acted on.
pub(super) const COVERED: &str = "it is covered by";

fn dialogs(page: &Page) -> Vec<NodeRef<'_>> {
    page.nodes().filter(|node| matches!(node.role(), "dialog" | "alertdialog" | "menu") && node.is_visible()).collect()
}

fn write_name(out: &mut String, name: &str) {
    out.push(' ');
    escape::quote_beginning(out, name, LONGEST);
}

/// Says which dialog is open last, with the controls that it has.
pub(super) fn open_dialog(lens: &RefLens, page: &Page) -> Option<String> {
    let dialog = dialogs(page).into_iter().rfind(|node| node.role() != "menu" && !node.flags().has(Flags::COVERED))?;
    let mut told = "; open: dialog".to_owned();
    name_of(dialog).into_iter().for_each(|name| write_name(&mut told, &name));
    let controls = dialog.descendants().filter(|node| node.is_visible());
    let controls = controls.filter_map(|node| Some((node, lens.reference(node.key())?)));
    for (node, reference) in controls.take(MOST_CONTROLS) {
        told.push_str(&format!(", {}", node.role_or_attribute()));
        write_name(&mut told, &node.name_or_text());
        told.push_str(&format!(" {reference}"));
    }
    Some(told)
}

fn name_of(dialog: NodeRef<'_>) -> Option<String> {
    let heading = || dialog.descendants().find(|node| node.role() == "heading").map(|node| node.name().to_owned());
    Some(dialog.name().to_owned()).filter(|name| !name.is_empty()).or_else(heading)
}

/// Says which dialogs and menus of a page came after another, and which went.
pub(super) fn dialogs_change(before: &Page, after: &Page) -> String {
    let (was, is) = (dialogs(before), dialogs(after));
    let mut told = String::new();
    let mut tell = |said: &str, dialog: &NodeRef<'_>| {
        let word = if dialog.role() == "menu" { "menu" } else { "dialog" };
        told.push_str(&format!("{said}: {word}"));
        name_of(*dialog).into_iter().for_each(|name| write_name(&mut told, &name));
        told.push('\n');
    };
    let is_new = |dialog: &&NodeRef<'_>| was.iter().all(|other| other.key() != dialog.key());
    is.iter().filter(is_new).for_each(|dialog| tell("open", dialog));
    let is_gone = |dialog: &&NodeRef<'_>| is.iter().all(|other| other.key() != dialog.key());
    was.iter().filter(is_gone).for_each(|dialog| tell("closed", dialog));
    told
}
