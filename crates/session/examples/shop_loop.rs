//! A small loop on the bundled shop: observe, read a ref from the text, act, observe what changed.
//! `shop_loop [cdp address]` attaches to a browser that runs instead of starting one.

use browserlens_recorder::{AttachTab, LiveBrowser, LiveOptions, SiteServer};
use browserlens_session::Session;
use serde_json::json;
use std::error::Error;
use std::io::Write;
use std::path::Path;

/// Returns the ref that stands behind a text, as a model would read it; in a folded row a ref is a
/// number behind a bar.
fn ref_of(text: &str, said: &str) -> Result<String, Box<dyn Error>> {
    let at = text.find(said).ok_or_else(|| format!("{said:?} is not shown"))? + said.len();
    let line = text[at..].lines().next().unwrap_or("");
    let start = line.find("@e").ok_or_else(|| format!("no ref behind {said:?} in {line:?}"))?;
    Ok(line[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '@' | '.')).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/sites");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let shop = runtime.block_on(SiteServer::start(&sites, "shop"))?;
    let url = format!("http://127.0.0.1:{}/", shop.port());
    let options = LiveOptions::default();
    let browser = match std::env::args().nth(1) {
        None => LiveBrowser::open(&url, &options)?,
        Some(address) => LiveBrowser::attach(&address, &AttachTab::New, &options)?,
    };
    let mut session = Session::over(browser, options)?;
    session.call("navigate", json!({ "url": url }))?;
    let full = session.observation(true, None)?;
    writeln!(out, "{}\n", full.text)?;
    let search = ref_of(&full.text, "searchbox \"Search\"").or_else(|_| ref_of(&full.text, "\"Search\""))?;
    let typed = session.call("type", json!({ "ref": search, "text": "laptop" }))?;
    writeln!(out, "{}\n", typed.text)?;
    let listing = session.call("press", json!({ "ref": search, "key": "Enter" }))?;
    let lines: Vec<&str> = listing.text.lines().take(20).collect();
    writeln!(out, "{}\n… ({} bytes)", lines.join("\n"), listing.text.len())?;
    Ok(())
}
