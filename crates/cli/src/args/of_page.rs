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
const OLD: [(&str, &str); 4] = [
    ("snapshot", "page SOURCE outline|content|controls"),
    ("chunks", "page SOURCE chunks"),
    ("read", "page SOURCE text"),
    ("inspect", "page SOURCE summary|console|network|dom|html|har"),
];

/// What in a session tells what is asked of a source by a word that no session knows.
const IN_A_SESSION: [(&str, &str); 4] = [
    ("outline", "snapshot outline"),
    ("content", "snapshot content"),
    ("controls", "snapshot interactive"),
    ("har", "network"),
];

/// Returns the arguments of `page SOURCE WHAT …` in the order in which they are read; others as
/// they are. `is_command` tells which words are commands of `page` itself.
///
/// # Errors
/// What is wrong and what to do, where a source is named and nothing known is asked of it.
pub(crate) fn of_a_page(
    arguments: Vec<OsString>,
    is_command: impl Fn(&str) -> bool,
) -> Result<Vec<OsString>, (String, String)> {
    let arguments = source_first(arguments);
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str());
    let asked = |word: &str| ASKED.iter().find(|(what, _)| *what == word).map(|(_, verb)| *verb);
    let begins = |at: usize| word(at).is_some_and(|word| asked(word).is_some() || is_command(word));
    if word(1) != Some("page") || word(2).is_none_or(|first| first.starts_with('-') || is_command(first)) {
        return Ok(arguments);
    }
    let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
    let sources = arguments[2..].iter().take_while(|word| !is_option(word)).count();
    let Some(at) = (2..2 + sources).find(|at| begins(*at)) else {
        let (source, next) = (arguments[2].to_string_lossy(), arguments.get(3));
        let asks_help = next.is_some_and(|word| ["--help", "-h"].iter().any(|help| word == help));
        if asks_help && !source.contains(['/', '.', ':', '@']) && !std::path::Path::new(&*source).exists() {
            let message = format!("{source:?} is no command of `page`, and no source");
            return Err((message, "`browserlens page --help` lists the commands".to_owned()));
        }
        if asks_help {
            return Ok(vec![arguments[0].clone(), "page".into(), "--help".into()]);
        }
        let what: Vec<&str> = ASKED.iter().map(|(what, _)| *what).collect();
        let message = match next {
            None => format!("nothing is asked of {source:?}"),
            Some(word) if is_option(word) => format!("what is asked of {source:?} stands behind it, before options"),
            Some(word) => format!("{:?} is nothing that can be asked of {source:?}", word.to_string_lossy()),
        };
        let hint = format!("ask {}, or a command that `browserlens page --help` lists, such as find", what.join(", "));
        return Err((message, hint));
    };
    let (given, rest) = (&arguments[2..at], &arguments[at + 1..]);
    let what = word(at).unwrap_or_default();
    if given.is_empty()
        && rest.is_empty()
        && let Some((_, session)) = IN_A_SESSION.iter().find(|(word, _)| *word == what)
    {
        let message = format!("{what} is asked of a source, and none is named");
        return Err((message, format!("browserlens page SOURCE {what}; in a session: browserlens page {session}")));
    }
    let mut read = vec![arguments[0].clone()];
    let mut add = |words: &[&str]| read.extend(words.iter().map(OsString::from));
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
    Ok(read)
}

/// Returns the arguments of `page --step K SOURCE WHAT …` with the option behind them.
fn source_first(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    let length = match word(2) {
        _ if word(1) != "page" => 0,
        "--step" => 2,
        option if option.starts_with("--step=") => 1,
        _ => 0,
    };
    if length > 0 && arguments.len() > 2 + length {
        let option: Vec<OsString> = arguments.drain(2..2 + length).collect();
        let end = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
        arguments.splice(end..end, option);
    }
    arguments
}

/// Returns what to do where a command of a session was given a source behind it.
pub(crate) fn source_is_behind(arguments: &[OsString], refused: &str) -> Option<String> {
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    let is_source = refused.contains("://") || std::path::Path::new(refused).is_file();
    (word(1) == "page" && is_source && !word(2).starts_with('-'))
        .then(|| format!("the source stands before what is asked: `browserlens page {refused} {}`", word(2)))
}

/// Returns how a verb of the version before this one is said now.
pub(crate) fn now_said(arguments: &[OsString]) -> Option<String> {
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    let (old, now) = OLD.iter().find(|(old, _)| *old == word(1))?;
    let mode = arguments.iter().position(|word| word == "--mode").map(|at| word(at + 1));
    let exact = match (*old, word(2), mode) {
        ("inspect", what, _) => ASKED.iter().find(|(_, verb)| verb[..] == ["inspect", what]).map(|(what, _)| *what),
        ("snapshot", _, Some(mode)) => ASKED.iter().find(|(_, verb)| verb.last() == Some(&mode)).map(|(what, _)| *what),
        _ => None,
    };
    Some(exact.map_or((*now).to_owned(), |what| format!("page SOURCE {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let is_command = |word: &str| ["open", "find", "click", "text", "console"].contains(&word);
        match of_a_page(words, is_command) {
            Ok(words) => words.join(OsStr::new(" ")).into_string().expect("is text"),
            Err((message, _)) => message,
        }
    }

    #[test]
    fn what_is_asked_of_a_source_goes_to_what_answers_it() {
        for (line, expected) in [
            ("b page a.trace outline --step 2", "b snapshot --mode outline a.trace --step 2"),
            ("b page https://a.test/ console --levels error", "b inspect console https://a.test/ --levels error"),
            ("b page a.trace b.html text cost --limit 2", "b read a.trace b.html --query cost --limit 2"),
            ("b page a.trace text --section 2", "b read a.trace --section 2"),
            ("b page a.trace find save --step 3", "b page --on a.trace find save --step 3"),
            ("b page --step 3 a.trace find save", "b page --on a.trace find save --step 3"),
            ("b page --step=3 a.trace dom", "b inspect dom a.trace --step=3"),
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
            "b bench outline",
            "b page --help",
        ] {
            assert_eq!(read(line), line);
        }
    }

    #[test]
    fn a_source_of_which_nothing_known_is_asked_is_said_with_what_can_be() {
        for (line, expected) in [
            ("b page a.trace", "nothing is asked of \"a.trace\""),
            ("b page a.trace outlne", "\"outlne\" is nothing that can be asked of \"a.trace\""),
            ("b page a.trace --step 2 outline", "what is asked of \"a.trace\" stands behind it, before options"),
            ("b page outline", "outline is asked of a source, and none is named"),
            ("b page a.trace --help", "b page --help"),
        ] {
            assert_eq!(read(line), expected);
        }
    }

    #[test]
    fn old_verbs_are_told_exactly_where_they_say_what_they_ask() {
        for (line, expected) in [
            ("b inspect console a.trace", Some("page SOURCE console")),
            ("b inspect text a.trace", Some("page SOURCE get_text")),
            ("b snapshot a.trace --mode content", Some("page SOURCE content")),
            ("b snapshot a.trace", Some("page SOURCE outline|content|controls")),
            ("b read a.trace", Some("page SOURCE text")),
            ("b bench", None),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(now_said(&words).as_deref(), expected, "{line}");
        }
    }
}
