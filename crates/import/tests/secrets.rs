//! Secrets that somebody else's recorder wrote down in the open are not in the trace that is made
//! of it.

#[path = "common/zipped.rs"]
mod zipped;

use browserlens_core::strategy::{EventFilter, StepIndex};
use browserlens_import::{Format, ImportOptions, import};
use browserlens_trace::{Trace, verify};
use serde_json::{Value, json};
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
        let mark = |name: &str, mut attributes: Value| {
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
    let header_of = |name: &str, value: String| json!([{ "name": name, "value": value }]);
    let bearer = |secret: &str| format!("Bearer {secret}");
    let address = |path: &str| format!("http://shop.test/{path}");
    let (url, asked, answered) = ("/request/url", "/request/headers", "/response/headers");
    let (posted, content) = ("/request/postData", "/response/content/text");
    let post = |mime: &str, text: String| json!({ "mimeType": mime, "text": text });
    // What is set in the entry of a request: its name, the place by pointer, and what stands there.
    let set: [(char, &str, Value); 18] = [
        ('a', url, json!(address(&format!("a?token={}", s[18])))),
        ('a', asked, header_of("Authorization", bearer(&s[19]))),
        ('b', asked, header_of("Cookie", format!("sid={}; b={}", s[2], s[20]))),
        ('b', "/request/cookies", header_of("b", s[20].clone())),
        ('c', answered, header_of("Set-Cookie", format!("n={}; HttpOnly", s[21]))),
        ('c', "/response/cookies", header_of("n", s[21].clone())),
        ('d', asked, header_of("X-Api-Key", s[22].clone())),
        ('e', asked, header_of("Proxy-Authorization", format!("Basic {}", s[23]))),
        ('f', content, json!(json!({ "access_token": s[24], "refresh_token": s[25] }).to_string())),
        ('g', posted, post("application/json", json!({ "user": "ann", "password": s[26] }).to_string())),
        ('h', posted, post("application/x-www-form-urlencoded", format!("user=ann&password={}", s[27]))),
        ('i', posted, json!({ "mimeType": "application/json", "_file": "resources/body.json" })),
        ('j', "/response/content/_file", json!("resources/answer.json")),
        ('k', url, json!(address(&format!("k?client_secret={}", s[30])))),
        ('l', content, json!(json!({ "session": { "secret": s[31] } }).to_string())),
        ('m', asked, header_of("X-Auth-Token", s[32].clone())),
        ('n', asked, header_of("Referer", address(&format!("?access_token={}", s[33])))),
        ('o', answered, header_of("Location", address(&format!("?token={}", s[34])))),
    ];
    let entry = |(at, name): (usize, char)| {
        let mut entry = json!({ "_frameref": "frame@1", "_monotonicTime": at as f64 + 2.0, "pageref": "page@1",
            "time": 1.0,
            "request": { "method": "POST", "url": address(&name.to_string()), "headers": [], "cookies": [] },
            "response": { "status": 200, "headers": [], "cookies": [],
                "content": { "mimeType": "application/json", "size": 3 } } });
        for (_, pointer, value) in set.iter().filter(|(of, ..)| *of == name) {
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            entry.pointer_mut(parent).expect("a parent")[key] = value.clone();
        }
        json!({ "type": "resource-snapshot", "snapshot": entry })
    };
    let network: Vec<Value> = ('a'..='o').enumerate().map(entry).collect();
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
