//! Which labels a form control has.
//!
//! In: an [`Aria`]. Out: `element.labels` of every control. Invariant: labels come in document
//! order, and a label is of one control: the one that it names, else the first in it.

use super::aria::Aria;
use crate::dom::{Dom, Id};
use std::collections::HashMap;

impl Aria<'_, '_> {
    /// Finds `element.labels` of every control.
    pub(super) fn find_labels(&mut self) {
        let dom = self.dom;
        let mut labels: HashMap<Id, Vec<Id>> = HashMap::new();
        for label in (0..dom.len() as Id).filter(|id| dom.tag(*id) == "label") {
            let target = match dom.attribute(label, "for") {
                Some(name) => dom.by_id(label, name).filter(|id| is_labelable(dom, *id)),
                None => dom.descendants(label).find(|id| is_labelable(dom, *id)),
            };
            if let Some(target) = target {
                labels.entry(target).or_default().push(label);
            }
        }
        self.labels = labels;
    }
}

fn is_labelable(dom: &Dom<'_>, id: Id) -> bool {
    match dom.tag(id) {
        "button" | "meter" | "output" | "progress" | "select" | "textarea" => true,
        "input" => dom.attribute(id, "type").is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden")),
        _ => false,
    }
}
