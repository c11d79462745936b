//! `page SOURCE WHAT`: all that can be asked of a page, under one verb.
//!
//! What is asked decides which arguments are taken: each of [`ASKED`] has a list of its own, every
//! other is a tool's, asked once (`page --on SOURCE TOOL`).

use std::ffi::{OsStr, OsString};

/// What is asked, and the arguments that take it.
const ASKED: [(&str, &[&str]); 12] = [
    ("outline", &["snapshot", "--mode", "outline"]),
    ("content", &["snapshot", "--mode", "content"]),
    ("controls", &["snapshot", "--mode", "interactive"]),
    ("chunks", &["chunks"]),
    ("text", &["read"]),
    ("summary", &["inspect", "summary"]),
    ("console", &["inspect", "console"]),
    ("network", &["inspect", "network"]),
    ("dom", &["inspect", "dom"]),
    ("html", &["inspect", "html"]),
    ("get_text", &["inspect", "text"]),
    ("har", &["inspect", "har"]),
];

/// Verbs of the version before this one that are asked of a page now.
pub(crate) const OLD: [(&str, &str); 4] = [
    ("snapshot", "page SOURCE outline|content|controls"),
    ("chunks", "page SOURCE chunks"),
    ("read", "page SOURCE text"),
    ("inspect", "page SOURCE summary|console|network|dom|html|har"),
];

/// Returns the arguments of `page SOURCE WHAT …` in the order in which they are read; others as
/// they are. `is_command` tells which words are commands of `page` itself.
pub(crate) fn of_a_page(arguments: Vec<OsString>, is_command: impl Fn(&str) -> bool) -> Vec<OsString> {
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str());
    let asked = |word: &str| ASKED.iter().find(|(what, _)| *what == word).map(|(_, verb)| *verb);
    let begins = |at: usize| word(at).is_some_and(|word| asked(word).is_some() || is_command(word));
    if word(1) != Some("page") || word(2).is_none_or(|first| first.starts_with('-') || is_command(first)) {
        return arguments;
    }
    let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
    let sources = arguments[2..].iter().take_while(|word| !is_option(word)).count();
    let Some(at) = (2..2 + sources).find(|at| begins(*at)) else { return arguments };
    let (given, rest) = (&arguments[2..at], &arguments[at + 1..]);
    let mut read = vec![arguments[0].clone()];
    let mut add = |words: &[&str]| read.extend(words.iter().map(OsString::from));
    let what = word(at).unwrap_or_default();
    match asked(what) {
        Some(verb) => add(verb),
        None => add(&["page", "--on"]),
    }
    read.extend_from_slice(given);
    match what {
        // As in a session: what stands alone is the question.
        "text" if rest.first().is_some_and(|word| !is_option(word)) => read.push("--query".into()),
        what if asked(what).is_none() => read.push(what.into()),
        _ => {}
    }
    read.extend_from_slice(rest);
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let is_command = |word: &str| ["open", "find", "click", "text", "console"].contains(&word);
        of_a_page(words, is_command).join(OsStr::new(" ")).into_string().expect("is text")
    }

    #[test]
    fn what_is_asked_of_a_source_goes_to_what_answers_it() {
        for (line, expected) in [
            ("b page a.trace outline --step 2", "b snapshot --mode outline a.trace --step 2"),
            ("b page https://a.test/ console --levels error", "b inspect console https://a.test/ --levels error"),
            ("b page a.trace b.html text cost --limit 2", "b read a.trace b.html --query cost --limit 2"),
            ("b page a.trace text --section 2", "b read a.trace --section 2"),
            ("b page a.trace find save --step 3", "b page --on a.trace find save --step 3"),
            ("b page outline --help", "b snapshot --mode outline --help"),
        ] {
            assert_eq!(read(line), expected);
        }
    }

    #[test]
    fn commands_of_a_session_stand() {
        for line in [
            "b page open https://a.test/",
            "b page click save",
            "b page -s two find save",
            "b page text cost",
            "b page",
            "b page a.trace",
            "b page a.trace --step 3",
            "b bench outline",
            "b page --help",
        ] {
            assert_eq!(read(line), line);
        }
    }
}
