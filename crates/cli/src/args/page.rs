//! What `page` is given: a command a tool, made of the server's own table.
//!
//! Invariant: names, types and words of a tool's arguments stand in its schema alone; here stands
//! which of them need no name.

use super::{BrowserArgs, option_of};
use browserlens_session::{Tool, plain_schema, tools};
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use serde_json::{Map, Number, Value, json};
use std::path::PathBuf;

/// Commands that have a shorter name than their tool.
const SHORTER: [(&str, &str); 6] = [
    ("read_text", "text"),
    ("get_console_messages", "console"),
    ("get_network_requests", "network"),
    ("get_dom_snapshot", "dom"),
    ("query_knowledge_for_agent", "know"),
    ("fill_action_gaps", "gaps"),
];

/// What stands without a name, in this order; `TARGET` is a ref, or else what the element says.
const PLACES: [(&str, &[&str]); 17] = [
    ("expand", &["handle"]),
    ("find", &["text"]),
    ("snapshot", &["mode"]),
    ("read_text", &["query"]),
    ("navigate", &["url"]),
    ("click", &["TARGET"]),
    ("fill", &["fields"]),
    ("select", &["ref", "option"]),
    ("hover", &["ref"]),
    ("press", &["key"]),
    ("scroll", &["ref"]),
    ("drag", &["from", "to"]),
    ("upload", &["ref", "files"]),
    ("wait", &["text"]),
    ("dialog", &["accept"]),
    ("evaluate", &["expression"]),
    ("screenshot", &["ref"]),
];

/// What needs no words in a schema, whose readers see the names of all tools at once.
const WORDS: [(&str, &str); 11] = [
    ("ref", "Its ref, such as @e7"),
    ("from", "Ref of what is dragged"),
    ("to", "Ref of where it goes"),
    ("text", "What it says or is called"),
    ("role", "Its role, such as button"),
    ("limit", "At most so many"),
    ("times", "So many times"),
    ("option", "Its name; several for several"),
    ("in", "Only in the element of this ref"),
    ("files", "Files below the folder of --upload-root"),
    ("url", "Where to"),
];

#[derive(Args)]
pub(crate) struct PageArgs {
    /// Name of the session
    #[arg(short, long, global = true, value_name = "NAME", default_value = "default")]
    pub(crate) session: String,
    /// Ask this once, without a session: a URL, a file, or a trace (`page SOURCE …` is short for it)
    #[arg(long, global = true, value_name = "SOURCE", conflicts_with = "session")]
    pub(crate) on: Option<String>,
    /// With a trace: begin at this step
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) step: u32,
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

fn places(tool: &str) -> &'static [&'static str] {
    PLACES.iter().find(|(name, _)| *name == tool).map_or(&[], |(_, places)| places)
}

impl Subcommand for PageCommand {
    fn augment_subcommands(command: Command) -> Command {
        let open = OpenArgs::augment_args(Command::new("open"));
        let close = CloseArgs::augment_args(Command::new("close"));
        let keep = KeepArgs::augment_args(Command::new("keep"));
        let command = command
            .subcommand(open.about("Open a page in a session: with Chromium, or along a trace"))
            .subcommand(Command::new("sessions").about("List the sessions"))
            .subcommand(close.about("End the session, or all"))
            .subcommand(keep.about("Be the background process").hide(true));
        tools().iter().fold(command, |command, tool| command.subcommand(tool_command(tool)))
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

/// A property of a tool's schema.
struct Property<'a> {
    name: &'a str,
    schema: &'a Value,
    required: bool,
}

impl<'a> Property<'a> {
    fn all(schema: &'a Map<String, Value>) -> Vec<Self> {
        let required = |name: &str| {
            schema.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|one| one == name))
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let property = |(name, schema): (&'a String, &'a Value)| Self { name, schema, required: required(name) };
        properties.into_iter().flatten().map(property).collect()
    }

    /// Returns the types that its value may have.
    fn types(&self) -> Vec<&str> {
        match self.schema.get("type") {
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
            Some(one) => one.as_str().into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn has(&self, kind: &str) -> bool {
        self.types().contains(&kind)
    }

    /// Returns whether it may be several texts, one an argument.
    fn is_texts(&self) -> bool {
        self.schema.pointer("/items/type").is_some_and(|kind| kind == "string")
    }

    /// Returns the value that a text stands for; a text that is no such value is sent as it is, and
    /// the tool says what it takes.
    fn value(&self, text: &str) -> Value {
        let number = || text.parse::<Number>().ok().map(Value::Number);
        let is_number = self.has("integer") || self.has("number");
        if self.has("string") || self.schema.get("enum").is_some() {
            return Value::from(text);
        }
        let parsed = if is_number {
            number()
        } else if self.has("array") && !text.trim_start().starts_with('[') {
            // 10,20 is a point.
            serde_json::from_str(&format!("[{text}]")).ok()
        } else {
            serde_json::from_str(text).ok()
        };
        parsed.unwrap_or_else(|| Value::from(text))
    }
}

fn tool_command(tool: &Tool) -> Command {
    let schema = plain_schema(tool);
    let name = command_of(tool.name);
    let mut command = Command::new(name).about(tool.why).allow_negative_numbers(true);
    if name != tool.name {
        command = command.alias(tool.name);
    }
    let places = places(tool.name);
    if places == ["TARGET"] {
        let help = "Its ref, such as @e7, or what it says";
        command = command.arg(Arg::new("TARGET").value_name("REF|TEXT").help(help));
    }
    for property in Property::all(&schema) {
        command = command.arg(argument(tool.name, &property, places.iter().position(|place| *place == property.name)));
    }
    if tool.name == "screenshot" {
        let help = "Write the picture into this file";
        command = command
            .arg(Arg::new("out").long("out").value_name("FILE").help(help).value_parser(clap::value_parser!(PathBuf)));
    }
    command
}

fn argument(tool: &str, property: &Property<'_>, place: Option<usize>) -> Arg {
    let words = property.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let words = match words.split_whitespace().collect::<Vec<_>>().join(" ") {
        none if none.is_empty() => {
            WORDS.iter().find(|(name, _)| *name == property.name).map_or("", |(_, words)| words).to_owned()
        }
        words => words,
    };
    let arg = Arg::new(property.name.to_owned()).help(words);
    let value_name = option_of(property.name).to_uppercase();
    match (tool, property.name) {
        ("fill", "fields") => {
            let help = "Each field and its value, as @e5=Ada: text, true or false, an option, or [\"one\",\"two\"]";
            let arg = arg.value_name("REF=VALUE").num_args(1..).required(true).help(help);
            return arg.value_parser(with_value);
        }
        ("type", "ref") => {
            let help = "The field; or the text alone, which goes into what has the focus";
            return arg.index(1).value_name("REF|TEXT").required(true).help(help);
        }
        ("type", "text") => return arg.index(2).value_name("TEXT").allow_hyphen_values(true).help("What it is set to"),
        ("dialog", "accept") => {
            let parser = PossibleValuesParser::new(["accept", "dismiss"]);
            return arg.value_name("ANSWER").value_parser(parser).required(true).help("What it is answered");
        }
        _ => {}
    }
    let arg = match place {
        Some(place) => arg.index(place + 1).required(property.required),
        None => arg.long(option_of(property.name)).required(property.required),
    };
    if property.has("boolean") {
        // `--full`, and `--failed-first=false` where it is true unless said otherwise.
        let arg = arg.num_args(0..=1).require_equals(true).default_missing_value("true");
        return arg.value_name("BOOL").hide_possible_values(true).value_parser(clap::value_parser!(bool));
    }
    let arg = arg.value_name(value_name);
    if property.is_texts() {
        return match place {
            Some(_) => arg.num_args(1..),
            None => arg.action(ArgAction::Append),
        };
    }
    // A point may begin with a minus.
    let arg = arg.allow_hyphen_values(property.has("array"));
    let values = property.schema.get("enum").and_then(Value::as_array);
    // Names of strategies are many: the tool lists them when one is wrong.
    match values.filter(|values| values.len() <= 8) {
        Some(values) => {
            let values: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            arg.value_parser(PossibleValuesParser::new(values)).ignore_case(true)
        }
        None => arg,
    }
}

/// Returns whether a text is written as a ref.
fn is_ref(text: &str) -> bool {
    let number = text.strip_prefix("@e").or_else(|| text.strip_prefix('e'));
    number.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

fn call(tool: &Tool, matches: &ArgMatches) -> Result<Call, Error> {
    let schema = plain_schema(tool);
    let mut arguments = Map::new();
    let texts =
        |name: &str| -> Vec<String> { matches.get_many::<String>(name).into_iter().flatten().cloned().collect() };
    if places(tool.name) == ["TARGET"]
        && let Some(target) = matches.get_one::<String>("TARGET")
    {
        let name = if is_ref(target) { "ref" } else { "text" };
        arguments.insert(name.to_owned(), Value::from(target.as_str()));
    }
    for property in Property::all(&schema) {
        let name = property.name;
        let value = match (tool.name, name) {
            ("fill", "fields") => Some(texts(name).iter().filter_map(|text| field(text)).collect()),
            // One word is the text, two are the field and the text.
            ("type", "ref") => texts("text").first().and_then(|_| texts(name).pop()).map(Value::from),
            ("type", "text") => texts(name).pop().or_else(|| texts("ref").pop()).map(Value::from),
            ("dialog", "accept") => matches.get_one::<String>(name).map(|answer| json!(answer == "accept")),
            _ if property.has("boolean") => matches.get_one::<bool>(name).map(|is_so| Value::Bool(*is_so)),
            _ if property.is_texts() => {
                let texts = texts(name);
                (!texts.is_empty()).then(|| json!(texts))
            }
            _ => matches.get_one::<String>(name).map(|text| property.value(text)),
        };
        if let Some(value) = value {
            arguments.insert(name.to_owned(), value);
        }
    }
    if tool.name == "type"
        && !arguments.contains_key("ref")
        && arguments.get("text").and_then(Value::as_str).is_some_and(is_ref)
    {
        let message = "what is to be typed is missing: page type @e5 'some words'\n";
        return Err(Error::raw(ErrorKind::MissingRequiredArgument, message));
    }
    let out = (tool.name == "screenshot").then(|| matches.get_one::<PathBuf>("out").cloned()).flatten();
    Ok(Call { tool: tool.name, arguments: Value::Object(arguments), out })
}

fn with_value(text: &str) -> Result<String, String> {
    if text.contains('=') {
        Ok(text.to_owned())
    } else {
        Err("it has no value; write each field as @e5=Ada".to_owned())
    }
}

/// Reads a field and its value: `@e5=Ada`, `@e6=true`, `@e7=["S","M"]`.
fn field(text: &str) -> Option<Value> {
    let (reference, value) = text.split_once('=')?;
    let value = match value {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        list if list.starts_with('[') => serde_json::from_str(list).unwrap_or_else(|_| Value::from(list)),
        text => Value::from(text),
    };
    Some(json!({ "ref": reference, "value": value }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Verb};
    use clap::{CommandFactory as _, Parser as _};

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
            (vec!["dialog", "dismiss"], "dialog", json!({ "accept": false })),
            (vec!["text", "what does it cost"], "read_text", json!({ "query": "what does it cost" })),
            (vec!["read_text", "--skip", "20"], "read_text", json!({ "skip": 20 })),
            (vec!["network", "--failed-only"], "get_network_requests", json!({ "failedOnly": true })),
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
            let name = command_of(tool.name);
            assert!(tool_command(&tool).get_arguments().count() >= Property::all(&plain_schema(&tool)).len(), "{name}");
        }
        for wrong in
            [vec!["fill", "@e5"], vec!["clik", "@e5"], vec!["dialog", "maybe"], vec!["type"], vec!["type", "@e5"]]
        {
            let words = ["browserlens", "page"].iter().chain(&wrong);
            assert!(Cli::try_parse_from(words).is_err(), "{wrong:?}");
        }
    }
}
