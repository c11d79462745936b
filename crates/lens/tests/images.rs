//! Observations with pixels.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::Page;
use browserlens_core::strategy::{
    CaptureImage, ImageSpace, Observation, PageAlone, Request, Run, StepInput, StrategyError,
};
use browserlens_lens::{Lens, LensOptions, Representation};
use common::{capture, page, says};
use image::{Rgba, RgbaImage};
use std::sync::Arc;

const SHEET: &str = r#"
main
  button "Bold"
  Canvas "Grid" canvas tag=canvas box=100,50,200,100 #7
  image "" tag=img box=900,5000,300,200 #8
"#;

fn sheet() -> Arc<Page> {
    page("https://sheet.test/", "Sheet", 1, SHEET)
}

fn form() -> Arc<Page> {
    page("https://a.test/", "Form", 1, FORM)
}

fn screenshot(ink: [u8; 4]) -> CaptureImage {
    let is_canvas = |x, y| (100..300).contains(&x) && (50..150).contains(&y);
    capture(&RgbaImage::from_fn(1280, 800, |x, y| Rgba(if is_canvas(x, y) { ink } else { [255; 4] })))
}

fn observe(
    lens: &mut Lens,
    step: u32,
    page: &Arc<Page>,
    shot: Option<&CaptureImage>,
) -> Result<Observation, StrategyError> {
    lens.observe(&StepInput { screenshot: shot, ..PageAlone::default().input(step, page) })
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
    let page = sheet();
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
    // The cheapest size at which 10 px text is legible: 6 × 3 patches instead of 8 × 4.
    assert_eq!((crop.width, crop.height), (168, 84));
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
    let page = sheet();
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
    let page = sheet();
    let error = observe(&mut lens(Representation::Vision), 4, &page, None).unwrap_err();
    assert_eq!(error.to_string(), "step 4: the capture has no screenshot, which lens/vision reads");
}

#[test]
fn the_mark_for_images_brings_their_pixels() {
    let page = sheet();
    let mut lens = lens(Representation::A11y);
    let told = observe(&mut lens, 0, &page, Some(&screenshot([0, 0, 255, 255]))).unwrap();
    assert!(told.images.is_empty() && told.text.ends_with("- … 2 images @m1"), "{}", told.text);
    let answer = lens.request(&Request::Expand { handle: "@m1".to_owned() }).unwrap();
    assert_eq!((answer.images.len(), answer.images[0].width, answer.unmarked_differences), (1, 168, Some(0)));
    says(&answer.text, "[IMAGE 1: canvas \"Grid\" at 100,50 200×100]");
}

const FORM: &str = r#"
main
  heading "Sign up" box=40,20,300,40
  textbox "Email" box=40,100,300,32 #3
  button "Go" box=360,100,60,32 #4
  button "Behind" box=40,200,60,32 hidden #5
  button "Below" box=40,5000,60,32 offscreen #6
  link "Terms" box=40,300,80,20 #7
"#;

fn marked() -> Lens {
    Lens::new(LensOptions {
        representation: Some(Representation::Vision),
        delta: false,
        marks: true,
        ..LensOptions::default()
    })
}

#[test]
fn marks_are_drawn_for_what_can_be_acted_on_in_the_viewport_and_are_the_refs_of_the_text() {
    let page = form();
    let shot = screenshot([255, 255, 255, 255]);
    let mut lens = marked();
    let told = observe(&mut lens, 0, &page, Some(&shot)).unwrap();
    let refs: Vec<(String, u32)> = told.refs.iter().map(|target| (target.handle.clone(), target.key.backend)).collect();
    let expected = [("@e1", 3), ("@e2", 4), ("@e3", 7)].map(|(handle, backend)| (handle.to_owned(), backend));
    assert_eq!(refs, expected, "{}", told.text);
    let drawn = image::load_from_memory(&told.images[0].png).unwrap().to_rgba8();
    let ink = |x: u32, y: u32| drawn.get_pixel(x, y).0 != [255; 4];
    for (x, y) in [(40, 116), (339, 131), (360, 116), (60, 319)] {
        assert!(ink(x, y), "no frame at {x},{y}");
    }
    assert!((0..110).all(|x| !ink(x, 200)), "the hidden button has no frame");
    let answer = lens.request(&Request::Expand { handle: "@m1".to_owned() }).unwrap();
    for named in [r#"textbox "Email" @e1"#, r#"button "Go" @e2"#, r#"link "Terms" @e3"#, r#"button "Below" @e4"#] {
        says(&answer.text, named);
    }
}

#[test]
fn marks_are_the_same_bytes_each_time_and_keep_their_numbers_from_step_to_step() {
    let more = FORM.replace("  textbox", "  button \"New\" box=500,100,60,32 #9\n  textbox");
    let (one, two) = (form(), page("https://a.test/", "Form", 1, &more));
    let shot = screenshot([0, 0, 255, 255]);
    let (mut first, mut second) = (marked(), marked());
    let told = [&mut first, &mut second].map(|lens| observe(lens, 0, &one, Some(&shot)).unwrap());
    assert_eq!(told[0].images, told[1].images);
    let next = observe(&mut first, 1, &two, Some(&shot)).unwrap();
    let handle = |backend: u32| {
        next.refs.iter().find(|target| target.key.backend == backend).map(|target| target.handle.clone()).unwrap()
    };
    assert_eq!([handle(9), handle(3), handle(4), handle(7)], ["@e4", "@e1", "@e2", "@e3"]);
}

#[test]
fn without_the_option_the_screenshot_is_sent_as_it_is() {
    let page = form();
    let shot = screenshot([0, 0, 255, 255]);
    let told = observe(&mut lens(Representation::Vision), 0, &page, Some(&shot)).unwrap();
    assert!(Arc::ptr_eq(&told.images[0].png, &shot.png) && told.refs.is_empty());
}

/// A sheet of 600 by 400 px with a dot in each of these places.
fn drawn_sheet(dots: &[(u32, u32)]) -> CaptureImage {
    let mut image = RgbaImage::from_pixel(1280, 800, Rgba([255; 4]));
    for (left, top) in dots {
        for (x, y) in (*top..top + 10).flat_map(|y| (*left..left + 10).map(move |x| (x, y))) {
            image.put_pixel(100 + x, 50 + y, Rgba([20, 20, 20, 255]));
        }
    }
    capture(&image)
}

#[test]
fn of_a_canvas_that_was_drawn_on_only_the_parts_that_changed_are_sent() {
    let page = page("https://a.test/", "Sheet", 1, "main\n  Canvas \"Grid\" canvas tag=canvas box=100,50,600,400 #7\n");
    let mut lens = lens(Representation::Hybrid);
    observe(&mut lens, 0, &page, Some(&drawn_sheet(&[]))).unwrap();
    let drawn = observe(&mut lens, 1, &page, Some(&drawn_sheet(&[(80, 80), (500, 300)]))).unwrap();
    insta::assert_snapshot!(drawn.text, @r#"
    [DELTA 0→1]
    [IMAGE 1: changed part of canvas "Grid" at 132,114 112×48]
    [IMAGE 2: changed part of canvas "Grid" at 548,330 112×48]
    "#);
    let shown: Vec<ImageSpace> = drawn.images.iter().map(|image| image.space).collect();
    let [ImageSpace::Document(first), ImageSpace::Document(second)] = shown[..] else { panic!("{shown:?}") };
    assert!(first.contains((185.0, 135.0)) && second.contains((605.0, 355.0)), "{shown:?}");
    let again = observe(&mut lens, 2, &page, Some(&drawn_sheet(&[(80, 80), (500, 300)]))).unwrap();
    assert!(again.images.is_empty(), "{}", again.text);
    // What is drawn over nearly all of it is sent as one image of all.
    let everywhere: Vec<(u32, u32)> = (0..59).flat_map(|x| (0..39).map(move |y| (x * 10, y * 10))).collect();
    let all = observe(&mut lens, 3, &page, Some(&drawn_sheet(&everywhere))).unwrap();
    assert_eq!(all.images.len(), 1, "{}", all.text);
    // A whole telling sends whole images.
    lens.forget();
    let full = observe(&mut lens, 4, &page, Some(&drawn_sheet(&everywhere))).unwrap();
    says(&full.text, "[IMAGE 1: canvas \"Grid\" at 100,50 600×400]");
}

#[test]
fn a_canvas_that_moved_is_sent_whole_again() {
    let at = |y: u32| {
        let outline = format!("main\n  Canvas \"Grid\" canvas tag=canvas box=100,{y},600,400 #7\n");
        page("https://a.test/", "Sheet", 1, &outline)
    };
    let mut lens = lens(Representation::Hybrid);
    observe(&mut lens, 0, &at(50), Some(&drawn_sheet(&[(80, 80)]))).unwrap();
    // A banner of 40 px above it, and one more dot: the first image says the old place.
    let moved = observe(&mut lens, 1, &at(90), Some(&drawn_sheet(&[(80, 120), (500, 300)]))).unwrap();
    says(&moved.text, "[IMAGE 1: canvas \"Grid\" at 100,90 600×400]");
    let drawn = observe(&mut lens, 2, &at(90), Some(&drawn_sheet(&[(80, 120), (500, 200)]))).unwrap();
    says(&drawn.text, "changed part of canvas");
}
