//! serde_json: members whose values are `RawValue`s.

use codexpipe_rivals::{run, Json, Members};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

struct Serde;

/// The members of an object, in order; their names have no escapes.
struct Pairs<'a>(Vec<(&'a str, &'a RawValue)>);

struct PairsVisitor;

impl<'a> Visitor<'a> for PairsVisitor {
    type Value = Pairs<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

impl<'a> Deserialize<'a> for Pairs<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

impl Json for Serde {
    fn members<'a>(text: &'a str, members: &mut Members<'a>) -> bool {
        let Ok(Pairs(pairs)) = serde_json::from_str(text) else { return false };
        members.extend(pairs.into_iter().map(|(name, value)| (name, value.get())));
        true
    }

    fn elements<'a>(text: &'a str, elements: &mut Vec<&'a str>) -> bool {
        let Ok(values) = serde_json::from_str::<Vec<&RawValue>>(text) else { return false };
        elements.extend(values.into_iter().map(RawValue::get));
        true
    }
}

fn main() -> std::io::Result<()> {
    run::<Serde>()
}
