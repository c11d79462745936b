//! Findings summed by strategy: how many tokens, and on which scenarios.
//!
//! In: findings of one kind (regressions, improvements). Out: a line or a row a strategy.
//! Invariant: sums are over the steps that the findings name, so that a difference is what it says
//! and not what other steps gave back.

use crate::numbers::thousands;
use crate::text_table::{Tabled, TextTable, one_line};
use browserlens_replay::Finding;
use std::collections::{BTreeMap, BTreeSet};

/// What findings about tokens are called.
const TOKENS: &str = "o200k tokens";
const OTHER_TOKENS: &str = "cl100k tokens";
/// Most scenarios that are named in a line.
const MOST_NAMED: usize = 12;

/// What was found of one strategy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OfStrategy<'a> {
    scenarios: BTreeSet<&'a str>,
    /// Steps whose tokens changed.
    steps: u32,
    /// Tokens of those steps: accepted, and now.
    tokens: (u64, u64),
    /// Findings about anything else.
    others: u32,
}

/// Sums findings by strategy, in the order of names.
pub(super) fn by_strategy(findings: &[Finding]) -> BTreeMap<&str, OfStrategy<'_>> {
    let mut all: BTreeMap<&str, OfStrategy<'_>> = BTreeMap::new();
    for finding in findings {
        let own = all.entry(&finding.strategy).or_default();
        own.scenarios.insert(&finding.trace);
        match (finding.what.as_str(), finding.accepted.parse::<u64>(), finding.now.parse::<u64>()) {
            (TOKENS, Ok(accepted), Ok(now)) => {
                own.steps += 1;
                own.tokens = (own.tokens.0 + accepted, own.tokens.1 + now);
            }
            // The other encoding says the same once more.
            (OTHER_TOKENS, ..) => {}
            _ => own.others += 1,
        }
    }
    all
}

impl OfStrategy<'_> {
    fn difference(&self) -> String {
        let (accepted, now) = self.tokens;
        match now.checked_sub(accepted) {
            Some(more) => format!("+{}", thousands(more)),
            None => format!("−{}", thousands(accepted - now)),
        }
    }

    fn names(&self) -> String {
        let named: Vec<String> = self.scenarios.iter().take(MOST_NAMED).map(|name| one_line(name)).collect();
        let rest = self.scenarios.len().saturating_sub(MOST_NAMED);
        if rest > 0 { format!("{} and {rest} more", named.join(", ")) } else { named.join(", ") }
    }

    /// One line:
    /// `lens/full: +140 tokens (1,000 → 1,140) on 3 steps; 1 other finding; on shop/a, shop/b`.
    pub fn in_words(&self, strategy: &str) -> String {
        let mut parts = Vec::new();
        if self.steps > 0 {
            let (accepted, now) = self.tokens;
            parts.push(format!(
                "{} tokens ({} → {}) on {} steps",
                self.difference(),
                thousands(accepted),
                thousands(now),
                self.steps
            ));
        }
        if self.others > 0 {
            parts.push(format!("{} findings that are not about tokens", self.others));
        }
        format!("{}: {}; scenarios: {}", one_line(strategy), parts.join("; "), self.names())
    }
}

/// The same as a table, for Markdown.
pub(super) fn table(findings: &[Finding]) -> TextTable {
    by_strategy(findings).into_iter().table([
        ("strategy", &|(strategy, _)| (*strategy).to_owned()),
        ("tokens", &|(_, own)| own.difference()),
        ("accepted", &|(_, own)| thousands(own.tokens.0)),
        ("now", &|(_, own)| thousands(own.tokens.1)),
        ("steps", &|(_, own)| own.steps.to_string()),
        ("other findings", &|(_, own)| own.others.to_string()),
        ("scenarios", &|(_, own)| own.scenarios.len().to_string()),
        ("which", &|(_, own)| own.names()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_summed_over_the_steps_that_are_named() {
        let finding = |trace: &str, what: &str, accepted: u64, now: u64| Finding {
            trace: trace.to_owned(),
            strategy: "lens/full".to_owned(),
            step: Some(0),
            what: what.to_owned(),
            accepted: accepted.to_string(),
            now: now.to_string(),
        };
        let found = [
            finding("b", TOKENS, 100, 150),
            finding("a", TOKENS, 900, 990),
            finding("a", OTHER_TOKENS, 900, 991),
            finding("a", "facts read", 2, 1),
        ];
        let all = by_strategy(&found);
        let words = all["lens/full"].in_words("lens/full");
        assert_eq!(
            words,
            "lens/full: +140 tokens (1,000 → 1,140) on 2 steps; 1 findings that are not about tokens; scenarios: a, b"
        );
        let fewer = [finding("a", TOKENS, 10, 4)];
        assert!(by_strategy(&fewer)["lens/full"].in_words("s").starts_with("s: −6 tokens (10 → 4) on 1 steps"));
    }
}
