//! sonic-rs: members whose values are lazy, found with SIMD.

use codexpipe_rivals::{run, Json, Members};
use sonic_rs::{to_array_iter, to_object_iter, LazyValue};

struct Sonic;

/// Returns the text of a value, as a slice of the whole text.
fn text_of<'a>(value: &LazyValue<'a>, whole: &'a str) -> &'a str {
    let raw = value.as_raw_str();
    let start = raw.as_ptr() as usize - whole.as_ptr() as usize;
    &whole[start..start + raw.len()]
}

impl Json for Sonic {
    fn members<'a>(text: &'a str, members: &mut Members<'a>) -> bool {
        for pair in to_object_iter(text) {
            let Ok((_, value)) = pair else { return false };
            let value = text_of(&value, text);
            // The name is before the colon; it has no escapes.
            let before = &text[..value.as_ptr() as usize - text.as_ptr() as usize];
            let end = before.rfind('"').unwrap_or(0);
            let start = before[..end].rfind('"').map_or(0, |quote| quote + 1);
            members.push((&before[start..end], value));
        }
        true
    }

    fn elements<'a>(text: &'a str, elements: &mut Vec<&'a str>) -> bool {
        for value in to_array_iter(text) {
            let Ok(value) = value else { return false };
            elements.push(text_of(&value, text));
        }
        true
    }
}

fn main() -> std::io::Result<()> {
    run::<Sonic>()
}
