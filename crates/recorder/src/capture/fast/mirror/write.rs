//! Writes what changed into a mirror.
//!
//! In: what `script/patch.js` says of changes. Out: the mirror of the page as it is now, or why
//! there is none: it is of no use then. Invariant: every place that is named is checked; boxes,
//! texts and layers that cannot be known exactly are refused.

use super::{Laid, Mirror, Node, at};
use crate::capture::fast::changes::{ChangedRow, Changes, NewLayers, NewNode, Repainted};
use browserlens_core::page::raw::Rect;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Styles that make layers, by their place among those that a fast look reads.
const LAYERING: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 17];
/// Elements whose content is not rendered as it stands.
const DRAWN_BY_THE_BROWSER: [&str; 8] = ["input", "textarea", "select", "img", "progress", "meter", "br", "hr"];
/// Boxes that differ by less are the same.
const SAME: f64 = 0.004;

impl Mirror {
    /// Writes changes in; `described` are the new nodes, in document order.
    ///
    /// # Errors
    /// What cannot be written in: the mirror is of no use then.
    pub(in crate::capture) fn apply(
        &mut self,
        mut changes: Changes,
        described: &[NewNode],
    ) -> Result<(), &'static str> {
        let stood = if changes.runs.is_empty() { Vec::new() } else { self.restructure(&changes, described)? };
        if self.nodes.len() != changes.count {
            return Err("another number of nodes");
        }
        let mut resized = vec![false; self.nodes.len()];
        let mut shift: HashMap<usize, (f64, f64)> = HashMap::new();
        for row in &changes.rows {
            self.write_row(row)?;
        }
        for (from, to, dx, dy) in &changes.slid {
            let nodes = self.nodes.get_mut(*from..*to).ok_or("a place that is none")?;
            nodes.iter_mut().flat_map(all_laid).for_each(|laid| shift_by(laid, *dx, *dy));
        }
        for (index, x, y, width, height) in &changes.moved {
            let node = self.node(*index)?;
            let Some(laid) = node.laid.first() else { continue };
            let (dx, dy, same) = match laid.bounds {
                Rect([a, b, c, d], 4) => (x - a, y - b, (width - c).abs() < SAME && (height - d).abs() < SAME),
                _ => (0.0, 0.0, false),
            };
            if !same && self.generates(node) {
                return Err("generated text in a box of another size");
            }
            resized[*index] = !same;
            shift.insert(*index, (dx, dy));
            let node = &mut self.nodes[*index];
            node.laid[0].bounds = Rect::of([*x, *y, *width, *height]);
            for part in node.before.iter_mut().chain(&mut node.after) {
                part.laid.iter_mut().for_each(|laid| shift_by(laid, dx, dy));
            }
        }
        for (index, dx, dy) in &changes.shifted {
            let node = self.node_mut(*index)?;
            node.laid.iter_mut().for_each(|laid| shift_by(laid, *dx, *dy));
        }
        for (index, client, scroll) in &changes.sizes {
            let node = self.node_mut(*index)?;
            if let Some(laid) = node.laid.first_mut() {
                (laid.client, laid.scroll) = (rect_like(laid.client, client), rect_like(laid.scroll, scroll));
            }
        }
        for (index, data, x, y, width, height) in &changes.texts {
            let value = self.intern(data);
            let node = self.node(*index)?;
            let parent = node.parent.ok_or("a text of nothing")?;
            let has_box = *width != 0.0 || *height != 0.0;
            let holder = &self.nodes[parent];
            let renders = !DRAWN_BY_THE_BROWSER.iter().any(|tag| self.text_of(holder.name).eq_ignore_ascii_case(tag));
            let lays = has_box || (renders && !data.trim().is_empty() && !holder.laid.is_empty());
            let changed = node.value != value
                || node.laid.first().is_none_or(|laid| {
                    let same = |at: usize, of: f64| laid.bounds.is_present() && (laid.bounds.0[at] - of).abs() < SAME;
                    !(same(2, *width) && same(3, *height))
                });
            if changed && lays && self.generates(&self.nodes[parent]) && !shift.contains_key(&parent) {
                return Err("generated text beside text that changed");
            }
            let paint = self.paint_of(parent);
            let node = &mut self.nodes[*index];
            let same_text = node.value == value;
            node.value = value;
            if !lays {
                node.laid.clear();
                continue;
            }
            let said = node.laid.first().map(|laid| laid.text).filter(|_| same_text).unwrap_or(value);
            let laid = Laid { text: said, bounds: Rect::of([*x, *y, *width, *height]), paint, ..Laid::default() };
            match node.laid.first_mut() {
                Some(known) => (known.bounds, known.text) = (laid.bounds, laid.text),
                None => node.laid.push(laid),
            }
        }
        for drawing in &changes.drawings {
            self.draw_like(*drawing)?;
        }
        for repainted in &changes.repainted {
            self.repaint(repainted, &stood)?;
        }
        for layers in &changes.layers {
            self.paint_beside(layers)?;
        }
        for index in &changes.ax_read {
            self.node_mut(*index)?.heard = None;
        }
        for row in changes.ax.drain(..) {
            let (index, heard) = row.heard();
            self.node_mut(index)?.heard = Some(heard);
        }
        self.title = self.intern(&changes.title);
        self.scroll = changes.scroll;
        Ok(())
    }

    /// Puts the nodes into their new order; returns where each stood.
    fn restructure(&mut self, changes: &Changes, described: &[NewNode]) -> Result<Vec<Option<usize>>, &'static str> {
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        let (mut fresh, mut described) = (changes.fresh.iter(), described.iter());
        let mut nodes = Vec::with_capacity(changes.count);
        let mut places: Vec<Option<usize>> = vec![None; old.len()];
        for (from, length) in &changes.runs {
            // What is rendered anew is what it stands for, with other ids.
            let anew = *from <= -2;
            let from = if anew { at(from.saturating_add(2).saturating_neg()) } else { at(*from) };
            for step in 0..*length {
                let told = if anew || from.is_none() { Some(described.next().ok_or("a node too few")?) } else { None };
                let node = match from {
                    Some(from) => {
                        let node = old.get_mut(from.saturating_add(step)).and_then(Option::take);
                        let mut node = node.ok_or("a node that stood nowhere")?;
                        if let Some(told) = told {
                            if node.kind != told.kind {
                                return Err("new nodes are not told alike");
                            }
                            node.backend = told.backend;
                            for part in node.before.iter_mut().chain(&mut node.after) {
                                let name = self.text_of(part.name);
                                let id = told.generated.iter().find(|(known, _)| known == name);
                                part.backend = id.ok_or("generated text that is not described")?.1;
                            }
                        }
                        places[from + step] = Some(nodes.len());
                        node
                    }
                    None => {
                        let ((place, kind, name, value), told) = fresh.next().zip(told).ok_or("a node too few")?;
                        if *place != nodes.len() || *kind != told.kind {
                            return Err("new nodes are not told alike");
                        }
                        let name = self.intern(name);
                        let value = if *kind == 1 { -1 } else { self.intern(value) };
                        Node { kind: *kind, name, value, backend: told.backend, ..Node::default() }
                    }
                };
                nodes.push(node);
            }
        }
        if fresh.next().is_some() || described.next().is_some() {
            return Err("new nodes are not told alike");
        }
        if nodes.len() != changes.count {
            return Err("another number of nodes");
        }
        // What was there already has the parent that it had, unless it is said otherwise.
        let ups: HashMap<usize, i64> = changes.ups.iter().copied().collect();
        for (index, node) in nodes.iter_mut().enumerate() {
            let had = node.parent;
            node.parent = match ups.get(&index) {
                Some(up) => at(*up),
                None => had.and_then(|had| places.get(had).copied().flatten()),
            };
            if had.is_some() && node.parent.is_none() {
                return Err("a node whose parent went");
            }
            if node.parent.is_some_and(|parent| parent >= index) {
                return Err("a node before what holds it");
            }
        }
        self.nodes = nodes;
        let mut stood = vec![None; self.nodes.len()];
        for (old, new) in places.iter().enumerate() {
            if let Some(new) = new {
                stood[*new] = Some(old);
            }
        }
        Ok(stood)
    }

    fn node(&self, index: usize) -> Result<&Node, &'static str> {
        self.nodes.get(index).ok_or("a place that is none")
    }

    fn node_mut(&mut self, index: usize) -> Result<&mut Node, &'static str> {
        self.nodes.get_mut(index).ok_or("a place that is none")
    }

    /// Returns when what holds a node is painted.
    fn paint_above(&self, node: &Node) -> i64 {
        node.parent.map_or(0, |parent| self.paint_of(parent))
    }

    /// Checks that those nodes of a range make layers, with all that is generated in them, that are
    /// known to.
    fn check_layers(&self, range: Range<usize>, is_known: impl Fn(usize) -> bool) -> Result<(), &'static str> {
        for index in range {
            let node = &self.nodes[index];
            let Some(laid) = node.laid.first() else { continue };
            let mut parts = node.before.iter().chain(&node.after).flat_map(|part| &part.laid);
            if is_known(index) == (laid.paint == self.paint_above(node)) || parts.any(|part| part.paint != laid.paint) {
                return Err("other layers than are known");
            }
        }
        Ok(())
    }

    fn paint_of(&self, from: usize) -> i64 {
        let mut node = Some(from);
        while let Some(index) = node {
            if let Some(laid) = self.nodes[index].laid.first() {
                return laid.paint;
            }
            node = self.nodes[index].parent;
        }
        0
    }

    /// Gives a part of a drawing the boxes that a like part of another drawing has; its styles,
    /// which may be inherited from around, stay its own.
    fn draw_like(&mut self, (index, like, dx, dy): (usize, usize, f64, f64)) -> Result<(), &'static str> {
        let twin = self.node(like)?;
        let mut laid = twin.laid.clone();
        if !twin.before.is_empty() || !twin.after.is_empty() {
            return Err("generated text in a drawing");
        }
        let (above, paint) = (self.paint_above(twin), self.paint_above(self.node(index)?));
        for laid in &mut laid {
            if laid.paint != above {
                return Err("a layer in a drawing");
            }
            laid.paint = paint;
            if let Some(own) = self.nodes[index].laid.first() {
                laid.styles.clone_from(&own.styles);
            }
            shift_by(laid, dx, dy);
        }
        self.nodes[index].laid = laid;
        Ok(())
    }

    /// Gives the layers of a new subtree their places in the order of painting: each right behind
    /// those of its sibling that are at the same level of the stack around both.
    fn paint_beside(&mut self, layers: &NewLayers) -> Result<(), &'static str> {
        let NewLayers { root, end, beside, beside_end, ours, theirs } = layers;
        if root >= end || *end > self.nodes.len() || beside >= beside_end || beside_end > root {
            return Err("layers that are not beside each other");
        }
        // What the script takes for layers must be those of the sibling, whose order is known.
        let known: HashSet<usize> = theirs.iter().flat_map(|(_, places)| places.iter().copied()).collect();
        self.check_layers(*beside..*beside_end, |index| known.contains(&index))?;
        for (level, places) in ours {
            let order = theirs.iter().find(|(other, _)| other == level).ok_or("a layer of another kind")?;
            let paints: Option<Vec<i64>> =
                order.1.iter().map(|place| Some(self.nodes.get(*place)?.laid.first()?.paint)).collect();
            let paints = paints.ok_or("a layer without a box")?;
            if !paints.is_sorted() {
                return Err("layers in another order than is known");
            }
            let last = *paints.last().ok_or("a layer of another kind")?;
            let more = places.len() as i64;
            for laid in self.nodes.iter_mut().flat_map(all_laid) {
                if laid.paint > last {
                    laid.paint += more;
                }
            }
            for (nth, place) in places.iter().enumerate() {
                let laid = self.nodes.get_mut(*place).filter(|_| (*root..*end).contains(place));
                let laid = laid.and_then(|node| node.laid.first_mut()).ok_or("a layer without a box")?;
                laid.paint = last + 1 + nth as i64;
            }
        }
        let own: HashSet<usize> = ours.iter().flat_map(|(_, places)| places.iter().copied()).collect();
        for index in (*root..*end).filter(|index| !own.contains(index)) {
            let above = self.paint_above(&self.nodes[index]);
            all_laid(&mut self.nodes[index]).for_each(|laid| laid.paint = above);
        }
        Ok(())
    }

    /// Gives layers in a new order the places in the order of painting that they had among
    /// themselves, level by level of the stack around them.
    fn repaint(&mut self, repainted: &Repainted, stood: &[Option<usize>]) -> Result<(), &'static str> {
        let Repainted(from, to, levels) = repainted;
        if from > to || *to > self.nodes.len() {
            return Err("a place that is none");
        }
        let mut given: HashMap<usize, i64> = HashMap::new();
        for places in levels {
            let paint = |place: &usize| Some(self.nodes.get(*place)?.laid.first()?.paint);
            let mut paints = places.iter().map(paint).collect::<Option<Vec<i64>>>().ok_or("a layer without a box")?;
            // In the order in which they stood they must have been painted in turn, or they were
            // not of one level.
            let before = places.iter().map(|place| stood.get(*place).copied().flatten());
            let mut before: Vec<(Option<usize>, i64)> = before.zip(paints.iter().copied()).collect();
            before.sort_unstable();
            if !before.is_sorted_by_key(|(_, paint)| *paint) {
                return Err("layers of several levels");
            }
            paints.sort_unstable();
            given.extend(places.iter().copied().zip(paints));
        }
        self.check_layers(*from..*to, |index| given.contains_key(&index))?;
        for index in *from..*to {
            let above = self.paint_above(&self.nodes[index]);
            let paint = given.get(&index).copied().unwrap_or(above);
            all_laid(&mut self.nodes[index]).for_each(|laid| laid.paint = paint);
        }
        Ok(())
    }

    fn write_row(&mut self, row: &ChangedRow) -> Result<(), &'static str> {
        let ChangedRow(index, attributes, styles, layered, client, scroll, input, area, checked, selected, restyled) =
            row;
        let attributes: Vec<i64> = attributes.iter().map(|text| self.intern(text)).collect();
        let styles: Option<Vec<i64>> =
            styles.as_ref().map(|styles| styles.iter().map(|text| self.intern(text)).collect());
        let input = input.as_ref().map(|text| self.intern(text));
        let area = area.as_ref().map(|text| self.intern(text));
        let paint = self.paint_above(self.node(*index)?);
        let node = &mut self.nodes[*index];
        if *restyled && styles.is_some() && !(node.before.is_empty() && node.after.is_empty()) {
            return Err("generated text that may have changed");
        }
        node.attributes = attributes;
        node.input_value = input.or(node.input_value);
        node.text_value = area.or(node.text_value);
        (node.checked, node.selected) = (*checked, *selected);
        match (styles, node.laid.first_mut()) {
            (None, _) => {
                node.laid.clear();
                node.before.clear();
                node.after.clear();
            }
            (Some(styles), Some(laid)) => {
                let differs = |at: usize| laid.styles.get(at) != styles.get(at);
                if LAYERING.iter().any(|at| differs(*at)) {
                    return Err("another layer");
                }
                laid.styles = styles;
                (laid.client, laid.scroll) = (Rect::of(*client), Rect::of(*scroll));
            }
            (Some(_), None) if *layered => return Err("a new layer"),
            (Some(styles), None) => node.laid.push(Laid {
                styles,
                bounds: Rect::of([0.0; 4]),
                text: -1,
                paint,
                scroll: Rect::of(*scroll),
                client: Rect::of(*client),
            }),
        }
        Ok(())
    }
}

/// The boxes of a node and of what is generated in it.
fn all_laid(node: &mut Node) -> impl Iterator<Item = &mut Laid> {
    let Node { laid, before, after, .. } = node;
    laid.iter_mut().chain(before.iter_mut().chain(after).flat_map(|part| &mut part.laid))
}

fn shift_by(laid: &mut Laid, dx: f64, dy: f64) {
    laid.bounds.0[0] += dx;
    laid.bounds.0[1] += dy;
}

/// A box that the browser does not give stays away.
fn rect_like(known: Rect, now: &[f64; 4]) -> Rect {
    if known.is_present() { Rect::of(*now) } else { known }
}
