//! Tasks with rewards in a real browser: checks that tell the truth and checks that lie, records of
//! runs, and what no tool may see of the checker.

mod common;

use common::{Ran, browserlens, root, serve};
use serde_json::{Value, json};
use std::path::Path;

/// One task at least of each site and of each level, and two on applications that others' libraries
/// make.
const TASKS: [&str; 17] = [
    "board-any-desk", "docs-dark", "hostile-open-case", "intl-save-room", "live-chat", "login-language",
    "login-wrong-then-right", "portal-my-offers", "results-letter", "sheet-set-cell", "shop-storage-to-cart",
    "shop-wishlist", "spa-fold-column", "table-open-queries", "tiny-sign-up", "wild-flatpickr-stay",
    "wild-tom-select-supper",
];

fn run(line: &str) -> Ran {
    common::run(&format!("agents {line}"))
}

fn record(folder: &Path, name: &str) -> browserlens_trace::agents::RunRecord {
    browserlens_trace::agents::RunRecord::read(&folder.join(name)).expect("whole")
}

#[test]
fn seventeen_checks_tell_the_truth_of_what_is_empty_done_and_done_wrongly() {
    let mut make = std::process::Command::new("python3");
    let made = make.current_dir(root()).args(["scripts/wild/run", "--apps"]).status().expect("python3 starts");
    assert!(made.success(), "the applications are made");
    let told = run(&format!("tasks --check {}", TASKS.join(" "))).good();
    assert!(told.contains("17 of 17 checks tell the truth"), "{told}");
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
        let ran = run(&format!("tasks --check --tasks-dir {}", folder.path().display()));
        assert_eq!(ran.code, 1, "{}", ran.said());
        for part in lies.iter().chain(&["0 of 1 checks tell the truth"]) {
            assert!(ran.said().contains(part), "{part}: {}", ran.said());
        }
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
        let out = folder.path().join(tool);
        let ran = run(&format!("run --tool {tool} --agent way --out {} hostile-rules login-language", out.display()));
        assert!(ran.code == 0 && ran.said().contains("2 of 2"), "{tool}: {}", ran.said());
    }
    // A loop of its own words what the model reads, and the record says how much that is.
    let records = std::fs::read_dir(folder.path().join("browser-use")).expect("records");
    let name = records.flatten().next().expect("a record").file_name().into_string().expect("a name");
    let own = record(folder.path(), &format!("browser-use/{name}"));
    assert!(own.calls.iter().all(|call| call.prompt.is_some_and(|prompt| prompt.o200k_base > 1_000)), "{own:?}");
    let page = record(folder.path(), "browserlens-cli/hostile-rules--browserlens-page-command-line.run");
    assert_eq!((page.calls[0].name.as_str(), page.calls.iter().all(|call| call.prompt.is_none())), ("shell", true));
    assert!(page.header.instructions.contains("browserlens page open"), "{}", page.header.instructions);
}

/// A command line of one's own is taught by a file; nothing else runs in its shell.
#[test]
fn a_command_line_needs_a_file_that_teaches_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().display();
    let taught = |skill: &str| run(&format!("run --tool cat --skill {skill} --agent way --out {folder} tiny-sign-up"));
    taught("/nowhere/SKILL.md").ends(5, &["its instructions cannot be read"]);
    let skill = format!("{folder}/SKILL.md");
    std::fs::write(&skill, "Write `cat FILE`.").expect("writes");
    let told = taught(&skill).said();
    assert!(told.contains("scripts do not know how to speak"), "{told}");
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
    let ran = Ran::of(command.args(["--tasks-dir", &tasks, "--out", &out, "--secret", "PLANTED"]));
    assert_eq!(ran.code, 0, "{}", ran.said());
    let text = std::fs::read_to_string(format!("{out}/a--browserlens-serve-mcp.run")).expect("a record");
    assert!(!text.contains(secret) && !ran.said().contains(secret), "{text}{}", ran.said());
    let run = record(Path::new(&out), "a--browserlens-serve-mcp.run");
    assert_eq!(
        (run.is_success(), run.cut.as_deref(), run.header.agent.script.as_deref()),
        (Some(true), None, Some("way"))
    );
    assert!(run.header.instructions.contains("PAGE TEXT") && run.header.tools["tools"].is_array());
    assert!(run.calls.iter().all(|call| call.ms.is_some() && call.tokens.o200k_base > 0), "{:?}", run.calls);
}

/// An endpoint with a model that knows this one form: it reads the refs out of what it was shown.
fn endpoint() -> String {
    serve(|asked| {
        let asked: Value = serde_json::from_str(&asked.body).expect("JSON");
        let messages = asked["messages"].as_array().expect("messages");
        let text = |at: usize| messages[at]["content"].as_str().expect("text").to_owned();
        let shown = text(messages.len() - 1);
        let on = |name: &str| {
            let behind = shown.split(&format!("\"{name}\" @")).nth(1).unwrap_or_default();
            format!("@{}", behind.split([',', ' ', '\n']).next().unwrap_or_default())
        };
        let said = |say: &str, call: &str, arguments: Value| {
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
        let answer = json!({ "choices": [{ "message": { "content": content } }], "usage": usage });
        ("200 OK\r\nContent-Type: application/json".to_owned(), answer.to_string().into_bytes())
    }) + "/v1"
}

#[test]
fn a_model_behind_an_endpoint_plays_a_task_and_its_record_says_what_it_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (out, url) = (folder.path().display(), endpoint());
    let model = format!("--agent model --model known --base-url {url}");
    self::run(&format!("run {model} --out {out} tiny-sign-up")).good();
    let run = record(folder.path(), "tiny-sign-up--browserlens-serve-mcp.run");
    assert_eq!((run.is_success(), run.calls.len()), (Some(true), 3));
    assert_eq!(run.header.agent.model.as_deref(), Some("known"));
    let said: Vec<_> = run.calls.iter().map(|call| call.said.as_deref().unwrap_or_default()).collect();
    assert_eq!(said, ["I open it.", "I fill it in.", "I send it."]);
    assert_eq!(run.calls[1].usage.map(|usage| (usage.input, usage.output)), Some((1000, 20)));

    for (options, says) in [
        ("--agent model", "no model is named"),
        ("--agent way --model m", "a script acts"),
        ("--agent model --model m", "nothing answers for the model"),
        (&format!("{model} --keep 2"), "everything is kept"),
        (&format!("{model} --key-env NO_KEY"), "NO_KEY holds no key"),
    ] {
        self::run(&format!("run tiny-sign-up --out {out} {options}")).ends(2, &[says]);
    }
}

#[test]
fn a_run_beside_its_trace_is_told_again_by_other_strategies() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display();
    let recorded = format!("run --agent way --record --out {out}");
    self::run(&format!("{recorded} tiny-sign-up")).good();
    let run = record(folder.path(), "tiny-sign-up--browserlens-serve-mcp.run");
    assert_eq!(run.header.trace.as_deref(), Some("tiny-sign-up--browserlens-serve-mcp.trace"));
    // The start, two fields, a check, a button; to find something is no step.
    assert_eq!(run.calls.iter().filter_map(|call| call.step).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    let table = self::run(&format!("counterfactual {out} --cache-dir {out}/cache")).good();
    assert!(table.contains("lens/full"), "{table}");
    self::run(&format!("{recorded} --tool cat tiny-sign-up")).ends(2, &["cat records no trace"]);
    self::run(&format!("{recorded} miniwob-click-pie")).ends(2, &["MiniWoB++ records no"]);
}

#[test]
fn a_model_that_does_not_answer_ends_the_runs_and_the_record_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display();
    let model = format!("--agent model --model nobody --cassette {out}/answers");
    let ran = run(&format!("run tiny-sign-up shop-wishlist --out {out} {model}"));
    ran.ends(3, &["error: shop-wishlist: the agent failed: "]);
    assert!(!ran.said().contains("tiny-sign-up"), "{}", ran.said());
    let record = format!("{out}/shop-wishlist--browserlens-serve-mcp.run");
    let shown = run(&format!("show {record}")).out;
    assert!(shown.contains("reward 0, because the tool or the endpoint failed: "), "{shown}");
    let table = run(&format!("table {record}")).out;
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
    for (options, code, says) in [
        ("tiny-sign-of", 2, "tiny-sign-up"),
        ("tiny-sign-up --level 4", 2, "tiny-sign-up has level"),
        ("--tasks-dir /nowhere", 3, "/nowhere: cannot be read"),
        ("--tasks-dir crates/cli/src", 3, "no task in any *.toml file"),
    ] {
        run(&format!("tasks {options}")).ends(code, &[says]);
    }
}
