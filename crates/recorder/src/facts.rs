//! Checks that a fact can be read on the page it was written for.
//!
//! In: a fact and the parsed page. Out: whether it stands in the rendered text. Invariant:
//! whitespace is normalised; facts that exist only as pixels are not checked here.

use browserlens_core::page::text::folded;
use browserlens_core::page::{Flags, Page};
use browserlens_trace::scenario::Fact;

/// Returns the first fact that cannot be read, and how much of its beginning can; `extra` is text
/// outside of the page, such as an open dialog's.
pub(crate) fn unreadable<'f>(facts: &'f [Fact], page: &Page, extra: &str) -> Option<(&'f Fact, String)> {
    let mut texts: Vec<String> = page.frames().iter().map(|frame| folded(&frame.rendered_text)).collect();
    // The rendered text of a document leaves out its shadow trees.
    texts.extend(
        page.nodes()
            .filter(|node| node.flags().any(Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED)))
            .map(|node| folded(&node.visible_text())),
    );
    texts.push(folded(extra));
    let holds = |part: &str| texts.iter().any(|text| text.contains(part));
    facts.iter().filter(|fact| fact.pixels.is_none()).find_map(|fact| {
        let wanted = folded(&fact.text);
        let begins = || wanted.match_indices(' ').map(|(end, _)| &wanted[..end]);
        let read = || begins().take_while(|part| holds(part)).last().unwrap_or("").to_owned();
        (!holds(&wanted)).then(|| (fact, read()))
    })
}
