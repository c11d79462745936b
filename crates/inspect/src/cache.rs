//! Answers that were given before.
//!
//! In: a key made of query and data, an answer. Out: the answer again. Invariant: an answer is
//! remembered only for data that cannot change under its key; cursors are signed anew each time, so
//! that a remembered one is no older than its answer.

use crate::cursor::{Position, Short};
use lru::LruCache;
use std::num::NonZeroUsize;

/// An answer as it is remembered: without the cursors, which are made anew.
#[derive(Clone, Debug)]
pub(crate) struct Remembered<A> {
    pub answer: A,
    pub next: Option<Position>,
    pub newer: Option<Position>,
}

/// Remembers the answers of one tool; the least recently used goes first.
pub(crate) struct Cache<A>(Option<LruCache<Short, Remembered<A>>>);

impl<A: Clone> Cache<A> {
    pub(crate) fn new(most: usize) -> Self {
        Self(NonZeroUsize::new(most).map(LruCache::new))
    }

    pub(crate) fn get(&mut self, key: &Short) -> Option<Remembered<A>> {
        self.0.as_mut()?.get(key).cloned()
    }

    pub(crate) fn put(&mut self, key: Short, answer: &Remembered<A>) {
        if let Some(cache) = &mut self.0 {
            cache.put(key, answer.clone());
        }
    }
}
