//! `ci init`: the workflow that it writes is YAML, and its very commands record a site, pass when
//! nothing changed, and fail with a summary that says what did.

#![cfg(all(feature = "bench", feature = "record"))]

mod common;

use common::{Ran, at_home, browserlens};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const WORKFLOW: &str = ".github/workflows/browserlens.yml";

/// A step of a workflow that is a command.
struct Step {
    run: String,
    env: BTreeMap<String, String>,
}

/// The steps by name, as GitHub reads them: literal blocks of `run`, and the values of `env`.
fn steps(workflow: &str) -> BTreeMap<String, Step> {
    let mut found = BTreeMap::new();
    let mut lines = workflow.lines().skip_while(|line| line.trim() != "steps:").skip(1).peekable();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut name = String::new();
    let mut in_env = false;
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        if let Some(named) = text.strip_prefix("- ") {
            name = named.strip_prefix("name: ").unwrap_or_default().to_owned();
            found.insert(name.clone(), Step { run: String::new(), env: BTreeMap::new() });
        }
        let Some(step) = found.get_mut(&name) else { continue };
        if depth(line) == 8 {
            in_env = text == "env:";
        }
        if text == "run: |" {
            while let Some(next) = lines.next_if(|next| next.trim().is_empty() || depth(next) >= 10) {
                step.run.push_str(next.get(10..).unwrap_or_default());
                step.run.push('\n');
            }
        } else if let Some(run) = text.strip_prefix("run: ") {
            step.run = format!("{run}\n");
        } else if in_env && depth(line) == 10 {
            let (key, value) = text.split_once(": ").expect("a key and a value");
            let value =
                if value.starts_with('"') { serde_json::from_str(value).expect("a string") } else { value.into() };
            step.env.insert(key.to_owned(), value);
        }
    }
    found
}

/// A repository with a tiny site of its own.
struct Project {
    folder: tempfile::TempDir,
    port: u16,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let project = Self { folder, port };
        for made in ["repository/site", "bin"] {
            std::fs::create_dir_all(project.folder.path().join(made)).expect("makes");
        }
        // The workflow's commands find the program by its name, as after an installation.
        let program = project.folder.path().join("bin/browserlens");
        symlink(env!("CARGO_BIN_EXE_browserlens"), program).expect("links");
        let git = at_home(Command::new("git")).args(["init", "--quiet"]).current_dir(project.root()).status();
        assert!(git.expect("git starts").success());
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.text(name);
        assert!(text.contains(from), "{name}: {text}");
        std::fs::write(self.at(name), text.replace(from, to)).expect("writes");
    }

    fn site(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    fn init(&self, more: &[&str]) -> Ran {
        Ran::of(browserlens().args(["ci", "init"]).args(more).current_dir(self.root()))
    }

    /// Runs commands as a step of GitHub Actions does; what it leaves running is in the group of
    /// the process that is returned.
    fn run(&self, commands: &str, env: &BTreeMap<String, String>) -> (Option<i32>, String, u32) {
        let path = std::env::var("PATH").unwrap_or_default();
        let said = self.folder.path().join("said");
        let file = std::fs::File::create(&said).expect("makes");
        let mut command = at_home(Command::new("bash"));
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", commands]).current_dir(self.root());
        command.env("PATH", format!("{}:{path}", self.folder.path().join("bin").display()));
        command.env("GITHUB_STEP_SUMMARY", self.folder.path().join("summary.md"));
        command.env("RUNNER_TEMP", self.folder.path()).envs(env).process_group(0);
        command.stdout(file.try_clone().expect("clones")).stderr(file);
        let mut child = command.spawn().expect("bash starts");
        let group = child.id();
        let ended = child.wait().expect("it ends");
        (ended.code(), std::fs::read_to_string(&said).expect("text"), group)
    }
}

/// The site while a test runs.
struct Served(u32);

impl Drop for Served {
    fn drop(&mut self) {
        let group = format!("-{}", self.0);
        drop(Command::new("kill").args(["--", &group]).status());
    }
}

/// Reads the file by Python's parser of YAML, where that is there.
fn is_yaml(path: &Path) {
    let code = "import sys\ntry:\n    import yaml\nexcept ImportError:\n    sys.exit(0)\n\
        read = yaml.safe_load(open(sys.argv[1]))\n\
        assert [*read['jobs']] == ['bench'] and read['permissions']['pull-requests'] == 'write', read\n\
        assert all('run' in step or '@v' in step['uses'] for step in read['jobs']['bench']['steps']), read\n";
    Ran::of(Command::new("python3").args(["-c", code]).arg(path)).ends(0, &[]);
}

#[test]
fn the_commands_of_the_workflow_record_pass_and_fail_with_what_changed() {
    let project = Project::new();
    let serve = format!("python3 -m http.server {} --bind 127.0.0.1 --directory 'site'", project.port);
    project.init(&["--serve", &serve, "--url", &project.site()]).ends(0, &[]);
    is_yaml(&project.at(WORKFLOW));
    let workflow = project.text(WORKFLOW);
    assert!(workflow.contains("RECORD: ${{ inputs.record || true }}"), "{workflow}");
    let steps = steps(&workflow);
    let named: Vec<&str> = steps.keys().map(String::as_str).filter(|name| !name.is_empty()).collect();
    assert_eq!(named, ["Bench", "Comment", "Install", "Keep", "Record", "Start the site"]);
    let install = format!("\"cargo install --locked browserlens@{}\"\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(steps["Install"].run, install);

    // The first scenario, as the README says; its page is the site.
    let nothing = BTreeMap::new();
    let readme = project.text("browserlens/README.md");
    let commands: Vec<&str> = readme.lines().filter_map(|line| line.trim().strip_prefix("browserlens ")).collect();
    let [new, record, accept] = commands[..] else { panic!("three commands: {commands:?}") };
    let run = |commands: &str| {
        let (code, said, _) = project.run(&format!("browserlens {commands}"), &nothing);
        assert_eq!(code, Some(0), "{said}");
        said
    };
    let said = run(new);
    assert!(!project.at("browserlens/scenarios/strategies.toml").exists(), "those of `ci init` are taken: {said}");
    std::fs::rename(project.at("browserlens/scenarios/first.html"), project.at("site/index.html")).expect("moves");
    let scenario = project.text("browserlens/scenarios/first.toml");
    let url = scenario.lines().find(|line| line.starts_with("url")).expect("a URL");
    project.change("browserlens/scenarios/first.toml", url, &format!("url = \"{}\"", project.site()));

    let (code, said, group) = project.run(&steps["Start the site"].run, &steps["Start the site"].env);
    let _served = Served(group);
    assert_eq!(code, Some(0), "{said}");
    // Each ends with its code; returns what it said.
    let step = |name: &str, expected: i32| {
        let (code, said, _) = project.run(&steps[name].run, &nothing);
        assert_eq!(code, Some(expected), "{name}: {said}");
        said
    };
    step("Record", 0);
    assert!(step("Bench", 3).contains("no accepted run"));
    run(record);
    run(accept);

    let summary = || std::fs::read_to_string(project.folder.path().join("summary.md")).expect("a summary");
    // Each step has a summary of its own.
    let fresh = || drop(std::fs::remove_file(project.folder.path().join("summary.md")));
    step("Record", 0);
    step("Bench", 0);
    assert!(summary().contains("gate: nothing changed"), "{}", summary());
    assert!(project.at("browserlens/gate.xml").is_file());

    // The page says more: it costs more.
    project.change("site/index.html", "<form", "<p>A letter a week, and no more than that.</p><form");
    fresh();
    step("Record", 0);
    step("Bench", 1);
    let told = summary();
    assert!(told.contains("gate: regression") && told.contains("lens/full") && told.contains("tokens"), "{told}");
    assert!(told.contains("+") && told.contains("A letter a week"), "it shows the text: {told}");
    assert_eq!(project.text("browserlens/gate.md"), told, "what is commented is the summary");

    // What must be told is only drawn: success is lost.
    project.change("site/index.html", "id=\"answer\"", "id=\"answer\" aria-hidden=\"true\" style=\"font-size:0\"");
    fresh();
    step("Record", 0);
    step("Bench", 1);
    assert!(summary().contains("success"), "{}", summary());
    // Nothing that runs leave is offered to git but what is kept.
    let status = project.run("git status --porcelain --untracked-files=all", &nothing).1;
    let left: Vec<&str> = status.lines().map(|line| line.trim_start_matches("?? ")).collect();
    let is_kept = |file: &&str| {
        let kept = ["README.md", ".gitignore", "strategies.toml", "CHANGES.md"];
        file.starts_with("browserlens/accepted/")
            || file.starts_with("browserlens/scenarios/")
            || file.strip_prefix("browserlens/").is_some_and(|name| kept.contains(&name))
            || [WORKFLOW, "site/index.html"].contains(file)
    };
    assert!(left.iter().all(is_kept), "{left:?}");
}

#[test]
fn nothing_that_is_there_is_replaced_and_nothing_is_written_beside_it() {
    let project = Project::new();
    std::fs::create_dir_all(project.at("browserlens/scenarios")).expect("makes");
    std::fs::write(project.at("browserlens/README.md"), "mine\n").expect("writes");
    project.init(&[]).ends(2, &["README.md exists", "hint: nothing is replaced"]);
    assert_eq!(project.text("browserlens/README.md"), "mine\n");
    assert!(!project.at(".github").exists());

    std::fs::remove_file(project.at("browserlens/README.md")).expect("was there");
    // `record` would read strategies among scenarios as one of them.
    std::fs::write(project.at("browserlens/scenarios/strategies.toml"), "# mine\n").expect("writes");
    project.init(&[]).ends(2, &["one folder up"]);
    std::fs::rename(project.at("browserlens/scenarios/strategies.toml"), project.at("browserlens/strategies.toml"))
        .expect("moves");
    project.init(&[]).ends(0, &[]);
    assert_eq!(project.text("browserlens/strategies.toml"), "# mine\n");

    // Traces that are kept are committed, and recorded anew by hand only; nothing is started.
    is_yaml(&project.at(WORKFLOW));
    let workflow = project.text(WORKFLOW);
    assert!(workflow.contains("RECORD: ${{ inputs.record || false }}"), "{workflow}");
    assert!(!workflow.contains("@SERVE@") && !steps(&workflow).contains_key("Start the site"), "{workflow}");
    assert!(!project.text("browserlens/.gitignore").contains("traces"));
    project.init(&["--record"]).ends(2, &[WORKFLOW]);
    project.init(&["--serve", "npm start"]).ends(2, &["--url"]);
    project.init(&["not-here"]).ends(2, &["no folder"]);
}
