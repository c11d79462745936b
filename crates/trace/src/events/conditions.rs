//! What a query asks of the rows: conditions of SQL, and the texts that only Rust compares.

use rusqlite::types::Value;

/// The condition that every row meets.
pub(super) const EVERYTHING: &str = "1";

/// Conditions joined by AND, and the values of their marks.
#[derive(Default)]
pub(super) struct Where {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Where {
    pub(super) fn that(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.conditions.push(condition.to_owned());
        self.values.extend(values);
    }

    pub(super) fn one_of(&mut self, column: &str, values: impl ExactSizeIterator<Item = Value>, verb: &str) {
        if values.len() > 0 {
            let marks = vec!["?"; values.len()].join(", ");
            self.that(&format!("{column} {verb} ({marks})"), values);
        }
    }

    pub(super) fn finish(self) -> (String, Vec<Value>) {
        let conditions = if self.conditions.is_empty() { EVERYTHING.to_owned() } else { self.conditions.join(" AND ") };
        (conditions, self.values)
    }
}

/// A text that is looked for, ignoring case.
pub(super) struct Needle {
    lower: String,
    /// Where it is of ASCII, so is most of what is searched: no copy in lower case is made of that.
    ascii: Option<aho_corasick::AhoCorasick>,
}

impl Needle {
    pub(super) fn new(text: &str) -> Self {
        let ascii = text
            .is_ascii()
            .then(|| aho_corasick::AhoCorasick::builder().ascii_case_insensitive(true).build([text]).ok());
        Self { lower: text.to_lowercase(), ascii: ascii.flatten() }
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        match &self.ascii {
            Some(finder) if text.is_ascii() => finder.is_match(text),
            _ => text.to_lowercase().contains(&self.lower),
        }
    }
}
