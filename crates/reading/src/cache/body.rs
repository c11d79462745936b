//! What is stored of a page, and which of its texts are stored apart because other pages of its
//! site have them too.
//!
//! In: an extraction. Out: bytes, and from them the extraction again. Invariants: the parts of a
//! block joined are its text; a part is only taken for another page's if every byte of it is equal.
//!
//! Each line of a list or table is a part, so that a navigation that unfolds somewhere else on
//! every page still shares what lies around; other blocks are one part each.

use crate::blocks::{Block, BlockKind};
use crate::sections::{Cut, Extraction};
use browserlens_core::page::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Shortest part that is stored apart, in bytes.
const LEAST: usize = 3;

/// Start of the hash of a part.
pub(super) type Key = i64;
/// Number of a text that is stored apart.
pub(super) type TextId = i64;

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Body {
    title: String,
    word_count: u64,
    blocks: Vec<Stored>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    kind: BlockKind,
    xpath: String,
    position: u32,
    node: NodeId,
    side: u32,
    navigation: bool,
    continued: bool,
    parts: Vec<Part>,
}

#[derive(Clone, Serialize, Deserialize)]
enum Part {
    Own(String),
    Shared(TextId),
}

fn key(text: &str) -> Key {
    let hash = blake3::hash(text.as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    Key::from_le_bytes([a, b, c, d, e, f, g, h])
}

fn parts(block: &Block) -> Vec<Part> {
    if block.kind.is_by_lines() {
        block.text.split('\n').map(|line| Part::Own(line.to_owned())).collect()
    } else {
        vec![Part::Own(block.text.clone())]
    }
}

impl Body {
    /// Takes what follows an extraction apart; nothing is shared yet.
    pub fn of(extraction: &Extraction) -> Self {
        let stored = |block: &Block| Stored {
            kind: block.kind,
            xpath: block.xpath.clone(),
            position: block.position,
            node: block.node,
            side: block.side,
            navigation: block.navigation,
            continued: block.continued,
            parts: parts(block),
        };
        Self {
            title: extraction.title.clone(),
            word_count: extraction.word_count,
            blocks: extraction.blocks.iter().map(stored).collect(),
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        postcard::to_extend(self, Vec::new()).unwrap_or_default()
    }

    /// Reads what [`Self::encode`] wrote; none if it is something else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// The page's own parts that could be stored apart, by their keys.
    pub fn own(&self) -> FxHashMap<Key, &str> {
        let parts = self.blocks.iter().flat_map(|block| &block.parts);
        let own = parts.filter_map(|part| match part {
            Part::Own(text) if text.len() >= LEAST => Some((key(text), text.as_str())),
            _ => None,
        });
        own.collect()
    }

    /// The texts that are stored apart, each once.
    pub fn shared(&self) -> FxHashSet<TextId> {
        let parts = self.blocks.iter().flat_map(|block| &block.parts);
        parts.filter_map(|part| if let Part::Shared(id) = part { Some(*id) } else { None }).collect()
    }

    /// What the page has for itself.
    #[cfg(test)]
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let parts = self.blocks.iter().flat_map(|block| &block.parts);
        parts.filter_map(|part| if let Part::Own(text) = part { Some(text.as_str()) } else { None })
    }

    /// Gives up the parts that are stored apart.
    pub fn share(&mut self, known: &FxHashMap<Key, (TextId, String)>) {
        for part in self.blocks.iter_mut().flat_map(|block| &mut block.parts) {
            if let Part::Own(text) = part
                && text.len() >= LEAST
                && let Some((id, known)) = known.get(&key(text))
                && known == text
            {
                *part = Part::Shared(*id);
            }
        }
    }

    /// Joins the parts again; none if a text is not there.
    pub fn into_extraction(self, url: &str, cut: Cut, texts: &FxHashMap<TextId, String>) -> Option<Extraction> {
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for Stored { kind, xpath, position, node, side, navigation, continued, parts } in self.blocks {
            let mut text = String::new();
            for (at, part) in parts.into_iter().enumerate() {
                if at > 0 {
                    text.push('\n');
                }
                match part {
                    Part::Own(own) if text.is_empty() => text = own,
                    Part::Own(own) => text.push_str(&own),
                    Part::Shared(id) => text.push_str(texts.get(&id)?),
                }
            }
            blocks.push(Block { kind, text, xpath, position, node, side, navigation, continued });
        }
        Some(Extraction::counted(self.title, url.to_owned(), blocks, cut, self.word_count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(kind: BlockKind, text: &str) -> Block {
        let (text, xpath) = (text.to_owned(), "/html/body".to_owned());
        Block { kind, text, xpath, position: 0, node: NodeId::ROOT, side: 0, navigation: false, continued: false }
    }

    #[test]
    fn only_equal_texts_are_shared() {
        let page =
            |text: &str| Extraction::of("T", "https://a.test/", vec![block(BlockKind::Paragraph, text)], Cut::All);
        let mut body = Body::of(&page("About all of this."));
        let key = *body.own().keys().next().expect("a part");
        // Another text under the same key, as somebody could make one.
        body.share(&FxHashMap::from_iter([(key, (7, "Something else".to_owned()))]));
        assert!(body.shared().is_empty());
        let texts = FxHashMap::from_iter([(key, (7, "About all of this.".to_owned()))]);
        body.share(&texts);
        assert!(body.own().is_empty() && body.shared().contains(&7));
        assert!(body.clone().into_extraction("https://a.test/", Cut::All, &FxHashMap::default()).is_none());
        let texts = FxHashMap::from_iter([(7, "About all of this.".to_owned())]);
        assert_eq!(body.into_extraction("https://a.test/", Cut::All, &texts), Some(page("About all of this.")));
    }

    proptest! {
        #[test]
        fn parts_joined_are_the_text(text in "([a-c]{0,3}\n{0,2}){0,20}", is_list in any::<bool>()) {
            let kind = if is_list { BlockKind::List } else { BlockKind::Code };
            let page = Extraction::of("T", "https://a.test/", vec![block(kind, &text)], Cut::All);
            let body = Body::decode(&Body::of(&page).encode()).expect("is read");
            prop_assert_eq!(body.into_extraction("https://a.test/", Cut::All, &FxHashMap::default()), Some(page));
        }
    }
}
