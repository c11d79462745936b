//! The cassette: every answer of an endpoint in one file, by the hash of its request.
//!
//! In: answers. Out: the same answers later, without an endpoint. Layout: JSONL; the first line
//! says format and prompt version, every other line is one request hash, its answer and a check
//! over both. Lines are appended in one write each; a write that fails half-way is taken back.
//! Invariants: a cassette serves one prompt version and refuses any other; a line that is not what
//! was written is named by its number; of two answers to one request the first counts; several
//! processes may keep answers in one cassette.

use crate::chat::{Answer, RequestHash};
use crate::error::CassetteError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Version of the format.
pub const CASSETTE_VERSION: u32 = 1;
const FORMAT: &str = "browserlens-cassette";

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    prompt: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    request: RequestHash,
    /// For people who look into the file; the hash covers it.
    model: String,
    answer: Answer,
    check: String,
}

impl Line {
    fn check(request: &RequestHash, model: &str, answer: &Answer) -> String {
        let answer = serde_json::to_string(answer).unwrap_or_default();
        blake3::hash(format!("{request}\n{model}\n{answer}").as_bytes()).to_hex()[..16].to_owned()
    }
}

/// The answers of one file.
#[derive(Debug)]
pub struct Cassette {
    path: PathBuf,
    prompt: String,
    answers: BTreeMap<RequestHash, Answer>,
    file: Option<File>,
}

impl Cassette {
    /// Opens a cassette for one version of a prompt; a file that is not there is an empty one, made
    /// when the first answer is kept.
    ///
    /// # Errors
    /// [`CassetteError`] if the file cannot be read, is no cassette, is of a newer format or
    /// another prompt, or has a damaged line.
    pub fn open(path: &Path, prompt: &str) -> Result<Self, CassetteError> {
        let mut cassette =
            Self { path: path.to_owned(), prompt: prompt.to_owned(), answers: BTreeMap::new(), file: None };
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(cassette),
            Err(error) => return Err(CassetteError::file(path, "read the cassette")(error)),
        };
        cassette.load(&bytes)?;
        Ok(cassette)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CassetteError> {
        let mut lines = (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n'));
        let (_, header) = lines.next().unwrap_or_default();
        let whole = header.strip_suffix(b"\n");
        self.check_header(whole.unwrap_or(header))?;
        if whole.is_none() {
            return Err(self.not_ours("the header was not written to its end".to_owned()));
        }
        for (number, line) in lines {
            let damaged = |reason: String| CassetteError::Damaged { path: self.path.clone(), line: number, reason };
            let torn = || damaged("the line was not written to its end".to_owned());
            let line = line.strip_suffix(b"\n").ok_or_else(torn)?;
            let line: Line = serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
            if line.check != Line::check(&line.request, &line.model, &line.answer) {
                return Err(damaged("the line is not what was written".to_owned()));
            }
            self.answers.entry(line.request).or_insert(line.answer);
        }
        Ok(())
    }

    fn not_ours(&self, reason: String) -> CassetteError {
        CassetteError::NotACassette { path: self.path.clone(), reason }
    }

    fn check_header(&self, line: &[u8]) -> Result<(), CassetteError> {
        let header: Header = serde_json::from_slice(line).map_err(|error| self.not_ours(error.to_string()))?;
        if header.format != FORMAT {
            return Err(self.not_ours(format!("its format is {:?}", header.format)));
        }
        if header.version > CASSETTE_VERSION {
            let (found, supported) = (header.version, CASSETTE_VERSION);
            return Err(CassetteError::TooNew { path: self.path.clone(), found, supported });
        }
        if header.prompt != self.prompt {
            let (found, expected) = (header.prompt, self.prompt.clone());
            return Err(CassetteError::OtherPrompt { path: self.path.clone(), found, expected });
        }
        Ok(())
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how many answers it holds.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Returns the answer to a request.
    pub fn get(&self, request: &RequestHash) -> Option<&Answer> {
        self.answers.get(request)
    }

    /// Keeps the answer to a request; one that has an answer keeps the first.
    ///
    /// # Errors
    /// [`CassetteError::File`] if it cannot be written; the file is as before then.
    pub fn keep(&mut self, request: &RequestHash, model: &str, answer: &Answer) -> Result<(), CassetteError> {
        if self.answers.contains_key(request) {
            return Ok(());
        }
        let check = Line::check(request, model, answer);
        let line = Line { request: request.clone(), model: model.to_owned(), answer: answer.clone(), check };
        let mut json = serde_json::to_vec(&line)
            .map_err(|error| CassetteError::file(&self.path, "write the answer")(error.into()))?;
        json.push(b'\n');
        self.append(&json)?;
        self.answers.insert(request.clone(), answer.clone());
        Ok(())
    }

    fn append(&mut self, line: &[u8]) -> Result<(), CassetteError> {
        if self.file.is_none() {
            self.file = Some(self.begin()?);
        }
        let Some(mut file) = self.file.as_ref() else { return Ok(()) };
        let wrong = |action| CassetteError::file(&self.path, action);
        // Other processes may append too: what is taken back must be this line.
        locked(file.lock()).map_err(wrong("lock the cassette"))?;
        let length = file.metadata().map_err(wrong("read the cassette"))?.len();
        let written = file.write_all(line);
        if written.is_err() {
            // A torn line would make the whole file unreadable; that this fails too changes nothing
            // about the error.
            let _ = file.set_len(length);
        }
        // A lock that cannot be given back goes with the file.
        let _ = file.unlock();
        written.map_err(wrong("write the answer"))
    }

    /// Opens the file to append to it; makes it first where nothing is.
    fn begin(&self) -> Result<File, CassetteError> {
        let wrong = |action| CassetteError::file(&self.path, action);
        if !self.path.exists() {
            self.make().map_err(wrong("make the cassette"))?;
        }
        let file = OpenOptions::new().read(true).append(true).open(&self.path).map_err(wrong("open the cassette"))?;
        locked(file.lock_shared()).map_err(wrong("lock the cassette"))?;
        // It need not be the file that was read, and may have been absent then: another process may
        // have made it for another prompt since.
        let mut first = Vec::new();
        let read = BufReader::new(&file).read_until(b'\n', &mut first);
        let _ = file.unlock();
        read.map_err(wrong("read the cassette"))?;
        self.check_header(first.strip_suffix(b"\n").unwrap_or(&first))?;
        Ok(file)
    }

    /// Puts a cassette with its header at a path where nothing is, whole; does nothing if another
    /// process was faster.
    fn make(&self) -> std::io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let header = Header { format: FORMAT.to_owned(), version: CASSETTE_VERSION, prompt: self.prompt.clone() };
        let mut bytes = serde_json::to_vec(&header)?;
        bytes.push(b'\n');
        // As any new file is made: who may read it, is the user's to say.
        let mut file = tempfile::Builder::new().prefix(".cassette-").make_in(folder, |at| File::create_new(at))?;
        file.write_all(&bytes)?;
        match file.persist_noclobber(&self.path) {
            Err(failed) if failed.error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed.error),
            _ => Ok(()),
        }
    }
}

/// Reads a file while nobody writes to it.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    locked(file.lock_shared())?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Passes over that a file system has no locks: then one process at a time may use a cassette
/// there.
fn locked(result: std::io::Result<()>) -> std::io::Result<()> {
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::Unsupported => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Completion;

    fn hash(digit: char) -> RequestHash {
        RequestHash(digit.to_string().repeat(64))
    }

    fn said(content: &str) -> Answer {
        Answer::Said(Completion { content: content.to_owned(), ..Completion::default() })
    }

    fn filled(folder: &Path) -> PathBuf {
        let path = folder.join("deep/a.jsonl");
        let mut cassette = Cassette::open(&path, "p1").expect("opens");
        cassette.keep(&hash('a'), "m", &said("one")).expect("kept");
        cassette.keep(&hash('b'), "m", &said("two\n{}")).expect("kept");
        cassette.keep(&hash('a'), "m", &said("other")).expect("kept");
        path
    }

    fn edited(path: &Path, edit: impl Fn(String) -> String) -> String {
        let text = std::fs::read_to_string(path).expect("reads");
        std::fs::write(path, edit(text)).expect("writes");
        Cassette::open(path, "p1").expect_err("refused").to_string().replace(&path.display().to_string(), "a.jsonl")
    }

    #[test]
    fn what_is_kept_comes_back_and_the_first_answer_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = filled(folder.path());
        let cassette = Cassette::open(&path, "p1").expect("opens");
        assert_eq!((cassette.len(), cassette.is_empty()), (2, false));
        assert_eq!(cassette.get(&hash('a')), Some(&said("one")));
        assert_eq!(cassette.get(&hash('b')), Some(&said("two\n{}")));
        assert_eq!(cassette.get(&hash('c')), None);
        assert_eq!(std::fs::read_to_string(&path).expect("reads").lines().count(), 3);
    }

    #[test]
    fn an_absent_file_is_an_empty_cassette_and_stays_absent() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("none.jsonl");
        assert!(Cassette::open(&path, "p1").expect("opens").is_empty() && !path.exists());
    }

    #[test]
    fn another_prompt_version_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = Cassette::open(&filled(folder.path()), "p2").expect_err("refused");
        let text = error.to_string();
        assert!(text.contains("a.jsonl: made with prompt version p1, the prompt is now version p2"), "{text}");
        assert!(error.hint().contains("--prompt") && error.hint().contains("new cassette"));
    }

    #[test]
    fn of_two_prompts_that_begin_one_cassette_the_second_is_refused_and_writes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        let (mut one, mut other) =
            (Cassette::open(&path, "p1").expect("opens"), Cassette::open(&path, "p2").expect("opens"));
        one.keep(&hash('a'), "m", &said("one")).expect("kept");
        for _ in 0..2 {
            let error = other.keep(&hash('b'), "m", &said("two")).expect_err("refused").to_string();
            assert!(error.contains("made with prompt version p1, the prompt is now version p2"), "{error}");
            assert!(other.is_empty());
        }
        one.keep(&hash('c'), "m", &said("three")).expect("kept");
        assert_eq!(Cassette::open(&path, "p1").expect("opens").len(), 2);
    }

    #[test]
    fn a_damaged_torn_or_empty_line_is_named_with_its_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = filled(folder.path());
        let text = edited(&path, |text| text.replace("two", "owt"));
        assert_eq!(text, "a.jsonl: line 3: the line is not what was written");
        let text = edited(&path, |text| text[..text.len() - 9].to_owned());
        assert_eq!(text, "a.jsonl: line 3: the line was not written to its end");
        let text = edited(&path, |text| text.replacen("{\"request\"", "{request\"", 1));
        assert!(text.starts_with("a.jsonl: line 2: "), "{text}");
        let text = edited(&path, |text| text.replacen('\n', "\n\n", 1));
        assert!(text.starts_with("a.jsonl: line 2: "), "{text}");
    }

    #[test]
    fn other_files_and_newer_formats_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = filled(folder.path());
        let text = edited(&path, |text| text.replace("\"version\":1", "\"version\":9"));
        assert_eq!(text, "a.jsonl: cassette format 9, this build reads up to 1");
        for other in ["", "hello", "{\"format\":\"x\",\"version\":1,\"prompt\":\"p1\"}\n"] {
            let text = edited(&path, |_| other.to_owned());
            assert!(text.contains("line 1: not a cassette"), "{text}");
        }
    }

    #[test]
    fn many_may_begin_and_fill_one_cassette_at_once() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("deep/a.jsonl");
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for digit in '0'..'8' {
                    let (path, start) = (&path, &start);
                    scope.spawn(move || {
                        start.wait();
                        let mut cassette = Cassette::open(path, "p1").expect("opens");
                        cassette.keep(&hash(digit), "m", &said(&"long ".repeat(5000))).expect("kept");
                    });
                }
            });
            assert_eq!(Cassette::open(&path, "p1").expect("opens").len(), 8);
            assert_eq!(std::fs::read_dir(folder.path().join("deep")).expect("lists").count(), 1);
        }
    }
}
