//! A session that nobody uses, another user, a disk that is full.

use super::{Place, TRACE, until};
use crate::common::{Ran, root};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

#[test]
fn a_session_that_nobody_uses_ends_and_its_process_with_it() {
    let place = Place::new();
    let mut open = place.command(&["open", TRACE]);
    Ran::of(open.env("BROWSERLENS_IDLE", "1")).good();
    assert_eq!(place.keepers().len(), 1);
    until("the session ends, and the process", || place.keepers().is_empty());
    assert!(place.fails(&["observe"], 6).contains("page open URL"));
}

#[test]
fn another_user_is_refused_at_the_folder_and_at_the_socket() {
    let place = Place::new();
    place.says(&["open", TRACE]);
    let nobody = |program: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("XDG_RUNTIME_DIR", place.folder.path()).env("TMPDIR", place.folder.path()).current_dir("/");
        command
    };
    if !nobody("python3").args(["-c", ""]).output().is_ok_and(|tried| tried.status.success()) {
        println!("not tried: only the administrator can be another user, and that one needs a Python");
        return;
    }
    let open = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("changes");
    };
    open(place.folder.path(), 0o755);
    let folder = place.own();
    let socket = place.sockets().pop().expect("a socket");
    let ask = format!(
        "import socket; s = socket.socket(socket.AF_UNIX); s.connect({:?}); s.sendall(b'{{\"do\":\"sessions\"}}'); \
            s.shutdown(socket.SHUT_WR); print('answered', s.recv(1000))",
        socket.display().to_string()
    );
    let asked = || Ran::of(nobody("python3").args(["-c", &ask])).said();
    let refused = asked();
    assert!(refused.contains("Permission denied"), "at the folder: {refused}");
    // Even where somebody opened the folder and the socket to everybody.
    open(&folder, 0o755);
    open(&socket, 0o666);
    let refused = asked();
    // It is closed at once: before, while or after something is sent.
    let closed = ["answered b''", "reset", "Broken pipe"].iter().any(|closed| refused.contains(closed));
    assert!(closed, "at the socket: {refused}");
    open(&folder, 0o700);
    assert!(place.says(&["sessions"]).starts_with("default  /"), "its own user is answered still");
}

#[test]
fn a_full_disk_is_named_and_the_session_goes_on() {
    let place = Place::new();
    // A small disk of its own, in a name space that ends with the commands.
    let script = "set -u
        mount -t tmpfs -o size=256k tmpfs \"$XDG_RUNTIME_DIR\" || exit 77
        \"$1\" page open \"$2\" >/dev/null || exit 1
        dd if=/dev/zero of=\"$XDG_RUNTIME_DIR/full\" 2>/dev/null
        \"$1\" page screenshot; echo \"code $?\"
        \"$1\" page sessions; \"$1\" page find --role link
        rm \"$XDG_RUNTIME_DIR/full\"
        \"$1\" page screenshot; echo \"code $?\"
        \"$1\" page close --all";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_browserlens"), TRACE]);
    command.env("XDG_RUNTIME_DIR", place.folder.path()).env("TMPDIR", place.folder.path()).current_dir(root());
    let said = match command.output().map(Ran::from) {
        Ok(ran) if ran.code != 77 && !ran.said().contains("unshare") => ran.said(),
        _ => {
            println!("not tried: no disk can be mounted here");
            return;
        }
    };
    assert!(said.contains("No space left on device") && said.contains("hint: ") && said.contains("code 3"), "{said}");
    assert!(said.contains("default  /") && said.contains("@e"), "the session goes on: {said}");
    assert!(said.contains("image: ") && said.contains("code 0") && said.contains("closed default"), "{said}");
}
