//! The part of the knowledge that is drawn, and where each screen stands.
//!
//! In: a [`Knowledge`]. Out: screens, ways and columns. Invariant: equal knowledge gives an equal
//! order.

use crate::model::{Knowledge, ScreenDefinition, ScreenId, WebsiteId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What of the knowledge is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapOptions {
    /// Only screens of this website, and those of others that a way connects with it.
    pub website_id: Option<WebsiteId>,
    /// Heading of the picture; empty for none.
    pub title: String,
}

/// All ways from one screen to another, as one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Way {
    pub(super) actions: u32,
    pub(super) count: u32,
    pub(super) confidence: f64,
    pub(super) inferred: bool,
}

/// The part of the knowledge that is drawn.
pub(super) struct Graph<'k> {
    pub(super) screens: Vec<&'k ScreenDefinition>,
    /// By positions of the two screens.
    pub(super) ways: BTreeMap<(usize, usize), Way>,
    /// States and the screens they are states of.
    pub(super) parents: Vec<(usize, usize)>,
    /// Where recordings began.
    pub(super) openings: Vec<usize>,
}

impl<'k> Graph<'k> {
    pub(super) fn of(knowledge: &'k Knowledge, options: &MapOptions) -> Self {
        let is_of = |screen: &ScreenId| {
            let website = knowledge.screens.get(screen).map(|screen| &screen.website_id);
            options.website_id.is_none() || website == options.website_id.as_ref()
        };
        // Screens of other websites are drawn where a way leads there or comes from there.
        let across = knowledge.transitions.values().flat_map(|way| {
            let (from, to) = (&way.from_screen_id, &way.to_screen_id);
            (is_of(from) || is_of(to)).then_some([from, to]).into_iter().flatten()
        });
        let across: BTreeSet<&ScreenId> = across.collect();
        let wanted = |screen: &&ScreenDefinition| is_of(&screen.screen_id) || across.contains(&screen.screen_id);
        let screens: Vec<&ScreenDefinition> = knowledge.navigable_screens().filter(wanted).collect();
        let at: BTreeMap<&ScreenId, usize> =
            screens.iter().enumerate().map(|(at, screen)| (&screen.screen_id, at)).collect();
        let mut ways: BTreeMap<(usize, usize), Way> = BTreeMap::new();
        for transition in knowledge.transitions.values() {
            let (Some(from), Some(to)) = (at.get(&transition.from_screen_id), at.get(&transition.to_screen_id)) else {
                continue;
            };
            let way = ways.entry((*from, *to)).or_insert(Way { actions: 0, count: 0, confidence: 0.0, inferred: true });
            way.actions += 1;
            way.count += transition.count;
            way.confidence = way.confidence.max(transition.metadata.confidence);
            way.inferred &= transition.metadata.inferred;
        }
        let parent = |screen: &ScreenDefinition| at.get(screen.parent_screen_id.as_ref()?).copied();
        let parents = screens.iter().enumerate().filter_map(|(state, screen)| Some((state, parent(screen)?))).collect();
        let first = knowledge.tasks.values().filter_map(|task| task.steps.first());
        let opened = first.filter(|step| step.screen_id.is_none()).filter_map(|step| step.expected_screen_id.as_ref());
        let openings: BTreeSet<usize> = opened.filter_map(|screen| at.get(screen).copied()).collect();
        Self { screens, ways, parents, openings: openings.into_iter().collect() }
    }

    /// Puts every screen in a column: how many steps it lies from where one can begin.
    pub(super) fn columns(&self) -> Vec<Vec<usize>> {
        let count = self.screens.len();
        let mut incoming = vec![0_u32; count];
        for (_, to) in self.ways.keys().filter(|(from, to)| from != to) {
            incoming[*to] += 1;
        }
        let mut column: Vec<Option<usize>> = vec![None; count];
        let mut queue: VecDeque<usize> = VecDeque::new();
        // A website begins where recordings did, then where nothing leads to; in a circle, what
        // comes first by id does.
        let mut begins: Vec<usize> = self.openings.clone();
        begins.extend((0..count).filter(|at| incoming[*at] == 0));
        begins.extend(0..count);
        for begin in begins {
            if column[begin].is_some() {
                continue;
            }
            column[begin] = Some(0);
            queue.push_back(begin);
            while let Some(at) = queue.pop_front() {
                let next = column[at].map_or(0, |column| column + 1);
                for (_, to) in self.ways.range((at, 0)..(at + 1, 0)).map(|(way, _)| *way) {
                    if column[to].is_none() {
                        column[to] = Some(next);
                        queue.push_back(to);
                    }
                }
            }
        }
        let last = column.iter().flatten().max().map_or(0, |last| last + 1);
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); last];
        for (at, column) in column.into_iter().enumerate() {
            columns[column.unwrap_or(0)].push(at);
        }
        self.sort(&mut columns);
        columns
    }

    /// Orders each column by where its screens' neighbours to the left stand, so that fewer lines
    /// cross.
    fn sort(&self, columns: &mut [Vec<usize>]) {
        for right in 1..columns.len() {
            let (before, rest) = columns.split_at_mut(right);
            let place: BTreeMap<usize, usize> =
                before[right - 1].iter().enumerate().map(|(place, at)| (*at, place)).collect();
            let middle = |at: usize| {
                let places: Vec<usize> = self
                    .ways
                    .keys()
                    .filter(|(_, to)| *to == at)
                    .filter_map(|(from, _)| place.get(from).copied())
                    .collect();
                // In thousandths, so that the order is one of integers.
                if places.is_empty() { usize::MAX } else { places.iter().sum::<usize>() * 1000 / places.len() }
            };
            rest[0].sort_by_key(|at| (middle(*at), *at));
        }
    }
}

impl Way {
    /// How sure it is, and how often it was gone.
    pub(super) fn label(&self) -> String {
        let count = if self.inferred { String::new() } else { format!(" · {}", self.count) };
        format!("{:.2}{count}", self.confidence)
    }
}
