//! Checks one text: narrow, parse, detect, mark. Data in, data out.

use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};
use camino::Utf8PathBuf;
use rustpython_parser::{Parse as _, ast};

use super::detect::detect;
use super::lexer::continues_name;
use super::marker::Marker;
use super::policy::Policy;
use super::rule::{Rule, Strength};
use super::source;
use super::statement::{self, Statement};
use super::tree::Tree;

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
    /// The line without the white space around it.
    pub source: String,
    /// Why it is accepted, if it has a marker.
    pub reason: Option<String>,
    /// Whether all of its shapes are; where others are not, it tells of those only.
    pub dropped: bool,
}

/// A shape in the whole text.
#[derive(Debug)]
struct Found {
    /// In bytes.
    range: Range<usize>,
    rule: Rule,
    strength: Option<Strength>,
    /// It starts no process, as far as one can tell.
    dropped: bool,
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
    needles: Needles,
    marker: Marker,
    helpers: &'p [String],
    rules: &'p [Rule],
}

impl<'p> Checker<'p> {
    pub fn new(policy: &'p Policy) -> anyhow::Result<Checker<'p>> {
        Ok(Checker {
            needles: Needles::new(policy.needles())?,
            marker: Marker::new(&policy.marker)?,
            helpers: policy.helpers(),
            rules: &policy.rules,
        })
    }

    /// The hits in a file's bytes, marked and unmarked.
    pub fn check(&self, bytes: &[u8]) -> Vec<Hit> {
        if self.mentions(bytes).next().is_none() {
            return Vec::new();
        }
        let text = source::decode(bytes);
        let needles: Vec<Range<usize>> = self.mentions(text.as_bytes()).collect();
        let mut found: Vec<Found> = Vec::new();
        for statement in statement::cut(&text, &needles) {
            found.extend(self.shapes(&statement).into_iter().filter(|found| self.rules.contains(&found.rule)));
        }
        found.sort_by_key(|found| (found.range.start, found.rule));
        self.hits(&text, &found)
    }

    /// Whether a needle is there that [`Checker::check`] does not see, for the NUL bytes in it. UTF-16 has them.
    pub fn is_blind_to(&self, bytes: &[u8]) -> bool {
        if memchr::memchr(0, bytes).is_none() {
            return false;
        }
        let narrow: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        self.mentions(&narrow).count() > self.mentions(bytes).count()
    }

    /// Where a needle stands as a whole identifier.
    fn mentions(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let is_name = |at: Option<usize>| {
            at.and_then(|at| text.get(at)).is_some_and(|&byte: &u8| byte.is_ascii() && continues_name(byte))
        };
        self.needles
            .find_iter(text)
            .filter(move |range| !is_name(range.start.checked_sub(1)) && !is_name(Some(range.end)))
    }

    fn shapes(&self, statement: &Statement) -> Vec<Found> {
        for modules in statement.readings() {
            let mut found = Vec::new();
            let parsed = modules.iter().all(|module| {
                let Ok(suite) = ast::Suite::parse(&module.source, "") else { return false };
                let tree = Tree::new(&suite, statement.start, module.shift);
                found.extend(detect(&tree, self.helpers).into_iter().map(|shape| Found {
                    range: shape.range,
                    rule: shape.rule,
                    strength: shape.strength,
                    dropped: false,
                }));
                true
            });
            if parsed {
                return found;
            }
        }
        let unparsable = |mention: &Range<usize>| Found {
            range: statement.start + mention.start..statement.start + mention.end,
            rule: Rule::Unparsable,
            strength: None,
            dropped: false,
        };
        statement.mentions.iter().map(unparsable).collect()
    }

    /// One hit a line. `found` is in order of offset.
    fn hits(&self, text: &str, found: &[Found]) -> Vec<Hit> {
        let lines = Lines::new(text);
        let on_one_line = |a: &Found, b: &Found| lines.number(a.range.start) == lines.number(b.range.start);
        found.chunk_by(on_one_line).filter_map(|shapes| self.hit(&lines, shapes)).collect()
    }

    /// Of all the shapes on a line.
    fn hit(&self, lines: &Lines, shapes: &[Found]) -> Option<Hit> {
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

/// Looks for all needles at once; of two at one place for the longer.
#[derive(Debug)]
enum Needles {
    /// By vector instructions, which tell most places from a needle by four bytes at a time.
    Packed(Searcher),
    /// For processors without them, and for very many needles.
    Automaton(AhoCorasick),
}

impl Needles {
    fn new<'a>(words: impl Iterator<Item = &'a str>) -> anyhow::Result<Needles> {
        let words: Vec<&str> = words.collect();
        let packed =
            packed::Config::new().match_kind(packed::MatchKind::LeftmostLongest).builder().extend(&words).build();
        if let Some(packed) = packed {
            return Ok(Needles::Packed(packed));
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&words)?;
        Ok(Needles::Automaton(automaton))
    }

    fn find_iter(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let mut rest = Span::from(0..text.len());
        std::iter::from_fn(move || {
            let found = match self {
                Needles::Packed(searcher) => searcher.find_in(text, rest),
                Needles::Automaton(automaton) => automaton.find(Input::new(text).span(rest)),
            }?;
            rest.start = found.end();
            Some(found.range())
        })
    }
}

/// What `str.strip` of Python removes.
fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}
