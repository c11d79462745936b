//! Every action type in both profiles, on one page; and what cannot be said.
//!
//! The table in PROTOCOL.md is written by this test (`UPDATE_README=1`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use browserlens_core::page::{BoxInDocument, Flags, NodeKey, NodeSpec, Page, PageBuilder};
use browserlens_knowledge::translate::{ActionType, Context, Profile, Refs, TranslateError, translate};
use browserlens_knowledge::{ActionDefinition, BrowserUseAction};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;

fn page() -> Page {
    PageBuilder::outline(
        r#"
        main tag=main box=0,0,800,600
          form "Order" tag=form id="order" box=0,0,400,300
            textbox "Name" tag=input type="text" name="name" #11 box=0,0,100,20
            textbox "Street" tag=input type="text" name="street" #12 box=0,20,100,20
            combobox "Size" tag=select name="size" #13 box=0,40,100,20
            checkbox "Gift" checked tag=input type="checkbox" #14 box=0,60,20,20
            button "Attach" tag=input type="file" #15 box=0,80,100,20
            button "Send" tag=button type="submit" #16 box=0,100,100,20
          region "Films" tag=section box=0,300,400,200
            Video "Trailer" tag=video #17 box=0,300,200,100
            button "Play" tag=button #18 box=0,400,100,20
            button "Play" tag=button #19 box=0,420,100,20
          article "Card" tag=article id="card" #20 box=400,0,100,100
          article "Bin" tag=article id="bin" #21 box=600,0,100,100
        "#,
    )
}

fn definition(kind: &str, more: Value) -> ActionDefinition {
    let mut value = json!({ "action_id": "a", "name": "", "action_type": kind });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(value).unwrap()
}

fn on(role: &str, name: &str) -> Value {
    json!({ "role": role, "name": name })
}

/// A click on a node.
fn click(role: &str, name: &str) -> ActionDefinition {
    definition("click", json!({ "target": on(role, name) }))
}

/// An action of a type with everything it needs.
fn usual(kind: ActionType) -> ActionDefinition {
    use ActionType as A;
    let more = match kind {
        A::Navigate | A::NewTab => json!({ "parameters": { "url": "https://shop.test/cart" } }),
        A::Search | A::Extract | A::SearchPage => json!({ "parameters": { "query": "opening hours" } }),
        A::Click | A::RightClick | A::DoubleClick | A::Hover | A::Focus | A::WaitFor | A::ScrollToElement => {
            json!({ "target": on("button", "Send") })
        }
        A::DragDrop => json!({ "target_selector": "#card", "parameters": { "to": "#bin" } }),
        A::Input | A::Type | A::TypeSlowly => {
            json!({ "target": on("textbox", "Name"), "parameters": { "text": "Ann" } })
        }
        A::Clear => json!({ "target": on("textbox", "Name") }),
        A::SendKeys => json!({ "parameters": { "keys": "ctrl+A" } }),
        A::SelectDropdown => json!({ "target": on("combobox", "Size"), "parameters": { "option": "Large" } }),
        A::DropdownOptions => json!({ "target": on("combobox", "Size") }),
        A::Check => json!({ "target": on("checkbox", "Gift"), "parameters": { "checked": false } }),
        A::Uncheck | A::Toggle => json!({ "target": on("checkbox", "Gift") }),
        A::UploadFile => json!({ "target": on("button", "Attach"), "parameters": { "path": "cv.pdf" } }),
        A::FillForm => {
            json!({ "parameters": {
                "fields": [{ "target": on("textbox", "Name"), "text": "Ann" },
                    { "selector": "[name=street]", "text": "Hill" }] } })
        }
        A::SubmitForm | A::ResetForm => json!({ "target_selector": "#order" }),
        A::FindText => json!({ "parameters": { "text": "Total" } }),
        A::FindElements => json!({ "target_selector": "main a" }),
        A::PlayVideo | A::PauseVideo | A::ToggleMute => json!({ "target_selector": "video" }),
        A::SeekVideo => json!({ "target_selector": "video", "parameters": { "seconds": 12 } }),
        A::AdjustVolume => json!({ "target_selector": "video", "parameters": { "volume": 40 } }),
        A::Evaluate => json!({ "parameters": { "code": "1+1" } }),
        A::Switch => json!({ "parameters": { "index": 1 } }),
        A::Done => json!({ "parameters": { "text": "Ordered" } }),
        _ => json!({}),
    };
    definition(kind.name(), more)
}

fn tabs() -> Vec<String> {
    vec!["A1B2".to_owned(), "C3D4".to_owned()]
}

fn on_page(action: &ActionDefinition, profile: Profile, page: &Page) -> Result<Vec<BrowserUseAction>, TranslateError> {
    let tabs = tabs();
    let given = |key: NodeKey| Some(format!("@e{}", key.backend));
    let (page, refs) = (Some(page), Some(Refs(&given)));
    translate(action, profile, &Context { page, refs, tabs: &tabs, trust_scripts: true, ..Context::default() })
}

/// The code of the only call, which is a script.
fn code(action: &ActionDefinition, page: &Page) -> String {
    on_page(action, Profile::BrowserUse013, page).unwrap()[0].parameters["code"].as_str().unwrap().to_owned()
}

fn first(kind: &str, more: Value) -> Result<BrowserUseAction, TranslateError> {
    on_page(&definition(kind, more), Profile::BrowserUse013, &page()).map(|actions| actions[0].clone())
}

#[test]
fn every_action_type_is_said_or_named_as_not_supported() {
    let page = page();
    let mut table = String::from(
        "| action type | also read as | `seed` | `browser-use-0.13` | `browserlens` |\n| --- | --- | --- | --- | --- \
            |\n",
    );
    for kind in ActionType::ALL {
        write!(table, "| `{}` | {} |", kind.name(), kind.aliases().join(", ")).unwrap();
        for profile in Profile::ALL {
            match on_page(&usual(*kind), profile, &page) {
                Ok(actions) => {
                    assert!(!actions.is_empty(), "{} {profile}", kind.name());
                    assert!(actions.iter().all(|action| profile.validate(action).is_ok()));
                    let tools: Vec<String> = actions.iter().map(|action| format!("`{}`", action.tool_name)).collect();
                    write!(table, " {} |", tools.join(", ")).unwrap();
                }
                Err(TranslateError::NotSupported { reason, .. }) => {
                    write!(table, " not supported: {reason} |").unwrap()
                }
                Err(error) => panic!("{} {profile}: {error}", kind.name()),
            }
        }
        table.push('\n');
    }
    let seed_tools = Profile::Seed.tools().keys().filter(|tool| table.contains(&format!("`{tool}`"))).count();
    assert_eq!(seed_tools, 34, "every tool of the seed's list is reached");
    common::readme("types", &table);
}

#[test]
fn a_file_is_handed_to_the_button_that_has_a_ref_else_to_the_field_behind_it() {
    let page = PageBuilder::outline(
        "main tag=main box=0,0,800,600\n  button \"Attach a file\" tag=button #7 box=0,0,100,20\n  \
         generic tag=input type=\"file\" #8 box=0,30,1,1",
    );
    let plan = json!({ "target": on("button", "Attach a file"), "parameters": { "path": "plan.txt" } });
    let action = definition("upload_file", plan);
    let asked = |has: &[u32]| {
        let given = |key: NodeKey| has.contains(&key.backend).then(|| format!("@e{}", key.backend));
        let context = Context { page: Some(&page), refs: Some(Refs(&given)), ..Context::default() };
        translate(&action, Profile::BrowserLens, &context).map(|calls| calls[0].parameters["ref"].clone())
    };
    assert_eq!(asked(&[7]), Ok(json!("@e7")));
    assert_eq!(asked(&[7, 8]), Ok(json!("@e7")));
    assert_eq!(asked(&[8]), Ok(json!("@e8")));
    assert!(matches!(asked(&[]), Err(TranslateError::NoRef { .. })));
}

#[test]
fn an_index_is_the_backend_node_id_of_the_page() {
    for (kind, more, index) in [
        ("click", json!({ "target": on("button", "Send") }), 16),
        ("click", json!({ "target": { "text": "Send" } }), 16),
        ("click", json!({ "target_selector": "#order button" }), 16),
        ("click", json!({ "parameters": { "index": 18 } }), 18),
        ("click", json!({ "target": { "role": "button", "name": "Play", "nth": 1 } }), 19),
        ("click", json!({ "target": on("button", "Play"), "parameters": { "index": 19 } }), 19),
        (
            "input",
            json!({ "target": { "role": "textbox", "name": " Name ", "within": on("form", "Order") },
                "parameters": { "text": "x" } }),
            11,
        ),
    ] {
        assert_eq!(first(kind, more.clone()).unwrap().parameters["index"], index, "{more}");
    }
}

#[test]
fn of_two_nodes_in_one_another_the_inner_one_is_meant() {
    let page = PageBuilder::outline(
        "combobox \"Tree\" tag=div #41 box=0,0,100,20\n  combobox \"Tree\" tag=input #42 box=0,0,80,20",
    );
    let calls = on_page(&click("combobox", "Tree"), Profile::BrowserUse013, &page).unwrap();
    assert_eq!(calls[0].parameters["index"], 42, "{calls:?}");
}

#[test]
fn ambiguous_and_missing_nodes_name_their_candidates() {
    let error = first("click", json!({ "target": on("button", "Play") })).unwrap_err();
    assert_eq!(error.to_string(), r#"button "Play" may be any of 2 nodes: [18] button "Play", [19] button "Play""#);
    assert!(error.hint().contains("nth"));
    let error = first("click", json!({ "target": on("button", "Sent") })).unwrap_err().to_string();
    assert!(error.starts_with(r#"button "Sent" is not on the page; nearest: [16] button "Send""#), "{error}");
    let error = first("click", json!({ "target_selector": "a[" })).unwrap_err();
    assert!(matches!(error, TranslateError::BadSelector { .. }), "{error}");
    let error = first("click", json!({ "target_selector": "#gone" })).unwrap_err();
    assert!(error.to_string().contains("#gone"), "{error}");
    assert!(matches!(first("click", json!({})), Err(TranslateError::MissingParameter { .. })));
    // A stored selector does not lead to another node than the words say.
    let error = first("click", json!({ "target": on("button", "Delete"), "target_selector": "#order button" }));
    assert!(matches!(error, Err(TranslateError::Missing { .. })));
    // Unless the knowledge says that the name varies.
    let varies = json!({ "target": { "role": "button", "name": "Send 3 items", "name_varies": true },
        "target_selector": "#order button" });
    assert_eq!(first("click", varies).unwrap().parameters["index"], 16);
}

#[test]
fn a_check_that_is_already_so_needs_no_call() {
    let gift = json!({ "target": on("checkbox", "Gift"), "parameters": { "checked": true } });
    let action = definition("check", gift);
    assert_eq!(on_page(&action, Profile::BrowserUse013, &page()).unwrap(), vec![]);
    assert_eq!(first("uncheck", json!({ "target": on("checkbox", "Gift") })).unwrap().tool_name, "click");
}

#[test]
fn a_click_that_turns_a_state_needs_no_call_where_it_is_so_already() {
    let menu = |state: &str| PageBuilder::outline(&format!("button \"Menu\" {state} tag=button #31 box=0,0,100,20"));
    let turn =
        |wanted: &str| definition("click", json!({ "target": on("button", "Menu"), "parameters": { wanted: true } }));
    for (wanted, is_so, is_not) in [("expanded", "expanded", "collapsed"), ("pressed", "pressed", "unpressed")] {
        for profile in Profile::ALL {
            assert_eq!(on_page(&turn(wanted), profile, &menu(is_so)).unwrap(), vec![], "{wanted}");
            let calls = on_page(&turn(wanted), profile, &menu(is_not)).unwrap();
            assert_eq!((calls.len(), calls[0].tool_name.as_str()), (1, "click"), "{wanted}");
        }
    }
    // A button that says nothing of it is clicked.
    assert_eq!(on_page(&turn("expanded"), Profile::BrowserUse013, &menu("")).unwrap().len(), 1);
}

#[test]
fn addresses_are_of_the_web_and_nothing_else() {
    for bad in [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://u:p@shop.test/", "chrome://settings",
        "", "http://",
    ] {
        let error = first("navigate", json!({ "parameters": { "url": bad } }));
        assert!(matches!(error, Err(TranslateError::BadParameter { .. })), "{bad}: {error:?}");
    }
    let action = definition("navigate", json!({ "parameters": { "url": "../cart?a=1" } }));
    let context = Context { base_url: Some("https://shop.test/a/b"), ..Context::default() };
    let translated = translate(&action, Profile::Seed, &context).unwrap();
    assert_eq!(translated[0].parameters["url"], "https://shop.test/cart?a=1");
}

#[test]
fn scripts_of_the_knowledge_are_not_run_unless_trusted_and_never_inferred_ones() {
    let mut action = definition("evaluate", json!({ "parameters": { "code": "alert(1)" } }));
    let tabs = tabs();
    let plain = Context { tabs: &tabs, ..Context::default() };
    for profile in Profile::ALL {
        assert_eq!(translate(&action, profile, &plain), Err(TranslateError::ScriptNotTrusted));
        assert!(translate(&action, profile, &Context { trust_scripts: true, ..plain }).is_ok());
    }
    action.metadata.inferred = true;
    let trusted = translate(&action, Profile::Seed, &Context { trust_scripts: true, ..plain });
    assert_eq!(trusted, Err(TranslateError::ScriptNotTrusted));
}

#[test]
fn keys_are_spelled_as_tools_know_them_and_texts_are_not_taken_for_keys() {
    let spelled = ["ctrl+A", "Return", "shift+tab", "x", "+", "Esc"];
    for (keys, written) in spelled.into_iter().zip(["Control+a", "Enter", "Shift+Tab", "x", "+", "Escape"]) {
        assert_eq!(first("press", json!({ "parameters": { "keys": keys } })).unwrap().parameters["keys"], written);
    }
    for bad in ["hello there", "a+b", "Enter+a", "Control+", ""] {
        assert!(first("press", json!({ "parameters": { "keys": bad } })).is_err(), "{bad}");
    }
    // Typed into what has the focus: `send_keys` would press these.
    for (text, tool) in [("hello", "send_keys"), ("1+1", "evaluate"), ("Enter", "evaluate"), ("End", "evaluate")] {
        assert_eq!(first("type", json!({ "parameters": { "text": text } })).unwrap().tool_name, tool, "{text}");
    }
    let secret = json!({ "target": on("textbox", "Name"), "parameters": { "text": "{{secret:Password}}" } });
    assert_eq!(first("input", secret).unwrap().parameters["text"], "<secret>Password</secret>");
}

#[test]
fn without_a_page_a_node_is_looked_for_by_a_script_or_the_answer_is_that_a_page_is_needed() {
    let by_words = click("button", "Send");
    let by_selector = definition("click", json!({ "target_selector": "#order button" }));
    let late = Context { late: true, ..Context::default() };
    let said = |action, profile, context: &Context<'_>| translate(action, profile, context).map(|a| a[0].clone());
    for action in [&by_words, &by_selector] {
        let said = said(action, Profile::BrowserUse013, &Context::default());
        assert!(matches!(said, Err(TranslateError::NeedsPage { .. })), "{said:?}");
    }
    assert_eq!(said(&by_words, Profile::BrowserUse013, &late).unwrap().tool_name, "evaluate");
    assert_eq!(said(&by_selector, Profile::Seed, &Context::default()).unwrap().parameters["selector"], "#order button");
    assert!((said(&by_words, Profile::Seed, &late).unwrap().confidence - 0.8).abs() < 1e-9);
    let hostile = definition("click", json!({ "target_selector": "a');alert(1);('" }));
    for profile in Profile::ALL {
        assert!(matches!(said(&hostile, profile, &late), Err(TranslateError::BadSelector { .. })));
    }
}

#[test]
fn a_closed_shadow_tree_is_out_of_reach_of_scripts_and_an_open_one_is_not() {
    let page = |host: Flags, inside: Flags| {
        let mut builder = PageBuilder::new("https://shop.test/", "Shop");
        let bounds = BoxInDocument { x: 0.0, y: 0.0, width: 50.0, height: 20.0 };
        builder.open(NodeSpec { tag: "x-card", flags: host, bounds, ..NodeSpec::default() });
        let button = NodeSpec { tag: "button", role: "button", name: "Go", ..NodeSpec::default() };
        builder.open(NodeSpec { flags: inside, bounds, ..button });
        builder.finish()
    };
    let hover = definition("hover", json!({ "target": on("button", "Go") }));
    let code = code(&hover, &page(Flags::SHADOW_HOST_OPEN, Flags::IN_OPEN_SHADOW));
    assert!(code.ends_with(r#"({"at":{"path":["x\u002dcard","button"]}})"#), "{}", &code[code.len() - 80..]);
    let closed = page(Flags::SHADOW_HOST_CLOSED, Flags::IN_CLOSED_SHADOW);
    let error = on_page(&hover, Profile::BrowserUse013, &closed).unwrap_err();
    assert!(error.to_string().contains("closed shadow tree"), "{error}");
    // A tool with trusted input reaches it.
    assert_eq!(on_page(&click("button", "Go"), Profile::BrowserUse013, &closed).unwrap()[0].tool_name, "click");
}

#[test]
fn what_no_script_reaches_is_said() {
    let page = PageBuilder::outline("main tag=main box=0,0,800,600\n  button \"Go\" tag=button #5 box=0,0,10,10");
    let code = code(&definition("hover", json!({ "target": on("button", "Go") })), &page);
    assert!(code.ends_with(r#"({"at":{"path":["button"]}})"#), "{}", &code[code.len() - 80..]);
    let error = first("dialog", json!({})).unwrap_err();
    assert!(error.to_string().contains("not supported by profile browser-use-0.13"), "{error}");
    let search = definition("search", json!({ "parameters": { "query": "x" } }));
    let error = on_page(&search, Profile::Seed, &page).unwrap_err();
    let (said, hint) = (error.to_string(), error.hint());
    assert!(said.contains("not supported by profile seed") && hint.contains("other profile"), "{said}");
}

proptest! {
    /// Whatever stands in an action, it is said by a valid call or refused; what is foreign stays
    /// data.
    #[test]
    fn any_words_give_a_valid_call_or_an_error(
        kind in proptest::sample::select(ActionType::ALL),
        words in "[a-zA-Z#.\\[\\]\"'\\\\(){};:<>/ +\u{202e}]{0,24}",
        seed in any::<bool>(),
        late in any::<bool>(),
    ) {
        let mut action = usual(kind);
        action.metadata.inferred = true;
        action.target_selector = Some(words.clone()).filter(|_| late);
        action.target = (!late).then(|| serde_json::from_value(json!({ "role": "button", "name": words,
            "text": words })).unwrap());
        for value in action.parameters.values_mut().filter(|value| value.is_string()) {
            *value = json!(words);
        }
        let profile = if seed { Profile::Seed } else { Profile::BrowserUse013 };
        let tabs = tabs();
        let page = page();
        for page in [None, Some(&page)] {
            let context = Context { page, tabs: &tabs, late: true, trust_scripts: true, ..Context::default() };
            match translate(&action, profile, &context) {
                Ok(actions) => {
                    for call in actions {
                        prop_assert!(profile.validate(&call).is_ok());
                        if let Some(code) = call.parameters.get("code").and_then(Value::as_str) {
                            prop_assert!(call.tool_name == "evaluate" && kind != ActionType::Evaluate);
                            let data = &code[code.rfind("}})(").unwrap() + 4..code.len() - 1];
                            prop_assert!(serde_json::from_str::<Value>(data).is_ok(), "{}", data);
                        }
                        if let Some(url) = call.parameters.get("url").and_then(Value::as_str) {
                            prop_assert!(url.starts_with("http"));
                        }
                    }
                }
                Err(error) => prop_assert!(error.to_string().len() < 1500 && !error.hint().is_empty()),
            }
        }
    }
}
