//! What is asked of a page's text, and how that is spelled.
//!
//! In: an option text as an agent writes it. Out: [`ReadOptions`], and the text again
//! ([`fmt::Display`]). Invariant: `options.to_string().parse() == options`; an option that is
//! unknown, wrong or given twice is an error that names it.
//!
//! ```text
//! options    = [ words ] *( option )                     words without an option before them are the query
//! option     = "query=" text | "section=" text | "graph" | "nocache" | "limit=" N | "offset=" N
//!            | "cut=" ( "h3" | "all" ) | "min_relevance=" number | "within=" N | "chars=" N | "skip=" N
//! text       = '"' any characters, with \" and \\ '"' | words up to the next option
//! ```
//!
//! Options are parted by white space. Words that look like an option (`graph`, `limit=3`) are in a
//! text only if it is quoted.

use crate::Cut;
use browserlens_core::strategy::OptionsError;
use std::fmt;
use std::str::FromStr;

/// Sections that a query gives if not said otherwise.
pub const DEFAULT_LIMIT: usize = 3;

/// Most characters of an answer if not said otherwise.
pub const DEFAULT_CHARS: usize = 20_000;

/// What is asked of a page's text.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Gives the sections that answer this, best first; else sections come in order.
    pub query: Option<String>,
    /// Gives a section and what lies under it: its number or its heading.
    pub section: Option<String>,
    /// Gives the page's content graph.
    pub graph: bool,
    /// Takes what the page said from the cache, if it still says that.
    pub cache: bool,
    /// Most sections; none is [`DEFAULT_LIMIT`] for a query and no limit else.
    pub limit: Option<usize>,
    /// Sections that are passed over.
    pub offset: usize,
    /// Which headings begin a section.
    pub cut: Cut,
    /// Says that nothing answers a query where no section has this probability; 0 gives whatever is
    /// found. Not said, it is [`DEFAULT_RELEVANCE`](crate::retrieval::DEFAULT_RELEVANCE) with the
    /// built-in embedder and no threshold with another, which may find answers in other words.
    pub min_relevance: Option<f32>,
    /// Gives what lies within so many steps of the section in the content graph.
    pub within: Option<usize>,
    /// Most characters of an answer; 0 for all. Whole sections are left out where there is no room.
    pub chars: usize,
    /// Characters that are passed over.
    pub skip: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            query: None,
            section: None,
            graph: false,
            cache: true,
            limit: None,
            offset: 0,
            cut: Cut::default(),
            min_relevance: None,
            within: None,
            chars: DEFAULT_CHARS,
            skip: 0,
        }
    }
}

/// Names of the options.
const NAMES: [&str; 11] =
    ["query", "section", "graph", "nocache", "limit", "offset", "cut", "min_relevance", "within", "chars", "skip"];

fn wrong(option: &str, reason: impl Into<String>) -> OptionsError {
    OptionsError { option: option.to_owned(), reason: reason.into() }
}

/// Returns the name of the option that a text begins with, and what follows the name.
fn option_at(text: &str) -> Option<(&'static str, &str)> {
    NAMES.into_iter().find_map(|name| {
        let rest = text.strip_prefix(name)?;
        match name {
            "graph" | "nocache" => (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some((name, rest)),
            _ => rest.strip_prefix('=').map(|rest| (name, rest)),
        }
    })
}

/// Cuts a text off before the next option.
fn words(text: &str) -> (&str, &str) {
    let mut end = text.len();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if at > 0 && before.is_whitespace() && !c.is_whitespace() && option_at(&text[at..]).is_some() {
            end = at;
            break;
        }
        before = c;
    }
    (text[..end].trim(), &text[end..])
}

/// Reads a quoted text behind its opening mark.
fn quoted<'t>(option: &str, text: &'t str) -> Result<(String, &'t str), OptionsError> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let rest = &text[at + 1..];
                if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
                    return Err(wrong(option, "goes on behind its closing quotation mark, expected a blank"));
                }
                return Ok((out, rest));
            }
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => out.push(c),
                _ => return Err(wrong(option, "has a lone \"\\\" in quotation marks, expected \\\" or \\\\")),
            },
            c => out.push(c),
        }
    }
    Err(wrong(option, "has no closing quotation mark"))
}

fn owned<'t>((value, behind): (&str, &'t str)) -> (String, &'t str) {
    (value.to_owned(), behind)
}

impl FromStr for ReadOptions {
    type Err = OptionsError;

    fn from_str(text: &str) -> Result<Self, OptionsError> {
        let mut options = Self::default();
        let mut given: Vec<&str> = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let Some((name, behind)) = option_at(rest) else {
                let word = rest.split_whitespace().next().unwrap_or_default();
                let known = NAMES.join(", ");
                if let Some((name, _)) = word.split_once('=').filter(|_| given.is_empty()) {
                    return Err(wrong(name, format!("is not known; known are {known} (quote a query that has \"=\")")));
                }
                if !given.is_empty() {
                    return Err(wrong(
                        word,
                        format!("is not known; known are {known} (quote a text that has an option's name)"),
                    ));
                }
                let (query, behind) = words(rest);
                options.query = Some(query.to_owned());
                given.push("query");
                rest = behind.trim_start();
                continue;
            };
            if given.contains(&name) {
                return Err(wrong(name, "is given twice"));
            }
            given.push(name);
            let (value, behind) = match (name, behind.strip_prefix('"')) {
                ("query" | "section", Some(inner)) => quoted(name, inner)?,
                ("query" | "section", None) => owned(words(behind)),
                // A flag has no value: a blank follows it, or nothing.
                _ => owned(behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len()))),
            };
            options.set(name, value)?;
            rest = behind.trim_start();
        }
        Ok(options)
    }
}

impl ReadOptions {
    fn set(&mut self, name: &str, value: String) -> Result<(), OptionsError> {
        let number = |least: usize| {
            value
                .parse::<usize>()
                .ok()
                .filter(|number| *number >= least)
                .ok_or_else(|| wrong(name, format!("is {value:?}, expected a whole number of at least {least}")))
        };
        match name {
            "graph" => self.graph = true,
            "nocache" => self.cache = false,
            "query" | "section" if value.trim().is_empty() => return Err(wrong(name, "is empty, expected a text")),
            "query" => self.query = Some(value),
            "section" => self.section = Some(value),
            "limit" => self.limit = Some(number(1)?),
            "offset" => self.offset = number(0)?,
            "within" => self.within = Some(number(1)?),
            "chars" => self.chars = number(0)?,
            "skip" => self.skip = number(0)?,
            "cut" => {
                let unknown = || wrong(name, format!("is {value:?}, expected \"h3\" or \"all\""));
                self.cut = Cut::from_name(&value).ok_or_else(unknown)?;
            }
            _ => {
                let number = value.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
                let wrong = || wrong(name, format!("is {value:?}, expected a number from 0 to 1"));
                self.min_relevance = Some(number.ok_or_else(wrong)?);
            }
        }
        Ok(())
    }

    /// Returns the most characters of an answer.
    pub fn most_chars(&self) -> usize {
        if self.chars == 0 { usize::MAX } else { self.chars }
    }

    /// Returns the most sections that are given.
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(if self.query.is_some() { DEFAULT_LIMIT } else { usize::MAX })
    }
}

impl fmt::Display for ReadOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        let quote = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        parts.extend(self.query.as_ref().map(|query| format!("query={}", quote(query))));
        parts.extend(self.section.as_ref().map(|section| format!("section={}", quote(section))));
        parts.extend(self.graph.then(|| "graph".to_owned()));
        parts.extend((!self.cache).then(|| "nocache".to_owned()));
        parts.extend(self.limit.map(|limit| format!("limit={limit}")));
        parts.extend((self.offset > 0).then(|| format!("offset={}", self.offset)));
        parts.extend((self.cut == Cut::H3).then(|| "cut=h3".to_owned()));
        parts.extend(self.min_relevance.map(|least| format!("min_relevance={least}")));
        parts.extend(self.within.map(|steps| format!("within={steps}")));
        parts.extend((self.chars != DEFAULT_CHARS).then(|| format!("chars={}", self.chars)));
        parts.extend((self.skip > 0).then(|| format!("skip={}", self.skip)));
        f.write_str(&parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> ReadOptions {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refused(text: &str) -> String {
        text.parse::<ReadOptions>().expect_err(text).to_string()
    }

    #[test]
    fn the_four_options_of_the_tool_and_the_further_ones() {
        assert_eq!(parsed(""), ReadOptions::default());
        let query = |query: &str| Some(query.to_owned());
        assert_eq!(
            parsed("query=installation requirements nocache limit=5"),
            ReadOptions {
                query: query("installation requirements"),
                cache: false,
                limit: Some(5),
                ..ReadOptions::default()
            }
        );
        assert_eq!(
            parsed("pricing of the plans graph"),
            ReadOptions { query: query("pricing of the plans"), graph: true, ..ReadOptions::default() }
        );
        let text = "query=\"the \\\"graph\\\" limit=1\" section=Use offset=2 cut=h3 min_relevance=0.25";
        let options = parsed(text);
        assert_eq!(
            (options.query.as_deref(), options.section.as_deref(), options.offset, options.cut, options.min_relevance),
            (Some("the \"graph\" limit=1"), Some("Use"), 2, Cut::H3, Some(0.25))
        );
        assert_eq!((options.limit(), parsed("").limit(), parsed("limit=7").limit()), (3, usize::MAX, 7));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_allowed() {
        let all = [
            "limit=0", "limit=many", "offset=-1", "cut=h2", "min_relevance=2", "min_relevance=NaN", "query=",
            "query=\"\"", "section=  nocache", "limt=3", "nocache x", "query=a query=b", "query=\"a", "query=\"a\"b",
            "query=\"a\\b\"", "query=a graph b",
        ];
        insta::assert_snapshot!(all.map(refused).join("\n"), @"
        option \"limit\": is \"0\", expected a whole number of at least 1
        option \"limit\": is \"many\", expected a whole number of at least 1
        option \"offset\": is \"-1\", expected a whole number of at least 0
        option \"cut\": is \"h2\", expected \"h3\" or \"all\"
        option \"min_relevance\": is \"2\", expected a number from 0 to 1
        option \"min_relevance\": is \"NaN\", expected a number from 0 to 1
        option \"query\": is empty, expected a text
        option \"query\": is empty, expected a text
        option \"section\": is empty, expected a text
        option \"limt\": is not known; known are query, section, graph, nocache, limit, offset, cut, min_relevance, \
            within, chars, skip (quote a query that has \"=\")
        option \"x\": is not known; known are query, section, graph, nocache, limit, offset, cut, min_relevance, \
            within, chars, skip (quote a text that has an option's name)
        option \"query\": is given twice
        option \"query\": has no closing quotation mark
        option \"query\": goes on behind its closing quotation mark, expected a blank
        option \"query\": has a lone \"\\\" in quotation marks, expected \\\" or \\\\
        option \"b\": is not known; known are query, section, graph, nocache, limit, offset, cut, min_relevance, \
            within, chars, skip (quote a text that has an option's name)
        ");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            query in prop::option::of("[ -~\u{e9}\n]{0,20}[a-z\"\\\\]"),
            section in prop::option::of("\\PC{0,10}x"),
            flags in any::<(bool, bool, bool)>(),
            limit in prop::option::of(1usize..100),
            offset in 0usize..100,
            min_relevance in prop::option::of(0.0f32..=1.0),
            more in (prop::option::of(1usize..9), 0usize..30_000, 0usize..9),
        ) {
            let (graph, cache, h3) = flags;
            let cut = if h3 { Cut::H3 } else { Cut::All };
            let (within, chars, skip) = more;
            let options =
                ReadOptions { query, section, graph, cache, limit, offset, cut, min_relevance, within, chars, skip };
            prop_assert_eq!(parsed(&options.to_string()), options);
        }

        #[test]
        fn any_text_is_options_or_an_error(text in "(query=|nocache|graph|limit=|\"|\\\\|[a-z0-9= ]|\\PC){0,12}") {
            if let Ok(options) = text.parse::<ReadOptions>() {
                prop_assert_eq!(parsed(&options.to_string()), options);
            }
        }
    }
}
