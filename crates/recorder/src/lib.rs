//! Drives real Chromium through a scenario and writes what it captured to a trace; the live page
//! source.
//!
//! In: a [`browserlens_trace::scenario::Scenario`], or a URL to look at live. Out: a trace file, or a live
//! [`browserlens_core::strategy::PageSource`]. Invariants: chromiumoxide launches Chromium and
//! navigates; input, captures and recorded events are raw JSON over a session of our own; bundled
//! sites run on one injected clock, so that two recordings are alike; no Chromium is left running,
//! however the recorder ends.

mod actions;
mod aim;
mod answering;
mod attach;
mod browser_state;
mod call;
mod capture;
mod capture_session;
mod check;
mod chrome;
mod client_recorder;
mod driver;
mod error;
mod event_loop;
mod facts;
mod file_chooser;
mod follow;
mod habits;
mod input;
mod lists;
mod live;
mod log;
mod mask;
mod messages;
mod network;
mod options;
mod peers;
mod record;
mod render;
mod resolve;
mod rest;
mod session_id;
mod settle;
mod setup;
mod site_server;
mod socket;
mod step_writer;
mod storage;
mod watch;
mod wire;

pub use actions::DragEnd;
pub use answering::{RenderAnswer, RenderAnswers};
pub use attach::AttachTab;
pub use capture::LookWay;
pub use check::{ChromeCheck, PeerPackage, check_chrome, check_peers};
pub use chrome::find_chrome;
pub use client_recorder::{ClientRecorder, ClientRecorderOptions};
pub use error::RecordError;
pub use follow::{FollowOptions, FollowReport, follow};
pub use live::{DialogInfo, LiveBrowser, LiveOptions, TabInfo, Wait};
pub use mask::mask_pictures;
#[doc(hidden)]
pub use options::{Beside, BesideStep, FastLook};
pub use options::{Cancel, EnvLookup, LeaveOut, Progress, ProgressCallback, RecordOptions, RecordReport, StepReport};
pub use peers::{PassReport, PeerOptions, PeersReport, find_peers, harnesses, record_peers};
pub use record::record;
pub use render::{RenderOptions, RenderScene, RenderedPage, render_scenes};
pub use site_server::{SiteRequest, SiteServer};
pub use wire::{CdpCall, CdpInbox, CdpTransport};
