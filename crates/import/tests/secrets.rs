//! Secrets that somebody else's recorder wrote down in the open are not in the trace that is made
//! of it.

#[path = "common/zipped.rs"]
mod zipped;

use browserlens_core::strategy::{EventFilter, StepIndex};
use browserlens_import::{Format, ImportOptions, import};
use browserlens_trace::{Trace, verify};
use serde_json::json;
use zipped::{call, lines, page, zip};

#[test]
fn a_trace_with_35_planted_secrets_keeps_none_and_opens() {
    let secret = |number: u32| format!("Zq7-planted{number:02}-kWx93Lm");
    let s: Vec<String> = (0..35).map(secret).collect();
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{}", "dozjgNryP4J3jVmNHl0w5N");
    let header = json!({ "version": 10, "type": "context-options", "origin": "library", "browserName": "chromium",
        "wallTime": 1_700_000_000_000_u64,
        "options": { "viewport": { "width": 800, "height": 600 },
            "httpCredentials": { "username": "ann", "password": s[0] }, "proxy": { "server": "x", "password": s[1] },
            "storageState": { "cookies": [{ "name": "sid", "value": s[2] }],
                "origins": [{ "origin": "http://shop.test",
                    "localStorage": [{ "name": "session", "value": s[3] }, { "name": "auth", "value": s[4] }] }] } } });
    let fields = |password: &str, code: &str, marked: &str| {
        let mark = |name: &str, mut attributes: serde_json::Value| {
            if name == marked {
                attributes["__playwright_target__"] = json!("");
            }
            json!(["INPUT", attributes])
        };
        page(&[
            mark(
                "password",
                json!({ "type": "password", "id": "p", "aria-label": "Password", "__playwright_value_": password,
                    "value": s[5] }),
            ),
            mark(
                "code",
                json!({ "autocomplete": "one-time-code", "id": "c", "aria-label": "Code",
                    "__playwright_value_": code }),
            ),
            json!(["INPUT", { "type": "hidden", "name": "csrf_token", "value": s[6], "__playwright_value_": s[6] }]),
            json!(["A", { "href": format!("http://shop.test/reset?token={}", s[7]) }, "Reset"]),
            json!(["P", {}, format!("You signed in with {} and {}", s[8], s[2])]),
            json!(["INPUT", { "type": "password", "aria-label": "Again", "__playwright_value_": s[9] }]),
            json!(["IMG", { "src": format!("http://shop.test/i.png?access_token={}", s[10]), "alt": "i" }]),
            json!(["P", { "data-auth": format!("Bearer {}", s[11]) }, format!("Authorization: Bearer {}", s[12])]),
            json!(["P", {}, jwt]),
        ])
    };
    let events = [
        vec![header],
        call(
            "c@1",
            "goto",
            &json!({ "url": format!("http://ann:{}@shop.test/?api_key={}", s[13], s[14]) }),
            1.0,
            &[("after", fields("", "", ""))],
        ),
        call(
            "c@2",
            "fill",
            &json!({ "selector": "#p", "value": s[8] }),
            20.0,
            &[("action", fields("", "", "password")), ("after", fields(&s[8], "", ""))],
        ),
        call(
            "c@3",
            "fill",
            &json!({ "selector": "#c", "value": s[15] }),
            40.0,
            &[("action", fields(&s[8], "", "code")), ("after", fields(&s[8], &s[15], ""))],
        ),
        call(
            "c@4",
            "click",
            &json!({ "selector": "a" }),
            60.0,
            &[("action", fields(&s[8], &s[15], "")), ("after", fields(&s[8], &s[15], ""))],
        ),
        vec![
            json!({ "type": "before", "callId": "c@9", "startTime": 0.5, "class": "BrowserContext",
                "method": "addCookies", "params": { "cookies": [{ "name": "a", "value": s[16] }] } }),
            json!({ "type": "console", "messageType": "log", "text": format!("signed in with {} \
                password={}", s[8], s[2]), "time": 30.0, "pageId": "page@1" }),
            json!({ "type": "console", "messageType": "log",
                "text": format!("fetch http://shop.test/?access_token={}", s[17]), "time": 31.0, "pageId": "page@1" }),
            json!({ "type": "event", "class": "BrowserContext", "method": "dialog", "time": 32.0,
                "params": { "pageId": "page@1", "type": "alert", "message": format!("Your code is {}", s[15]) } }),
        ],
    ];
    let entry = |url: String, more: serde_json::Value, time: f64| {
        let mut entry = json!({ "_frameref": "frame@1", "_monotonicTime": time, "pageref": "page@1", "time": 1.0,
            "request": { "method": "POST", "url": url, "headers": [], "cookies": [] },
            "response": { "status": 200, "headers": [], "cookies": [],
                "content": { "mimeType": "application/json", "size": 3 } } });
        for (pointer, value) in more.as_object().expect("an object") {
            if let Some(place) = entry.pointer_mut(pointer) {
                *place = value.clone();
            } else {
                let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
                entry.pointer_mut(parent).expect("a parent")[key] = value.clone();
            }
        }
        json!({ "type": "resource-snapshot", "snapshot": entry })
    };
    let header_of = |name: &str, value: String| json!([{ "name": name, "value": value }]);
    let network = [
        entry(
            format!("http://shop.test/a?token={}", s[18]),
            json!({ "/request/headers": header_of("Authorization", format!("Bearer {}", s[19])) }),
            2.0,
        ),
        entry(
            "http://shop.test/b".into(),
            json!({ "/request/headers": header_of("Cookie", format!("sid={}; b={}", s[2], s[20])),
                "/request/cookies": [{ "name": "b", "value": s[20] }] }),
            3.0,
        ),
        entry(
            "http://shop.test/c".into(),
            json!({ "/response/headers": header_of("Set-Cookie", format!("n={}; HttpOnly", s[21])),
                "/response/cookies": [{ "name": "n", "value": s[21] }] }),
            4.0,
        ),
        entry("http://shop.test/d".into(), json!({ "/request/headers": header_of("X-Api-Key", s[22].clone()) }), 5.0),
        entry(
            "http://shop.test/e".into(),
            json!({ "/request/headers": header_of("Proxy-Authorization", format!("Basic {}", s[23])) }),
            6.0,
        ),
        entry(
            "http://shop.test/f".into(),
            json!({ "/response/content/text": format!("{{\"access_token\":\"{}\",\"refresh_token\":\"{}\"}}", s[24],
                s[25]) }),
            7.0,
        ),
        entry(
            "http://shop.test/g".into(),
            json!({ "/request/postData": { "mimeType": "application/json",
                "text": format!("{{\"user\":\"ann\",\"password\":\"{}\"}}", s[26]) } }),
            8.0,
        ),
        entry(
            "http://shop.test/h".into(),
            json!({ "/request/postData": { "mimeType": "application/x-www-form-urlencoded",
                "text": format!("user=ann&password={}", s[27]) } }),
            9.0,
        ),
        entry(
            "http://shop.test/i".into(),
            json!({ "/request/postData": { "mimeType": "application/json", "_file": "resources/body.json" } }),
            10.0,
        ),
        entry("http://shop.test/j".into(), json!({ "/response/content/_file": "resources/answer.json" }), 11.0),
        entry(format!("http://shop.test/k?client_secret={}", s[30]), json!({}), 12.0),
        entry(
            "http://shop.test/l".into(),
            json!({ "/response/content/text": format!("{{\"session\":{{\"secret\":\"{}\"}}}}", s[31]) }),
            13.0,
        ),
        entry(
            "http://shop.test/m".into(),
            json!({ "/request/headers": header_of("X-Auth-Token", s[32].clone()) }),
            14.0,
        ),
        entry(
            "http://shop.test/n".into(),
            json!({ "/request/headers": header_of("Referer", format!("http://shop.test/?access_token={}", s[33])) }),
            15.0,
        ),
        entry(
            "http://shop.test/o".into(),
            json!({ "/response/headers": header_of("Location", format!("http://shop.test/?token={}", s[34])) }),
            16.0,
        ),
    ];
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("secrets.zip");
    zip(
        &path,
        &[
            ("trace.trace", lines(&events.concat())),
            ("trace.network", lines(&network)),
            ("resources/body.json", format!("{{\"password\":\"{}\"}}", s[28]).into_bytes()),
            ("resources/answer.json", format!("{{\"id_token\":\"{}\"}}", s[29]).into_bytes()),
        ],
    );
    let options = ImportOptions { pages: 1, ..ImportOptions::new(folder.path().join("out")) };
    let report = import(Format::Playwright, &[path], &options).unwrap_or_else(|error| panic!("{error}"));
    let made = &report.traces[0];
    assert!(verify(&made.path).expect("verifies").is_ok());
    let trace = Trace::open(&made.path).expect("opens");
    let mut all = format!("{:?}{:?}{:?}", trace.meta(), trace.origin().expect("origin"), report);
    for step in 0..trace.len() {
        let step = StepIndex(step);
        all.push_str(&format!("{:?}", trace.step(step).expect("row")));
        for payload in trace.capture(step).expect("capture").payloads.iter().filter(|payload| payload.kind.is_text()) {
            all.push_str(&String::from_utf8_lossy(&payload.body));
        }
    }
    let events = trace.events(&EventFilter::default(), None, 10_000).expect("events");
    assert!(events.len() >= 18, "{}", events.len());
    all.push_str(&format!("{events:?}"));
    all.push_str(&String::from_utf8_lossy(&std::fs::read(&made.path).expect("reads")));
    let kept: Vec<&String> = s.iter().filter(|secret| all.contains(secret.as_str())).collect();
    assert!(kept.is_empty(), "{kept:?}");
    assert!(!all.contains("dozjgNryP4J3jVmNHl0w5N"));
    let action = trace.step(StepIndex(1)).expect("row").action.expect("an action");
    assert_eq!(action.taken.node.map(|node| node.name), Some("Password".to_owned()));
    assert_eq!(action.taken.text.chars().count(), s[8].chars().count(), "its placeholder has its length");
}
