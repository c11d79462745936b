//! A tool that is a command line: the agent calls it through a shell that knows this program alone.
//!
//! In: what an agent writes into a shell. Out: what the commands print. Invariants: no shell runs it,
//! so that nothing but the tool is started, whatever a model writes; the tool has a home of its own,
//! and so its sessions and settings are of this run.

use super::folder::{Folder, READ_FILE, absolute};
use super::presets::Shell;
use super::{About, Answer, Function, PATIENCE, Tool, ToolCommand, ms_since};
use crate::error::TasksError;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Name of the function.
pub(crate) const SHELL: &str = "shell";
/// Longest `sleep`, in seconds.
const LONGEST_SLEEP: f64 = 30.0;
/// How long the tool has to end its sessions.
const FAREWELL: Duration = Duration::from_secs(10);

/// A command line that an agent calls as in a shell.
pub struct ShellTool {
    about: About,
    program: Vec<String>,
    shell: Shell,
    folder: Folder,
}

impl ShellTool {
    /// Makes a home for a tool, and asks it for its instructions.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if there is no folder for it, or its instructions cannot be had.
    pub async fn start(command: &ToolCommand, shell: &Shell) -> Result<Self, TasksError> {
        let failed = |why: String| TasksError::Tool { tool: command.name.clone(), why };
        let folder = Folder::new().map_err(failed)?;
        for (path, text) in &shell.files {
            let path = folder.path().join(path);
            let written =
                path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
            written.map_err(|error| failed(format!("{}: cannot be written: {error}", path.display())))?;
        }
        let word = &shell.word;
        let run = Function {
            name: SHELL.to_owned(),
            description: format!(
                "Runs commands of `{word}`, and `sleep`; `&&` joins several. No pipes, no other programs"
            ),
            schema: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": format!("{word} …"), "pattern": format!("^{word} ") },
                },
                "required": ["command"],
            }),
        };
        let functions = vec![run, Folder::function()];
        let list = super::listed(&functions);
        let mut program = command.command.clone();
        if let Some(first) = program.first_mut().filter(|first| first.contains('/')) {
            *first = absolute(Path::new(first)).to_string_lossy().into_owned();
        }
        let mut tool = Self {
            about: About { name: command.name.clone(), functions, list, ..About::default() },
            program,
            shell: shell.clone(),
            folder,
        };
        tool.about.instructions = match &shell.skill {
            super::presets::Skill::File(path) => std::fs::read_to_string(path)
                .map_err(|error| failed(format!("{}: its instructions cannot be read: {error}", path.display())))?,
            super::presets::Skill::Printed(arguments) => {
                let answer = tool.run(arguments).await?;
                if answer.is_error {
                    return Err(failed(format!("prints no instructions: {}", answer.text)));
                }
                answer.text
            }
        };
        Ok(tool)
    }

    /// Runs the tool once.
    async fn run(&self, arguments: &[String]) -> Result<Answer, TasksError> {
        let failed = |why: String| TasksError::Tool { tool: self.about.name.clone(), why };
        let (mut command, printed) = self.folder.command(&self.program).map_err(failed)?;
        let mut child = command
            .args(arguments.iter().map(|argument| self.folder.meant(argument)))
            .envs(self.shell.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| failed(format!("does not start: {error}")))?;
        let ended = tokio::time::timeout(PATIENCE, child.wait()).await;
        let status = match ended {
            Ok(status) => status.map_err(|error| failed(format!("cannot be waited for: {error}")))?,
            Err(_) => return Err(failed(format!("did not end {} within two minutes", arguments.join(" ")))),
        };
        let bytes = std::fs::read(printed.path())
            .map_err(|error| failed(format!("what it printed cannot be read: {error}")))?;
        let text = self.folder.hidden(String::from_utf8_lossy(&bytes).trim_end());
        Ok(Answer { text, is_error: !status.success(), ..Answer::default() })
    }

    /// Runs commands until one fails.
    async fn shell(&self, arguments: &Value) -> Result<Answer, TasksError> {
        let Some(written) = arguments["command"].as_str() else {
            return Ok(Answer::refused(format!("command is missing: write {} …", self.shell.word)));
        };
        let commands = match commands(written, &self.shell.word) {
            Ok(commands) => commands,
            Err(why) => return Ok(Answer::refused(why)),
        };
        let mut all = Answer::default();
        for command in &commands {
            let answer = match command.as_slice() {
                [sleep, seconds] if sleep == "sleep" => {
                    let seconds = seconds.parse::<f64>().ok().filter(|seconds| (0.0..=LONGEST_SLEEP).contains(seconds));
                    let Some(seconds) = seconds else {
                        return Ok(Answer::refused(format!("sleep takes seconds, at most {LONGEST_SLEEP}")));
                    };
                    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                    Answer::default()
                }
                [_, arguments @ ..] => self.run(arguments).await?,
                [] => Answer::default(),
            };
            if !all.text.is_empty() && !answer.text.is_empty() {
                all.text.push('\n');
            }
            all.text.push_str(&answer.text);
            all.is_error = answer.is_error;
            if all.is_error {
                break;
            }
        }
        Ok(all)
    }
}

/// Splits what was written into commands of one program, and `sleep`.
fn commands(written: &str, word: &str) -> Result<Vec<Vec<String>>, String> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut open = String::new();
    for line in written.lines() {
        // A line that ends within quotes goes on in the next.
        open.push_str(line);
        let Some(words) = shlex::split(&open) else {
            open.push('\n');
            continue;
        };
        open.clear();
        for part in words {
            match part.as_str() {
                "&&" | ";" => commands.push(Vec::new()),
                "|" | "||" | ">" | ">>" | "<" | "&" | "2>&1" => {
                    return Err(format!("{part} is not known here: write commands of {word}, joined with &&"));
                }
                _ => {
                    if let Some(last) = commands.last_mut() {
                        last.push(part);
                    }
                }
            }
        }
        commands.push(Vec::new());
    }
    if !open.is_empty() {
        return Err("a quote is not closed".to_owned());
    }
    commands.retain(|command| !command.is_empty());
    if let Some(other) =
        commands.iter().filter_map(|command| command.first()).find(|first| *first != word && *first != "sleep")
    {
        return Err(format!("{other} is not known here: write commands of {word}; {READ_FILE} reads its files"));
    }
    if commands.is_empty() { Err(format!("no command is written: {word} …")) } else { Ok(commands) }
}

impl Tool for ShellTool {
    fn about(&self) -> &About {
        &self.about
    }

    fn call<'t>(&'t mut self, name: &'t str, arguments: Value) -> BoxFuture<'t, Result<Answer, TasksError>> {
        Box::pin(async move {
            let began = Instant::now();
            let answer = match name {
                SHELL => self.shell(&arguments).await?,
                READ_FILE => self.folder.read(&arguments),
                other => Answer::refused(format!("no function is called {other}")),
            };
            Ok(Answer { ms: ms_since(began), ..answer })
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            // What is left in the background ends by itself when it is idle.
            drop(tokio::time::timeout(FAREWELL, self.run(&self.shell.closing)).await);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(written: &str) -> Result<Vec<Vec<String>>, String> {
        commands(written, "pages")
    }

    #[test]
    fn only_the_tool_and_sleep_are_run_and_quotes_hold_words_together() {
        let given =
            split("pages open 'http://a/?b=1&c=2' && sleep 1\npages fill @e2 \"Ada\nLovelace\"").expect("whole");
        assert_eq!(
            given,
            [
                vec!["pages", "open", "http://a/?b=1&c=2"],
                vec!["sleep", "1"],
                vec!["pages", "fill", "@e2", "Ada\nLovelace"]
            ]
        );
        for (written, says) in [
            ("rm -rf x", "rm is not known here"),
            ("pages open x && curl y", "curl is not known here"),
            ("pages text | head", "| is not known here"),
            ("pages fill @e1 'Ada", "a quote is not closed"),
            (" \n", "no command is written"),
        ] {
            let error = split(written).expect_err(written);
            assert!(error.contains(says), "{error}");
        }
    }

    #[tokio::test]
    async fn commands_run_in_a_home_of_their_own_until_one_fails() {
        let shell = Shell {
            word: "pages".to_owned(),
            skill: super::super::presets::Skill::Printed(vec!["echo how".to_owned()]),
            files: vec![("settings/a.txt".to_owned(), "set\n".to_owned())],
            closing: vec!["true".to_owned()],
            ..Shell::default()
        };
        let command = ToolCommand::command("pages", &["sh", "-c"]);
        let mut tool = ShellTool::start(&command, &shell).await.expect("starts");
        assert_eq!(tool.about.instructions, "how");
        let mut ask = async |written: &str| tool.call(SHELL, json!({ "command": written })).await.expect("answers");
        let home = ask("pages 'cat settings/a.txt; echo note > $HOME/note; pwd'").await;
        assert!(home.text.starts_with("set\n~") && !home.is_error, "{home:?}");
        let failed = ask("pages 'echo one; exit 3' && pages 'echo two'").await;
        assert_eq!((failed.text.as_str(), failed.is_error), ("one", true));
        // A process that stays behind does not hold the answer back.
        assert_eq!(ask("pages 'sleep 5 & echo there'").await.text, "there");
        assert!(ask("sleep 100").await.text.contains("at most 30"));
        let note = tool.call(READ_FILE, json!({ "path": "note" })).await.expect("answers");
        assert_eq!(note.text, "note");
        let home = tool.call(SHELL, json!({ "command": "pages 'echo $HOME/note'" })).await.expect("answers");
        assert_eq!(home.text, "~/note");
        let other = tool.call("other", json!({})).await.expect("answers");
        assert!(other.is_error && other.text.contains("other"), "{other:?}");
        Box::new(tool).close().await;
    }
}
