//! The physical lines of a text, and what their ends are: a comment can stand before some and not before others.

use std::ops::Range;

use super::lexer::{Kind, Lexer};

/// A line as an editor shows it.
#[derive(Debug)]
pub struct PhysicalLine {
    /// In bytes of the text, without the line break.
    pub range: Range<usize>,
    pub end: LineEnd,
    pub has_comment: bool,
}

/// What the end of a line is to Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// That of a logical line, or of a line without code.
    Statement,
    /// White space between brackets.
    Brackets,
    /// Behind a backslash.
    Backslash,
    /// Text of a string, or code of one: before Python 3.12 no comment can stand in an f-string.
    String,
}

/// All lines of a text; what comes after its last line break is one, even if it is empty. None if triple quotes are
/// missing, so that nobody knows where strings are.
pub fn physical_lines(text: &str) -> Option<Vec<PhysicalLine>> {
    let mut lines = Lines { text, lines: Vec::new(), start: 0, has_comment: false, open: false };
    let mut lexer = Lexer::new(text);
    let mut format_strings = 0_usize;
    for token in lexer.by_ref() {
        match token.kind {
            Kind::Newline => {
                format_strings = 0;
                lines.end(token.range.start, LineEnd::Statement);
            }
            Kind::Continuation => {
                let (at, backslash) = (token.range.end - 1, token.range.len() > 1);
                lines.end(
                    at,
                    match format_strings {
                        0 if backslash => LineEnd::Backslash,
                        0 => LineEnd::Brackets,
                        _ => LineEnd::String,
                    },
                );
            }
            Kind::Comment => lines.has_comment = true,
            Kind::String | Kind::OpenString | Kind::FormatText => {
                for at in memchr::memchr_iter(b'\n', text[token.range.clone()].as_bytes()) {
                    lines.end(token.range.start + at, LineEnd::String);
                }
                lines.open |= token.kind == Kind::OpenString;
            }
            Kind::FormatStart => format_strings += 1,
            Kind::FormatEnd => {
                format_strings = format_strings.saturating_sub(1);
                // The line ends it, not its quotes.
                lines.open |= token.range.is_empty();
            }
            Kind::Open
            | Kind::Close
            | Kind::Separator
            | Kind::FieldOpen
            | Kind::Conversion
            | Kind::SpecColon
            | Kind::FieldClose => {}
        }
    }
    lines.end(text.len(), if format_strings > 0 { LineEnd::String } else { LineEnd::Statement });
    (!lexer.is_endless()).then_some(lines.lines)
}

struct Lines<'t> {
    text: &'t str,
    lines: Vec<PhysicalLine>,
    /// Of the line at hand.
    start: usize,
    has_comment: bool,
    /// Whether a string without an end is on it.
    open: bool,
}

impl Lines<'_> {
    /// Ends the line at hand before the line break at `at`.
    fn end(&mut self, at: usize, end: LineEnd) {
        let range = self.start..at;
        // One that no line break follows is none to the lexer.
        let backslash = !self.has_comment && self.text[range.clone()].trim_end().ends_with('\\');
        let shown = match end {
            LineEnd::Statement | LineEnd::Brackets if self.open => LineEnd::String,
            LineEnd::Statement | LineEnd::Brackets if backslash => LineEnd::Backslash,
            end => end,
        };
        self.lines.push(PhysicalLine { range, end: shown, has_comment: self.has_comment });
        (self.start, self.has_comment, self.open) = (at + 1, false, false);
    }
}
