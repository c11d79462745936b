//! A drawing surface in px with half-pixel precision over plotters' backends for SVG and bitmaps.
//!
//! In: shapes in px from the top left. Out: one SVG document with title, description, a view box
//! and the font that it is set in; and the same shapes as PNG. Invariants: text goes through the
//! backend's escaping, without control characters, which XML forbids; neither picture needs a font
//! of the machine. plotters draws on whole pixels: the surface is drawn twice as large, and SVG is
//! shown at half size.

use super::style::{GRID, INK, Look, MUTED, Marker, PAPER};
use crate::ReportError;
use crate::html::escape;
use crate::text_table::one_line;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{ExtendedColorType, ImageEncoder};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::{
    BitMapBackend, Cartesian2d, Circle, DrawingArea, IntoDrawingArea, PathElement, Polygon, Rectangle, SVGBackend,
};
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle, TextStyle};
use std::fmt::Display;
use std::ops::Range;
use std::sync::Once;

/// Drawn px for one shown px.
const SCALE: f64 = 2.0;
/// What the title takes above the shapes, in px.
const TITLE_HEIGHT: f64 = 36.0;
/// Fonts in the order of preference: the embedded one, then what every viewer has one of.
const FONTS: &str = "BrowserLens Inter, Helvetica, Arial, sans-serif";
/// Inter 4 (SIL Open Font License 1.1, `assets/inter-LICENSE.txt`), Latin letters only.
const REGULAR: &[u8] = include_bytes!("../../assets/inter-regular.ttf");
/// Its semi-bold.
const BOLD: &[u8] = include_bytes!("../../assets/inter-bold.ttf");

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letters {
    pub size: f64,
    pub color: RGBColor,
    pub bold: bool,
    pub anchor: Anchor,
    pub upward: bool,
}

impl Letters {
    /// Plain ink of a size, anchored.
    pub const fn ink(size: f64, anchor: Anchor) -> Self {
        Self { size, color: INK, bold: false, anchor, upward: false }
    }

    /// Labels of ticks and units.
    pub const fn muted(size: f64, anchor: Anchor) -> Self {
        Self { size, color: MUTED, bold: false, anchor, upward: false }
    }

    pub const fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    pub const fn upward(mut self) -> Self {
        self.upward = true;
        self
    }
}

/// A rectangle in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Data ranges laid over a frame.
#[derive(Clone)]
pub(super) struct Scale {
    coordinates: Cartesian2d<RangedCoordf64, RangedCoordf64>,
}

impl Scale {
    /// Maps `x` to the frame from left to right and `y` from bottom to top.
    pub fn over(frame: Frame, x: Range<f64>, y: Range<f64>) -> Self {
        let px = |value: f64| (value * SCALE).round() as i32;
        Self { coordinates: Cartesian2d::new(x, y, (px(frame.left)..px(frame.right), px(frame.bottom)..px(frame.top))) }
    }

    /// Returns the place of a data point, in px.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let (x, y) = plotters::coord::CoordTranslate::translate(&self.coordinates, &(x, y));
        (f64::from(x) / SCALE, f64::from(y) / SCALE)
    }
}

/// Where the shapes go.
enum Area<'b> {
    Svg(DrawingArea<SVGBackend<'b>, Shift>),
    Bitmap(DrawingArea<BitMapBackend<'b>, Shift>),
}

/// Does the same with either area.
macro_rules! on {
    ($canvas:expr, $area:ident => $does:expr) => {
        match &$canvas.area {
            Area::Svg($area) => $does.map_err(|error| $canvas.failed(error)),
            Area::Bitmap($area) => $does.map_err(|error| $canvas.failed(error)),
        }
    };
}

/// The surface.
pub(super) struct Canvas<'b> {
    area: Area<'b>,
    chart: &'static str,
    title: &'b str,
}

/// Draws a chart of a size below its title and returns the document.
pub(super) fn draw(
    chart: &'static str,
    size: (f64, f64),
    title: &str,
    description: &str,
    shapes: impl Fn(&Canvas<'_>) -> Result<(), ReportError>,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    let (width, height) = drawn_size(size);
    {
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        Canvas { area: Area::Svg(area), chart, title }.fill_with(&shapes)?;
    }
    let opening = format!("<svg width=\"{width}\" height=\"{height}\"");
    let shown =
        format!("<svg role=\"img\" width=\"{}\" height=\"{}\"", size.0.round(), (size.1 + TITLE_HEIGHT).round());
    let svg = svg.replacen(&opening, &shown, 1);
    let Some(end) = svg.find('>') else {
        return Err(ReportError::Chart { chart, reason: "the drawing has no root element".to_owned() });
    };
    let texts = format!(
        "\n<title>{}</title>\n<desc>{}</desc>\n<style>{}</style>",
        escape(&one_line(title)),
        escape(&one_line(description)),
        font_faces()
    );
    Ok(format!("{}{texts}{}", &svg[..=end], &svg[end + 1..]))
}

/// Draws a chart as PNG, two pixels for one px.
pub(super) fn draw_png(
    chart: &'static str,
    size: (f64, f64),
    title: &str,
    shapes: impl Fn(&Canvas<'_>) -> Result<(), ReportError>,
) -> Result<Vec<u8>, ReportError> {
    static FONTS_REGISTERED: Once = Once::new();
    FONTS_REGISTERED.call_once(|| {
        // An error would mean that the embedded font is none, and shows as a chart without text in
        // the tests.
        let _ = register_font(FONTS, FontStyle::Normal, REGULAR);
        let _ = register_font(FONTS, FontStyle::Bold, BOLD);
    });
    let (width, height) = drawn_size(size);
    let mut pixels = vec![0_u8; width as usize * height as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        Canvas { area: Area::Bitmap(area), chart, title }.fill_with(&shapes)?;
    }
    let mut png = Vec::new();
    image::codecs::png::PngEncoder::new(&mut png)
        .write_image(&pixels, width, height, ExtendedColorType::Rgb8)
        .map_err(|error| ReportError::Chart { chart, reason: error.to_string() })?;
    Ok(png)
}

fn drawn_size(size: (f64, f64)) -> (u32, u32) {
    ((size.0 * SCALE).round() as u32, ((size.1 + TITLE_HEIGHT) * SCALE).round() as u32)
}

fn font_faces() -> String {
    let face = |weight: &str, font: &[u8]| {
        format!(
            "@font-face{{font-family:\"BrowserLens Inter\";font-weight:{weight};src:url(data:font/ttf;base64,{})}}",
            STANDARD.encode(font)
        )
    };
    face("normal", REGULAR) + &face("bold", BOLD)
}

impl Canvas<'_> {
    fn fill_with(mut self, shapes: impl Fn(&Self) -> Result<(), ReportError>) -> Result<(), ReportError> {
        on!(self, area => area.fill(&PAPER))?;
        self.text(self.title, (16.0, 20.0), Letters::ink(15.0, Anchor::Start).bold())?;
        let whole = match &self.area {
            Area::Svg(area) => Area::Svg(area.clone()),
            Area::Bitmap(area) => Area::Bitmap(area.clone()),
        };
        let below = (TITLE_HEIGHT * SCALE) as i32;
        self.area = match self.area {
            Area::Svg(area) => Area::Svg(area.margin(below, 0, 0, 0)),
            Area::Bitmap(area) => Area::Bitmap(area.margin(below, 0, 0, 0)),
        };
        shapes(&self)?;
        self.area = whole;
        on!(self, area => area.present())
    }

    fn failed(&self, error: impl Display) -> ReportError {
        ReportError::Chart { chart: self.chart, reason: error.to_string() }
    }

    /// Draws a line through points.
    pub fn line(&self, points: &[(f64, f64)], color: RGBColor, width: f64) -> Result<(), ReportError> {
        let style = color.stroke_width((width * SCALE).round().max(1.0) as u32);
        let points: Vec<(i32, i32)> = points.iter().map(|&point| drawn(point)).collect();
        on!(self, area => area.draw(&PathElement::new(points, style)))
    }

    /// Draws a line of a look through points, broken where the look says so.
    pub fn stroke(&self, points: &[(f64, f64)], look: Look, width: f64) -> Result<(), ReportError> {
        if !look.dashed {
            return self.line(points, look.color, width);
        }
        dashed(points, 5.0, 3.5).iter().try_for_each(|dash| self.line(dash, look.color, width))
    }

    /// Fills a rectangle.
    pub fn fill(&self, frame: Frame, color: RGBColor) -> Result<(), ReportError> {
        let corners = [drawn((frame.left, frame.top)), drawn((frame.right, frame.bottom))];
        on!(self, area => area.draw(&Rectangle::new(corners, color.filled())))
    }

    /// Draws a marker with a rim of the paper's colour, so that markers that touch stay apart.
    pub fn marker(&self, at: (f64, f64), radius: f64, look: Look) -> Result<(), ReportError> {
        self.shape(at, radius + 1.25, look.marker, PAPER.filled())?;
        self.shape(at, radius, look.marker, look.color.filled())
    }

    fn shape(&self, at: (f64, f64), radius: f64, marker: Marker, style: ShapeStyle) -> Result<(), ReportError> {
        let corner = |dx: f64, dy: f64| drawn((at.0 + dx * radius, at.1 + dy * radius));
        let corners = match marker {
            Marker::Circle => {
                let circle = Circle::new(drawn(at), (radius * SCALE).round() as i32, style);
                return on!(self, area => area.draw(&circle));
            }
            Marker::Diamond => vec![corner(0.0, -1.3), corner(1.3, 0.0), corner(0.0, 1.3), corner(-1.3, 0.0)],
            Marker::Square => vec![corner(-0.95, -0.95), corner(0.95, -0.95), corner(0.95, 0.95), corner(-0.95, 0.95)],
            Marker::Triangle => vec![corner(0.0, -1.25), corner(1.15, 0.85), corner(-1.15, 0.85)],
        };
        on!(self, area => area.draw(&Polygon::new(corners, style)))
    }

    /// Writes a text whose middle line is at the point's height.
    pub fn text(&self, text: &str, at: (f64, f64), letters: Letters) -> Result<(), ReportError> {
        let horizontal = match letters.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // The bitmap backend centres the line's box, which reaches higher than the letters.
        let lower = if matches!(self.area, Area::Bitmap(_)) { letters.size * 0.2 } else { 0.0 };
        let at = if letters.upward { (at.0 + lower, at.1) } else { (at.0, at.1 + lower) };
        // The backend divides by 1.24.
        let weight = if letters.bold { FontStyle::Bold } else { FontStyle::Normal };
        // A style that is set later would keep the letters of the normal one.
        let font = FontDesc::new(FontFamily::Name(FONTS), letters.size * SCALE * 1.24, weight);
        let font = if letters.upward { font.transform(FontTransform::Rotate270) } else { font };
        let style = TextStyle::from(font).color(&letters.color).pos(Pos::new(horizontal, VPos::Center));
        on!(self, area => area.draw_text(&one_line(text), &style, drawn(at)))
    }

    /// Draws the grid line and label of each horizontal level.
    pub fn levels(&self, frame: Frame, scale: &Scale, ticks: &[(f64, String)], x: f64) -> Result<(), ReportError> {
        for (value, label) in ticks {
            let (_, y) = scale.at(x, *value);
            self.line(&[(frame.left, y), (frame.right, y)], GRID, 1.0)?;
            self.text(label, (frame.left - 8.0, y), Letters::muted(11.0, Anchor::End))?;
        }
        Ok(())
    }
}

fn drawn((x, y): (f64, f64)) -> (i32, i32) {
    ((x * SCALE).round() as i32, (y * SCALE).round() as i32)
}

/// Cuts a line into dashes of `on` px with gaps of `off` px.
fn dashed(points: &[(f64, f64)], on: f64, off: f64) -> Vec<Vec<(f64, f64)>> {
    let mut dashes = Vec::new();
    let mut current = Vec::new();
    let (mut drawing, mut left) = (true, on);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            if drawing && current.is_empty() {
                current.push(from);
            }
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if drawing {
                    current.push(to);
                }
                break;
            }
            let part = left / length;
            from = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            if drawing {
                current.push(from);
                dashes.push(std::mem::take(&mut current));
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
    }
    if current.len() > 1 {
        dashes.push(current);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_keep_their_length_around_corners() {
        let dashes = dashed(&[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0)], 3.0, 2.0);
        assert_eq!(dashes, [vec![(0.0, 0.0), (3.0, 0.0)], vec![(4.0, 1.0), (4.0, 4.0)]]);
    }

    #[test]
    fn bold_letters_are_bolder_in_pixels_too() {
        let ink = |bold: bool| {
            let png = draw_png("x.png", (200.0, 40.0), "", |canvas| {
                let letters = Letters::ink(20.0, Anchor::Start);
                canvas.text("Cost against", (4.0, 20.0), if bold { letters.bold() } else { letters })
            });
            let pixels = image::load_from_memory(&png.unwrap()).unwrap().to_luma8();
            pixels.pixels().map(|pixel| u64::from(255 - pixel.0[0])).sum::<u64>()
        };
        let (normal, bold) = (ink(false), ink(true));
        assert!(normal > 0 && bold * 10 > normal * 11, "{bold} against {normal}");
    }

    #[test]
    fn hostile_text_stays_text() {
        let svg = draw("x.svg", (10.0, 10.0), "</title><script>", "\u{0}\u{8}]]>", |canvas| {
            canvas.text("<script>alert('x')</script>\u{1b}", (1.0, 1.0), Letters::ink(12.0, Anchor::Start))
        })
        .unwrap();
        assert!(!svg.contains("<script") && svg.matches("</title>").count() == 1, "{svg}");
        assert!(svg.chars().all(|c| !c.is_control() || c == '\n'));
        assert!(svg.starts_with("<svg role=\"img\" width=\"10\" height=\"46\" viewBox=\"0 0 20 92\""), "{svg}");
    }
}
