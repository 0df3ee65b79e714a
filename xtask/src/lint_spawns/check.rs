//! Checks one text: narrow, parse, detect, mark. Data in, data out.

use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};
use camino::Utf8PathBuf;
use rustpython_parser::{Parse as _, ast};

use super::detect::{Shape, detect};
use super::lexer::continues_name;
use super::marker::Marker;
use super::policy::Policy;
use super::rule::Rule;
use super::source;
use super::statement::{self, Statement};
use super::tree::Tree;

/// A line where a shape was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// 1-based.
    pub line: usize,
    /// In table order, at least one.
    pub rules: Vec<Rule>,
    /// The line without the white space around it.
    pub source: String,
    pub marked: bool,
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
        let mut found: Vec<(usize, Rule)> = Vec::new();
        for statement in statement::cut(&text, &needles) {
            found.extend(self.shapes(&statement).into_iter().filter(|(_, rule)| self.rules.contains(rule)));
        }
        found.sort_unstable();
        found.dedup();
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

    /// Offsets in the whole text.
    fn shapes(&self, statement: &Statement) -> Vec<(usize, Rule)> {
        for modules in statement.readings() {
            let mut found = Vec::new();
            let parsed = modules.iter().all(|module| {
                let Ok(suite) = ast::Suite::parse(&module.source, "") else { return false };
                let tree = Tree::new(&suite, statement.start, module.shift);
                found.extend(detect(&tree, self.helpers).iter().map(|shape| (shape.range.start, shape.rule)));
                true
            });
            if parsed {
                return found;
            }
        }
        statement.mentions.iter().map(|mention| (statement.start + mention.start, Rule::Unparsable)).collect()
    }

    /// One hit a line. `found` is in order of offset.
    fn hits(&self, text: &str, found: &[(usize, Rule)]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let (mut line, mut line_start) = (1, 0);
        for &(offset, rule) in found {
            let passed = &text.as_bytes()[line_start..offset];
            let breaks = memchr::memchr_iter(b'\n', passed).count();
            if breaks > 0 {
                line += breaks;
                line_start += memchr::memrchr(b'\n', passed).map_or(0, |at| at + 1);
            }
            match hits.last_mut() {
                Some(hit) if hit.line == line => hit.rules.push(rule),
                _ => {
                    let rest = &text[line_start..];
                    let here = &rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
                    let above =
                        text[..line_start].strip_suffix('\n').map(|text| text.rsplit('\n').next().unwrap_or(text));
                    hits.push(Hit {
                        line,
                        rules: vec![rule],
                        source: here.trim_matches(is_python_space).to_owned(),
                        marked: self.marker.covers(here, above),
                    });
                }
            }
        }
        for hit in &mut hits {
            hit.rules.sort_unstable();
            hit.rules.dedup();
        }
        hits
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
