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
const VERSION: &str = "13";

const NAMES: &[&str] = &[
    "lens/full", "lens/delta", "lens/a11y", "lens/dom", "lens/vision", "lens/vision-marks", "lens/hybrid",
    "lens/budget-1500", "lens/seed", "lens/heuristic",
];

/// What explains observations whose screenshot bears marks: each is full, so that deltas need no
/// words.
const MARKS_LEGEND: &str = include_str!("../legend_marks.txt");

/// Names of the routers that the option `router` knows.
const ROUTERS: [&str; 2] = ["heuristic", "cost"];

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
    Some(read.map(|options| Box::new(LensStrategy::new(name, options)) as Box<dyn Strategy>))
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

fn router(name: &str) -> Option<RouterKind> {
    Some(match name {
        "heuristic" => RouterKind::Heuristic,
        "cost" => RouterKind::Cost,
        _ => return None,
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
        let wrong = |expected: &str| OptionsError {
            option: option.clone(),
            reason: format!("expected {expected}, found {value}"),
        };
        let one_of = |names: Vec<&str>| wrong(&format!("one of {}", names.join(", ")));
        let text = value.as_str().unwrap_or("");
        match option.as_str() {
            "kind" => {
                value.as_str().ok_or_else(|| wrong("a name"))?;
            }
            "representation" => {
                to.representation = match text {
                    "heuristic" => None,
                    _ => Some(Representation::from_name(text).ok_or_else(|| {
                        let names = Representation::ALL.map(Representation::name);
                        one_of(std::iter::once("heuristic").chain(names).collect())
                    })?),
                };
            }
            "router" => to.router = router(text).ok_or_else(|| one_of(ROUTERS.to_vec()))?,
            "tier" => to.tier = Some(Tier::from_name(text).ok_or_else(|| one_of(Tier::ALL.map(Tier::name).to_vec()))?),
            "delta" => to.delta = value.as_bool().ok_or_else(|| wrong("true or false"))?,
            "filters" => {
                to.filter = filters(value)
                    .ok_or_else(|| wrong(&format!("a list of {}", FilterPass::ALL.map(FilterPass::name).join(", "))))?
            }
            "marks" => to.marks = value.as_bool().ok_or_else(|| wrong("true or false"))?,
            "events" => to.events = value.as_bool().ok_or_else(|| wrong("true or false"))?,
            "budget" => to.budget = Some(positive(value).ok_or_else(|| wrong("a number of tokens from 1"))?),
            "longest_name" => {
                to.longest_name = Some(positive(value).ok_or_else(|| wrong("a number of characters from 1"))? as usize);
            }
            "delta_limit_percent" => {
                to.delta_limit_percent = positive(value).ok_or_else(|| wrong("a percentage from 1"))?;
            }
            "base" => {
                to.base = match text {
                    "any" => Base::Any,
                    "last" => Base::Last,
                    _ => return Err(one_of(vec!["any", "last"])),
                };
            }
            "unchanged" => to.unchanged = value.as_bool().ok_or_else(|| wrong("true or false"))?,
            "style" => to.style = Style::from_name(text).ok_or_else(|| one_of(Style::NAMES.to_vec()))?,
            "grade" => to.grade = Grade::from_name(text).ok_or_else(|| one_of(Grade::ALL.map(Grade::name).to_vec()))?,
            "encoding" => {
                to.encoding = text.parse().map_err(|_| one_of(Encoding::ALL.map(Encoding::name).to_vec()))?;
            }
            "image_formula" => {
                let known = ImageFormula::ALL.into_iter().find(|formula| formula.name() == text);
                to.image_formula = known.ok_or_else(|| one_of(ImageFormula::ALL.map(ImageFormula::name).to_vec()))?;
            }
            _ => {
                return Err(OptionsError { option: option.clone(), reason: format!("not known; known are {OPTIONS}") });
            }
        }
    }
    Ok(to)
}

fn positive(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)
}

fn filters(value: &Value) -> Option<SemanticFilter> {
    let passes =
        value.as_array()?.iter().map(|name| FilterPass::from_name(name.as_str()?)).collect::<Option<Vec<_>>>()?;
    Some(SemanticFilter { passes })
}

/// A strategy of this family.
#[derive(Clone, Debug)]
struct LensStrategy {
    name: String,
    options: LensOptions,
}

impl LensStrategy {
    fn new(name: &str, options: LensOptions) -> Self {
        Self { name: name.to_owned(), options }
    }
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
