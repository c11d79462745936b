//! `doctor`, `man` and `completions` through the command.

mod common;

use common::{Ran, browserlens, root, run};
use serde_json::Value;

fn checks(ran: &Ran) -> Vec<Value> {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.out))
}

fn check<'c>(checks: &'c [Value], name: &str) -> &'c Value {
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no check {name}"))
}

#[test]
fn what_is_here_is_found_and_chromium_starts() {
    let output = run("doctor --json");
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
    assert_eq!(output.code, 0, "{checks:?}");
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
        Ran::of(command.current_dir(root()))
    };
    // No manager is known here.
    fix(&[]).ends(5, &["Chromium"]);

    program("sudo", "exec \"$@\"");
    program("apt-get", &format!("echo unpacking; echo \"$*\" >>{here}/ran; case $1 in update) exit 0;; esac; exit 7"));
    fix(&[]).ends(5, &["was not installed: '", "7"]);

    let chromium = "case $* in *chromium*) printf '#!/bin/sh\\nexit 3\\n' >\"$0.x\";; esac";
    let script = format!(
        "{chromium}; [ ! -e \"$0.x\" ] || {{ /bin/mv \"$0.x\" {here}/chromium; /bin/chmod 755 {here}/chromium; }}"
    );
    program("apt-get", &script);
    let fixed = fix(&[]);
    fixed.ends(5, &["running: ", "apt-get update"]);
    assert!(fixed.out.contains(&format!("{here}/chromium")), "it is tried after it came: {fixed:?}");
    assert!(!fixed.out.contains("unpacking"), "what a manager says is status: {fixed:?}");

    let fixed = fix(&[("CHROME", "/nowhere/chromium")]);
    assert!(fixed.code == 5 && !fixed.err.contains("running: "), "a path that is given is not installed: {fixed:?}");
}

#[test]
fn what_is_missing_says_what_to_do_and_the_exit_code_says_of_what_kind_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().display().to_string();
    let nowhere = folder.path().join("no-chromium").display().to_string();

    let ran = run(&format!("doctor --chrome {nowhere} --tools-dir {empty}"));
    let text = &ran.out;
    assert_eq!(ran.code, 5, "{text}");
    let line =
        |name: &str| text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("no line {name}: {text}"));
    assert!(line("Chromium").starts_with("BROKEN"), "{text}");
    assert!(line("axe-core").starts_with("missing") && text.contains("→ scripts/install-axe"), "{text}");
    assert!(line("other tools").contains("0 of 9 packages") && text.contains("→ ./just peers"), "{text}");
    assert!(text.contains("→ ./just clients"), "{text}");

    let places = format!("--traces {empty} --strategies-file {empty}/none --accepted-dir {empty}");
    let ran = run(&format!("doctor --json --chrome {nowhere} {places}"));
    let found = checks(&ran);
    assert_eq!(ran.code, 3, "unreadable input comes before a browser that is missing");
    for (name, state) in
        [("traces", "broken"), ("strategies", "broken"), ("accepted run", "missing"), ("Chromium", "broken")]
    {
        assert_eq!(check(&found, name)["state"], state, "{name}");
    }
    assert_eq!(
        (check(&found, "traces")["exit"].as_u64(), check(&found, "Chromium")["exit"].as_u64()),
        (Some(3), Some(5))
    );

    std::fs::write(folder.path().join("bad.trace"), "no trace at all").expect("writes");
    let found = checks(&run(&format!("doctor --json --chrome {nowhere} --traces {empty}")));
    let traces = check(&found, "traces")["found"].as_str().unwrap_or_default();
    assert!(traces.contains("1 of 1 cannot be read") && traces.contains("bad.trace"), "{traces}");
}

/// Names of the verbs, as the help lists them.
fn verbs() -> Vec<String> {
    let text = run("--help").out;
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
    run(&format!("man {}", pages.display())).good();
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("browserlens.1").contains("Exit codes"), "what exit codes mean stands in the first page");
    for verb in &verbs {
        let text = page(&format!("browserlens-{verb}.1"));
        assert!(text.starts_with(".ie") && text.contains(".SH SYNOPSIS"), "{verb}: {text}");
    }
    assert!(page("browserlens-bench.1").contains("\\-\\-accept"), "options are in it");
    assert!(page("browserlens-trace-verify.1").contains(".SH NAME"), "verbs of verbs have pages too");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = run(&format!("completions {shell}")).good();
        assert!(verbs.iter().all(|verb| text.contains(verb.as_str())), "{shell}");
    }
}
