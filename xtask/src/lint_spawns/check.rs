//! Checks one text: narrow, parse, detect, mark. Data in, data out.

use std::cell::LazyCell;
use std::ops::Range;

use camino::Utf8PathBuf;

use super::lines::Lines;
use super::marker::{self, Audit, Marker, Marking};
use super::policy::Policy;
use super::python::comment::Layout;
use super::python::outline::Outline;
use super::rule::{Rule, Strength};
use super::search::{Found, Search};
use super::source;

/// A line where a shape was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// 1-based, as all of these.
    pub line: usize,
    /// In characters of the decoded text; where the first of its shapes starts.
    pub column: usize,
    pub end_line: usize,
    /// Of the character after that shape.
    pub end_column: usize,
    /// In table order, at least one.
    pub rules: Vec<Rule>,
    /// What was found, in bytes of the decoded text, in order of where it starts.
    pub shapes: Vec<(Rule, Range<usize>)>,
    /// The highest of its shapes; that of what cannot be parsed is not known.
    pub strength: Option<Strength>,
    /// The class or function it is in, with those around that; None at the top level.
    pub definition: Option<String>,
    /// The line without the white space around it.
    pub source: String,
    /// Why it is accepted, if it has a marker.
    pub reason: Option<String>,
    /// Whether all of its shapes are; where others are not, it tells of those only.
    pub dropped: bool,
}

impl Hit {
    /// The names of its rules.
    pub fn rule_names(&self) -> Vec<&'static str> {
        self.rules.iter().copied().map(Rule::name).collect()
    }

    /// How far the child gets, and what that means, where it is known.
    pub fn consequence(&self) -> Option<(Strength, &'static str)> {
        let (strength, rule) = (self.strength?, self.rules.first()?);
        Some((strength, strength.consequence(*rule)))
    }
}

/// A file that was looked at.
#[derive(Debug)]
pub struct CheckedFile {
    /// Root-relative, or absolute outside the root.
    pub path: Utf8PathBuf,
    /// In order of line.
    pub hits: Vec<Hit>,
    /// Empty unless the run asks for it.
    pub audit: Audit,
    /// What was checked, which may not be what is on the disk. None unless the run asks for it and there is something to
    /// show in its place.
    pub content: Option<Vec<u8>>,
}

impl CheckedFile {
    /// The hits that one of its markers covers.
    pub fn covered_by<'f>(&'f self, marker: &'f Marker) -> impl Iterator<Item = &'f Hit> {
        let at = |line: &usize| self.hits.binary_search_by_key(line, |hit| hit.line).ok();
        marker.hits.iter().filter_map(at).map(|at| &self.hits[at])
    }
}

/// All that is needed to check a text.
#[derive(Debug)]
pub struct Checker<'p> {
    search: Search<'p>,
    marking: Marking,
}

impl<'p> Checker<'p> {
    pub fn new(policy: &'p Policy) -> anyhow::Result<Checker<'p>> {
        Ok(Checker { search: Search::new(policy)?, marking: Marking::new(&policy.marker, policy.markers)? })
    }

    /// The hits in a file's bytes, marked and unmarked.
    pub fn check(&self, bytes: &[u8]) -> Vec<Hit> {
        if !self.search.may_find(bytes) {
            return Vec::new();
        }
        let text = source::decode(bytes);
        let found = self.search.find(&text);
        if found.is_empty() {
            return Vec::new();
        }
        let lines = Lines::new(&text);
        let layout = LazyCell::new(|| Layout::new(&text));
        hits(&lines, &found, &mut self.marking.markers(&lines, &layout))
    }

    /// [`Checker::check`], and what there is to say of the file's markers. It may have some without a hit.
    pub fn audit(&self, bytes: &[u8]) -> (Vec<Hit>, Audit) {
        let (may_find, may_be_marked) = (self.search.may_find(bytes), self.marking.may_be_in(bytes));
        if !may_find && !may_be_marked {
            return (Vec::new(), Audit::default());
        }
        let text = source::decode(bytes);
        let found = if may_find { self.search.find(&text) } else { Vec::new() };
        let lines = Lines::new(&text);
        let layout = LazyCell::new(|| Layout::new(&text));
        let mut markers = self.marking.markers(&lines, &layout);
        let hits = hits(&lines, &found, &mut markers);
        // Most texts that have a needle have no marker.
        if !may_be_marked {
            return (hits, Audit::default());
        }
        let audit = self.marking.audit(&lines, &layout, &hits, markers);
        (hits, audit)
    }

    /// Whether a needle is there that [`Checker::check`] does not see, for the NUL bytes in it. UTF-16 has them.
    pub fn is_blind_to(&self, bytes: &[u8]) -> bool {
        if memchr::memchr(0, bytes).is_none() {
            return false;
        }
        let narrow: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        self.search.count(&narrow) > self.search.count(bytes)
    }
}

/// One hit a line. `found` is in order of offset; of the markers these that accept a hit will know of it.
fn hits(lines: &Lines, found: &[Found], markers: &mut [Marker]) -> Vec<Hit> {
    if found.is_empty() {
        return Vec::new();
    }
    let outline = Outline::new(lines.text());
    let on_one_line = |a: &Found, b: &Found| lines.number(a.range.start) == lines.number(b.range.start);
    found.chunk_by(on_one_line).filter_map(|shapes| hit(lines, &outline, shapes, markers)).collect()
}

/// Of all the shapes on a line.
fn hit(lines: &Lines, outline: &Outline, shapes: &[Found], markers: &mut [Marker]) -> Option<Hit> {
    let dropped = shapes.iter().all(|shape| shape.dropped);
    let counted = || shapes.iter().filter(|shape| shape.dropped == dropped);
    let first = counted().next()?;
    let (line, column) = lines.place(first.range.start);
    let (end_line, end_column) = lines.place(first.range.end);
    let mut rules: Vec<Rule> = counted().map(|shape| shape.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    Some(Hit {
        line,
        column,
        end_line,
        end_column,
        rules,
        shapes: counted().map(|shape| (shape.rule, shape.range.clone())).collect(),
        strength: counted().filter_map(|shape| shape.strength).max(),
        definition: outline.line_at(first.range.start).and_then(|line| outline.definition(lines.text(), line)),
        source: lines.line(line).trim_matches(is_python_space).to_owned(),
        reason: marker::reason(markers, first.range.start, line, dropped),
        dropped,
    })
}

/// What `str.strip` of Python removes.
fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}
