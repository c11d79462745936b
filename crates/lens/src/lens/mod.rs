//! The lens: router, extractor, differ and formatter joined, and the state of one run.
//!
//! In: one [`StepInput`] a step, and requests. Out: [`Observation`]s. Invariants: the shown state
//! is what the emitted text alone parses to; an observation is emitted only after that was checked,
//! and a delta that fails the check (or leaves a difference from the page without a mark) is
//! replaced by a full observation; a text never costs more than the budget.

mod answers;
mod aside;
mod deltas;
mod fitting;
mod images;
mod marks;
mod options;
mod pixels;
mod shared;

pub use aside::Aside;
pub use options::{Base, DELTA_LIMIT_PERCENT, LensOptions, RouterKind};
pub use pixels::{rgba, shrunk};

use crate::budget::{Cuts, Handles, Target};
use crate::differ::Side;
use crate::events;
use crate::extract::{ExtractOptions, Grade, Representation, View, collapse};
use crate::format::{EventNote, Head, ImageNote, Observed};
use crate::reference::Reference;
use crate::refs::RefTable;
use crate::router::{
    self, CostRouter, FixedRouter, HeuristicRouter, Route, Router, SignalCache, Signals, TieredRouter,
};
use crate::shown::{MOST_EARLIER, ShownState};
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{
    CaptureImage, Observation, ObservationKind, ObservedImage, Ref, RefTarget, Request, Run, Stage, StepCache,
    StepInput, StrategyError,
};
use browserlens_core::tokens::Tokens;
use deltas::{Delta, Tried};
use fitting::Subject;
use images::{Picture, Pixels};
use shared::Known;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// How long names may be, and how much of longer ones is shown, where a budget bites.
const LONGEST_NAME_IN_BUDGET: (usize, usize) = (200, 120);
/// Looks that must see a value change by itself before its changes are noise.
const LOOKS_FOR_NOISE: u32 = 2;
/// How long a page has to be left alone, in milliseconds, until what changed there is no late answer.
const LEAST_WAIT_MS: u32 = 9_000;

/// What was told so far.
struct Told {
    state: ShownState,
    side: Side,
    representation: Representation,
    step: u32,
    /// Handles as they were then.
    handles: Handles,
    /// Hashes of what was shown, once they are asked for.
    known: OnceCell<HashSet<u64>>,
}

impl Told {
    /// Returns how many items of another side stood here, with all below them as they stand there.
    fn shares(&self, side: &Side) -> usize {
        let known = self.known.get_or_init(|| self.side.hashes.iter().copied().collect());
        side.hashes.iter().filter(|hash| known.contains(hash)).count()
    }
}

/// The page observed last.
struct Current {
    page: Arc<Page>,
    view: Arc<View>,
    cuts: Cuts,
    target: Target,
    reference: Arc<Reference>,
    /// What the pixels of regions can be cut from, when they are asked for.
    screenshot: Option<CaptureImage>,
    crops: Vec<CaptureImage>,
    shared: Arc<StepCache>,
    representation: Representation,
    step: u32,
}

/// A text that may be sent, and what it leads to.
struct Draft {
    text: String,
    observed: Observed,
    state: ShownState,
    keys: Vec<Option<NodeKey>>,
    target: Target,
    cuts: Cuts,
    unmarked: u32,
}

/// One run of the lens.
pub struct Lens {
    options: LensOptions,
    router: Box<dyn Router>,
    signals: SignalCache,
    /// What the router knew of the step observed last, and what it chose.
    chosen: Option<(Signals, Route)>,
    refs: RefTable,
    handles: Handles,
    noisy: HashSet<NodeKey>,
    /// How many looks saw a node change by itself.
    seen_changing: HashMap<NodeKey, u32>,
    /// The step that is observed.
    now: u32,
    /// Names that were told to their end although a limit asks for less.
    whole_names: HashSet<NodeKey>,
    memory: Memory,
}

/// What a lens knows of what its reader was told.
#[derive(Default)]
struct Memory {
    told: Option<Told>,
    /// What was told before, oldest first.
    earlier: VecDeque<Told>,
    /// What was shown after the same step, before the page changed by itself.
    replaced: Option<Told>,
    current: Option<Current>,
    /// Grade as changed by a request, for one document.
    grade: Option<(u32, Grade)>,
    /// The pixels last sent of a region.
    sent: HashMap<NodeKey, Pixels>,
    /// What the step observed last tells of the browser's events.
    events: Vec<EventNote>,
}

/// What an observation says beside its header and its items.
#[derive(Clone, Copy, Debug, Default)]
struct Notes<'a> {
    images: &'a [ImageNote],
    events: &'a [EventNote],
}

browserlens_core::opaque_debug!(self: Lens { options: self.options });

impl Lens {
    /// Starts a run with the router that the options say.
    pub fn new(options: LensOptions) -> Self {
        let router = router_of(&options);
        Self::with_router(options, router)
    }

    /// Works by other options from now on: the next observation is full; refs keep what they mean.
    pub fn set_options(&mut self, options: LensOptions) {
        self.router = router_of(&options);
        self.options = options;
        self.forget();
    }

    /// Forgets what was told, as a reader does whose context was cut: the next observation is full;
    /// refs keep what they mean.
    pub fn forget(&mut self) {
        let Memory { grade, events, .. } = std::mem::take(&mut self.memory);
        self.memory = Memory { grade, events, ..Memory::default() };
    }

    /// Returns whether a ref was ever given.
    pub fn has_given(&self, reference: Ref) -> bool {
        reference.number < self.refs.next()
    }

    /// Starts a run with a router of one's own.
    pub fn with_router(options: LensOptions, router: Box<dyn Router>) -> Self {
        Self {
            options,
            router,
            signals: SignalCache::default(),
            chosen: None,
            refs: RefTable::default(),
            handles: Handles::default(),
            noisy: HashSet::new(),
            seen_changing: HashMap::new(),
            now: 0,
            whole_names: HashSet::new(),
            memory: Memory::default(),
        }
    }

    /// Returns what was told so far.
    pub fn shown(&self) -> Option<&ShownState> {
        self.memory.told.as_ref().map(|told| &told.state)
    }

    fn count(&self, text: &str) -> u32 {
        self.options.encoding.count(text).0
    }

    fn fits(&self, text: &str) -> bool {
        self.options.budget.is_none_or(|budget| self.options.encoding.count_within(text, Tokens(budget)).is_some())
    }

    fn step(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let page = input.page;
        self.now = input.step.0;
        input.clock.enter(Some(Stage::Route));
        let representation = self.route(input);
        input.clock.enter(Some(Stage::Extract));
        self.learn(input);
        self.memory.events = self.events(input);
        let mut pictures = images::pictures(page, representation, input, self.options.image_formula)?;
        // Asked at each step: another document ends what was widened, however it is shown.
        let grade = self.grade_of(page);
        let from_dom = representation == Representation::Dom;
        let form = ExtractOptions {
            from_dom,
            grade: if from_dom { grade } else { Grade::All },
            regions_shown: if representation == Representation::Hybrid { images::whole(&pictures) } else { 0 },
        };
        let known = (&**input.shared, input.clock);
        let view = self.view(known, page, form);
        // A delta is checked against it, so that it decides what is sent.
        let reference = shared::reference(known, page, form);
        let marked = match representation {
            Representation::Vision if self.options.marks => self.mark(page, &view, &mut pictures),
            _ => Vec::new(),
        };
        let head = Head { title: collapse(page.title()), url: page.url().to_owned(), cut: false };
        input.clock.enter(Some(Stage::Diff));
        // That a screenshot shows the page need not be said.
        let image_notes = if representation == Representation::Vision { Vec::new() } else { images::notes(&pictures) };
        let changed_pictures = match representation {
            // A screenshot is never a part of a delta, and without a delta nothing is a part.
            Representation::Vision => Vec::new(),
            _ if !self.options.delta || self.memory.told.is_none() => Vec::new(),
            _ => self.changed(&pictures, known),
        };
        let events = std::mem::take(&mut self.memory.events);
        let changed_notes = images::notes(&changed_pictures);
        let notes = Notes { images: &changed_notes, events: &events };
        let tried = self.try_delta(input, &view, &head, representation, pictures.is_empty(), notes);
        input.clock.enter(Some(Stage::Format));
        let (delta, reason, new_items) = match tried {
            Tried::Not(reason) => (None, reason, HashSet::new()),
            Tried::Deltas(tried) => {
                let changed = tried.first().map(Delta::changed_items).unwrap_or_default();
                (self.cheapest(tried, notes, &reference), "self-check", changed)
            }
        };
        let subject = Subject {
            view: &view,
            head: &head,
            representation,
            notes: Notes { images: &image_notes, events: &events },
            reference: &reference,
        };
        // Images that a delta need not send again are worth as much as text.
        let formula = self.options.image_formula;
        let saved = images::tokens(&pictures, formula).saturating_sub(images::tokens(&changed_pictures, formula));
        let (draft, kind) = match delta {
            Some((cost, delta)) => match self.why_not(&delta, cost.saturating_sub(saved), subject) {
                None => (delta, ObservationKind::Delta),
                Some(why) => (self.fit(subject, Some(why), &new_items)?, full_kind(why)),
            },
            None => {
                let said = (!matches!(reason, "first observation" | "deltas are off")).then_some(reason);
                (self.fit(subject, said, &new_items)?, full_kind(reason))
            }
        };
        let images = match kind {
            ObservationKind::Delta => changed_pictures.into_iter().map(|picture| picture.image).collect(),
            _ => pictures.iter().map(|picture| picture.image.clone()).collect(),
        };
        // What was sent before a whole telling counts no more; of documents that are gone nothing
        // is kept.
        let whole = kind != ObservationKind::Delta;
        let here = |key: &NodeKey| page.frames().iter().any(|frame| frame.loader == key.loader);
        self.memory.sent.retain(|key, _| !whole && here(key));
        if representation != Representation::Vision {
            self.memory.sent.extend(pictures.into_iter().map(|picture| (picture.key, picture.pixels)));
        }
        let current = Current {
            page: Arc::clone(page),
            view,
            cuts: draft.cuts.clone(),
            target: draft.target.clone(),
            reference,
            screenshot: input.screenshot.cloned(),
            crops: input.crops.to_vec(),
            shared: Arc::clone(input.shared),
            representation,
            step: input.step.0,
        };
        self.memory.current = Some(current);
        self.memory.events = events;
        let mut observation = self.emit(draft, kind, images, representation, input.step.0);
        observation.refs.extend(marked);
        input.clock.enter(None);
        Ok(observation)
    }

    fn route(&mut self, input: &StepInput<'_>) -> Representation {
        let signals = self.signals.signals(input.page, input.earlier_second_look);
        let shown = self.memory.told.as_ref().filter(|_| self.options.delta).map(|told| told.representation);
        let route = self.router.route(&signals, shown);
        let representation = route.representation;
        self.chosen = Some((signals, route));
        representation
    }

    /// Returns what is told of the events of a step: at most half of the budget is spent on it.
    fn events(&self, input: &StepInput<'_>) -> Vec<EventNote> {
        let mut notes = if self.options.events { events::notes(input) } else { Vec::new() };
        // A message that went was told when it came, and that it went may have been told since.
        if let Some(told) = &self.memory.told {
            let shown = told.state.tree();
            let replaced = self.memory.replaced.as_ref().map(|told| told.state.tree());
            let was_shown = |note: &EventNote| replaced.is_some_and(|replaced| events::is_shown(note, replaced));
            let went = |note: &EventNote| was_shown(note) && !events::is_shown(note, shown);
            notes.retain(|note| !events::is_in_message(note, shown) && !went(note));
        }
        match self.options.budget {
            Some(budget) => events::within(notes, budget / 2, |text| self.count(text)),
            None => notes,
        }
    }

    /// Remembers which nodes change by themselves: those that two looks saw change. What a look saw
    /// once, or saw come and stay, or soon after an action, may be a late answer.
    fn learn(&mut self, input: &StepInput<'_>) {
        let Some(look) = input.earlier_second_look.filter(|look| look.waited_ms >= LEAST_WAIT_MS) else { return };
        for changed in &look.changed {
            let seen = self.seen_changing.entry(changed.key).or_default();
            *seen += 1;
            if *seen >= LOOKS_FOR_NOISE {
                self.noisy.insert(changed.key);
            }
        }
    }

    /// Learns of nodes that change by themselves from who looked on.
    pub fn learn_noise(&mut self, nodes: Vec<NodeKey>) {
        self.noisy.extend(nodes);
    }

    fn grade_of(&mut self, page: &Page) -> Grade {
        self.memory.grade = self.memory.grade.filter(|(of, _)| *of == page.document().1);
        self.memory.grade.map_or(self.options.grade, |(_, grade)| grade)
    }

    fn view(&mut self, known: Known<'_>, page: &Page, form: ExtractOptions) -> Arc<View> {
        let view = shared::view(known, page, &self.noisy, form);
        self.refs.meet(&view, &shared::acting(known, page, &view, self.options.style.heading_refs));
        view
    }

    /// Returns what a view becomes under cuts, with the handles of what was told before.
    fn target(&self, view: &View, cuts: &Cuts, before: &Handles) -> Target {
        Target::build(view, cuts, &self.refs, before, self.options.style)
    }

    /// Returns what a delta sends of the pictures: of each what changed since it was sent.
    fn changed(&self, pictures: &[Picture], known: Known<'_>) -> Vec<Picture> {
        let formula = self.options.image_formula;
        pictures
            .iter()
            .flat_map(|picture| picture.changed(self.memory.sent.get(&picture.key), known, formula))
            .collect()
    }

    /// Sets which names are cut: all long ones if a limit asks (and they were not asked for), else
    /// those that were cut before.
    fn limit_names(&self, view: &View, cuts: &mut Cuts, all: bool, handles: &Handles) {
        cuts.longest_name = self.options.longest_name.map(|limit| (limit, limit)).or(Some(LONGEST_NAME_IN_BUDGET));
        cuts.whole_names = (0..view.tree.len() as u32)
            .filter(|id| {
                let key = view.meta[*id as usize].key;
                if all { self.whole_names.contains(&key) } else { !handles.is_cut(key) }
            })
            .collect();
    }

    /// Whether full observations say their step, so that deltas can start from them later.
    fn numbers_steps(&self) -> bool {
        self.options.delta && self.options.base == Base::Any && !self.options.style.seed_phrases
    }

    /// The seed's header has no title and URL; where a page has none either, nothing is lost.
    fn leaves_out_head(&self, head: &Head) -> bool {
        self.options.style.seed_phrases && head.title.is_empty() && head.url.is_empty()
    }

    /// Makes a draft what was told.
    fn emit(
        &mut self,
        draft: Draft,
        kind: ObservationKind,
        images: Vec<ObservedImage>,
        representation: Representation,
        step: u32,
    ) -> Observation {
        if !matches!(draft.observed, Observed::Nothing(_)) {
            draft.target.give_refs(&mut self.refs);
        }
        let mut handles = draft.target.handles;
        handles.after(&self.handles);
        self.handles = handles.clone();
        let side = Side::new(draft.state.tree().clone(), draft.keys);
        let shown = side.tree.items().filter_map(|(id, item)| item.reference.zip(side.keys[id as usize]));
        let refs = shown.map(|(reference, key)| RefTarget { handle: reference.to_string(), key }).collect();
        let before = self.memory.told.replace(Told {
            state: draft.state,
            side,
            representation,
            step,
            handles,
            known: OnceCell::new(),
        });
        let (replaced, before) = if before.as_ref().is_some_and(|before| before.step == step) {
            (before, None)
        } else {
            (None, before.filter(|_| self.numbers_steps()))
        };
        self.memory.replaced = replaced;
        if let Some(before) = before {
            self.memory.earlier.push_back(before);
            if self.memory.earlier.len() > MOST_EARLIER {
                self.memory.earlier.pop_front();
            }
        }
        Observation {
            text: draft.text,
            images,
            kind,
            refs,
            representation: Some(representation.name().to_owned()),
            unmarked_differences: Some(draft.unmarked),
        }
    }
}

fn router_of(options: &LensOptions) -> Box<dyn Router> {
    let router: Box<dyn Router> = match (options.representation, &options.router) {
        (Some(representation), _) => Box::new(FixedRouter(representation)),
        (None, RouterKind::Heuristic) => Box::new(HeuristicRouter),
        (None, RouterKind::Cost) => Box::new(CostRouter { formula: options.image_formula }),
    };
    match options.tier {
        Some(tier) if options.representation.is_none() => Box::new(TieredRouter { tier, inner: router }),
        _ => router,
    }
}

fn full_kind(reason: &str) -> ObservationKind {
    ObservationKind::Full { reason: reason.to_owned() }
}

impl Run for Lens {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        self.step(input)
    }

    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        self.answer(request)
    }

    fn why(&self) -> Option<String> {
        let (signals, route) = self.chosen.as_ref()?;
        Some(router::why(signals, route, self.options.image_formula))
    }
}
