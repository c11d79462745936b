//! What `page` is given: a command a tool, made of the server's own table.

use super::BrowserArgs;
use super::tool::{alone, arguments_of, tool_command};
use browserlens_session::{Tool, plain_schema, tools};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use serde_json::Value;
use std::path::PathBuf;

/// Commands that have a shorter name than their tool.
const SHORTER: [(&str, &str); 8] = [
    ("read_text", "text"),
    ("get_console_messages", "console"),
    ("get_network_requests", "network"),
    ("get_dom_snapshot", "dom"),
    ("get_html", "html"),
    ("get_summary", "summary"),
    ("query_knowledge_for_agent", "know"),
    ("fill_action_gaps", "gaps"),
];

const WHERE: &str = "Where";

#[derive(Args)]
pub(crate) struct PageArgs {
    /// Name of the session
    #[arg(
        short,
        long,
        global = true,
        value_name = "NAME",
        env = "BROWSERLENS_SESSION",
        default_value = "default",
        help_heading = WHERE
    )]
    pub(crate) session: String,
    /// Ask this once, without a session: a URL, a file, or a trace; `page SOURCE …` is short for it
    #[arg(long, global = true, value_name = "SOURCE", conflicts_with = "session", help_heading = WHERE)]
    pub(crate) on: Option<String>,
    /// Of a trace that is opened, or asked once: this step; the first unless told otherwise, for messages and requests
    /// the last
    #[arg(long, global = true, value_name = "K", help_heading = WHERE)]
    pub(crate) step: Option<u32>,
    #[command(subcommand)]
    pub(crate) command: PageCommand,
}

/// What is to be done.
pub(crate) enum PageCommand {
    /// Opens a session.
    Open(Box<OpenArgs>),
    /// Lists the sessions.
    Sessions,
    /// Ends sessions.
    Close(CloseArgs),
    /// Is the background process.
    Keep(KeepArgs),
    /// Calls a tool.
    Call(Call),
}

/// A call of a tool.
pub(crate) struct Call {
    /// The tool.
    pub(crate) tool: &'static str,
    /// Its arguments.
    pub(crate) arguments: Value,
    /// Where an image goes.
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct OpenArgs {
    /// A URL, a file, or a trace; with --cdp the tab may stay where it is
    #[arg(value_name = "SOURCE")]
    #[cfg_attr(feature = "record", arg(required_unless_present = "cdp"))]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Args)]
pub(crate) struct CloseArgs {
    /// End every session
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args)]
pub(crate) struct KeepArgs {
    /// Listen at this socket
    #[arg(value_name = "SOCKET")]
    pub(crate) socket: PathBuf,
    /// End sessions that nobody used for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1_800)]
    pub(crate) idle: u64,
}

/// The name of a tool's command.
pub(crate) fn command_of(tool: &'static str) -> &'static str {
    SHORTER.iter().find(|(name, _)| *name == tool).map_or(tool, |(_, short)| short)
}

/// Returns whether a word is a command of `page`.
pub(crate) fn is_command(word: &str) -> bool {
    matches!(word, "open" | "sessions" | "close" | "keep" | "help")
        || tools().iter().any(|tool| word == tool.name || word == command_of(tool.name))
}

impl Subcommand for PageCommand {
    fn augment_subcommands(command: Command) -> Command {
        let open = OpenArgs::augment_args(Command::new("open"));
        let close = CloseArgs::augment_args(Command::new("close"));
        let keep = KeepArgs::augment_args(Command::new("keep"));
        let command = command
            .subcommand(open.about("Open a page in the open session, or in a new one: with Chromium, or along a trace"))
            .subcommand(Command::new("sessions").about("List the sessions"))
            .subcommand(close.about("End the session, or all"))
            .subcommand(keep.about("Be the background process").hide(true));
        tools().iter().fold(command, |command, tool| command.subcommand(command_for(tool)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(_: &str) -> bool {
        true
    }
}

impl FromArgMatches for PageCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, matches) =
            matches.subcommand().ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "a command is missing\n"))?;
        Ok(match name {
            "open" => Self::Open(Box::new(OpenArgs::from_arg_matches(matches)?)),
            "sessions" => Self::Sessions,
            "close" => Self::Close(CloseArgs::from_arg_matches(matches)?),
            "keep" => Self::Keep(KeepArgs::from_arg_matches(matches)?),
            name => {
                let tool = tools().into_iter().find(|tool| command_of(tool.name) == name);
                let tool = tool.ok_or_else(|| Error::raw(ErrorKind::InvalidSubcommand, "no such command\n"))?;
                Self::Call(call(&tool, matches)?)
            }
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn command_for(tool: &Tool) -> Command {
    let name = command_of(tool.name);
    let mut command = tool_command(name, tool.name, tool.why, &plain_schema(tool)).args(alone(tool.name));
    if name != tool.name {
        command = command.alias(tool.name);
    }
    if tool.name == "screenshot" {
        let help = "Write the picture into this file";
        command = command
            .arg(Arg::new("out").long("out").value_name("FILE").help(help).value_parser(clap::value_parser!(PathBuf)));
    }
    command
}

fn call(tool: &Tool, matches: &ArgMatches) -> Result<Call, Error> {
    let arguments = Value::Object(arguments_of(tool.name, &plain_schema(tool), matches)?);
    let out = (tool.name == "screenshot").then(|| matches.get_one::<PathBuf>("out").cloned()).flatten();
    Ok(Call { tool: tool.name, arguments, out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Verb};
    use clap::{CommandFactory as _, Parser as _};
    use serde_json::json;

    fn called(words: &[&str]) -> (String, Value) {
        let words = ["browserlens", "page"].iter().chain(words);
        let Verb::Page(page) = Cli::try_parse_from(words).expect("parsed").verb else { panic!("page") };
        let PageCommand::Call(call) = page.command else { panic!("a call") };
        (call.tool.to_owned(), call.arguments)
    }

    #[test]
    fn each_tool_is_a_command_and_words_become_its_arguments() {
        for (words, tool, arguments) in [
            (vec!["observe", "--full"], "observe", json!({ "full": true })),
            (vec!["click", "@e7"], "click", json!({ "ref": "@e7" })),
            (vec!["click", "Sign in", "--role", "button"], "click", json!({ "text": "Sign in", "role": "button" })),
            (vec!["click", "@e7", "--at", "3,4.5"], "click", json!({ "ref": "@e7", "at": [3, 4.5] })),
            (vec!["type", "@e5", "Ada", "--submit"], "type", json!({ "ref": "@e5", "text": "Ada", "submit": true })),
            (vec!["type", "Ada"], "type", json!({ "text": "Ada" })),
            (vec!["type", "@e5", "--submit", "-5"], "type", json!({ "ref": "@e5", "text": "-5", "submit": true })),
            (vec!["type", "@e5", ""], "type", json!({ "ref": "@e5", "text": "" })),
            (vec!["network", "--failed-first=false"], "get_network_requests", json!({ "failedFirst": false })),
            (vec!["drag", "@e1", "--by", "-100,0"], "drag", json!({ "from": "@e1", "by": [-100, 0] })),
            (
                vec!["fill", "@e5=a=b", "@e6=true", "@e7=[\"S\",\"M\"]"],
                "fill",
                json!({ "fields": [
                    { "ref": "@e5", "value": "a=b" },
                    { "ref": "@e6", "value": true },
                    { "ref": "@e7", "value": ["S", "M"] },
                ] }),
            ),
            (vec!["select", "@e5", "S", "M"], "select", json!({ "ref": "@e5", "option": ["S", "M"] })),
            (vec!["scroll", "--y", "-300"], "scroll", json!({ "y": -300 })),
            (vec!["press", "Enter", "--times", "3"], "press", json!({ "key": "Enter", "times": 3 })),
            (vec!["press", "@e5", "ArrowUp", "3"], "press", json!({ "ref": "@e5", "key": "ArrowUp*3" })),
            (
                vec!["press", "Home", "Shift+ArrowDown", "2", "Delete"],
                "press",
                json!({ "key": "Home Shift+ArrowDown*2 Delete" }),
            ),
            (vec!["press", "Note", "End", "4", "4"], "press", json!({ "ref": "Note", "key": "End*4 4" })),
            (vec!["find", "Generator", "2", "--limit", "3"], "find", json!({ "text": "Generator 2", "limit": 3 })),
            (vec!["press", "4", "--ref", "@e5"], "press", json!({ "ref": "@e5", "key": "4" })),
            (vec!["dialog", "dismiss"], "dialog", json!({ "accept": false })),
            (vec!["dialog", "accept", "Ada"], "dialog", json!({ "accept": true, "text": "Ada" })),
            (vec!["dialog", "accept", "--text", "Ada"], "dialog", json!({ "accept": true, "text": "Ada" })),
            (vec!["tabs", "1"], "tabs", json!({ "switch": 1 })),
            (vec!["tabs", "--switch", "1"], "tabs", json!({ "switch": 1 })),
            (vec!["html", "strong"], "get_html", json!({ "selector": "strong" })),
            (vec!["text", "what does it cost"], "read_text", json!({ "query": "what does it cost" })),
            (vec!["read_text", "--skip", "20"], "read_text", json!({ "skip": 20 })),
            (
                vec!["network", "--failed-only", "--status", "404,5xx", "--method", "GET", "--method", "PUT"],
                "get_network_requests",
                json!({ "failedOnly": true, "status": [404, "5xx"], "method": ["GET", "PUT"] }),
            ),
            (
                vec!["network", "--status", "[404,\"5xx\"]", "--since", "+5", "--search-term", "404"],
                "get_network_requests",
                json!({ "status": [404, "5xx"], "since": 5, "searchTerm": "404" }),
            ),
            (
                vec!["console", "--levels", "error,warn", "--cursor", "-a"],
                "get_console_messages",
                json!({ "logLevels": ["error", "warn"], "cursor": "-a" }),
            ),
            (vec!["snapshot", "outline"], "snapshot", json!({ "mode": "outline" })),
            (
                vec!["snapshot", "content", "--grep", "a", "--ignore-case", "--context", "2", "--max-length", "9"],
                "snapshot",
                json!({ "mode": "content", "grep": "a", "ignoreCase": true, "context": 2, "maxLength": 9 }),
            ),
            (vec!["chunks", "--max-tokens", "64"], "chunks", json!({ "maxTokens": 64 })),
            (
                vec!["drag", "@e1", "@e2", "--place", "before"],
                "drag",
                json!({ "from": "@e1", "to": "@e2", "place": "before" }),
            ),
        ] {
            assert_eq!(called(&words), (tool.to_owned(), arguments), "{words:?}");
        }
        Cli::command().debug_assert();
        for tool in tools() {
            let known = plain_schema(&tool)["properties"].as_object().map_or(0, serde_json::Map::len);
            assert!(command_for(&tool).get_arguments().count() >= known, "{}", tool.name);
        }
        for wrong in
            [vec!["fill", "@e5"], vec!["clik", "@e5"], vec!["dialog", "maybe"], vec!["type"], vec!["type", "@e5"]]
        {
            let words = ["browserlens", "page"].iter().chain(&wrong);
            assert!(Cli::try_parse_from(words).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_source_that_is_asked_once_takes_the_options_of_the_tool() {
        let cli = Cli::command();
        // Several sources are named in the place of those that a session read, and nothing is kept that goes on.
        for (verb, tool, other) in [
            ("snapshot", "snapshot", &["budget", "skip"][..]),
            ("chunks", "chunks", &["limit", "offset"]),
            ("read", "read_text", &["visited"]),
        ] {
            let command = cli.find_subcommand(verb).expect("a verb");
            let known: Vec<&str> = command
                .get_arguments()
                .flat_map(|arg| arg.get_long().into_iter().chain(arg.get_all_aliases().into_iter().flatten()))
                .collect();
            let tool = tools().into_iter().find(|known| known.name == tool).expect("a tool");
            let schema = plain_schema(&tool);
            let names = schema["properties"].as_object().expect("properties").keys();
            let missing: Vec<String> =
                names.map(|name| crate::args::option_of(name)).filter(|name| !known.contains(&name.as_str())).collect();
            assert_eq!(missing, other, "{verb}");
        }
    }
}
