//! Actions as calls of our own server's tools.
//!
//! In: an action with its node. Out: calls that `browserlens serve` takes, with refs of the page
//! that is open. Invariants: a ref is given only for a node of that page; where the page is not
//! open yet, a click says its node in words and anything else begins with the `find` that gives the
//! ref; nothing is done by a script of ours.

use super::fields::is_checked_so;
use super::place::{At, file_input};
use super::work::{Calls, Work, one};
use crate::translate::ActionType;
use crate::translate::error::TranslateError;
use crate::translate::resolve::Wanted;
use browserlens_core::page::NodeRef;
use browserlens_core::page::text::folded;
use serde_json::{Value, json};

/// Longest wait of `wait`, in seconds.
const LONGEST_WAIT: f64 = 120.0;

/// Where the node of an action is, for our tools.
enum There {
    /// On the page that is open.
    Ref(String),
    /// To be looked for: the call that finds it.
    Find(Value),
}

impl Work<'_, '_> {
    pub(super) fn ours(&self) -> Calls {
        use ActionType as A;
        match self.kind {
            A::Navigate => one("navigate", json!({ "url": self.url()? })),
            A::NewTab => one("tabs", json!({ "open": self.url()? })),
            A::GoBack => one("navigate", json!({ "url": "back" })),
            A::GoForward => one("navigate", json!({ "url": "forward" })),
            A::Refresh => match self.context.page.map(browserlens_core::page::Page::url).or(self.context.base_url) {
                Some(url) => one("navigate", json!({ "url": url })),
                None => one("press", json!({ "key": "F5" })),
            },
            A::Wait => one("wait", json!({ "ms": (self.seconds(LONGEST_WAIT)? * 1000.0).ceil() as u64 })),
            A::WaitFor => {
                let seconds = self.seconds_for(LONGEST_WAIT)?;
                let target = Wanted::of(self.action).target;
                let said = target.map(|target| target.called().to_owned()).filter(|text| !text.is_empty());
                let text = said.map_or_else(|| self.needed("text", &[]), Ok)?;
                one("wait", json!({ "text": text, "ms": (seconds * 1000.0).ceil() as u64 }))
            }
            A::Click => self.our_click(None),
            A::RightClick => self.our_click(Some("right")),
            A::DoubleClick => self.our_click(Some("double")),
            A::Hover => self.on_ref("hover", json!({})),
            A::DragDrop => self.our_drag(),
            A::Focus | A::ScrollToElement => self.on_ref("scroll", json!({ "x": 0, "y": 1 })),
            A::Input | A::Clear => {
                let text = if self.kind == A::Clear { String::new() } else { self.needed("text", &["value"])? };
                let clears = self.flag("clear")?.unwrap_or(true);
                self.our_typing(&text, !clears)
            }
            A::Type | A::TypeSlowly => {
                let text = self.needed("text", &["value"])?;
                let clears = self.flag("clear")?.unwrap_or(false);
                self.our_typing(&text, !clears || self.kind == A::TypeSlowly)
            }
            A::SendKeys => self.our_keys(&self.key()?),
            A::SelectAll => self.our_keys("Control+a"),
            A::Copy => self.our_keys("Control+c"),
            A::Paste => self.our_keys("Control+v"),
            A::Cut => self.our_keys("Control+x"),
            A::Undo => self.our_keys("Control+z"),
            A::Redo => self.our_keys("Control+Shift+z"),
            A::ScrollToTop => self.our_keys("Control+Home"),
            A::ScrollToBottom => self.our_keys("Control+End"),
            A::SelectDropdown => {
                let option = self.needed("option", &["text", "value"])?;
                self.on_ref("select", json!({ "option": option }))
            }
            A::Check => self.our_check(Some(self.flag("checked")?.unwrap_or(true))),
            A::Uncheck => self.our_check(Some(false)),
            A::Toggle => self.our_check(None),
            A::UploadFile => self.on_ref("upload", json!({ "files": self.files()? })),
            A::FillForm => self.our_form(),
            A::SubmitForm => self.our_keys("Enter"),
            A::Scroll | A::ScrollUp | A::ScrollDown => self.our_scroll(),
            A::FindText | A::SearchPage => one("find", json!({ "text": self.needed("text", &["query", "pattern"])? })),
            A::FindElements => one("get_dom_snapshot", json!({ "selector": self.selector()? })),
            A::DropdownOptions => self.on_ref("click", json!({})),
            A::Screenshot => one("screenshot", json!({})),
            A::Extract => one("read_text", json!({ "query": self.needed("query", &["text", "goal"])? })),
            A::Switch => match self.number("index")?.or(self.number("tab")?) {
                Some(index) if index >= 0.0 => one("tabs", json!({ "switch": index as u64 })),
                _ => Err(self.lacks("index: the number of the tab")),
            },
            A::Close => one("tabs", json!({ "close": true })),
            A::AcceptDialog => one("dialog", json!({ "accept": true, "text": self.text("text")? })),
            A::DismissDialog => one("dialog", json!({ "accept": false })),
            A::Dialog => {
                let said = self.text("text")?.unwrap_or_default();
                match said.as_str() {
                    "dismiss" => one("dialog", json!({ "accept": false })),
                    "" | "accept" => one("dialog", json!({ "accept": true })),
                    text => one("dialog", json!({ "accept": true, "text": text })),
                }
            }
            A::Evaluate => one("evaluate", json!({ "expression": self.trusted_script()? })),
            A::PlayVideo | A::PauseVideo | A::SeekVideo | A::AdjustVolume | A::ToggleMute => {
                Err(self.unsupported("there is no tool for media; press the player's own controls"))
            }
            A::Search => Err(self.unsupported("it has no search; open a search engine by `navigate`")),
            A::ResetForm => Err(self.unsupported("there is no tool that resets a form; set its fields by `fill`")),
            A::SaveAsPdf => Err(self.unsupported("it cannot save")),
            A::Done => Err(self.unsupported("it has no tool that ends a task")),
        }
    }

    /// The ref of a node of the open page; where the page is not open, how the node is found.
    fn there(&self, wanted: &Wanted) -> Result<There, TranslateError> {
        match self.at_of(wanted)? {
            At::Node(node) => self.ref_of(node).map(There::Ref),
            At::Words(_) | At::Selector(_) => match &wanted.target {
                Some(target) => {
                    let role = Some(&target.role).filter(|role| !role.is_empty());
                    Ok(There::Find(json!({ "role": role, "text": target.called() })))
                }
                None => Err(self.needs_page(wanted)),
            },
        }
    }

    fn ref_of(&self, node: NodeRef<'_>) -> Result<String, TranslateError> {
        let of = |node: NodeRef<'_>| self.context.refs.and_then(|refs| refs.of(node.key()));
        // A button that opens the choice of files has a ref where its hidden field has none.
        let field = || of(file_input(node)).filter(|_| self.kind == ActionType::UploadFile);
        of(node).or_else(field).ok_or_else(|| TranslateError::NoRef {
            action_type: self.kind.name(),
            wanted: Wanted::of(self.action).in_words(),
        })
    }

    /// A call of a tool that takes a ref.
    fn on_ref(&self, tool: &'static str, more: Value) -> Calls {
        self.by_ref(&Wanted::of(self.action), |reference| {
            let mut parameters = more;
            parameters["ref"] = Value::String(reference);
            one(tool, parameters)
        })
    }

    /// What is called with the ref of a node; where the page is not open, the node is looked for.
    fn by_ref(&self, wanted: &Wanted, call: impl FnOnce(String) -> Calls) -> Calls {
        match self.there(wanted)? {
            There::Ref(reference) => call(reference),
            There::Find(words) => one("find", words),
        }
    }

    /// A call of a tool that takes a ref where a node is named.
    fn on_any(&self, tool: &'static str, more: Value) -> Calls {
        if Wanted::of(self.action).is_empty() { one(tool, more) } else { self.on_ref(tool, more) }
    }

    fn our_click(&self, kind: Option<&str>) -> Calls {
        let wanted = Wanted::of(self.action);
        let at = self.at_of(&wanted)?;
        let point = self.point_on_node(&at)?;
        let mut parameters = match &at {
            At::Node(node) if self.is_turned(*node)? => return Ok(Vec::new()),
            At::Node(node) => {
                let by_ref = self.ref_of(*node).map(|reference| json!({ "ref": reference }));
                // A click can say what has no ref by its words.
                by_ref.or_else(|error| said_by(*node).ok_or(error))?
            }
            At::Words(_) | At::Selector(_) => match self.there(&wanted)? {
                There::Find(words) => words,
                There::Ref(reference) => json!({ "ref": reference }),
            },
        };
        parameters["kind"] = json!(kind);
        parameters["at"] = json!(point);
        one("click", parameters)
    }

    fn point_on_node(&self, at: &At<'_>) -> Result<Option<Value>, TranslateError> {
        Ok(self.point(at)?.and_then(|point| point.get("point").cloned()))
    }

    fn our_drag(&self) -> Calls {
        self.by_ref(&Wanted::of(self.action), |from| {
            let at = self.point_on_node(&self.at()?)?;
            match self.drag_end()? {
                Some(to) => self.by_ref(&to, |to| one("drag", json!({ "from": from, "to": to, "at": at }))),
                None => one("drag", json!({ "from": from, "by": self.drag_way()?, "at": at })),
            }
        })
    }

    fn our_typing(&self, text: &str, adds: bool) -> Calls {
        if Wanted::of(self.action).is_empty() {
            return one("type", json!({ "text": text }));
        }
        self.on_ref("type", json!({ "text": text, "keys": Some(true).filter(|_| adds) }))
    }

    fn our_keys(&self, key: &str) -> Calls {
        self.on_any("press", json!({ "key": key }))
    }

    /// `wanted` is none for "the other state".
    fn our_check(&self, wanted: Option<bool>) -> Calls {
        let Some(wanted) = wanted else { return self.our_click(None) };
        if is_checked_so(&self.at()?, Some(wanted)) {
            return Ok(Vec::new());
        }
        let filled = |reference| one("fill", json!({ "fields": [{ "ref": reference, "value": wanted }] }));
        self.by_ref(&Wanted::of(self.action), filled)
    }

    fn our_form(&self) -> Calls {
        let mut set = Vec::new();
        for (wanted, text) in self.form_fields()? {
            match (Work { kind: ActionType::Input, ..*self }).there(&wanted)? {
                There::Ref(reference) => set.push(json!({ "ref": reference, "value": text })),
                There::Find(words) => return one("find", words),
            }
        }
        one("fill", json!({ "fields": set }))
    }

    fn our_scroll(&self) -> Calls {
        let (x, y) = self.way(self.height())?;
        self.on_any("scroll", json!({ "x": x.round() as i64, "y": y.round() as i64 }))
    }
}

/// Role and words by which `click` knows a node of the page; none where it says nothing.
fn said_by(node: NodeRef<'_>) -> Option<Value> {
    if !node.name().is_empty() {
        let role = Some(node.role()).filter(|role| !matches!(*role, "" | "generic" | "none"));
        return Some(json!({ "role": role, "text": node.name() }));
    }
    let text = folded(&node.visible_text());
    (!text.is_empty()).then(|| json!({ "text": text }))
}
