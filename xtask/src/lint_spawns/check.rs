//! Checks one text: narrow, parse, detect, mark. Data in, data out.

use camino::Utf8PathBuf;

use super::marker::Marker;
use super::policy::Policy;
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

/// A file that was looked at.
#[derive(Debug)]
pub struct CheckedFile {
    /// Root-relative, or absolute outside the root.
    pub path: Utf8PathBuf,
    /// In order of line.
    pub hits: Vec<Hit>,
}

/// All that is needed to check a text.
#[derive(Debug)]
pub struct Checker<'p> {
    search: Search<'p>,
    marker: Marker,
}

impl<'p> Checker<'p> {
    pub fn new(policy: &'p Policy) -> anyhow::Result<Checker<'p>> {
        Ok(Checker { search: Search::new(policy)?, marker: Marker::new(&policy.marker)? })
    }

    /// The hits in a file's bytes, marked and unmarked.
    pub fn check(&self, bytes: &[u8]) -> Vec<Hit> {
        if !self.search.may_find(bytes) {
            return Vec::new();
        }
        let text = source::decode(bytes);
        self.hits(&text, &self.search.find(&text))
    }

    /// Whether a needle is there that [`Checker::check`] does not see, for the NUL bytes in it. UTF-16 has them.
    pub fn is_blind_to(&self, bytes: &[u8]) -> bool {
        if memchr::memchr(0, bytes).is_none() {
            return false;
        }
        let narrow: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        self.search.count(&narrow) > self.search.count(bytes)
    }

    /// One hit a line. `found` is in order of offset.
    fn hits(&self, text: &str, found: &[Found]) -> Vec<Hit> {
        if found.is_empty() {
            return Vec::new();
        }
        let lines = Lines::new(text);
        let outline = Outline::new(text);
        let on_one_line = |a: &Found, b: &Found| lines.number(a.range.start) == lines.number(b.range.start);
        found.chunk_by(on_one_line).filter_map(|shapes| self.hit(&lines, &outline, shapes)).collect()
    }

    /// Of all the shapes on a line.
    fn hit(&self, lines: &Lines, outline: &Outline, shapes: &[Found]) -> Option<Hit> {
        let dropped = shapes.iter().all(|shape| shape.dropped);
        let counted = || shapes.iter().filter(|shape| shape.dropped == dropped);
        let first = counted().next()?;
        let (line, column) = lines.place(first.range.start);
        let (end_line, end_column) = lines.place(first.range.end);
        let mut rules: Vec<Rule> = counted().map(|shape| shape.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        let source = lines.line(line);
        let above = (line > 1).then(|| lines.line(line - 1));
        Some(Hit {
            line,
            column,
            end_line,
            end_column,
            rules,
            strength: counted().filter_map(|shape| shape.strength).max(),
            definition: outline.line_at(first.range.start).and_then(|line| outline.definition(lines.text, line)),
            source: source.trim_matches(is_python_space).to_owned(),
            reason: self.marker.reason(source, above).map(str::to_owned),
            dropped,
        })
    }
}

/// Tells offsets in a text by line and column, all 1-based.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        Lines { text, starts: std::iter::once(0).chain(breaks.map(|at| at + 1)).collect() }
    }

    fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.number(offset);
        (line, 1 + self.text[self.starts[line - 1]..offset].chars().count())
    }

    /// Without its line break.
    fn line(&self, number: usize) -> &'t str {
        let end = self.starts.get(number).map_or(self.text.len(), |next| next - 1);
        &self.text[self.starts[number - 1]..end]
    }
}

/// What `str.strip` of Python removes.
fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}
