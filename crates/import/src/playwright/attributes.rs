//! What the attributes of a recorded element become.
//!
//! In: the attributes of one element, among them those in which the recorder of a trace keeps what
//! HTML cannot say. Out: a start tag, with such state under names of ours (`browserlens-value`, …)
//! that the page's preparation applies and removes. Invariants: nothing that tells which node was
//! acted on stays on the page; frames show what was recorded of them, never what their URL would
//! give.

use crate::html::{attribute, is_attribute_written, is_void, open};
use crate::scene::{FrameContent, without_fragment};

/// What writing a page found out.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) html: String,
    /// Custom elements that were defined.
    pub(crate) defined: Vec<String>,
    /// Nodes that carry the mark of a target.
    pub(crate) targets: u32,
    pub(crate) gaps: Vec<String>,
}

/// Which marks count, and what frames show.
pub(crate) struct Marked<'a> {
    /// Values of the target attribute that mean the action at hand.
    pub(crate) targets: &'a [&'a str],
    /// Returns what a recorded frame shows, by its id.
    #[expect(clippy::type_complexity, reason = "the one place that names it")]
    pub(crate) frame: Box<dyn FnMut(&str) -> Option<FrameContent> + 'a>,
    /// URL of the document, if it is one that relative URLs can be resolved by.
    pub(crate) base: Option<&'a str>,
}

impl Marked<'_> {
    pub(crate) fn none() -> Self {
        Marked { targets: &[], frame: Box::new(|_| None), base: None }
    }
}

/// State that HTML cannot say: the attribute in a recording, and ours.
const STATES: [(&str, &str); 7] = [
    ("__playwright_value_", "browserlens-value"),
    ("__playwright_checked_", "browserlens-checked"),
    ("__playwright_selected_", "browserlens-selected"),
    ("__playwright_scroll_top_", "browserlens-scroll-top"),
    ("__playwright_scroll_left_", "browserlens-scroll-left"),
    ("__playwright_popover_open_", "browserlens-popover"),
    ("__playwright_dialog_open_", "browserlens-dialog"),
];

/// Writes the start tag of an element. Returns whether its children and end tag follow: they do not
/// where what it was stands elsewhere, it has no end tag, or nothing of it is kept inside.
pub(crate) fn write_attributes<'t>(
    page: &mut Page,
    name: &str,
    parent: &str,
    pairs: impl Iterator<Item = (&'t str, &'t str)> + Clone,
    kids: usize,
    marked: &mut Marked<'_>,
) -> bool {
    let get = |wanted: &str| pairs.clone().find(|(key, _)| *key == wanted).map(|(_, value)| value);
    let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    if is("base") && parent.eq_ignore_ascii_case("head") && kids == 0 && page.html.ends_with('>') {
        // The recorder of traces puts its own `base` first, which says what the document's URL says
        // where there is one.
        let is_first = page.html.rfind('<').is_some_and(|at| page.html[at..].to_ascii_lowercase().starts_with("<head"));
        let says = |base: &str| get("href").is_none_or(|href| without_fragment(href) == without_fragment(base));
        if is_first && marked.base.is_some_and(says) {
            return false;
        }
    }
    if is("meta") && get("http-equiv").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh")) {
        return false;
    }
    open(&mut page.html, name);
    if is("template") && get("__playwright_shadow_root_").is_some() {
        attribute(&mut page.html, "shadowrootmode", "open");
    }
    if let Some(css) = get("__playwright_style_sheet_").filter(|_| is("template")) {
        attribute(&mut page.html, "browserlens-sheet", css);
    }
    let is_frame = is("iframe") || is("frame");
    for (key, value) in pairs.clone() {
        if let Some((_, ours)) = STATES.iter().find(|(theirs, _)| *theirs == key) {
            attribute(&mut page.html, ours, value);
        } else if key == "__playwright_target__" {
            if marked.targets.contains(&value) {
                page.targets += 1;
                attribute(&mut page.html, "browserlens-mark", crate::plan::TARGET);
            }
        } else if key == "__playwright_custom_elements__" {
            page.defined.extend(value.split(',').map(str::to_owned));
        } else if is_frame && key.eq_ignore_ascii_case("src") {
            let id = value.rsplit('/').next().unwrap_or("");
            match (marked.frame)(id) {
                Some(FrameContent::Url(url)) => attribute(&mut page.html, "src", &url),
                Some(FrameContent::Inline(html)) => attribute(&mut page.html, "srcdoc", &html),
                None if id.is_empty() => {}
                None => page.gaps.push("a frame was not recorded: it is empty".to_owned()),
            }
        } else if !key.starts_with("__playwright_")
            && is_attribute_written(key, value)
            && !(is_frame && key.eq_ignore_ascii_case("sandbox"))
        {
            attribute(&mut page.html, key, value);
        }
    }
    page.html.push('>');
    if is("iframe") {
        page.html.push_str("</iframe>");
    }
    !is("iframe") && !is_void(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::playwright::tree::{Tree, write};

    fn page_with(json: &str, marked: &mut Marked<'_>) -> Page {
        write(&[Tree::parse(json, &Limits::default()).expect("parses")], None, &Limits::default(), marked)
            .expect("writes")
    }

    #[test]
    fn state_goes_under_names_of_ours_and_marks_only_where_they_count() {
        let json = concat!(
            r#"["BODY",{"__playwright_custom_elements__":"x-a,x-b"},["INPUT",{"__playwright_value_":"v","#,
            r#""__playwright_target__":"call@7","type":"text"}],["A",{"__playwright_target__":"call@3","#,
            r#""href":"javascript:x"}],["SCRIPT",{},"alert(1)"],["IMG",{"onerror":"x","src":"a.png","#,
            r#""__playwright_current_src__":"http://x/a.png"}]]"#
        );
        let page = page_with(json, &mut Marked { targets: &["call@7"], ..Marked::none() });
        assert_eq!(
            page.html,
            "<BODY><INPUT browserlens-value=\"v\" browserlens-mark=\"target\" type=\"text\"><A></A><IMG \
                src=\"a.png\"></BODY>"
        );
        assert_eq!((page.targets, page.defined), (1, vec!["x-a".to_owned(), "x-b".to_owned()]));
    }

    #[test]
    fn shadow_roots_sheets_and_frames_are_written_so_that_a_parser_makes_them() {
        let json = concat!(
            r#"["BODY",{},["DIV",{},["template",{"__playwright_shadow_root_":"open"},"in",["template","#,
            r#"{"__playwright_style_sheet_":"p{}"}]]],["IFRAME",{"src":"/snapshot/frame@1","sandbox":""}],"#,
            r#"["IFRAME",{"src":"/snapshot/frame@2"}],["IFRAME",{"src":""}]]"#
        );
        let frame = |id: &str| match id {
            "frame@1" => Some(FrameContent::Inline("<b>\"x\"</b>".to_owned())),
            _ => None,
        };
        let page = page_with(json, &mut Marked { frame: Box::new(frame), ..Marked::none() });
        assert_eq!(
            page.html,
            concat!(
                r#"<BODY><DIV><template shadowrootmode="open">in<template browserlens-sheet="p{}"></template>"#,
                r#"</template></DIV><iframe srcdoc="&lt;b>&quot;x&quot;&lt;/b>"></iframe>"#,
                "<IFRAME></iframe><IFRAME></iframe></BODY>",
            )
            .replace("<iframe srcdoc", "<IFRAME srcdoc")
        );
        assert_eq!(page.gaps.len(), 1);
    }

    #[test]
    fn the_recorders_own_base_goes_where_the_url_says_the_same() {
        let json = r#"["HTML",{},["HEAD",{},["BASE",{"href":"http://a/b"}],["BASE",{"href":"/c"}]],["BODY"]]"#;
        let page = page_with(json, &mut Marked { base: Some("http://a/b#x"), ..Marked::none() });
        assert_eq!(page.html, "<HTML><HEAD><BASE href=\"/c\"></HEAD><BODY></BODY></HTML>");
        let page = page_with(json, &mut Marked::none());
        assert!(page.html.contains("http://a/b"));
    }
}
