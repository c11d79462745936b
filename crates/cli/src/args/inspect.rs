//! What `inspect` is given: where to look, and a tool's arguments.

use super::tool::{arguments_of, tool_command};
use browserlens_inspect::{SETTINGS, ToolSchema, schema, tools};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// What is asked, and the tool that answers.
const ASKED: [(&str, &str); 6] = [
    ("summary", "get_summary"),
    ("console", "get_console_messages"),
    ("network", "get_network_requests"),
    ("dom", "get_dom_snapshot"),
    ("html", "get_html"),
    ("text", "get_text"),
];

/// Options of the version before this one that say no to an argument.
const DENIALS: [(&str, &str, &str); 3] = [
    ("network", "by-arrival", "failedFirst"),
    ("dom", "scripts", "excludeScripts"),
    ("dom", "style-elements", "excludeStyles"),
];

/// What is asked for.
pub(crate) struct InspectWhat {
    pub source: InspectSource,
    /// The tool that answers; none writes all requests.
    pub tool: Option<&'static str>,
    /// Its arguments.
    pub arguments: Value,
    /// Whether every row is written.
    pub stream: bool,
}

/// Returns the tool of a word.
fn tool_of(word: &str) -> Option<(&'static str, ToolSchema)> {
    let (_, name) = ASKED.iter().find(|(asked, _)| *asked == word)?;
    Some((name, tools().into_iter().find(|tool| tool.name == *name)?))
}

fn plain(tool: &ToolSchema) -> Map<String, Value> {
    schema::reduced(&tool.arguments, &[], true)
}

fn is_of_rows(word: &str) -> bool {
    matches!(word, "console" | "network")
}

impl Subcommand for InspectWhat {
    fn augment_subcommands(command: Command) -> Command {
        let har = Command::new("har").override_usage("browserlens page SOURCE har [OPTIONS]");
        let har = InspectSource::augment_args(har).about("Write all requests as HTTP Archive (HAR 1.2)");
        // It was taken in the version before this one, and changed nothing.
        let har = har.arg(Arg::new("tab").long("tab").num_args(1).allow_negative_numbers(true).hide(true));
        tools().iter().fold(command.subcommand(har), |command, tool| {
            let Some((word, name)) = ASKED.iter().find(|(_, name)| *name == tool.name) else { return command };
            let called = if *word == "text" { "get_text" } else { word };
            let mut asked = tool_command(word, name, tool.why, &plain(tool))
                .override_usage(format!("browserlens page SOURCE {called} [OPTIONS]"));
            for (_, id, _) in DENIALS.iter().filter(|(of, ..)| of == word) {
                asked = asked.arg(Arg::new(*id).long(*id).hide(true).action(ArgAction::SetTrue));
            }
            if is_of_rows(word) {
                let help = "Write every row that passes as a line of JSON, none folded, without pages";
                let stream = Arg::new("stream").long("stream").help(help).action(ArgAction::SetTrue);
                asked = asked.arg(stream.conflicts_with_all(["json", "compact", "cursor", "pageSize"]));
            }
            command.subcommand(InspectSource::augment_args(asked).about(tool.why))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(_: &str) -> bool {
        true
    }
}

impl FromArgMatches for InspectWhat {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let missing = || Error::raw(ErrorKind::MissingSubcommand, "what is asked is missing\n");
        let (word, matches) = matches.subcommand().ok_or_else(missing)?;
        let source = InspectSource::from_arg_matches(matches)?;
        let Some((name, tool)) = tool_of(word) else {
            return Ok(Self { source, tool: None, arguments: Value::Null, stream: false });
        };
        let mut arguments = arguments_of(name, &plain(&tool), matches)?;
        for (_, id, argument) in DENIALS.iter().filter(|(of, ..)| *of == word) {
            if matches.get_flag(id) {
                arguments.insert((*argument).to_owned(), Value::Bool(false));
            }
        }
        let stream = is_of_rows(word) && matches.get_flag("stream");
        Ok(Self { source, tool: Some(name), arguments: Value::Object(arguments), stream })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A file of HTML is opened as a live page.
fn opened(source: &str) -> Result<String, std::convert::Infallible> {
    Ok(crate::verbs::html_file(source).unwrap_or_else(|| source.to_owned()))
}

/// Where to look.
#[derive(Args)]
pub(crate) struct InspectSource {
    /// A trace, the URL of a live page, or a file of HTML
    #[arg(value_name = "TRACE|URL|FILE", value_parser = opened)]
    pub source: String,
    /// The step of the trace to stand at; the first unless told otherwise, for messages and requests the last
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub json: bool,
    /// Print it as JSON with rows as lists under one list of columns
    #[arg(long, conflicts_with = "json")]
    pub compact: bool,
    /// Add the presets of this TOML file
    #[arg(long, value_name = "FILE")]
    pub presets: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Use this Chromium instead of $CHROME or the one on PATH
    #[arg(long, value_name = "PATH")]
    pub chrome: Option<PathBuf>,
    /// Turn Chromium's sandbox off (as root it is off by itself)
    #[arg(long)]
    pub no_sandbox: bool,
}

/// How much answers hold. Each is also taken from the environment (`BROWSERLENS_MAX_HTML_SIZE`) and
/// from a file (`max_html_size = 20000`); an option wins over the environment, that over the file.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LimitArgs {
    /// Take limits from this TOML file instead of limits.toml in the configuration folder
    #[arg(long, value_name = "FILE", help_heading = LIMITS)]
    pub limits: Option<PathBuf>,
    /// Give at most so many bytes of HTML, up to 1048576 [default: 51200]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_html_size: Option<usize>,
    /// Give at most so many bytes of text, up to 1048576 [default: 30720]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_text_size: Option<usize>,
    /// Give so many nodes of the DOM where none are asked for, up to 2000 [default: 500]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_dom_nodes: Option<usize>,
    /// Give so many messages where none are asked for, up to 200 [default: 50]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_console_messages: Option<usize>,
    /// Give so many requests where none are asked for, up to 200 [default: 50]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_network_requests: Option<usize>,
    /// Give at most so many bytes of what was sent, up to 1048576 [default: 10240]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_request_body_size: Option<usize>,
    /// Give at most so many bytes of what came back, up to 1048576 [default: 10240]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_response_body_size: Option<usize>,
}

const LIMITS: &str = "Limits";

impl LimitArgs {
    /// Returns what is given, by the names of the limits.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let given = serde_json::to_value(Self { limits: None, ..self.clone() }).unwrap_or_default();
        SETTINGS.into_iter().filter_map(move |limit| Some((limit.name, given[limit.name].as_u64()? as usize)))
    }
}
