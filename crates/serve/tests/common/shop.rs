//! The shop's scenario as a scripted client does it: it knows the goal and reads every ref in the
//! answers.

use super::Mcp;
use browserlens_core::tokens::Encoding;
use browserlens_lens::ShownState;
use serde_json::{Value, json};

/// A client that keeps what it was shown, and counts what that cost.
pub struct Reader {
    pub mcp: Mcp,
    pub shown: ShownState,
    pub tokens: u32,
    pub answers: u32,
    pub last: String,
}

impl Reader {
    pub async fn start(mut mcp: Mcp, first: (&str, Value)) -> Self {
        let text = mcp.call(first.0, first.1).await;
        let mut reader = Self { mcp, shown: ShownState::default(), tokens: 0, answers: 0, last: String::new() };
        reader.take(&text);
        reader
    }

    fn count(&mut self, text: &str) {
        let tokens = Encoding::O200kBase.count(text).0;
        self.tokens += tokens;
        if let Some(folder) = std::env::var_os("SHOW_ANSWERS") {
            let path = std::path::Path::new(&folder).join(format!("{:02}-{tokens}.txt", self.answers));
            std::fs::write(path, text).expect("writes");
        }
        self.answers += 1;
    }

    fn take(&mut self, text: &str) {
        self.count(text);
        // What the page sent is noted before an answer.
        for part in split(text).into_iter().filter(|part| !part.starts_with("sent: ")) {
            self.shown.apply(&part).unwrap_or_else(|error| panic!("{error}\n{part}"));
        }
        text.clone_into(&mut self.last);
    }

    /// Calls a tool whose answer is an observation.
    pub async fn act(&mut self, tool: &str, arguments: Value) {
        let text = self.mcp.call(tool, arguments).await;
        self.take(&text);
    }

    /// Returns the ref of what has a role and a name, in something of a name if one is said: from
    /// what was shown, else by `find`.
    pub async fn reference(&mut self, role: &str, name: &str, within: &str) -> String {
        let shown = self.shown.nodes().find(|node| {
            node.role() == role
                && node.name() == name
                && (within.is_empty() || node.ancestors().any(|above| above.name().starts_with(within)))
        });
        if let Some(reference) = shown.and_then(|node| node.reference()) {
            return reference.to_string();
        }
        let text = self.mcp.call("find", json!({ "role": role, "text": name, "limit": 8 })).await;
        self.count(&text);
        let line = text.lines().skip(1).find(|line| within.is_empty() || line.contains(&format!("\"{within}")));
        let line = line.unwrap_or_else(|| panic!("{role} {name:?} in {within:?}: {text}"));
        let start = line.find(" @e").map(|at| at + 1).unwrap_or_else(|| panic!("no ref: {line}"));
        line[start..].split(|c: char| c.is_whitespace()).next().expect("a ref").to_owned()
    }

    pub async fn click(&mut self, role: &str, name: &str, within: &str) {
        let reference = self.reference(role, name, within).await;
        self.act("click", json!({ "ref": reference })).await;
    }
}

/// Parts an answer that holds several observations.
fn split(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("[DELTA ") || line.starts_with("[FULL PAGE STATE") || line.starts_with("[ANSWER ") {
            parts.push(line.to_owned());
        } else if let Some(part) = parts.last_mut() {
            part.push('\n');
            part.push_str(line);
        } else {
            parts.push(line.to_owned());
        }
    }
    parts
}

/// Puts the cheapest laptop with 16 GB into the cart, with 1 TB, and orders it.
pub async fn order_a_laptop(reader: &mut Reader) {
    let laptop = "Bramble Thicket 14 Laptop BT14-4542 with Ridge 3 and 16 GB RAM";
    let search = reader.reference("textbox", "Search", "").await;
    reader.act("type", json!({ "ref": search, "text": "laptop" })).await;
    reader.click("button", "Go", "").await;
    reader.click("checkbox", "16 GB", "Memory").await;
    let sort = reader.reference("combobox", "Sort by", "").await;
    reader.act("select", json!({ "ref": sort, "option": "Price: low to high" })).await;
    reader.click("link", laptop, "").await;
    reader.click("radio", "1 TB", "Storage").await;
    reader.click("button", "Add to cart", &format!("Buy {laptop}")).await;
    reader.click("link", "Cart (1)", "").await;
    reader.click("link", "Proceed to checkout", "").await;
    reader.click("radio", "Express courier", "").await;
    let phone = reader.reference("textbox", "Mobile phone", "").await;
    reader.act("type", json!({ "ref": phone, "text": "503 555 0142" })).await;
    reader.click("button", "Place order", "").await;
}
