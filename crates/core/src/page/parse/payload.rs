//! The CDP payloads as serde reads them: typed, borrowed, tolerant.
//!
//! In: JSON text. Out: structs with exactly the fields that the page needs. Invariant: unknown
//! fields, properties and enum values of newer browsers are passed over; only a field of a wholly
//! different shape is an error.

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTreeResult<'a> {
    #[serde(borrow)]
    pub frame_tree: FrameTree<'a>,
    /// Frame and node that hold an out-of-process root frame.
    #[serde(borrow, default)]
    pub owner: Option<FrameOwner<'a>>,
}

#[derive(Deserialize)]
pub(super) struct FrameOwner<'a> {
    #[serde(borrow)]
    pub frame: Cow<'a, str>,
    pub node: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameTree<'a> {
    #[serde(borrow)]
    pub frame: CdpFrame<'a>,
    #[serde(borrow, default)]
    pub child_frames: Vec<FrameTree<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CdpFrame<'a> {
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub parent_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub loader_id: Cow<'a, str>,
    #[serde(borrow, default)]
    pub url: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(super) struct AxResult<'a> {
    #[serde(borrow)]
    pub nodes: Vec<AxNode<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AxNode<'a> {
    #[serde(default)]
    pub ignored: bool,
    #[serde(borrow, default)]
    pub role: AxValue<'a>,
    #[serde(borrow, default)]
    pub name: AxValue<'a>,
    #[serde(borrow, default)]
    pub description: AxValue<'a>,
    #[serde(borrow, default)]
    pub value: AxValue<'a>,
    #[serde(borrow, default)]
    pub properties: Vec<AxProperty<'a>>,
    #[serde(rename = "backendDOMNodeId", default)]
    pub backend: Option<i64>,
}

#[derive(Deserialize)]
pub(super) struct AxProperty<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub value: AxValue<'a>,
}

/// The `value` of an AXValue, if it is a plain one.
#[derive(Default)]
pub(super) enum AxValue<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Flag(bool),
    Number(f64),
}

impl<'a> AxValue<'a> {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Text(text) if text == word)
    }

    pub(super) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Text(text) => text,
            Self::Flag(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
            Self::Number(number) => Cow::Owned(format!("{number}")),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::None => false,
            Self::Text(text) => !matches!(text.as_ref(), "" | "false"),
            Self::Flag(flag) => *flag,
            Self::Number(number) => *number != 0.0,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for AxValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outer;
        impl<'de> Visitor<'de> for Outer {
            type Value = AxValue<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an AXValue object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AxValue<'de>, A::Error> {
                let mut value = AxValue::None;
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    if key == "value" {
                        value = map.next_value::<Scalar<'de>>()?.0;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(value)
            }
            fn visit_unit<E: de::Error>(self) -> Result<AxValue<'de>, E> {
                Ok(AxValue::None)
            }
        }
        deserializer.deserialize_any(Outer)
    }
}

struct Scalar<'a>(AxValue<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ScalarVisitor;
        impl<'de> Visitor<'de> for ScalarVisitor {
            type Value = Scalar<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::Flag(flag)))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::Number(number as f64)))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::Number(number as f64)))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::Number(number)))
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::Text(Cow::Borrowed(text))))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::Text(Cow::Owned(text.to_owned()))))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Scalar<'de>, E> {
                Ok(Scalar(AxValue::None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar(AxValue::None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar(AxValue::None))
            }
        }
        deserializer.deserialize_any(ScalarVisitor)
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Metrics {
    pub css_layout_viewport: LayoutViewport,
    pub css_content_size: ContentSize,
    pub css_visual_viewport: VisualViewport,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LayoutViewport {
    pub page_x: f32,
    pub page_y: f32,
    pub client_width: f32,
    pub client_height: f32,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ContentSize {
    pub width: f32,
    pub height: f32,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct VisualViewport {
    pub scale: f32,
}
