//! `doctor --fix`: Chromium by the system's package manager.

use crate::args::DoctorArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::verbs::is_root;
use std::process::{Command, Stdio};

/// Package managers, each with the commands that install Chromium and a font.
const MANAGERS: &[&[&str]] = &[
    &[
        "apt-get update",
        "apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends chromium fonts-dejavu-core",
    ],
    &["dnf install -y chromium dejavu-sans-fonts"],
    &["zypper --non-interactive install chromium dejavu-fonts"],
    &["pacman -Sy --noconfirm chromium ttf-dejavu"],
    &["apk add chromium font-dejavu"],
    &["brew install --cask chromium"],
];

/// Installs Chromium where none is found; status goes to standard error.
///
/// # Errors
/// [`Failure`] if a path is given at which there is none, no package manager is known here, or it
/// fails.
pub(super) fn chromium(args: &DoctorArgs) -> Result<(), Failure> {
    let Err(missing) = browserlens_recorder::find_chrome(args.chrome.as_deref()) else { return Ok(()) };
    let is_named = args.chrome.is_some() || std::env::var_os("CHROME").is_some_and(|path| !path.is_empty());
    let known = MANAGERS.iter().find(|commands| is_on_path(first_word(commands[0])));
    let (false, Some(commands)) = (is_named, known) else {
        return Err(Failure::new(Exit::Browser, &missing, missing.hint()));
    };
    for command in *commands {
        let is_mine = is_root() || command.starts_with("brew ");
        let words = if is_mine { (*command).to_owned() } else { format!("sudo {command}") };
        output::status(&format!("running: {words}"));
        let mut started = Command::new(first_word(&words));
        started.args(words.split(' ').skip(1)).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        // Standard output is for the checks.
        let ended = started.stdout(std::io::stderr()).status();
        let failed = match ended {
            Ok(status) if status.success() => continue,
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let message = format!("Chromium was not installed: '{words}': {failed}");
        return Err(Failure::browser(message, "run it by hand, or install Chromium and set CHROME"));
    }
    Ok(())
}

fn first_word(command: &str) -> &str {
    command.split(' ').next().unwrap_or_default()
}

fn is_on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
