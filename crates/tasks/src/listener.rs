//! Hears from the pages of a site what state they are in.
//!
//! In: sockets of pages, each with messages of state. Out: one state of the site. Invariants: the
//! tool under test takes no part and is not asked; a page that cannot answer, because it is gone or
//! a dialog holds it, keeps the state that it told last.

use crate::loopback::bound;
use browserlens_core::sync::locked;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::task::AbortOnDropHandle;

/// How long pages have to answer.
const PATIENCE: Duration = Duration::from_millis(400);
/// Most pages that are remembered; those that were told of first are forgotten first.
const MOST_PAGES: usize = 64;

#[derive(Default)]
struct Pages {
    /// By number of the socket, so in the order in which they were opened.
    told: BTreeMap<u64, Page>,
    opened: u64,
    /// Counts what was told, to say which was last.
    clock: u64,
}

struct Page {
    state: Value,
    /// When something was told that was not asked for.
    at: u64,
    /// The last question that was answered.
    answered: u64,
    is_open: bool,
}

/// Listens on a loopback port of its own; dropping it ends that.
pub(crate) struct Listener {
    port: u16,
    pages: Arc<Mutex<Pages>>,
    ask: watch::Sender<u64>,
    heard: Arc<tokio::sync::Notify>,
    _task: AbortOnDropHandle<()>,
}

impl Listener {
    pub(crate) async fn start() -> std::io::Result<Self> {
        let (listener, port) = bound().await?;
        let pages = Arc::<Mutex<Pages>>::default();
        let ask = watch::Sender::new(0_u64);
        let heard = Arc::<tokio::sync::Notify>::default();
        let (shared, asked, told) = (Arc::clone(&pages), ask.clone(), Arc::clone(&heard));
        let task = tokio::spawn(async move {
            // Ends every page's part with itself.
            let mut open = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(hear(stream, Arc::clone(&shared), asked.subscribe(), Arc::clone(&told)));
                while open.try_join_next().is_some() {}
            }
        });
        Ok(Self { port, pages, ask, heard, _task: AbortOnDropHandle::new(task) })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Asks every page, and returns the state of the site: that of the page that is in front, with
    /// frames by their path; null if no page ever told anything.
    pub(crate) async fn state(&self) -> Value {
        let mut number = 0;
        self.ask.send_modify(|asked| {
            *asked += 1;
            number = *asked;
        });
        let all_answered = async {
            loop {
                let heard = self.heard.notified();
                if locked(&self.pages).told.values().all(|page| !page.is_open || page.answered >= number) {
                    return;
                }
                heard.await;
            }
        };
        // A page that a dialog holds answers after it.
        drop(tokio::time::timeout(PATIENCE, all_answered).await);
        let pages = locked(&self.pages);
        let tops = || pages.told.values().filter(|page| page.state["top"] == true);
        let rank = |page: &&Page| (page.is_open, page.state["seen"] == true, page.at);
        let Some(front) = tops().max_by_key(rank) else { return Value::Null };
        let mut state = front.state.clone();
        let frames = pages.told.values().filter(|page| page.state["top"] == false);
        let frames: serde_json::Map<String, Value> = frames
            .map(|page| {
                let path = page.state["path"].as_str().unwrap_or_default();
                (path.split(['?', '#']).next().unwrap_or_default().to_owned(), page.state.clone())
            })
            .collect();
        state["frames"] = Value::Object(frames);
        state["pages"] = json!(tops().filter(|page| page.is_open).count());
        state
    }
}

async fn hear(
    stream: tokio::net::TcpStream,
    pages: Arc<Mutex<Pages>>,
    mut ask: watch::Receiver<u64>,
    heard: Arc<tokio::sync::Notify>,
) {
    let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
    let id = {
        let mut pages = locked(&pages);
        pages.opened += 1;
        pages.opened
    };
    loop {
        tokio::select! {
            asked = ask.changed() => {
                if asked.is_err() {
                    break;
                }
                let number = *ask.borrow_and_update();
                if socket.send(Message::text(number.to_string())).await.is_err() {
                    break;
                }
            }
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(state) = serde_json::from_str::<Value>(&text) {
                        tell(&mut locked(&pages), id, state);
                        heard.notify_waiters();
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
        }
    }
    if let Some(page) = locked(&pages).told.get_mut(&id) {
        page.is_open = false;
    }
    heard.notify_waiters();
}

fn tell(pages: &mut Pages, id: u64, mut state: Value) {
    let asked = state.as_object_mut().and_then(|state| state.remove("asked")).and_then(|asked| asked.as_u64());
    let asked = asked.unwrap_or_default();
    pages.clock += 1;
    let clock = pages.clock;
    let page = pages.told.entry(id).or_insert(Page { state: Value::Null, at: 0, answered: 0, is_open: true });
    page.state = state;
    page.answered = page.answered.max(asked);
    if asked == 0 {
        page.at = clock;
    }
    while pages.told.len() > MOST_PAGES {
        pages.told.pop_first();
    }
}
