//! A recording with secrets in every place where a page and its server leave them, and the list of
//! them.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "shared by test files that each use a part")]

use super::*;
use base64::Engine;

pub const PASSWORD: &str = "Tr0ub4dor&3 \"x\"";

pub const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4tMTIzNCJ9.c2lnbmF0dXJlLTE";

pub fn page(
    canonicalizer: &mut Canonicalizer,
    field: &[(&str, &str)],
    value: &str,
    heading: &str,
) -> browserlens_core::page::Capture {
    RawPage { field, value, heading, ..RawPage::default() }.capture(canonicalizer)
}

pub fn quiet(index: u32, capture: browserlens_core::page::Capture) -> StepRecord {
    StepRecord { events: Vec::new(), action: None, ..step(index, capture) }
}

/// Steps, what is known beforehand, and what must not be found afterwards.
pub fn recording() -> (Vec<StepRecord>, RedactionOptions, Vec<String>) {
    let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let jwt = JWT;
    let mut canonicalizer = Canonicalizer::new();
    let password_field: &[(&str, &str)] = &[("type", "password"), ("value", "prefilled-pw-9")];
    let first = page(&mut canonicalizer, password_field, "", "Welcome");
    let mut filled = quiet(
        1,
        page(&mut canonicalizer, password_field, PASSWORD, &format!("You typed {PASSWORD} and known-storage-77")),
    );
    filled.action = Some(action(ActionKind::Fill, PASSWORD, 1));
    let mut post = RequestEvent {
        method: "POST".into(),
        ..request("http://login.test/api?access_token=url-token-4711&page=2#id_token=frag-token-42")
    };
    post.request_headers = vec![
        ("Authorization".into(), format!("Bearer {jwt}")),
        ("Proxy-Authorization".into(), format!("Basic {}", base64("ann:proxy-secret-5"))),
        ("Cookie".into(), "theme=cookie-theme-1; sid=cookie-sid-2".into()),
        ("X-Api-Key".into(), "header-key-3".into()),
        ("Referer".into(), "http://login.test/?session=referer-session-6".into()),
        ("X-Debug".into(), base64(&format!("user:{PASSWORD}"))),
    ];
    post.response_headers =
        vec![("set-cookie".into(), "sid=set-cookie-7; Path=/; HttpOnly\nid2=set-cookie-8; Secure".into())];
    post.request_body = Some(format!("user=ann&password={}&csrf_token=form-token-9", "Tr0ub4dor%263+%22x%22"));
    post.response_body = Some(format!(
        "{{\"user\":\"ann\",\"access_token\":\"json-token-10\",\"nested\":{{\"client_secret\":[\"json-secret-11\"]}},\
         \"otp\":98765432,\"echo\":{},\"page\":2}}",
        serde_json::to_string(PASSWORD).unwrap()
    ));
    let mut multipart = RequestEvent {
        request_body: Some(
            "--b\r\nContent-Disposition: form-data; name=\"passcode\"\r\n\r\nmultipart-12\r\n--b--".into(),
        ),
        ..request("/x")
    };
    multipart.url = "http://ann:url-password-13@login.test/".into();
    filled.events = vec![
        event(1, 1, EventKind::Request(Box::new(post))),
        event(2, 1, EventKind::Request(Box::new(multipart))),
        event(
            3,
            1,
            EventKind::Console(console("", &format!("login {PASSWORD} {{\"token\":\"console-token-14\"}} {jwt}"))),
        ),
        event(
            4,
            1,
            EventKind::Tab(TabEvent {
                what: "opened".into(),
                url: "http://login.test/?code=tab-code-15".into(),
                title: "env-value-16".into(),
            }),
        ),
    ];
    filled.entities.push((FIELD, "env-value-16".into()));
    let code = page(&mut canonicalizer, &[("autocomplete", "one-time-code")], "804213", "Code 804213 was sent");
    let later = page(
        &mut canonicalizer,
        &[("type", "text")],
        "",
        "Your password was Tr0ub4dor&3 \"x\", your code 804213, url-token-4711x9y8z7w6v5",
    );
    let options = RedactionOptions {
        known: vec!["env-value-16".into(), r#"{"jwt":"known-storage-77","theme":"dark"}"#.into()],
        ..Default::default()
    };
    let plain = [
        "Tr0ub4dor", "prefilled-pw-9", "url-token-4711\"", "frag-token-42", JWT, "eyJzdWIi", "cookie-theme-1",
        "cookie-sid-2", "header-key-3", "referer-session-6", "set-cookie-7", "set-cookie-8", "form-token-9",
        "json-token-10", "json-secret-11", "98765432", "multipart-12", "url-password-13", "console-token-14",
        "tab-code-15", "env-value-16", "known-storage-77", "804213",
    ];
    let mut secrets = plain.map(str::to_owned).to_vec();
    secrets.extend([base64("ann:proxy-secret-5"), base64(PASSWORD)[..12].to_owned()]);
    (vec![quiet(0, first), filled, quiet(2, code), quiet(3, later)], options, secrets)
}
