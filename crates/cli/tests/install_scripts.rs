//! What the scripts that install something share: of several runs at once one installs and the
//! others wait; one that is killed keeps nobody waiting.

#![cfg(unix)]

mod common;

use common::{at_home, root};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A script in a folder of its own that takes the lock first.
fn script(folder: &Path, rest: &str) -> Child {
    let shared = root().join("scripts/shared");
    let script = format!("set -eu\n. '{}'\nlock tool\n{rest}", shared.display());
    let mut command = at_home(Command::new("sh"));
    command.args(["-c", &script]).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sh starts")
}

fn ended(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn of_many_who_install_at_once_one_does_and_the_others_find_it_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let install = "[ -e stamp ] && { [ -e first ] && [ -e second ]; exit; }\n\
                   : >first\nsleep 0.3\n: >second\n: >stamp\necho installed\n";
    let started: Vec<Child> = (0..8).map(|_| script(folder.path(), install)).collect();
    let said: String = started.into_iter().map(ended).collect();
    assert_eq!(said, "installed\n");
}

#[test]
fn the_lock_of_one_who_was_killed_is_free_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut held = script(folder.path(), "mkfifo never\n: >held\nread -r _ <never\n");
    while !folder.path().join("held").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let waits = script(folder.path(), "echo mine\n");
    std::thread::sleep(Duration::from_millis(200));
    held.kill().expect("is killed");
    held.wait().expect("ends");
    let begun = Instant::now();
    assert_eq!(ended(waits), "mine\n");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn packages_are_kept_beside_the_tools_where_the_home_has_no_cache_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = ended(script(folder.path(), "echo \"${npm_config_cache#$PWD/}\" \"${PIP_CACHE_DIR#$PWD/}\"\n"));
    let given = |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.to_owned());
    let expected =
        format!("{} {}\n", given("npm_config_cache", ".tools/cache/npm"), given("PIP_CACHE_DIR", ".tools/cache/pip"));
    assert_eq!(said, expected);
}
