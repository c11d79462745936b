//! Chunks as documents for a store of vectors.
//!
//! In: markdown of a page and its URL. Out: [`Document`]s, each a line of JSON. Invariants: ids are
//! the same for the same text at the same URL, on every machine, and no two documents of a page
//! share one; a line of JSON holds no line end; comments of the extraction are in no text.

use super::{ChunkError, ChunkOptions, Cut, Region, cut};
use std::collections::HashMap;

/// A chunk with what a store needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// 16 hexadecimal digits, made of URL and text; the second of two that are alike ends in `-2`.
    pub id: String,
    /// What is stored, with breadcrumbs and overlap as they were asked for.
    pub text: String,
    /// The headings above its first line, outermost first.
    pub breadcrumbs: Vec<String>,
    /// What the text costs.
    pub tokens: u32,
    /// Address of the page.
    pub url: String,
    /// Semantic path of the section it begins in; empty where none is told.
    pub path: String,
    /// What was cut in it because it was over the maximum alone.
    pub cut: Option<Cut>,
}

impl Document {
    /// Returns the document as JSON on one line; `cut` is there only where something was cut.
    pub fn json(&self) -> String {
        let mut value = serde_json::json!({
            "id": self.id,
            "text": self.text,
            "breadcrumbs": self.breadcrumbs,
            "tokens": self.tokens,
            "url": self.url,
            "path": self.path,
        });
        if let Some(cut) = self.cut {
            value["cut"] = cut.name().into();
        }
        value.to_string()
    }
}

/// Cuts markdown into documents.
///
/// # Errors
/// [`ChunkError`], as where one text is cut.
pub fn documents(markdown: &str, url: &str, options: ChunkOptions) -> Result<Vec<Document>, ChunkError> {
    let (text, regions) = content(markdown);
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut found = Vec::new();
    for chunk in cut(&text, &regions, options)? {
        let begun = regions.partition_point(|region| region.at <= chunk.range.start);
        let path = begun.checked_sub(1).map_or_else(String::new, |last| regions[last].path.clone());
        let hash = fnv(url, chunk.body());
        let times = known.entry(hash).or_insert(0);
        *times += 1;
        let id = if *times == 1 { format!("{hash:016x}") } else { format!("{hash:016x}-{times}") };
        found.push(Document {
            id,
            text: chunk.text().to_owned(),
            breadcrumbs: chunk.breadcrumbs.clone(),
            tokens: chunk.tokens.0,
            url: url.to_owned(),
            path,
            cut: chunk.cut,
        });
    }
    Ok(found)
}

/// Parts the text of a page from the comments that the extraction wrote between. In text of a page
/// `<` is escaped; a line within a block of code is none, whatever it looks like.
fn content(markdown: &str) -> (String, Vec<Region>) {
    let mut text = String::with_capacity(markdown.len());
    let mut regions = Vec::new();
    let (mut fence, mut above, mut is_after) = (None, None, false);
    for line in markdown.split_inclusive('\n') {
        let said = line.trim_end();
        let ticks = said.len() - said.trim_start_matches('`').len();
        let comment = said.strip_prefix("<!-- ").and_then(|said| said.strip_suffix(" -->")?.split_once(": "));
        match (fence, comment) {
            (Some(opened), _) if ticks >= opened && ticks == said.len() => fence = None,
            (Some(_), _) => {}
            (None, Some((what @ ("source" | "xpath" | "headings" | "cut" | "end"), value))) => {
                match what {
                    "headings" => above = Some(value.split(" > ").map(heading).collect()),
                    "xpath" => {
                        regions.push(Region { at: text.len(), path: value.to_owned(), above: above.take() });
                    }
                    _ => {}
                }
                is_after = true;
                continue;
            }
            (None, _) if ticks >= 3 => fence = Some(ticks),
            // The empty line behind a comment is its own.
            (None, _) if said.is_empty() && is_after && (text.is_empty() || text.ends_with("\n\n")) => continue,
            (None, _) => {}
        }
        is_after = false;
        text.push_str(line);
    }
    (text, regions)
}

/// Reads `## A`: a heading of the level 2.
fn heading(told: &str) -> (u8, String) {
    let title = told.trim_start_matches('#');
    ((told.len() - title.len()).min(6) as u8, title.trim_start().to_owned())
}

/// FNV-1a of URL and text: the same on every machine, which a hash of the standard library need not
/// be.
fn fnv(url: &str, text: &str) -> u64 {
    let bytes = url.bytes().chain([0]).chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::tokens::{Encoding, Tokens};

    const TEXT: &str = "<!-- source: https://a.test/ -->\n<!-- xpath: /main/section.intro -->\n\n# Guide\n\nSome \
        words to \
        begin with.\n\n<!-- xpath: /main/section.code -->\n\n## Code\n\n```rust\nfn main() {\n    run();\n}\n```\n\n\
        Some words to begin with.\n\n<!-- end: 15 words extracted -->\n";

    #[test]
    fn documents_have_ids_breadcrumbs_tokens_and_the_path_they_begin_in() {
        let options = ChunkOptions::of(Tokens(28));
        let found = documents(TEXT, "https://a.test/", options).expect("cut");
        assert_eq!(found, documents(TEXT, "https://a.test/", options).expect("cut"), "ids stay");
        assert!(found.len() > 1, "{found:?}");
        let ids: std::collections::HashSet<&str> = found.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids.len(), found.len());
        assert_eq!(found[0].path, "/main/section.intro");
        let code = found.iter().find(|document| document.text.contains("fn main")).expect("the code");
        assert!(code.text.contains("run();\n}\n```"), "code stays whole: {}", code.text);
        assert_eq!(
            (code.path.as_str(), code.breadcrumbs.first().map(String::as_str)),
            ("/main/section.code", Some("Guide"))
        );
        for document in &found {
            assert!(!document.text.contains("xpath") && !document.text.contains("extracted"), "{}", document.text);
            assert_eq!(document.tokens, Encoding::O200kBase.count(&document.text).0);
            assert!(document.tokens <= 28 && !document.json().contains('\n'), "{}", document.json());
        }
        let other = documents(TEXT, "https://b.test/", options).expect("cut");
        assert_ne!(other[0].id, found[0].id);
    }

    #[test]
    fn texts_that_are_alike_have_ids_of_their_own() {
        let text = "Same words again.\n\n".repeat(20);
        let found = documents(&text, "u", ChunkOptions::of(Tokens(8))).expect("cut");
        let ids: std::collections::HashSet<&str> = found.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids.len(), found.len());
        assert!(documents("x", "u", ChunkOptions::of(Tokens(1))).is_err());
    }
}
