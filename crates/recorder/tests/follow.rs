//! What real agents' drivers do in a running browser is recorded beside them: every action, with
//! the node that was meant.
//!
//! The drivers are Playwright and browser-use, as `./just test` and `./just peers` install them;
//! without them the tests say what to do.

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_recorder::{Cancel, FollowOptions, FollowReport, follow};
use browserlens_trace::{Trace, verify};
use common::{Browser, Served, by_id, page_at, runtime, serve};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

/// Drivers that never pause have the machine alone: what they are faster than is the recorder, not
/// what else is tested.
static TURN: RwLock<()> = RwLock::new(());

fn beside() -> RwLockReadGuard<'static, ()> {
    TURN.read().unwrap_or_else(PoisonError::into_inner)
}

fn alone() -> RwLockWriteGuard<'static, ()> {
    TURN.write().unwrap_or_else(PoisonError::into_inner)
}

/// Longest time for one driver's list of actions.
const LIMIT: Duration = Duration::from_secs(240);

/// Returns the folder of the installed tools.
fn tools(needed: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project");
    let folder = root.join(".tools/peers");
    assert!(
        folder.join(needed).exists(),
        "{} is not there: install the peers (`./just peers`)",
        folder.join(needed).display()
    );
    folder
}

fn playwright(browser: &Browser, url: &str, list: &str, think: u32, file: &Path) -> Command {
    let folder =
        tools("npm/playwright-mcp-0-0-83/node_modules/playwright-core/package.json").join("npm/playwright-mcp-0-0-83");
    let mut command = Command::new("node");
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drivers/playwright.mjs"))
        .args([&folder.to_string_lossy(), browser.endpoint.as_str(), url, list, &think.to_string()])
        .arg(file);
    command
}

/// A recording of what a driver did.
struct Followed {
    report: FollowReport,
    trace: Trace,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Followed {
    fn page(&self, step: u32) -> Page {
        page_at(&self.trace, step)
    }

    /// Returns each action as `kind id text`, where the id is that of its node in the capture
    /// before it.
    fn actions(&self) -> Vec<String> {
        let mut told = Vec::new();
        for row in self.trace.steps().expect("steps").into_iter().filter(|row| row.index.0 > 0) {
            let action = row.action.expect("an action");
            let before = self.page(row.index.0 - 1);
            let node = action.target.map(|key| before.find(key).expect("its node is in the capture before it"));
            let name = node.map_or(String::new(), |node| match node.attribute("id") {
                Some(id) => format!("#{id}"),
                None => format!("{} {:?}", node.role(), node.name()),
            });
            let note = action.taken.error.map(|note| format!("({note})")).unwrap_or_default();
            let text = action.taken.text.replace('\n', "|");
            let line = [action.taken.kind.to_string(), name, text, note];
            told.push(line.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "));
        }
        told
    }

    /// Returns each action with its node as the trace says it in words, whether a capture has it or
    /// not.
    fn in_words(&self) -> Vec<String> {
        let steps = self.trace.steps().expect("steps").into_iter().filter(|row| row.index.0 > 0);
        let told = steps.map(|row| {
            let taken = row.action.expect("an action").taken;
            let node = taken.node.map_or(String::new(), |node| format!("{} {:?}", node.role, node.name));
            [taken.kind.to_string(), node, taken.text].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>()
        });
        told.map(|parts| parts.join(" ")).collect()
    }
}

/// Runs a driver beside the recorder, and ends the recorder when the driver has ended.
fn followed(browser: &mut Browser, mut driver: Command, change: impl FnOnce(&mut FollowOptions)) -> Followed {
    let runtime = runtime();
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("agent.trace");
    let mut options = FollowOptions::new(&browser.endpoint, &path);
    options.cancel = Cancel::default();
    change(&mut options);
    let cancel = options.cancel.clone();
    let following = std::thread::spawn(move || runtime.block_on(follow(&options)));
    // It attaches in this time; what is done before is not part of the recording.
    std::thread::sleep(Duration::from_millis(1_000));
    let output = folder.path().join("said");
    let said = std::fs::File::create(&output).expect("file");
    driver.env("HOME", folder.path()).env_remove("XDG_CONFIG_HOME").env_remove("XDG_CACHE_HOME");
    let mut child = driver.stdout(said.try_clone().expect("file")).stderr(said).spawn().expect("the driver starts");
    let deadline = Instant::now() + LIMIT;
    let ended = loop {
        match child.try_wait().expect("the driver's state") {
            Some(status) => break status.success(),
            None if Instant::now() > deadline => {
                drop(child.kill());
                break false;
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    cancel.cancel();
    let report = following.join().expect("no panic");
    let said = std::fs::read_to_string(&output).unwrap_or_default();
    assert!(ended, "the driver failed: {said}");
    let report = report.unwrap_or_else(|error| panic!("{error}\nhint: {}", error.hint()));
    assert!(report.ended == "the browser closed" || browser.is_running(), "the agent's browser stays");
    let checked = verify(&path).unwrap_or_else(|error| panic!("{error}"));
    assert!(checked.is_ok() && checked.sealed && checked.complete, "{checked:?}");
    let trace = Trace::open(&path).expect("the trace opens");
    assert!(trace.is_complete());
    Followed { report, trace, path, _folder: folder }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/a.txt")
}

/// Has Playwright go through a list of actions on a page, with so many milliseconds between them.
fn driven(server: &Served, page: &str, list: &str, think: u32, change: impl FnOnce(&mut FollowOptions)) -> Followed {
    let _turn = if think == 0 { Err(alone()) } else { Ok(beside()) };
    let mut browser = Browser::start();
    let driver = playwright(&browser, &server.url(page), list, think, &file());
    followed(&mut browser, driver, change)
}

/// What Playwright does in the shop.
const SHOP: [&str; 8] = [
    "fill #q laptop",
    "click button \"Go\"",
    "check checkbox \"16 GB\" true",
    "select #sort Price: low to high",
    "click link \"Bramble Thicket 14 Laptop BT14-4542 with Ridge 3 and 16 GB RAM\"",
    "check #storage-2 true",
    "click #add",
    "click link \"Cart (1)\"",
];

#[test]
fn playwright_puts_a_laptop_into_the_cart_and_each_action_has_its_node() {
    let server = serve("shop");
    let followed = driven(&server, "", "shop", 4_000, |options| options.goal = "a laptop".to_owned());
    assert_eq!(followed.actions(), SHOP);
    assert!(followed.page(8).nodes().any(|node| node.text().contains("$489.00 each")), "the last capture is the cart");
    assert_eq!(followed.trace.meta().goal, "a laptop");
    assert_eq!(followed.report.steps.len(), 9);
}

/// What Playwright does in the form; its password is as the trace has it.
fn form(actions: &[String], server: &Served) -> Vec<String> {
    let secret = actions.get(1).cloned().unwrap_or_default();
    let last = format!("goto {}", server.url("action-history-two.html"));
    [
        "fill #name Ann Lee", &secret, "fill #note two|lines", "select #size Large", "check #terms true",
        "fill #when 2026-03-04", "upload #file a.txt", "click #inner", "click #framed", "hover #menu",
        "double_click #word", "right_click #word", "drag #from", "scroll 0, 300", "press #name Enter", "click #next",
        "back", "forward", &last,
    ]
    .map(str::to_owned)
    .to_vec()
}

#[test]
fn playwright_fills_a_form_and_each_action_has_its_node() {
    let server = serve("fixtures");
    let followed = driven(&server, "follow-form.html", "form", 2_500, |_| {});
    let actions = followed.actions();
    // A placeholder of the same length and kind stands for the password, in every payload and in
    // what was typed.
    assert_eq!(actions.len(), 19, "{actions:?}");
    assert!(actions[1].starts_with("fill #secret ") && actions[1].len() == "fill #secret hunter2-and-more".len());
    let bytes = std::fs::read(&followed.path).expect("the trace");
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
    assert_eq!(actions, form(&actions, &server));
    for step in 0..followed.trace.len() {
        let capture = followed.trace.capture(StepIndex(step)).expect("capture");
        let told = capture.payloads.iter().filter(|payload| payload.kind.is_text());
        assert!(
            told.into_iter().all(|payload| !payload.body.windows(7).any(|window| window == b"hunter2")),
            "step {step}"
        );
        assert!(capture.screenshot().is_some(), "step {step}");
    }
}

#[test]
fn a_driver_that_never_pauses_loses_no_action() {
    let server = serve("fixtures");
    let followed = driven(&server, "follow-form.html", "form", 0, |_| {});
    let actions = followed.actions();
    assert_eq!(actions, form(&actions, &server));
    assert!(followed.report.late > 0);
}

#[test]
fn a_click_that_the_page_never_gets_is_no_action_however_late_that_is_known() {
    let server = serve("fixtures");
    let followed = driven(&server, "follow-form.html", "held", 1_500, |_| {});
    assert_eq!(followed.actions(), ["click #inner", "fill #name Ann"]);
}

#[test]
fn a_driver_that_never_pauses_goes_through_many_documents_and_no_action_is_lost() {
    let server = serve("shop");
    let followed = driven(&server, "", "shop", 0, |_| {});
    let expected = [
        "fill textbox \"Search\" laptop",
        "click button \"Go\"",
        "check checkbox \"16 GB\" true",
        "select combobox \"Sort by\" Price: low to high",
        "click link \"Bramble Thicket 14 Laptop BT14-4542 with Ridge 3 and 16 GB RAM\"",
        "check radio \"1 TB\" true",
        "click button \"Add to cart\"",
    ];
    let told = followed.in_words();
    assert_eq!(told[..7], expected);
    // Its number may be that of the capture before both: the laptop was put in just now.
    assert!(told.len() == 8 && told[7].starts_with("click link \"Cart ("), "{told:?}");
    // An agent that waits for nothing can leave a document before it could be looked at; then its
    // action says so.
    let missing = followed.actions().iter().filter(|action| action.contains("is not in the capture")).count();
    assert!(missing <= 3, "{:?}", followed.actions());
}

/// Has browser-use fill the form, with so many seconds between its actions.
fn browser_use_fills_a_form(think: &str) {
    let server = serve("fixtures");
    let _turn = if think == "0" { Err(alone()) } else { Ok(beside()) };
    let mut browser = Browser::start();
    let python = tools("venv/bin/python").join("venv/bin/python");
    let home = tempfile::tempdir().expect("temporary folder");
    let mut driver = Command::new(python);
    driver.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drivers/tools_of_browser_use.py"));
    driver.args([browser.endpoint.as_str(), &server.url("follow-form.html"), think]);
    driver.arg(file()).arg(home.path());
    let followed = followed(&mut browser, driver, |_| {});
    let actions = followed.actions();
    assert!(actions[1].starts_with("fill #secret ") && !actions[1].contains("hunter2"), "{actions:?}");
    let expected = [
        "fill #name Ann Lee", &actions[1], "select #size Large", "check #terms true", "upload #file a.txt",
        "click #inner", &actions[6], "click #next", "back", "press #next Escape",
    ];
    assert_eq!(actions, expected);
    // Half a page, which is as high as the window of this Chromium.
    assert!(actions[6].starts_with("scroll 0, "), "{actions:?}");
}

#[test]
fn browser_use_fills_a_form_and_each_action_has_its_node() {
    browser_use_fills_a_form("1.5");
}

#[test]
fn browser_use_without_a_pause_loses_nothing() {
    browser_use_fills_a_form("0");
}

#[test]
fn a_tab_that_opens_is_followed_and_so_is_its_end() {
    let followed = driven(&serve("fixtures"), "follow-form.html", "tabs", 4_000, |options| options.screenshots = false);
    assert_eq!(followed.actions(), ["click #pop", "switch_tab 1", "click #done", "close_tab", "fill #name back"]);
    let tabs: Vec<u32> = followed.trace.steps().expect("steps").iter().map(|row| row.tab).collect();
    assert_eq!(tabs, [0, 0, 1, 1, 0, 0]);
    assert!(followed.trace.capture(StepIndex(0)).expect("capture").screenshot().is_none());
}

#[test]
fn a_page_can_neither_forge_an_action_nor_hide_one_nor_find_the_listener() {
    let server = serve("fixtures");
    let followed =
        driven(&server, "follow-hostile.html", "hostile", 3_000, |options| options.ceiling = Duration::from_secs(2));
    assert_eq!(followed.actions(), ["click #real", "fill #name me"]);
    assert_eq!(by_id(&followed.page(0), "log").visible_text(), "found:");
}

#[test]
fn actions_that_come_too_fast_for_a_capture_are_all_there_with_their_nodes_and_say_so() {
    let followed = driven(&serve("fixtures"), "follow-form.html", "fast", 4_000, |_| {});
    let expected = [
        "fill #name Ann", "fill #note quick", "select #size Large", "check #terms true", "click #inner", "click #next",
    ];
    assert_eq!(followed.actions(), expected);
    assert!(followed.report.late > 0);
    let rows = followed.trace.steps().expect("steps");
    assert!(rows[1].settled.reason.contains("next action"), "{:?}", rows[1].settled);
    assert!(rows[6].settled.quiet, "{:?}", rows[6].settled);
}

#[test]
fn a_frame_of_another_site_is_listened_to() {
    let followed = driven(&serve("fixtures"), "follow-form.html", "cross", 4_000, |_| {});
    let actions = followed.actions();
    assert_eq!(actions.len(), 2, "{actions:?}");
    assert!(actions[0].starts_with("click ") && !actions[0].contains('('), "{actions:?}");
    assert!(actions[1].starts_with("fill ") && actions[1].ends_with(" across"), "{actions:?}");
    let session = followed.trace.steps().expect("steps")[2].action.clone().and_then(|action| action.target);
    assert!(session.is_some_and(|key| key.frame > 1), "{session:?}");
}

#[test]
fn a_dialog_that_somebody_answers_is_an_action() {
    let followed = driven(&serve("fixtures"), "action-dialog.html", "dialog", 3_000, |_| {});
    assert_eq!(followed.actions(), ["click #confirm", "dialog accept"]);
    assert!(common::log_of(&followed.page(2)).contains("confirm true"));
}

#[test]
fn a_browser_that_closes_ends_the_recording_and_the_trace_is_whole() {
    let followed = driven(&serve("fixtures"), "follow-form.html", "closing", 3_000, |_| {});
    assert_eq!(followed.report.ended, "the browser closed");
    assert_eq!(followed.actions(), ["fill #name last words"]);
}

#[test]
fn a_recording_ends_when_nothing_is_done_and_one_without_a_browser_says_so() {
    let _turn = beside();
    let browser = Browser::start();
    let folder = tempfile::tempdir().expect("temporary folder");
    let runtime = runtime();
    let mut options = FollowOptions::new(&browser.endpoint, folder.path().join("idle.trace"));
    options.idle = Some(Duration::from_secs(3));
    let report = runtime.block_on(follow(&options)).expect("ends");
    assert!(report.ended.contains("nothing was done"), "{}", report.ended);
    let checked = verify(&report.path).expect("a trace");
    assert!(checked.is_ok() && checked.complete, "{checked:?}");
    let error = runtime.block_on(follow(&options)).expect_err("the trace stands there");
    assert!(error.to_string().contains("idle.trace"), "{error}");
    let nobody = FollowOptions::new("http://127.0.0.1:9", folder.path().join("none.trace"));
    let error = runtime.block_on(follow(&nobody)).expect_err("no browser");
    assert!(error.hint().contains("--remote-debugging-port"), "{error}");
}
