//! A Chromium for the tests of the page: what it complains of, what it asks the network for, keys,
//! axe.

use base64::Engine;
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetEmulatedMediaParams,
};
use chromiumoxide::cdp::browser_protocol::input::{DispatchKeyEventParams, DispatchKeyEventType};
use chromiumoxide::cdp::browser_protocol::log::{EnableParams as EnableLog, EventEntryAdded};
use chromiumoxide::cdp::browser_protocol::network::{EnableParams as EnableNetwork, EventRequestWillBeSent};
use chromiumoxide::cdp::browser_protocol::page::{
    CaptureScreenshotFormat, CaptureScreenshotParams, EventJavascriptDialogOpening, PrintToPdfParams, Viewport,
};
use chromiumoxide::cdp::js_protocol::runtime::{EventConsoleApiCalled, EventExceptionThrown};
use chromiumoxide::{Browser, BrowserConfig, Page};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page, and everything that must not happen on it.
pub struct Opened {
    browser: Browser,
    pub page: Page,
    complaints: Arc<Mutex<Vec<String>>>,
    _profile: tempfile::TempDir,
}

impl Opened {
    /// Opens a file and waits until the viewer shows a step; returns how long that took.
    pub async fn file(path: &Path) -> (Self, Duration) {
        let own = |url: &str| {
            url.starts_with("file:///") && url.split('#').next().is_some_and(|file| file.ends_with("/index.html"))
        };
        let opened = Self::blank(own).await;
        let started = Instant::now();
        opened.page.goto(format!("file://{}", path.display())).await.expect("the file opens");
        opened.until("document.getElementById('viewer').dataset.ready !== undefined").await;
        (opened, started.elapsed())
    }

    /// Opens a browser on nothing. Requests are complained of, but for URLs that are the page's own.
    pub async fn blank(own: impl Fn(&str) -> bool + Send + 'static) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let home = profile.path().display().to_string();
        let config = BrowserConfig::builder()
            .user_data_dir(profile.path())
            .envs([("HOME", home.clone()), ("XDG_CONFIG_HOME", home.clone()), ("XDG_CACHE_HOME", home)])
            .new_headless_mode()
            .no_sandbox()
            .viewport(None)
            .window_size(1_280, 900)
            .arg(("disable-features", "TranslateUI,WebUIOmniboxPopup,WebUIOmniboxAimPopup"))
            .launch_timeout(PATIENCE)
            .request_timeout(PATIENCE)
            .build()
            .expect("a configuration");
        let (browser, mut handler) =
            Browser::launch(config).await.expect("Chromium starts: run scripts/install-chromium");
        tokio::spawn(async move { while handler.next().await.is_some() {} });
        let page = browser.new_page("about:blank").await.expect("a tab");
        let complaints = Arc::new(Mutex::new(Vec::new()));
        page.execute(EnableLog::default()).await.expect("the log");
        page.execute(EnableNetwork::default()).await.expect("the network");
        listen::<EventExceptionThrown>(&page, &complaints, |event| Some(format!("{event:?}"))).await;
        listen::<EventEntryAdded>(&page, &complaints, |event| Some(format!("{event:?}"))).await;
        listen::<EventConsoleApiCalled>(&page, &complaints, |event| Some(format!("{event:?}"))).await;
        listen::<EventJavascriptDialogOpening>(&page, &complaints, |event| Some(format!("{event:?}"))).await;
        listen::<EventRequestWillBeSent>(&page, &complaints, move |event| {
            let url = &event.request.url;
            (!own(url) && !url.starts_with("data:")).then(|| format!("request: {}", &url[..url.len().min(200)]))
        })
        .await;
        Self { browser, page, complaints, _profile: profile }
    }

    /// Evaluates an expression; a promise is waited for.
    pub async fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> T {
        let value = self.page.evaluate(expression).await.unwrap_or_else(|error| panic!("{expression}: {error}"));
        value.into_value().unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Checks the value of an expression.
    pub async fn is(&self, expression: &str, expected: impl Into<Value>) {
        assert_eq!(self.evaluate::<Value>(expression).await, expected.into(), "{expression}");
    }

    /// Evaluates an expression for what it does.
    pub async fn run(&self, expression: &str) {
        self.page.evaluate(expression).await.unwrap_or_else(|error| panic!("{expression}: {error}"));
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.evaluate::<bool>(&format!("Boolean({expression})")).await {
            assert!(Instant::now() < deadline, "never true: {expression}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// Presses and lets go of a key.
    pub async fn press(&self, key: &str) {
        for kind in [DispatchKeyEventType::KeyDown, DispatchKeyEventType::KeyUp] {
            let mut event = DispatchKeyEventParams::new(kind);
            event.key = Some(key.to_owned());
            self.page.execute(event).await.expect("a key");
        }
    }

    /// Sets the size of the window and the colours that the system asks for.
    pub async fn look(&self, width: i64, height: i64, colours: &str) {
        let size = SetDeviceMetricsOverrideParams::new(width, height, 1.0, width < 500);
        self.page.execute(size).await.expect("a size");
        let feature = MediaFeature { name: "prefers-color-scheme".to_owned(), value: colours.to_owned() };
        let media = SetEmulatedMediaParams { media: None, features: Some(vec![feature]) };
        self.page.execute(media).await.expect("colours");
    }

    /// Shows the page as paper would.
    pub async fn print_media(&self) {
        let media = SetEmulatedMediaParams { media: Some("print".to_owned()), features: None };
        self.page.execute(media).await.expect("paper");
    }

    /// Prints the page.
    pub async fn pdf(&self) -> Vec<u8> {
        self.page.pdf(PrintToPdfParams::default()).await.expect("prints")
    }

    /// Takes a picture from the top of an element, or of the page where none is named.
    pub async fn picture(&self, selector: &str, (width, height): (u32, u32)) -> Vec<u8> {
        // What was never in the window may not be drawn yet.
        let seen = format!(
            "(async () => {{ document.querySelector('{selector}').scrollIntoView(); await new Promise((done) => \
                setTimeout(done, 500)); return true; }})()"
        );
        assert!(selector.is_empty() || self.evaluate::<bool>(&seen).await);
        let top = match selector {
            "" => 0.0,
            selector => {
                self.evaluate::<f64>(&format!(
                    "document.querySelector('{selector}').getBoundingClientRect().top + window.scrollY - 16"
                ))
                .await
            }
        };
        // A section that is shorter than the picture ends it.
        let room: f64 = match selector {
            "" => f64::from(height),
            selector => {
                self.evaluate::<f64>(&format!(
                    "document.querySelector('{selector}').getBoundingClientRect().height + 32"
                ))
                .await
            }
        };
        let clip =
            Viewport { x: 0.0, y: top, width: f64::from(width), height: room.min(f64::from(height)), scale: 1.0 };
        let mut what = CaptureScreenshotParams::builder().clip(clip).capture_beyond_viewport(true).build();
        what.format = Some(CaptureScreenshotFormat::Png);
        let shot = self.page.execute(what).await.expect("a picture");
        let encoded: &str = shot.result.data.as_ref();
        base64::engine::general_purpose::STANDARD.decode(encoded).expect("base64")
    }

    /// Returns when the first content was painted and when the page was loaded, in ms since the
    /// navigation began.
    pub async fn opening(&self) -> [f64; 2] {
        self.until(
            "performance.getEntriesByName('first-contentful-paint').length > 0 && \
            performance.getEntriesByType('navigation')[0].loadEventEnd > 0",
        )
        .await;
        self.evaluate(
            "[performance.getEntriesByName('first-contentful-paint')[0].startTime, \
            performance.getEntriesByType('navigation')[0].loadEventEnd]",
        )
        .await
    }

    /// Returns what axe finds wrong, one line a violation.
    pub async fn violations(&self, axe: &str) -> Vec<String> {
        self.page.evaluate(axe).await.expect("axe loads");
        self.evaluate(
            "axe.run().then((found) => found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => \
                node.html).join(' | ').slice(0, 600)}`))",
        )
        .await
    }

    /// Ends it: there were no errors, messages, dialogs and requests.
    pub async fn end(self) {
        assert_eq!(*self.complaints.lock().expect("nobody panicked"), Vec::<String>::new());
        self.close().await;
    }

    pub async fn close(mut self) {
        self.browser.close().await.expect("Chromium ends");
        self.browser.wait().await.expect("Chromium ends");
    }
}

async fn listen<E: chromiumoxide::cdp::IntoEventKind + Unpin + Clone + std::fmt::Debug>(
    page: &Page,
    complaints: &Arc<Mutex<Vec<String>>>,
    word: impl Fn(&E) -> Option<String> + Send + 'static,
) {
    let mut events = page.event_listener::<E>().await.expect("a listener");
    let complaints = Arc::clone(complaints);
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            if let Some(words) = word(&event) {
                complaints.lock().expect("nobody panicked").push(words);
            }
        }
    });
}
