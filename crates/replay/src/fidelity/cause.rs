//! Differing lines in pairs, each with the cause of its difference.
//!
//! In: two texts as [`Lines`] and the hunks between their equal lines. Out: [`Pair`]s: every line
//! of every hunk stands in exactly one. Lines are paired within their hunk, the surest likeness
//! first; what is left there and stands equal in another hunk is a matter of order; what is left
//! then stands on one side only. Invariant: a pair's cause is the first of [`Cause`]'s rules that
//! holds.

use super::lines::Hunk;
use browserlens_peers::{LineRules, Lines, Parts};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Why a line differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It is not about the page's content: URL, title, counts, marks of beginning and end.
    Wrapper,
    /// The same line stands elsewhere.
    Order,
    /// Only the indentation differs.
    Indentation,
    /// Role and name are equal, the value or the text differs.
    Value,
    /// Role and name are equal, states or attributes differ.
    State,
    /// The name is equal, the role differs.
    Role,
    /// The role is equal, the name differs.
    Name,
    /// Only ours has it.
    OnlyOurs,
    /// Only the recorded text has it.
    OnlyRecorded,
}

impl Cause {
    /// Every cause, in the order of the report, and in words.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Wrapper, "wrapper"),
        (Self::Order, "order"),
        (Self::Indentation, "indentation"),
        (Self::Value, "value or text"),
        (Self::State, "state or attribute"),
        (Self::Role, "role"),
        (Self::Name, "name"),
        (Self::OnlyOurs, "only ours"),
        (Self::OnlyRecorded, "only recorded"),
    ];
}

/// Two lines that stand for each other, or one that nothing stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub cause: Cause,
    pub ours: Option<usize>,
    pub recorded: Option<usize>,
}

/// The lines of one hunk that have no counterpart yet.
#[derive(Debug)]
struct Open {
    ours: Vec<usize>,
    recorded: Vec<usize>,
}

/// Pairs the lines of all hunks; pairs come in the order of our lines, then of the recorded ones.
pub(crate) fn pairs<'l>(rules: &LineRules, ours: &'l Lines, recorded: &'l Lines, hunks: &[Hunk]) -> Vec<Pair> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = hunks
        .iter()
        .map(|hunk| Open { ours: hunk.ours.clone().collect(), recorded: hunk.recorded.clone().collect() })
        .collect();
    let both = [ours, recorded];
    let parts = |lines: &'l Lines, at: usize| Parts::of(rules, &lines.lines[at]);
    for open in &mut open {
        open.pair(&mut found, both, |lines, at| lines.wrapper[at].then_some(()), |_, _| Cause::Wrapper);
        let is_wrapper = |lines: &Lines, at: usize| lines.wrapper[at].then_some(Cause::Wrapper);
        open.settle(&mut found, |at| is_wrapper(ours, at), |at| is_wrapper(recorded, at));
        // No line stands equal on both sides of one hunk: it would be in the longest common
        // subsequence.
        let bare = |lines: &'l Lines, at: usize| Some(lines.lines[at].trim_start_matches([' ', '\t']));
        open.pair(&mut found, both, bare, |_, _| Cause::Indentation);
        let role_and_name = |lines: &'l Lines, at: usize| {
            let Parts { role, name, .. } = parts(lines, at);
            (!role.is_empty()).then_some((role, name))
        };
        open.pair(&mut found, both, role_and_name, |left, right| {
            let (left, right) = (parts(ours, left), parts(recorded, right));
            let is_same = left.prefix == right.prefix && left.states == right.states;
            if is_same { Cause::Value } else { Cause::State }
        });
    }
    pair_across(&mut open, both, &mut found);
    for open in &mut open {
        let said = |lines: &'l Lines, at: usize| {
            let Parts { name, value, .. } = parts(lines, at);
            Some(if name.is_empty() { value } else { name }).filter(|name| !name.is_empty())
        };
        open.pair(&mut found, both, said, |_, _| Cause::Role);
        let role = |lines: &'l Lines, at: usize| Some(parts(lines, at).role);
        open.pair(&mut found, both, role, |left, right| {
            if parts(ours, left).name == parts(recorded, right).name { Cause::Value } else { Cause::Name }
        });
        open.settle(&mut found, |_| Some(Cause::OnlyOurs), |_| Some(Cause::OnlyRecorded));
    }
    found.sort_by_key(|pair| (pair.ours.is_none(), pair.ours, pair.recorded));
    found
}

impl Open {
    /// Pairs lines of equal keys, in their order; a line without a key stays.
    fn pair<'l, K: Eq + Hash>(
        &mut self,
        found: &mut Vec<Pair>,
        [ours, recorded]: [&'l Lines; 2],
        key: impl Fn(&'l Lines, usize) -> Option<K>,
        cause: impl Fn(usize, usize) -> Cause,
    ) {
        if self.ours.is_empty() || self.recorded.is_empty() {
            return;
        }
        let mut theirs: HashMap<K, VecDeque<usize>> = HashMap::new();
        for at in &self.recorded {
            if let Some(key) = key(recorded, *at) {
                theirs.entry(key).or_default().push_back(*at);
            }
        }
        let mut taken = Vec::new();
        self.ours.retain(|&left| {
            let counterpart = key(ours, left).and_then(|key| theirs.get_mut(&key)?.pop_front());
            let Some(right) = counterpart else { return true };
            found.push(Pair { cause: cause(left, right), ours: Some(left), recorded: Some(right) });
            taken.push(right);
            false
        });
        taken.sort_unstable();
        self.recorded.retain(|at| taken.binary_search(at).is_err());
    }

    /// Settles the lines of either side that have a cause without a counterpart.
    fn settle(
        &mut self,
        found: &mut Vec<Pair>,
        ours: impl Fn(usize) -> Option<Cause>,
        recorded: impl Fn(usize) -> Option<Cause>,
    ) {
        self.ours.retain(|&at| {
            found.extend(ours(at).map(|cause| Pair { cause, ours: Some(at), recorded: None }));
            ours(at).is_none()
        });
        self.recorded.retain(|&at| {
            found.extend(recorded(at).map(|cause| Pair { cause, ours: None, recorded: Some(at) }));
            recorded(at).is_none()
        });
    }
}

/// Pairs lines that are equal but stand in different hunks.
fn pair_across(open: &mut [Open], both: [&Lines; 2], found: &mut Vec<Pair>) {
    let mut all = Open {
        ours: open.iter().flat_map(|open| open.ours.iter().copied()).collect(),
        recorded: open.iter().flat_map(|open| open.recorded.iter().copied()).collect(),
    };
    all.pair(found, both, |lines, at| Some(&lines.lines[at]), |_, _| Cause::Order);
    for open in open {
        open.ours.retain(|at| all.ours.binary_search(at).is_ok());
        open.recorded.retain(|at| all.recorded.binary_search(at).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fidelity::lines::Common;
    use browserlens_core::strategy::TextFormat;

    fn causes(format: &'static str, ours: &str, recorded: &str) -> Vec<String> {
        let rules = &browserlens_peers::format(&TextFormat::named(format)).expect("is known").lines;
        let (ours, recorded) = (Lines::of(rules, ours), Lines::of(rules, recorded));
        let common = Common::of(&ours.lines, &recorded.lines);
        let line = |lines: &Lines, at: Option<usize>| at.map_or("", |at| lines.lines[at].trim()).to_owned();
        pairs(rules, &ours, &recorded, &common.hunks)
            .iter()
            .map(|pair| {
                let (_, cause) = Cause::ALL[pair.cause as usize];
                format!("{cause}: {} | {}", line(&ours, pair.ours), line(&recorded, pair.recorded))
            })
            .collect()
    }

    #[test]
    fn each_cause_is_named() {
        let ours = "- main\n  - link \"A\" [ref=e1]\n- button \"B\" [ref=e2]\n- text: c\n- heading \"D\" [level=1]\n- \
            list \"E\"\n- cell \"F\"\n- row";
        let recorded = "- main\n- link \"A\" [ref=e9]\n- button \"B\" [disabled]\n- text: cc\n- button \"D\" \
            [level=1]\n- list \"EE\"\n- cell \"F\"\n- img";
        assert_eq!(
            causes("playwright-aria", ours, recorded),
            [
                "indentation: - link \"A\" [ref=*] | - link \"A\" [ref=*]",
                "state or attribute: - button \"B\" [ref=*] | - button \"B\" [disabled]",
                "value or text: - text: c | - text: cc",
                "role: - heading \"D\" [level=1] | - button \"D\" [level=1]",
                "name: - list \"E\" | - list \"EE\"",
                "only ours: - row | ",
                "only recorded:  | - img",
            ]
        );
    }

    #[test]
    fn a_line_that_stands_in_another_hunk_is_a_matter_of_order() {
        assert_eq!(causes("plain", "a\nb\nc", "b\nc\na"), ["order: a | a"]);
        assert_eq!(causes("agent-browser", "- a\n- x \"1\"", "- x \"1\"\n- a"), ["order: - x \"1\" | - x \"1\""]);
    }

    #[test]
    fn the_wrapper_is_a_cause_of_its_own() {
        let ours = "### Page\n- Page URL: a\n```yaml\n- main\n```\n";
        let recorded = "### Page\n- Page URL: b\n```yaml\n- main\n```\n### Events\n";
        assert_eq!(
            causes("playwright-aria", ours, recorded),
            ["wrapper: - Page URL: a | - Page URL: b", "wrapper:  | ### Events"]
        );
    }

    #[test]
    fn one_side_that_is_empty_leaves_lines_of_the_other_only() {
        assert_eq!(causes("plain", "", "a\nb"), ["only recorded:  | a", "only recorded:  | b"]);
        assert_eq!(causes("plain", "a", ""), ["only ours: a | "]);
        assert!(causes("plain", "", "").is_empty());
    }
}
