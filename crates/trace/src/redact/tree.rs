//! Redaction of an accessibility tree: what a secret field shows stands in its value and in the
//! texts below it.

use super::Redactor;
use super::shapes::Source;
use crate::canonical::{AxPlace, ax_nodes};
use crate::json::{JsonError, Token, rewrite, unescape};
use std::collections::HashSet;

impl Redactor {
    /// Redacts the accessibility tree of a frame that shows document `loader`.
    pub(super) fn ax_tree(&self, json: &str, loader: u32) -> Result<String, JsonError> {
        if !self.fields.iter().any(|(document, _)| *document == loader) {
            return self.values(json);
        }
        let nodes = ax_nodes(json)?;
        let mut secret: HashSet<&str> = HashSet::new();
        let mut is_secret = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let is_field = node
                .backend
                .and_then(|backend| u32::try_from(backend).ok())
                .is_some_and(|backend| self.fields.contains(&(loader, backend)));
            let hidden = is_field || node.parent.is_some_and(|parent| secret.contains(parent));
            if hidden {
                secret.insert(node.id);
            }
            is_secret.push((hidden, is_field));
        }
        let mut place = AxPlace::default();
        let mut begun = 0;
        rewrite(json, |scanner, token, writer| {
            begun += usize::from(place.take(scanner, token));
            let of_node = usize::checked_sub(begun, 1).and_then(|index| is_secret.get(index));
            let (hidden, is_field) = of_node.copied().unwrap_or_default();
            match token {
                Token::Text(raw) if hidden && place.top == "nodes" && place.key == "value" => {
                    let text = unescape(raw);
                    // A field's name is its label; the name of a text below it is what was typed.
                    let is_content = place.of_node == "value"
                        || (!is_field && place.of_node == "name")
                        || self.values.contains(text.as_ref());
                    if is_content && place.of_node != "role" {
                        writer.text(&self.hide(&text));
                    } else {
                        writer.text(&self.text(&text, Source::Page));
                    }
                }
                token => self.write_redacted(writer, token),
            }
            Ok(())
        })
    }
}
