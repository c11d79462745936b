//! `doctor`, `man` and `completions` through the command.

mod common;

use common::{browserlens, root};
use serde_json::Value;
use std::process::Output;

fn run(args: &[&str], set: &[(&str, &str)]) -> Output {
    let mut command = browserlens();
    command.args(args).envs(set.iter().copied()).current_dir(root()).output().expect("the command starts")
}

fn checks(output: &Output) -> Vec<Value> {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stdout)))
}

fn check<'c>(checks: &'c [Value], name: &str) -> &'c Value {
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no check {name}"))
}

#[test]
fn what_is_here_is_found_and_chromium_starts() {
    let output = run(&["doctor", "--json"], &[]);
    let checks = checks(&output);
    let chromium = check(&checks, "Chromium");
    assert_eq!(chromium["state"], "fine", "{chromium}");
    let found = chromium["found"].as_str().expect("words");
    assert!(found.contains("Chrom") && found.contains("started in"), "{found}");
    let traces = check(&checks, "traces");
    assert_eq!(traces["state"], "fine");
    let bundled = std::fs::read_dir(root().join("traces")).expect("traces");
    let bundled = bundled
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|end| end == "trace")));
    let said = format!("{} in traces", bundled.count());
    assert!(traces["found"].as_str().is_some_and(|found| found.starts_with(&said)), "{traces}");
    for name in ["strategies", "accepted run"] {
        assert_eq!(check(&checks, name)["state"], "fine", "{name}");
    }
    assert_eq!(output.status.code(), Some(0), "{checks:?}");
    // What is only needed for some work may be missing; then it says which command installs it.
    for check in checks.iter().filter(|check| check["state"] == "missing") {
        assert!(check["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{check}");
    }
}

/// Package manager and `sudo` of our own, on a PATH that holds nothing else.
#[cfg(unix)]
#[test]
fn fix_installs_chromium_by_the_package_manager_and_looks_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let program = |name: &str, script: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("may be run");
    };
    let here = folder.path().display().to_string();
    let fix = |set: &[(&str, &str)]| {
        let mut command = browserlens();
        command.args(["doctor", "--fix"]).env("PATH", &here).env_remove("CHROME").envs(set.iter().copied());
        let output = command.current_dir(root()).output().expect("the command starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, _, status) = fix(&[]);
    assert!(code == Some(5) && status.contains("Chromium"), "no manager is known here: {status}");

    program("sudo", "exec \"$@\"");
    program("apt-get", &format!("echo unpacking; echo \"$*\" >>{here}/ran; case $1 in update) exit 0;; esac; exit 7"));
    let (code, _, status) = fix(&[]);
    assert!(code == Some(5) && status.contains("was not installed: '") && status.contains('7'), "{status}");

    let chromium = "case $* in *chromium*) printf '#!/bin/sh\\nexit 3\\n' >\"$0.x\";; esac";
    let script = format!(
        "{chromium}; [ ! -e \"$0.x\" ] || {{ /bin/mv \"$0.x\" {here}/chromium; /bin/chmod 755 {here}/chromium; }}"
    );
    program("apt-get", &script);
    let (code, told, status) = fix(&[]);
    assert!(status.contains("running: ") && status.contains("apt-get update"), "{status}");
    assert!(code == Some(5) && told.contains(&format!("{here}/chromium")), "it is tried after it came: {told}{status}");
    assert!(!told.contains("unpacking"), "what a manager says is status: {told}");

    let (code, _, status) = fix(&[("CHROME", "/nowhere/chromium")]);
    assert!(code == Some(5) && !status.contains("running: "), "a path that is given is not installed: {status}");
}

#[test]
fn what_is_missing_says_what_to_do_and_the_exit_code_says_of_what_kind_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().display().to_string();
    let nowhere = folder.path().join("no-chromium").display().to_string();

    let output = run(&["doctor", "--chrome", &nowhere, "--tools-dir", &empty], &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(5), "{text}");
    let line =
        |name: &str| text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("no line {name}: {text}"));
    assert!(line("Chromium").starts_with("BROKEN"), "{text}");
    assert!(line("axe-core").starts_with("missing") && text.contains("→ scripts/install-axe"), "{text}");
    assert!(line("other tools").contains("0 of 9 packages") && text.contains("→ ./just peers"), "{text}");
    assert!(text.contains("→ ./just clients"), "{text}");

    let none = folder.path().join("none").display().to_string();
    let output = run(
        &[
            "doctor", "--json", "--chrome", &nowhere, "--traces", &empty, "--strategies-file", &none, "--accepted-dir",
            &empty,
        ],
        &[],
    );
    let checks = checks(&output);
    assert_eq!(output.status.code(), Some(3), "unreadable input comes before a browser that is missing");
    for (name, state) in
        [("traces", "broken"), ("strategies", "broken"), ("accepted run", "missing"), ("Chromium", "broken")]
    {
        assert_eq!(check(&checks, name)["state"], state, "{name}");
    }
    assert_eq!(
        (check(&checks, "traces")["exit"].as_u64(), check(&checks, "Chromium")["exit"].as_u64()),
        (Some(3), Some(5))
    );

    std::fs::write(folder.path().join("bad.trace"), "no trace at all").expect("writes");
    let output = run(&["doctor", "--json", "--chrome", &nowhere, "--traces", &empty], &[]);
    let traces = checks_of(&output);
    assert!(traces.contains("1 of 1 cannot be read") && traces.contains("bad.trace"), "{traces}");
}

fn checks_of(output: &Output) -> String {
    check(&checks(output), "traces")["found"].as_str().unwrap_or_default().to_owned()
}

/// Names of the verbs, as the help lists them.
fn verbs() -> Vec<String> {
    let help = run(&["--help"], &[]);
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    let list = text.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let name =
        |line: &str| line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default().to_owned();
    list.map(name).filter(|name| !name.is_empty() && name != "help").collect()
}

#[test]
fn every_verb_has_a_man_page_and_every_shell_its_completions() {
    let verbs = verbs();
    assert!(verbs.len() >= 15 && verbs.contains(&"doctor".to_owned()), "{verbs:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man/man1");
    let output = run(&["man", &pages.display().to_string()], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("browserlens.1").contains("Exit codes"), "what exit codes mean stands in the first page");
    for verb in &verbs {
        let text = page(&format!("browserlens-{verb}.1"));
        assert!(text.starts_with(".ie") && text.contains(".SH SYNOPSIS"), "{verb}: {text}");
    }
    assert!(page("browserlens-bench.1").contains("\\-\\-accept"), "options are in it");
    assert!(page("browserlens-trace-verify.1").contains(".SH NAME"), "verbs of verbs have pages too");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell], &[]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && verbs.iter().all(|verb| text.contains(verb.as_str())), "{shell}");
    }
}
