//! Sweeps: one entry, many strategies, and a curve.
//!
//! In: the options of an entry and its table `sweep`, a list of numbers a parameter. Out: one
//! member a combination: its options, and the [`SweepPoint`] that says which one it is. Invariants:
//! members come in the order of the lists, the last parameter (by name) fastest; a member's name
//! says its values (`lens/delta:budget=500`), so that no two are the same; a member that has a name
//! of its own differs from the family in nothing but those options.

use browserlens_core::strategy::OptionsError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// Most members of a family.
const MOST_MEMBERS: usize = 100;

/// Which member of a family a strategy is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// Name of the entry that has the sweep.
    pub family: String,
    /// The parameters that were swept, with their values here.
    pub parameters: BTreeMap<String, Number>,
}

impl SweepPoint {
    /// Returns the values in words, such as `budget=500`; several are joined by `:`.
    pub fn values(&self) -> String {
        let values: Vec<String> = self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        values.join(":")
    }

    /// Returns the member's name.
    pub fn name(&self) -> String {
        format!("{}:{}", self.family, self.values())
    }
}

/// One member of a family, or the entry itself where nothing is swept.
pub(super) struct Member {
    pub options: Map<String, Value>,
    pub point: Option<SweepPoint>,
}

/// Returns the members of an entry; an error names the parameter and says what is wrong.
pub(super) fn members(
    name: &str,
    options: Map<String, Value>,
    sweep: &BTreeMap<String, Vec<Value>>,
) -> Result<Vec<Member>, OptionsError> {
    if sweep.is_empty() {
        return Ok(vec![Member { options, point: None }]);
    }
    let mut points = vec![BTreeMap::new()];
    for (parameter, values) in sweep {
        let wrong = |reason: String| OptionsError { option: parameter.clone(), reason };
        if options.contains_key(parameter) {
            return Err(wrong("stands in options and in sweep: remove it from one of them".to_owned()));
        }
        let mut numbers: Vec<&Number> = Vec::with_capacity(values.len());
        for value in values {
            let Value::Number(number) = value else {
                return Err(wrong(format!("a sweep is a list of numbers, found {value}")));
            };
            if numbers.contains(&number) {
                return Err(wrong(format!("{number} stands twice in its sweep")));
            }
            numbers.push(number);
        }
        if numbers.is_empty() {
            return Err(wrong("its sweep has no values".to_owned()));
        }
        if points.len() * numbers.len() > MOST_MEMBERS {
            let count = points.len() * numbers.len();
            return Err(wrong(format!(
                "the sweep would make {count} strategies or more: at most {MOST_MEMBERS} are made"
            )));
        }
        let with = |point: &BTreeMap<String, Number>, number: &Number| {
            let own = [(parameter.clone(), number.clone())];
            point.clone().into_iter().chain(own).collect::<BTreeMap<_, _>>()
        };
        points = points.iter().flat_map(|point| numbers.iter().map(|number| with(point, number))).collect();
    }
    let member = |parameters: BTreeMap<String, Number>| {
        let mut options = options.clone();
        options.extend(parameters.iter().map(|(name, value)| (name.clone(), Value::Number(value.clone()))));
        Member { options, point: Some(SweepPoint { family: name.to_owned(), parameters }) }
    };
    Ok(points.into_iter().map(member).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn swept(sweep: Value) -> Result<Vec<String>, OptionsError> {
        let options = Map::from_iter([("kind".to_owned(), json!("delta"))]);
        let sweep: BTreeMap<String, Vec<Value>> = serde_json::from_value(sweep).expect("lists");
        let members = members("lens/delta", options, &sweep)?;
        Ok(members.iter().map(|member| member.point.as_ref().map_or_else(String::new, SweepPoint::name)).collect())
    }

    #[test]
    fn a_list_makes_a_family_and_two_lists_every_pair() {
        assert_eq!(swept(json!({})).expect("no sweep"), [""]);
        let one = swept(json!({"budget": [500, 3000]})).expect("a family");
        assert_eq!(one, ["lens/delta:budget=500", "lens/delta:budget=3000"]);
        let two = swept(json!({"longest_name": [40, 80], "budget": [500, 0.5]})).expect("a family");
        assert_eq!(two[..2], ["lens/delta:budget=500:longest_name=40", "lens/delta:budget=500:longest_name=80"]);
        assert_eq!((two.len(), two[2].as_str()), (4, "lens/delta:budget=0.5:longest_name=40"));
    }

    #[test]
    fn a_sweep_that_cannot_be_names_its_parameter() {
        for (sweep, parameter, reason) in [
            (json!({"budget": []}), "budget", "no values"),
            (json!({"budget": ["500"]}), "budget", "found \"500\""),
            (json!({"budget": [1, 1]}), "budget", "1 stands twice"),
            (json!({"kind": [1]}), "kind", "stands in options and in sweep"),
            (json!({"a": (0..20).collect::<Vec<_>>(), "b": (0..20).collect::<Vec<_>>()}), "b", "400 strategies"),
        ] {
            let bad = swept(sweep).expect_err(reason);
            assert!(bad.option == parameter && bad.reason.contains(reason), "{bad}");
        }
    }
}
