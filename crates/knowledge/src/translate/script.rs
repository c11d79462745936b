//! Scripts for `evaluate`: fixed functions, called with data.
//!
//! In: an operation, where its element is, and values. Out: `(function(q){…})({…})`. Invariants: nothing but the data object differs between two
//! scripts of one operation; every text in it is a JSON string of letters, digits, blanks and `\uXXXX` alone, so that no text can end its
//! literal, not even after a tool has rewritten the script: browser-use replaces `\"` by `"`, halves doubled backslashes and may cut comments
//! before it evaluates (read in its sources), and an ordinarily escaped JSON string would be opened by that.

use browserlens_snapshot::select::Selector;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Where a script finds its element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// By CSS selectors, each of one element: in the document, then in the shadow tree or frame of the element before.
    Path(Vec<String>),
    /// By role and accessible name, as far as the markup tells them.
    Words(Words),
    /// The element that has the focus.
    Focused,
}

/// An element in words, for scripts that look for it themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Role; empty for any.
    pub role: String,
    /// Accessible name; empty for any.
    pub name: String,
    /// Whole text; empty for any.
    pub text: String,
    /// Which one of several.
    pub nth: Option<u32>,
    /// An ancestor.
    pub within: Option<Box<Words>>,
}

impl Words {
    fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (key, text) in [("role", &self.role), ("name", &self.name), ("text", &self.text)] {
            map.insert(key.to_owned(), Value::from(text.as_str()));
        }
        if let Some(nth) = self.nth {
            map.insert("nth".to_owned(), Value::from(nth));
        }
        if let Some(within) = &self.within {
            map.insert("within".to_owned(), within.to_json());
        }
        Value::Object(map)
    }
}

impl Place {
    fn to_json(&self) -> Value {
        match self {
            Self::Path(path) => serde_json::json!({ "path": path }),
            Self::Words(words) => words.to_json(),
            Self::Focused => serde_json::json!({ "focused": true }),
        }
    }

    /// Returns the place of a selector.
    ///
    /// # Errors
    /// What is wrong with it, if it is no selector.
    pub fn selector(selector: &str) -> Result<Self, browserlens_snapshot::select::MalformedSelector> {
        selector.parse::<Selector>().map(|_| Self::Path(vec![selector.to_owned()]))
    }
}

/// What a script does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Clicks: pointer and mouse events at a point of the element.
    Click,
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
            Self::Click => "var e=one(q.at);e.scrollIntoView({block:'nearest'});press(e,at(e,q.point),0,1);",
            Self::DoubleClick => {
                "var e=one(q.at);e.scrollIntoView({block:'nearest'});var p=at(e,q.point);press(e,p,0,1);press(e,p,0,2);mouse(e,'dblclick',p,0,2);"
            }
            Self::RightClick => {
                "var e=one(q.at);e.scrollIntoView({block:'nearest'});var p=at(e,q.point);pointer(e,'pointerdown',p,2);mouse(e,'mousedown',p,2,1);pointer(e,'pointerup',p,2);mouse(e,'mouseup',p,2,1);mouse(e,'contextmenu',p,2,0);"
            }
            Self::Hover => {
                "var e=one(q.at);e.scrollIntoView({block:'nearest'});var p=at(e,q.point);pointer(e,'pointerover',p,-1);pointer(e,'pointerenter',p,-1);mouse(e,'mouseover',p,0,0);mouse(e,'mouseenter',p,0,0);pointer(e,'pointermove',p,-1);mouse(e,'mousemove',p,0,0);"
            }
            Self::Drag => {
                "var e=one(q.at),p=at(e,q.point),d=q.to?one(q.to):e,g=q.by?{x:p.x+q.by[0],y:p.y+q.by[1]}:at(d,q.toPoint,true),t=new DataTransfer(),drag=function(n,k,c){return n.dispatchEvent(new DragEvent(k,{bubbles:true,cancelable:true,composed:true,clientX:c.x,clientY:c.y,dataTransfer:t}));};pointer(e,'pointerdown',p,0);mouse(e,'mousedown',p,0,1);if(e.draggable&&q.to){drag(e,'dragstart',p);drag(d,'dragenter',g);drag(d,'dragover',g);drag(d,'drop',g);drag(e,'dragend',g);}else{for(var i=1;i<=8;i++){var m={x:p.x+(g.x-p.x)*i/8,y:p.y+(g.y-p.y)*i/8},n=q.to?d:e;pointer(n,'pointermove',m,0);mouse(n,'mousemove',m,0,0);}pointer(d,'pointerup',g,0);mouse(d,'mouseup',g,0,1);}"
            }
            Self::Focus => "one(q.at).focus();",
            Self::SetText => {
                "var e=one(q.at);e.focus();var v=q.add?String(e.isContentEditable?e.textContent:e.value)+q.text:q.text;if(e.isContentEditable){e.textContent=v;}else{put(e,'value',v);}tell(e);"
            }
            Self::SetChecked => {
                "var e=one(q.at),h=e.getAttribute('aria-checked'),c=h===null?!!e.checked:h==='true';if(q.on===null||c!==q.on){e.click();}"
            }
            Self::Choose => {
                "var e=one(q.at),o=[].filter.call(e.options||[],function(o){return flat(o.label)===flat(q.text)||flat(o.text)===flat(q.text);});if(o.length!==1){throw new Error(o.length+' options of that label');}put(e,'value',o[0].value);o[0].selected=true;tell(e);"
            }
            Self::Submit => {
                "var e=one(q.at),f=e.tagName==='FORM'?e:e.form||e.closest('form');if(!f){throw new Error('no form');}f.requestSubmit();"
            }
            Self::Reset => {
                "var e=one(q.at),f=e.tagName==='FORM'?e:e.form||e.closest('form');if(!f){throw new Error('no form');}f.reset();"
            }
            Self::Media => {
                "var e=one(q.at);if(q.what==='play'){await e.play();}else if(q.what==='pause'){e.pause();}else if(q.what==='seek'){e.currentTime=q.value;}else if(q.what==='volume'){e.volume=q.value;}else{e.muted=!e.muted;}"
            }
            Self::WaitFor => {
                "var until=Date.now()+q.seconds*1000;while(all(q.at).length<1){if(Date.now()>until){throw new Error('not there in time');}await new Promise(function(r){setTimeout(r,100);});}"
            }
            Self::ScrollBy => "if(q.at){one(q.at).scrollBy(q.x,q.y);}else{window.scrollBy(q.x,q.y);}",
            Self::ScrollTo => "one(q.at).scrollIntoView({block:'center'});",
            Self::Forward => "history.forward();",
            Self::Reload => "location.reload();",
        }
    }
}

/// Finds elements, makes events, sets values. Roles and names are those that markup tells: enough to find again what was found by them.
/// It holds no backslash, no comment and no double quote, and calls nothing with a literal selector in double quotes: see the module.
const LIBRARY: &str = concat!(
    "var blank=new RegExp(String.fromCharCode(92)+'s+','g'),flat=function(t){return String(t===null||t===undefined?'':t).replace(blank,' ').trim();};",
    "var all=function(t){if(t.focused){var f=document.activeElement;while(f&&f.shadowRoot&&f.shadowRoot.activeElement){f=f.shadowRoot.activeElement;}return f?[f]:[];}if(t.path){var r=document,e=null;for(var i=0;i<t.path.length;i++){if(e){r=e.shadowRoot||e.contentDocument;if(!r){throw new Error('closed to scripts');}}var m=r.querySelectorAll(t.path[i]);if(m.length!==1){return i+1<t.path.length?[]:[].slice.call(m);}e=m[0];}return [e];}var out=[];roots().forEach(function(r){[].forEach.call(r.querySelectorAll('*'),function(e){if((!t.role||role(e).toLowerCase()===t.role.toLowerCase())&&seen(e)&&(!t.name||flat(name(e))===flat(t.name))&&(!t.text||flat(e.innerText)===flat(t.text))){out.push(e);}});});if(t.text){out=out.filter(function(e){return !out.some(function(o){return o!==e&&e.contains(o);});});}if(t.within){var w=all(t.within);out=out.filter(function(e){return w.some(function(a){return inside(a,e);});});}if(typeof t.nth==='number'){out=out.slice(t.nth,t.nth+1);}return out;};",
    "var one=function(t){var m=all(t);if(m.length!==1){throw new Error(m.length+' elements instead of one');}return m[0];};",
    "var at=function(e,p,to){var b=e.getBoundingClientRect();return p?{x:b.left+p[0],y:b.top+p[1]}:q.page&&!to?{x:q.page[0]-window.scrollX,y:q.page[1]-window.scrollY}:{x:b.left+b.width/2,y:b.top+b.height/2};};",
    "var options=function(p,b,d){return {bubbles:true,cancelable:true,composed:true,view:window,clientX:p.x,clientY:p.y,button:b<0?0:b,buttons:b<0?0:b===2?2:1,detail:d||0,pointerId:1,pointerType:'mouse',isPrimary:true};};",
    "var pointer=function(e,k,p,b){var o=options(p,b,0);if(k==='pointerup'){o.buttons=0;}if(k.slice(-5)==='enter'){o.bubbles=false;}e.dispatchEvent(new PointerEvent(k,o));};",
    "var mouse=function(e,k,p,b,d){var o=options(p,b,d);if(k!=='mousedown'&&k!=='mousemove'){o.buttons=0;}if(k.slice(-5)==='enter'){o.bubbles=false;}e.dispatchEvent(new MouseEvent(k,o));};",
    "var press=function(e,p,b,d){pointer(e,'pointerdown',p,b);mouse(e,'mousedown',p,b,d);if(e.focus&&d===1){e.focus();}pointer(e,'pointerup',p,b);mouse(e,'mouseup',p,b,d);mouse(e,'click',p,b,d);};",
    "var put=function(e,k,v){var d=Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e),k);if(d&&d.set){d.set.call(e,v);}else{e[k]=v;}};",
    "var tell=function(e){e.dispatchEvent(new InputEvent('input',{bubbles:true,composed:true}));e.dispatchEvent(new Event('change',{bubbles:true}));};",
);

/// What is needed beside to look for an element by words.
const BY_WORDS: &str = concat!(
    "var roots=function(){var out=[document],i=0;for(;i<out.length&&i<200;i++){var n=out[i].querySelectorAll('*');for(var j=0;j<n.length;j++){if(n[j].shadowRoot){out.push(n[j].shadowRoot);}else if(n[j].tagName==='IFRAME'){var d=null;try{d=n[j].contentDocument;}catch(x){d=null;}if(d){out.push(d);}}}}return out;};",
    "var tags={A:'link',BUTTON:'button',SELECT:'combobox',TEXTAREA:'textbox',OPTION:'option',NAV:'navigation',MAIN:'main',ASIDE:'complementary',FORM:'form',TABLE:'table',TR:'row',TD:'cell',TH:'columnheader',UL:'list',OL:'list',LI:'listitem',ARTICLE:'article',DIALOG:'dialog',FIELDSET:'group',SUMMARY:'DisclosureTriangle',CANVAS:'Canvas',IMG:'image',VIDEO:'Video',SECTION:'region',HEADER:'banner',FOOTER:'contentinfo',H1:'heading',H2:'heading',H3:'heading',H4:'heading',H5:'heading',H6:'heading'};",
    "var types={button:'button',submit:'button',reset:'button',image:'button',file:'button',checkbox:'checkbox',radio:'radio',range:'slider',number:'spinbutton',search:'searchbox'};",
    "var role=function(e){var r=e.getAttribute('role');if(r){return r.trim().split(' ')[0];}if(e.tagName==='INPUT'){return types[e.type]||(e.hasAttribute('list')?'combobox':'textbox');}return tags[e.tagName]||'generic';};",
    "var name=function(e){var ids=e.getAttribute('aria-labelledby');if(ids){var root=e.getRootNode(),t=ids.split(' ').map(function(i){var l=i&&root.getElementById?root.getElementById(i):null;return l?l.textContent:'';}).join(' ');if(flat(t)){return flat(t);}}var a=e.getAttribute('aria-label');if(flat(a)){return flat(a);}if(e.labels&&e.labels.length){return flat([].map.call(e.labels,function(l){return [].map.call(l.childNodes,function(n){return n===e||(n.contains&&n.contains(e))?'':n.textContent;}).join(' ');}).join(' '));}if(e.alt){return flat(e.alt);}if(e.tagName==='FIELDSET'&&e.querySelector('legend')){return flat(e.querySelector('legend').textContent);}if(e.tagName==='INPUT'&&(e.type==='submit'||e.type==='button'||e.type==='reset')&&e.value){return flat(e.value);}var own=e.tagName==='INPUT'||e.tagName==='SELECT'||e.tagName==='TEXTAREA'?'':flat(e.innerText||e.textContent);return own||flat(e.getAttribute('title'))||flat(e.getAttribute('placeholder'));};",
    "var seen=function(e){return e.getClientRects().length>0;};",
    "var inside=function(a,e){for(var n=e;n;n=n.parentNode||n.host||(n.defaultView&&n.defaultView.frameElement)){if(n===a&&n!==e){return true;}}return false;};",
);

/// Returns the script of an operation.
pub fn script(operation: Operation, at: Option<&Place>, values: Map<String, Value>) -> String {
    let mut data = values;
    if let Some(at) = at {
        data.insert("at".to_owned(), at.to_json());
    }
    let mut out = String::with_capacity(LIBRARY.len() + BY_WORDS.len() + 512);
    out.push_str("(async function(q){try{");
    if at.is_some() {
        out.push_str(LIBRARY);
    }
    // A drag has a second element.
    if matches!(at, Some(Place::Words(_))) || data.get("to").is_some_and(|to| to.get("path").is_none()) {
        out.push_str(BY_WORDS);
    }
    out.push_str(operation.body());
    out.push_str("return 'done';}catch(x){return 'Error: '+x.message;}})(");
    literal(&Value::Object(data), &mut out);
    out.push(')');
    out
}

/// Adds a place to the values of a script.
pub(crate) fn place_value(place: &Place) -> Value {
    place.to_json()
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

    /// What browser-use does with a script before it is evaluated, as far as it could touch a literal.
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

    const OPERATIONS: [Operation; 17] = [
        Operation::Click,
        Operation::DoubleClick,
        Operation::RightClick,
        Operation::Hover,
        Operation::Drag,
        Operation::Focus,
        Operation::SetText,
        Operation::SetChecked,
        Operation::Choose,
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
        let empty = script(operation, Some(&Place::Path(Vec::new())), Map::new());
        let head = &empty[..empty.rfind("})(").unwrap() + 3];
        let data = code.strip_prefix(head).expect("the function is the fixed one").strip_suffix(')').unwrap();
        serde_json::from_str(data).unwrap()
    }

    fn holds(text: &str) {
        for operation in OPERATIONS {
            let values = Map::from_iter([("text".to_owned(), Value::from(text))]);
            let code = script(operation, Some(&Place::Path(vec![text.to_owned()])), values);
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
        assert!(Place::selector("#a > button").is_ok());
        for bad in ["", "a{}", "');alert(1)//", "a[", "javascript:alert(1)", "<script>"] {
            assert!(Place::selector(bad).is_err(), "{bad}");
        }
    }
}
