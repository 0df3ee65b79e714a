//! Checks one text: narrow, parse, detect, mark. Data in, data out.

use camino::Utf8PathBuf;

use super::marker::Marker;
use super::policy::Policy;
use super::rule::Rule;
use super::search::Search;
use super::source;

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
    search: Search<'p>,
    marker: Marker,
}

impl<'p> Checker<'p> {
    pub fn new(policy: &'p Policy) -> anyhow::Result<Checker<'p>> {
        Ok(Checker { search: Search::new(policy)?, marker: Marker::new(&policy.marker)? })
    }

    /// The hits in a file's bytes, marked and unmarked.
    pub fn check(&self, bytes: &[u8]) -> Vec<Hit> {
        if self.search.mentions(bytes).next().is_none() {
            return Vec::new();
        }
        let text = source::decode(bytes);
        let found: Vec<(usize, Rule)> = self
            .search
            .find(&text)
            .iter()
            .filter(|found| !found.dropped)
            .map(|found| (found.range.start, found.rule))
            .collect();
        self.hits(&text, &found)
    }

    /// Whether a needle is there that [`Checker::check`] does not see, for the NUL bytes in it. UTF-16 has them.
    pub fn is_blind_to(&self, bytes: &[u8]) -> bool {
        if memchr::memchr(0, bytes).is_none() {
            return false;
        }
        let narrow: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
        self.search.mentions(&narrow).count() > self.search.mentions(bytes).count()
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

/// What `str.strip` of Python removes.
fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}
