//! JSON Schemas of the files that are written by hand, so that editors complete and check them.
//!
//! In: a kind of file. Out: its schema. Invariant: made of the types that read the files, so that
//! what one refuses as misspelt the other refuses too.

use crate::scenario::ask::RawQuestions;
use crate::scenario::exam::RawExam;
use crate::scenario::raw::RawScenario;
use schemars::{Schema, schema_for};

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A scenario: `task.toml`.
    Scenario,
    /// Questions for reading: `task.ask.toml`.
    Questions,
    /// An exam: `task.exam.toml`.
    Exam,
}

/// Returns the schema of a kind of file.
pub fn schema(of: Written) -> Schema {
    match of {
        Written::Scenario => schema_for!(RawScenario),
        Written::Questions => schema_for!(RawQuestions),
        Written::Exam => schema_for!(RawExam),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::path::Path;

    fn kind(path: &Path) -> Written {
        match path.to_string_lossy() {
            name if name.ends_with(".ask.toml") => Written::Questions,
            name if name.ends_with(".exam.toml") => Written::Exam,
            _ => Written::Scenario,
        }
    }

    #[test]
    fn every_bundled_file_fits_its_schema_and_a_misspelt_key_does_not() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/scenarios");
        let all = crate::files_below(&folder, "toml", |_| true).expect("is listed");
        assert!(all.len() > 30);
        for path in all {
            let checks = browserlens_core::schema::Schema::new(schema(kind(&path)).as_value()).expect("a schema");
            let text = std::fs::read_to_string(&path).expect("text");
            let mut value = serde_json::to_value(toml::from_str::<toml::Value>(&text).expect("TOML")).expect("JSON");
            let errors: Vec<String> = checks.misfits(&value).iter().map(|one| one.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", path.display());
            value["goel"] = Value::from("misspelt");
            assert!(!checks.fits(&value), "{}", path.display());
        }
        let checks = browserlens_core::schema::Schema::new(schema(Written::Scenario).as_value()).expect("a schema");
        let step = serde_json::json!({ "name": "a", "goal": "b", "why": "c", "url": "https://a.test",
            "step": [{ "clik": { "role": "button" } }] });
        assert!(!checks.fits(&step));
    }
}
