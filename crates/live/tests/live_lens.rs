//! A loop on bundled pages: observe, act by ref, observe what changed; and every way in which a ref
//! can be wrong.

use browserlens_core::strategy::{ObservationKind, PageSource};
use browserlens_live::{Action, LiveError, LiveLens, TabAction};
use browserlens_recorder::{AttachTab, LiveBrowser, LiveOptions, SiteServer, Wait};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn sites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/sites")
}

/// Pages of files are quiet soon.
fn quick() -> LiveOptions {
    LiveOptions { quiet: Duration::from_millis(100), ..LiveOptions::default() }
}

struct Site {
    server: SiteServer,
    _runtime: tokio::runtime::Runtime,
}

fn site(name: &str) -> Site {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("runtime");
    let server = runtime.block_on(SiteServer::start(&sites(), name)).expect("serves");
    Site { server, _runtime: runtime }
}

impl Site {
    fn url(&self, page: &str) -> String {
        format!("http://127.0.0.1:{}/{page}", self.server.port())
    }
}

/// Returns the ref that stands behind a text, as an agent would read it.
fn ref_of(text: &str, said: &str) -> String {
    let line = text.lines().find(|line| line.contains(said)).unwrap_or_else(|| panic!("{said:?} is not in\n{text}"));
    let after = &line[line.find(said).expect("it is there")..];
    let at = after.find("@e").unwrap_or_else(|| panic!("no ref behind {said:?} in {line:?}"));
    after[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '.')).collect()
}

#[test]
fn an_agent_observes_acts_by_ref_and_is_told_what_changed() {
    let site = site("fixtures");
    let mut lens = LiveLens::open(&site.url("action-click.html"), &quick()).expect("opens");
    let full = lens.observe().expect("a page");
    assert!(matches!(full.kind, ObservationKind::Full { .. }));
    let go = ref_of(&full.text, "button \"Go\"");
    lens.act(&Action::Click { reference: go.clone() }).expect("clicked");
    let delta = lens.observe().expect("a page");
    assert_eq!(delta.kind, ObservationKind::Delta, "{}", delta.text);
    assert!(delta.text.contains("click Go detail=1 trusted=true"), "{}", delta.text);
    assert_eq!(delta.unmarked_differences, Some(0));

    let off = ref_of(&full.text, "button \"Off\"");
    let error = lens.act(&Action::Click { reference: off }).expect_err("it is disabled");
    assert!(
        matches!(&error,
            LiveError::NotActionable { said, reason, .. } if said.contains("Off") && reason.contains("disabled")),
        "{error}"
    );
    let error = lens.act(&Action::Click { reference: "@e9999".to_owned() }).expect_err("never shown");
    assert!(matches!(error, LiveError::UnknownRef { .. }), "{error}");
    // A text that is no element's: nothing is guessed.
    let error = lens.act(&Action::Click { reference: "Go".to_owned() }).expect_err("no ref");
    assert!(matches!(error, LiveError::UnknownRef { .. }), "{error}");

    lens.browser()
        .evaluate("[...document.querySelectorAll('button')].find(b => b.textContent.trim() === 'Go').remove()")
        .expect("runs");
    let error = lens.act(&Action::Click { reference: go.clone() }).expect_err("it is gone");
    assert!(matches!(&error, LiveError::Gone { said, .. } if said.contains("Go")), "{error}");

    lens.act(&Action::Navigate { url: site.url("action-fill.html") }).expect("went");
    let error = lens.act(&Action::Click { reference: go }).expect_err("another document");
    assert!(matches!(&error, LiveError::OtherDocument { url, .. } if url.ends_with("action-fill.html")), "{error}");
    lens.act(&Action::Back).expect("there is a page to go back to");
    let back = lens.observe().expect("a page");
    assert!(back.text.contains("action-click.html") || back.kind == ObservationKind::Delta, "{}", back.text);
}

#[test]
fn what_covers_an_element_is_named_and_the_click_lands_nowhere() {
    let site = site("fixtures");
    let mut lens = LiveLens::open(&site.url("action-click.html"), &quick()).expect("opens");
    let go = ref_of(&lens.observe().expect("a page").text, "button \"Go\"");
    let cover = "(() => { const d = document.createElement('div'); d.id = 'veil'; d.style = \
        'position:fixed;inset:0;background:#fff;z-index:9'; \
                 d.onclick = () => { document.title = 'veil clicked' }; document.body.append(d) })()";
    lens.browser().evaluate(cover).expect("runs");
    let error = lens.act(&Action::Click { reference: go }).expect_err("it is covered");
    assert!(matches!(&error, LiveError::Covered { by, .. } if by.contains("veil")), "{error}");
    assert_ne!(lens.browser().evaluate("document.title").expect("reads"), "veil clicked");
}

#[test]
fn what_is_typed_never_goes_to_another_field() {
    let site = site("fixtures");
    let mut lens = LiveLens::open(&site.url("action-fill.html"), &quick()).expect("opens");
    let text = lens.observe().expect("a page").text;
    let field = ref_of(&text, "textbox");
    lens.act(&Action::Type { reference: field.clone(), text: "first".to_owned() }).expect("typed");
    let script = "(() => { const f = document.activeElement; globalThis.kept = f; f.remove(); \
                  const o = document.createElement('input'); o.id = 'other'; document.body.append(o); o.focus() })()";
    lens.browser().evaluate(script).expect("runs");
    let error = lens.act(&Action::Type { reference: field, text: "second".to_owned() }).expect_err("gone");
    assert!(matches!(error, LiveError::Gone { .. }), "{error}");
    assert_eq!(lens.browser().evaluate("document.getElementById('other').value").expect("reads"), "");
}

#[test]
fn tabs_waits_dialogs_and_pictures() {
    let site = site("fixtures");
    let mut lens = LiveLens::open(&site.url("action-dialog.html"), &quick()).expect("opens");
    let text = lens.observe().expect("a page").text;
    lens.browser().evaluate("setTimeout(() => alert('Stop here'), 0)").expect("runs");
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    let said = loop {
        if let Some(dialog) = lens.browser().dialog() {
            break dialog.message;
        }
        assert!(std::time::Instant::now() < deadline, "no dialog came");
    };
    assert_eq!(said, "Stop here");
    // In a folded row the ref is only its number.
    assert!(text.contains("button @: 1 Alert"), "{text}");
    let error = lens.act(&Action::Click { reference: "1".to_owned() }).expect_err("blocked");
    assert!(matches!(&error, LiveError::Blocked { message } if message == "Stop here"), "{error}");
    lens.act(&Action::Dialog { accept: true, text: None }).expect("answered");
    assert!(lens.browser().dialog().is_none());

    lens.act(&Action::Tab(TabAction::New { url: site.url("action-click.html") })).expect("opened");
    let tabs = lens.browser().open_tabs();
    assert_eq!(tabs.iter().map(|tab| tab.current).collect::<Vec<_>>(), [false, true]);
    assert!(lens.observe().expect("a page").text.contains("Go"));
    let picture = lens.screenshot(None).expect("pixels");
    assert!(picture.png.starts_with(b"\x89PNG"));
    lens.act(&Action::Tab(TabAction::Close { index: None })).expect("closed");
    let error = lens.act(&Action::Tab(TabAction::Close { index: None })).expect_err("the last");
    assert!(matches!(&error, LiveError::NotPossible { reason, .. } if reason.contains("last")), "{error}");

    lens.browser()
        .evaluate(
            "setTimeout(() => { document.body.append(Object.assign(document.createElement('p'), { textContent: \
            'Late news' })) }, 300)",
        )
        .expect("runs");
    lens.act(&Action::Wait(Wait::Text("Late news".to_owned()))).expect("it came");
    lens.browser().evaluate("setTimeout(() => document.querySelector('p:last-of-type').remove(), 300)").expect("runs");
    lens.act(&Action::Wait(Wait::Gone("Late news".to_owned()))).expect("it went");
}

#[test]
fn a_browser_of_somebody_else_is_attached_to_and_stays() {
    let site = site("fixtures");
    // A browser that we start ourselves stands for one that runs.
    let mut other = LiveBrowser::open(&site.url("action-click.html"), &quick()).expect("opens");
    let address = other.protocol_address();
    {
        let mut lens = LiveLens::attach(&address, &AttachTab::New, &quick()).expect("attaches");
        lens.act(&Action::Navigate { url: site.url("action-fill.html") }).expect("went");
        assert!(lens.observe().expect("a page").text.contains("textbox"));
    }
    {
        let tab = AttachTab::Named("action-click.html".to_owned());
        let mut lens = LiveLens::attach(&address, &tab, &quick()).expect("attaches");
        let text = lens.observe().expect("a page").text;
        lens.act(&Action::Click { reference: ref_of(&text, "button \"Go\"") }).expect("clicked");
        assert!(lens.observe().expect("a page").text.contains("click Go"));
        let error = lens.act(&Action::Tab(TabAction::Close { index: None })).expect_err("not ours");
        assert!(matches!(error, LiveError::NotPossible { .. }), "{error}");
    }
    let (page, _) = other.page().expect("it is still there");
    assert!(page.nodes().any(|node| node.name() == "Go"));
    let error = LiveBrowser::attach("http://127.0.0.1:1", &AttachTab::New, &quick()).expect_err("nobody");
    assert!(error.hint().contains("--remote-debugging-port"), "{error}");
}

#[test]
fn a_browser_that_ended_is_told_of_and_comes_back() {
    let site = site("fixtures");
    let mut lens = LiveLens::open(&site.url("action-click.html"), &quick()).expect("opens");
    let go = ref_of(&lens.observe().expect("a page").text, "button \"Go\"");
    let old = lens.session().key_of(&go).expect("known");
    lens.browser().kill();
    let error = lens.act(&Action::Click { reference: go.clone() }).expect_err("it ended");
    assert!(matches!(error, LiveError::BrowserGone { .. }), "{error}");
    assert!(lens.observe().is_err());
    assert!(!lens.browser().is_alive());
    lens.restart().expect("starts again");
    let again = lens.observe().expect("a page");
    assert!(matches!(again.kind, ObservationKind::Full { .. }));
    let new = lens.session().key_of(&ref_of(&again.text, "button \"Go\"")).expect("known");
    assert_ne!(old, new, "a key of before never comes to mean a node of after");
    lens.act(&Action::Click { reference: ref_of(&again.text, "button \"Go\"") }).expect("clicked");
}
