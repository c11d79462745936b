//! Commands that behave and commands that do not: each fault is one error with a clear message, and
//! nothing of the command is left.
#![allow(missing_docs, reason = "a test has no readers")]

use browserlens_core::page::{Capture, Page, PageBuilder, Viewport};
use browserlens_core::strategy::{
    CaptureImage, ImageSpace, Observation, ObservationKind, PageAlone, Request, Run, StepInput, Strategy,
    StrategyError, TakenAction, Task,
};
use browserlens_replay::external::Declaration;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Speaks the protocol well until the step that its option says, where it does what its mode says.
const FAULTY: &str = r#"
import json, os, sys, time
mode, at = None, 1
def say(answer):
    print(json.dumps(answer), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        mode = message["options"]["mode"]
        open("pid", "w").write(str(os.getpid()))
        if mode == "hangs at once":
            time.sleep(600)
        if mode == "crashes at once":
            sys.exit("no model here")
        say({"type": "ready", "protocol": 2 if mode == "newer" else 1, "version": "7",
             "requests": mode != "no requests"}
            if mode != "no ready" else {"type": "observation", "step": 0, "text": ""})
        continue
    step = message["step"]
    good = {"type": "observation", "step": step, "text": f"- button \"Go\" [ref=e1]\n{mode}", "reason": "always"}
    if message["type"] == "request":
        if mode == "hangs when asked":
            time.sleep(600)
        if mode == "nothing to show":
            say({"type": "unanswerable", "step": step, "reason": "no such handle"})
        else:
            say(dict(good, text=json.dumps(message["request"])))
        continue
    if mode == "echoes":
        text = json.dumps({k: v for k, v in message.items() if k != "page"})
        say(dict(good, text=text, refs={"e1": message["page"]["nodes"][1]["key"]}))
    elif step != at:
        say(good)
    elif mode == "crashes":
        sys.stderr.write("Traceback\nValueError: not a number\x1b[31m\n")
        sys.exit(3)
    elif mode == "is killed":
        os.kill(os.getpid(), 9)
    elif mode == "hangs":
        time.sleep(600)
    elif mode == "hangs with a child":
        import subprocess
        child = subprocess.Popen(["sleep", "600"])
        open("pid", "w").write(str(child.pid))
        time.sleep(600)
    elif mode == "garbage":
        print("loading model ... done \x07", flush=True)
    elif mode == "no utf-8":
        sys.stdout.buffer.write(b"\xff\xfe\x00garbage\n"); sys.stdout.flush()
    elif mode == "deep":
        print('{"type": "observation", "step": 1, "refs": ' + "[" * 100000, flush=True)
    elif mode == "gigabyte":
        block = b"x" * (1 << 20)
        try:
            for _ in range(1024):
                sys.stdout.buffer.write(block)
            sys.stdout.flush()
        except BrokenPipeError:
            pass
        time.sleep(600)
    elif mode == "long line":
        say(dict(good, text="x" * 200000))
    elif mode == "other step":
        say(dict(good, step=0))
    elif mode == "says ready":
        say({"type": "ready", "protocol": 1})
    elif mode == "misspells":
        say(dict(good, ref={"e1": "1.1.1"}))
    elif mode == "unknown ref":
        say(dict(good, refs={"e1": "1.1.999"}))
    elif mode == "no ref":
        say(dict(good, refs={"e1": "button"}))
    elif mode == "refuses":
        say({"type": "error", "step": step, "message": "too many nodes"})
    elif mode == "closes input":
        os.close(0)
        say(good)
        time.sleep(600)
    elif mode == "closes output":
        os.close(1)
        time.sleep(600)
    elif mode == "stderr without end":
        while True:
            os.write(2, b"noise " * 1000)
    elif mode == "never reads again":
        say(good)
        time.sleep(600)
    elif mode == "chatters":
        while True:
            say(dict(good, step=99))
    else:
        path = {"gone image": "gone.png", "outside image": "/etc/hostname", "device image": "/dev/zero",
                "image": message["screenshot"]["path"], "text image": "plain.png"}[mode]
        if mode == "text image":
            open(os.path.join(os.path.dirname(message["screenshot"]["path"]), "plain.png"), "w").write("no pixels")
        say(dict(good, images=[{"path": path, "space": {"viewport": {"x": 0, "y": 0, "width": 10, "height": 10}}}]))
"#;

struct World {
    folder: tempfile::TempDir,
    page: Arc<Page>,
    capture: Capture,
    screenshot: CaptureImage,
}

/// A PNG of 1 × 1.
const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("faulty.py"), FAULTY).expect("written");
        let space =
            ImageSpace::Viewport(browserlens_core::page::BoxInViewport { x: 0.0, y: 0.0, width: 10.0, height: 10.0 });
        Self {
            folder,
            page: Arc::new(PageBuilder::outline("main\n  button \"Go\" #1\n  text \"Hello\" #2")),
            capture: Capture::default(),
            screenshot: CaptureImage { png: DOT.into(), space },
        }
    }

    fn strategy(&self, mode: &str, more: &str) -> impl Strategy + use<> {
        let text = format!(
            "name = \"mine/faulty\"\nwhy = \"a test\"\ncommand = [\"python3\", \"faulty.py\"]\nformat = \
                \"playwright-aria\"\n{more}\n[options]\nmode = \"{mode}\"\n"
        );
        toml::from_str::<Declaration>(&text).expect("a declaration").build(self.folder.path()).expect("builds").0
    }

    fn start(&self, mode: &str, more: &str) -> Box<dyn Run> {
        self.strategy(mode, more).start(&task())
    }

    fn step(&self, run: &mut dyn Run, step: u32) -> Result<Observation, StrategyError> {
        let action = TakenAction {
            kind: browserlens_core::strategy::ActionKind::Click,
            node: None,
            text: String::new(),
            error: None,
        };
        run.observe(&StepInput {
            capture: &self.capture,
            action: (step > 0).then_some(&action),
            screenshot: Some(&self.screenshot),
            ..PageAlone::default().input(step, &self.page)
        })
    }

    /// What three steps gave: texts and errors.
    fn steps(&self, mode: &str, more: &str) -> Vec<Result<String, String>> {
        let mut run = self.start(mode, more);
        (0..3)
            .map(|step| self.step(run.as_mut(), step).map(|shown| shown.text).map_err(|error| error.to_string()))
            .collect()
    }

    fn pid(&self) -> PathBuf {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).expect("it started");
        Path::new("/proc").join(pid)
    }
}

fn task() -> Task {
    Task { goal: "Press the button".to_owned(), viewport: Viewport::default(), locale: "en-US".to_owned() }
}

/// Waits until a process is no more, or only its entry is left for init to take.
fn is_gone(process: &Path) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        if stat.is_empty() || stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')) {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The fault at step 1 is said there, the steps after it are given up, and the command is gone.
fn spoils_the_rest(mode: &str, more: &str, expected: &str) {
    let world = World::new();
    let rows = world.steps(mode, more);
    assert!(rows[0].is_ok(), "{mode}: {rows:?}");
    let error = rows[1].as_ref().expect_err(mode);
    assert!(error.starts_with("step 1: the command: ") && error.contains(expected), "{mode}: {error}");
    assert!(error.chars().all(|c| !c.is_control()) && error.len() < 800, "{mode}: {error}");
    assert_eq!(rows[2], Err("step 2: given up: the command failed at step 1".to_owned()), "{mode}");
    assert!(is_gone(&world.pid()), "{mode}: something of it is left");
}

/// The fault spoils step 1 alone.
fn spoils_one_step(mode: &str, expected: &str) {
    let rows = World::new().steps(mode, "");
    assert!(rows[0].is_ok() && rows[2].is_ok(), "{mode}: {rows:?}");
    let error = rows[1].as_ref().expect_err(mode);
    assert!(error.starts_with("step 1: the command: ") && error.contains(expected), "{mode}: {error}");
}

#[test]
fn a_crash_says_its_status_and_its_last_words() {
    spoils_the_rest(
        "crashes",
        "",
        "it ended (exit status 3); its standard error ends: Traceback ValueError: not a number\\u{1b}[31m",
    );
    spoils_the_rest("is killed", "", "it ended (signal 9)");
}

#[test]
fn a_command_that_hangs_is_ended_with_its_children() {
    let begun = Instant::now();
    spoils_the_rest("hangs", "timeout_ms = 3000", "it took longer than 3000 ms and was ended");
    spoils_the_rest("hangs with a child", "timeout_ms = 5000", "it took longer than 5000 ms and was ended");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn garbage_is_shown_in_short() {
    spoils_the_rest("garbage", "", "belongs to standard error): \"loading model ... done \\u{7}\"");
    spoils_the_rest("no utf-8", "", "it wrote a line that is no answer");
    spoils_the_rest("deep", "", "recursion limit exceeded");
    spoils_the_rest("misspells", "", "unknown field `ref`, expected one of `step`");
}

/// Peak resident memory of this process, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn a_gigabyte_without_the_end_of_a_line_is_not_held() {
    let before = peak();
    spoils_the_rest("gigabyte", "timeout_ms = 60000", "it wrote more than 8388608 bytes without the end of a line");
    let grown = peak().saturating_sub(before);
    assert!(grown < 100_000, "{grown} kB more");
}

#[test]
fn a_limit_on_answers_holds_for_whole_lines_too() {
    spoils_the_rest("long line", "max_answer_bytes = 100000", "it wrote more than 100000 bytes");
}

#[test]
fn an_answer_for_another_step_or_of_another_kind_is_none() {
    spoils_the_rest("other step", "", "it answered for step 0 when it was asked about step 1");
    spoils_the_rest("says ready", "", "it answered with \"ready\": expected \"observation\"");
    spoils_the_rest("chatters", "", "it answered for step 99 when it was asked about step 1");
}

#[test]
fn closed_streams_are_told_apart() {
    let world = World::new();
    let rows = world.steps("closes input", "timeout_ms = 20000");
    assert!(rows[0].is_ok() && rows[1].is_ok(), "{rows:?}");
    let error = rows[2].as_ref().expect_err("closed");
    assert!(error.contains("it closed its standard input and was ended"), "{error}");
    assert!(is_gone(&world.pid()));
    spoils_the_rest("closes output", "timeout_ms = 20000", "it closed its standard output and was ended");
}

#[test]
fn standard_error_without_end_neither_blocks_nor_fills_memory() {
    let before = peak();
    spoils_the_rest("stderr without end", "timeout_ms = 4000", "ended; its standard error ends: …");
    let grown = peak().saturating_sub(before);
    assert!(grown < 100_000, "{grown} kB more");
}

#[test]
fn a_command_that_does_not_read_is_ended_too() {
    // The page is larger than what a pipe holds, so that writing it waits.
    let outline: String = (1..4000).map(|at| format!("  text \"some words of a long page\" #{at}\n")).collect();
    let world =
        World { page: Arc::new(PageBuilder::outline(&format!("main\n{}", outline.trim_end()))), ..World::new() };
    let rows = world.steps("never reads again", "timeout_ms = 4000");
    assert!(rows[0].is_ok() && rows[1].is_ok(), "{rows:?}");
    assert!(rows[2].as_ref().expect_err("hangs").contains("it took longer than 4000 ms"), "{rows:?}");
    assert!(is_gone(&world.pid()));
}

#[test]
fn a_command_that_is_not_there_or_does_not_shake_hands_is_an_error_a_step() {
    let world = World::new();
    let text =
        "name = \"mine/gone\"\nwhy = \"a test\"\ncommand = [\"browserlens-no-such-command\"]\nformat = \"plain\"\n";
    let (strategy, _) =
        toml::from_str::<Declaration>(text).expect("declared").build(world.folder.path()).expect("builds");
    let mut run = strategy.start(&task());
    let error = world.step(run.as_mut(), 0).expect_err("not there").to_string();
    assert!(error.starts_with("step 0: the command: \"browserlens-no-such-command\" cannot be started: "), "{error}");
    assert!(world.step(run.as_mut(), 1).expect_err("not there").to_string().contains("given up"));
    for (mode, more, expected) in [
        ("hangs at once", "start_timeout_ms = 6000", "in the handshake it took longer than 6000 ms"),
        ("crashes at once", "", "in the handshake it ended (exit status 1); its standard error ends: no model here"),
        ("no ready", "", "in the handshake it answered with \"observation\": expected \"ready\""),
        ("newer", "", "it speaks version 2 of the protocol, this build version 1"),
        ("crashes", "version = \"6\"", "it says that its version is \"7\", its declaration says \"6\""),
    ] {
        let rows = world.steps(mode, more);
        let error = rows[0].as_ref().expect_err(mode);
        assert!(error.starts_with("step 0: the command: ") && error.contains(expected), "{mode}: {error}");
        assert!(is_gone(&world.pid()), "{mode}");
    }
}

#[test]
fn refs_and_images_that_are_not_there_spoil_their_step_alone() {
    spoils_one_step("unknown ref", "its ref \"e1\" names node \"1.1.999\", which the page of step 1 does not have");
    spoils_one_step("no ref", "its ref \"e1\" names node \"button\"");
    spoils_one_step("refuses", "it says: too many nodes");
    spoils_one_step("gone image", "its image \"gone.png\" cannot be read: ");
    spoils_one_step("outside image", "its image \"/etc/hostname\" does not lie in the folder of the run");
    spoils_one_step("device image", "its image \"/dev/zero\" does not lie in the folder of the run");
    spoils_one_step("text image", "its image \"plain.png\" is no PNG");
}

#[test]
fn a_screenshot_that_was_sent_can_be_shown() {
    let world = World::new();
    let mut run = world.start("image", "");
    world.step(run.as_mut(), 0).expect("shown");
    let shown = world.step(run.as_mut(), 1).expect("shown");
    assert_eq!((shown.images.len(), &*shown.images[0].png), (1, DOT));
    assert_eq!(shown.images[0].space, world.screenshot.space);
    assert_eq!(shown.kind, ObservationKind::Full { reason: "always".to_owned() });
}

#[test]
fn requests_are_answered_refused_or_not_sent() {
    let world = World::new();
    let ask = |mode: &str| {
        let mut run = world.start(mode, "timeout_ms = 4000");
        world.step(run.as_mut(), 0).expect("shown");
        let answer = run.request(&Request::More { handle: "@m1".to_owned(), from: 1, to: 9 });
        (answer, world.step(run.as_mut(), 2).map(|_| ()))
    };
    let (answer, later) = ask("answers");
    let answer = answer.expect("answered");
    assert_eq!(answer.text, r#"{"kind": "more", "handle": "@m1", "from": 1, "to": 9}"#);
    assert!(answer.kind == ObservationKind::Answer && later.is_ok());
    for (mode, why) in [("nothing to show", "no such handle"), ("no requests", "the command answers no requests")] {
        let (answer, later) = ask(mode);
        let error = answer.expect_err(mode);
        assert!(matches!(&error, StrategyError::Unanswerable { reason, .. } if reason == why), "{error}");
        later.expect("goes on");
    }
    let (answer, later) = ask("hangs when asked");
    let error = answer.expect_err("hangs");
    assert!(
        matches!(&error, StrategyError::Failed { message, .. } if message.contains("longer than 4000 ms")),
        "{error}"
    );
    assert!(later.expect_err("given up").to_string().contains("given up: the command failed at step 0"));
}

#[test]
fn a_step_tells_of_the_step_before_and_where_screenshots_lie() {
    let world = World::new();
    let mut run = world.start("echoes", "");
    let told: Vec<serde_json::Value> = (0..4)
        .map(|step| serde_json::from_str(&world.step(run.as_mut(), step).expect("shown").text).expect("JSON"))
        .collect();
    assert!(told[0].get("previous").is_none() && told[0].get("action").is_none());
    assert_eq!(told[1]["action"]["kind"], "click");
    assert_eq!((told[2]["previous"]["step"].as_u64(), told[2]["previous"]["shown"].as_bool()), (Some(1), Some(true)));
    let path = |at: usize| PathBuf::from(told[at]["screenshot"]["path"].as_str().expect("a path"));
    assert_eq!(told[3]["previous"]["screenshot"].as_str().map(PathBuf::from), Some(path(2)));
    assert_eq!(std::fs::read(path(3)).expect("is there"), DOT);
    assert!(path(2).exists() && !path(1).exists(), "older ones are removed");
    drop(run);
    assert!(!path(3).parent().expect("a folder").exists(), "the folder goes with the run");
    assert!(is_gone(&world.pid()));
}
