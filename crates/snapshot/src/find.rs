//! What on a page says a text, with refs and with what it stands in.
//!
//! In: the session that looked at the page, words, a role. Out: one line an item that was found, in the grammar of the lens. Invariants: only what the lens
//! shows is found; what is left out is counted.

use crate::interactive::Session;
use browserlens_lens::ShownNode;
use browserlens_lens::format::{Style, escape, write_item};
use std::fmt::Write as _;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindOptions {
    /// Text that name or value holds, ignoring case; empty for any.
    pub text: String,
    /// Only items of this role; empty for any.
    pub role: String,
    /// Most lines.
    pub limit: usize,
}

/// Longest name of what an item stands in, in characters.
const LONGEST: usize = 60;
/// How many containers of an item are named, from the inside.
const ABOVE: usize = 4;

/// Finds items of the page that the session looked at last; those that can be acted on come first, else in document order.
pub fn find(session: &Session, options: &FindOptions) -> String {
    let Some(shown) = session.shown() else { return "nothing was looked at yet".to_owned() };
    let wanted = options.text.to_lowercase();
    let fits = |node: &ShownNode<'_>| {
        let item = shown.tree().item(node.id());
        item.mark.is_none()
            && (options.role.is_empty() || node.role().eq_ignore_ascii_case(&options.role))
            && (node.name().to_lowercase().contains(&wanted) || node.value().to_lowercase().contains(&wanted))
    };
    let mut found: Vec<ShownNode<'_>> = shown.nodes().filter(|node| node.id() != 0 && fits(node)).collect();
    found.sort_by_key(|node| node.reference().is_none());
    let mut out = match found.len() {
        0 => "nothing found".to_owned(),
        count => format!("{count} found"),
    };
    for node in found.iter().take(options.limit) {
        out.push_str("\n- ");
        out.push_str(&write_item(shown.tree().item(node.id()), Style::PLAIN));
        let above: Vec<ShownNode<'_>> = node.ancestors().filter(|node| node.id() != 0).collect();
        for (at, node) in above.iter().take(ABOVE).enumerate() {
            out.push_str(if at == 0 { " in " } else { " < " });
            out.push_str(node.role());
            if !node.name().is_empty() {
                out.push(' ');
                let short: String = node.name().chars().take(LONGEST).collect();
                escape::quote(&mut out, &short);
                if short.len() < node.name().len() {
                    out.push('…');
                }
            }
            if let Some(reference) = node.reference() {
                let _ = write!(out, " {reference}");
            }
        }
    }
    if found.len() > options.limit {
        let _ = write!(out, "\n… {} more", found.len() - options.limit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::PageBuilder;
    use std::sync::Arc;

    #[test]
    fn what_can_be_acted_on_comes_first_with_its_ref_and_what_it_stands_in() {
        let page = Arc::new(PageBuilder::outline(
            r#"
            main
              heading "Save \"now\"" tag=h1 level=1
              region "Basket"
                button "Save for later"
                button "Remove"
            "#,
        ));
        let mut session = Session::new();
        session.look(&page).expect("looks");
        let options = FindOptions { text: "SAVE".to_owned(), limit: 5, ..FindOptions::default() };
        let all = find(&session, &options);
        assert_eq!(
            all,
            "2 found\n- button \"Save for later\" @e1 in region \"Basket\" < main\n- heading \"Save \\\"now\\\"\" in main"
        );
        let one = find(&session, &FindOptions { limit: 1, ..options.clone() });
        assert!(one.ends_with("\n… 1 more"), "{one}");
        let none = find(&session, &FindOptions { role: "link".to_owned(), ..options });
        assert_eq!(none, "nothing found");
    }
}
