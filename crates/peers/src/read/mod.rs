//! Reading what a tool wrote: text to [`Reading`], without the page.
//!
//! A tool's own format is read in its folder; what they share, and formats that are nobody's, are
//! here. No parser panics, whatever the text; equal texts read equally.

mod ax_json;
pub mod html;
mod markdown;
mod markdown_inline;
mod node;
pub(crate) mod outline;
pub mod plain;
mod state;
pub mod tags;
pub mod text;

pub use node::{Mark, ReadNode, Reading};
pub use text::Haystack;

use crate::tool::Format;

/// How the texts of one run are read.
#[derive(Debug)]
pub enum TextReader {
    /// Each text stands alone.
    Standing(fn(&str) -> Reading),
    /// A text may change what those before it said.
    Held(Box<dyn HeldText>),
}

/// The texts of a run of which later ones change earlier ones.
pub trait HeldText: std::fmt::Debug + Send {
    /// Reads the next text and returns what can be read in all of them.
    fn read(&mut self, text: &str) -> Reading;
}

/// JSON of `Accessibility.getFullAXTree`.
pub(crate) static AX_JSON: Format = Format::without_lines("ax-json", || TextReader::Standing(ax_json::parse));
/// HTML.
pub(crate) static HTML: Format = Format::without_lines("html", || TextReader::Standing(html::parse));
/// Markdown.
pub(crate) static MARKDOWN: Format = Format::new("markdown", || TextReader::Standing(markdown::parse));
/// Text without structure.
pub(crate) static PLAIN: Format = Format::without_lines("plain", || TextReader::Standing(plain::parse));

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Texts of the marks of every format, and lines in the form of each.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "([ ]{0,6}- )?[\\PC\\n \"'\\[\\]:\\\\=,-]{0,80}",
            "([ ]{0,8}- [a-z]{0,6}( \".{0,8}\"?)?( \\[.{0,12}\\]?)?( clickable( \\[)?)?(: .{0,8})?\n){0,12}",
            "([ ]{0,8}- (<changed> )?(text|link|'|\")?( \".{0,8}\"?)?( \\[.{0,8}\\]?)?(: .{0,8})?\n){0,12}",
            "[\\t]{0,3}[\\PC\\n\\t|*\\[\\]<>=/]{0,80}",
            concat!(
                r"(\t{0,3}(\|SHADOW\(open\)\|)?\*?(\[[0-9x]{0,4}\]?)?",
                "<[a-z]{0,6}( [a-z]{1,5}=.{0,6})?( /)?>?\n){0,10}",
            ),
            "([ ]{0,6}\\[[0-9]-[0-9]\\] )?[\\PC\\n \\[\\]:,-]{0,80}",
            concat!(
                r"([ ]{0,6}\[?[0-9]?-[0-9]\]? ?(scrollable, )?(textbox|StaticText|select|option)?(: .{0,8})?",
                r"( \[(selected|checked)\]){0,3}\n){0,12}",
            ),
            "([ ]{0,6}uid=[0-9]_[0-9])?[\\PC\\n \"=_-]{0,80}",
            concat!(
                "([ ]{0,6}(uid=[0-9]_[0-9])?( [a-z]{0,6})?( \".{0,8}\"?)?",
                "( (value|checked|expandable|level)(=\"?.{0,8}\"?)?){0,3}\n){0,12}",
            ),
            "(\\t{0,3}\\[[0-9a-z]\\] )?[\\PC\\n\\t '\"\\\\=,]{0,80}",
            concat!(
                r"(\t{0,4}(\[[0-9a]{0,2}\] )?(button|StaticText|generic|InlineTextBox)",
                "( ['\"].{0,8}['\"]?)?( value='?.{0,4}'?)?(, [a-z]{0,7}(=.{0,6})?){0,3}\n){0,12}",
            ),
            "[\\PC\\n<>/=\"'&;# a-d-]{0,160}",
            concat!(
                "(</?(a|p|li|head|script|textarea|select|option|label|input)",
                "( (id|for|value|type)=[\"']?[a-c]{0,2}[\"']?){0,2} ?/?>?(x|&amp;|é)?){0,14}",
            ),
            "[\\PC\\n *_`~|#>!\\[\\]()\\\\-]{0,120}",
            "[\\PC\\n{}\\[\\]\":,]{0,120}",
            ".{0,200}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn every_format_reads_any_texts_and_paths_end(texts in prop::collection::vec(texts(), 1..3)) {
            for format in crate::formats() {
                let mut reader = (format.reader)();
                for text in &texts {
                    let reading = match &mut reader {
                        TextReader::Standing(parse) => parse(text),
                        TextReader::Held(held) => held.read(text),
                    };
                    let count = reading.nodes.len();
                    for index in 0..count {
                        prop_assert!(reading.path(index).count() <= count, "{}: {text:?}", format.name);
                    }
                    let is_outline = format.has_lines && format.name != MARKDOWN.name;
                    if is_outline && matches!(reader, TextReader::Standing(_)) {
                        prop_assert!(count <= text.lines().count(), "{}: {text:?}", format.name);
                    }
                }
            }
        }
    }
}
