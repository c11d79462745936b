//! What is wrong is named, with what is allowed.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::page::PageBuilder;
use browserlens_core::schema::Schema;
use browserlens_inspect::{TOOLS, compact, tools};
use common::{Memory, NOW, bundled, console, inspector};
use proptest::prelude::{prop_assert_eq, proptest};
use serde_json::{Value, json};

fn error(tool: &str, arguments: Value) -> (String, String) {
    let mut source = Memory::new(vec![console("error", "x")]);
    let error = inspector().call(&mut source, tool, arguments.clone(), NOW).expect_err(&arguments.to_string());
    (error.field().unwrap_or_default().to_owned(), error.to_string())
}

#[test]
fn bad_input_is_named_with_the_allowed_values() {
    let said: Vec<String> = [
        ("get_console_messages", json!({ "logLevels": ["error", "loud"] })),
        ("get_console_messages", json!({ "logLevels": "fatal" })),
        ("get_console_messages", json!({ "pageSize": 0 })),
        ("get_console_messages", json!({ "pageSize": 201 })),
        ("get_console_messages", json!({ "pageSize": "many" })),
        ("get_console_messages", json!({ "cursor": "\u{1}random bytes" })),
        ("get_console_messages", json!({ "since": 999_999 })),
        ("get_console_messages", json!({ "since": -1 })),
        ("get_console_messages", json!({ "searchTerm": "" })),
        ("get_console_messages", json!({ "tabId": 4 })),
        ("get_console_messages", json!({ "levels": ["error"] })),
        ("get_console_messages", json!({ "preset": "mine" })),
        ("get_console_messages", json!([1])),
        ("get_network_requests", json!({ "status": "6" , "pageSize": 0 })),
        ("get_network_requests", json!({ "status": "xx" })),
        ("get_network_requests", json!({ "status": [1000] })),
        ("get_network_requests", json!({ "status": "500-400" })),
        ("get_network_requests", json!({ "status": "9xx" })),
        ("get_network_requests", json!({ "method": "G T" })),
        ("get_network_requests", json!({ "resourceType": ["xhr", "ajax"] })),
        ("get_network_requests", json!({ "bodyPath": "$.[" })),
        ("get_network_requests", json!({ "minDurationMs": -5 })),
        ("get_network_requests", json!({ "failedOnly": "yes" })),
        ("get_dom_snapshot", json!({ "maxDepth": -1 })),
        ("get_dom_snapshot", json!({ "maxDepth": 16 })),
        ("get_dom_snapshot", json!({ "maxNodes": 0 })),
        ("get_dom_snapshot", json!({ "maxNodes": 2001 })),
        ("get_dom_snapshot", json!({ "selector": "li:nth-child(" })),
        ("get_html", json!({ "selector": "a[" })),
        ("get_text", json!({ "selector": "" })),
        ("get_text", json!({ "selector": "h9" })),
        ("get_html", json!({ "cursor": "AAAA" })),
        ("get_summary", json!({ "since": 20 })),
        ("get_everything", json!({})),
    ]
    .map(|(tool, arguments)| error(tool, arguments).1)
    .into();
    insta::assert_snapshot!(said.join("\n"));
}

proptest! {
    #[test]
    fn random_bytes_as_cursor_are_refused(cursor in ".{0,100}|[A-Za-z0-9_-]{0,120}") {
        let (field, _) = error("get_network_requests", json!({ "cursor": cursor }));
        prop_assert_eq!(field, "cursor");
    }

    #[test]
    fn any_selector_is_understood_or_named(selector in ".{0,40}|[a-z#.\\[\\]=\"> ,:()]{0,40}") {
        let mut source = Memory::with_page(PageBuilder::outline("main\n  button \"Go\""));
        if let Err(error) = inspector().call(&mut source, "get_dom_snapshot", json!({ "selector": selector }), NOW) {
            prop_assert_eq!(error.field(), Some("selector"));
        }
    }
}

#[test]
fn answers_are_what_their_schemas_say() {
    let mut source = bundled("live-last-minute-ticket");
    let schemas = tools();
    assert_eq!(schemas.iter().map(|tool| tool.name).collect::<Vec<_>>(), TOOLS);
    for tool in schemas {
        let validator = Schema::new(&(tool.answer)()).unwrap();
        let arguments = match tool.name {
            "get_console_messages" => json!({ "logLevels": [], "pageSize": 1 }),
            "get_network_requests" => json!({ "includeResponseBodies": true, "pageSize": 5 }),
            "get_dom_snapshot" => json!({ "includeStyles": true, "maxNodes": 50 }),
            _ => json!({}),
        };
        let takes = Schema::new(&tool.arguments).unwrap();
        assert!(takes.fits(&arguments), "{}", tool.name);
        assert!(!takes.fits(&json!({ "no": 1 })), "{}", tool.name);
        let answer = inspector().call(&mut source, tool.name, arguments, NOW).unwrap();
        let wrong: Vec<String> = validator.misfits(&answer).iter().map(|one| one.to_string()).collect();
        assert_eq!(wrong, Vec::<String>::new(), "{}", tool.name);
        for field in ["data", "count", "total", "hasMore", "nextCursor", "filters", "message"] {
            assert!(answer.get(field).is_some(), "{} {field}", tool.name);
        }
        assert!(compact(answer.clone()).to_string().len() <= answer.to_string().len());
    }
}
