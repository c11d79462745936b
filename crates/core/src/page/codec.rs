//! The packed page: what replay loads instead of JSON.
//!
//! In: a [`Page`]. Out: postcard bytes behind a format number, and back. A cache, never evidence:
//! it is rebuilt from the payloads whenever [`PACKED_FORMAT_VERSION`] differs. Invariant:
//! `unpack(pack(p)) == p`; bytes that are damaged give an error, and never a page that could panic.

use crate::page::tree::{NO_NODE, Page};

/// Number of the packed format; bumped when [`Page`]'s columns change or when the parser's result
/// does.
pub const PACKED_FORMAT_VERSION: u32 = 9;

/// Packed bytes that are no page of this format.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// Packed by another version: pack again from the payloads.
    #[error("packed page has format {found}, this build reads {PACKED_FORMAT_VERSION}")]
    OtherFormat {
        /// The format found.
        found: u32,
    },
    /// The bytes do not decode.
    #[error("packed page is damaged: {0}")]
    Damaged(String),
}

impl Page {
    /// Packs the page. Shape: 4 bytes of format number, then postcard.
    pub fn pack(&self) -> Vec<u8> {
        let bytes = PACKED_FORMAT_VERSION.to_le_bytes().to_vec();
        postcard::to_extend(self, bytes).expect("a page holds nothing that postcard refuses")
    }

    /// Unpacks a page.
    ///
    /// # Errors
    /// [`UnpackError`] if the bytes are of another format or damaged.
    pub fn unpack(bytes: &[u8]) -> Result<Self, UnpackError> {
        let (head, body) = bytes.split_at_checked(4).ok_or_else(|| UnpackError::Damaged("no header".to_owned()))?;
        let found = u32::from_le_bytes(head.try_into().unwrap_or_default());
        if found != PACKED_FORMAT_VERSION {
            return Err(UnpackError::OtherFormat { found });
        }
        let page: Self = postcard::from_bytes(body).map_err(|error| UnpackError::Damaged(error.to_string()))?;
        page.check().map_err(|what| UnpackError::Damaged(what.to_owned()))?;
        Ok(page)
    }

    /// Checks every invariant that the accessors rely on.
    fn check(&self) -> Result<(), &'static str> {
        let n = &self.nodes;
        let len = n.parent.len();
        if len == 0 || !n.are_of(len) {
            return Err("columns differ in length");
        }
        let strings = self.strings.ends.len();
        let sym_ok = |sym: &crate::page::tree::Sym| (sym.0 as usize) < strings;
        let columns = [&n.tag, &n.role, &n.name, &n.description, &n.value, &n.text];
        if !columns.iter().all(|column| column.iter().all(sym_ok))
            || !n.attributes.iter().all(|(name, value)| sym_ok(name) && sym_ok(value))
            || !n.styles.iter().all(|(_, value)| sym_ok(value))
        {
            return Err("a string is missing");
        }
        if self.strings.ends.windows(2).any(|pair| pair[0] > pair[1])
            || self.strings.ends.last().is_some_and(|end| *end as usize != self.strings.text.len())
            || self.strings.ends.iter().any(|end| !self.strings.text.is_char_boundary(*end as usize))
        {
            return Err("the string table is not in order");
        }
        let starts_ok = |starts: &[u32], total: usize| {
            starts.windows(2).all(|pair| pair[0] <= pair[1]) && starts.iter().all(|start| *start as usize <= total)
        };
        if !starts_ok(&n.attributes_start, n.attributes.len()) || !starts_ok(&n.styles_start, n.styles.len()) {
            return Err("a list starts out of range");
        }
        for index in 0..len {
            let end = n.end[index] as usize;
            let parent = n.parent[index];
            let parent_ok = if index == 0 {
                parent == NO_NODE
            } else {
                (parent as usize) < index && n.end[parent as usize] as usize >= end
            };
            if !parent_ok || end <= index || end > len {
                return Err("the tree is not well formed");
            }
            if usize::from(n.frame[index]) >= self.frames.len() {
                return Err("a frame is missing");
            }
            if n.covered_by[index] != NO_NODE && n.covered_by[index] as usize >= len {
                return Err("a covering node is missing");
            }
        }
        let in_range = |id: &Option<crate::page::NodeId>| id.is_none_or(|id| id.index() < len);
        if !self.frames.iter().all(|frame| in_range(&frame.owner) && in_range(&frame.document)) {
            return Err("a frame's node is missing");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageBuilder;
    use proptest::prelude::*;

    fn sample() -> Page {
        PageBuilder::outline("main\n  button \"Go\" disabled id=\"go\"\n  text \"hello\"\n  checkbox \"All\" mixed")
    }

    #[test]
    fn a_page_survives_packing() {
        let page = sample();
        assert_eq!(Page::unpack(&page.pack()).expect("unpacks"), page);
    }

    #[test]
    fn another_format_is_named() {
        let mut bytes = sample().pack();
        bytes[0] ^= 0x55;
        let error = Page::unpack(&bytes).expect_err("another format");
        assert!(matches!(error, UnpackError::OtherFormat { .. }), "{error}");
        assert!(matches!(Page::unpack(&[1, 2]), Err(UnpackError::Damaged(_))));
    }

    proptest! {
        #[test]
        fn flipped_bytes_give_an_error_or_a_page_that_can_be_walked(at in 4usize..400, bit in 0u8..8) {
            let mut bytes = sample().pack();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            if let Ok(page) = Page::unpack(&bytes) {
                for node in page.nodes() {
                    let _ = (node.name(), node.text(), node.parent(), node.children().count(),
                        node.attributes().count(), node.covered_by());
                }
            }
        }
    }
}
