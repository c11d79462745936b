//! Storage state to begin with: cookies and local storage of the user's own sites.
//!
//! In: a JSON file as Playwright's `storageState` writes it. Out: cookies set, local storage filled
//! before any script of the page runs. Invariant: nothing of the file reaches the trace unredacted:
//! cookie values are secrets of their own kind there.

use crate::driver::Driver;
use crate::error::RecordError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

#[derive(Deserialize)]
struct StorageState {
    #[serde(default)]
    cookies: Vec<Value>,
    #[serde(default)]
    origins: Vec<Origin>,
}

#[derive(Deserialize, Serialize)]
struct Origin {
    origin: String,
    #[serde(default, rename = "localStorage")]
    local_storage: Vec<Item>,
}

#[derive(Deserialize, Serialize)]
struct Item {
    name: String,
    value: String,
}

pub(crate) async fn load(driver: &Driver, path: &Path) -> Result<(), RecordError> {
    let bad = |reason: String| RecordError::Site { path: path.to_owned(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| bad(format!("cannot be read: {error}")))?;
    let mut state: StorageState =
        serde_json::from_str(&text).map_err(|error| bad(format!("is no storage state: {error}")))?;
    for cookie in &mut state.cookies {
        // Session cookies are written with -1, which the protocol does not take.
        if cookie["expires"].as_f64().is_some_and(|expires| expires < 0.0)
            && let Some(fields) = cookie.as_object_mut()
        {
            fields.remove("expires");
        }
    }
    let (cookies, limit) = (json!({ "cookies": state.cookies }), Duration::from_secs(10));
    let set = driver.socket.call(None, "Storage.setCookies", &cookies, limit).await;
    set.map_err(|error| bad(format!("its cookies are refused: {error}")))?;
    if state.origins.is_empty() {
        return Ok(());
    }
    let origins = serde_json::to_string(&state.origins).map_err(|error| bad(error.to_string()))?;
    let source = format!(
        "(() => {{ for (const {{ origin, localStorage: items }} of {origins}) if (origin === location.origin && \
            !sessionStorage.getItem('browserlens.loaded')) \
         {{ for (const {{ name, value }} of items) localStorage.setItem(name, value); \
         sessionStorage.setItem('browserlens.loaded', '1'); }} }})()"
    );
    let script = json!({ "source": source, "worldName": "browserlens" });
    let added = driver.call(&driver.session(), "Page.addScriptToEvaluateOnNewDocument", &script).await;
    added.map(drop).map_err(driver.failed("loading the storage state"))
}
