//! Names that the markup gives by itself: labels, legends, captions, alternative texts.

use super::{Names, Turn, Use};
use crate::dom::Id;
use browserlens_core::page::js_trim;

impl<'r, 'd, 'a> Names<'r, 'd, 'a> {
    /// What HTML says about the name of its elements.
    pub(super) fn ask_native(&mut self, element: Id, used: Use) -> Option<Turn> {
        let dom = self.aria.dom;
        let tag = dom.tag(element);
        let labelled = self.labelled_by(element).is_some();
        match tag {
            "input" => {
                let kind = self.aria.input_type(element);
                match kind.as_str() {
                    "button" | "submit" | "reset" => {
                        self.visit(element);
                        let value = self.aria.live_value(element);
                        let text = match kind.as_str() {
                            _ if !js_trim(value).is_empty() => value,
                            "submit" => "Submit",
                            "reset" => "Reset",
                            _ => self.attribute(element, "title"),
                        };
                        Some(self.own(element, text))
                    }
                    "file" | "image" => {
                        self.visit(element);
                        let labels = self.ask_labels(element).filter(|_| used.labelled_by.is_none());
                        if labels.is_some() {
                            return labels;
                        }
                        if kind == "file" {
                            return Some(self.own(element, "Choose File"));
                        }
                        let mut texts = ["alt", "title"].into_iter().map(|name| self.attribute(element, name));
                        let text = texts.find(|text| !js_trim(text).is_empty());
                        Some(self.own(element, text.unwrap_or("Submit")))
                    }
                    _ if labelled => None,
                    "text" | "password" | "number" | "search" | "tel" | "email" | "url" => {
                        Some(self.ask_field(element, true))
                    }
                    _ => Some(self.ask_field(element, false)),
                }
            }
            "button" if !labelled => {
                // Without labels the content gives the name.
                self.visit(element);
                self.ask_labels(element)
            }
            "output" if !labelled => {
                self.visit(element);
                Some(self.ask_labels(element).unwrap_or_else(|| self.title(element)))
            }
            "textarea" | "select" | "meter" | "progress" if !labelled => {
                Some(self.ask_field(element, tag == "textarea"))
            }
            "fieldset" | "figure" if !labelled => {
                self.visit(element);
                let child = if tag == "figure" { "figcaption" } else { "legend" };
                Some(self.ask_child(element, child, used, false).unwrap_or_else(|| self.title(element)))
            }
            "img" | "area" => {
                self.visit(element);
                let alternative = self.attribute(element, "alt");
                let is_blank = js_trim(alternative).is_empty();
                Some(if is_blank { self.title(element) } else { self.own(element, alternative) })
            }
            "table" => {
                self.visit(element);
                let caption = self.ask_child(element, "caption", used, false);
                let summary = self.attribute(element, "summary");
                caption.or_else(|| (!summary.is_empty()).then(|| self.own(element, summary)))
            }
            _ => {
                if tag != "svg" && !self.aria.is_in_svg(element) {
                    return None;
                }
                self.visit(element);
                self.ask_child(element, "title", used, true)
            }
        }
    }

    fn ask_field(&mut self, element: Id, placeholder: bool) -> Turn {
        self.visit(element);
        if let Some(labels) = self.ask_labels(element) {
            return labels;
        }
        let title = self.attribute(element, "title");
        let text = if placeholder && title.is_empty() { self.attribute(element, "placeholder") } else { title };
        self.own(element, text)
    }

    fn title(&mut self, element: Id) -> Turn {
        self.own(element, self.attribute(element, "title"))
    }

    fn ask_child(&mut self, element: Id, tag: &str, used: Use, labelled: bool) -> Option<Turn> {
        let dom = self.aria.dom;
        let child = dom.children(element).find(|child| dom.tag(*child) == tag)?;
        let hidden = Some(self.aria.is_hidden(child));
        let below = used.below();
        let inner = if labelled { Use { labelled_by: hidden, ..below } } else { Use { native: hidden, ..below } };
        Some(Turn::Ask(child, inner))
    }
}
