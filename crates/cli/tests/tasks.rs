//! Tasks with rewards in a real browser: checks that tell the truth and checks that lie, records of
//! runs, and what no tool may see of the checker.

mod common;

use common::{browserlens, root};
use serde_json::json;
use std::path::Path;
use std::process::Output;

/// One task at least of each site and of each level, and two on applications that others' libraries
/// make.
const TASKS: [&str; 17] = [
    "board-any-desk", "docs-dark", "hostile-open-case", "intl-save-room", "live-chat", "login-language",
    "login-wrong-then-right", "portal-my-offers", "results-letter", "sheet-set-cell", "shop-storage-to-cart",
    "shop-wishlist", "spa-fold-column", "table-open-queries", "tiny-sign-up", "wild-flatpickr-stay",
    "wild-tom-select-supper",
];

fn run(arguments: &[&str]) -> Output {
    browserlens().current_dir(root()).arg("agents").args(arguments).output().expect("the command starts")
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn seventeen_checks_tell_the_truth_of_what_is_empty_done_and_done_wrongly() {
    let mut make = std::process::Command::new("python3");
    let made = make.current_dir(root()).args(["scripts/wild/run", "--apps"]).status().expect("python3 starts");
    assert!(made.success(), "the applications are made");
    let mut arguments = vec!["tasks", "--check"];
    arguments.extend(TASKS);
    let output = run(&arguments);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("17 of 17 checks tell the truth"), "{}", said(&output));
}

fn write_task(folder: &Path, check: &str, name: &str, wrong: &str) {
    let text = format!(
        "site = \"tiny\"\n[[task]]\nid = \"a\"\nlevel = 2\ngoal = \"Enter a name.\"\ncheck = [{check}]\n\
         way = [{{ fill = {{ role = \"textbox\", name = \"Name\" }}, text = \"{name}\" }}]\n\
         wrong = [{{ fill = {{ role = \"textbox\", name = \"Name\" }}, text = \"{wrong}\" }}]\n\
         wrong_is = \"another name\"\n"
    );
    std::fs::write(folder.join("a.toml"), text).expect("writes");
}

#[test]
fn a_check_that_lies_is_said_with_how_and_ends_with_one() {
    for (check, lies) in [
        (
            "{ at = '/title', has = 'Slow Post' }",
            &["passes though nothing was done", "passes though it was done wrongly"][..],
        ),
        (
            "{ at = '/fields/Name', is = 'Otto' }",
            &["a: fails though all was done: /fields/Name is \"Mira\", not \"Otto\""][..],
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        write_task(folder.path(), check, "Mira", "Mia");
        let output = run(&["tasks", "--check", "--tasks-dir", &folder.path().display().to_string()]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        for lie in lies {
            assert!(said(&output).contains(lie), "{lie}: {}", said(&output));
        }
        assert!(said(&output).contains("0 of 1 checks tell the truth"), "{}", said(&output));
    }
}

/// Two of the simplest tasks, by each tool that is known by name, through its own interface.
#[test]
fn every_tool_that_is_known_does_tasks_through_its_own_interface() {
    const TOOLS: [&str; 9] = [
        "browserlens",
        "browserlens-cli",
        "playwright-mcp",
        "playwright-mcp-snapshots",
        "playwright-cli",
        "agent-browser",
        "chrome-devtools-mcp",
        "browser-use",
        "stagehand",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for tool in TOOLS {
        let out = folder.path().join(tool).display().to_string();
        let output = run(&["run", "--tool", tool, "--agent", "way", "--out", &out, "hostile-rules", "login-language"]);
        assert!(output.status.success() && said(&output).contains("2 of 2"), "{tool}: {}", said(&output));
    }
    // A loop of its own words what the model reads, and the record says how much that is.
    let run = |path: &str| browserlens_trace::agents::RunRecord::read(&folder.path().join(path)).expect("whole");
    let records = std::fs::read_dir(folder.path().join("browser-use")).expect("records");
    let name = records.flatten().next().expect("a record").file_name().into_string().expect("a name");
    let own = run(&format!("browser-use/{name}"));
    assert!(own.calls.iter().all(|call| call.prompt.is_some_and(|prompt| prompt.o200k_base > 1_000)), "{own:?}");
    let page = run("browserlens-cli/hostile-rules--browserlens-page-command-line.run");
    assert_eq!((page.calls[0].name.as_str(), page.calls.iter().all(|call| call.prompt.is_none())), ("shell", true));
    assert!(page.header.instructions.contains("browserlens page open"), "{}", page.header.instructions);
}

/// A command line of one's own is taught by a file; nothing else runs in its shell.
#[test]
fn a_command_line_needs_a_file_that_teaches_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let output =
        run(&["run", "--tool", "cat", "--skill", "/nowhere/SKILL.md", "--agent", "way", "--out", &out, "tiny-sign-up"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("its instructions cannot be read"), "{}", said(&output));
    let skill = folder.path().join("SKILL.md");
    std::fs::write(&skill, "Write `cat FILE`.").expect("writes");
    let skill = skill.display().to_string();
    let output = run(&["run", "--tool", "cat", "--skill", &skill, "--agent", "way", "--out", &out, "tiny-sign-up"]);
    assert!(said(&output).contains("scripts do not know how to speak"), "{}", said(&output));
}

#[test]
fn a_run_is_a_sealed_record_with_the_sites_reward_and_no_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let (tasks, out) = (folder.path().join("tasks"), folder.path().join("runs"));
    std::fs::create_dir(&tasks).expect("a folder");
    let secret = "planted-4711-secret";
    write_task(&tasks, &format!("{{ at = '/fields/Name', is = '{secret}' }}"), secret, "Mia");
    let [tasks, out] = [&tasks, &out].map(|path| path.display().to_string());
    let mut command = browserlens();
    command.current_dir(root()).env("PLANTED", secret).args(["agents", "run", "--agent", "way"]);
    let output = command.args(["--tasks-dir", &tasks, "--out", &out, "--secret", "PLANTED"]).output().expect("starts");
    assert!(output.status.success(), "{}", said(&output));
    let path = Path::new(&out).join("a--browserlens-serve-mcp.run");
    let text = std::fs::read_to_string(&path).expect("a record");
    assert!(!text.contains(secret) && !said(&output).contains(secret), "{text}{}", said(&output));
    let run = browserlens_trace::agents::RunRecord::read(&path).expect("whole");
    assert_eq!(
        (run.is_success(), run.cut.as_deref(), run.header.agent.script.as_deref()),
        (Some(true), None, Some("way"))
    );
    assert!(run.header.instructions.contains("PAGE TEXT") && run.header.tools["tools"].is_array());
    assert!(run.calls.iter().all(|call| call.ms.is_some() && call.tokens.o200k_base > 0), "{:?}", run.calls);
}

/// An endpoint with a model that knows this one form: it reads the refs out of what it was shown.
fn endpoint() -> String {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listens");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("connects");
            let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line).expect("reads") > 2 {
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().expect("a number");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let asked: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
            let messages = asked["messages"].as_array().expect("messages");
            let text = |at: usize| messages[at]["content"].as_str().expect("text").to_owned();
            let shown = text(messages.len() - 1);
            let on = |name: &str| {
                let behind = shown.split(&format!("\"{name}\" @")).nth(1).unwrap_or_default();
                format!("@{}", behind.split([',', ' ', '\n']).next().unwrap_or_default())
            };
            let said = |say: &str, call: &str, arguments: serde_json::Value| {
                json!({ "say": say, "call": call, "arguments": arguments.to_string() }).to_string()
            };
            let content = match messages.iter().filter(|message| message["role"] == "assistant").count() {
                0 => {
                    let url = text(1).split_once("It begins at ").expect("a start").1.to_owned();
                    said("I open it.", "navigate", json!({ "url": url }))
                }
                1 => {
                    let fields = json!([
                        { "ref": on("Name"), "value": "Mira Osei" },
                        { "ref": on("Email"), "value": "mira.osei@example.test" },
                        { "ref": on("Send me the letter by email"), "value": true },
                    ]);
                    said("I fill it in.", "fill", json!({ "fields": fields }))
                }
                2 => said("I send it.", "click", json!({ "role": "button", "text": "Sign up" })),
                _ => said("She is signed up.", "", json!({})),
            };
            let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 20 });
            let answer = json!({ "choices": [{ "message": { "content": content } }], "usage": usage }).to_string();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
            write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{answer}", answer.len()).expect("answers");
        }
    });
    format!("http://{address}/v1")
}

#[test]
fn a_model_behind_an_endpoint_plays_a_task_and_its_record_says_what_it_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (out, url) = (folder.path().display().to_string(), endpoint());
    let output =
        run(&["run", "--agent", "model", "--model", "known", "--base-url", &url, "--out", &out, "tiny-sign-up"]);
    assert!(output.status.success(), "{}", said(&output));
    let run =
        browserlens_trace::agents::RunRecord::read(&folder.path().join("tiny-sign-up--browserlens-serve-mcp.run"));
    let run = run.expect("whole");
    assert_eq!((run.is_success(), run.calls.len()), (Some(true), 3), "{}", said(&output));
    assert_eq!(run.header.agent.model.as_deref(), Some("known"));
    let said: Vec<_> = run.calls.iter().map(|call| call.said.as_deref().unwrap_or_default()).collect();
    assert_eq!(said, ["I open it.", "I fill it in.", "I send it."]);
    assert_eq!(run.calls[1].usage.map(|usage| (usage.input, usage.output)), Some((1000, 20)));

    for (arguments, says) in [
        (&["--agent", "model"][..], "no model is named"),
        (&["--agent", "way", "--model", "m"][..], "a script acts"),
        (&["--agent", "model", "--model", "m"][..], "nothing answers for the model"),
        (&["--agent", "model", "--model", "m", "--base-url", &url, "--keep", "2"][..], "everything is kept"),
        (&["--agent", "model", "--model", "m", "--base-url", &url, "--key-env", "NO_KEY"][..], "NO_KEY holds no key"),
    ] {
        let mut all = vec!["run", "tiny-sign-up", "--out", &out];
        all.extend(arguments);
        let output = self::run(&all);
        assert_eq!(output.status.code(), Some(2), "{}", self::said(&output));
        assert!(self::said(&output).contains(says), "{}", self::said(&output));
    }
}

#[test]
fn a_run_beside_its_trace_is_told_again_by_other_strategies() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let output = run(&["run", "--agent", "way", "--record", "--out", &out, "tiny-sign-up"]);
    assert!(output.status.success(), "{}", said(&output));
    let run =
        browserlens_trace::agents::RunRecord::read(&folder.path().join("tiny-sign-up--browserlens-serve-mcp.run"));
    let run = run.expect("whole");
    assert_eq!(run.header.trace.as_deref(), Some("tiny-sign-up--browserlens-serve-mcp.trace"));
    // The start, two fields, a check, a button; to find something is no step.
    assert_eq!(run.calls.iter().filter_map(|call| call.step).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    let cache = folder.path().join("cache").display().to_string();
    let retold = self::run(&["counterfactual", &out, "--cache-dir", &cache]);
    let table = String::from_utf8_lossy(&retold.stdout).into_owned();
    assert!(retold.status.success() && table.contains("lens/full"), "{table}{}", said(&retold));
    let refused = self::run(&["run", "--agent", "way", "--record", "--tool", "cat", "--out", &out, "tiny-sign-up"]);
    assert!(refused.status.code() == Some(2) && said(&refused).contains("cat records no trace"), "{}", said(&refused));
    let refused = self::run(&["run", "--agent", "way", "--record", "--out", &out, "miniwob-click-pie"]);
    assert!(refused.status.code() == Some(2) && said(&refused).contains("MiniWoB++ records no"), "{}", said(&refused));
}

#[test]
fn a_model_that_does_not_answer_ends_the_runs_and_the_record_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let cassette = folder.path().join("answers").display().to_string();
    let model = ["--agent", "model", "--model", "nobody", "--cassette", &cassette];
    let output = run(&[&["run", "tiny-sign-up", "shop-wishlist", "--out", &out], &model[..]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let why = "error: shop-wishlist: the agent failed: ";
    assert!(said(&output).contains(why) && !said(&output).contains("tiny-sign-up"), "{}", said(&output));
    let record = folder.path().join("shop-wishlist--browserlens-serve-mcp.run").display().to_string();
    let shown = String::from_utf8_lossy(&run(&["show", &record]).stdout).into_owned();
    assert!(shown.contains("reward 0, because the tool or the endpoint failed: "), "{shown}");
    let table = String::from_utf8_lossy(&run(&["table", &record]).stdout).into_owned();
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(table.contains("1 run ended because the tool or the endpoint failed"), "{table}");
}

#[test]
fn no_answer_of_a_tool_shows_the_checker() {
    use browserlens_tasks::{Folders, McpTool, ServedTask, Task, Tool, ToolCommand};
    let task = Task::load_all(&root().join("tasks")).expect("tasks").into_iter().find(|task| task.id == "tiny-sign-up");
    let (task, nothing) = (task.expect("there"), Path::new("/"));
    let folders = Folders { sites: root().join("traces/sites"), wild: nothing.to_owned(), miniwob: nothing.to_owned() };
    let program = Path::new(env!("CARGO_BIN_EXE_browserlens"));
    let command = ToolCommand::of("browserlens", None, program, nothing, None).expect("ours");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (answers, state) = runtime.block_on(async {
        let stage = ServedTask::set(&task, &folders, 1).await.expect("serves");
        let mut tool = McpTool::start(&command).await.expect("starts");
        let mut answers = Vec::new();
        let calls = [
            ("navigate", json!({ "url": stage.url() })),
            ("observe", json!({ "full": true })),
            ("snapshot", json!({ "mode": "content", "format": "html" })),
            ("snapshot", json!({ "mode": "outline" })),
            ("read_text", json!({})),
            ("get_html", json!({})),
            ("get_dom_snapshot", json!({})),
            ("get_network_requests", json!({})),
            ("get_console_messages", json!({})),
            ("get_summary", json!({})),
        ];
        for (name, arguments) in calls {
            let answer = tool.call(name, arguments).await.expect("answers");
            answers.push((name, answer.text));
        }
        let state = stage.state().await;
        Box::new(tool).close().await;
        (answers, state)
    });
    assert_eq!(state["title"], "The Slow Post", "the checker saw the page: {state}");
    for (name, text) in answers {
        for mark in ["WebSocket", "ws://", "SETTINGS", "currentScript", "\"shift\"", "tell"] {
            assert!(!text.contains(mark), "{name} shows {mark}: {text}");
        }
    }
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    for (arguments, code, says) in [
        (&["tasks", "tiny-sign-of"][..], 2, "tiny-sign-up"),
        (&["tasks", "tiny-sign-up", "--level", "4"][..], 2, "tiny-sign-up has level"),
        (&["tasks", "--tasks-dir", "/nowhere"][..], 3, "/nowhere: cannot be read"),
        (&["tasks", "--tasks-dir", "crates/cli/src"][..], 3, "no task in any *.toml file"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert!(said(&output).contains(says), "{says}: {}", said(&output));
    }
}
