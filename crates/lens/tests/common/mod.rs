//! What the tests of the lens share: steps without a browser, and pages from outlines.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

pub mod attack;
pub mod site;
pub mod witness;

use browserlens_core::page::capture::ChangedAlone;
use browserlens_core::page::{BoxInViewport, NodeKey, Page, PageBuilder, SecondLook};
use browserlens_core::strategy::{CaptureImage, ImageSpace, Observation, PageAlone, Run, StepInput, StrategyError};
use browserlens_lens::extract::ExtractOptions;
use browserlens_lens::reference::{Reference, unmarked_differences};
use browserlens_lens::{Lens, LensOptions, ShownState};
use browserlens_trace::Trace;
use image::{ImageFormat, RgbaImage};
use std::io::Cursor;
use std::sync::Arc;

/// The bundled traces by their names, or those in the folder that `BROWSERLENS_TRACES` names; and
/// whether they are the bundled ones.
pub fn traces() -> (bool, Vec<(String, Trace)>) {
    let others = std::env::var("BROWSERLENS_TRACES").ok();
    let folder = others.as_deref().unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces"));
    let paths =
        std::fs::read_dir(folder).expect("the folder of the traces").map(|entry| entry.expect("an entry").path());
    let traces = paths.filter(|path| path.extension().is_some_and(|extension| extension == "trace"));
    let named = traces.map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, Trace::open(&path).expect("opens"))
    });
    (others.is_none(), named.collect())
}

/// A page of `url` and `title` from an outline; `loader` numbers its document.
pub fn page(url: &str, title: &str, loader: u32, outline: &str) -> Arc<Page> {
    let mut builder = PageBuilder::new(url, title);
    builder.document(1, loader);
    builder.add_outline(outline);
    Arc::new(builder.finish())
}

/// An image as the capture of a whole viewport.
pub fn capture(image: &RgbaImage) -> CaptureImage {
    let mut png = Vec::new();
    image.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).unwrap();
    let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: 1280.0, height: 800.0 });
    CaptureImage { png: png.into(), space }
}

/// Lets a lens observe a page.
pub fn try_observe(
    lens: &mut Lens,
    step: u32,
    page: &Arc<Page>,
    look: Option<&SecondLook>,
) -> Result<Observation, StrategyError> {
    lens.observe(&StepInput { earlier_second_look: look, ..PageAlone::default().input(step, page) })
}

/// Lets a lens observe a page; it must succeed and hide nothing without a mark.
pub fn observe(lens: &mut Lens, step: u32, page: &Arc<Page>) -> Observation {
    let observation = try_observe(lens, step, page, None).unwrap();
    assert_eq!(observation.unmarked_differences, Some(0), "{}", observation.text);
    observation
}

/// The texts of a run over pages.
pub fn run(options: LensOptions, pages: &[Arc<Page>]) -> Vec<String> {
    let mut lens = Lens::new(options);
    pages.iter().enumerate().map(|(step, page)| observe(&mut lens, step as u32, page).text).collect()
}

pub fn a11y() -> LensOptions {
    LensOptions { representation: Some(browserlens_lens::Representation::A11y), ..LensOptions::default() }
}

/// Whatever a delta costs, it is told.
pub fn always_delta() -> LensOptions {
    LensOptions { delta_limit_percent: 100_000, ..a11y() }
}

/// A look that saw these nodes change while nobody did anything.
pub fn look(backends: &[u32]) -> SecondLook {
    let key = |backend: &u32| NodeKey { frame: 1, loader: 1, backend: *backend };
    let changed = |key| ChangedAlone { key, fields: vec!["text".to_owned()] };
    SecondLook { waited_ms: 10_000, changed: backends.iter().map(key).map(changed).collect(), ..SecondLook::default() }
}

/// What a reader of these texts knows.
pub fn read<'t>(texts: impl IntoIterator<Item = &'t str>) -> ShownState {
    let mut shown = ShownState::default();
    for text in texts {
        shown.apply(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    }
    shown
}

/// What is shown of a page and is wrong without a mark.
pub fn owed(shown: &ShownState, page: &Page) -> u32 {
    unmarked_differences(shown, &Reference::of(page, &ExtractOptions::default()))
}

#[track_caller]
pub fn says(text: &str, said: &str) {
    assert!(text.contains(said), "{said}:\n{text}");
}

/// So many lines of an outline.
pub fn lines(count: u32, line: impl FnMut(u32) -> String) -> String {
    (0..count).map(line).collect()
}
