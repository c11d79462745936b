//! What must hold whatever happens: nothing is lost, nothing leaks, nothing is left running.

mod common;

use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::{EventKind, StepIndex};
use browserlens_recorder::{Cancel, Progress, RecordError, RecordOptions, record};
use browserlens_trace::{Fault, Trace, TraceError};
use common::{fixture, page_at, processes_with, recorded, recorded_with, scenario, sites, try_record, wait_until_gone};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Set for the copy of this test program that is to be killed: where it records to.
const CHILD_OUT: &str = "BROWSERLENS_TEST_RECORD_TO";

fn long_scenario() -> String {
    let step = "[[step]]\nclick = { role = \"button\", name = \"Go\" }\n";
    fixture("/action-click.html", &step.repeat(12))
}

fn child_of_this_program(out: &Path, temporary: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "records_for_the_kill_test", "--ignored", "--quiet"])
        .env(CHILD_OUT, out)
        // Profiles of this child's Chromium lie here, so its processes can be told from all others.
        .env("TMPDIR", temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "only the program that the kill test starts"]
async fn records_for_the_kill_test() {
    let Some(out) = std::env::var_os(CHILD_OUT) else { return };
    let options = RecordOptions::new(sites(), PathBuf::from(out));
    record(&scenario(&long_scenario()), &options).await.expect("records");
}

#[test]
fn a_recorder_killed_at_any_moment_leaves_a_trace_with_every_finished_step_and_no_chromium() {
    let folder = tempfile::tempdir().expect("temporary folder");
    // A fixed sequence of moments between start and end, spread by a simple generator.
    let mut state = 0x2545_f491_u32;
    let mut with_steps = 0;
    for round in 0..20 {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let moment = Duration::from_millis(u64::from(state % 3_500));
        let temporary = folder.path().join(format!("tmp-{round}"));
        std::fs::create_dir(&temporary).expect("folder");
        let out = folder.path().join(format!("{round}.trace"));
        let mut child = child_of_this_program(&out, &temporary);
        // Half of the moments count from its first step: a busy machine may take longer than all of them until then.
        let first = Instant::now() + Duration::from_secs(60);
        while round % 2 == 1 && Instant::now() < first && Trace::open(&out).map_or(0, |trace| trace.len()) == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(moment);
        child.kill().expect("killed");
        child.wait().expect("waited");
        if out.exists() {
            let trace = Trace::open(&out).unwrap_or_else(|error| panic!("killed after {moment:?}: {error}"));
            for index in 0..trace.len() {
                page_at(&trace, index);
                with_steps += 1;
            }
        }
        let name = temporary.to_string_lossy().into_owned();
        let left = wait_until_gone(&name);
        assert!(left.is_empty(), "killed after {moment:?}: processes {left:?} are left");
    }
    assert!(with_steps > 0, "no round got as far as a step");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_running_and_no_profile_stays_when_a_recording_ends() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let out = folder.path().join("t.trace");
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).expect("folder");
    let status = child_of_this_program(&out, &temporary).wait().expect("ends");
    assert!(status.success());
    assert!(Trace::open(&out).expect("opens").is_complete());
    assert!(processes_with(&temporary.to_string_lossy()).is_empty());
    let left: Vec<_> = std::fs::read_dir(&temporary).expect("folder").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chromium_killed_in_the_middle_is_a_clear_error_and_finished_steps_stay() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let out = folder.path().join("t.trace");
    let mut options = RecordOptions::new(sites(), &out);
    let own = std::process::id();
    options.progress = Some(Arc::new(move |progress: &Progress| {
        if matches!(progress, Progress::Finished { index: 1, .. }) {
            for pid in processes_with("--remote-debugging-port") {
                // Only the browser that this process started; other tests run theirs at the same
                // time, in other processes.
                let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                let parent = stat
                    .rsplit(") ")
                    .next()
                    .and_then(|rest| rest.split(' ').nth(1))
                    .and_then(|parent| parent.parse::<u32>().ok());
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                if parent == Some(own) && String::from_utf8_lossy(&line).contains("lang=de-DE") {
                    Command::new("kill").args(["-KILL", &pid.to_string()]).status().expect("kill");
                }
            }
        }
    }));
    let toml = format!("locale = \"de-DE\"\n{}", long_scenario());
    let error = record(&scenario(&toml), &options).await.expect_err("the browser is gone");
    assert!(matches!(&error, RecordError::BrowserGone { step: 2, .. }), "{error:?}");
    assert_eq!(error.exit_code(), 5);
    let trace = Trace::open(&out).expect("opens");
    assert!(!trace.is_complete());
    assert_eq!(trace.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_settles_is_recorded_and_on_a_bundled_site_an_error() {
    let (_folder, path, result) = try_record(&fixture("/capture-never-settles.html", ""), |options| {
        options.ceiling = Some(Duration::from_secs(2))
    })
    .await;
    let error = result.expect_err("never settles");
    assert!(matches!(&error, RecordError::NeverSettles { step: 0, .. }), "{error:?}");
    let trace = Trace::open(&path).expect("opens");
    let steps = trace.steps().expect("steps");
    assert_eq!(steps.len(), 1);
    assert!(!steps[0].settled.quiet);
    assert!(page_at(&trace, 0).root().visible_text().contains("Still here"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_recordings_of_one_scenario_give_the_same_captures_pixels_and_events() {
    let toml = fixture(
        "/capture-noise.html",
        "[[step]]\nclick = { role = \"button\", name = \"Ask\" }\nfacts = [\"The answer is 42\"]\n[[step]]\ngoto = \
            \"/capture-frames.html\"\n[[step]]\nclick = { role = \"button\", name = \"Inside cross\" }\n[[step]]\ngoto \
            = \"/action-fill.html\"\n[[step]]\nfill = { role = \"textbox\", name = \"Name\" }\ntext = \
            \"new\"\n[[step]]\ngoto = \"/capture-events.html\"\n[[step]]\nclick = { role = \"button\", name = \
            \"Redirect\" }",
    );
    let (first, second) = (recorded(&toml).await, recorded(&toml).await);
    common::assert_same(&first.trace, &second.trace);
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_secrets_are_in_no_byte_of_the_trace() {
    let secrets = [
        "p4ssw0rd-PLANTED", "918273", "tok-PLANTED-a1b2c3d4", "bearer-PLANTED-99x", "cookie-PLANTED-77",
        "storage-PLANTED-55", "session-PLANTED-33", "csrf-PLANTED-11", "typed-PLANTED-22", "env-PLANTED-44",
    ];
    let names = ["password", "otp", "token", "bearer", "cookie", "storage", "session", "csrf"];
    let fragment =
        names.iter().zip(secrets).map(|(name, secret)| format!("{name}={secret}")).collect::<Vec<_>>().join("&");
    let toml = fixture(
        &format!("/capture-secrets.html?access_token={}#{fragment}&echo=1", secrets[2]),
        "[[step]]\nfill = { role = \"textbox\", name = \"Password\" }\ntext = \"typed-PLANTED-22\"\n[[step]]\nfill = { \
            role = \"textbox\", name = \"Name\" }\ntext = { env = \"PLANTED\" }\n[[step]]\ngoto = \
            \"/action-goto.html\"",
    );
    let recorded = recorded_with(&toml, |options| {
        options.env = Arc::new(|name| (name == "PLANTED").then(|| "env-PLANTED-44".to_owned()))
    })
    .await;
    // Bodies are compressed in the file: what the reader gives back is searched too, all of it.
    let mut everything = std::fs::read(&recorded.path).expect("reads");
    for index in 0..recorded.trace.len() {
        let capture = recorded.trace.capture(StepIndex(index)).expect("capture");
        for payload in &capture.payloads {
            everything.extend_from_slice(&payload.body);
        }
        everything
            .extend(serde_json::to_vec(&recorded.trace.step(StepIndex(index)).expect("step").action).expect("json"));
    }
    for kind in ["console", "request", "dialog", "tab", "download"] {
        everything.extend(serde_json::to_vec(&recorded.events(kind)).expect("json"));
    }
    let found = |needle: &str| everything.windows(needle.len()).any(|window| window == needle.as_bytes());
    for secret in secrets.iter().chain(&["route-cookie-secret", "route-json-secret"]) {
        assert!(!found(secret), "{secret} is in the trace");
    }
    assert!(found("capture-secrets.html"), "the search itself works");
    // In the screenshot the field is black.
    let page = recorded.page(1);
    let field = common::by_id(&page, "password").bounds().to_viewport(page.scroll());
    let picture = image::load_from_memory(
        recorded.trace.capture(StepIndex(1)).expect("capture").screenshot().expect("screenshot"),
    )
    .expect("png")
    .to_rgb8();
    let (x, y) = ((field.x + field.width / 2.0) as u32, (field.y + field.height / 2.0) as u32);
    assert_eq!(picture.get_pixel(x, y).0, [0, 0, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_keeps_finished_steps_and_says_so() {
    let cancel = Cancel::default();
    let (switch, told) = (cancel.clone(), long_scenario());
    let (_folder, path, result) = try_record(&told, move |options| {
        options.cancel = switch;
        options.progress = Some(Arc::new(move |progress: &Progress| {
            if matches!(progress, Progress::Finished { index: 0, .. }) {
                cancel.cancel();
            }
        }));
    })
    .await;
    assert!(matches!(result, Err(RecordError::Cancelled { .. })));
    let trace = Trace::open(&path).expect("opens");
    assert!(trace.incomplete_reason().is_some_and(|reason| reason.contains("cancelled")));
    assert!(!trace.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_existing_trace_is_kept_unless_told_and_a_missing_chromium_writes_nothing() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let out = folder.path().join("t.trace");
    let mut options = RecordOptions::new(sites(), &out);
    options.chrome = Some("/nowhere/chromium".into());
    let toml = fixture("/action-goto.html", "");
    let error = record(&scenario(&toml), &options).await.expect_err("no browser");
    assert!(matches!(error, RecordError::ChromiumMissing { .. }));
    assert!(!out.exists());
    std::fs::write(&out, "something").expect("writes");
    let error = record(&scenario(&toml), &options).await.expect_err("the file is there");
    assert!(matches!(error, RecordError::Trace(TraceError { fault: Fault::Exists, .. })), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn entity_ids_are_read_into_their_table_and_no_payload_has_them() {
    let toml = "name = \"login/test\"\ngoal = \"g\"\nwhy = \"w\"\nsite = \"login\"\n";
    let recorded = recorded_with(toml, |options| options.second_look = false).await;
    let entities = recorded.trace.entities(StepIndex(0)).expect("entities");
    assert!(entities.len() > 10, "{entities:?}");
    let page = recorded.page(0);
    for (key, id) in &entities {
        assert!(id.starts_with("ent~"));
        assert!(page.find(*key).is_some(), "{id} is a node of the page");
    }
    let field =
        page.nodes().find(|node| node.role() == "textbox" && node.name() == "Email address").expect("the field");
    assert!(entities.iter().any(|(key, _)| *key == field.key()), "the field is an entity");
    for payload in &recorded.trace.capture(StepIndex(0)).expect("capture").payloads {
        assert!(
            payload.kind == PayloadKind::Crop || !payload.body.windows(4).any(|window| window == b"ent~"),
            "{:?}",
            payload.kind
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_of_the_users_own_is_recorded_by_wall_time() {
    use browserlens_recorder::SiteServer;
    let server = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let toml = format!(
        "name = \"own/test\"\ngoal = \"g\"\nwhy = \"w\"\nurl = \"http://127.0.0.1:{}/capture-noise.html\"\ntimeout_ms \
            = 4000\n[[step]]\nclick = {{ role = \"button\", name = \"Ask\" }}\n[[step]]\nclick = {{ role = \"button\", \
            name = \"Not there\" }}\noptional = true\n",
        server.port()
    );
    let recorded = recorded_with(&toml, |_| {}).await;
    let steps = recorded.trace.steps().expect("steps");
    assert_eq!(steps.len(), 3);
    assert!(recorded.page(1).root().visible_text().contains("The answer is 42"));
    assert!(recorded.trace.second_look(StepIndex(0)).expect("reads").is_none());
    let passed = steps[2].action.as_ref().expect("an action");
    assert!(passed.taken.error.as_ref().is_some_and(|error| error.contains("passed over")), "{passed:?}");
    let asked = recorded
        .events("request")
        .into_iter()
        .any(|event| matches!(&event.kind, EventKind::Request(request) if request.url.contains("127.0.0.1")));
    assert!(asked);
}
