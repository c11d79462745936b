//! A model that says what it was told to, and knowledge with gaps.

use super::*;
use common::{action, screen, site, way};

/// A server that says one thing, as often as a test asks.
pub(super) fn saying(text: &str) -> Server {
    Server::start((0..4).map(|_| completion(text)).collect())
}

pub(super) fn client(server: &Server) -> Client {
    let url = BaseUrl::parse(&server.base_url()).unwrap();
    Client::new(ClientOptions { timeout: Duration::from_secs(20), ..ClientOptions::new(url, None) }).unwrap()
}

/// A site with a home page, a login form, and a dashboard over which reports are reached.
pub(super) fn knowledge() -> Knowledge {
    let mut login = screen("login", "https://app.test/login", "Sign in");
    login["forms"] = json!([{ "name": "Login", "submit": "Log in", "fields": [
        { "role": "textbox", "name": "Username", "required": true },
        { "role": "textbox", "name": "Password", "field_type": "password", "required": true },
    ]}]);
    let knowledge = site(
        vec![
            screen("home", "https://app.test/", "Welcome"),
            login,
            screen("dashboard", "https://app.test/dashboard", "Dashboard"),
            screen("reports", "https://app.test/reports", "Reports"),
            screen("report", "https://app.test/reports/7", "Report 7"),
        ],
        vec![
            action("click_login", "home", "click", "link", "Login"),
            action("type_user", "login", "input", "textbox", "Username"),
            action("send_login", "login", "click", "button", "Log in"),
            action("see_tips", "dashboard", "click", "button", "Tips"),
            action("open_reports", "dashboard", "click", "link", "Reports"),
            action("open_report", "reports", "click", "link", "Report 7"),
            action("print", "report", "click", "button", "Print"),
        ],
        vec![
            way("home", "login", None, 1.0),
            way("login", "dashboard", Some("send_login"), 1.0),
            way("dashboard", "reports", Some("open_reports"), 1.0),
            way("reports", "report", Some("open_report"), 1.0),
        ],
        Vec::new(),
    );
    validate(&knowledge, &BTreeSet::new()).unwrap();
    knowledge
}

pub(super) fn video_gap() -> ActionGap {
    ActionGap {
        from_action_id: "click_login".into(),
        to_action_id: "type_user".into(),
        from_screen_id: Some("home".into()),
        to_screen_id: Some("login".into()),
        ..ActionGap::default()
    }
}

pub(super) fn asked_for(gaps: Vec<ActionGap>) -> ExtrapolationRequest {
    ExtrapolationRequest { gaps, ..ExtrapolationRequest::all("k") }
}

pub(super) fn good() -> Value {
    json!({
        "actions": [
            { "action_type": "navigate", "target": "https://app.test/login", "description": "Open the login \
                page", "confidence": 0.9, "reasoning": "a login link leads there", "screen_id": "home" },
            { "action_type": "wait", "target": "", "description": "Wait for the \
                form", "confidence": 0.5, "reasoning": "pages load", "screen_id": "login" },
        ],
        "transitions": [{ "from_screen_id": "home", "to_screen_id": "login", "trigger_action": "Open the login page" }],
        "confidence": 0.8, "reasoning": "usual",
    })
}
