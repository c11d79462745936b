//! Progress bars on standard error, when that is a terminal: how far, how fast, how long still.
//!
//! In: calls from any thread. Out: one bar, gone when its work is. Invariant: silent where nobody
//! looks, so that a file of standard error holds words only.

use browserlens_core::page::text::escaped_line;
use browserlens_replay::{Measurement, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// How a bar looks: what is done, how far, of what, the rate, the remaining time, and on what it is
/// now.
const TEMPLATE: &str = "{prefix} {bar:24} {human_pos}/{human_len} UNIT  {per_sec}  {eta} left  {wide_msg}";

/// One bar over parts of equal size, such as the steps of a replay.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Returns a bar over steps whose number is told later, hidden unless standard error is a
    /// terminal.
    pub(crate) fn new(what: &str) -> Self {
        Self::over(what, 0, "steps")
    }

    /// Returns a bar over so many of something.
    pub(crate) fn over(what: &str, length: usize, unit: &str) -> Self {
        let bar = ProgressBar::new(length as u64);
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        bar.set_style(style(unit));
        bar.set_prefix(escaped_line(what).into_owned());
        Self(bar)
    }

    /// Ends the bar and leaves nothing behind.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }

    /// Sets how many there are.
    pub(crate) fn length(&self, parts: u64) {
        self.0.set_length(parts);
    }

    /// Sets how many are done.
    pub(crate) fn position(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Says what is being done.
    pub(crate) fn message(&self, message: &str) {
        self.0.set_message(escaped_line(message).into_owned());
    }

    /// Says that so many are done.
    pub(crate) fn add(&self, parts: u64) {
        self.0.inc(parts);
    }
}

impl Drop for Bar {
    /// An error leaves no bar behind either.
    fn drop(&mut self) {
        self.finish();
    }
}

fn style(unit: &str) -> ProgressStyle {
    ProgressStyle::with_template(&TEMPLATE.replace("UNIT", unit)).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Progress for Bar {
    fn planned(&self, _traces: usize, steps: usize) {
        self.0.set_length(steps as u64);
    }

    fn step_done(&self, trace: &str, _step: u32) {
        self.message(trace);
        self.add(1);
    }

    fn row(&self, _row: &Measurement) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use std::io;
    use std::sync::{Arc, Mutex};

    /// Keeps what was written since the line was last cleared.
    #[derive(Clone, Debug, Default)]
    struct Line(Arc<Mutex<String>>);

    impl Line {
        fn now(&self) -> String {
            self.0.lock().unwrap().clone()
        }
    }

    impl TermLike for Line {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.0.lock().unwrap().clear();
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_bar_says_how_far_how_fast_and_how_long_still_and_goes() {
        let line = Line::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(line.clone()), 255);
        let bar = Bar(ProgressBar::with_draw_target(Some(0), target));
        bar.0.set_style(style("steps"));
        bar.0.set_prefix("replay");
        bar.planned(2, 4_000);
        bar.position(1_000);
        bar.step_done("shop/laptop\n\u{1b}[31mto-cart", 3);
        bar.0.force_draw();
        let shown = line.now();
        for part in ["replay ", "1,001/4,000 steps", "/s", " left", "shop/laptop"] {
            assert!(shown.contains(part), "{part:?}: {shown:?}");
        }
        assert!(!shown.contains("\u{1b}[31m"), "names of traces do not colour a terminal: {shown:?}");
        assert!(shown.trim_end().chars().count() <= 100, "{shown:?}");
        bar.finish();
        assert_eq!(line.now().trim(), "");
    }
}
