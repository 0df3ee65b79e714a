//! Where strings, comments, brackets and lines begin and end in Python text.
//!
//! Only what decides these is looked at; names, numbers and operators are the parser's business. The text is what
//! [`super::super::source`] makes of a file: `\n` ends a line, and nothing else does. f-strings and t-strings are read as
//! Python 3.12 and later read them (PEP 701, PEP 750): their replacement fields are code, in which any string may stand.
//!
//! Broken text is read on, not given up: see [`Lexer::is_broken`] and [`Lexer::recovering`].

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use super::literal::Prefix;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The line break that ends a logical line, or a line without code.
    Newline,
    /// A line break or backslash continuation inside a logical line.
    Continuation,
    /// From `#` to before the line break.
    Comment,
    Open,
    Close,
    /// A `,` or `;` outside strings, for whoever asks with [`Lexer::with_separators`].
    Separator,
    /// A whole string literal that is neither an f-string nor a t-string, its prefix included.
    String,
    /// A string literal without an end. Where it is taken to end is a guess, and what is in it may be code.
    OpenString,
    /// Prefix and opening quotes of an f-string or t-string.
    FormatStart,
    /// Literal text of an f-string, or of a format specification.
    FormatText,
    FieldOpen,
    /// The `!` before a conversion.
    Conversion,
    /// The `:` before a format specification.
    SpecColon,
    FieldClose,
    /// Closing quotes of an f-string or t-string.
    FormatEnd,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// In bytes of the text.
    pub(super) range: Range<usize>,
    /// How many brackets and replacement fields are open around the token.
    pub(super) depth: usize,
}

#[derive(Debug, Clone)]
enum Frame {
    /// Literal text of an f-string.
    Text { quote: u8, triple: bool, raw: bool },
    /// Code of a replacement field; `outside` is the depth around it.
    Field { outside: usize },
    /// Text of a format specification.
    Spec,
}

#[derive(Debug, Clone)]
pub(super) struct Lexer<'t> {
    bytes: &'t [u8],
    position: usize,
    depth: usize,
    frames: Vec<Frame>,
    separators: bool,
    only_lines: bool,
    recovering: bool,
    broken: bool,
    /// Whether triple quotes of `"` and of `'` are known to have no end in the rest of the text.
    endless: [bool; 2],
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer {
            bytes: text.as_bytes(),
            position: 0,
            depth: 0,
            frames: Vec::new(),
            separators: false,
            only_lines: false,
            recovering: false,
            broken: false,
            endless: [false; 2],
        }
    }

    pub(super) fn with_separators(text: &'t str) -> Lexer<'t> {
        Lexer { separators: true, ..Lexer::new(text) }
    }

    /// Reads from `start`, a place outside strings and brackets, to the end of the text.
    pub(super) fn from(text: &'t str, start: usize) -> Lexer<'t> {
        Lexer { position: start, ..Lexer::new(text) }
    }

    /// For text in which triple quotes are missing somewhere, so that each further one is taken for the opposite of
    /// what it is: a triple-quoted string ends before a line that can only be a definition or an import.
    pub(super) fn recovering(self) -> Lexer<'t> {
        Lexer { recovering: true, ..self }
    }

    /// For whoever asks where logical lines end: tells that, and not all of what is in them.
    pub(super) fn only_lines(self) -> Lexer<'t> {
        Lexer { only_lines: true, ..self }
    }

    /// Where the next token is looked for, in bytes of the text.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Whether the text read so far cannot be Python: a string or bracket without an end, or an end without a start.
    ///
    /// Reading goes on at the first place that is certainly outside again: a string that has no end is taken to end
    /// with its line, and open brackets with the line before one that begins with a keyword which no bracket can hold.
    pub(super) fn is_broken(&self) -> bool {
        self.broken || self.depth > 0 || !self.frames.is_empty()
    }

    /// [`Lexer::is_broken`] of what was read since this was asked last.
    pub(super) fn take_broken(&mut self) -> bool {
        let broken = self.is_broken();
        self.broken = false;
        broken
    }

    /// Whether a triple-quoted string without an end was read.
    pub(super) fn is_endless(&self) -> bool {
        self.endless != [false; 2] || self.frames.iter().any(|frame| matches!(frame, Frame::Text { triple: true, .. }))
    }

    fn code(&mut self) -> Option<Token> {
        let in_field = !self.frames.is_empty();
        let wanted = CODE | if in_field { FIELD } else { 0 } | if self.separators { SEPARATOR } else { 0 };
        loop {
            let rest = &self.bytes[self.position..];
            let Some(found) = rest.iter().position(|&byte| CLASSES[byte as usize] & wanted != 0) else {
                self.position = self.bytes.len();
                return None;
            };
            let start = self.position + found;
            let byte = self.bytes[start];
            self.position = start + 1;
            let token = match byte {
                b'\n' => self.line_break(start),
                b'\\' if self.bytes.get(self.position) == Some(&b'\n') => {
                    self.position += 1;
                    self.token(Kind::Continuation, start)
                }
                b'#' => {
                    self.position = self.line_end(start);
                    self.token(Kind::Comment, start)
                }
                b'"' | b'\'' => self.string(start),
                b'(' | b'[' | b'{' => {
                    let token = self.token(Kind::Open, start);
                    self.depth += 1;
                    token
                }
                b'}' if self.at_field_level() => self.close_field(start),
                b')' | b']' | b'}' => {
                    if self.depth == 0 || self.at_field_level() {
                        self.broken = true;
                        continue;
                    }
                    self.depth -= 1;
                    self.token(Kind::Close, start)
                }
                b':' if self.at_field_level() => {
                    let token = self.token(Kind::SpecColon, start);
                    self.frames.push(Frame::Spec);
                    token
                }
                b'!' if self.at_field_level() && self.bytes.get(self.position) != Some(&b'=') => {
                    self.token(Kind::Conversion, start)
                }
                b',' | b';' => self.token(Kind::Separator, start),
                _ => continue,
            };
            // What follows is code again, but for these.
            if !self.only_lines
                || matches!(token.kind, Kind::Newline | Kind::FormatStart | Kind::SpecColon | Kind::FieldClose)
            {
                return Some(token);
            }
        }
    }

    fn line_break(&mut self, start: usize) -> Token {
        if self.depth == 0 && self.frames.is_empty() {
            return self.token(Kind::Newline, start);
        }
        if starts_statement(&self.bytes[self.position..]) {
            self.broken = true;
            self.depth = 0;
            self.frames.clear();
            return self.token(Kind::Newline, start);
        }
        self.token(Kind::Continuation, start)
    }

    /// The string whose first quote is at `quote`; that byte has been read.
    fn string(&mut self, quote: usize) -> Token {
        let prefix = Prefix::before(self.bytes, quote);
        let start = quote - prefix.len;
        let byte = self.bytes[quote];
        let triple = self.bytes[quote..].starts_with(&[byte; 3]);
        let body = quote + if triple { 3 } else { 1 };
        if triple && self.has_no_end(byte, body) {
            return self.open_string(start, self.line_end(body));
        }
        if prefix.format {
            self.position = body;
            let token = self.token(Kind::FormatStart, start);
            self.frames.push(Frame::Text { quote: byte, triple, raw: prefix.raw });
            return token;
        }
        let (end, closed) =
            if triple { self.triple_quoted_end(byte, body) } else { self.single_quoted_end(byte, body) };
        if !closed {
            return self.open_string(start, end);
        }
        self.position = end;
        self.token(Kind::String, start)
    }

    fn open_string(&mut self, start: usize, end: usize) -> Token {
        self.broken = true;
        self.position = end;
        self.token(Kind::OpenString, start)
    }

    /// Where the string ends, and whether that is with its quotes.
    fn single_quoted_end(&self, quote: u8, body: usize) -> (usize, bool) {
        let mut from = body;
        while let Some(found) = memchr3(quote, b'\\', b'\n', &self.bytes[from..]) {
            let at = from + found;
            match self.bytes[at] {
                b'\\' => from = (at + 2).min(self.bytes.len()),
                b'\n' => return (at, false),
                _ => return (at + 1, true),
            }
        }
        (self.bytes.len(), false)
    }

    fn triple_quoted_end(&mut self, quote: u8, body: usize) -> (usize, bool) {
        let mut from = body;
        // Outside of broken text a line break means nothing here.
        let line_break = if self.recovering { b'\n' } else { quote };
        while let Some(found) = memchr3(quote, b'\\', line_break, &self.bytes[from..]) {
            let at = from + found;
            match self.bytes[at] {
                b'\\' => from = (at + 2).min(self.bytes.len()),
                b'\n' if starts_block(&self.bytes[at + 1..]) => return (at, false),
                _ if self.bytes[at..].starts_with(&[quote; 3]) => return (at + 3, true),
                _ => from = at + 1,
            }
        }
        // The quotes that looked like an end are escaped.
        self.endless[usize::from(quote == b'\'')] = true;
        (self.line_end(body), false)
    }

    fn has_no_end(&mut self, quote: u8, body: usize) -> bool {
        let known = &mut self.endless[usize::from(quote == b'\'')];
        *known = *known || memmem::find(&self.bytes[body..], &[quote; 3]).is_none();
        *known
    }

    /// Text of an f-string up to a field, its end, or a line break that it may not hold.
    fn format_text(&mut self) -> Option<Token> {
        let (quote, triple, raw) = self.enclosing_quotes()?;
        let in_spec = matches!(self.frames.last(), Some(Frame::Spec));
        let start = self.position;
        if start >= self.bytes.len() {
            return None;
        }
        let mut at = start;
        while let Some(&byte) = self.bytes.get(at) {
            let next = self.bytes.get(at + 1).copied();
            match byte {
                b'\\' if matches!(next, Some(b'{' | b'}')) => at += 1,
                b'\\' if !raw && self.bytes[at..].starts_with(b"\\N{") => {
                    let rest = &self.bytes[at..];
                    at += memchr3(b'}', quote, b'\n', rest)
                        .map_or(rest.len(), |end| end + usize::from(rest[end] == b'}'));
                }
                b'\\' => at = (at + 2).min(self.bytes.len()),
                b'{' | b'}' if next == Some(byte) && !in_spec => at += 2,
                b'{' | b'}' => break,
                b'\n' if !triple || (self.recovering && starts_block(&self.bytes[at + 1..])) => break,
                _ if byte == quote && (!triple || self.bytes[at..].starts_with(&[quote; 3])) => break,
                _ => at += 1,
            }
        }
        if at > start {
            self.position = at;
            return Some(self.token(Kind::FormatText, start));
        }
        let byte = self.bytes[start];
        if byte == b'{' {
            self.position += 1;
            let token = self.token(Kind::FieldOpen, start);
            self.frames.push(Frame::Field { outside: self.depth });
            self.depth += 1;
            return Some(token);
        }
        if byte == b'}' {
            self.position += 1;
            if in_spec {
                self.frames.pop();
                return Some(self.close_field(start));
            }
            self.broken = true;
            return Some(self.token(Kind::FormatText, start));
        }
        // The end of the string. A format specification that it cuts off, and the line break, are not Python.
        while !matches!(self.frames.last(), None | Some(Frame::Text { .. })) {
            self.broken = true;
            if let Some(Frame::Field { outside }) = self.frames.pop() {
                self.depth = outside;
            }
        }
        self.frames.pop();
        if byte == b'\n' {
            self.broken = true;
        } else {
            self.position += if triple { 3 } else { 1 };
        }
        Some(self.token(Kind::FormatEnd, start))
    }

    fn enclosing_quotes(&self) -> Option<(u8, bool, bool)> {
        self.frames.iter().rev().find_map(|frame| match *frame {
            Frame::Text { quote, triple, raw } => Some((quote, triple, raw)),
            _ => None,
        })
    }

    /// Whether the code at hand is a replacement field's, outside any bracket of its own.
    fn at_field_level(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Field { outside }) if self.depth == outside + 1)
    }

    fn close_field(&mut self, start: usize) -> Token {
        if let Some(Frame::Field { outside }) = self.frames.pop() {
            self.depth = outside;
        }
        self.token(Kind::FieldClose, start)
    }

    fn line_end(&self, from: usize) -> usize {
        memchr(b'\n', &self.bytes[from..]).map_or(self.bytes.len(), |found| from + found)
    }

    fn token(&self, kind: Kind, start: usize) -> Token {
        Token { kind, range: start..self.position, depth: self.depth }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        match self.frames.last() {
            None | Some(Frame::Field { .. }) => self.code(),
            Some(Frame::Text { .. } | Frame::Spec) => self.format_text(),
        }
    }
}

/// Whether a byte can stand inside a name. Bytes of all characters beyond ASCII are taken to.
pub(in crate::lint_spawns) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The name or keyword at `at`; empty if there is none.
pub(super) fn word_at(text: &str, at: usize) -> Range<usize> {
    at..at + text.as_bytes()[at..].iter().take_while(|&&b| continues_name(b)).count()
}

/// Whether a line begins a definition or an import at the top level. Only in broken text is that asked of what may be
/// the text of a string.
pub(super) fn starts_block(line: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 6] = [b"@", b"def ", b"class ", b"async def ", b"import ", b"if __name__ "];
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        || (line.starts_with(b"from ") && starts_statement(line))
}

/// Whether a line begins with a keyword that can only start a statement or clause: inside brackets no Python has them.
fn starts_statement(rest: &[u8]) -> bool {
    let indent = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\x0c')).count();
    let rest = &rest[indent..];
    let word = &rest[..rest.iter().take(9).take_while(|&&b| continues_name(b)).count()];
    match word {
        // `yield from` may be broken over lines.
        b"from" => {
            let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
            memmem::find(line, b" import ").is_some()
        }
        b"def" | b"class" | b"import" | b"return" | b"raise" | b"with" | b"while" | b"try" | b"except" | b"finally"
        | b"del" | b"global" | b"nonlocal" | b"assert" | b"pass" | b"break" | b"continue" | b"elif" => true,
        _ => false,
    }
}

const CODE: u8 = 1;
const FIELD: u8 = 2;
const SEPARATOR: u8 = 4;

/// Which bytes the reader of code stops at.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 11 {
        classes[b"\n\\#\"'()[]{}"[at] as usize] = CODE;
        at += 1;
    }
    classes[b'!' as usize] = FIELD;
    classes[b':' as usize] = FIELD;
    classes[b',' as usize] = SEPARATOR;
    classes[b';' as usize] = SEPARATOR;
    classes
};
