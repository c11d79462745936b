//! Writes HTML that a browser parses to the tree it was written from.
//!
//! In: names, attributes and texts of a recorded tree. Out: HTML without scripts. Invariants: no
//! text ends its element or becomes markup; no element, attribute or URL that runs a script is
//! written.

use browserlens_core::page::html::escape_text;
use browserlens_core::page::text::push_replaced;

/// Elements without an end tag.
const VOID: [&str; 15] = [
    "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements that are left out with all they hold.
const LEFT_OUT: [&str; 4] = ["script", "plaintext", "noembed", "noframes"];
/// Attributes of ours, which the page of somebody else must not bring along.
pub(crate) const OURS: &str = "browserlens-";

/// Returns whether an element is written at all.
pub(crate) fn is_written(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && name.bytes().all(plain)
        && !LEFT_OUT.iter().any(|left| name.eq_ignore_ascii_case(left))
}

/// Returns whether an element has no end tag.
pub(crate) fn is_void(name: &str) -> bool {
    VOID.iter().any(|void| name.eq_ignore_ascii_case(void))
}

/// Returns whether an attribute of somebody else's page is written.
pub(crate) fn is_attribute_written(name: &str, value: &str) -> bool {
    let bad = |character: char| character.is_whitespace() || character.is_control() || "\"'<>/=`".contains(character);
    let lower = name.to_ascii_lowercase();
    let leads = matches!(lower.as_str(), "href" | "src" | "action" | "formaction" | "data" | "xlink:href");
    let runs = lower.starts_with("on") || (leads && is_script_url(value));
    let means_more =
        matches!(lower.as_str(), "srcdoc" | "integrity" | "nonce" | "ping" | "shadowrootmode" | "http-equiv");
    !(name.is_empty() || name.contains(bad) || runs || means_more || lower.starts_with(OURS))
}

/// Returns whether following a URL would run it.
pub(crate) fn is_script_url(url: &str) -> bool {
    let stripped: String =
        url.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(11).collect::<String>().to_ascii_lowercase();
    stripped.starts_with("javascript:") || stripped.starts_with("vbscript:")
}

/// Begins an element, without the closing bracket of its tag.
pub(crate) fn open(out: &mut String, name: &str) {
    out.push('<');
    out.push_str(name);
}

/// Writes an attribute.
pub(crate) fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_replaced(out, value, &[('&', "&amp;"), ('"', "&quot;"), ('<', "&lt;"), ('\0', "")]);
    out.push('"');
}

/// Ends an element.
pub(crate) fn close(out: &mut String, name: &str) {
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// Writes a text.
pub(crate) fn text(out: &mut String, text: &str) {
    escape_text(out, &text.replace('\0', ""));
}

/// Writes the text of a `style`, which nothing but its own end tag ends.
pub(crate) fn style(out: &mut String, css: &str) {
    // An escaped slash is a slash in CSS.
    out.push_str(&css.replace("</", "<\\/"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        let mut out = String::new();
        open(&mut out, "p");
        attribute(&mut out, "title", "\"><script>&amp;");
        out.push('>');
        text(&mut out, "</p><b>&lt;");
        close(&mut out, "p");
        style(&mut out, "a::before{content:'</style><script>'}");
        assert_eq!(
            out,
            "<p title=\"&quot;>&lt;script>&amp;amp;\">&lt;/p&gt;&lt;b&gt;&amp;lt;</p>a::before{content:'<\\/style>\
                <script>'}"
        );
    }

    #[test]
    fn what_runs_is_left_out() {
        assert!(!is_written("SCRIPT") && !is_written("a b") && !is_written("") && is_written("x-card"));
        assert!(!is_attribute_written("onclick", "x") && !is_attribute_written("href", " java\nscript:alert(1)"));
        assert!(!is_attribute_written("browserlens-mark", "x") && is_attribute_written("data-x", "javascript:"));
    }
}
