//! A command of a tool, made of the schema of its arguments.
//!
//! Invariant: names, types and words of a tool's arguments stand in its schema alone; here stands
//! which of them need no name.

use super::option_of;
use browserlens_core::page::text::folded;
use browserlens_knowledge::translate::chord;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error};
use serde_json::{Map, Number, Value, json};

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

/// What is one text of several words, in quotes or not.
const SENTENCES: [(&str, &str); 3] = [("find", "text"), ("read_text", "query"), ("wait", "text")];

/// What may stand without its name, behind what has none.
const ALONE: [(&str, &str); 5] = [
    ("tabs", "switch"),
    ("dialog", "text"),
    ("get_dom_snapshot", "selector"),
    ("get_html", "selector"),
    ("get_text", "selector"),
];

/// What needs no words in a schema, whose readers see the names of all tools at once.
const WORDS: [(&str, &str); 15] = [
    ("ref", "Its ref, such as @e7"),
    ("from", "What is dragged: its ref, or what it says"),
    ("to", "Where it goes: the ref, or what it says"),
    ("text", "What it says or is called"),
    ("role", "Its role, such as button"),
    ("limit", "At most so many"),
    ("times", "So many times"),
    ("option", "Its name; several for several"),
    ("in", "Only in the element of this ref, or in the row or card that says this"),
    ("files", "Files to give; below the folder of --upload-root, where that was given"),
    ("url", "Where to"),
    ("at", "[x, y] in CSS px from its corner; without a ref, in the viewport"),
    ("by", "Or so far: [x, y] in CSS px"),
    ("x", "So many px to the right"),
    ("y", "So many px down"),
];

/// What options are called too: in the version before this one, or where a source is asked once.
const ALSO: [(&str, &str); 9] = [
    ("depth", "max-depth"),
    ("nocache", "no-cache"),
    ("logLevels", "levels"),
    ("searchTerm", "search"),
    ("resourceType", "type"),
    ("tabId", "tab"),
    ("includeRequestBodies", "request-bodies"),
    ("includeResponseBodies", "response-bodies"),
    ("includeStyles", "styles"),
];

fn places(tool: &str) -> &'static [&'static str] {
    PLACES.iter().find(|(name, _)| *name == tool).map_or(&[], |(_, places)| places)
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

    /// Returns whether it may be several texts, or texts and numbers, one an argument.
    fn is_list(&self) -> bool {
        self.schema.pointer("/items/type").map_or(self.has("array"), |kind| kind == "string")
    }

    /// Returns what one of several texts stands for.
    fn part(&self, text: String) -> Value {
        let number = if self.schema.get("items").is_none() { text.parse::<Number>().ok() } else { None };
        number.map_or_else(|| Value::from(text), Value::Number)
    }

    /// Returns the value that a text stands for; a text that is no such value is sent as it is, and
    /// the tool says what it takes.
    fn value(&self, text: &str) -> Value {
        let number = || text.parse().ok().or_else(|| text.parse::<i64>().ok().map(Number::from)).map(Value::Number);
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

/// Returns the command of a tool; `name` is what it is called here.
pub(super) fn tool_command(name: &'static str, tool: &str, why: &'static str, schema: &Map<String, Value>) -> Command {
    let mut command = Command::new(name).about(why).allow_negative_numbers(true);
    let places = places(tool);
    if places == ["TARGET"] {
        let help = "Its ref, such as @e7, or what it says";
        command = command.arg(Arg::new("TARGET").value_name("REF|TEXT").help(help));
    }
    for property in Property::all(schema) {
        command = command.arg(argument(tool, &property, places.iter().position(|place| *place == property.name)));
    }
    command
}

/// Returns the argument of a tool that may stand without its name where no source does.
#[cfg(feature = "serve")]
pub(super) fn alone(tool: &str) -> Option<Arg> {
    let (_, property) = ALONE.iter().find(|(name, _)| *name == tool)?;
    let option = option_of(property);
    let arg = Arg::new("ALONE").value_name(option.to_uppercase()).help(format!("As --{option}"));
    Some(arg.index(places(tool).len() + 1).conflicts_with(*property))
}

fn argument(tool: &str, property: &Property<'_>, place: Option<usize>) -> Arg {
    let words = property.schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let words = match folded(words) {
        // A model reads these in fewer words than a person.
        words if words.is_empty() || matches!(property.name, "in" | "at" | "by") => {
            WORDS.iter().find(|(name, _)| *name == property.name).map_or("", |(_, words)| words).to_owned()
        }
        words => words,
    };
    let words = words.trim_end_matches('.');
    // What inspection filters by are words; other texts may hold commas.
    let by_commas = place.is_none() && property.is_list() && tool.starts_with("get_");
    let words = if by_commas { format!("{words}; several by commas") } else { words.to_owned() };
    let arg = Arg::new(property.name.to_owned()).help(words);
    let is_number = property.has("integer") || property.has("number");
    let value_name = match property.name {
        _ if is_number => "N".to_owned(),
        // A ref alone has a pattern.
        "ref" | "from" | "to" if property.schema.get("pattern").is_none() => "REF|TEXT".to_owned(),
        name => option_of(name).to_uppercase(),
    };
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
        ("press", "key") => {
            let help = "Keys one after the other, such as Enter or Control+A, each with how often; before them what \
                        they are pressed on: @e7 Home ArrowRight 3";
            return arg.index(1).value_name("[REF|TEXT] KEY [N]").num_args(1..).required(true).help(help);
        }
        ("dialog", "accept") => {
            let parser = PossibleValuesParser::new(["accept", "dismiss"]);
            return arg.value_name("ANSWER").value_parser(parser).required(true).help("What it is answered");
        }
        _ => {}
    }
    let arg = match place {
        Some(place) => {
            let arg = arg.index(place + 1).required(property.required);
            if SENTENCES.contains(&(tool, property.name)) { arg.num_args(1..) } else { arg }
        }
        None => {
            let also = ALSO.iter().filter(|(name, _)| *name == property.name).map(|(_, also)| *also);
            arg.long(option_of(property.name)).aliases(also).required(property.required)
        }
    };
    if property.has("boolean") {
        // `--full`, and `--failed-first=false` where it is true unless said otherwise.
        let arg = arg.num_args(0..=1).require_equals(true).default_missing_value("true");
        return arg.value_name("BOOL").hide_possible_values(true).value_parser(clap::value_parser!(bool));
    }
    let arg = arg.value_name(value_name);
    if property.is_list() {
        return match place {
            Some(_) => arg.num_args(1..),
            None if by_commas => arg.action(ArgAction::Append).value_delimiter(','),
            None => arg.action(ArgAction::Append),
        };
    }
    // A point may begin with a minus, and so may what a cursor is written as.
    let arg = arg.allow_hyphen_values(property.has("array") || property.name == "cursor");
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

/// Returns what a tool is given.
pub(super) fn arguments_of(
    tool: &str,
    schema: &Map<String, Value>,
    matches: &ArgMatches,
) -> Result<Map<String, Value>, Error> {
    let mut arguments = Map::new();
    let texts =
        |name: &str| -> Vec<String> { matches.get_many::<String>(name).into_iter().flatten().cloned().collect() };
    if places(tool) == ["TARGET"]
        && let Some(target) = matches.get_one::<String>("TARGET")
    {
        let name = if is_ref(target) { "ref" } else { "text" };
        arguments.insert(name.to_owned(), Value::from(target.as_str()));
    }
    for property in Property::all(schema) {
        let name = property.name;
        let value = match (tool, name) {
            ("fill", "fields") => Some(texts(name).iter().filter_map(|text| field(text)).collect()),
            ("press", "key") => {
                let mut words = texts(name);
                let is_on = |word: &String| is_ref(word) || chord(word).is_none();
                if words.len() > 1 && words.first().is_some_and(is_on) {
                    arguments.insert("ref".to_owned(), Value::from(words.remove(0)));
                }
                let mut keys: Vec<String> = Vec::new();
                for word in words {
                    let is_counted = |key: &str| key.rsplit_once('*').is_some_and(|(key, _)| !key.is_empty());
                    match keys.last_mut().filter(|key| word.parse::<u32>().is_ok() && !is_counted(key)) {
                        Some(key) => *key = format!("{key}*{word}"),
                        None => keys.push(word),
                    }
                }
                Some(Value::from(keys.join(" ")))
            }
            ("press", "ref") if arguments.contains_key(name) => None,
            _ if SENTENCES.contains(&(tool, name)) => {
                Some(texts(name).join(" ")).filter(|text| !text.is_empty()).map(Value::from)
            }
            // One word is the text, two are the field and the text.
            ("type", "ref") => texts("text").first().and_then(|_| texts(name).pop()).map(Value::from),
            ("type", "text") => texts(name).pop().or_else(|| texts("ref").pop()).map(Value::from),
            ("dialog", "accept") => matches.get_one::<String>(name).map(|answer| json!(answer == "accept")),
            _ if property.has("boolean") => matches.get_one::<bool>(name).map(|is_so| Value::Bool(*is_so)),
            _ if property.is_list() => {
                let given = texts(name);
                // Joined again, what was cut at commas is the list as JSON that it was.
                let values: Vec<Value> = match serde_json::from_str(&given.join(",")) {
                    Ok(Value::Array(values)) if property.schema.get("items").is_none() => values,
                    _ => given.into_iter().map(|text| property.part(text)).collect(),
                };
                (!values.is_empty()).then(|| json!(values))
            }
            _ => {
                let alone = || matches.try_get_one::<String>("ALONE").ok().flatten();
                let text =
                    matches.get_one::<String>(name).or_else(|| alone().filter(|_| ALONE.contains(&(tool, name))));
                text.map(|text| property.value(text))
            }
        };
        if let Some(value) = value {
            arguments.insert(name.to_owned(), value);
        }
    }
    if tool == "type"
        && !arguments.contains_key("ref")
        && arguments.get("text").and_then(Value::as_str).is_some_and(is_ref)
    {
        let message = "what is to be typed is missing: page type @e5 'some words'\n";
        return Err(Error::raw(ErrorKind::MissingRequiredArgument, message));
    }
    Ok(arguments)
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
