//! The rewriting of flatten.ts for records of 0.44 and later, on members whose values keep their
//! text. Older records and those of session files are copied.

use std::env;
use std::fs::File;
use std::io::{self, Read, Write};

/// The size of the blocks that are read, in bytes.
const BLOCK: usize = 1 << 20;

/// The members of an object: names, and values as text.
pub type Members<'a> = Vec<(&'a str, &'a str)>;

/// The JSON reader of a library.
pub trait Json {
    /// Reads the members of an object; false if it is not JSON.
    fn members<'a>(text: &'a str, members: &mut Members<'a>) -> bool;
    /// Reads the elements of a list; false if it is not JSON.
    fn elements<'a>(text: &'a str, elements: &mut Vec<&'a str>) -> bool;
}

/// Returns the normalized name of a payload's field.
fn renamed<'a>(item_type: &str, name: &'a str) -> Option<&'a str> {
    match (item_type, name) {
        ("agent_message" | "reasoning", "text") => Some(name),
        ("command_execution", "aggregated_output") => Some("stdout"),
        ("command_execution", "command") => Some(name),
        ("command_execution" | "file_change", "exit_code" | "stdout" | "stderr") => Some(name),
        ("file_change", "changes") => Some(name),
        ("mcp_tool_call", "server") => Some("server_name"),
        ("mcp_tool_call", "tool") => Some("tool_name"),
        ("mcp_tool_call", "arguments" | "result" | "error") => Some(name),
        ("web_search", "query" | "action" | "results") => Some(name),
        ("todo_list", "items") => Some(name),
        ("error", "message" | "code") => Some(name),
        _ => None,
    }
}

fn has_payload(item_type: &str) -> bool {
    matches!(
        item_type,
        "agent_message"
            | "reasoning"
            | "command_execution"
            | "file_change"
            | "mcp_tool_call"
            | "web_search"
            | "todo_list"
            | "error"
    )
}

fn get<'a>(members: &Members<'a>, name: &str) -> Option<&'a str> {
    members.iter().find(|(each, _)| *each == name).map(|(_, value)| *value)
}

fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or("")
}

fn member(out: &mut Vec<u8>, name: &str, value: &str) {
    if !matches!(out.last(), Some(b'{')) {
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    out.extend_from_slice(value.as_bytes());
}

/// Flattens records, one after the other.
#[derive(Default)]
pub struct Flattening {
    thread: String,
    turn: String,
    turns: usize,
}

impl Flattening {
    fn flatten<J: Json>(&mut self, line: &str, out: &mut Vec<u8>) -> bool {
        let mut members = Members::new();
        if !J::members(line, &mut members) {
            return false;
        }
        let of_type = unquoted(get(&members, "type").unwrap_or("")).to_string();
        match of_type.as_str() {
            "thread.started" => {
                self.thread = get(&members, "thread_id").unwrap_or("null").to_string();
                self.turn.clear();
                out.extend_from_slice(line.as_bytes());
            }
            "turn.started" | "turn.completed" | "turn.failed" => {
                if of_type == "turn.started" {
                    self.turns += 1;
                    self.turn = format!("\"synthetic-turn-{}\"", self.turns);
                }
                out.push(b'{');
                self.ids(out, &of_type);
                for (name, value) in &members {
                    if *name != "type" {
                        member(out, name, value);
                    }
                }
                out.push(b'}');
                if of_type != "turn.started" {
                    self.turn.clear();
                }
            }
            "item.started" | "item.completed" | "item.updated" => {
                let mut item = Members::new();
                if !J::members(get(&members, "item").unwrap_or(""), &mut item) {
                    return false;
                }
                return self.item::<J>(&of_type, &item, out);
            }
            _ => out.extend_from_slice(line.as_bytes()),
        }
        true
    }

    fn ids(&self, out: &mut Vec<u8>, of_type: &str) {
        out.extend_from_slice(b"\"type\":\"");
        out.extend_from_slice(of_type.as_bytes());
        out.push(b'"');
        member(out, "thread_id", &self.thread);
        if !self.turn.is_empty() {
            member(out, "turn_id", &self.turn);
        }
    }

    fn item<J: Json>(&self, of_type: &str, item: &Members, out: &mut Vec<u8>) -> bool {
        let is_delta = of_type == "item.updated";
        let item_type = get(item, "type").unwrap_or("\"\"");
        let kind = unquoted(item_type);
        out.push(b'{');
        self.ids(out, if is_delta { "item.delta" } else { of_type });
        member(out, "item_id", get(item, "id").unwrap_or("null"));
        match get(item, "status") {
            Some(status) => member(out, "status", status),
            None if of_type == "item.started" => member(out, "status", "\"in_progress\""),
            None if of_type == "item.completed" => member(out, "status", "\"completed\""),
            None => (),
        }
        member(out, "item_type", item_type);
        if is_delta {
            member(out, "snapshot", "true");
        }
        if has_payload(kind) {
            member(out, if is_delta { "delta" } else { "content" }, "{");
            for (name, value) in item {
                let Some(to) = renamed(kind, name) else { continue };
                if *value == "null" {
                    continue;
                }
                if kind != "todo_list" {
                    member(out, to, value);
                } else if !todos::<J>(value, out) {
                    return false;
                }
            }
            out.push(b'}');
        }
        for (name, value) in item {
            let is_placed = matches!(*name, "type" | "id" | "status");
            if !is_placed && renamed(kind, name).is_none() {
                member(out, name, value);
            }
        }
        out.push(b'}');
        true
    }
}

/// Writes the steps of a plan, with `text` renamed to `title`.
fn todos<J: Json>(list: &str, out: &mut Vec<u8>) -> bool {
    let mut steps = Vec::new();
    let mut members = Members::new();
    if !J::elements(list, &mut steps) {
        return false;
    }
    member(out, "items", "[");
    for (i, step) in steps.into_iter().enumerate() {
        members.clear();
        if !J::members(step, &mut members) {
            return false;
        }
        if i > 0 {
            out.push(b',');
        }
        out.push(b'{');
        member(out, "title", get(&members, "text").unwrap_or("null"));
        member(out, "completed", get(&members, "completed").unwrap_or("false"));
        for (name, value) in &members {
            if !matches!(*name, "text" | "completed") {
                member(out, name, value);
            }
        }
        out.push(b'}');
    }
    out.push(b']');
    true
}

/// Rewrites the file of the first argument, block by block, to stdout.
pub fn run<J: Json>() -> io::Result<()> {
    let path = env::args().nth(1).unwrap_or_default();
    let mut file = File::open(path)?;
    let mut stdout = io::stdout().lock();
    let mut flattening = Flattening::default();
    let mut block = vec![0; BLOCK];
    let mut out = Vec::with_capacity(2 * BLOCK);
    let mut kept = 0;
    loop {
        if kept == block.len() {
            block.resize(2 * kept, 0);
        }
        let size = file.read(&mut block[kept..])?;
        let filled = kept + size;
        let end = match block[..filled].iter().rposition(|byte| *byte == b'\n') {
            Some(last) if size > 0 => last + 1,
            _ if size > 0 => 0,
            _ => filled,
        };
        let text = std::str::from_utf8(&block[..end])
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        for line in text.lines() {
            if !flattening.flatten::<J>(line, &mut out) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            out.push(b'\n');
        }
        stdout.write_all(&out)?;
        out.clear();
        if size == 0 {
            return Ok(());
        }
        block.copy_within(end..filled, 0);
        kept = filled - end;
    }
}
