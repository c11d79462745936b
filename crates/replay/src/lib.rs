//! Replay: every strategy over every recorded page, without browser, network or LLM.
//!
//! In: traces, scenarios, strategies. Out: measurements ([`Measurement`], [`TaskMeasurement`]),
//! timings ([`Timing`]) and the store of what was shown ([`RunResult`], [`Store`]); what changed
//! against the accepted run ([`gate`]). Aggregates are `report`'s. Invariants: everything but
//! timings is identical for any number of threads and with or without the cache; strategies never
//! see facts, action nodes or entity ids; this crate neither draws nor prints.
//!
//! Which module does what? [`strategies`] reads `strategies.toml`; `steps` loads one trace step by
//! step; `unit` runs one strategy over it; [`reader`] is the deterministic agent; `score` and
//! `oracle` compare it with what the trace and the scenario know; [`engine`] does all of this in
//! parallel; [`routing`] compares routers with hindsight.

mod cache;
mod clock;
pub mod engine;
mod error;
pub mod external;
pub mod fidelity;
pub mod gate;
mod info;
mod inspect;
mod inspect_bench;
mod knowledge_bench;
pub mod llm;
mod measure;
mod minimise;
mod oracle;
mod packed;
mod part;
mod peers;
mod pixels;
pub mod reader;
mod reading_bench;
mod retained;
pub mod routing;
mod run;
mod score;
mod steps;
mod store;
pub mod strategies;
pub mod table;
mod trace_files;
mod unit;
mod views;

pub use browserlens_core::random::SplitMix64;
pub use browserlens_knowledge::gaps::HoleCount;
pub use browserlens_peers::RECORDED_SUFFIX;
pub use browserlens_trace::scenario::{AttackKind, Wording};
pub use browserlens_trace::{Origin, whole};
pub use clock::LATENCY_VERSION;
pub use engine::{Progress, Quiet, ReplayOptions, replay};
pub use error::ReplayError;
pub use gate::{
    AcceptedRun, AcceptedTask, AcceptedTexts, ChangeExample, ChangeGroup, ChangedText, EarlierTexts, Finding,
    GateReport, History, LEAST_RUNS, Measured, PastRun, Slower, Tolerances, accept, check, group_changes,
};
pub use info::{AnswerInfo, AskedInfo, DEPTH as ASKED_DEPTH, KnownInfo, ReadInfo, SeenCount, TranslatedCount};
pub use inspect::Inspected;
pub use inspect_bench::{
    DEFAULT as DEFAULT_ANSWERS, UNFILTERED as UNFILTERED_ANSWERS, WITHOUT_BODIES as ANSWERS_WITHOUT_BODIES,
};
pub use measure::{
    AskedRequest, Cost, ExamScore, FactScore, FreshScore, ImageCost, METRIC_VERSION, MarkScore, Measurement, Outcome,
    PerMille, ProbeScore, RefScore, RequiredScore, RowKind, Scores, ScrollScore, StepNumbers, TargetScore,
    TaskMeasurement, Timing, Tokenizer, UnknownShare,
};
pub use minimise::{MinimalSet, minimise};
pub use packed::PackedPages;
pub use part::{Decided, Merge, Part, PlannedTrace, decide, merge, read_parts};
pub use peers::RecordedPeer;
pub use pixels::MIN_TEXT_PX;
pub use reading_bench::FUSED as FUSED_WAY;
pub use run::{AttackInfo, RunHeader, RunResult, StepInfo, StoredObservation, TraceInfo, action_in_words};
pub use store::{Store, content_hash};
pub use strategies::{ConfiguredStrategy, StrategiesError, StrategyInfo, SweepPoint};
pub use trace_files::{VARIANTS, find_traces};
pub use views::{StepView, views};
