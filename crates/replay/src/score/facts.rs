//! Which of the step's facts can be read, in text or in images.

use super::{Band, Missing, Shown};
use crate::measure::{FactScore, count};
use crate::pixels;
use crate::steps::resolve;
use browserlens_core::page::{BoxInDocument, NodeId};
use browserlens_trace::scenario::Fact;

/// What came of the facts of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FactReading {
    pub score: FactScore,
    /// For each fact, whether it was read.
    pub read: Vec<bool>,
}

impl Shown<'_> {
    /// Reads the facts of a step.
    pub fn facts(&self, facts: &[Fact]) -> FactReading {
        let mut reading = FactReading {
            score: FactScore { total: count(facts.len()), ..FactScore::default() },
            read: Vec::with_capacity(facts.len()),
        };
        for fact in facts {
            let in_text = self.haystack.holds(&fact.text);
            let in_image = !in_text && !self.images.is_empty() && self.is_fact_in_image(fact);
            reading.read.push(in_text || in_image);
            reading.score.read += u32::from(in_text || in_image);
            reading.score.by_pixels += u32::from(in_image);
        }
        reading
    }

    fn is_fact_in_image(&self, fact: &Fact) -> bool {
        if fact.pixels.is_some() {
            return self.drawn_at(fact).into_iter().any(|(id, bounds)| {
                pixels::is_readable(self.page, self.images, self.page.node(id), bounds, bounds.height)
            });
        }
        let (haystack, owners) = self.index.text(self.page);
        haystack.places(&fact.text).into_iter().any(|(first, last)| {
            owners.get(first..=last).is_some_and(|owners| owners.iter().all(|id| self.is_text_in_image(*id)))
        })
    }

    pub(super) fn is_text_in_image(&self, id: NodeId) -> bool {
        let node = self.page.node(id);
        pixels::is_readable(self.page, self.images, node, node.bounds(), pixels::text_height(node))
    }

    /// Returns the boxes in which a fact is drawn, with the nodes that draw it.
    fn drawn_at(&self, fact: &Fact) -> Vec<(NodeId, BoxInDocument)> {
        let Some(drawn) = &fact.pixels else { return Vec::new() };
        let [x, y, width, height] = drawn.bounds;
        let within = |id: NodeId| {
            let outer = self.page.node(id).bounds();
            (id, BoxInDocument { x: outer.x + x, y: outer.y + y, width, height })
        };
        resolve(&drawn.within, self.page).into_iter().map(within).collect()
    }

    /// Returns where the nearest place of a fact that was not read lies, and whether scrolling
    /// brings it into the band.
    pub fn missing_fact(&self, fact: &Fact, band: &Band) -> Missing {
        if fact.pixels.is_some() {
            return Missing::nearest(self.drawn_at(fact).into_iter().map(|(_, bounds)| band.scrolls_to(bounds)));
        }
        let (haystack, owners) = self.index.text(self.page);
        let places = haystack.places(&fact.text);
        Missing::nearest(places.into_iter().filter_map(|(first, last)| {
            // A place that spans several nodes is brought by the scroll that brings its farthest
            // one.
            let owners = owners.get(first..=last)?;
            owners.iter().map(|id| band.scrolls_to(self.page.node(*id).bounds())).max_by_key(|scrolls| scrolls.abs())
        }))
    }
}
