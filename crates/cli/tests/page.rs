//! `page`: a session that stays between commands, on a trace and in Chromium; and what becomes of
//! it when many ask at once, when its process is killed, and when somebody else could listen. And
//! `watch`, which looks on.
#![cfg(all(feature = "serve", feature = "record"))]

#[allow(dead_code)]
#[path = "report_page/browser.rs"]
mod browser;
mod common;
#[path = "page/robust.rs"]
mod robust;
#[path = "page/watch.rs"]
mod watch;

use browserlens_recorder::SiteServer;
use common::{Ran, browserlens, root, run, words};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A place for sessions, whose process ends with it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.verb("page");
        command.args(words);
        command
    }

    fn verb(&self, verb: &str) -> Command {
        let mut command = browserlens();
        command.current_dir(root());
        command.env("XDG_RUNTIME_DIR", self.folder.path()).env("TMPDIR", self.folder.path());
        command.arg(verb);
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        Ran::of(&mut self.command(words))
    }

    #[track_caller]
    fn says(&self, words: &[&str]) -> String {
        self.run(words).good()
    }

    #[track_caller]
    fn fails(&self, words: &[&str], code: i32) -> String {
        let ran = self.run(words);
        ran.ends(code, &[]);
        assert!(ran.out.is_empty() && ran.err.starts_with("error: "), "{words:?}: {}", ran.said());
        ran.err
    }

    fn own(&self) -> PathBuf {
        self.folder.path().join("browserlens")
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.own()).expect("a folder").map(|entry| entry.expect("an entry").path());
        files.filter(|path| path.extension().is_some_and(|end| end == "socket")).collect()
    }

    /// Returns the processes of browsers: their profiles lie in its folder.
    fn browsers(&self) -> Vec<u32> {
        processes(|line| line.contains("--type=") && line.contains(&*self.folder.path().to_string_lossy()))
    }

    /// Returns the processes in the background.
    fn keepers(&self) -> Vec<u32> {
        processes(|line| line.contains("page keep") && line.contains(&*self.folder.path().to_string_lossy()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.command(&["close", "--all"]).output());
    }
}

/// Returns the processes whose command line is such.
fn processes(is_it: impl Fn(&str) -> bool) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").expect("processes");
    let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_one = |number: &u32| {
        let line = std::fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        is_it(&String::from_utf8_lossy(&line).replace('\0', " "))
    };
    numbers.filter(is_one).collect()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("is there").permissions().mode() & 0o777
}

/// Returns the ref behind a text.
fn reference(answer: &str, of: &str) -> String {
    let rest = answer.split_once(of).unwrap_or_else(|| panic!("{of} is not in {answer}")).1;
    let at = rest.find("@e").unwrap_or_else(|| panic!("no ref behind {of} in {answer}"));
    rest[at..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '@' || c == '.')).next().expect("a ref").to_owned()
}

const TRACE: &str = "traces/login-wrong-then-right.trace";

#[test]
fn a_session_stays_between_commands_and_is_its_users_alone() {
    let place = Place::new();
    assert!(place.fails(&["observe"], 6).contains("page open URL"), "nothing is open");
    assert_eq!(place.says(&["sessions"]), "");
    let first = place.says(&["open", TRACE]);
    assert!(first.starts_with("[FULL PAGE STATE "), "{first}");
    assert!(place.says(&["sessions"]).starts_with("default  /"));
    // Its refs are those of before.
    let found = place.says(&["find", "--role", "link"]);
    assert!(found.contains("@e"), "{found}");
    assert!(place.fails(&["click", "@e9999"], 6).contains("was never given"));
    assert!(place.fails(&["wait", "--ms", "1000000"], 2).contains("ms"));
    assert!(place.fails(&["-s", "other", "observe"], 6).contains("\"other\" is not open"));
    assert!(place.fails(&["open", "traces/shop-laptop-to-cart.trace"], 6).contains("something else"));
    assert!(place.says(&["-s", "other", "open", TRACE, "--step", "3"]).starts_with("[FULL PAGE STATE "));
    assert_eq!(place.says(&["sessions"]).lines().count(), 2);
    assert_eq!(place.keepers().len(), 1);
    let own = place.own();
    let socket = place.sockets().pop().expect("a socket");
    assert_eq!((mode(&own), mode(&socket)), (0o700, 0o600));
    place.says(&["close"]);
    assert!(place.fails(&["observe"], 6).contains("\"default\" is not open"));
    place.says(&["close", "--all"]);
    until("the process ends with its last session", || place.keepers().is_empty());
    assert!(!socket.exists());
    place.says(&["close", "--all"]);
}

#[test]
fn asked_once_nothing_stays() {
    let place = Place::new();
    let at = |step: &str| place.says(&["--on", TRACE, "--step", step, "observe"]);
    assert!(at("0").starts_with("[FULL PAGE STATE ") && at("0") != at("3"));
    assert!(place.says(&["--on", TRACE, "find", "--role", "link"]).contains("@e"));
    let page = place.folder.path().join("a page.html");
    std::fs::write(&page, "<title>Here</title><h1>A page in a file</h1>").expect("written");
    let page = page.to_str().expect("text");
    assert!(place.says(&["--on", page, "text"]).contains("A page in a file"));
    // Messages are those of the whole trace, pages those of its first step, and which it was is said.
    let portal = "traces/portal-move-a-patient-appointment.trace";
    for words in [&["--on", portal][..], &[portal]] {
        let asked = |more: &[&str]| place.run(&[words, more].concat());
        let console = asked(&["console", "--log-levels", "error", "--search-term", "status of 503"]);
        assert!(console.out.contains("Failed to load resource") && console.err.contains("step 14 of 0 to 14"));
        let heading = asked(&["html", "--selector", "h1"]);
        assert!(heading.out.contains("Sign in") && heading.err.contains("step 0 of 0 to 14"), "{}", heading.said());
    }
    let summary = place.says(&["--on", portal, "summary"]);
    assert!(summary.contains("`console` tells") && !summary.contains("get_console_messages"), "{summary}");
    assert!(place.fails(&["--on", "traces/none.trace", "observe"], 3).contains("is not there"));
    assert!(place.fails(&["--on", "nothing", "observe"], 2).contains("no URL and no file"));
    assert!(place.fails(&["--on", TRACE, "--step", "99", "observe"], 2).contains("step 99"));
    assert!(place.fails(&["--on", TRACE, "sessions"], 2).contains("--on"));
    assert!(place.keepers().is_empty());
}

#[test]
fn a_browser_is_driven_one_command_at_a_time_and_ends_with_its_session() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let site = runtime.block_on(SiteServer::start(&root().join("traces/sites"), "login")).expect("serves");
    let place = Place::new();
    let url = format!("http://127.0.0.1:{}/", site.port());
    let first = place.says(&["open", &url]);
    let (email, password) = (reference(&first, "textbox \"Email"), reference(&first, "textbox \"Password"));
    let filled = place.says(&["fill", &format!("{email}=ada@example.com"), &format!("{password}=wrong")]);
    assert!(filled.contains("@example.com") && !filled.contains("wrong\""), "{filled}");
    let answered = place.says(&["click", "Sign in", "--role", "button"]);
    assert!(!answered.contains("nothing changed"), "{answered}");
    let picture = place.folder.path().join("page.png");
    let said = place.says(&["screenshot", "--out", picture.to_str().expect("text")]);
    let plain = std::fs::read(&picture).expect("a file");
    assert!(said.contains("image: ") && plain.starts_with(b"\x89PNG"), "{said}");
    let said = place.says(&["screenshot", "--annotate", "--out", picture.to_str().expect("text")]);
    let annotated = std::fs::read(&picture).expect("a file");
    assert!(said.contains(", refs drawn: ") && annotated.starts_with(b"\x89PNG") && annotated != plain, "{said}");
    // A second `open` goes on in the same browser.
    let again = place.says(&["open", &format!("{url}help.html")]);
    assert!(again.starts_with("session \"default\" was open already, with http"), "{again}");
    assert!(again.contains("\n[FULL PAGE STATE ") && place.says(&["sessions"]).contains("help.html"), "{again}");
    assert!(place.says(&["back"]).contains('['));
    let keeper = *place.keepers().first().expect("a process");
    assert!(!place.browsers().is_empty());
    drop(Command::new("kill").args(["-KILL", &keeper.to_string()]).status());
    until("it is killed, and its browser ends with it", || place.keepers().is_empty() && place.browsers().is_empty());
    let began = Instant::now();
    assert!(place.fails(&["observe"], 6).contains("no session is open"), "a socket that nobody listens at");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(place.says(&["open", TRACE]).starts_with("[FULL PAGE STATE "), "the socket is made anew");
}

#[test]
fn what_is_not_done_says_so_by_its_code_and_in_the_words_of_this_door() {
    let place = Place::new();
    let page = place.folder.path().join("bookings.html");
    let page_of_it = BOOKINGS.replace("<form>", "<form><label>Closed <input readonly></label>");
    std::fs::write(&page, page_of_it + "<label>Scan <input type=file></label>").expect("written");
    let page = page.to_str().expect("text");
    let scan = reference(&place.says(&["open", page]), "button \"Scan");
    // What its commands name may be uploaded, unless a folder was named for it.
    assert!(place.says(&["upload", &scan, page]).contains("bookings.html"));
    place.says(&["-s", "below", "open", page, "--upload-root", "traces"]);
    assert!(place.fails(&["-s", "below", "upload", &scan, page], 6).contains("no file below that folder"));
    place.says(&["-s", "below", "close"]);
    assert!(place.fails(&["open", "none.html"], 3).contains("none.html is not there"));
    assert!(place.fails(&["open", "traces"], 3).contains("is a folder"));
    assert!(place.fails(&["-s", "two", "open", TRACE, "--allow-evaluate"], 2).contains("not for a trace"));
    assert!(place.fails(&["-s", "two", "open", page, "--step", "3"], 2).contains("not for a browser"));
    assert!(place.fails(&["-s", "two", "open", TRACE, "--step", "99"], 2).contains("step 99"));
    assert!(place.fails(&["-s", "a\nb", "open", TRACE], 2).contains("name of a session"));
    assert!(place.fails(&["-s", "two", "open", page, "--chrome", "/bin/false"], 5).contains("error"));
    assert!(place.says(&["type", "@e2", "Ada"]).contains("\"Ada\""), "the page is still there");
    let undone = |words: &[&str]| {
        let ran = place.run(words);
        ran.ends(6, &[]);
        ran.out
    };
    let some = undone(&["fill", "@e2=Bo", "@e1=x", "@e3=2"]);
    assert!(some.contains("@e2 set\n@e1 was not set: ") && some.contains("\n@e3 "), "{some}");
    assert!(undone(&["wait", "Booked for", "--ms", "50"]).contains("did not appear"));
    assert!(place.fails(&["fill", "@e2"], 2).contains("write each field as @e5=Ada"));
    assert!(place.fails(&["console", "--step", "3"], 2).contains("page TRACE … --step K"));
    let wrong = place.fails(&["network", "--status", "9xx"], 2);
    assert!(wrong.contains("9xx") && !wrong.contains("get_network_requests"), "{wrong}");
    assert!(place.fails(&["click", "Book", "--in", "nobody"], 6).contains("row or card with \"nobody\""));
    let behind = place.fails(&["summary", TRACE], 2);
    assert!(behind.contains(&format!("`browserlens page {TRACE} summary`")), "{behind}");
    let said = place.fails(&["select", "form", "1"], 6);
    assert!(said.contains("nothing on the page is called so") && said.contains("`find`"), "{said}");
    assert!(place.fails(&["hover", "Nothing says this"], 6).contains("nothing on the page says"));
    assert!(place.says(&["hover", "Free cancellation until noon."]).starts_with("[DELTA"));
    assert!(place.says(&["find", "combobox"]).contains("what has it as its role:\n1 found\n- combobox \"Nights\""));
    assert!(place.fails(&["evaluate", "1"], 6).contains("`page open`'s option --allow-evaluate"));
    assert!(place.fails(&["-s", "two", "close"], 6).contains("page sessions"));
    assert_eq!(place.says(&["close"]), "closed default\n");
}

#[test]
fn many_commands_at_once_are_answered_or_refused_with_the_reason() {
    let place = Place::new();
    let start =
        |words: &[&str]| place.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let ended = |child: Child| Ran::from(child.wait_with_output().expect("ends"));
    let opened: Vec<Child> = (0..12).map(|number| start(&["-s", &number.to_string(), "open", TRACE])).collect();
    for child in opened {
        assert!(ended(child).out.starts_with("[FULL PAGE STATE "));
    }
    assert_eq!(place.keepers().len(), 1, "one process for all that began at once");
    assert_eq!(place.says(&["sessions"]).lines().count(), 12);
    let many: Vec<Child> = (0..50).map(|_| start(&["-s", "3", "observe", "--full"])).collect();
    let mut answered = 0;
    for ran in many.into_iter().map(ended) {
        if ran.code == 0 {
            assert!(ran.out.starts_with("[FULL PAGE STATE "));
            answered += 1;
        } else {
            assert!(ran.err.contains("too many calls at once"));
        }
    }
    assert!(answered >= 16, "{answered}");
    assert!(place.says(&["-s", "3", "observe", "--full"]).starts_with("[FULL PAGE STATE "));
}

#[test]
fn a_folder_that_others_can_look_into_is_refused() {
    let place = Place::new();
    std::fs::DirBuilder::new().mode(0o755).create(place.own()).expect("made");
    std::fs::set_permissions(place.own(), std::fs::Permissions::from_mode(0o755)).expect("set");
    assert!(place.fails(&["open", TRACE], 3).contains("not a folder of yours alone"));
}

/// The page that the skill's example is about.
const BOOKINGS: &str = r#"<!doctype html><title>Bookings</title><h1>Book a room</h1><p>Free cancellation until noon.</p>
<form><label>Name <input></label><label>Nights <select><option>1<option>2<option>3</select></label>
<label><input type=checkbox> Breakfast</label><button type=button>Book</button></form>
<div id=out></div>
<script>
document.querySelector("button").onclick = () => {
  out.innerHTML = "<p role=status></p>";
  out.firstChild.textContent = "Booked for " + document.querySelector("input").value;
};
</script>"#;

#[test]
fn every_example_of_the_skill_runs_and_says_what_stands_there() {
    let place = Place::new();
    let page = place.folder.path().join("bookings.html");
    std::fs::write(&page, BOOKINGS).expect("written");
    let skill = run("skill").good();
    let blocks: Vec<&str> = skill.split("```").skip(1).step_by(2).collect();
    let told = |block: &str| block.split_once('\n').expect("a kind").1.trim_end().to_owned();
    let mut answers = Vec::new();
    for line in told(blocks[0]).lines() {
        let line = line.strip_prefix("browserlens page ").expect("a command of page");
        let line = line.replace("http://localhost:3000/", page.to_str().expect("text"));
        let words = words(&line.replace('"', "'"));
        let answer = place.says(&words.iter().map(String::as_str).collect::<Vec<_>>());
        answers.push(answer.trim_end().replace(&format!("file://{}", page.display()), "http://localhost:3000/"));
    }
    assert_eq!(answers[0], told(blocks[1]));
    assert_eq!(answers[2], told(blocks[2]));
    assert!(answers[4].contains("Free cancellation") && answers[5].contains("until noon"), "{answers:?}");
    // Where agents look.
    let project = place.folder.path().to_str().expect("text");
    for path in run(&format!("skill --install {project}")).good().lines() {
        assert_eq!(std::fs::read_to_string(path).expect("written"), skill);
    }
    assert!(place.folder.path().join(".claude/skills/browserlens/SKILL.md").is_file());
}
