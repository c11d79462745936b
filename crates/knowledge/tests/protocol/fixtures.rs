//! A site of a few screens, ways between them, and what is asked of it.

use super::*;

fn screen(id: &str, url: &str, text: &str) -> Value {
    json!({
        "screen_id": id, "knowledge_id": "k", "website_id": "w", "name": format!("The {id} screen"),
        "content_type": "web_ui", "is_actionable": true,
        "url_patterns": [format!("{}$", url.replace('.', "\\."))], "example_urls": [url],
        "state_signature": { "required_indicators": [{ "type": "dom_contains", "value": text, "reason": "heading" }] },
    })
}

pub(super) fn action(id: &str, on: &str, kind: &str, role: &str, name: &str) -> Value {
    json!({
        "action_id": id, "name": format!("{kind} {name}"), "action_type": kind, "screen_ids": [on],
        "target": { "role": role, "name": name },
    })
}

fn way(from: &str, to: &str, action: &str, confidence: f64) -> Value {
    json!({
        "transition_id": format!("{from}_{to}_{action}"), "from_screen_id": from, "to_screen_id": to,
        "action_id": action,
        "metadata": { "confidence": confidence },
    })
}

fn map(items: Vec<Value>, key: &str) -> Value {
    items
        .into_iter()
        .map(|item| (item[key].as_str().unwrap().to_owned(), item))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Home, a list and an item in a ring; a login form; a shortcut that seldom works; a document.
pub(super) fn knowledge() -> Knowledge {
    let mut typed = action("type_user", "login", "input", "textbox", "Username");
    typed["parameters"] = json!({ "text": "ann" });
    let mut document = screen("manual", "https://app.test/manual", "Manual");
    document["content_type"] = json!("documentation");
    document["is_actionable"] = json!(false);
    let mut opening = action("open_home", "home", "navigate", "", "");
    opening["parameters"] = json!({ "url": "https://app.test/" });
    let step = |order: u32, action: &str, kind: &str, from: Option<&str>, to: &str| {
        json!({ "order": order, "action": { "action_type": kind }, "action_id": action, "screen_id": from,
        "expected_screen_id": to })
    };
    let mut user = step(2, "type_user", "input", Some("login"), "login");
    user["action"]["parameters"] = json!({ "text": "bob" });
    serde_json::from_value(json!({
        "knowledge_id": "k",
        "screens": map(vec![
            screen("home", "https://app.test/", "Welcome"), screen("list", "https://app.test/list", "All items"),
            screen("item", "https://app.test/item", "One item"), screen("login", "https://app.test/login", "Sign in"),
            screen("inside", "https://app.test/inside", "Hello"),
            screen("island", "https://app.test/island", "Nobody here"), document,
        ], "screen_id"),
        "actions": map(vec![
            opening, action("to_list", "home", "click", "link", "List"),
            action("to_item", "list", "click", "link", "Item"),
            action("to_home", "item", "click", "link", "Home"),
            action("shortcut", "home", "click", "button", "Surprise"),
            action("to_login", "home", "click", "link", "Login"), typed,
            action("log_in", "login", "click", "button", "Log in"),
            action("back", "item", "go_back", "", ""),
        ], "action_id"),
        "transitions": map(vec![
            way("home", "list", "to_list", 0.95), way("list", "item", "to_item", 0.95),
            way("item", "home", "to_home", 0.95),
            way("home", "item", "shortcut", 0.2), way("home", "login", "to_login", 1.0),
            way("login", "inside", "log_in", 0.9),
            way("item", "list", "back", 1.0), way("home", "home", "shortcut", 0.8),
        ], "transition_id"),
        "tasks": { "enter": {
            "task_id": "enter", "knowledge_id": "k", "website_id": "w", "name": "Enter", "description": "Log in as Bob",
            "success_criteria": { "screen_id": "inside" },
            "steps": [step(0, "open_home", "navigate", None, "home"),
                step(1, "to_login", "click", Some("home"), "login"), user,
                step(3, "log_in", "click", Some("login"), "inside")],
        }},
    }))
    .unwrap()
}
