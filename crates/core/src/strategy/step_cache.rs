//! What strategies work out of one step alike, made once and charged to each that uses it.
//!
//! In: a key, and how its value is made. Out: the value, shared, and its cost on the clock of
//! whoever asked. Invariants: what a run is given is what it would have made itself, because a key
//! names everything that its value depends on; what it is charged is what making it took, no matter
//! who made it and whether that one's own time was measured. So the latency of a strategy does not
//! depend on who else looks at the step, and the work is done once all the same.

use crate::strategy::StageClock;
use crate::sync::locked;
use crate::tokens::Micros;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// Does the work and returns how long it took.
pub type Timer = fn(work: &mut dyn FnMut()) -> Micros;

/// The shared values of one step. Whoever shows a step to runs makes one and hands it to all of
/// them.
///
/// It has a timer of its own: a value made for an answer, which nobody times, costs what it costs
/// to whoever uses it later.
pub struct StepCache {
    made: Mutex<Vec<Made>>,
    timer: Timer,
}

struct Made {
    key: Box<dyn Any + Send>,
    value: Arc<dyn Any + Send + Sync>,
    cost: Micros,
}

crate::opaque_debug!(self: StepCache { made: self.lock().len() });

/// A cache whose values cost nothing: for whoever measures no time.
impl Default for StepCache {
    fn default() -> Self {
        Self::timed(|work| {
            work();
            Micros(0)
        })
    }
}

impl StepCache {
    /// Returns a cache that times the making of its values.
    pub fn timed(timer: Timer) -> Self {
        Self { made: Mutex::default(), timer }
    }

    /// Returns the value of a key, made now if nobody has asked for it at this step, and charges
    /// its cost to `clock`.
    ///
    /// The type of the key says what kind of value it is: one type of key, one type of value.
    /// `make` must not ask for another shared value, which would be charged twice: take that first.
    pub fn get_or_make<K, V>(&self, clock: &dyn StageClock, key: K, make: impl FnOnce() -> V) -> Arc<V>
    where
        K: PartialEq + Send + 'static,
        V: Send + Sync + 'static,
    {
        if let Some((at, value, cost)) = self.find(&key) {
            clock.charge(at, cost);
            return value;
        }
        let (mut make, mut value) = (Some(make), None);
        let cost = (self.timer)(&mut || value = make.take().map(|make| Arc::new(make())));
        let Some(value) = value else { unreachable!("a timer does the work that it times") };
        let mut made = self.lock();
        // Who made it has spent the time already.
        clock.charge(made.len(), Micros(0));
        made.push(Made { key: Box::new(key), value: Arc::clone(&value) as Arc<dyn Any + Send + Sync>, cost });
        value
    }

    fn find<K: PartialEq + 'static, V: Send + Sync + 'static>(&self, key: &K) -> Option<(usize, Arc<V>, Micros)> {
        let made = self.lock();
        let is_it = |made: &Made| made.key.downcast_ref::<K>().is_some_and(|known| known == key);
        let at = made.iter().position(is_it)?;
        Some((at, Arc::clone(&made[at].value).downcast().ok()?, made[at].cost))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Made>> {
        locked(&self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::{NoClock, Stage};

    /// Counts what was charged, as a clock of replay does: each value once.
    #[derive(Default)]
    struct Charged(Mutex<Vec<(usize, Micros)>>);

    impl StageClock for Charged {
        fn enter(&self, _stage: Option<Stage>) {}

        fn charge(&self, value: usize, cost: Micros) {
            self.0.lock().unwrap().push((value, cost));
        }
    }

    fn seven(work: &mut dyn FnMut()) -> Micros {
        work();
        Micros(7)
    }

    #[derive(PartialEq)]
    struct Doubled(u32);
    #[derive(PartialEq)]
    struct Named(u32);

    #[test]
    fn a_value_is_made_once_and_charged_to_whoever_did_not_make_it() {
        let (cache, maker, user) = (StepCache::timed(seven), Charged::default(), Charged::default());
        let made = cache.get_or_make(&maker, Doubled(4), || 8_u32);
        let used = cache.get_or_make(&user, Doubled(4), || panic!("made twice"));
        assert!(Arc::ptr_eq(&made, &used));
        assert_eq!(*maker.0.lock().unwrap(), [(0, Micros(0))]);
        assert_eq!(*user.0.lock().unwrap(), [(0, Micros(7))]);
    }

    #[test]
    fn a_value_that_was_made_while_nobody_looked_at_the_time_is_charged_all_the_same() {
        let (cache, user) = (StepCache::timed(seven), Charged::default());
        cache.get_or_make(&NoClock, Doubled(4), || 8_u32);
        cache.get_or_make(&user, Doubled(4), || -> u32 { panic!("made twice") });
        assert_eq!(*user.0.lock().unwrap(), [(0, Micros(7))]);
    }

    #[test]
    fn another_key_or_another_kind_of_key_is_another_value() {
        let (cache, clock) = (StepCache::default(), Charged::default());
        assert_eq!(*cache.get_or_make(&clock, Doubled(4), || 8_u32), 8);
        assert_eq!(*cache.get_or_make(&clock, Doubled(5), || 10_u32), 10);
        assert_eq!(*cache.get_or_make(&clock, Named(4), || "four".to_owned()), "four");
        assert_eq!(*cache.get_or_make(&clock, Doubled(4), || 0_u32), 8);
    }
}
