//! Scripts for `evaluate`: fixed functions, called with data.
//!
//! In: an operation, where its element is, and values. Out: `(function(q){…})({…})`. Invariants:
//! nothing but the data object differs between two scripts of one operation whose places and points
//! are of one kind; every text in it is a JSON string of letters, digits, blanks and `\uXXXX`
//! alone, so that no text can end its literal, not even after a tool has rewritten the script:
//! browser-use replaces `\"` by `"`, halves doubled backslashes and may cut comments before it
//! evaluates (read in its sources), and an ordinarily escaped JSON string would be opened by that.

pub(crate) use super::find::ElementLocator;
use super::find::define;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a script does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// Clicks: pointer and mouse events at a point of the element.
    Click,
    /// Clicks, unless the element is expanded or pressed as it is wanted already.
    Turn,
    /// Clicks twice.
    DoubleClick,
    /// Clicks with the secondary button.
    RightClick,
    /// Moves the pointer over the element.
    Hover,
    /// Drags from the element to another or by a way.
    Drag,
    /// Gives the focus.
    Focus,
    /// Sets the text of a field.
    SetText,
    /// Sets the check of a box.
    SetChecked,
    /// Chooses an option by its label.
    Choose,
    /// Hands a file of a text to the file input of the element.
    Upload,
    /// Sends the form of the element.
    Submit,
    /// Sets the form of the element back.
    Reset,
    /// Plays, halts, seeks, sets volume or sound of a video.
    Media,
    /// Waits until the element is there.
    WaitFor,
    /// Scrolls an element or the page by pixels.
    ScrollBy,
    /// Scrolls the element into view.
    ScrollTo,
    /// Goes forward in history.
    Forward,
    /// Loads the page again.
    Reload,
}

/// The parts of `script.js` by name.
static PARTS: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let parts = include_str!("script.js").split("//# ").skip(1);
    let part = |part: &'static str| {
        let (name, lines) = part.split_once('\n').unwrap_or((part, ""));
        (name.trim_end(), lines.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect())
    };
    parts.map(part).collect()
});

/// Returns a part of `script.js`; that of an operation goes by its name.
pub(super) fn part(name: &str) -> &'static str {
    &PARTS[name]
}

/// Functions that operations call, in the order in which a script holds them.
const SHARED: [&str; 9] = ["press", "ev", "at", "ready", "so", "file", "put", "tell", "flat"];

/// Returns whether code calls a function by its name.
fn calls(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        code[at + name.len()..].starts_with('(')
            && !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$'))
    })
}

/// Returns the script of an operation; some have a second element, which they find as `q.to`.
pub(crate) fn script(
    operation: Operation,
    at: Option<&ElementLocator>,
    to: Option<&ElementLocator>,
    values: Map<String, Value>,
) -> String {
    let mut data = values;
    for (key, place) in [("at", at), ("to", to)] {
        if let Some(place) = place {
            data.insert(key.to_owned(), place.to_json());
        }
    }
    let mut out = String::from("(async function(q){try{");
    let places: Vec<&ElementLocator> = at.into_iter().chain(to).collect();
    if !places.is_empty() {
        define(&places, &mut out);
    }
    let body = part(&format!("{operation:?}"));
    let mut needed = body.to_owned();
    let has_point = data.contains_key("point") || data.contains_key("page");
    for name in SHARED {
        let code = part(if name == "at" && has_point { "at a point" } else { name });
        if calls(&needed, name) && !out.contains(code) {
            out.push_str(code);
            needed.push_str(code);
        }
    }
    out.push_str(body);
    out.push_str("return 'done'}catch(x){return 'Error: '+x.message}})(");
    out + &literal(&Value::Object(data)) + ")"
}

/// Writes JSON as a literal that stays what it is through rewriting: see the module.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(",")),
        Value::Object(map) => {
            let members = map.iter().map(|(key, item)| format!("{}:{}", quoted(key), literal(item)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        plain => plain.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    let mut units = [0; 2];
    for c in text.chars() {
        if c.is_alphanumeric() || c == ' ' {
            out.push(c);
        } else {
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    /// What browser-use does with a script before it is evaluated, as far as it could touch a
    /// literal.
    fn rewritten(code: &str) -> String {
        let mut code = code.replace("\\\"", "\"");
        for (pattern, by) in [
            (r"\\\\([dDsSwWbBnrtfv])", r"\$1"),
            (r"\\\\([.*+?^${}()|\[\]])", r"\$1"),
            (r#"document\.evaluate\s*\(\s*"([^"]*)"\s*,"#, "document.evaluate(`$1`,"),
            (r#"(querySelector(?:All)?)\s*\(\s*"([^"]*)"\s*\)"#, "$1(`$2`)"),
            (r#"\.closest\s*\(\s*"([^"]*)"\s*\)"#, ".closest(`$1`)"),
            (r#"\.matches\s*\(\s*"([^"]*)"\s*\)"#, ".matches(`$1`)"),
            (r"(?m)([^:]|^)//.*$", "$1"),
            (r"(?s)/\*.*?\*/", ""),
        ] {
            code = Regex::new(pattern).unwrap().replace_all(&code, by).into_owned();
        }
        code
    }

    const OPERATIONS: [Operation; 19] = {
        use Operation::*;
        [
            Click, Turn, DoubleClick, RightClick, Hover, Drag, Focus, SetText, SetChecked, Choose, Upload, Submit,
            Reset, Media, WaitFor, ScrollBy, ScrollTo, Forward, Reload,
        ]
    };

    /// The data of a script; the function before it has to be the fixed one.
    fn data(code: &str, operation: Operation) -> Value {
        let empty = script(operation, Some(&ElementLocator::Path(vec![String::new()])), None, Map::new());
        let head = &empty[..empty.rfind("})(").unwrap() + 3];
        let data = code.strip_prefix(head).expect("the function is the fixed one").strip_suffix(')').unwrap();
        serde_json::from_str(data).unwrap()
    }

    fn holds(text: &str) {
        for operation in OPERATIONS {
            let values = Map::from_iter([("text".to_owned(), Value::from(text))]);
            let code = script(operation, Some(&ElementLocator::Path(vec![text.to_owned()])), None, values);
            assert_eq!(rewritten(&code), code);
            let data = data(&code, operation);
            assert_eq!(data["text"], text);
            assert_eq!(data["at"]["path"][0], text);
        }
    }

    #[test]
    fn hostile_texts_stay_data_even_after_a_tool_has_rewritten_the_script() {
        for text in [
            "\");alert(1);(\"",
            "\\\");alert(1);//",
            "\\",
            "\\\\\"",
            "`${alert(1)}`",
            "'+alert(1)+'",
            "</script><script>alert(1)</script>",
            "*/alert(1)/*",
            "// gone",
            "\u{2028}alert(1)\u{2029}",
            "querySelector(\"a\")",
            "😀 家\u{0}\r\n\t",
            "__proto__",
        ] {
            holds(text);
        }
    }

    proptest! {
        #[test]
        fn any_text_stays_data(text in "\\PC{0,40}|[\\\\\"'`/*${}()\n]{0,20}") {
            holds(&text);
        }
    }
}
