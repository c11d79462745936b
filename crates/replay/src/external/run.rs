//! The strategy and its runs.
//!
//! In: steps in order. Out: observations that were checked against the page, or errors. Invariants:
//! a command that answered wrongly is not asked again, because nobody knows what it would answer
//! to; one that answered in form, but with a ref or an image that is not there, loses that step
//! only; what is known of one step never depends on how fast the command was.

use crate::external::declaration::Declaration;
use crate::external::page;
use crate::external::process::{Process, Trouble};
use crate::external::protocol::{
    Asked, FromCommand, Hello, Image, Kind, Observed, PROTOCOL, Picture, Previous, Ready, Refusal,
    Request as AskedRequest, Space, Step, Task as TaskMessage, ToCommand, Unanswerable, Viewport,
};
use browserlens_core::page::text::{cut_within, one_line};
use browserlens_core::page::{BoxInDocument, BoxInViewport, NodeKey, Page};
use browserlens_core::strategy::{
    ActionChannel, CaptureImage, ImageSpace, Observation, ObservationKind, ObservedImage, RefTarget, Request, Run,
    StepIndex, StepInput, Strategy, StrategyError, Task, TextFormat,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Most images of an answer.
const MOST_IMAGES: usize = 16;
/// Most bytes of one image.
const LARGEST_IMAGE: u64 = 16 << 20;
/// Most pixels of one image.
const MOST_PIXELS: u64 = 32_000_000;
/// How long a command whose input was closed may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);
/// Characters of a wrong line that a message shows.
const SHOWN_LINE: usize = 120;

/// A strategy that is a command.
#[derive(Clone, Debug)]
pub struct External {
    pub(crate) declared: Declaration,
    /// Where it runs.
    pub(crate) folder: PathBuf,
    pub(crate) legend: Option<String>,
}

impl Strategy for External {
    fn name(&self) -> &str {
        &self.declared.name
    }

    fn version(&self) -> &str {
        self.declared.version.as_deref().unwrap_or("undeclared")
    }

    fn channel(&self) -> ActionChannel {
        self.declared.channel
    }

    fn format(&self) -> TextFormat {
        self.declared.format.clone()
    }

    fn legend(&self) -> Option<&str> {
        self.legend.as_deref()
    }

    fn is_cacheable(&self) -> bool {
        self.declared.deterministic
    }

    fn start(&self, task: &Task) -> Box<dyn Run> {
        let state = match self.shake_hands(task) {
            Ok(talk) => State::Talking(talk),
            Err(why) => State::Failed(why),
        };
        let timeout = Duration::from_millis(self.declared.timeout_ms);
        Box::new(ExternalRun { timeout, state, last: None })
    }
}

impl External {
    fn shake_hands(&self, task: &Task) -> Result<Talk, String> {
        let folder = tempfile::Builder::new()
            .prefix("browserlens-external-")
            .tempdir()
            .map_err(|error| format!("no folder for its images: {error}"))?;
        let declared = &self.declared;
        let mut process = Process::start(&declared.command, &self.folder, declared.max_answer_bytes)
            .map_err(|trouble| trouble.to_string())?;
        let hello = ToCommand::Hello(Hello {
            protocol: PROTOCOL,
            strategy: declared.name.clone(),
            options: declared.options.clone(),
            task: TaskMessage {
                goal: task.goal.clone(),
                locale: task.locale.clone(),
                viewport: Viewport {
                    width: task.viewport.width,
                    height: task.viewport.height,
                    scale: task.viewport.scale,
                },
            },
            folder: folder.path().display().to_string(),
        });
        let limit = Duration::from_millis(declared.start_timeout_ms);
        let answer = ask(&mut process, &hello, limit).map_err(|why| format!("in the handshake {why}"))?;
        let FromCommand::Ready(Ready { protocol, version, requests }) = answer else {
            return Err(format!("in the handshake it answered with {:?}: expected \"ready\"", kind_of(&answer)));
        };
        if protocol != PROTOCOL {
            return Err(format!("it speaks version {protocol} of the protocol, this build version {PROTOCOL}"));
        }
        if let (Some(declared), Some(said)) = (&declared.version, &version)
            && declared != said
        {
            return Err(format!("it says that its version is {said:?}, its declaration says {declared:?}"));
        }
        Ok(Talk { process, folder, requests, pictures: Vec::new() })
    }
}

/// A command that may be asked.
#[derive(Debug)]
struct Talk {
    process: Process,
    folder: TempDir,
    /// Whether it answers requests.
    requests: bool,
    /// Images that were written for it, by step.
    pictures: Vec<(u32, PathBuf)>,
}

#[derive(Debug)]
enum State {
    Talking(Talk),
    /// It failed, and no row has said so yet.
    Failed(String),
    /// It failed, which was said at this step.
    Over(StepIndex),
}

#[derive(Debug)]
struct ExternalRun {
    timeout: Duration,
    state: State,
    last: Option<Last>,
}

/// The step that was observed last.
#[derive(Debug)]
struct Last {
    page: Arc<Page>,
    told: Previous,
}

/// Why there is no observation.
enum Refused {
    /// The command is in form and may be asked again.
    Step(String),
    /// It is not.
    Command(String),
}

impl Run for ExternalRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let previous = self.last.take().map(|last| last.told);
        let observed = self.answer(input.step, |talk, timeout| {
            let message = step_message(talk, input, previous)?;
            let answer = ask(&mut talk.process, &message, timeout).map_err(Refused::Command)?;
            talk.observation(answer, input.step, input.page)
        });
        let told = Previous {
            step: input.step.0,
            url: input.page.url().to_owned(),
            title: input.page.title().to_owned(),
            screenshot: self.screenshot(input.step.0),
            shown: observed.is_ok(),
        };
        self.last = Some(Last { page: Arc::clone(input.page), told });
        observed
    }

    fn request(&mut self, request: &Request) -> Result<Observation, StrategyError> {
        let refused =
            |reason: &str| StrategyError::Unanswerable { request: request.to_string(), reason: reason.to_owned() };
        let Some(last) = &self.last else { return Err(refused("nothing was observed")) };
        if !matches!(&self.state, State::Talking(talk) if talk.requests) {
            return Err(refused("the command answers no requests"));
        }
        let (step, page) = (StepIndex(last.told.step), Arc::clone(&last.page));
        let mut unanswerable = None;
        let observed = self.answer(step, |talk, timeout| {
            let message = ToCommand::Request(Asked { step: step.0, request: asked(request) });
            match ask(&mut talk.process, &message, timeout).map_err(Refused::Command)? {
                FromCommand::Unanswerable(answer) if answer.step == step.0 => {
                    let reason = shortened(&answer.reason, 300);
                    unanswerable = Some(reason.clone());
                    Err(Refused::Step(reason))
                }
                answer => talk.observation(answer, step, &page),
            }
        });
        match unanswerable {
            Some(reason) => Err(refused(&reason)),
            None => observed.map(|observation| Observation { kind: ObservationKind::Answer, ..observation }),
        }
    }
}

impl ExternalRun {
    /// Asks the command, unless it is given up; gives it up where it is not in form.
    fn answer(
        &mut self,
        step: StepIndex,
        work: impl FnOnce(&mut Talk, Duration) -> Result<Observation, Refused>,
    ) -> Result<Observation, StrategyError> {
        let failed = |message: String| Err(StrategyError::Failed { step, message });
        let why = match &mut self.state {
            State::Over(at) => return failed(format!("given up: the command failed at step {at}")),
            State::Failed(why) => std::mem::take(why),
            State::Talking(talk) => match work(talk, self.timeout) {
                Ok(observation) => return Ok(observation),
                Err(Refused::Step(why)) => return failed(format!("the command: {why}")),
                Err(Refused::Command(why)) => why,
            },
        };
        self.state = State::Over(step);
        failed(format!("the command: {why}"))
    }

    fn screenshot(&self, step: u32) -> Option<String> {
        let State::Talking(talk) = &self.state else { return None };
        let name = screenshot_name(step);
        talk.pictures.iter().find(|(_, path)| path.ends_with(&name)).map(|(_, path)| path.display().to_string())
    }
}

impl Drop for ExternalRun {
    fn drop(&mut self) {
        if let State::Talking(Talk { process, folder, .. }) =
            std::mem::replace(&mut self.state, State::Over(StepIndex(0)))
        {
            process.close(FAREWELL);
            drop(folder);
        }
    }
}

fn screenshot_name(step: u32) -> String {
    format!("step-{step}.png")
}

fn step_message(talk: &mut Talk, input: &StepInput<'_>, previous: Option<Previous>) -> Result<ToCommand, Refused> {
    let step = input.step.0;
    talk.forget_pictures(step);
    let mut picture = |name, image: &CaptureImage| talk.picture(step, name, &image.png, image.space);
    let screenshot = input.screenshot.map(|image| picture(screenshot_name(step), image)).transpose()?;
    let crops = input.crops.iter().enumerate();
    let crops =
        crops.map(|(at, image)| picture(format!("step-{step}-crop-{at}.png"), image)).collect::<Result<_, _>>()?;
    let changed = input.earlier_second_look.iter().flat_map(|look| {
        let changed = look.changed.iter().map(|changed| changed.key);
        changed.chain(look.added.iter().copied()).map(|key| key.to_string())
    });
    Ok(ToCommand::Step(Box::new(Step {
        step,
        previous,
        action: input.action.map(page::action),
        page: page::page(input.page),
        screenshot,
        crops,
        events: input.events.iter().map(page::event).collect(),
        changed_alone: changed.collect(),
    })))
}

impl Talk {
    /// Removes the images of the steps before the last one.
    fn forget_pictures(&mut self, step: u32) {
        self.pictures.retain(|(of, path)| {
            let is_kept = of.saturating_add(1) >= step;
            if !is_kept {
                // The folder goes with the run in any case.
                drop(std::fs::remove_file(path));
            }
            is_kept
        });
    }

    fn picture(&mut self, step: u32, name: String, png: &[u8], space: ImageSpace) -> Result<Picture, Refused> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, png)
            .map_err(|error| Refused::Step(format!("{}: cannot be written: {error}", path.display())))?;
        let picture = Picture { path: path.display().to_string(), space: page::space(space) };
        self.pictures.push((step, path));
        Ok(picture)
    }

    /// Checks an answer against the page.
    fn observation(&self, answer: FromCommand, step: StepIndex, page: &Page) -> Result<Observation, Refused> {
        let observed = match answer {
            FromCommand::Observation(observed) if observed.step == step.0 => observed,
            FromCommand::Error(refusal) if refusal.step == step.0 => {
                return Err(Refused::Step(format!("it says: {}", shortened(&refusal.message, 300))));
            }
            FromCommand::Observation(Observed { step: other, .. })
            | FromCommand::Error(Refusal { step: other, .. })
            | FromCommand::Unanswerable(Unanswerable { step: other, .. })
                if other != step.0 =>
            {
                return Err(Refused::Command(format!(
                    "it answered for step {other} when it was asked about step {step}"
                )));
            }
            other => {
                let kind = kind_of(&other);
                return Err(Refused::Command(format!("it answered with {kind:?}: expected \"observation\"")));
            }
        };
        let refs = refs(&observed, step, page).map_err(Refused::Step)?;
        if observed.images.len() > MOST_IMAGES {
            let count = observed.images.len();
            return Err(Refused::Step(format!("its observation has {count} images: at most {MOST_IMAGES} are taken")));
        }
        let images: Result<Vec<ObservedImage>, String> =
            observed.images.iter().map(|image| self.image(image)).collect();
        Ok(Observation {
            images: images.map_err(Refused::Step)?,
            kind: match observed.kind {
                Kind::Full => ObservationKind::Full { reason: shortened(&observed.reason, 200) },
                Kind::Delta => ObservationKind::Delta,
            },
            refs,
            representation: observed.representation.map(|name| shortened(&name, 40)),
            ..Observation::full_text(observed.text, "")
        })
    }

    fn image(&self, image: &Image) -> Result<ObservedImage, String> {
        let named = shortened(&image.path, 200);
        let unreadable = |error: std::io::Error| format!("its image {named:?} cannot be read: {error}");
        let folder = self.folder.path().canonicalize().map_err(unreadable)?;
        // What is relative is of the run's folder; what leads out of it is not read.
        let path = folder.join(&image.path).canonicalize().map_err(unreadable)?;
        if !path.starts_with(&folder) {
            return Err(format!("its image {named:?} does not lie in the folder of the run"));
        }
        let png = read_image(&path).map_err(|reason| format!("its image {named:?} {reason}"))?;
        let (width, height) = png_size(&png).ok_or_else(|| format!("its image {named:?} is no PNG"))?;
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(format!("its image {named:?} has {width} × {height} pixels: at most {MOST_PIXELS} are taken"));
        }
        let (Space::Viewport(at) | Space::Document(at)) = image.space;
        let sides @ [x, y, box_width, box_height] = [at.x, at.y, at.width, at.height];
        if !sides.iter().all(|side| side.is_finite()) || box_width <= 0.0 || box_height <= 0.0 {
            return Err(format!("its image {named:?} lies nowhere: its box has no area"));
        }
        let space = match image.space {
            Space::Viewport(_) => ImageSpace::Viewport(BoxInViewport { x, y, width: box_width, height: box_height }),
            Space::Document(_) => ImageSpace::Document(BoxInDocument { x, y, width: box_width, height: box_height }),
        };
        Ok(ObservedImage { png: png.into(), width, height, space })
    }
}

fn read_image(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let data = std::fs::metadata(path).map_err(unreadable)?;
    if !data.is_file() {
        return Err("is no file".to_owned());
    }
    if data.len() > LARGEST_IMAGE {
        return Err(format!("has {} bytes: at most {LARGEST_IMAGE} are taken", data.len()));
    }
    std::fs::read(path).map_err(unreadable)
}

/// Returns width and height of a PNG as its header gives them; none if it is no PNG.
fn png_size(png: &[u8]) -> Option<(u32, u32)> {
    let header = png.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    if header.get(4..8)? != b"IHDR" {
        return None;
    }
    Some((number(8)?, number(12)?)).filter(|(width, height)| *width > 0 && *height > 0)
}

fn refs(observed: &Observed, step: StepIndex, page: &Page) -> Result<Vec<RefTarget>, String> {
    if observed.refs.is_empty() {
        return Ok(Vec::new());
    }
    let known: HashSet<NodeKey> = page.nodes().map(|node| node.key()).collect();
    let target = |(handle, node): (&String, &String)| {
        if let Some(key) = node.parse().ok().filter(|key| known.contains(key)) {
            return Ok(RefTarget { handle: handle.clone(), key });
        }
        let (handle, node) = (shortened(handle, 60), shortened(node, 60));
        Err(format!("its ref {handle:?} names node {node:?}, which the page of step {step} does not have"))
    };
    observed.refs.iter().map(target).collect()
}

fn asked(request: &Request) -> AskedRequest {
    match request.clone() {
        Request::Expand { handle } => AskedRequest::Expand { handle },
        Request::More { handle, from, to } => AskedRequest::More { handle, from, to },
        Request::Section { name } => AskedRequest::Section { name },
        Request::Query { text } => AskedRequest::Query { text },
    }
}

/// Sends a message and reads the answer; an error is in words that follow "the command:".
fn ask(process: &mut Process, message: &ToCommand, limit: Duration) -> Result<FromCommand, String> {
    let mut line = serde_json::to_vec(message).map_err(|error| format!("the message cannot be written: {error}"))?;
    line.push(b'\n');
    let answer = process.ask(line, limit).map_err(|trouble: Trouble| trouble.to_string())?;
    serde_json::from_slice(&answer).map_err(|error| {
        let head = String::from_utf8_lossy(&answer[..answer.len().min(4 * SHOWN_LINE)]).into_owned();
        format!(
            "it wrote a line that is no answer ({}; anything but answers belongs to standard error): \"{}\"",
            one_line(&error.to_string()),
            shortened(&head, SHOWN_LINE)
        )
    })
}

fn kind_of(answer: &FromCommand) -> &'static str {
    match answer {
        FromCommand::Ready(_) => "ready",
        FromCommand::Observation(_) => "observation",
        FromCommand::Unanswerable(_) => "unanswerable",
        FromCommand::Error(_) => "error",
    }
}

fn shortened(text: &str, limit: usize) -> String {
    cut_within(&one_line(text), limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_png_is_in_its_header() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\x01\0".to_vec();
        assert_eq!(png_size(&png), Some((3, 256)));
        png[8 + 8 + 3] = 0;
        assert_eq!(png_size(&png), None, "no width");
        for bad in [&b""[..], b"\x89PNG\r\n\x1a\n", b"GIF89a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"] {
            assert_eq!(png_size(bad), None);
        }
    }
}
