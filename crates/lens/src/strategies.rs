//! The strategies of the family `lens/*`.
//!
//! In: a name and options, as `traces/strategies.toml` has them. Out: a [`Strategy`].
//! Invariant: an option that is not known is an error that names it and those that are.
//!
//! Which should I use? `lens/delta` is the whole system; `lens/heuristic` is the same with the
//! seed's rule as router, chosen by the option `router`; the option `tier` (`"small"` or `"large"`)
//! bends any router to what such models read better, accessibility trees or DOM; `lens/full` shows
//! what the router alone gains; `lens/a11y`, `lens/dom`, `lens/vision` and `lens/hybrid` show one
//! representation whatever the page; `lens/vision-marks` numbers what can be acted on in the
//! screenshot; `lens/budget-1500` is `lens/delta` under a token budget; `lens/seed` spells like the
//! seed document.

use crate::differ::{FilterPass, SemanticFilter};
use crate::extract::{Grade, Representation};
use crate::format::{LEGEND, Style};
use crate::lens::{Base, Lens, LensOptions, RouterKind};
use crate::router::Tier;
use browserlens_core::strategy::{ActionChannel, OptionsError, Run, Strategy, Task, TextFormat};
use browserlens_core::tokens::{Encoding, ImageFormula};
use serde_json::Value;

/// Version of what these strategies write; part of every cache key.
const VERSION: &str = "25";

const NAMES: &[&str] = &[
    "lens/full", "lens/delta", "lens/a11y", "lens/dom", "lens/vision", "lens/vision-marks", "lens/hybrid",
    "lens/budget-1500", "lens/seed", "lens/heuristic",
];

/// What explains observations whose screenshot bears marks: each is full, so that deltas need no
/// words.
const MARKS_LEGEND: &str = include_str!("../legend_marks.txt");

const OPTIONS: &str = "kind, representation, router, tier, delta, filters, budget, longest_name, delta_limit_percent, \
    base, unchanged, style, grade, encoding, image_formula, marks, events";

/// Returns the names that this crate knows without options.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// Builds a strategy; none if the name is not one of this crate.
///
/// A name under `lens/` that is not in [`names`] takes its preset from the option `kind`
/// (`"delta"`, `"full"`, …).
///
/// # Errors
/// [`OptionsError`] in the inner result, if an option is unknown or has a value that it cannot
/// take.
pub fn build(name: &str, options: &Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    let read = lens_options(name, options)?;
    Some(read.map(|options| Box::new(LensStrategy { name: name.to_owned(), options }) as Box<dyn Strategy>))
}

/// Returns how the lens of a strategy works; none if the name is not one of this crate.
///
/// # Errors
/// As [`build`].
pub fn lens_options(name: &str, options: &Value) -> Option<Result<LensOptions, OptionsError>> {
    let variant = name.strip_prefix("lens/")?;
    let kind = options.get("kind").and_then(Value::as_str);
    let preset = match kind {
        Some(kind) => preset(kind),
        None => Some(preset(variant)?),
    };
    let Some(preset) = preset else {
        let known: Vec<&str> = NAMES.iter().filter_map(|name| name.strip_prefix("lens/")).collect();
        return Some(Err(OptionsError {
            option: "kind".to_owned(),
            reason: format!("expected one of {}", known.join(", ")),
        }));
    };
    Some(with_options(preset, options))
}

fn preset(kind: &str) -> Option<LensOptions> {
    let fixed =
        |representation| LensOptions { representation: Some(representation), delta: false, ..LensOptions::default() };
    Some(match kind {
        "full" => LensOptions { delta: false, router: RouterKind::Cost, ..LensOptions::default() },
        "delta" => LensOptions { router: RouterKind::Cost, ..LensOptions::default() },
        "budget-1500" => LensOptions { budget: Some(1_500), router: RouterKind::Cost, ..LensOptions::default() },
        "seed" => LensOptions { style: Style::SEED, ..LensOptions::default() },
        "heuristic" => LensOptions::default(),
        "vision-marks" => LensOptions {
            marks: true,
            style: Style { every_ref: true, ..Style::DEFAULT },
            ..fixed(Representation::Vision)
        },
        _ => fixed(Representation::from_name(kind)?),
    })
}

fn with_options(mut to: LensOptions, options: &Value) -> Result<LensOptions, OptionsError> {
    let table = match options {
        Value::Null => return Ok(to),
        Value::Object(table) => table,
        other => {
            return Err(OptionsError {
                option: "options".to_owned(),
                reason: format!("expected a table, found {other}"),
            });
        }
    };
    for (option, value) in table {
        set(&mut to, option, value).map_err(|reason| OptionsError { option: option.clone(), reason })?;
    }
    Ok(to)
}

/// Sets one option; the error says what it can be.
fn set(to: &mut LensOptions, option: &str, value: &Value) -> Result<(), String> {
    match option {
        "kind" => value.as_str().map(drop).ok_or_else(|| wrong("a name", value))?,
        "representation" => {
            let all = std::iter::once(None).chain(Representation::ALL.map(Some));
            to.representation = one_of(all.map(|one| (one.map_or("heuristic", Representation::name), one)), value)?;
        }
        "router" => to.router = one_of(RouterKind::ALL.map(|router| (router.name(), router)), value)?,
        "tier" => to.tier = Some(one_of(Tier::ALL.map(|tier| (tier.name(), tier)), value)?),
        "filters" => to.filter = filters(value)?,
        "delta" => to.delta = flag(value)?,
        "marks" => to.marks = flag(value)?,
        "events" => to.events = flag(value)?,
        "unchanged" => to.unchanged = flag(value)?,
        "budget" => to.budget = Some(positive(value, "a number of tokens from 1")?),
        "longest_name" => to.longest_name = Some(positive(value, "a number of characters from 1")? as usize),
        "delta_limit_percent" => to.delta_limit_percent = positive(value, "a percentage from 1")?,
        "base" => to.base = one_of(Base::ALL.map(|base| (base.name(), base)), value)?,
        "style" => to.style = one_of(Style::NAMED, value)?,
        "grade" => to.grade = one_of(Grade::ALL.map(|grade| (grade.name(), grade)), value)?,
        "encoding" => to.encoding = one_of(Encoding::ALL.map(|encoding| (encoding.name(), encoding)), value)?,
        "image_formula" => {
            to.image_formula = one_of(ImageFormula::ALL.map(|formula| (formula.name(), formula)), value)?;
        }
        _ => return Err(format!("not known; known are {OPTIONS}")),
    }
    Ok(())
}

fn wrong(expected: &str, found: &Value) -> String {
    format!("expected {expected}, found {found}")
}

/// Returns the one that a value names.
fn one_of<T>(known: impl IntoIterator<Item = (&'static str, T)>, value: &Value) -> Result<T, String> {
    let mut names = Vec::new();
    for (name, one) in known {
        if value.as_str() == Some(name) {
            return Ok(one);
        }
        names.push(name);
    }
    Err(wrong(&format!("one of {}", names.join(", ")), value))
}

fn flag(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| wrong("true or false", value))
}

fn positive(value: &Value, what: &str) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
    number.ok_or_else(|| wrong(what, value))
}

fn filters(value: &Value) -> Result<SemanticFilter, String> {
    let pass = |name: &Value| FilterPass::from_name(name.as_str()?);
    let passes = value.as_array().and_then(|names| names.iter().map(pass).collect());
    let names = FilterPass::ALL.map(FilterPass::name).join(", ");
    passes.map(|passes| SemanticFilter { passes }).ok_or_else(|| wrong(&format!("a list of {names}"), value))
}

/// A strategy of this family.
#[derive(Clone, Debug)]
struct LensStrategy {
    name: String,
    options: LensOptions,
}

impl Strategy for LensStrategy {
    fn name(&self) -> &str {
        &self.name
    }

    fn version(&self) -> &str {
        VERSION
    }

    fn channel(&self) -> ActionChannel {
        match self.options.representation {
            Some(Representation::Vision) => ActionChannel::Point,
            _ => ActionChannel::Ref,
        }
    }

    fn format(&self) -> TextFormat {
        TextFormat::LENS
    }

    fn legend(&self) -> Option<&str> {
        Some(if self.options.marks { MARKS_LEGEND } else { LEGEND })
    }

    fn viewport_margin(&self) -> Option<f32> {
        (self.options.representation == Some(Representation::Vision)).then_some(0.0)
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(Lens::new(self.options.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_listed_name_builds_and_keeps_its_name() {
        for name in names() {
            let strategy = build(name, &Value::Null).expect("a name of this crate").expect("no options, no error");
            assert_eq!(strategy.name(), *name);
        }
        assert!(build("raw/html", &Value::Null).is_none());
        assert!(build("lens/nonsense", &Value::Null).is_none());
    }

    #[test]
    fn an_unknown_option_is_named_with_the_known_ones() {
        let error = build("lens/delta", &json!({"bugdet": 3})).expect("known").err().expect("unknown option");
        assert_eq!(error.option, "bugdet");
        assert!(error.reason.contains("budget"), "{error}");
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_what_can() {
        for (option, value) in [
            ("budget", json!(0)),
            ("delta", json!("yes")),
            ("style", json!("loud")),
            ("filters", json!(["ads", "fun"])),
            ("representation", json!("pdf")),
            ("kind", json!("nonsense")),
            ("router", json!("oracle")),
            ("tier", json!("medium")),
            ("marks", json!(1)),
            ("events", json!("no")),
        ] {
            let error = build("lens/delta", &json!({option: value})).expect("known").err().expect(option);
            assert_eq!(error.option, option);
        }
        let named = build("lens/tight", &json!({"kind": "delta", "budget": 300}))
            .expect("a kind is given")
            .expect("good options");
        assert_eq!(named.name(), "lens/tight");
    }

    #[test]
    fn the_legend_is_short() {
        for legend in [LEGEND, MARKS_LEGEND] {
            assert!(Encoding::O200kBase.count(legend).0 <= 260, "{}", Encoding::O200kBase.count(legend));
        }
    }
}
