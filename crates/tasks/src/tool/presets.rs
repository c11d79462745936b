//! How tools are started: those that are known by a name, and any other.

use super::folder::absolute;
use super::{LoopTool, McpTool, ShellTool, Tool};
use crate::error::TasksError;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Tools that are known by a name; the rest is a command that speaks MCP over standard input and
/// output, or with instructions in a file a command line.
pub const PRESETS: [&str; 9] = [
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

/// How long a session of a command line stays without a command, in seconds, where a run was killed.
const IDLE_SECONDS: u32 = 300;

/// Where a command line's instructions come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skill {
    /// A file.
    File(PathBuf),
    /// What it prints when it is called with these arguments.
    Printed(Vec<String>),
}

impl Default for Skill {
    fn default() -> Self {
        Self::Printed(Vec::new())
    }
}

/// A command line, as an agent has it in a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// What its commands begin with.
    pub word: String,
    /// Its instructions.
    pub skill: Skill,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
    /// Files that its folder begins with: relative path and text.
    pub files: Vec<(String, String)>,
    /// Arguments that end its sessions.
    pub closing: Vec<String>,
}

impl Shell {
    fn new(word: &str, skill: Skill, closing: &[&str]) -> Self {
        Self { word: word.to_owned(), skill, closing: strings(closing), ..Self::default() }
    }
}

/// A tool with a loop of its own, as a script runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnLoop {
    /// The browser that it starts.
    pub chrome: Option<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
}

/// How an agent calls a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Functions over MCP; beside them one that reads files, where the tool answers with files.
    Mcp {
        /// Whether it answers with files.
        writes_files: bool,
    },
    /// Commands in a shell.
    Shell(Shell),
    /// Answers to what its own loop asks.
    Loop(OwnLoop),
}

/// How a tool is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCommand {
    /// Its name with its version, as records have it.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// How it is called.
    pub interface: Interface,
}

/// A package that `scripts/install-peers` installs.
struct Package {
    /// Its name in records, with its version.
    name: String,
    /// Where it is.
    home: PathBuf,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Package {
    /// Finds a package by the folder it is installed in; `called` is its name in records.
    fn find(tool: &str, peers: &Path, folder: &str, called: &str) -> Result<Self, TasksError> {
        let home = absolute(&peers.join("npm").join(folder.replace('/', "+")).join("node_modules").join(folder));
        let path = home.join("package.json");
        let version = std::fs::read_to_string(&path).ok();
        let version = version.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let version = version.and_then(|package| package["version"].as_str().map(str::to_owned));
        let version = version.ok_or(TasksError::NotInstalled { tool: tool.to_owned(), path })?;
        Ok(Self { name: format!("{called} {version}"), home })
    }

    /// Returns a file of it.
    fn file(&self, tool: &str, path: &str) -> Result<PathBuf, TasksError> {
        let path = self.home.join(path);
        if path.is_file() { Ok(path) } else { Err(TasksError::NotInstalled { tool: tool.to_owned(), path }) }
    }

    /// Returns how a script of it is started.
    fn script(&self, tool: &str, path: &str, arguments: &[&str]) -> Result<Vec<String>, TasksError> {
        let mut command = vec!["node".to_owned(), text(&self.file(tool, path)?)];
        command.extend(strings(arguments));
        Ok(command)
    }
}

/// Returns the version of a Python package in the environment that `scripts/install-peers` makes.
fn find_python(peers: &Path, package: &str) -> Option<String> {
    let site = std::fs::read_dir(peers.join("venv/lib")).ok()?.filter_map(Result::ok);
    let packages = site.filter_map(|python| std::fs::read_dir(python.path().join("site-packages")).ok()).flatten();
    packages.filter_map(Result::ok).find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_prefix(package)?.strip_prefix('-')?.strip_suffix(".dist-info").map(str::to_owned)
    })
}

impl ToolCommand {
    /// Returns a tool that speaks MCP.
    pub fn command(name: &str, command: &[&str]) -> Self {
        Self { name: name.to_owned(), command: strings(command), interface: Interface::Mcp { writes_files: false } }
    }

    /// Returns how a tool is started: one of [`PRESETS`], or a command in words; with a file of
    /// instructions the command is a command line.
    ///
    /// `program` is this program; `peers` is where `scripts/install-peers` puts the others, `chrome`
    /// the browser that they are told to start.
    ///
    /// # Errors
    /// [`TasksError::NotInstalled`] for a preset that is not there, [`TasksError::Tool`] for no
    /// command.
    pub fn of(
        given: &str,
        skill: Option<&Path>,
        program: &Path,
        peers: &Path,
        chrome: Option<&Path>,
    ) -> Result<Self, TasksError> {
        let ours = text(program);
        let chrome = chrome.map(text);
        let with_chrome = |mut command: Vec<String>, option: &str| {
            command.extend(chrome.iter().flat_map(|chrome| [option.to_owned(), chrome.clone()]));
            command
        };
        let variable = |name: &str| chrome.iter().map(|chrome| (name.to_owned(), chrome.clone())).collect::<Vec<_>>();
        let playwright_mcp = |folder: &str, writes_files: bool| {
            let package = Package::find(given, peers, folder, "@playwright/mcp")?;
            let command = package.script(given, "cli.js", &["--headless", "--isolated", "--no-sandbox"])?;
            let command = with_chrome(command, "--executable-path");
            Ok::<_, TasksError>(Self { name: package.name, command, interface: Interface::Mcp { writes_files } })
        };
        let preset = if skill.is_some() { "" } else { given };
        let command = match preset {
            "browserlens" => Self::command("browserlens serve (MCP)", &[&ours, "serve"]),
            "browserlens-cli" => {
                let mut environment = variable("CHROME");
                environment.push(("BROWSERLENS_IDLE".to_owned(), IDLE_SECONDS.to_string()));
                let skill = Skill::Printed(strings(&["skill"]));
                let shell = Shell { environment, ..Shell::new("browserlens", skill, &["page", "close", "--all"]) };
                let name = "browserlens page (command line)".to_owned();
                Self { name, command: vec![ours], interface: Interface::Shell(shell) }
            }
            "playwright-mcp" => playwright_mcp("playwright-mcp-0-0-83", true)?,
            // The version that puts a snapshot into each answer.
            "playwright-mcp-snapshots" => playwright_mcp("playwright-mcp-0-0-68", false)?,
            "playwright-cli" => {
                let package = Package::find(given, peers, "@playwright/cli", "playwright-cli")?;
                let launch = json!({ "headless": true, "executablePath": chrome, "args": ["--no-sandbox"] });
                let browser = json!({ "browserName": "chromium", "isolated": true, "launchOptions": launch });
                let files = vec![(".playwright/cli.config.json".to_owned(), json!({ "browser": browser }).to_string())];
                let skill = Skill::File(package.file(given, "skills/playwright-cli/SKILL.md")?);
                let shell = Shell { files, ..Shell::new("playwright-cli", skill, &["close-all"]) };
                let command = package.script(given, "playwright-cli.js", &[])?;
                Self { name: package.name, command, interface: Interface::Shell(shell) }
            }
            "agent-browser" => {
                let package = Package::find(given, peers, "agent-browser", "agent-browser")?;
                let mut environment = variable("AGENT_BROWSER_EXECUTABLE_PATH");
                environment.push(("AGENT_BROWSER_ARGS".to_owned(), "--no-sandbox".to_owned()));
                environment.push(("AGENT_BROWSER_IDLE_TIMEOUT_MS".to_owned(), (IDLE_SECONDS * 1_000).to_string()));
                let skill = Skill::File(package.file(given, "skills/agent-browser/SKILL.md")?);
                let shell = Shell { environment, ..Shell::new("agent-browser", skill, &["close", "--all"]) };
                let command = package.script(given, "bin/agent-browser.js", &[])?;
                let name = format!("{} (command line)", package.name);
                Self { name, command, interface: Interface::Shell(shell) }
            }
            "chrome-devtools-mcp" => {
                let package = Package::find(given, peers, "chrome-devtools-mcp", "chrome-devtools-mcp")?;
                let arguments = ["--headless", "--isolated", "--chromeArg=--no-sandbox"];
                let command = package.script(given, "build/src/bin/chrome-devtools-mcp.js", &arguments)?;
                let command = with_chrome(command, "--executablePath");
                Self { name: package.name, command, interface: Interface::Mcp { writes_files: true } }
            }
            "browser-use" => {
                let python = peers.join("venv/bin/python");
                let path = peers.join("browser_use/loop.py");
                let package = find_python(peers, "browser_use");
                let version = package.filter(|_| python.exists() && path.is_file());
                let version =
                    version.ok_or(TasksError::NotInstalled { tool: given.to_owned(), path: python.clone() })?;
                let environment = [("ANONYMIZED_TELEMETRY", "false"), ("BROWSER_USE_VERSION_CHECK", "false")];
                let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
                let own = OwnLoop { chrome, environment };
                let command = vec![text(&absolute(&python)), text(&absolute(&path))];
                let name = format!("browser-use {version} (own loop)");
                Self { name, command, interface: Interface::Loop(own) }
            }
            "stagehand" => {
                let package = Package::find(given, peers, "@browserbasehq/stagehand", "Stagehand")?;
                let path = absolute(&peers.join("stagehand/loop.mjs"));
                if !path.is_file() {
                    return Err(TasksError::NotInstalled { tool: given.to_owned(), path });
                }
                let own = OwnLoop { chrome, environment: Vec::new() };
                let command = vec!["node".to_owned(), text(&path)];
                Self { name: format!("{} (own loop)", package.name), command, interface: Interface::Loop(own) }
            }
            _ => {
                let words: Vec<&str> = given.split_whitespace().collect();
                let mut command = Self::command(given, &words);
                if let Some(skill) = skill {
                    let word = words.first().and_then(|word| Path::new(word).file_stem()).unwrap_or_default();
                    let skill = Skill::File(absolute(skill));
                    command.interface = Interface::Shell(Shell::new(&word.to_string_lossy(), skill, &[]));
                }
                command
            }
        };
        if command.command.is_empty() {
            return Err(TasksError::Tool { tool: "--tool".to_owned(), why: "no command is given".to_owned() });
        }
        Ok(command)
    }

    /// Starts the tool in a folder of its own, in UTC.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if it does not start.
    pub async fn start(&self) -> Result<Box<dyn Tool>, TasksError> {
        Ok(match &self.interface {
            Interface::Mcp { .. } => Box::new(McpTool::start(self).await?),
            Interface::Shell(shell) => Box::new(ShellTool::start(self, shell).await?),
            Interface::Loop(own) => Box::new(LoopTool::new(self, own)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_that_are_not_there_say_what_to_install_and_commands_are_taken_as_they_are() {
        let here = Path::new("/nowhere");
        let of = |given: &str, skill: Option<&Path>| ToolCommand::of(given, skill, here, here, None);
        for preset in PRESETS.iter().filter(|preset| !preset.starts_with("browserlens")) {
            let error = of(preset, None).expect_err("not installed");
            assert!(error.to_string().contains("/nowhere/"), "{error}");
            assert!(error.hint().contains("install-peers"), "{}", error.hint());
        }
        let error = of("  ", None).expect_err("empty");
        assert!(error.to_string().contains("no command"), "{error}");
        let given = of("npx some-server --port 0", None).expect("a command");
        assert_eq!(given.command, ["npx", "some-server", "--port", "0"]);
        assert_eq!(of("browserlens", None).expect("ours").command, ["/nowhere", "serve"]);
        let given = of("bin/pages.sh --quiet", Some(here)).expect("a command");
        let Interface::Shell(shell) = given.interface else { panic!("a command line: {given:?}") };
        assert_eq!((shell.word.as_str(), shell.skill), ("pages", Skill::File(here.to_owned())));
    }
}
