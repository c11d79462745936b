//! The two ways in which data enters the page: as escaped text, and as JSON in a data block.
//!
//! Invariant: neither can become markup or end the element it stands in, whatever the data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browserlens_core::page::text::{escaped, escaped_xml};
use sha2::{Digest, Sha256};

/// Escapes text for element content and quoted attribute values; what nobody sees is written so
/// that it is seen.
pub(crate) fn escape(text: &str) -> String {
    escaped_xml(&escaped(text))
}

/// Makes JSON safe inside a `<script type="application/json">` block: without `<` there is neither
/// an end tag nor a comment.
///
/// In JSON `<` stands in strings only, where the escape means the same.
pub(super) fn escape_json_block(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Returns the source expression that lets a content security policy accept exactly this inline
/// script or style sheet.
pub(super) fn source_of(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            escape("<a href=\"x\" on='y'>&\u{0}\u{202e}"),
            "&lt;a href=&quot;x&quot; on=&#39;y&#39;&gt;&amp;\\u{0}\\u{202e}"
        );
    }

    #[test]
    fn json_blocks_hold_no_angle_bracket_and_mean_the_same() {
        let text = "</script><!-- <script> \u{1} \" \\ \u{2028} é\u{8}\u{c}\r\n\t\u{7f}";
        let block = escape_json_block(&serde_json::to_string(text).unwrap());
        assert!(!block.contains('<'), "{block}");
        assert_eq!(serde_json::from_str::<String>(&block).unwrap(), text);
    }

    #[test]
    fn the_hash_of_a_script_is_the_one_that_browsers_compute() {
        // The example of the CSP specification: alert('Hello, world.');
        assert_eq!(source_of("alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
    }
}
