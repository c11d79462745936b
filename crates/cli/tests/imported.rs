//! Imports by the command alone: other people's recordings replay, report and compare like recorded
//! ones; other tools' scripts are recorded on a bundled site in a real Chromium, and the recordings
//! replay.

#![cfg(feature = "record")]

mod common;

use browserlens_recorder::SiteServer;
use common::{Ran, browserlens, root, run};
use serde_json::{Value, json};
use std::path::Path;

struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn at(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, content: &str) -> String {
        std::fs::write(self.0.path().join(name), content).expect("written");
        self.at(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs a command line, in which `~/` is this folder; it must succeed.
    fn run(&self, line: &str) -> String {
        self.ran(line).good()
    }

    fn ran(&self, line: &str) -> Ran {
        run(&line.replace("~/", &self.at("")))
    }

    /// Replays the traces of a folder; returns the run's folder.
    fn replay(&self, traces: &str, strategies: &str, scenarios: &str) -> String {
        let places = format!("--scenarios-dir ~/{scenarios} --cache-dir ~/cache --runs-dir ~/runs");
        let said = self.run(&format!("bench --no-report ~/{traces} --strategies {strategies} {places}"));
        said.trim().to_owned()
    }
}

fn run_of(path: &str) -> Value {
    let file = Path::new(path).join("run.json");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// A task of two actions on two pages.
fn task(id: &str) -> String {
    let page = |label: &str, uid: &str| {
        format!(
            "<html><head><title>{label}</title></head><body><main><h1>{label}</h1><form><input backend_node_id=\"5\" \
                aria-label=\"City\" value=\"Rome\">\
             <button backend_node_id=\"7\" data_pw_testid_buckeye=\"{uid}\">Find \
             {label}</button></form></main></body></html>"
        )
    };
    let action = |uid: &str, label: &str, op: &str, on: &str, value: &str| {
        json!({ "action_uid": uid, "raw_html": page(label, uid), "cleaned_html": "",
            "operation": { "op": op, "original_op": op, "value": value },
            "pos_candidates": [{ "tag": "x", "backend_node_id": on, "is_original_target": true }],
            "neg_candidates": [] })
    };
    json!([{ "annotation_id": id, "website": "united", "domain": "Travel", "subdomain": "Airlines",
        "confirmed_task": "Find a flight to Rome", "action_reprs": [],
        "actions": [action("u1", "flights", "TYPE", "5", "Rome"), action("u2", "fares", "CLICK", "7", "")] }])
    .to_string()
}

const STRATEGIES: &str = "lens/delta,raw/html,playwright-mcp@0.0.83/full";

#[test]
fn imported_traces_replay_report_and_compare_like_recorded_ones() {
    let world = World::new();
    world.write("train.json", &task("a1"));
    world.run("import mind2web ~/train.json --out ~/traces --pages 1");
    let first = world.replay("traces", STRATEGIES, "none");
    let run = run_of(&first);
    let info = &run["header"]["traces"][0];
    assert_eq!((&info["steps"], &info["origin"]["rendered"]), (&json!(3), &json!(true)), "{info}");
    assert_eq!(info["origin"]["source"], "osunlp/Mind2Web, Travel, Airlines, united, a1");

    // A second trace, not rendered: what reads the DOM works, everything else is an error row, and
    // the run goes on.
    world.write("test.json", &task("b2"));
    world.run("import mind2web ~/test.json --out ~/traces --no-render --licence 'CC-BY-4.0 <b>'");
    let second = world.replay("traces", STRATEGIES, "none");
    assert_ne!(first, second);
    let places = "--scenarios-dir ~/none --cache-dir ~/cache";
    world.run(&format!("bench --from {second} --out ~/report ~/traces {places}"));
    let summary = world.read("report/summary.md");
    let section = summary.split("## Imported traces").nth(1).unwrap_or_else(|| panic!("{summary}"));
    let section = section.split("\n## ").next().expect("a section");
    let line = |of: &str, name: &str| {
        of.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {of}")).to_owned()
    };
    for (name, parts) in [
        ("mind2web-a1", ["CC-BY-4.0 (the publisher", "rendered anew"]),
        ("mind2web-b2", ["not rendered", "united, b2"]),
    ] {
        let line = line(section, name);
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?}: {line}");
    }
    assert!(section.contains("re-implementations"), "{section}");
    let page = world.read("report/index.html");
    for said in [
        "id=\"imported\"",
        "osunlp/Mind2Web, Travel, Airlines, united, b2",
        "CC-BY-4.0 &lt;b&gt;",
        "re-implementations",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let errors = summary.split("## Error rows").nth(1).expect("error rows");
    for strategy in ["lens/delta", "playwright-mcp@0.0.83/full"] {
        let error = line(errors, &format!("mind2web-b2 @ step 0 @ {strategy}"));
        assert!(error.contains("no layout and no accessibility tree"), "{error}");
    }
    assert!(!errors.contains("mind2web-a1") && !errors.contains("raw/html"), "{errors}");
    let measured = world.read("report/measurements.csv");
    let rows =
        |strategy: &str| measured.lines().filter(|row| row.contains("mind2web-b2") && row.contains(strategy)).count();
    assert_eq!((rows("raw/html"), rows("lens/delta")), (3, 3), "{measured}");

    // A page of which nothing is visible is not shown as if it were one.
    for verb in ["controls", "text"] {
        world.ran(&format!("page ~/traces/mind2web-b2.trace {verb}")).ends(3, &["without --no-render"]);
    }

    let compared = world.run(&format!("compare {first} {second} --markdown --runs-dir ~/runs"));
    // The trace of both runs is the same to each strategy; the second one's rows are new.
    for strategy in STRATEGIES.split(',') {
        let row = line(&compared, strategy);
        assert!(row.contains("|   1 |  1.00× |") && row.contains("no clear difference"), "{row}");
    }
    assert!(compared.contains("9 new rows"), "{compared}");
}

/// The same five deeds on the page of the newsletter, as each tool writes them.
fn scripts(base: &str) -> [(&'static str, &'static str, Value); 3] {
    let element = |tag: &str, id: &str| {
        let attributes = json!({ "id": id, "name": id });
        json!({ "node_name": tag, "attributes": attributes, "x_path": "html/body/main/form/x" })
    };
    let turn = |actions: Value, elements: Value| {
        json!({ "model_output": { "action": actions }, "result": [{}],
        "state": { "url": base, "interacted_element": elements } })
    };
    let history = json!({ "history": [
        turn(json!([{ "navigate": { "url": base, "new_tab": false } }]), json!([null])),
        turn(
            json!([{ "input": { "index": 1, "text": "Mira Osei", "clear": true } },
                { "input": { "index": 2, "text": "mira.osei@example.test" } }]),
            json!([element("INPUT", "name"), element("INPUT", "email")])
        ),
        turn(json!([{ "select_dropdown": { "index": 3, "text": "Plain text" } }]),
            json!([element("SELECT", "format")])),
        turn(json!([{ "click": { "index": 4 } }, { "click": { "index": 5 } }]),
            json!([element("INPUT", "consent"), element("BUTTON", "send")])),
        turn(json!([{ "done": { "text": "done", "success": true } }]), json!([null])),
    ] });
    let recorder = json!({ "title": "Sign up: devtools", "steps": [
        { "type": "setViewport", "width": 1000, "height": 700, "deviceScaleFactor": 1, "isMobile": false,
            "hasTouch": false, "isLandscape": false },
        { "type": "navigate", "url": base,
            "assertedEvents": [{ "type": "navigation", "url": base, "title": "The Slow Post" }] },
        { "type": "change", "value": "Mira Osei", "selectors": [["aria/Name"], ["#name"], ["xpath///*[@id=\"name\"]"]],
            "target": "main" },
        { "type": "change", "value": "mira.osei@example.test",
            "selectors": [["aria/Email[role=\"textbox\"]"], ["#email"]] },
        { "type": "change", "value": "Plain text", "selectors": [["aria/Format[role=\"combobox\"]"], ["#format"]] },
        { "type": "click", "selectors": [["aria/Send me the letter by \
            email[role=\"checkbox\"]"], ["#consent"]], "offsetX": 3, "offsetY": 3 },
        { "type": "click", "selectors": [["aria/Sign up[role=\"button\"]"], ["#send"]], "offsetX": 3, "offsetY": 3 },
        { "type": "waitForElement", "selectors": [["text/Thank you, Mira Osei."]] },
    ] });
    let command = |command: &str, target: &str, value: &str| {
        json!({ "id": "x", "comment": "", "command": command, "target": target, "targets": [],
        "value": value })
    };
    let side = json!({ "id": "1", "version": "2.0", "name": "Sign", "url": base, "suites": [], "urls": [base],
        "plugins": [], "tests": [{ "id": "2", "name": "up", "commands": [
        command("open", "/", ""), command("setWindowSize", "1000x700", ""), command("type", "id=name", "Mira Osei"),
        command("type", "name=email", "mira.osei@example.test"), command("select", "id=format", "label=Plain text"),
        command("click", "css=#consent", ""), command("click", "id=send", ""),
        command("assertText", "css=h1", "Thank you, Mira Osei."),
    ] }] });
    [
        ("browser-use", "history", history),
        ("devtools-recorder", "Sign-up--devtools", recorder),
        ("selenium", "Sign-up", side),
    ]
}

#[test]
fn scripts_of_other_tools_are_recorded_in_chromium_and_replay() {
    let world = World::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let server = runtime.block_on(SiteServer::start(&root().join("traces/sites"), "tiny")).expect("serves");
    let base = format!("http://127.0.0.1:{}/", server.port());
    for (format, name, script) in scripts(&base) {
        world.write("history.json", &script.to_string());
        world.run(&format!("import {format} ~/history.json --out ~/scenarios"));
        let scenario = world.read(&format!("scenarios/{name}.toml"));
        assert!(scenario.contains(&format!("name = \"{name}\"")), "{scenario}");
        world.run(&format!("record {name} --scenarios-dir ~/scenarios --out ~/traces"));
    }
    let run = run_of(&world.replay("traces", "lens/full", "scenarios"));
    let traces = run["header"]["traces"].as_array().expect("traces");
    assert_eq!(traces.len(), 3, "{traces:?}");
    for trace in traces {
        assert_eq!((&trace["complete"], &trace["origin"]), (&json!(true), &Value::Null), "{trace}");
    }
    let shown = world.run("show ~/traces/Sign-up.trace --step 5 --strategy lens/full --scenarios-dir ~/scenarios");
    assert!(shown.contains("Thank you, Mira Osei."), "{shown}");
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_in_a_window_is_a_trace_and_a_scenario() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let site = SiteServer::start(&root().join("traces/sites"), "login").await.expect("serves");
    // A window needs a display: this one draws into memory, and is driven as a hand would.
    let chrome = browserlens_recorder::find_chrome(None).expect("Chromium: run scripts/install-chromium");
    let flags = world.at("flags");
    let script = world.write(
        "window.sh",
        &format!("#!/bin/sh\necho \"$@\" >'{flags}'\nexec '{}' --headless --disable-gpu \"$@\"\n", chrome.display()),
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let mut command = browserlens();
    command.args(["record", "--interactive", &format!("http://127.0.0.1:{}/", site.port()), "--chrome", &script]);
    command.args(["--out", &world.at("once.trace"), "--goal", "Sign in"]).current_dir(root());
    let recording = tokio::task::spawn_blocking(move || command.output().expect("the command starts"));
    let port = async || loop {
        let given = std::fs::read_to_string(&flags).unwrap_or_default();
        let profile =
            given.split_whitespace().find_map(|flag| flag.strip_prefix("--user-data-dir=")).map(str::to_owned);
        let file =
            profile.and_then(|folder| std::fs::read_to_string(Path::new(&folder).join("DevToolsActivePort")).ok());
        if let Some(port) = file.and_then(|file| file.lines().next().map(str::to_owned)) {
            return port;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    let port = tokio::time::timeout(std::time::Duration::from_secs(60), port()).await.expect("it starts");
    let (mut browser, mut handler) =
        chromiumoxide::Browser::connect(format!("http://127.0.0.1:{port}")).await.expect("answers");
    tokio::spawn(async move { while futures::StreamExt::next(&mut handler).await.is_some() {} });
    browser.fetch_targets().await.expect("its tabs");
    // The recorder attaches in this time.
    tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    let tab = browser.pages().await.expect("tabs").into_iter().next().expect("a tab");
    for (field, text) in [("#email", "mara@lindqvist.test"), ("#password", "river-otter-58")] {
        let field = tab.find_element(field).await.expect("a field");
        field.click().await.expect("clicks").type_str(text).await.expect("types");
    }
    tab.find_element("button[type=submit]").await.expect("a button").click().await.expect("clicks");
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    browser.close().await.expect("closes");
    let ended = Ran::from(recording.await.expect("ends"));
    let said = ended.said();
    assert_eq!(ended.code, 0, "{said}");
    assert!(said.contains("once.trace: ") && said.contains("once.toml: "), "{said}");
    let scenario = world.read("once.toml");
    for expected in ["goal = \"Sign in\"", "name = \"Email address\"", "SECRET_1", "name = \"Sign in\""] {
        assert!(scenario.contains(expected), "{expected}: {scenario}");
    }
    assert!(!scenario.contains("river-otter"), "{scenario}");
}

#[test]
fn what_a_person_did_once_is_a_scenario_that_does_it_again() {
    let world = World::new();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let site = runtime.block_on(SiteServer::start(&root().join("traces/sites"), "login")).expect("serves");
    let (url, by_hand) = (format!("http://127.0.0.1:{}/", site.port()), world.at("by-hand.trace"));
    let page = |words: &[&str]| {
        let mut command = browserlens();
        command.env("XDG_RUNTIME_DIR", world.0.path()).env("TMPDIR", world.0.path()).arg("page").args(words);
        Ran::of(&mut command).good()
    };
    let first = page(&["open", &url, "--record", &by_hand]);
    let reference = |of: &str| {
        let rest = first.split_once(of).unwrap_or_else(|| panic!("{of} is not in {first}")).1;
        rest[rest.find("@e").expect("a ref")..].split_whitespace().next().expect("a ref").to_owned()
    };
    page(&["fill", &format!("{}=mara@lindqvist.test", reference("textbox \"Email address\""))]);
    page(&["fill", &format!("{}=silver-heron-21", reference("textbox \"Password\""))]);
    page(&["click", &reference("button \"Sign in\"")]);
    page(&["close", "--all"]);
    let written = |trace: &str, out: &str| {
        world.run(&format!("import trace {trace} --out ~/{out}"));
        world.read(&format!("{out}/{}.toml", Path::new(trace).file_stem().expect("a name").to_string_lossy()))
    };
    let scenario = written(&by_hand, "scenarios");
    assert!(scenario.contains("SECRET_1") && !scenario.contains("silver-heron"), "{scenario}");
    assert!(scenario.contains("Email and password do not match"), "the refusal is a fact: {scenario}");
    let mut record = browserlens();
    record.args(["record", &world.at("scenarios/by-hand.toml"), "--out", &world.at("again")]);
    Ran::of(record.env("SECRET_1", "silver-heron-21")).good();
    // Recorded by itself it tells the same, action by action and fact by fact.
    let again = written(&world.at("again/by-hand.trace"), "scenarios-again");
    let told = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("goal") && !line.starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(told(&again), told(&scenario));
    let run = run_of(&world.replay("again", "lens/delta", "scenarios"));
    assert!(run.to_string().contains("by-hand"), "{run}");
}
