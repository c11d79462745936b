//! A page, events and knowledge whose every text holds what nobody sees.

use super::*;

/// A page with hidden characters in all that a page can say; the number makes it another page.
fn page(hidden: &str, number: u32) -> Page {
    let said = |what: &str| format!("{what} {hidden}{number} x{hidden}y");
    let text = said("Text");
    let mut builder = PageBuilder::new(&format!("https://shop.test/{hidden}?q={hidden}#{hidden}"), &said("Title"));
    let id = format!("id{hidden}");
    let tag = format!("x-{hidden}");
    let seen = Flags::IN_VIEWPORT;
    let open = |builder: &mut PageBuilder, tag: &str, role: &str, name: &str, value: &str| {
        let attributes = vec![
            ("id", id.as_str()),
            ("class", id.as_str()),
            ("title", name),
            ("alt", name),
            ("placeholder", name),
            ("href", name),
            (tag, name),
        ];
        let description = format!("description {name}");
        builder.open(NodeSpec {
            tag,
            role,
            name,
            value,
            description: &description,
            attributes,
            flags: seen,
            ..NodeSpec::default()
        });
    };
    open(&mut builder, "main", "main", &said("Main"), "");
    for (tag, role) in [
        ("h1", "heading"),
        ("h2", "heading"),
        ("p", "paragraph"),
        ("pre", "code"),
        ("blockquote", "blockquote"),
        ("a", "link"),
        ("button", "button"),
        ("li", "listitem"),
        ("img", "image"),
        ("section", "region"),
        ("div", "alert"),
        ("div", "status"),
        (tag.as_str(), hidden),
    ] {
        open(&mut builder, tag, role, &said(tag), "");
        builder.text(&text);
        builder.text(hidden);
        builder.close();
    }
    open(&mut builder, "input", "textbox", &said("Field"), &said("value"));
    builder.close();
    open(&mut builder, "select", "combobox", &said("Choice"), &said("chosen"));
    open(&mut builder, "option", "option", &said("Option"), "");
    builder.close().close();
    open(&mut builder, "table", "table", &said("Table"), "");
    for _ in 0..2 {
        open(&mut builder, "tr", "row", "", "");
        for _ in 0..2 {
            open(&mut builder, "td", "cell", &text, "");
            builder.text(&text);
            builder.close();
        }
        builder.close();
    }
    builder.finish()
}

fn events(hidden: &str) -> Vec<Event> {
    let said = |what: &str| format!("{what} {hidden} {what}");
    let body = Some(
        json!({ format!("key{hidden}"): said("in JSON"), "list": [said("item")], "rest": "x".repeat(400) }).to_string(),
    );
    let request = RequestEvent {
        method: said("GET"),
        url: format!("https://shop.test/{hidden}"),
        resource_type: said("Fetch"),
        status: 500,
        mime_type: said("text/html"),
        request_headers: vec![(said("name"), said("value"))],
        response_headers: vec![(said("name"), said("value"))],
        request_body: body.clone(),
        response_bytes: body.as_ref().map_or(0, |body| body.len() as u64),
        response_body: body,
        failure: said("failed"),
        duration_ms: 5_000,
        ..RequestEvent::default()
    };
    // With a NUL, or a control in every twenty characters, it would count as binary.
    let text = said("plain body").replace('\0', "") + &"x".repeat(2_000);
    let plain = RequestEvent { response_body: Some(text), ..request.clone() };
    let lost = RequestEvent { response_body: None, request_body: None, failure: said("lost"), ..request.clone() };
    let console = |level: &str| {
        EventKind::Console(ConsoleMessage {
            level: level.to_owned(),
            text: said("message"),
            url: said("https://shop.test/a.js"),
            line: 3,
            stack: format!("{}\n{}", said("f https://shop.test/a.js:1"), said("g https://shop.test/a.js:2")),
        })
    };
    let kinds = vec![
        console("error"),
        console("log"),
        EventKind::Request(Box::new(request)),
        EventKind::Request(Box::new(plain)),
        EventKind::Request(Box::new(lost)),
        EventKind::Dialog(DialogEvent {
            kind: DialogKind::Prompt,
            message: said("Sure?"),
            accepted: Some(true),
            typed: said("typed"),
        }),
        EventKind::Tab(TabEvent { what: "opened".to_owned(), url: said("https://shop.test"), title: said("Tab") }),
        EventKind::Download(DownloadEvent {
            url: said("https://shop.test/d"),
            file_name: said("d.csv"),
            bytes: 3,
            state: "completed".to_owned(),
        }),
    ];
    (0..).zip(kinds).map(|(position, kind)| Event { position, step: 0, tab: 0, at_ms: position * 10, kind }).collect()
}

/// A source that says only what hides something, and refuses every other action.
struct Hostile {
    hidden: String,
    page: Arc<Page>,
    events: Vec<Event>,
    acts: u32,
    has_dialog: bool,
}

impl PageSource for Hostile {
    fn step(&self) -> StepIndex {
        StepIndex(self.acts)
    }

    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        Ok((Arc::clone(&self.page), Arc::new(Capture::default())))
    }

    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError> {
        let later = |event: &&Event| after.is_none_or(|after| event.position > after) && filter.passes(event);
        Ok(self.events.iter().filter(later).take(limit).map(|event| filter.parts.of(event)).collect())
    }

    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError> {
        let found = self.events(filter, after, usize::MAX)?;
        Ok(EventTally { count: found.len() as u64, last: found.last().map(|event| event.position) })
    }

    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError> {
        let EventKind::Request(request) = &self.events[position as usize].kind else { return Ok(None) };
        let body = match side {
            BodySide::Request => &request.request_body,
            BodySide::Response => &request.response_body,
        };
        Ok(body
            .as_ref()
            .map(|body| BodyHead { head: body.as_bytes()[..limit.min(body.len())].to_vec(), bytes: body.len() as u64 }))
    }

    fn identity(&self) -> SourceId {
        SourceId::Live([7; 16])
    }

    fn now_ms(&mut self) -> Result<u64, SourceError> {
        Ok(1_000)
    }

    fn tabs(&mut self) -> Result<Vec<u32>, SourceError> {
        Ok(vec![0])
    }

    fn page_of(&mut self, tab: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if tab == 0 { self.page() } else { Err(SourceError::NotAvailable { what: self.hidden.clone() }) }
    }

    fn crop(&mut self, _: BoxInDocument) -> Result<CaptureImage, SourceError> {
        Err(SourceError::NotAvailable { what: format!("a crop{}", self.hidden) })
    }
}

impl Source for Hostile {
    fn pages(&mut self) -> &mut dyn PageSource {
        self
    }

    fn is_live(&self) -> bool {
        false
    }

    fn evaluate(&mut self, expression: &str) -> Result<Value, ToolError> {
        Ok(json!({ format!("name{}", self.hidden): format!("{expression}{}", self.hidden) }))
    }

    fn dialog(&mut self) -> Option<String> {
        self.has_dialog.then(|| format!("Sure?{}", self.hidden))
    }

    fn open_tab(&mut self, url: &str) -> Result<(), Undone> {
        Err(Undone::Other(ToolError::Internal(format!("{url}{}", self.hidden))))
    }

    fn tabs(&mut self) -> Result<Vec<TabLine>, ToolError> {
        let line = |index| TabLine { index, url: format!("https://shop.test/{}", self.hidden), is_current: index == 0 };
        Ok(vec![line(0), line(1)])
    }

    fn picture(&mut self, _: Option<NodeKey>) -> Result<CaptureImage, ToolError> {
        Err(ToolError::NotThere { message: format!("no picture{}", self.hidden), hint: "ask for something else" })
    }

    fn act(&mut self, act: &Act) -> Result<(), Undone> {
        self.acts += 1;
        self.has_dialog = self.acts.is_multiple_of(7);
        let reason = format!("covered by \"{}\"", self.hidden);
        match (self.acts % 3, act.node) {
            (1, Some(key)) => Err(ActError::NotActionable { key, reason }.into()),
            (1, None) => Err(ActError::Source(SourceError::Gone { reason }).into()),
            (2, _) => {
                let cause = Box::<dyn std::error::Error + Send + Sync>::from(reason.clone());
                Err(ActError::Source(SourceError::Failed { context: reason, cause }).into())
            }
            _ => {
                self.page = Arc::new(page(&self.hidden, self.acts));
                let position = self.events.len() as u64;
                let again = Event { position, ..self.events[0].clone() };
                self.events.push(again);
                Ok(())
            }
        }
    }
}

struct HostileOpener(String);

impl Opener for HostileOpener {
    fn is_live(&self) -> bool {
        false
    }

    fn open(&self, _: Option<&str>) -> Result<Option<Box<dyn Source>>, ToolError> {
        let hidden = self.0.clone();
        let (page, events) = (Arc::new(page(&hidden, 0)), events(&hidden));
        Ok(Some(Box::new(Hostile { page, events, hidden, acts: 0, has_dialog: false })))
    }
}

/// Knowledge of a text that hides something in all that it names.
fn knowledge(hidden: &str, folder: &std::path::Path) -> PathBuf {
    let mut knowledge = Knowledge::new("default");
    let text = format!(
        "# Shop {hidden}\n\n## How to {hidden} order\n\n1. Go to https://shop.test/cart{hidden}\n2. Click the \
            \"Buy{hidden} now\" button\n3. Type \"abc{hidden}\" into \"Name{hidden}\"\n\n## Cart{hidden} page\n\nIt \
            shows {hidden} things.\n"
    );
    let document = Document { name: format!("guide{hidden}.md"), website_id: "shop".into(), text, content_type: None };
    ingest(&mut knowledge, &document);
    let path = folder.join("knowledge.sqlite");
    Store::open(&path).expect("opens").save(&knowledge).expect("saved");
    path
}

pub(super) fn shared(hidden: &str, folder: &std::path::Path) -> Arc<Shared> {
    let mut shared =
        common::shared(Box::new(HostileOpener(hidden.to_owned())), Policy { evaluate: true, ..Policy::default() });
    shared.knowledge = KnowledgeBase::new(Some(knowledge(hidden, folder)));
    shared.cursor_key = CursorKey::new(b"test");
    Arc::new(shared)
}
