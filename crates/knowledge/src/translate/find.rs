//! How a script finds its elements: fixed pieces of code, of which a script holds those that its
//! places need.
//!
//! In: [`ElementLocator`]s. Out: code that defines `all` (every element of a place) and `one` (the only one,
//! or an error), and the data of a place. Invariants: the code is put together of parts of `script.js`
//! and nothing else, which hold no backslash, no comment and no double quote (see
//! [`super::script`]); what is foreign is data. Roles and names are those that markup tells: enough
//! to find again what was found by them.

use super::script::part;
use crate::extract::nodes::css_string;
use crate::model::ElementTarget;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Where a script finds its element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ElementLocator {
    /// By CSS selectors, each of one element: in the document, then in the shadow tree or frame of
    /// the element before.
    Path(Vec<String>),
    /// By role and accessible name, as far as the markup tells them.
    Words(ElementTarget),
    /// The element that has the focus.
    Focused,
}

/// Most levels of `within` that are followed.
const DEEPEST: usize = 8;

/// Returns the data of a script that tells an element in words.
fn words_to_json(words: &ElementTarget, depth: usize) -> Value {
    let mut map = Map::new();
    match css_of_known(&words.role) {
        Some((role, _)) => map.insert("role".to_owned(), Value::from(role)),
        // A role that is not known is told by the attribute alone.
        None if !words.role.is_empty() => {
            map.insert("css".to_owned(), Value::from(format!("[role~={} i]", css_string(&words.role))))
        }
        None => map.insert("css".to_owned(), Value::from("*")),
    };
    for (key, text) in [("name", &words.name), ("text", &words.text)] {
        if !text.trim().is_empty() {
            map.insert(key.to_owned(), Value::from(text.as_str()));
        }
    }
    map.extend(words.nth.map(|nth| ("nth".to_owned(), Value::from(nth))));
    let within = words.within.as_deref().filter(|_| depth < DEEPEST);
    map.extend(within.map(|within| ("within".to_owned(), words_to_json(within, depth + 1))));
    Value::Object(map)
}

impl ElementLocator {
    /// Returns the data of a script that tells the place.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Path(path) => serde_json::json!({ "path": path }),
            Self::Words(words) => words_to_json(words, 0),
            Self::Focused => serde_json::json!({ "focused": true }),
        }
    }
}

/// Elements that have a role without saying so, by the role's name in the accessibility tree.
const ROLES: [(&str, &str); 44] = [
    ("button", "button,summary,input:is([type=button],[type=submit],[type=reset],[type=image],[type=file])"),
    ("link", "a,area"),
    (
        "textbox",
        "textarea,input:not([list],[type=button],[type=submit],[type=reset],[type=image],[type=file],[type=checkbox],\
            [type=radio],[type=range],[type=number],[type=search])",
    ),
    ("searchbox", "input[type=search]"),
    ("spinbutton", "input[type=number]"),
    ("slider", "input[type=range]"),
    ("combobox", "select,input[list]"),
    ("listbox", "select:is([multiple],[size])"),
    ("checkbox", "input[type=checkbox]"),
    ("radio", "input[type=radio]"),
    ("option", "option"),
    ("heading", "h1,h2,h3,h4,h5,h6"),
    ("navigation", "nav"),
    ("main", "main"),
    ("complementary", "aside"),
    ("region", "section"),
    ("banner", "header"),
    ("contentinfo", "footer"),
    ("form", "form"),
    ("article", "article"),
    ("dialog", "dialog"),
    ("group", "fieldset,details"),
    ("table", "table"),
    ("row", "tr"),
    ("cell", "td"),
    ("gridcell", "td"),
    ("columnheader", "th"),
    ("rowheader", "th"),
    ("list", "ul,ol,menu"),
    ("listitem", "li"),
    ("image", "img"),
    ("img", "img"),
    ("paragraph", "p"),
    ("figure", "figure"),
    ("DisclosureTriangle", "summary"),
    ("Canvas", "canvas"),
    ("Video", "video"),
    ("Audio", "audio"),
    ("Iframe", "iframe"),
    ("Date", "input[type=date]"),
    ("DateTime", "input[type=datetime-local]"),
    ("InputTime", "input[type=time]"),
    ("ColorWell", "input[type=color]"),
    (
        "generic",
        ":not(a,area,button,summary,select,textarea,input,option,nav,main,aside,form,table,tr,td,th,ul,ol,li,article,\
            dialog,fieldset,canvas,img,video,section,header,footer,h1,h2,h3,h4,h5,h6)",
    ),
];

/// Roles whose name is what stands in them: no labels, no values, no placeholders.
const NAMED_BY_CONTENT: [&str; 20] = [
    "link", "heading", "tab", "menuitem", "row", "cell", "gridcell", "columnheader", "rowheader", "listitem",
    "article", "region", "navigation", "main", "dialog", "option", "paragraph", "treeitem", "image", "img",
];

fn css_of_known(role: &str) -> Option<(&'static str, &'static str)> {
    ROLES.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(role))
}

/// Adds what finds the elements of places; `one` and `all` are defined by it.
pub(crate) fn define(places: &[&ElementLocator], out: &mut String) {
    let (mut words, mut longest, mut ways) = (Vec::new(), 0, Vec::new());
    for place in places {
        match place {
            ElementLocator::Path(path) => longest = longest.max(path.len()),
            // With what it lies in, outwards.
            ElementLocator::Words(inner) => {
                words.extend(std::iter::successors(Some(inner), |it| it.within.as_deref()).take(DEEPEST + 1));
            }
            ElementLocator::Focused => {}
        }
    }
    if places.contains(&&ElementLocator::Focused) {
        out.push_str(part("focused"));
        ways.push("t.focused?focused()");
    }
    if longest > 0 {
        out.push_str(part(if longest == 1 { "selector" } else { "path" }));
        ways.push("t.path?byPath(t)");
    }
    if !words.is_empty() {
        by_words(&words, out);
        ways.push("byWords(t)");
    }
    out.push_str("var all=t=>");
    match ways.as_slice() {
        [only] => out.push_str(only.rsplit_once('?').map_or(only, |(_, way)| way)),
        // An empty path finds nothing.
        [] => out.push_str("[]"),
        several => {
            out.push_str(&several.join(":"));
            if words.is_empty() {
                out.push_str(":[]");
            }
        }
    }
    out.push(';');
    out.push_str(part("one"));
}

fn by_words(words: &[&ElementTarget], out: &mut String) {
    let has = |test: &dyn Fn(&ElementTarget) -> bool| words.iter().any(|words| test(words));
    let (has_name, has_text) =
        (has(&|words| !words.name.trim().is_empty()), has(&|words| !words.text.trim().is_empty()));
    let has_within = has(&|words| words.within.is_some());
    if has_name || has_text {
        out.push_str(part("flat"));
    }
    out.push_str(part("roots"));
    if has_name {
        let by_content = |words: &ElementTarget| {
            words.name.is_empty() || NAMED_BY_CONTENT.iter().any(|role| role.eq_ignore_ascii_case(&words.role))
        };
        out.push_str(part("name"));
        out.push_str(part(if words.iter().all(|words| by_content(words)) { "by content" } else { "by labels" }));
    }
    if has_within {
        out.push_str(part("inside"));
    }
    let known: BTreeMap<&str, &str> = words.iter().filter_map(|words| css_of_known(&words.role)).collect();
    if !known.is_empty() {
        let css = |(role, elements): (&&str, &&str)| format!("{role}:'[role~={role} i],:is({elements}):not([role])'");
        out.push_str(&format!("var css={{{}}};", known.iter().map(css).collect::<Vec<_>>().join(",")));
    }
    let css = if known.is_empty() { "t.css" } else { "t.css||css[t.role]" };
    out.push_str("var byWords=t=>{var o=[];for(var r of roots())for(var e of r.querySelectorAll(");
    out.push_str(css);
    out.push_str("))if(e.getClientRects().length");
    if has_name {
        out.push_str("&&(!t.name||name(e)==flat(t.name))");
    }
    if has_text {
        out.push_str("&&(!t.text||flat(e.innerText)==flat(t.text))");
    }
    out.push_str(")o.push(e);");
    // What stands in an element stands in all around it too: without a role the innermost is meant.
    if has_text || has(&|words| words.role.is_empty()) {
        out.push_str("if(t.text||t.css=='*')o=o.filter(e=>!o.some(x=>x!=e&&e.contains(x)));");
    }
    if has_within {
        out.push_str("if(t.within){var w=byWords(t.within);o=o.filter(e=>w.some(a=>inside(a,e)))}");
    }
    out.push_str(if has(&|words| words.nth.is_some()) {
        "return 'nth'in t?o.slice(t.nth,t.nth+1):o};"
    } else {
        "return o};"
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::select::Selector;

    #[test]
    fn every_role_is_told_by_a_selector() {
        for (role, elements) in ROLES {
            let text = format!("[role~={role} i],:is({elements}):not([role])");
            assert!(text.parse::<Selector>().is_ok(), "{role}: {text}");
            assert!(!text.contains(['"', '\'', '\\']), "{role}");
        }
    }

    #[test]
    fn a_role_that_is_not_known_stays_data() {
        let words = ElementTarget { role: "x\"],*{}//' i".to_owned(), ..ElementTarget::default() };
        let css = words_to_json(&words, 0)["css"].as_str().unwrap().to_owned();
        assert!(css.parse::<Selector>().is_ok(), "{css}");
        let mut code = String::new();
        define(&[&ElementLocator::Words(words)], &mut code);
        assert!(!code.contains("//") && !code.contains("css={"), "{code}");
    }

    #[test]
    fn a_script_holds_what_its_places_need() {
        let defined = |places: &[&ElementLocator]| {
            let mut code = String::new();
            define(places, &mut code);
            code
        };
        let selector = ElementLocator::Path(vec!["#a".to_owned()]);
        let path = ElementLocator::Path(vec!["#a".to_owned(), "b".to_owned()]);
        let (role, name) = ("link".to_owned(), "Cart".to_owned());
        let link = ElementLocator::Words(ElementTarget { role, name, ..ElementTarget::default() });
        assert!(defined(&[&selector]).len() < 250, "{}", defined(&[&selector]).len());
        assert!(defined(&[&link]).len() < 1_200, "{}", defined(&[&link]).len());
        assert!(!defined(&[&link]).contains("labels"));
        let all = defined(&[&path, &link, &ElementLocator::Focused]);
        assert!(all.contains("var all=t=>t.focused?focused():t.path?byPath(t):byWords(t);"), "{all}");
        assert!(defined(&[&path, &ElementLocator::Focused]).contains("t.focused?focused():t.path?byPath(t):[];"));
    }
}
