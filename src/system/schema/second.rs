//! A second reading of the text by the YAML library: whatever is accepted is YAML, and means what
//! any YAML reader takes it to mean.

use super::Source;
use super::document::{Node, Value};
use crate::system::diagnostic::Diagnostic;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The library may quote whole values: so much of its message is shown, in characters.
const MAX_MESSAGE: usize = 200;

/// Reads the text from a place on and compares it with what our reader found.
pub fn compare(source: Source, start: usize, node: &Node) -> Result<(), Diagnostic> {
    let text = &source.text[start..];
    let reading = Same(node).deserialize(serde_yaml::Deserializer::from_str(text));
    reading.map_err(|error| {
        let place = error.location().map_or(start, |place| {
            let lines = text
                .split_inclusive('\n')
                .take(place.line().saturating_sub(1));
            let line = start + lines.map(str::len).sum::<usize>();
            let rest = source.text[line..].char_indices();
            let mut columns = rest.map(|(i, _)| i).skip(place.column().saturating_sub(1));
            line + columns.next().unwrap_or(0)
        });
        let mut message = error.to_string();
        if let Some(cut) = message.find(" at line ") {
            message.truncate(cut);
        }
        let message: String = message.chars().take(MAX_MESSAGE).collect();
        source
            .error(
                place..place + 1,
                format!("this cannot be read as YAML: {message}"),
            )
            .with_help("write it in a plainer form: `key: value` lines, texts in quotes")
    })
}

/// Expects what a node holds.
struct Same<'a>(&'a Node);

impl<'de> DeserializeSeed<'de> for Same<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match &self.0.value {
            Value::Scalar(scalar) => deserializer.deserialize_str(Text(&scalar.value)),
            Value::Sequence(_) => deserializer.deserialize_seq(self),
            Value::Mapping(_) => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Same<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0.kind())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Value::Sequence(expected) = &self.0.value else {
            return Err(A::Error::custom("its lists are ambiguous"));
        };
        for item in expected {
            if items.next_element_seed(Same(item))?.is_none() {
                return Err(A::Error::custom("its lists are ambiguous"));
            }
        }
        match items.next_element::<serde::de::IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom("its lists are ambiguous")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Value::Mapping(expected) = &self.0.value else {
            return Err(A::Error::custom("its keys are ambiguous"));
        };
        for (key, value) in expected {
            if entries.next_key_seed(Name(&key.value))?.is_none() {
                return Err(A::Error::custom("its keys are ambiguous"));
            }
            entries.next_value_seed(Same(value))?;
        }
        match entries.next_key::<serde::de::IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom("its keys are ambiguous")),
        }
    }
}

/// Expects the text of a key.
struct Name<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(Text(self.0))
    }
}

/// Expects a text.
struct Text<'a>(&'a str);

impl Visitor<'_> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<(), E> {
        if found == self.0 {
            Ok(())
        } else {
            Err(E::custom("a text is written in an ambiguous way"))
        }
    }
}
