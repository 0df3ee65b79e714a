//! Markers: the comments by which a team accepts a hit, with its reason.
//!
//! What counts as a marker, and what it reaches, depends on the policy's [`Markers`]. Of the markers that reach a hit the
//! nearest accepts it: that on its line, else the next one above it, else the next one below it.

mod audit;
mod meant;

use std::ops::{Deref, Range};

use memchr::memmem::Finder;
use regex::Regex;

use super::lines::Lines;
use super::policy::Markers;
use super::python::comment::Layout;
use meant::Meant;

/// A marker that counts.
#[derive(Debug)]
pub struct Marker {
    /// 1-based, as are all lines.
    pub line: usize,
    pub reason: String,
    /// The lines of the hits that it accepts, in order.
    pub hits: Vec<usize>,
    /// Where its text starts, in bytes of the text.
    start: usize,
    /// Where the hits start that it can accept.
    reach: Range<usize>,
}

/// What is wrong with a marker.
#[derive(Debug)]
pub struct Flaw {
    pub line: usize,
    /// Of it, in bytes of the text, to the end of its line.
    pub range: Range<usize>,
    pub kind: FlawKind,
    /// In words; they may quote the text.
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlawKind {
    /// It is one, and accepts nothing.
    Unused,
    /// It was meant for one, and does not count.
    Malformed,
}

impl FlawKind {
    pub fn name(self) -> &'static str {
        match self {
            FlawKind::Unused => "unused-marker",
            FlawKind::Malformed => "malformed-marker",
        }
    }
}

/// All that there is to say of the markers in a text.
#[derive(Debug, Default)]
pub struct Audit {
    /// Those that count, in order of line.
    pub markers: Vec<Marker>,
    /// In order of line.
    pub flaws: Vec<Flaw>,
}

/// Recognises the markers of one policy.
#[derive(Debug)]
pub(super) struct Marking {
    /// The policy's, `detached-spawn: ok` say.
    text: String,
    kind: Markers,
    finder: Finder<'static>,
    pattern: Regex,
    meant: Meant,
}

impl Marking {
    /// `text` is taken literally.
    pub(super) fn new(text: &str, kind: Markers) -> anyhow::Result<Marking> {
        // Python's white space, which the four separators belong to; then a dash; then the reason, which begins with
        // anything but space and dashes, and does not end in space.
        let pattern = format!(
            r"{}[\s\x1c-\x1f]*(?:—|-+)[\s\x1c-\x1f—–-]*(?<reason>[^\s\x1c-\x1f—–-](?:.*[^\s\x1c-\x1f])?)",
            regex::escape(text)
        );
        Ok(Marking {
            text: text.to_owned(),
            kind,
            finder: Finder::new(text).into_owned(),
            pattern: Regex::new(&pattern)?,
            meant: Meant::new(text)?,
        })
    }

    /// Whether [`Marking::audit`] may have anything to say of a text that has no hit. That it has nothing is certain.
    pub(super) fn may_be_in(&self, text: &[u8]) -> bool {
        self.meant.may_be_in(text)
    }

    /// The markers of a text, in order, which have accepted nothing so far. `layout` is looked at only if need be.
    pub(super) fn markers(&self, lines: &Lines, layout: &impl Deref<Target = Layout>) -> Vec<Marker> {
        let text = lines.text();
        if self.finder.find(text.as_bytes()).is_none() {
            return Vec::new();
        }
        match self.kind {
            Markers::Reference => self.lines_with_one(lines).collect(),
            Markers::Statement => {
                let comments = layout.comments.iter().filter(|comment| comment.certain);
                let marker = |comment: &super::python::comment::Comment| {
                    self.marker(lines, comment.range.clone(), comment.statement.clone())
                };
                comments.filter_map(marker).collect()
            }
        }
    }

    /// The first marker of each line that has one, wherever on the line it stands: it reaches the line and the next.
    fn lines_with_one<'l>(&'l self, lines: &'l Lines) -> impl Iterator<Item = Marker> + 'l {
        let mut from = 0;
        let next_line = move || {
            let found = from + self.finder.find(lines.text().as_bytes().get(from..)?)?;
            let line = lines.number(found);
            from = lines.range(line).end + 1;
            Some(line)
        };
        std::iter::from_fn(next_line).filter_map(|line| {
            let range = lines.range(line);
            let reach = range.start..lines.range(line + 1).end;
            self.marker(lines, range, reach)
        })
    }

    /// The first marker in a range of the text.
    fn marker(&self, lines: &Lines, range: Range<usize>, reach: Range<usize>) -> Option<Marker> {
        let found = self.pattern.captures(&lines.text()[range.clone()])?;
        let start = range.start + found.get(0)?.start();
        Some(Marker {
            line: lines.number(start),
            reason: found.name("reason")?.as_str().to_owned(),
            hits: Vec::new(),
            start,
            reach,
        })
    }
}

/// Why a hit is accepted, if it is: it starts at a byte of the text, on a line. The marker will know of it unless it is
/// dropped, and needs none.
pub(super) fn reason(markers: &mut [Marker], offset: usize, line: usize, dropped: bool) -> Option<String> {
    // Later markers begin and end their reach no earlier than those before them.
    let first = markers.partition_point(|marker| marker.reach.end <= offset);
    let end = markers.partition_point(|marker| marker.reach.start <= offset);
    let reaching = markers.get_mut(first..end)?;
    let below = reaching.partition_point(|marker| marker.line <= line);
    let nearest = reaching.get_mut(below.saturating_sub(1))?;
    if !dropped {
        nearest.hits.push(line);
    }
    Some(nearest.reason.clone())
}
