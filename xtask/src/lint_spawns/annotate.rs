//! Writes markers into the bytes of a file, where they cover their hits and change no syntax tree. Bytes in, bytes out.
//!
//! All other bytes stay: a byte order mark, what is not UTF-8, every line break.

use std::sync::LazyLock;

use anyhow::{Result, bail};
use regex::Regex;

use super::policy::Markers;
use super::python::comment::Layout;
use super::python::physical::{LineEnd, PhysicalLine, physical_lines};
use super::source;
use crate::output::hides;

/// Lines do not get longer, in characters, where there is another place.
const WIDEST: usize = 100;

/// Why hits are accepted, in a line of plain text that says something.
#[derive(Debug, Clone, Copy)]
pub struct Reason<'a>(&'a str);

impl<'a> Reason<'a> {
    pub fn new(text: &'a str) -> Result<Reason<'a>> {
        if text.contains(hides) {
            bail!("the reason holds a line break or another control character; write it in plain text");
        }
        let text = text.trim();
        if text.chars().all(|c| c.is_whitespace() || matches!(c, '-' | '–' | '—')) {
            bail!("the reason says nothing; say why the child may outlive its owner");
        }
        Ok(Reason(text))
    }
}

/// The markers to write.
#[derive(Debug, Clone, Copy)]
pub struct Note<'a> {
    marker: &'a str,
    reason: &'a str,
    markers: Markers,
}

impl<'a> Note<'a> {
    /// `marker` and `markers` are the policy's. Fails if no comment can hold the two.
    pub fn new(marker: &'a str, reason: Reason<'a>, markers: Markers) -> Result<Note<'a>> {
        if marker.contains(hides) {
            bail!("the policy's `marker` holds a control character; write it in plain text");
        }
        Ok(Note { marker, reason: reason.0, markers })
    }

    /// The comment for a file in that encoding; or why there is none.
    fn comment(self, encoding: Encoding) -> Result<String, &'static str> {
        let Note { marker, reason, .. } = self;
        match encoding {
            Encoding::Utf8 => Ok(format!("# {marker} — {reason}")),
            Encoding::Other if marker.is_ascii() && reason.is_ascii() => Ok(format!("# {marker} - {reason}")),
            Encoding::Other => Err("the file is not in UTF-8, and the marker is not in ASCII"),
            Encoding::Unknown => Err("it is not known how to write ASCII in the file's encoding"),
        }
    }
}

/// A file with its new markers.
#[derive(Debug, PartialEq, Eq)]
pub struct Annotated {
    pub bytes: Vec<u8>,
    /// The lines that they are on, from 1, in order.
    pub added: Vec<usize>,
    /// The hits that got none, in order.
    pub left: Vec<Left>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Left {
    /// From 1, as it was before.
    pub line: usize,
    /// As it is with the markers above it.
    pub line_now: usize,
    pub why: String,
}

/// A marker for somebody to write.
#[derive(Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The line, from 1, behind which it stands, or above which.
    pub line: usize,
    pub trailing: bool,
    pub comment: String,
}

/// The marker for each of the lines `hits` alone, in their order; or why there is none. The lines are numbers from 1, in
/// order, that no marker covers.
pub fn propose(bytes: &[u8], hits: &[usize], note: Note) -> Vec<Result<Proposal, String>> {
    let proposals = on_page(bytes, hits, note, |page| {
        let propose = |hit: &usize| {
            let Place { line, trailing } = page.place(hit - 1)?;
            Ok(Proposal { line: line + 1, trailing, comment: page.comment.to_owned() })
        };
        hits.iter().map(propose).collect()
    });
    proposals.unwrap_or_else(|why| hits.iter().map(|_| Err(why.to_owned())).collect())
}

/// Marks the lines `hits`. Of `others`, which are hits too, no one is marked along with them if that can be helped. Both
/// are numbers from 1, in order, of lines that no marker covers.
pub fn annotate(bytes: &[u8], hits: &[usize], others: &[usize], note: Note) -> Annotated {
    let annotated = on_page(bytes, others, note, |page| annotate_page(bytes, hits, page));
    annotated.unwrap_or_else(|why| Annotated {
        bytes: bytes.to_vec(),
        added: Vec::new(),
        left: hits.iter().map(|&line| Left { line, line_now: line, why: why.to_owned() }).collect(),
    })
}

fn annotate_page(bytes: &[u8], hits: &[usize], page: &Page) -> Annotated {
    let mut places: Vec<Place> = Vec::new();
    let mut left = Vec::new();
    for &line in hits {
        let last = places.last().copied();
        if last.is_some_and(|last| page.is_meant_for(last, line - 1)) {
            continue;
        }
        match page.place(line - 1) {
            Ok(place) => places.push(place),
            Err(_) if last.is_some_and(|last| page.leaks_to(last, line - 1)) => {}
            Err(why) => {
                let new_lines = places.iter().filter(|place| !place.trailing).count();
                left.push(Left { line, line_now: line + new_lines, why });
            }
        }
    }
    let (bytes, added) = write(bytes, page.comment, &places);
    Annotated { bytes, added, left }
}

/// Where a new marker stands: behind a line, or on a line of its own above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// An index of the lines as they were.
    line: usize,
    trailing: bool,
}

/// Of which the lines are told by their indexes.
struct Page<'p> {
    text: &'p str,
    lines: &'p [PhysicalLine],
    layout: Layout,
    others: &'p [usize],
    comment: &'p str,
    markers: Markers,
}

/// What `make` makes of the file's text; or why no marker can be written into it.
fn on_page<T>(bytes: &[u8], others: &[usize], note: Note, make: impl FnOnce(&Page) -> T) -> Result<T, &'static str> {
    let text = source::decode(bytes);
    let lines = physical_lines(&text)
        .ok_or("a string in the file has no end, so that it is not known where a comment can stand")?;
    let comment = note.comment(encoding(bytes, &text))?;
    let layout = Layout::new(&text);
    let page = Page { text: &text, lines: &lines, layout, others, comment: &comment, markers: note.markers };
    Ok(make(&page))
}

impl Page<'_> {
    /// Whether the last marker is for that hit too. One that leaks to it from another statement is not: it would go
    /// when that statement goes.
    fn is_meant_for(&self, last: Place, hit: usize) -> bool {
        let same_statement = self.first_line(last.line) == self.first_line(hit);
        same_statement && (self.markers == Markers::Statement || self.leaks_to(last, hit))
    }

    /// Of the statement that a line is part of.
    fn first_line(&self, line: usize) -> usize {
        let start = self.lines[line].range.start;
        let Some(statement) = self.layout.statement_at(start) else { return line };
        self.lines.partition_point(|line| line.range.end < statement.start)
    }

    fn leaks_to(&self, last: Place, hit: usize) -> bool {
        self.markers == Markers::Reference && last.trailing && last.line + 1 == hit
    }

    /// The best place to mark a hit; or why there is none.
    fn place(&self, hit: usize) -> Result<Place, String> {
        match (self.above(hit), self.behind(hit)) {
            (_, Ok(behind)) if self.fits(hit) && !self.would_leak(hit) => Ok(behind),
            (Ok(place), _) | (Err(_), Ok(place)) => Ok(place),
            (Err(_), Err(_)) if self.markers == Markers::Statement && self.above(self.first_line(hit)).is_ok() => {
                Ok(Place { line: self.first_line(hit), trailing: false })
            }
            (Err(begin), Err(end)) => Err(format!("the line {begin} and {end}")),
        }
    }

    fn above(&self, hit: usize) -> Result<Place, &'static str> {
        match hit.checked_sub(1).map(|before| self.lines[before].end) {
            Some(LineEnd::String) => return Err("begins inside a string"),
            Some(LineEnd::Backslash) => return Err("follows a backslash"),
            Some(LineEnd::Statement | LineEnd::Brackets) | None => {}
        }
        if hit < 2 && cookie(self.comment).is_some() {
            return Err("is one of the first two, where the reason would name an encoding,");
        }
        Ok(Place { line: hit, trailing: false })
    }

    fn behind(&self, hit: usize) -> Result<Place, &'static str> {
        match self.lines[hit].end {
            LineEnd::String => return Err("ends inside a string"),
            LineEnd::Backslash => return Err("ends in a backslash"),
            LineEnd::Statement | LineEnd::Brackets => {}
        }
        // Often one that a tool reads, and reads to its end: `noqa`, `type: ignore`, `fmt: skip`.
        if self.lines[hit].has_comment {
            return Err("ends in a comment");
        }
        Ok(Place { line: hit, trailing: true })
    }

    fn fits(&self, hit: usize) -> bool {
        let code = self.text[self.lines[hit].range.clone()].trim_end_matches(BLANK);
        code.chars().count() + BEFORE_COMMENT.len() + self.comment.chars().count() <= WIDEST
    }

    /// Whether a marker behind that line would mark a hit below that is none of those to mark.
    fn would_leak(&self, hit: usize) -> bool {
        self.markers == Markers::Reference && self.others.binary_search(&(hit + 2)).is_ok()
    }
}

const BEFORE_COMMENT: &str = "  ";

/// White space within a line, as far as Python has it.
const BLANK: [char; 3] = [' ', '\t', '\x0c'];

/// The bytes with a comment in each of the places, and the lines that these comments are on.
fn write(bytes: &[u8], comment: &str, places: &[Place]) -> (Vec<u8>, Vec<usize>) {
    let raw_lines = raw_lines(bytes);
    let mut written = Vec::with_capacity(bytes.len() + places.len() * (comment.len() + WIDEST));
    let (mut added, mut done, mut new_lines) = (Vec::new(), 0, 0);
    for &Place { line, trailing } in places {
        let RawLine { start, end, .. } = raw_lines[line];
        let content = &bytes[start..end];
        let is_blank = |byte: &u8| BLANK.contains(&char::from(*byte));
        added.push(line + 1 + new_lines);
        if trailing {
            let blank = content.iter().rev().take_while(|byte| is_blank(byte)).count();
            written.extend_from_slice(&bytes[done..end - blank]);
            written.extend_from_slice(BEFORE_COMMENT.as_bytes());
            written.extend_from_slice(comment.as_bytes());
            done = end - blank;
        } else {
            let indentation = content.iter().take_while(|byte| is_blank(byte)).count();
            // It begins behind what turns the page.
            let indentation = content[..indentation].rsplit(|&byte| byte == b'\x0c').next().unwrap_or_default();
            // The last line may have no break of its own.
            let line_break = raw_lines[..=line].iter().rev().map(|line| line.line_break).find(|text| !text.is_empty());
            written.extend_from_slice(&bytes[done..start]);
            written.extend_from_slice(indentation);
            written.extend_from_slice(comment.as_bytes());
            written.extend_from_slice(line_break.unwrap_or("\n").as_bytes());
            done = start;
            new_lines += 1;
        }
    }
    written.extend_from_slice(&bytes[done..]);
    (written, added)
}

/// A line of a file as it stands.
struct RawLine {
    start: usize,
    /// Before its line break.
    end: usize,
    /// Empty behind the last one.
    line_break: &'static str,
}

/// Those that [`source::decode`] makes lines of.
fn raw_lines(bytes: &[u8]) -> Vec<RawLine> {
    let mut start = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut lines = Vec::new();
    let mut at = 0;
    let mut carriage_return = None;
    for chunk in bytes.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            let end = carriage_return.take();
            match (end, byte) {
                (Some(end), b'\n') => {
                    lines.push(RawLine { start, end, line_break: "\r\n" });
                    start = at + 1;
                }
                (Some(end), _) => {
                    lines.push(RawLine { start, end, line_break: "\r" });
                    start = end + 1;
                }
                (None, b'\n') => {
                    lines.push(RawLine { start, end: at, line_break: "\n" });
                    start = at + 1;
                }
                (None, _) => {}
            }
            if byte == b'\r' {
                carriage_return = Some(at);
            }
            at += 1;
        }
        at += chunk.invalid().len();
    }
    if let Some(end) = carriage_return {
        lines.push(RawLine { start, end, line_break: "\r" });
        start = end + 1;
    }
    lines.push(RawLine { start, end: bytes.len(), line_break: "" });
    lines
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What a file's bytes are to Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// One in which all ASCII, and nothing else, is written as in ASCII.
    Other,
    Unknown,
}

fn encoding(bytes: &[u8], text: &str) -> Encoding {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Encoding::Utf8;
    }
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default();
    let code = first.trim_start_matches(BLANK);
    let second = if code.is_empty() || code.starts_with('#') { lines.next() } else { None };
    let Some(name) = cookie(first).or_else(|| cookie(second?)) else { return Encoding::Utf8 };
    let name = name.to_ascii_lowercase().replace('_', "-");
    const OTHERS: [&str; 11] = [
        "ascii",
        "us-ascii",
        "latin",
        "iso-latin",
        "iso-8859",
        "iso8859",
        "cp125",
        "windows-125",
        "koi8",
        "euc-",
        "gb2312",
    ];
    match name.as_str() {
        "utf-8" | "utf8" => Encoding::Utf8,
        name if name.starts_with("utf-8-") => Encoding::Utf8,
        name if OTHERS.iter().any(|other| name.starts_with(other)) => Encoding::Other,
        _ => Encoding::Unknown,
    }
}

/// The encoding that a line names, if it is one of the first two (PEP 263).
fn cookie(line: &str) -> Option<&str> {
    static COOKIE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[ \t\x0c]*#.*?coding[:=][ \t]*([-.0-9A-Z_a-z]+)").expect("a constant that the tests use")
    });
    Some(COOKIE.captures(line)?.get(1)?.as_str())
}
