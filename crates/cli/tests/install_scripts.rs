//! What the scripts that install something share: of several runs at once one installs and the
//! others wait; one that is killed keeps nobody waiting. And what a release holds.

#![cfg(unix)]

mod common;

use common::{Ran, at_home, root};
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
    Ran::from(child.wait_with_output().expect("it ends")).good()
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

#[test]
fn a_release_holds_program_pages_completions_skill_and_licences_and_its_sum_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    // How the program was built is nothing to the archive.
    let mut pack = at_home(Command::new(root().join("scripts/dist")));
    pack.arg(env!("CARGO_BIN_EXE_browserlens")).arg(folder.path()).env("DIST_XZ", "-0");
    let said = Ran::of(&mut pack).good();
    let name = format!("browserlens-{}-{}-{}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS);
    let archive = folder.path().join(format!("{name}.tar.xz"));
    assert!(said.contains(&*archive.to_string_lossy()) && said.ends_with(" MB\n"), "{said}");
    let run = |program: &str, arguments: &[&str]| {
        Ran::of(at_home(Command::new(program)).args(arguments).current_dir(folder.path())).good()
    };
    let sum = format!("{name}.tar.xz.sha256");
    assert_eq!(run("sha256sum", &["--check", &sum]), format!("{name}.tar.xz: OK\n"));
    run("tar", &["-xJf", &archive.to_string_lossy()]);
    let unpacked = folder.path().join(&name);
    let text =
        |file: &str| std::fs::read_to_string(unpacked.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(text("SKILL.md").contains("browserlens page open"));
    assert!(
        text("man/browserlens-page.1").contains("browserlens")
            && text("completions/zsh").contains("#compdef browserlens")
    );
    let licences = text("LICENCES.txt");
    assert!(licences.lines().any(|line| line.starts_with("tokio 1.") && line.ends_with(": MIT")), "{licences}");
    let program = unpacked.join("browserlens");
    assert_eq!(run(&program.to_string_lossy(), &["--version"]), run(env!("CARGO_BIN_EXE_browserlens"), &["--version"]));
}

#[test]
fn what_a_release_builds_is_named_as_it_is_here() {
    let text =
        |path: &str| std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (image, toolchain) = (text("Containerfile"), text("rust-toolchain.toml"));
    let rust = image.split("rust:").nth(1).and_then(|rest| rest.split('-').next()).expect("a version");
    assert!(toolchain.contains(&format!("channel = \"{rust}.")), "{toolchain}");
    let build = image.lines().find_map(|line| line.strip_prefix("RUN cargo build --locked ")).expect("a build");
    assert!(text("justfile").contains(build), "{build}");
    let release = text(".github/workflows/release.yml");
    let known = root().join("just");
    assert!(known.is_file() && release.contains("./just dist") && text("justfile").contains("\ndist "), "{release}");
    for path in ["Containerfile", "CHANGELOG.md", "crates/python"] {
        assert!(release.contains(path) && root().join(path).exists(), "{path}");
    }
}
