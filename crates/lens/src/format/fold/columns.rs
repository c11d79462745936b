//! Says what rows share and what each says itself.
//!
//! In: a tree and the [`Shape`] of some rows in it. Out: their [`Pattern`] and [`FoldedRow`]s, checked:
//! each row expands to its items. Invariants: text is literal in its row or shared by all; only
//! names of other items are made of columns; columns that few rows use come last, so that most rows
//! end before them.

mod literal;

pub(in crate::format) use literal::commonest;

use super::find::Shape;
use super::{FoldedRow, Part, Pattern, Presence, RefAt, Segment, Words, state_words};
use crate::format::Style;
use crate::tree::{Item, NONE, ROOT, Tree};
use browserlens_core::strategy::Ref;
use literal::{FEWEST_FOR_UNIT, split_at_word, unit};
use std::collections::HashMap;

/// Shortest value that a name is made of, in bytes.
const SHORTEST_SOURCE: usize = 2;

/// What all rows say of one field, before columns are numbered.
#[derive(Clone, Debug)]
enum FieldValues {
    Shared(String),
    /// What most say, and who says otherwise.
    Usual(String),
    /// Each its own, with what all begin and end with.
    Own {
        before: String,
        after: String,
    },
    /// Made of the names of other parts.
    Made(Vec<Piece>),
}

#[derive(Clone, Debug)]
enum Piece {
    Literal(String),
    NameOf(usize),
}

/// A pattern with more parts that come and go, or are otherwise, is not read any more: the rows are
/// written out.
const MOST_CONDITIONS: usize = 5;

struct Columns<'t> {
    tree: &'t Tree,
    shape: &'t Shape,
    style: Style,
    parent: Vec<Option<usize>>,
    names: Vec<FieldValues>,
    /// Number of each row's refs.
    heads: Vec<Option<u32>>,
}

/// Returns pattern and rows of a shape; none where they would not lead back to the same items.
pub(in crate::format) fn fold_rows(tree: &Tree, shape: &Shape, style: Style) -> Option<(Pattern, Vec<FoldedRow>)> {
    let mut parent = Vec::with_capacity(shape.depths.len());
    let mut open: Vec<usize> = Vec::new();
    for (part, depth) in shape.depths.iter().enumerate() {
        open.truncate(*depth);
        parent.push(open.last().copied());
        open.push(part);
    }
    let heads = shape.rows.iter().map(|row| head(tree, row, style.every_ref)).collect();
    let mut columns = Columns { tree, shape, style, parent, names: Vec::new(), heads };
    columns.names = (0..shape.depths.len()).map(|part| columns.name(part)).collect();
    columns.derive();
    let (pattern, rows) = columns.number()?;
    if pattern.conditions() > MOST_CONDITIONS.min(1 + rows.len() / 2) {
        return None;
    }
    let mut folded = Tree::default();
    for (row, items) in rows.iter().zip(&shape.rows) {
        folded.take_children(ROOT);
        let first = folded.len() as u32;
        pattern.expand(row, &mut folded, ROOT)?;
        let wanted = items.iter().filter(|id| **id != NONE).map(|id| tree.item(*id));
        if !wanted.eq((first..folded.len() as u32).map(|id| folded.item(id))) {
            return None;
        }
    }
    Some((pattern, rows))
}

impl<'t> Columns<'t> {
    fn items(&self, part: usize) -> impl Iterator<Item = Option<&'t Item>> + '_ {
        let tree = self.tree;
        self.shape.rows.iter().map(move |row| Some(row[part]).filter(|id| *id != NONE).map(|id| tree.item(id)))
    }

    fn present(&self, part: usize) -> impl Iterator<Item = &'t Item> + '_ {
        self.items(part).flatten()
    }

    fn is_text(&self, part: usize) -> bool {
        self.present(part).next().is_some_and(Item::is_text)
    }

    /// Whether a part is in every row in which what it belongs to is.
    fn always(&self, part: usize) -> bool {
        let above = self.parent[part];
        self.shape.rows.iter().all(|row| row[part] != NONE || above.is_some_and(|above| row[above] == NONE))
    }

    fn said<'a>(&self, values: &[&'a str], may_be_usual: bool) -> FieldValues {
        let Some(first) = values.first() else { return FieldValues::Shared(String::new()) };
        if values.iter().all(|value| value == first) {
            return FieldValues::Shared((*first).to_owned());
        }
        if may_be_usual && values.len() >= FEWEST_FOR_UNIT {
            let mut counts: HashMap<&'a str, usize> = HashMap::new();
            for value in values {
                *counts.entry(value).or_default() += 1;
            }
            // At most one is so common.
            let usual = counts.iter().find(|(value, count)| !value.is_empty() && *count * 5 >= values.len() * 3);
            if let Some((value, _)) = usual {
                return FieldValues::Usual((*value).to_owned());
            }
        }
        let (before, after) = if self.style.units { unit(values) } else { Default::default() };
        FieldValues::Own { before, after }
    }

    fn name(&self, part: usize) -> FieldValues {
        let names: Vec<&str> = self.present(part).map(|item| &*item.name).collect();
        let text = self.is_text(part);
        // Text that some rows have stands literally in them.
        if text && !self.always(part) {
            return match self.said(&names, false) {
                FieldValues::Shared(_) => FieldValues::Own { before: String::new(), after: String::new() },
                said => said,
            };
        }
        self.said(&names, !text)
    }

    fn name_in(&self, part: usize, row: usize) -> Option<&'t str> {
        let id = self.shape.rows[row][part];
        (id != NONE).then(|| &*self.tree.item(id).name)
    }

    /// Makes names of controls and containers out of the other names of their rows, where that
    /// holds in every row.
    fn derive(&mut self) {
        let is_own = |said: &FieldValues| matches!(said, FieldValues::Own { .. } | FieldValues::Usual(_));
        let length = |part: usize| self.present(part).map(|item| item.name.len()).sum::<usize>();
        let mut wanting: Vec<usize> =
            (0..self.names.len()).filter(|part| is_own(&self.names[*part]) && !self.is_text(*part)).collect();
        wanting.sort_by_key(|part| (std::cmp::Reverse(length(*part)), *part));
        let mut sources: Vec<usize> =
            (0..self.names.len()).filter(|part| matches!(self.names[*part], FieldValues::Own { .. })).collect();
        // Text first: it is what an agent reads.
        sources.sort_by_key(|part| (!self.is_text(*part), *part));
        let mut pinned = vec![false; self.names.len()];
        let mut made = vec![false; self.names.len()];
        for part in wanting {
            if pinned[part] {
                continue;
            }
            let usable: Vec<usize> =
                sources.iter().copied().filter(|source| *source != part && !made[*source]).collect();
            if let Some(pieces) = self.compose(part, &usable) {
                for piece in &pieces {
                    if let Piece::NameOf(source) = piece {
                        pinned[*source] = true;
                    }
                }
                made[part] = true;
                self.names[part] = FieldValues::Made(pieces);
            }
        }
    }

    /// Says how a name is made of other names in every row.
    fn compose(&self, part: usize, sources: &[usize]) -> Option<Vec<Piece>> {
        let rows: Vec<usize> = (0..self.shape.rows.len()).filter(|row| self.shape.rows[*row][part] != NONE).collect();
        rows.iter().take(2).find_map(|sample| {
            let pieces = self.compose_in(part, *sample, sources)?;
            rows.iter().all(|row| self.composes(part, *row, &pieces)).then_some(pieces)
        })
    }

    fn compose_in(&self, part: usize, row: usize, sources: &[usize]) -> Option<Vec<Piece>> {
        let name = self.name_in(part, row)?;
        let mut values: Vec<(usize, &str)> = sources
            .iter()
            .filter_map(|source| Some((*source, self.name_in(*source, row)?)))
            .filter(|(_, value)| value.len() >= SHORTEST_SOURCE)
            .collect();
        values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        let mut pieces = vec![Piece::Literal(name.to_owned())];
        for (source, value) in values {
            pieces = pieces
                .into_iter()
                .flat_map(|piece| match piece {
                    Piece::Literal(literal) => split_at_word(literal, value, source),
                    other => vec![other],
                })
                .collect();
        }
        pieces.retain(|piece| !matches!(piece, Piece::Literal(literal) if literal.is_empty()));
        pieces.iter().any(|piece| matches!(piece, Piece::NameOf(_))).then_some(pieces)
    }

    fn composes(&self, part: usize, row: usize, pieces: &[Piece]) -> bool {
        let Some(name) = self.name_in(part, row) else { return true };
        let mut pieces = pieces.iter();
        let rest = pieces.try_fold(name, |rest, piece| match piece {
            Piece::Literal(literal) => rest.strip_prefix(literal.as_str()),
            Piece::NameOf(source) => rest.strip_prefix(self.name_in(*source, row)?),
        });
        rest == Some("")
    }

    /// Numbers the columns, and says what each row says in them.
    fn number(&self) -> Option<(Pattern, Vec<FoldedRow>)> {
        let parts = self.shape.depths.len();
        let mut rows: Vec<FoldedRow> = self.shape.rows.iter().map(|_| FoldedRow::default()).collect();
        let mut columns = 0;
        let mut pattern = Pattern::default();
        // First the columns that rows fill, in document order.
        let mut name_columns = vec![None; parts];
        let mut value_words = Vec::with_capacity(parts);
        for (part, said) in self.names.iter().enumerate() {
            if let FieldValues::Own { before, after } = said {
                name_columns[part] = Some(columns);
                let always = self.always(part);
                for (row, item) in rows.iter_mut().zip(self.items(part)) {
                    let own = item.map(|item| item.name[before.len()..item.name.len() - after.len()].to_owned());
                    row.values
                        .push(own.filter(|own| !always || !own.is_empty() || !before.is_empty() || !after.is_empty()));
                }
                columns += 1;
            }
            let values: Vec<&str> = self.present(part).map(|item| &*item.value).collect();
            value_words.push(match self.said(&values, false) {
                FieldValues::Shared(value) => Words::literal(&value),
                _ => {
                    for (row, item) in rows.iter_mut().zip(self.items(part)) {
                        row.values.push(item.map(|item| item.value.to_string()).filter(|value| !value.is_empty()));
                    }
                    columns += 1;
                    Words { segments: vec![Segment::Column(columns - 1)], unless: None }
                }
            });
        }
        // Then those that only exceptions fill.
        for (part, value) in value_words.into_iter().enumerate() {
            let first = self.present(part).next()?;
            let mut exception = |of: &dyn Fn(usize, Option<&Item>) -> Option<String>| {
                for (index, (row, item)) in rows.iter_mut().zip(self.items(part)).enumerate() {
                    row.values.push(of(index, item));
                }
                columns += 1;
                columns - 1
            };
            let (presence, mut name) = (self.presence(part, name_columns[part]), Words::default());
            match &self.names[part] {
                FieldValues::Shared(text) => name = Words::literal(text),
                FieldValues::Usual(text) => {
                    name = Words::literal(text);
                    name.unless = Some(exception(&|_, item| {
                        item.filter(|item| *item.name != **text).map(|item| item.name.to_string())
                    }));
                }
                FieldValues::Own { .. } => self.spell(part, &name_columns, &mut name.segments)?,
                FieldValues::Made(pieces) => {
                    for piece in pieces {
                        match piece {
                            Piece::Literal(literal) => name.segments.push(Segment::Literal(literal.clone())),
                            Piece::NameOf(source) => self.spell(*source, &name_columns, &mut name.segments)?,
                        }
                    }
                }
            }
            let presence = match presence {
                Presence::Unless { usual, .. } => {
                    let column = exception(&|index, item| {
                        let above = self.parent[part].is_none_or(|above| self.shape.rows[index][above] != NONE);
                        (above && item.is_some() != usual).then(|| if usual { "-" } else { "+" }.to_owned())
                    });
                    Presence::Unless { usual, column }
                }
                presence => presence,
            };
            let (states, volatile) = self.usual_states(part);
            let others = self.present(part).any(|item| (item.states, item.volatile) != (states, volatile));
            let states_unless = others.then(|| {
                exception(&|_, item| {
                    item.filter(|item| (item.states, item.volatile) != (states, volatile))
                        .map(|item| state_words(item.states, item.volatile))
                })
            });
            let (reference, strays) = self.reference(part);
            let reference_unless = strays.then(|| {
                exception(&|index, item| {
                    let said = item?.reference;
                    (self.said_by(said, index) != reference)
                        .then(|| said.map_or_else(|| "-".to_owned(), |said| said.to_string()))
                })
            });
            let reference = match reference {
                RefAt::Listed(_) => {
                    for (row, item) in rows.iter_mut().zip(self.items(part)) {
                        row.listed.push(item.and_then(|item| item.reference));
                    }
                    pattern.listed += 1;
                    RefAt::Listed(pattern.listed - 1)
                }
                other => other,
            };
            pattern.parts.push(Part {
                depth: self.shape.depths[part],
                role: first.role.clone(),
                name,
                value,
                states,
                volatile,
                states_unless,
                reference,
                reference_unless,
                presence,
            });
        }
        pattern.columns = columns;
        // A row whose number nothing uses has none.
        for ((row, items), head) in rows.iter_mut().zip(&self.shape.rows).zip(&self.heads) {
            let uses = |(part, id): (&Part, &u32)| *id != NONE && matches!(part.reference, RefAt::Row(_));
            row.number = head.filter(|_| pattern.parts.iter().zip(items).any(uses));
        }
        Some((pattern, rows))
    }

    fn spell(&self, part: usize, columns: &[Option<usize>], to: &mut Vec<Segment>) -> Option<()> {
        let FieldValues::Own { before, after } = &self.names[part] else { return None };
        if !before.is_empty() {
            to.push(Segment::Literal(before.clone()));
        }
        to.push(Segment::Column(columns[part]?));
        if !after.is_empty() {
            to.push(Segment::Literal(after.clone()));
        }
        Some(())
    }

    fn presence(&self, part: usize, column: Option<usize>) -> Presence {
        if self.always(part) {
            return Presence::Always;
        }
        match column {
            Some(column) => Presence::Given(column),
            None => {
                let there = self.present(part).count();
                let above = self.parent[part].map_or(self.shape.rows.len(), |above| self.present(above).count());
                Presence::Unless { usual: there * 2 >= above, column: 0 }
            }
        }
    }

    fn usual_states(&self, part: usize) -> (crate::tree::StateSet, bool) {
        commonest(self.present(part).map(|item| (item.states, item.volatile))).map(|(said, _)| said).unwrap_or_default()
    }

    /// Returns how a part gets its ref, and whether some rows say another.
    fn reference(&self, part: usize) -> (RefAt, bool) {
        let said: Vec<RefAt> = (0..self.shape.rows.len())
            .filter(|row| self.shape.rows[*row][part] != NONE)
            .map(|row| self.said_by(self.tree.item(self.shape.rows[row][part]).reference, row))
            .collect();
        let (usual, most) = commonest(said.iter().copied()).unwrap_or((RefAt::None, 0));
        if most == said.len() {
            return (usual, false);
        }
        // A stray costs a field of its own, a list a ref in every row.
        if matches!(usual, RefAt::Row(_) | RefAt::None) && most * 5 >= said.len() * 4 {
            (usual, true)
        } else {
            (RefAt::Listed(0), false)
        }
    }

    /// How a ref is said in a row: by the row's number if it has that, else it is listed.
    fn said_by(&self, reference: Option<Ref>, row: usize) -> RefAt {
        match reference {
            None => RefAt::None,
            Some(said) if self.heads[row] == Some(said.number) && (said.part == 0 || !self.style.every_ref) => {
                RefAt::Row(said.part)
            }
            Some(_) => RefAt::Listed(0),
        }
    }
}

/// Returns the number that most refs of a row have; where every ref is to be written, the number of
/// the first.
fn head(tree: &Tree, row: &[u32], every_ref: bool) -> Option<u32> {
    let mut refs = row.iter().filter(|id| **id != NONE).filter_map(|id| tree.item(*id).reference);
    if every_ref {
        return refs.next().filter(|first| first.part == 0).map(|first| first.number);
    }
    commonest(refs.map(|reference| reference.number)).map(|(number, _)| number)
}
