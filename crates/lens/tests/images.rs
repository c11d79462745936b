//! Observations with pixels.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_lens::{Lens, LensOptions, Representation};
use browserlens_page::{BoxInViewport, Capture, Page};
use browserlens_strategy::{
    CaptureImage, ImageSpace, NoClock, Observation, Request, Run, StepIndex, StepInput, StrategyError,
};
use common::page;
use image::{ImageFormat, Rgba, RgbaImage};
use std::io::Cursor;
use std::sync::Arc;

const SHEET: &str = r#"
main
  button "Bold"
  Canvas "Grid" canvas tag=canvas box=100,50,200,100 #7
  image "" tag=img box=900,5000,300,200 #8
"#;

fn screenshot(ink: [u8; 4]) -> CaptureImage {
    let mut image = RgbaImage::from_pixel(1280, 800, Rgba([255, 255, 255, 255]));
    for y in 50..150 {
        for x in 100..300 {
            image.put_pixel(x, y, Rgba(ink));
        }
    }
    let mut png = Vec::new();
    image.write_to(&mut Cursor::new(&mut png), ImageFormat::Png).unwrap();
    let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: 1280.0, height: 800.0 });
    CaptureImage { png: png.into(), space }
}

fn observe(
    lens: &mut Lens,
    step: u32,
    page: &Arc<Page>,
    shot: Option<&CaptureImage>,
) -> Result<Observation, StrategyError> {
    lens.observe(&StepInput {
        step: StepIndex(step),
        page,
        capture: &Capture::default(),
        earlier_second_look: None,
        action: None,
        events: &[],
        screenshot: shot,
        crops: &[],
        peers: &[],
        clock: &NoClock,
    })
}

fn lens(representation: Representation) -> Lens {
    Lens::new(LensOptions {
        representation: Some(representation),
        delta_limit_percent: 10_000,
        ..LensOptions::default()
    })
}

#[test]
fn hybrid_crops_the_canvas_and_sends_it_again_only_when_it_was_drawn_on() {
    let page = page("https://sheet.test/", "Sheet", 1, SHEET);
    let (blue, red) = (screenshot([0, 0, 255, 255]), screenshot([255, 0, 0, 255]));
    let mut lens = lens(Representation::Hybrid);
    let first = observe(&mut lens, 0, &page, Some(&blue)).unwrap();
    insta::assert_snapshot!(first.text, @r#"
    [FULL PAGE STATE 0] Sheet | https://sheet.test/
    [IMAGE 1: canvas "Grid" at 100,50 200×100]
    - main: button "Bold" @e1, canvas "Grid"
    - … 1 image @m1
    "#);
    let [crop] = &first.images[..] else { panic!("one image, not {}", first.images.len()) };
    assert_eq!((crop.width, crop.height), (200, 100));
    let pixels = image::load_from_memory(&crop.png).unwrap().to_rgba8();
    assert!(pixels.pixels().all(|pixel| pixel.0 == [0, 0, 255, 255]), "the crop is the canvas and nothing else");
    let same = observe(&mut lens, 1, &page, Some(&blue)).unwrap();
    assert!(same.images.is_empty(), "{}", same.text);
    let drawn = observe(&mut lens, 2, &page, Some(&red)).unwrap();
    assert_eq!(drawn.images.len(), 1, "{}", drawn.text);
    assert_eq!([first, same, drawn].map(|told| told.unmarked_differences), [Some(0); 3]);
}

#[test]
fn vision_shows_the_screenshot_and_one_mark_that_can_be_expanded() {
    let page = page("https://sheet.test/", "Sheet", 1, SHEET);
    let mut lens = lens(Representation::Vision);
    let told = observe(&mut lens, 0, &page, Some(&screenshot([0, 0, 0, 255]))).unwrap();
    assert_eq!((told.images.len(), told.unmarked_differences), (1, Some(0)));
    let answer = lens.request(&Request::Expand { handle: "@m1".to_owned() }).unwrap();
    assert_eq!(answer.unmarked_differences, Some(0));
    insta::assert_snapshot!(format!("{}\n\n{}", told.text, answer.text), @r#"
    [FULL PAGE STATE 0] Sheet | https://sheet.test/
    - … 2 more items @m1

    [ANSWER expand \@m1]
    EXPANDED @m1:
      - main: button "Bold" @e1, canvas "Grid"
      - … 2 images @m2
    "#);
}

#[test]
fn vision_without_a_screenshot_is_an_error_that_says_so() {
    let page = page("https://sheet.test/", "Sheet", 1, SHEET);
    let error = observe(&mut lens(Representation::Vision), 4, &page, None).unwrap_err();
    assert_eq!(error.to_string(), "step 4: the capture has no screenshot, which lens/vision reads");
}

#[test]
fn the_mark_for_images_brings_their_pixels() {
    let page = page("https://sheet.test/", "Sheet", 1, SHEET);
    let mut lens = lens(Representation::A11y);
    let told = observe(&mut lens, 0, &page, Some(&screenshot([0, 0, 255, 255]))).unwrap();
    assert!(told.images.is_empty() && told.text.ends_with("- … 2 images @m1"), "{}", told.text);
    let answer = lens.request(&Request::Expand { handle: "@m1".to_owned() }).unwrap();
    assert_eq!((answer.images.len(), answer.images[0].width, answer.unmarked_differences), (1, 200, Some(0)));
    assert!(answer.text.contains("[IMAGE 1: canvas \"Grid\" at 100,50 200×100]"), "{}", answer.text);
}
