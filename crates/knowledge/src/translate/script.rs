//! Scripts for `evaluate`: fixed functions, called with data.
//!
//! In: an operation, where its element is, and values. Out: `(function(q){…})({…})`. Invariants:
//! nothing but the data object differs between two scripts of one operation whose places and points
//! are of one kind; every text in it is a JSON string of letters, digits, blanks and `\uXXXX`
//! alone, so that no text can end its literal, not even after a tool has rewritten the script:
//! browser-use replaces `\"` by `"`, halves doubled backslashes and may cut comments before it
//! evaluates (read in its sources), and an ordinarily escaped JSON string would be opened by that.

pub use super::find::ElementLocator;
use super::find::{FLAT, define};
use serde_json::{Map, Value};
use std::fmt::Write;

/// What a script does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
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

impl Operation {
    fn body(self) -> &'static str {
        match self {
            Self::Click => "var e=ready(one(q.at));press(e,at(e),1);",
            Self::Turn => "var e=ready(one(q.at));if(!so(e)){press(e,at(e),1)}",
            Self::DoubleClick => "var e=ready(one(q.at));var p=at(e);press(e,p,1);press(e,p,2);ev(e,'dblclick',p,0,2);",
            Self::RightClick => {
                concat!(
                    "var e=ready(one(q.at));",
                    "for(var k of ['pointerdown','mousedown','pointerup','mouseup','contextmenu'])",
                    "ev(e,k,at(e),2,k[0]=='m'?1:0,k.endsWith('down')?2:0);",
                )
            }
            Self::Hover => {
                "var e=one(q.at);for(var k of \
                    ['pointerover','pointerenter','mouseover','mouseenter','pointermove','mousemove'])ev(e,k,at(e));"
            }
            Self::Drag => {
                "var e=ready(one(q.at)),p=at(e),d=q.to?one(q.to):e,b=d.getBoundingClientRect(),g=q.by?{x:p.x+q.by[0],\
                    y:p.y+q.by[1]}:q.toPoint?{x:b.left+q.toPoint[0],y:b.top+q.toPoint[1]}:{x:b.left+b.width/2,\
                    y:b.top+b.height/2},t=new DataTransfer(),drag=(n,k,c)=>n.dispatchEvent(new DragEvent(k,\
                    {bubbles:true,cancelable:true,composed:true,clientX:c.x,clientY:c.y,dataTransfer:t}));ev(e,\
                    'pointerdown',p,0,0,1);ev(e,'mousedown',p,0,1,1);if(e.draggable&&q.to){drag(e,'dragstart',p);\
                    drag(d,'dragenter',g);drag(d,'dragover',g);drag(d,'drop',g);drag(e,'dragend',g)}else{for(var i=1;\
                    i<9;i++)for(var k of ['pointermove','mousemove'])ev(q.to?d:e,k,{x:p.x+(g.x-p.x)*i/8,y:p.y+(g.y-p.y)\
                    *i/8},0,0,1);ev(d,'pointerup',g);ev(d,'mouseup',g,0,1)}"
            }
            Self::Focus => "one(q.at).focus();",
            Self::SetText => {
                "var e=ready(one(q.at));if(e.readOnly)throw Error('it is read-only');e.focus();var \
                    c=e.isContentEditable,v=q.add?(c?e.textContent:e.value)+q.text:q.text;if(c)e.textContent=v;else \
                    put(e,v);tell(e);"
            }
            Self::SetChecked => {
                "var e=ready(one(q.at)),h=e.getAttribute('aria-checked'),c=h===null?!!e.checked:h=='true';\
                    if(q.on===null||c!==q.on)e.click();"
            }
            Self::Choose => {
                "var e=ready(one(q.at)),o=[...e.options||[]].filter(o=>[o.label,o.text].some(l=>flat(l)==flat(q.text)))\
                    ;if(o.length!=1)throw Error(o.length+' options of that label');put(e,o[0].value);\
                    o[0].selected=true;tell(e);"
            }
            Self::Upload => {
                "var e=ready(one(q.at)),i=file(e),t=new DataTransfer();t.items.add(new \
                    File([q.text],q.name,{type:'text/plain'}));ready(i).files=t.files;tell(i);"
            }
            Self::Submit => {
                "var e=one(q.at),f=e.tagName=='FORM'?e:e.form||e.closest('form');if(!f)throw Error('no \
                    form');f.requestSubmit();"
            }
            Self::Reset => {
                "var e=one(q.at),f=e.tagName=='FORM'?e:e.form||e.closest('form');if(!f)throw Error('no \
                    form');f.reset();"
            }
            Self::Media => {
                "var e=one(q.at);if(q.what=='play')await e.play();else if(q.what=='pause')e.pause();else \
                    if(q.what=='seek')e.currentTime=q.value;else if(q.what=='volume')e.volume=q.value;else \
                    e.muted=!e.muted;"
            }
            Self::WaitFor => {
                "var u=Date.now()+q.seconds*1000;while(!all(q.at).length){if(Date.now()>u)throw Error('not there in \
                    time');await new Promise(r=>setTimeout(r,100))}"
            }
            Self::ScrollBy => "(q.at?one(q.at):window).scrollBy(q.x,q.y);",
            Self::ScrollTo => "one(q.at).scrollIntoView({block:'center'});",
            Self::Forward => "history.forward();",
            Self::Reload => "location.reload();",
        }
    }
}

/// What operations share, by name; a script holds what its operation calls. None of it holds a
/// backslash, a comment or a double quote: see the module.
const SHARED: [(&str, &str); 9] = [
    (
        "press",
        "var press=(e,p,d)=>{for(var k of ['pointerdown','mousedown','pointerup','mouseup','click']){var \
            r=ev(e,k,p,0,k[0]=='p'?0:d,k.endsWith('down')?1:0);if(k=='mousedown'&&r)e.focus?.()}};",
    ),
    (
        "ev",
        "var ev=(e,k,p,b=0,d=0,u=0)=>e.dispatchEvent(new(k[0]=='p'?PointerEvent:MouseEvent)(k,\
            {bubbles:!k.endsWith('enter'),cancelable:!0,composed:!0,view:self,clientX:p.x,clientY:p.y,button:b,\
            buttons:u,detail:d,pointerId:1,pointerType:'mouse',isPrimary:!0}));",
    ),
    ("at", "var at=e=>{var b=e.getBoundingClientRect();return{x:b.left+b.width/2,y:b.top+b.height/2}};"),
    // What a person could act on: a script's events reach what is disabled, inert, or behind a
    // modal dialog as well.
    (
        "ready",
        "var ready=e=>{var n=e.closest(':disabled:not(fieldset),[inert],:modal'),h=e.getRootNode().host;\
            if(n?!n.matches(':modal'):!h&&e.ownerDocument.querySelector(':modal'))throw Error('out of reach');n||\
            h&&ready(h);e.scrollIntoViewIfNeeded();return e};",
    ),
    (
        "so",
        "var so=e=>['expanded','pressed'].some(k=>k in \
            q&&(e.getAttribute('aria-'+k)??String(e.closest('summary')?.parentNode.open))==String(q[k]));",
    ),
    // A button that a page shows in place of its file input stands beside it.
    (
        "file",
        "var file=e=>{for(var n=e.control||e,k=0;n&&k<4;n=n.parentElement,k++){var \
            i=n.matches('input[type=file]')?n:n.querySelector('input[type=file]');if(i)return i}throw Error('no file \
            input')};",
    ),
    // Past a framework's own property of the element.
    (
        "put",
        "var put=(e,v)=>{var d=Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e),'value');if(d&&d.set)\
            d.set.call(e,v);else e.value=v};",
    ),
    (
        "tell",
        "var tell=e=>{e.dispatchEvent(new InputEvent('input',{bubbles:true,composed:true}));e.dispatchEvent(new \
            Event('change',{bubbles:true}))};",
    ),
    ("flat", FLAT),
];

/// In place of the node's middle, where a point on the node or on the page is said.
const AT_POINT: &str = "var at=e=>{var b=e.getBoundingClientRect();return \
    q.point?{x:b.left+q.point[0],y:b.top+q.point[1]}:{x:q.page[0]-scrollX,y:q.page[1]-scrollY}};";

/// Returns whether code calls a function by its name.
fn calls(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        code[at + name.len()..].starts_with('(')
            && !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$'))
    })
}

/// Returns the script of an operation.
pub fn script(operation: Operation, at: Option<&ElementLocator>, values: Map<String, Value>) -> String {
    script_with(operation, at, None, values)
}

/// Returns the script of an operation with a second element, which the operation finds as `q.to`.
pub(crate) fn script_with(
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
    let mut needed = operation.body().to_owned();
    let has_point = data.contains_key("point") || data.contains_key("page");
    for (name, code) in SHARED {
        let code = if name == "at" && has_point { AT_POINT } else { code };
        if calls(&needed, name) && !out.contains(code) {
            out.push_str(code);
            needed.push_str(code);
        }
    }
    out.push_str(operation.body());
    out.push_str("return 'done'}catch(x){return 'Error: '+x.message}})(");
    literal(&Value::Object(data), &mut out);
    out.push(')');
    out
}

/// Writes JSON as a literal that stays what it is through rewriting: see the module.
pub fn literal(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => quoted(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                literal(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                quoted(key, out);
                out.push(':');
                literal(item, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut units = [0; 2];
    for c in text.chars() {
        if c.is_alphanumeric() || c == ' ' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                // Writing to a String does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('"');
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

    const OPERATIONS: [Operation; 19] = [
        Operation::Click,
        Operation::Turn,
        Operation::DoubleClick,
        Operation::RightClick,
        Operation::Hover,
        Operation::Drag,
        Operation::Focus,
        Operation::SetText,
        Operation::SetChecked,
        Operation::Choose,
        Operation::Upload,
        Operation::Submit,
        Operation::Reset,
        Operation::Media,
        Operation::WaitFor,
        Operation::ScrollBy,
        Operation::ScrollTo,
        Operation::Forward,
        Operation::Reload,
    ];

    /// The data of a script; the function before it has to be the fixed one.
    fn data(code: &str, operation: Operation) -> Value {
        let empty = script(operation, Some(&ElementLocator::Path(vec![String::new()])), Map::new());
        let head = &empty[..empty.rfind("})(").unwrap() + 3];
        let data = code.strip_prefix(head).expect("the function is the fixed one").strip_suffix(')').unwrap();
        serde_json::from_str(data).unwrap()
    }

    fn holds(text: &str) {
        for operation in OPERATIONS {
            let values = Map::from_iter([("text".to_owned(), Value::from(text))]);
            let code = script(operation, Some(&ElementLocator::Path(vec![text.to_owned()])), values);
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

    #[test]
    fn what_is_no_selector_becomes_no_place() {
        assert!(ElementLocator::selector("#a > button").is_ok());
        for bad in ["", "a{}", "');alert(1)//", "a[", "javascript:alert(1)", "<script>"] {
            assert!(ElementLocator::selector(bad).is_err(), "{bad}");
        }
    }
}
