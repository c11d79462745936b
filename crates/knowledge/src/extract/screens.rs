//! Screens of grouped pages: names, patterns, signatures, regions, forms.
//!
//! In: recordings. Out: screens in a [`Knowledge`], and which screen each step shows. Invariant: a
//! screen is a function of its pages and of the names on the other screens of its website.

use super::group::{Group, group};
use super::ids;
use super::recording::{Recording, host_of};
use super::signature::{Elsewhere, Key, names, signature};
use super::urls::{Parts, QueryNeeds, looks_like_id, patterns};
use super::view::{Element, ElementKind, Field, PageView, Part, Zone, without_numbers};
use crate::model::{
    ContentType, Form, FormField, Knowledge, Metadata, Provenance, Region, ScreenDefinition, ScreenId, WebsiteId,
};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// Screens by position of the recording and of the step in it.
pub(crate) type Placed = BTreeMap<(usize, usize), ScreenId>;

/// URLs that a screen keeps as examples.
const MAX_EXAMPLES: usize = 16;
/// URLs of another screen that are tried against a pattern.
const MAX_TRIED: usize = 4;

/// Where a view was seen.
#[derive(Clone, Copy)]
struct At {
    recording: usize,
    position: usize,
}

/// Adds the screens of all recordings.
pub(crate) fn add(knowledge: &mut Knowledge, recordings: &[&Recording]) -> Placed {
    let names = names_of_hosts(recordings);
    let mut by_website: BTreeMap<WebsiteId, Vec<At>> = BTreeMap::new();
    for (recording, read) in recordings.iter().enumerate() {
        for (position, seen) in read.steps.iter().enumerate() {
            let website = website_of(&seen.view.url, read, &names);
            by_website.entry(website).or_default().push(At { recording, position });
        }
    }
    let mut placed = Placed::new();
    for (website, places) in &by_website {
        let mut site = Site::new(website, recordings, places.clone());
        site.add(knowledge, &mut placed);
    }
    placed
}

/// Returns what recordings that begin at a host call its website; none where they disagree.
fn names_of_hosts<'r>(recordings: &[&'r Recording]) -> BTreeMap<&'r str, Option<&'r WebsiteId>> {
    let mut names = BTreeMap::new();
    for recording in recordings {
        let Some(host) = recording.home.as_deref() else { continue };
        let name = names.entry(host).or_insert(Some(&recording.website_id));
        *name = name.filter(|name| **name == recording.website_id);
    }
    names
}

/// Returns the website of a page: that of the recording at the host where it begins and without a
/// host, else what others call the host, else the host.
fn website_of(url: &str, recording: &Recording, names: &BTreeMap<&str, Option<&WebsiteId>>) -> WebsiteId {
    match host_of(url) {
        Some(host) if recording.home.as_ref() != Some(&host) => {
            names.get(host.as_str()).copied().flatten().cloned().unwrap_or(WebsiteId(host))
        }
        _ => recording.website_id.clone(),
    }
}

struct Site<'r> {
    website: &'r WebsiteId,
    recordings: &'r [&'r Recording],
    places: Vec<At>,
    views: Vec<&'r PageView>,
    groups: Vec<Group>,
}

impl<'r> Site<'r> {
    fn new(website: &'r WebsiteId, recordings: &'r [&'r Recording], places: Vec<At>) -> Self {
        let views: Vec<&PageView> = places.iter().map(|at| &recordings[at.recording].steps[at.position].view).collect();
        let groups = group(&views);
        Self { website, recordings, places, views, groups }
    }

    fn add(&mut self, knowledge: &mut Knowledge, placed: &mut Placed) {
        let members: Vec<Vec<&PageView>> =
            self.groups.iter().map(|group| group.members.iter().map(|at| self.views[*at]).collect()).collect();
        let patterns: Vec<Vec<String>> =
            (0..members.len()).map(|at| patterns(&urls_of(&members[at]), &self.needs(at, &members))).collect();
        let tries: Vec<Vec<&str>> = members.iter().map(|views| tried(views)).collect();
        let names: Vec<BTreeSet<Key>> = members.iter().map(|views| names(views)).collect();
        let compiled: Vec<Vec<Regex>> = patterns
            .iter()
            .map(|patterns| patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect())
            .collect();
        let matches = |one: usize, other: usize| {
            tries[other].iter().any(|url| compiled[one].iter().any(|pattern| pattern.is_match(url)))
        };
        let mut screens: Vec<ScreenDefinition> = Vec::with_capacity(members.len());
        for at in 0..members.len() {
            let mut elsewhere = Elsewhere::default();
            for other in (0..members.len()).filter(|other| *other != at) {
                // A screen with the more specific pattern wins at its URL whatever else is there.
                elsewhere.add(&names[other], matches(at, other) && matches(other, at));
            }
            screens.push(self.screen(at, &members[at], &patterns[at], &elsewhere));
        }
        // Two screens that are told by the same things differ in how they are built, which their
        // hash then holds too.
        let mut taken: BTreeSet<ScreenId> = BTreeSet::new();
        for (at, screen) in screens.iter_mut().enumerate() {
            if !taken.insert(screen.screen_id.clone()) {
                let built = format!("{:?}", members[at][0].skeleton);
                let tabs = format!("{} {:?}", screen.screen_id, members[at][0].fields);
                screen.screen_id = ScreenId(ids::id(&screen.name, &[&built, &tabs]));
                taken.insert(screen.screen_id.clone());
            }
        }
        for (at, group) in self.groups.iter().enumerate() {
            screens[at].parent_screen_id = group.parent.map(|parent| screens[parent].screen_id.clone());
            for member in &group.members {
                let place = self.places[*member];
                placed.insert((place.recording, place.position), screens[at].screen_id.clone());
            }
        }
        for mut screen in screens {
            screen.knowledge_id = knowledge.knowledge_id.clone();
            knowledge.screens.insert(screen.screen_id.clone(), screen);
        }
    }

    /// Returns what has to stand in the query, since another screen has the same path.
    fn needs(&self, at: usize, members: &[Vec<&PageView>]) -> QueryNeeds {
        let of = |views: &[&PageView]| -> Vec<Parts> { views.iter().filter_map(|view| Parts::of(&view.url)).collect() };
        let own = of(&members[at]);
        let paths: BTreeSet<String> = own.iter().map(Parts::path).collect();
        let others: Vec<Parts> = (0..members.len())
            .filter(|other| *other != at && !self.related(at, *other))
            .flat_map(|other| of(&members[other]))
            .filter(|parts| paths.contains(&parts.path()))
            .collect();
        let Some(first) = own.first().filter(|_| !others.is_empty()) else { return QueryNeeds::new() };
        for (key, value) in &first.query {
            if !own.iter().all(|parts| parts.query.contains_key(key)) {
                continue;
            }
            if others.iter().all(|parts| !parts.query.contains_key(key)) {
                return QueryNeeds::from([(key.clone(), None)]);
            }
            let same = own.iter().all(|parts| parts.query.get(key) == Some(value));
            if same && others.iter().all(|parts| parts.query.get(key) != Some(value)) {
                return QueryNeeds::from([(key.clone(), Some(value.clone()))]);
            }
        }
        QueryNeeds::new()
    }

    /// Returns whether one group is a state of the other, or both are of a third: they have their
    /// URLs in common.
    fn related(&self, one: usize, other: usize) -> bool {
        let (first, second) = (self.groups[one].parent, self.groups[other].parent);
        first == Some(other) || second == Some(one) || (first.is_some() && first == second)
    }

    fn screen(&self, at: usize, views: &[&PageView], patterns: &[String], elsewhere: &Elsewhere) -> ScreenDefinition {
        let name = name_of(views);
        let dialog = views[0].dialog.as_ref().map(|dialog| without_numbers(&dialog.name)).unwrap_or_default();
        let tabs = views[0].selected_tabs.iter().map(|tab| without_numbers(tab)).collect::<Vec<_>>().join("\n");
        let joined = patterns.join("\n");
        let mut provenance: Vec<Provenance> = Vec::new();
        let mut example_urls: BTreeSet<String> = BTreeSet::new();
        for member in &self.groups[at].members {
            let place = self.places[*member];
            let recording = self.recordings[place.recording];
            let seen = &recording.steps[place.position];
            provenance.push(recording.provenance(seen));
            // A URL with a secret in it leads nowhere once the secret is replaced.
            if recording.without_secrets(&seen.view.url) == seen.view.url {
                example_urls.insert(seen.view.url.clone());
            }
        }
        provenance.sort();
        provenance.dedup();
        let signature = signature(views, elsewhere, patterns);
        let controls = views.iter().map(|view| view.elements.len() + view.fields.len()).max().unwrap_or(0);
        let reasoning = format!("a browser showed it, with {controls} named elements");
        ScreenDefinition {
            screen_id: ScreenId(ids::id(&name, &[self.website.as_str(), &dialog, &tabs, &joined])),
            website_id: self.website.clone(),
            description: describe(views, patterns),
            // What a browser showed is a screen; without a URL nothing leads there.
            content_type: ContentType::WebUi,
            is_actionable: !patterns.is_empty(),
            url_patterns: patterns.to_vec(),
            example_urls: example_urls.into_iter().take(MAX_EXAMPLES).collect(),
            state_signature: signature,
            regions: regions(views),
            forms: forms(views, &self.prefilled(at)),
            provenance,
            metadata: Metadata { reasoning, ..Metadata::default() },
            name,
            ..ScreenDefinition::default()
        }
    }
}

/// How a field is named on all pages of a screen: role and name.
type FieldKey<'v> = (&'v str, &'v str);

impl Field {
    fn named(&self) -> FieldKey<'_> {
        (&self.own.role, &self.own.name)
    }
}

impl<'r> Site<'r> {
    /// Returns the fields of a screen that a page had filled: they have a value, and nothing was
    /// done to them before in that recording.
    fn prefilled(&self, at: usize) -> BTreeSet<FieldKey<'r>> {
        let mut found = BTreeSet::new();
        for member in &self.groups[at].members {
            let place = self.places[*member];
            let steps = &self.recordings[place.recording].steps[..=place.position];
            let is_touched = |field: &Field| {
                steps.iter().filter_map(|step| step.done.as_ref()).any(|done| {
                    let is_named = done.target.as_ref().is_some_and(|target| target.is_called(&field.own.name));
                    is_named || done.selector.is_some() && done.selector == field.own.selector
                })
            };
            for form in &self.views[*member].forms {
                // Of radio buttons that exclude each other one may be chosen.
                let group = |field: &Field| (field.own.role == "radio").then(|| field.key.clone());
                let of_group = |field: &Field| -> Vec<&Field> {
                    let is_one = |other: &&Field| group(field).map_or(*other == field, |key| group(other) == Some(key));
                    form.fields.iter().filter(is_one).collect()
                };
                for field in &form.fields {
                    let all = of_group(field);
                    if all.iter().any(|one| one.filled) && !all.iter().any(|one| is_touched(one)) {
                        found.insert(field.named());
                    }
                }
            }
        }
        found
    }
}

fn urls_of(views: &[&PageView]) -> BTreeSet<(String, String)> {
    views.iter().map(|view| (view.url.clone(), view.lang.clone())).collect()
}

fn tried<'v>(views: &[&'v PageView]) -> Vec<&'v str> {
    let urls: BTreeSet<&str> = views.iter().map(|view| view.url.as_str()).collect();
    urls.into_iter().take(MAX_TRIED).collect()
}

/// Separators between what a title says of the page and what it says of the site.
const TITLE_SEPARATORS: [&str; 6] = [" | ", " – ", " — ", " - ", " · ", " :: "];

/// Returns a name that fits every page of the screen.
fn name_of(views: &[&PageView]) -> String {
    if let Some(dialog) = &views[0].dialog {
        let names = views.iter().filter_map(|view| view.dialog.as_ref()).map(|dialog| without_numbers(&dialog.name));
        let name = common(names).unwrap_or_else(|| without_numbers(&dialog.name));
        return format!("Dialog: {}", if name.is_empty() { "without a name" } else { &name });
    }
    let heading = |view: &PageView| {
        let is_title =
            |it: &&Element| it.kind == ElementKind::Heading && it.level == 1 && it.zone == Zone::Main && !it.in_dialog;
        view.elements.iter().find(is_title).map(|it| it.name.clone()).unwrap_or_default()
    };
    let title = |view: &PageView| {
        let cuts = TITLE_SEPARATORS.iter().filter_map(|separator| view.title.split_once(separator));
        cuts.min_by_key(|cut| cut.0.len()).map_or(view.title.clone(), |(page, _)| page.to_owned())
    };
    let parts: Vec<Parts> = views.iter().filter_map(|view| Parts::of(&view.url)).collect();
    let by_url = || {
        let words = parts.iter().map(|parts| {
            let word = parts.segments.iter().rfind(|segment| *segment != "#" && !looks_like_id(segment));
            word.map(|word| word.rsplit_once('.').map_or(word.as_str(), |(name, _)| name).to_owned())
                .unwrap_or_default()
        });
        common(words).map(|word| capital(&word))
    };
    let by_heading = || common(views.iter().map(|view| heading(view)));
    let by_title = || common(views.iter().map(|view| title(view)));
    // At a URL that names one thing among many, the heading names that thing and not the screen.
    let one_of_many = parts.iter().any(|parts| parts.values().next().is_some())
        && !parts.iter().all(|parts| parts.segments.is_empty());
    let named = if one_of_many {
        by_url().or_else(by_heading).or_else(by_title)
    } else {
        by_heading().or_else(by_title).or_else(by_url)
    };
    let named = named.or_else(|| {
        let site = |view: &PageView| {
            let cut = TITLE_SEPARATORS.iter().find_map(|separator| view.title.rsplit_once(separator));
            cut.map(|(_, site)| format!("{site} page")).unwrap_or_default()
        };
        common(views.iter().map(|view| site(view)))
    });
    let host = || Parts::of(&views[0].url).map_or("page".to_owned(), |parts| format!("{} page", parts.host));
    let name = named.unwrap_or_else(host);
    match views[0].selected_tabs.as_slice() {
        [] => name,
        tabs => format!("{name}, {}", tabs.join(", ")),
    }
}

/// Returns the text that all are, if it is not empty.
fn common(mut texts: impl Iterator<Item = String>) -> Option<String> {
    let first = texts.next().filter(|text| !text.is_empty())?;
    texts.all(|text| text == first).then_some(first)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn describe(views: &[&PageView], patterns: &[String]) -> String {
    let urls: BTreeSet<&str> = views.iter().map(|view| view.url.as_str()).collect();
    let titles: BTreeSet<&str> =
        views.iter().map(|view| view.title.as_str()).filter(|title| !title.is_empty()).collect();
    let state = if views[0].dialog.is_some() { "An open dialog" } else { "A page" };
    let examples: Vec<String> = titles.iter().take(3).map(|title| format!("{title:?}")).collect();
    let called = if examples.is_empty() { String::new() } else { format!(", such as {}", examples.join(", ")) };
    format!("{state} seen {} times at {} URLs of {} forms{called}", views.len(), urls.len(), patterns.len())
}

/// Returns the landmarks that every page has; names that differ are left out.
fn regions(views: &[&PageView]) -> Vec<Region> {
    let is_dialog = views[0].dialog.is_some();
    let key = |part: &'_ Part| (part.role.clone(), part.name.clone());
    let keys = |view: &&PageView| -> BTreeSet<(String, String)> {
        view.parts.iter().filter(|part| part.in_dialog == is_dialog).map(key).collect()
    };
    let all: Vec<BTreeSet<(String, String)>> = views.iter().map(keys).collect();
    let is_everywhere = |wanted: &dyn Fn(&(String, String)) -> bool| all.iter().all(|parts| parts.iter().any(wanted));
    let mut regions: Vec<Region> = Vec::new();
    for (role, name) in &all[0] {
        if is_everywhere(&|part| part.0 == *role && part.1 == *name) {
            let known =
                views.iter().filter_map(|view| view.parts.iter().find(|it| it.role == *role && it.name == *name));
            let selector = known.map(|part| part.selector.clone()).find(Option::is_some).flatten();
            regions.push(Region { role: role.clone(), name: name.clone(), selector });
        }
    }
    for (role, _) in &all[0] {
        if !regions.iter().any(|region| region.role == *role) && is_everywhere(&|part| part.0 == *role) {
            regions.push(Region { role: role.clone(), name: String::new(), selector: None });
        }
    }
    regions.sort();
    regions
}

/// Returns the forms of all pages, each once, by the fields in it.
fn forms(views: &[&PageView], prefilled: &BTreeSet<FieldKey<'_>>) -> Vec<Form> {
    let is_dialog = views[0].dialog.is_some();
    let known = |field: &Field| FormField { prefilled: prefilled.contains(&field.named()), ..field.own.clone() };
    let mut forms: BTreeMap<Vec<String>, Form> = BTreeMap::new();
    for view in views {
        for form in view.forms.iter().filter(|form| form.in_dialog == is_dialog) {
            let key: BTreeSet<String> =
                form.fields.iter().map(|field| format!("{}:{}", field.own.role, field.key)).collect();
            forms.entry(key.into_iter().collect()).or_insert_with(|| Form {
                name: form.name.clone(),
                selector: form.selector.clone(),
                fields: form.fields.iter().map(known).collect(),
                submit: form.submit.clone(),
            });
        }
    }
    forms.into_values().collect()
}
