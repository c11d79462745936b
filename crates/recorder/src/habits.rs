//! What pages ask the network for by themselves: polls, beacons, prices.
//!
//! In: requests that began while nothing was done. Out: whether a request is one of those.
//! Invariant: what was asked for only while an action was under way is nobody's habit: a search
//! that follows each key would be one.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How often something was asked for before it counts as a habit, and how long that is remembered.
const OFTEN: u32 = 2;
const REMEMBERED: Duration = Duration::from_secs(300);
/// Most that is remembered.
const MOST: usize = 500;

/// Keys of requests that began while nothing was done.
#[derive(Debug, Default)]
pub(crate) struct Habits(HashMap<String, (u32, Instant)>);

impl Habits {
    /// Notes a request that began by itself.
    pub(crate) fn saw(&mut self, key: &str) {
        if self.0.len() >= MOST {
            self.0.retain(|_, (_, last)| last.elapsed() < REMEMBERED / 10);
        }
        if self.0.len() < MOST {
            let habit = self.0.entry(key.to_owned()).or_insert((0, Instant::now()));
            *habit = (habit.0 + 1, Instant::now());
        }
    }

    /// Returns whether it is asked for again and again by itself.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|(times, last)| *times >= OFTEN && last.elapsed() < REMEMBERED)
    }
}

/// Returns what is the same each time: the method, and the URL without query, fragment and numbers.
pub(crate) fn key(method: &str, url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let mut key = format!("{method} ");
    let mut in_number = false;
    for character in path.chars() {
        if !character.is_ascii_digit() {
            key.push(character);
        } else if !in_number {
            key.push('0');
        }
        in_number = character.is_ascii_digit();
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_habit_when_it_began_twice_by_itself() {
        let mut habits = Habits::default();
        let poll = key("GET", "http://a.test/poll/17?after=3#x");
        assert_eq!(poll, "GET http://a.test/poll/0");
        habits.saw(&poll);
        assert!(!habits.knows(&poll));
        habits.saw(&key("GET", "http://a.test/poll/18?after=4"));
        assert!(habits.knows(&poll));
        assert!(!habits.knows(&key("POST", "http://a.test/poll/18")), "another method is another request");
    }
}
