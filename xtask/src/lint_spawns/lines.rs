//! Tells offsets in a text by line and column, all 1-based.

use std::ops::Range;

/// The line that an offset is in, where it is the only one of its text that is asked for.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&b| b == b'\n').count()
}

pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Lines<'t> {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        Lines { text, starts: std::iter::once(0).chain(breaks.map(|at| at + 1)).collect() }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The number of the last line that has text, or ends the text.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that an offset is in.
    pub(super) fn number(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Line and column, in characters.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.number(offset);
        (line, 1 + self.text[self.starts[line - 1]..offset].chars().count())
    }

    /// In bytes, without the line break. That of a line after the last is empty.
    pub(super) fn range(&self, line: usize) -> Range<usize> {
        let end = self.text.len();
        let start = self.starts.get(line - 1).copied().unwrap_or(end);
        start..self.starts.get(line).map_or(end, |next| next - 1)
    }

    /// Without its line break.
    pub(super) fn line(&self, number: usize) -> &'t str {
        &self.text[self.range(number)]
    }
}
