//! The folder that a tool works in, and the function that reads what it writes there.
//!
//! Agents that run where the tool runs read its files with a function of their own. What they read
//! so counts as an answer like any other. Invariant: nothing outside the folder is read.

use super::{Answer, Function, Picture, ms_since};
use base64::Engine as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokio::process::Command;

/// Name of the function.
pub(crate) const READ_FILE: &str = "read_file";
/// Lines of an answer where no `limit` is given.
const LINES: usize = 2_000;
/// Variables that say where a program keeps what is its user's.
const HOMES: [&str; 5] = ["HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"];
/// Longest file that is read, in bytes.
const LONGEST: u64 = 16 << 20;

pub(super) struct Folder(tempfile::TempDir);

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Folder {
    pub(super) fn new() -> Result<Self, String> {
        tempfile::tempdir().map(Self).map_err(|error| format!("no folder for it: {error}"))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns a command that has the folder as its place and its home, and prints into a file: a
    /// process that it leaves in the background may keep its output open.
    pub(super) fn command(&self, command: &[String]) -> Result<(Command, tempfile::NamedTempFile), String> {
        let io = |error: std::io::Error| format!("no file for what it prints: {error}");
        let (program, arguments) = command.split_first().ok_or("no command is given")?;
        let printed = tempfile::NamedTempFile::new().map_err(io)?;
        let mut started = Command::new(program);
        started
            .args(arguments)
            .current_dir(self.path())
            .envs([("TZ", "UTC"), ("NO_COLOR", "1")])
            .envs(HOMES.map(|name| (name, self.path())))
            .stdout(printed.as_file().try_clone().map_err(io)?)
            .stderr(printed.as_file().try_clone().map_err(io)?)
            .kill_on_drop(true);
        Ok((started, printed))
    }

    /// Writes the folder's own path as `~`: it is another in each run, and says where records were
    /// made.
    pub(super) fn hidden(&self, text: &str) -> String {
        text.replace(&*self.path().to_string_lossy(), "~")
    }

    /// Returns what a path that begins with `~` means.
    pub(super) fn meant(&self, given: &str) -> String {
        match given.strip_prefix("~/") {
            Some(rest) => self.path().join(rest).to_string_lossy().into_owned(),
            None => given.to_owned(),
        }
    }

    pub(super) fn function() -> Function {
        let line = |what: &str| json!({ "type": "integer", "minimum": 1, "description": what });
        let limit = format!("At most so many lines, {LINES} by default");
        Function {
            name: READ_FILE.to_owned(),
            description: "Reads a file that the tool wrote: text by lines, a picture as a picture".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "As the tool names it" },
                    "offset": line("First line, from 1"),
                    "limit": line(&limit),
                },
                "required": ["path"],
            }),
        }
    }

    /// Answers a call of [`READ_FILE`]; what cannot be read is an answer that is an error.
    pub(super) fn read(&self, arguments: &Value) -> Answer {
        let began = Instant::now();
        let mut answer = self.file(arguments).unwrap_or_else(Answer::refused);
        answer.ms = ms_since(began);
        answer
    }

    fn file(&self, arguments: &Value) -> Result<Answer, String> {
        let given = arguments["path"].as_str().ok_or("path is missing: name the file as the tool does")?;
        let not_there = |why: &dyn std::fmt::Display| format!("{given}: cannot be read: {why}");
        let root = self.path().canonicalize().map_err(|error| not_there(&error))?;
        let path = root.join(self.meant(given)).canonicalize().map_err(|error| not_there(&error))?;
        if !path.starts_with(&root) {
            return Err(not_there(&"only files that the tool wrote into its folder are"));
        }
        let length = path.metadata().map_err(|error| not_there(&error))?.len();
        if length > LONGEST {
            return Err(not_there(&format!("it has {length} bytes, and {LONGEST} are the most")));
        }
        let bytes = std::fs::read(&path).map_err(|error| not_there(&error))?;
        if let Some(mime) = picture(&bytes) {
            let base64 = base64::engine::general_purpose::STANDARD.encode(&bytes);
            return Ok(Answer { images: vec![Picture { mime: mime.to_owned(), base64 }], ..Answer::default() });
        }
        let text = String::from_utf8(bytes).map_err(|_| not_there(&"it is neither text nor a picture"))?;
        let number = |name: &str, otherwise: usize| {
            arguments[name].as_u64().map_or(otherwise, |number| usize::try_from(number).unwrap_or(usize::MAX))
        };
        let (first, most) = (number("offset", 1).max(1) - 1, number("limit", LINES));
        let count = text.lines().count();
        let mut lines: Vec<&str> = text.lines().skip(first).take(most).collect();
        let cut = format!("… of {count} lines; go on with offset {}", first + lines.len() + 1);
        if first + lines.len() < count {
            lines.push(&cut);
        }
        Ok(Answer { text: lines.join("\n"), ..Answer::default() })
    }
}

fn picture(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_folder_are_read_by_lines_and_nothing_else() {
        let folder = Folder::new().expect("a folder");
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("writes");
        write("page.yml", b"a\nb\nc");
        write("page.png", b"\x89PNG\r\n");
        write("odd", b"\xff\xfe");
        let read = |arguments: Value| folder.read(&arguments);
        assert_eq!(read(json!({ "path": "page.yml" })).text, "a\nb\nc");
        let part = read(json!({ "path": "page.yml", "offset": 2, "limit": 1 }));
        assert_eq!(part.text, "b\n… of 3 lines; go on with offset 3");
        let picture = read(json!({ "path": folder.path().join("page.png") }));
        assert_eq!(read(json!({ "path": "~/page.yml", "limit": 1 })).text, "a\n… of 3 lines; go on with offset 2");
        let shown = folder.hidden(&format!("saved to {}/page.png", folder.path().display()));
        assert_eq!(shown, "saved to ~/page.png");
        assert_eq!(picture.images.first().map(|image| image.mime.as_str()), Some("image/png"));
        for (arguments, says) in [
            (json!({ "path": "../../etc/hostname" }), "cannot be read"),
            (json!({ "path": "/etc/passwd" }), "only files that the tool wrote"),
            (json!({ "path": "odd" }), "neither text nor a picture"),
            (json!({ "path": "none" }), "none: cannot be read"),
            (json!({}), "path is missing"),
        ] {
            let answer = read(arguments);
            assert!(answer.is_error && answer.text.contains(says), "{answer:?}");
        }
    }
}
