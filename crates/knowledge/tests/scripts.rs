//! What the scripts do in a real Chromium, on a page of its own.
//!
//! Needs Chromium on the `PATH`, or named by `CHROME`, as the recorder's tests do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use browserlens_knowledge::ActionDefinition;
use browserlens_knowledge::translate::{Context, Profile, translate};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const PAGE: &str = include_str!("data/scripts.html");

fn chromium() -> PathBuf {
    if let Some(path) = std::env::var_os("CHROME").filter(|path| !path.is_empty()) {
        return path.into();
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
        .expect("Chromium on the PATH, or named by CHROME")
}

#[test]
fn scripts_do_in_a_browser_what_they_say() {
    let on = |role: &str, name: &str| json!({ "target": { "role": role, "name": name } });
    let with = |mut value: Value, parameters: Value| {
        value["parameters"] = parameters;
        value
    };
    let field = on("textbox", "First name");
    let hostile = "O'Neil \"x\" \\ </script> ${1} `家`";
    let cases: Vec<(&str, Value, &str, &str, &str)> = vec![
        ("click", on("button", "Say \"hi\" <b>"), "log", "done", "hi:1"),
        (
            "click",
            with(json!({ "target_selector": "canvas" }), json!({ "point": [30, 20] })),
            "log",
            "done",
            "mousedown@30,20 mouseup@30,20 click@30,20 ",
        ),
        (
            "click",
            json!({ "target": { "role": "link", "name": "In row", "within": { "role": "row", "name": "Bob" } } }),
            "log",
            "done",
            "bob",
        ),
        ("click", json!({ "target": { "role": "button", "name": "Twice", "nth": 1 } }), "log", "done", "t1"),
        ("click", on("button", "Twice"), "log", "Error: 2 elements instead of one", ""),
        ("click", json!({ "target": { "name": "In shadow" } }), "log", "done", "shadow"),
        ("click", on("button", "Nowhere"), "log", "Error: 0 elements instead of one", ""),
        ("click", on("button", "In shadow"), "log", "done", "shadow"),
        ("click", on("button", "In frame"), "log", "done", "frame"),
        ("double_click", on("gridcell", "6,520"), "log", "done", "dbl"),
        ("right_click", json!({ "target": { "role": "button", "name": "Twice", "nth": 0 } }), "log", "done", "ctx"),
        ("hover", json!({ "target": { "role": "button", "name": "Twice", "nth": 0 } }), "log", "done", "over"),
        ("input", with(field.clone(), json!({ "text": hostile })), "fn.value", "done", hostile),
        ("input", with(field.clone(), json!({ "text": "a" })), "fn.value+log", "done", "aic"),
        ("type", with(field.clone(), json!({ "text": "+b" })), "fn.value", "done", "a+b"),
        ("select_dropdown", with(on("combobox", "Size"), json!({ "text": "Very  large" })), "sz.value", "done", "l"),
        (
            "select_dropdown",
            with(on("combobox", "Size"), json!({ "text": "Huge" })),
            "sz.value",
            "Error: 0 options of that label",
            "l",
        ),
        ("check", on("checkbox", "Gift"), "gift.checked+log", "done", "trueg"),
        ("check", on("checkbox", "Gift"), "gift.checked+log", "done", "true"),
        ("uncheck", on("checkbox", "Gift"), "gift.checked", "done", "false"),
        (
            "drag",
            with(on("article", "Card"), json!({ "to": { "role": "region", "name": "Bin" } })),
            "log",
            "done",
            "start drop:x",
        ),
        (
            "drag",
            with(json!({ "target_selector": "canvas" }), json!({ "point": [10, 10], "by": [40, 8] })),
            "log.split(' ')[0]+' '+log.split(' ')[1]+' '+log.trim().split(' ').pop()",
            "done",
            "mousedown@10,10 pointermove@15,11 mouseup@50,18",
        ),
        ("submit_form", json!({ "target_selector": "#f" }), "log", "done", "submit"),
        ("reset_form", json!({ "target_selector": "#f" }), "fn.value", "done", ""),
        (
            "wait_for",
            with(json!({ "target": { "text": "Later text" } }), json!({ "seconds": 5 })),
            "!!document.getElementById('later')",
            "done",
            "true",
        ),
        (
            "wait_for",
            with(json!({ "target": { "text": "Never" } }), json!({ "seconds": 1 })),
            "log",
            "Error: not there in time",
            "",
        ),
        ("scroll_to_element", json!({ "target": { "text": "Far below" } }), "scrollY>100", "done", "true"),
        ("focus", field, "document.activeElement.id", "done", "fn"),
        ("click", on("button", "Not now"), "log", "Error: out of reach", ""),
        ("click", json!({ "target": { "text": "Deep in it" } }), "log", "Error: out of reach", ""),
        ("double_click", on("button", "In a locked group"), "log", "Error: out of reach", ""),
        ("click", on("link", "Link in a locked group"), "log", "done", "linked"),
        ("check", on("checkbox", "Locked"), "locked.checked", "Error: out of reach", "false"),
        ("input", with(on("textbox", "Fixed"), json!({ "text": "x" })), "fixed.value", "Error: it is read-only", "f"),
        ("click", on("button", "Asleep"), "log", "Error: out of reach", ""),
        (
            "upload_file",
            with(on("button", "Attach"), json!({ "path": "files/plan.txt" })),
            "log",
            "done",
            "plan.txt:24",
        ),
        ("upload_file", with(on("button", "Not now"), json!({ "path": "a" })), "log", "Error: out of reach", ""),
        ("click", on("button", "Ask"), "log", "done", "asked"),
        ("click", on("button", "Asleep"), "log", "Error: out of reach", ""),
        ("click", on("button", "In row of none"), "log", "Error: out of reach", ""),
        ("click", on("button", "Well"), "dlg.open+log", "done", "falsewell"),
        ("click", with(on("button", "Menu"), json!({ "expanded": true })), "log", "done", "menu:true"),
        ("click", with(on("button", "Menu"), json!({ "expanded": true })), "log", "done", ""),
        ("click", with(on("button", "Menu"), json!({ "expanded": false })), "log", "done", "menu:false"),
        (
            "click",
            with(json!({ "target": { "text": "More" } }), json!({ "expanded": true })),
            "dt.open",
            "done",
            "true",
        ),
        (
            "click",
            with(json!({ "target": { "text": "More" } }), json!({ "expanded": true })),
            "dt.open",
            "done",
            "true",
        ),
        ("toggle_mute", json!({ "target_selector": "video" }), "v.muted", "done", "true"),
    ];
    let mut html = format!("{PAGE}<script>setTimeout(async()=>{{const told=[];let r;\n");
    let context = Context { late: true, ..Context::default() };
    for (kind, more, probe, _, _) in &cases {
        let mut value = json!({ "action_id": "a", "name": "", "action_type": kind });
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let action: ActionDefinition = serde_json::from_value(value).unwrap();
        let calls = translate(&action, Profile::BrowserUse013, &context).unwrap();
        let [call] = calls.as_slice() else { panic!("{kind}: one call") };
        let code = call.parameters["code"].as_str().unwrap();
        assert!(!code.contains("</"), "it can stand in a page");
        writeln!(html, "log='';r=await {code};await new Promise(q=>setTimeout(q,30));told.push([r,String({probe})]);")
            .unwrap();
    }
    html.push_str(
        "document.getElementById('out').textContent=encodeURIComponent(JSON.stringify(told));},100)</script>",
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scripts.html");
    std::fs::write(&file, html).unwrap();
    let output = Command::new(chromium())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=15000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .env("HOME", folder.path())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let (_, rest) = dom.split_once("<pre id=\"out\">").expect("the page was loaded");
    let (said, _) = rest.split_once("</pre>").unwrap();
    let url = url::Url::parse(&format!("x:?v={said}")).unwrap();
    let (_, json) = url.query_pairs().next().unwrap();
    let told: Vec<(String, String)> = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json:?}"));
    for ((kind, more, _, answer, effect), found) in cases.iter().zip(&told) {
        assert_eq!((&found.0, &found.1), (&(*answer).to_owned(), &(*effect).to_owned()), "{kind} {more}");
    }
    assert_eq!(told.len(), cases.len());
}
