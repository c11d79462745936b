//! Whether two pages read alike.
//!
//! In: a [`Page`]. Out: a BLAKE3 hash of everything that [`crate::extract`] looks at but the URL:
//! title, and of each node its place, tag, role, level, display, what a person sees of it, its id
//! and its text. Invariant: pages of one hash give one [`crate::Extraction`], node numbers
//! included, but for its URL. Why not [`Page::hash`]: that one asks whether an agent is shown the
//! same page, and so covers states and values that no text says, and not what is painted over or
//! how boxes flow.

use browserlens_core::hex_hash;
use browserlens_core::page::{Flags, NodeKind, Page, Visibility};

hex_hash! {
    /// Hash of what a page says.
    pub struct ContentHash;
}

/// Hash of what a page says. One pass.
pub fn content_hash(page: &Page) -> ContentHash {
    // Many small updates cost more than one large one.
    let mut bytes = Vec::with_capacity(page.len() * 32);
    let mut hasher = blake3::Hasher::new();
    let field = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    };
    field(&mut bytes, page.title());
    let flags = Flags::SHADOW_HOST_OPEN
        .with(Flags::SHADOW_HOST_CLOSED)
        .with(Flags::IN_OPEN_SHADOW)
        .with(Flags::IN_CLOSED_SHADOW)
        .with(Flags::SLOTTED);
    for node in page.nodes() {
        let rendered = node.visibility() != Visibility::NotRendered;
        bytes.push(node.kind() as u8);
        bytes.extend_from_slice(&node.depth().to_le_bytes());
        bytes.extend_from_slice(&(node.flags().0 & flags.0).to_le_bytes());
        bytes.extend_from_slice(&[u8::from(rendered), u8::from(node.is_seen()), node.level().unwrap_or(0)]);
        match node.kind() {
            NodeKind::Text | NodeKind::Pseudo => {
                if node.is_seen() {
                    field(&mut bytes, node.tag());
                    field(&mut bytes, node.text());
                }
            }
            NodeKind::Document | NodeKind::Element => {
                field(&mut bytes, node.tag());
                field(&mut bytes, node.role());
                field(&mut bytes, node.attribute("id").unwrap_or("\u{0}"));
                if rendered {
                    field(&mut bytes, node.style("display").unwrap_or("\u{0}"));
                }
                bytes.extend_from_slice(&node.frame().0.to_le_bytes());
            }
        }
        if bytes.len() > 1 << 16 {
            hasher.update(&bytes);
            bytes.clear();
        }
    }
    hasher.update(&bytes);
    ContentHash(*hasher.finalize().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    #[test]
    fn what_is_said_counts_and_what_is_not_does_not() {
        let hash = |outline: &str| content_hash(&PageBuilder::outline(outline));
        let page = "main\n  heading \"a\" level=2\n    text \"a\"\n  checkbox \"c\" unchecked\n  text \"b\"";
        assert_eq!(hash(page), hash(page));
        assert_eq!(hash(page), hash(&page.replace("unchecked", "checked")));
        for other in [
            page.replace("text \"b\"", "text \"c\""),
            page.replace("level=2", "level=3"),
            page.replace("text \"b\"", "text \"b\" hidden"),
            page.replace("heading \"a\"", "paragraph \"a\" tag=h2"),
            page.replace("main", "main id=\"x\""),
        ] {
            assert_ne!(hash(page), hash(&other), "{other}");
        }
    }
}
