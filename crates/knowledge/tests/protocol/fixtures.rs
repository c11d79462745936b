//! A site of a few screens, ways between them, and what is asked of it.

use super::*;
use common::{action, screen, site, step, way};

/// Home, a list and an item in a ring; a login form; a shortcut that seldom works; a document.
pub(super) fn knowledge() -> Knowledge {
    let mut typed = action("type_user", "login", "input", "textbox", "Username");
    typed["parameters"] = json!({ "text": "ann" });
    let mut document = screen("manual", "https://app.test/manual", "Manual");
    document["content_type"] = json!("documentation");
    document["is_actionable"] = json!(false);
    let mut opening = action("open_home", "home", "navigate", "", "");
    opening["parameters"] = json!({ "url": "https://app.test/" });
    let mut user = step(2, "type_user", "input", Some("login"), "login");
    user["action"]["parameters"] = json!({ "text": "bob" });
    let enter = json!({
        "task_id": "enter", "knowledge_id": "k", "website_id": "w", "name": "Enter", "description": "Log in as Bob",
        "success_criteria": { "screen_id": "inside" },
        "steps": [step(0, "open_home", "navigate", None, "home"),
            step(1, "to_login", "click", Some("home"), "login"), user,
            step(3, "log_in", "click", Some("login"), "inside")],
    });
    site(
        vec![
            screen("home", "https://app.test/", "Welcome"),
            screen("list", "https://app.test/list", "All items"),
            screen("item", "https://app.test/item", "One item"),
            screen("login", "https://app.test/login", "Sign in"),
            screen("inside", "https://app.test/inside", "Hello"),
            screen("island", "https://app.test/island", "Nobody here"),
            document,
        ],
        vec![
            opening,
            action("to_list", "home", "click", "link", "List"),
            action("to_item", "list", "click", "link", "Item"),
            action("to_home", "item", "click", "link", "Home"),
            action("shortcut", "home", "click", "button", "Surprise"),
            action("to_login", "home", "click", "link", "Login"),
            typed,
            action("log_in", "login", "click", "button", "Log in"),
            action("back", "item", "go_back", "", ""),
        ],
        vec![
            way("home", "list", Some("to_list"), 0.95),
            way("list", "item", Some("to_item"), 0.95),
            way("item", "home", Some("to_home"), 0.95),
            way("home", "item", Some("shortcut"), 0.2),
            way("home", "login", Some("to_login"), 1.0),
            way("login", "inside", Some("log_in"), 0.9),
            way("item", "list", Some("back"), 1.0),
            way("home", "home", Some("shortcut"), 0.8),
        ],
        vec![enter],
    )
}
