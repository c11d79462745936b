//! `grep`: which parts of a page are shown, by their paths and by what their lines say.
//!
//! In: a pattern, as [`GrepOptions`], the paths of a page and its lines. Out: whether they match.
//! Invariants: matching is linear in the text, whatever the pattern (the crate `regex`); a pattern
//! that is none is an error with its place; the empty pattern matches everything.
//!
//! The pattern is a regular expression that is looked for anywhere in the path and in the line
//! (role, text, counts): `article` matches every path with `article` in it, `section.content` the
//! sections of that class, `h[1-3]` headings of three levels, `^HEADING` what is a heading, `a|b`
//! either. Three things are the seed's own:
//!
//! - `\|` is an alternation too, as in basic regular expressions: `reviews\|comments` is
//!   `reviews|comments`. A literal bar is `[|]`; no path has one.
//! - `/main/`: a pattern (or one alternative of it) that begins and ends with `/` stands for the **direct
//!   children** of what is between: the paths that end in `/main/` and exactly one more step. It
//!   matches no text. `main/` without the first slash is plain text: everything below.
//! - `.` in `section.content` is any character, as in every regular expression; `.` before a class
//!   is one, so nothing is lost.
//!
//! With `fixed_strings` the text is looked for as it stands, `|` and slashes included. `invert`
//! keeps what does not match.

use crate::nearest::{Choice, nearest};
use crate::options::{Mode, SnapshotError};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// Longest pattern, in bytes.
const LONGEST: usize = 1_000;
/// Most memory of a compiled pattern, in bytes.
const LARGEST: usize = 1 << 20;

/// A pattern and how it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct GrepOptions {
    /// The pattern.
    pub pattern: String,
    /// Whether upper and lower case are the same (`grep -i`).
    pub ignore_case: bool,
    /// Whether what does not match is kept (`grep -v`).
    pub invert: bool,
    /// Whether the pattern is plain text (`grep -F`).
    pub fixed_strings: bool,
    /// How many lines are shown before and after each that is kept (`grep -C`).
    pub context: usize,
}

impl GrepOptions {
    /// Returns the pattern and how it is read, as headers tell it.
    pub(crate) fn told(&self) -> String {
        match (self.invert, self.ignore_case) {
            (false, false) => self.pattern.clone(),
            (true, false) => format!("{} (inverted)", self.pattern),
            (false, true) => format!("{} (ignoring case)", self.pattern),
            (true, true) => format!("{} (inverted, ignoring case)", self.pattern),
        }
    }
}

impl From<&str> for GrepOptions {
    fn from(pattern: &str) -> Self {
        Self { pattern: pattern.to_owned(), ..Self::default() }
    }
}

/// A pattern that is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no pattern at character {at}: {reason}")]
pub struct MalformedPattern {
    /// Where, in characters from 1.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

/// A compiled [`GrepOptions`].
#[derive(Clone, Debug)]
pub struct Grep {
    options: GrepOptions,
    path: Regex,
    line: Regex,
}

impl Grep {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// [`MalformedPattern`] with the place where it is no regular expression.
    pub fn new(options: &GrepOptions) -> Result<Self, MalformedPattern> {
        if options.pattern.len() > LONGEST {
            return Err(MalformedPattern { at: 1, reason: format!("longer than {LONGEST} bytes") });
        }
        let (path, line) = if options.fixed_strings {
            let plain = regex::escape(&options.pattern);
            (plain.clone(), plain)
        } else {
            // Its own errors first, so that they name places of the pattern as it was written.
            check(&options.pattern)?;
            (rewrite(&options.pattern, children), rewrite(&options.pattern, |_| NOTHING.to_owned()))
        };
        let compile = |pattern: &str| {
            RegexBuilder::new(pattern)
                .case_insensitive(options.ignore_case)
                .size_limit(LARGEST)
                .dfa_size_limit(LARGEST)
                .build()
                .map_err(|error| refused(&options.pattern, &error))
        };
        Ok(Self { path: compile(&path)?, line: compile(&line)?, options: options.clone() })
    }

    /// Returns whether the pattern itself matches a path.
    pub fn matches(&self, path: &str) -> bool {
        self.path.is_match(path)
    }

    /// Returns whether the pattern itself matches what a line says.
    pub fn says(&self, line: &str) -> bool {
        self.line.is_match(line)
    }

    /// Says that nothing is left, and what could have been matched comes nearest.
    pub(crate) fn nothing(&self, mode: Mode, choices: Vec<Choice>) -> SnapshotError {
        let nearest = if self.options.invert { Vec::new() } else { nearest(&self.options.pattern, choices) };
        let GrepOptions { pattern, invert, .. } = self.options.clone();
        SnapshotError::NothingMatches { pattern, mode, invert, nearest }
    }

    /// Takes to the lines that are kept as many before and after each as were asked for.
    pub fn with_context(&self, kept: &[bool]) -> Vec<bool> {
        let mut around = kept.to_vec();
        if self.options.context == 0 {
            return around;
        }
        // Lines up to here are taken already.
        let mut done = 0;
        for at in (0..kept.len()).filter(|at| kept[*at]) {
            let end = at.saturating_add(self.options.context).saturating_add(1).min(kept.len());
            let begin = at.saturating_sub(self.options.context).max(done);
            around[begin.min(end)..end].fill(true);
            done = end;
        }
        around
    }

    /// Returns whether what matches is left out.
    pub fn is_inverted(&self) -> bool {
        self.options.invert
    }
}

fn check(pattern: &str) -> Result<(), MalformedPattern> {
    let as_read = pattern.replace("\\|", " |");
    RegexBuilder::new(&as_read).size_limit(LARGEST).build().map(drop).map_err(|error| refused(pattern, &error))
}

/// Writes `\|` as `|` and `/…/` as the direct children of what is between, alternative by
/// alternative of the outermost level.
fn rewrite(pattern: &str, children: fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut alternative = String::new();
    let mut chars = pattern.chars().peekable();
    let (mut groups, mut class) = (0_u32, false);
    while let Some(c) = chars.next() {
        match c {
            '\\' if !class && chars.peek() == Some(&'|') => {
                chars.next();
                end_alternative(&mut out, &mut alternative, groups, children);
            }
            '\\' => {
                alternative.push(c);
                alternative.extend(chars.next());
            }
            '|' if !class => end_alternative(&mut out, &mut alternative, groups, children),
            '[' if !class => {
                class = true;
                alternative.push(c);
                // `]` right after `[` or `[^` is a character of the class.
                for of_class in ['^', ']'] {
                    alternative.extend(chars.next_if_eq(&of_class));
                }
            }
            _ => {
                match c {
                    ']' => class = false,
                    '(' if !class => groups += 1,
                    ')' if !class => groups = groups.saturating_sub(1),
                    _ => {}
                }
                alternative.push(c);
            }
        }
    }
    out.push_str(&direct(alternative, children));
    out
}

fn end_alternative(out: &mut String, alternative: &mut String, groups: u32, children: fn(&str) -> String) {
    if groups > 0 {
        alternative.push('|');
        return;
    }
    out.push_str(&direct(std::mem::take(alternative), children));
    out.push('|');
}

/// Matches no text.
const NOTHING: &str = "[^\\s\\S]";

/// The paths that end in `/main/` and one step, of `/main/`.
fn children(alternative: &str) -> String {
    // A step may be written with a number where the pattern has none.
    let between = &alternative[..alternative.len() - 1];
    format!("(?:{between}(?:\\[\\d+\\])?/[^/]+$)")
}

/// Returns what an alternative means: `/main/` the direct children, another what it says.
fn direct(alternative: String, children: fn(&str) -> String) -> String {
    if alternative.len() > 2
        && alternative.starts_with('/')
        && alternative.ends_with('/')
        && !alternative.ends_with("\\/")
    {
        return children(&alternative);
    }
    alternative
}

fn refused(pattern: &str, error: &regex::Error) -> MalformedPattern {
    match error {
        regex::Error::Syntax(words) => {
            // The message draws the pattern with carets under the place, and says after `error: `
            // what is wrong.
            let reason =
                words.lines().rev().find_map(|line| line.strip_prefix("error: ")).unwrap_or("no regular expression");
            let caret = words.lines().find_map(|line| {
                let at = line.find('^')?;
                line.trim_matches([' ', '^']).is_empty().then_some(at)
            });
            // The pattern is drawn with four blanks before it.
            let at = caret.map_or(1, |at| at.saturating_sub(4) + 1).min(pattern.chars().count().max(1));
            MalformedPattern { at, reason: reason.to_owned() }
        }
        regex::Error::CompiledTooBig(_) => {
            MalformedPattern { at: 1, reason: "it would take too much memory".to_owned() }
        }
        _ => MalformedPattern { at: 1, reason: "no regular expression".to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PATHS: [&str; 9] = [
        "/header/nav",
        "/main",
        "/main/article/h1",
        "/main/article/section.content",
        "/main/article/section.content/h2[2]",
        "/main/article/section.reviews/article[1]",
        "/main/section#comments",
        "/main/h4",
        "/aside/h3",
    ];

    fn kept(options: &GrepOptions) -> Vec<&'static str> {
        let grep = Grep::new(options).expect("a pattern");
        PATHS.into_iter().filter(|path| grep.matches(path) != grep.is_inverted()).collect()
    }

    #[test]
    fn the_patterns_of_the_design_match_what_its_table_says() {
        let kept = |pattern: &str| kept(&pattern.into());
        assert_eq!(kept("article"), PATHS[2..6]);
        assert_eq!(kept("section.content"), PATHS[3..5]);
        assert_eq!(kept("article|section.content"), PATHS[2..6]);
        assert_eq!(kept("h[1-3]"), [PATHS[2], PATHS[4], PATHS[8]]);
        assert_eq!(kept("reviews\\|comments"), [PATHS[5], PATHS[6]]);
        assert_eq!(kept("reviews|comments"), [PATHS[5], PATHS[6]]);
        assert_eq!(kept("/main/"), [PATHS[6], PATHS[7]], "direct children only");
        assert_eq!(kept("/section.content/"), [PATHS[4]]);
        assert_eq!(kept("/main/|/aside/"), [PATHS[6], PATHS[7], PATHS[8]]);
        assert_eq!(kept("main/").len(), 6);
        assert_eq!(kept(""), PATHS);
    }

    #[test]
    fn direct_children_of_a_step_with_a_number_are_found_too() {
        let grep = Grep::new(&"/section/".into()).expect("a pattern");
        assert!(
            grep.matches("/main/section[2]/p")
                && grep.matches("/main/section/p[3]")
                && !grep.matches("/main/section[2]/ul/li")
        );
    }

    #[test]
    fn the_options_are_those_of_grep() {
        let options = |pattern: &str| GrepOptions::from(pattern);
        assert_eq!(kept(&GrepOptions { ignore_case: true, ..options("ARTICLE|ASIDE") }).len(), 5);
        assert!(kept(&options("ARTICLE")).is_empty());
        assert_eq!(kept(&GrepOptions { invert: true, ..options("main|header") }), ["/aside/h3"]);
        assert_eq!(kept(&GrepOptions { fixed_strings: true, ..options("h2[2]") }), [PATHS[4]]);
        assert!(kept(&GrepOptions { fixed_strings: true, ..options("header|nav") }).is_empty());
        assert!(kept(&GrepOptions { fixed_strings: true, ..options("h[1-3]") }).is_empty());
    }

    #[test]
    fn lines_are_searched_too_and_a_slash_pattern_means_paths_alone() {
        let grep = |options: GrepOptions| Grep::new(&options).expect("a pattern");
        assert!(grep("^HEADING level=[12]".into()).says("HEADING level=2 \"Offers\""));
        assert!(!grep("offers".into()).says("HEADING \"Offers\""));
        assert!(grep(GrepOptions { ignore_case: true, ..GrepOptions::from("offers") }).says("HEADING \"Offers\""));
        assert!(!grep("/main/".into()).says("TEXT \"/main/ x\""));
        assert!(grep("/main/|x".into()).says("TEXT \"/main/ x\""));
        assert!(grep(GrepOptions { fixed_strings: true, ..GrepOptions::from("/main/") }).says("TEXT \"/main/ x\""));
    }

    #[test]
    fn context_is_lines_before_and_after() {
        let around = |context: usize, kept: &[usize]| {
            let grep = Grep::new(&GrepOptions { context, ..GrepOptions::from("x") }).expect("a pattern");
            let lines: Vec<bool> = (0..8).map(|at| kept.contains(&at)).collect();
            let found = grep.with_context(&lines);
            (0..8).filter(|at| found[*at]).collect::<Vec<usize>>()
        };
        assert_eq!(around(0, &[3]), [3]);
        assert_eq!(around(1, &[0, 4]), [0, 1, 3, 4, 5]);
        assert_eq!(around(2, &[3, 4, 7]), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(around(usize::MAX, &[5]).len(), 8);
        assert!(around(3, &[]).is_empty());
    }

    #[test]
    fn a_bad_pattern_is_an_error_with_its_place() {
        let error = |pattern: &str| Grep::new(&pattern.into()).expect_err(pattern).to_string();
        insta::assert_snapshot!(
            ["a(b", "h[1-", "*x", "a{99999999}", "x\\", "main|(", "(?=x)", "\\p{Nope}", "é(", "a\\|("]
                .map(|pattern| format!("{pattern:?}: {}", error(pattern)))
                .join("\n")
        );
        assert_eq!(Grep::new(&"x".repeat(2_000).as_str().into()).expect_err("long").at, 1);
    }

    #[test]
    fn no_pattern_takes_exponential_time() {
        let path = format!("/main/{}", "a".repeat(50_000));
        let grep = Grep::new(&"(a+)+$|(a|aa)*b|(a|a)*c".into()).expect("a pattern");
        let begun = std::time::Instant::now();
        assert!(grep.matches(&path) && !grep.matches(&format!("{path}d")));
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    proptest! {
        #[test]
        fn any_pattern_compiles_or_is_refused_with_a_place(pattern in "[a-z/\\[\\]()|\\\\.*+?{}0-9^$é-]{0,24}",
            path in "[a-z/#.\\[\\]0-9]{0,40}") {
            for fixed_strings in [false, true] {
                let options = GrepOptions { pattern: pattern.clone(), fixed_strings, ..GrepOptions::default() };
                match Grep::new(&options) {
                    Ok(grep) => {
                        let inverted = Grep::new(&GrepOptions { invert: true, ..options }).expect("compiles");
                        prop_assert_eq!(grep.matches(&path), inverted.matches(&path));
                        prop_assert!(!fixed_strings || grep.matches(&path) == path.contains(&pattern));
                    }
                    Err(error) => {
                        prop_assert!(!fixed_strings);
                        prop_assert!(error.at >= 1 && error.at <= pattern.chars().count().max(1), "{error}");
                    }
                }
            }
        }
    }
}
