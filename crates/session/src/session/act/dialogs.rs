//! Which dialogs and menus opened and closed, where what changed is told against an older page than the last.

use browserlens_core::page::{NodeRef, Page};
use browserlens_lens::format::escape;

/// Longest name of a dialog, in characters.
const LONGEST: usize = 60;

fn dialogs(page: &Page) -> Vec<NodeRef<'_>> {
    page.nodes().filter(|node| matches!(node.role(), "dialog" | "alertdialog" | "menu") && node.is_visible()).collect()
}

/// Says which dialogs and menus of a page came after another, and which went.
pub(super) fn dialogs_change(before: &Page, after: &Page) -> String {
    let (was, is) = (dialogs(before), dialogs(after));
    let mut told = String::new();
    let mut tell = |said: &str, dialog: &NodeRef<'_>| {
        let heading = || dialog.descendants().find(|node| node.role() == "heading").map(|node| node.name().to_owned());
        let word = if dialog.role() == "menu" { "menu" } else { "dialog" };
        let name = Some(dialog.name().to_owned()).filter(|name| !name.is_empty()).or_else(heading);
        told.push_str(&format!("{said}: {word}"));
        if let Some(name) = name {
            told.push(' ');
            escape::quote(&mut told, &name.chars().take(LONGEST).collect::<String>());
        }
        told.push('\n');
    };
    let is_new = |dialog: &&NodeRef<'_>| was.iter().all(|other| other.key() != dialog.key());
    is.iter().filter(is_new).for_each(|dialog| tell("open", dialog));
    let is_gone = |dialog: &&NodeRef<'_>| is.iter().all(|other| other.key() != dialog.key());
    was.iter().filter(is_gone).for_each(|dialog| tell("closed", dialog));
    told
}
