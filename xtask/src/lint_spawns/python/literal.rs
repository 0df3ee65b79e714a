//! What a string literal is made of.

use memchr::memchr2;

use super::lexer::{Kind, Lexer, continues_name};

/// The letters before a string's opening quote.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prefix {
    /// In bytes: 0 to 2.
    pub(super) len: usize,
    pub(super) raw: bool,
    pub(super) bytes: bool,
    /// Of an f-string or t-string.
    pub(super) format: bool,
}

impl Prefix {
    /// The prefix that ends before `quote`. A longer word there, `print"x"` say, is none.
    pub(super) fn before(text: &[u8], quote: usize) -> Prefix {
        let word = text[quote.saturating_sub(3)..quote].iter().rev().take_while(|&&b| continues_name(b)).count();
        let letters = text[quote - word..quote].to_ascii_lowercase();
        let (raw, bytes, format) = match letters.as_slice() {
            b"u" => (false, false, false),
            b"r" => (true, false, false),
            b"b" => (false, true, false),
            b"br" | b"rb" => (true, true, false),
            b"f" | b"t" => (false, false, true),
            b"fr" | b"rf" | b"tr" | b"rt" => (true, false, true),
            _ => return Prefix::default(),
        };
        Prefix { len: word, raw, bytes, format }
    }

    /// The prefix of a whole string literal.
    pub(super) fn of(literal: &str) -> Prefix {
        memchr2(b'"', b'\'', literal.as_bytes())
            .map_or(Prefix::default(), |quote| Prefix::before(literal.as_bytes(), quote))
    }
}

/// What a whole literal says, if that is one word of ASCII letters, digits and underscores. A backslash line break
/// says nothing.
pub(super) fn word(literal: &str) -> Option<&str> {
    let prefix = Prefix::of(literal);
    let mut text = literal[prefix.len..].trim_matches(['"', '\'']);
    if !prefix.raw {
        text = text.trim_start_matches("\\\n").trim_end_matches("\\\n");
    }
    let is_word = text.bytes().all(|b| b.is_ascii() && continues_name(b));
    (!prefix.bytes && is_word).then_some(text)
}

/// What an f-string and the literals joined to it say, with `field` for each of its fields.
pub(in crate::lint_spawns) fn joined(literals: &str, field: char) -> String {
    let mut text = String::new();
    let mut raw = Vec::new();
    for token in Lexer::new(literals) {
        let code = &literals[token.range.clone()];
        match token.kind {
            Kind::String => {
                let prefix = Prefix::of(code);
                let quoted = &code[prefix.len..];
                let quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
                let body = quoted.get(quotes..quoted.len().saturating_sub(quotes)).unwrap_or_default();
                if raw.is_empty() {
                    unescape(body, prefix.raw, false, &mut text);
                }
            }
            Kind::FormatStart => raw.push(Prefix::of(code).raw),
            Kind::FormatEnd => drop(raw.pop()),
            Kind::FormatText if token.depth == 0 => {
                unescape(code, raw.last().is_some_and(|raw| *raw), true, &mut text);
            }
            Kind::FieldOpen if token.depth == 0 => text.push(field),
            _ => {}
        }
    }
    text
}

/// Appends what the text of a literal stands for. Rare escapes stay as they are written.
fn unescape(body: &str, raw: bool, format: bool, text: &mut String) {
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('{' | '}', Some(next)) if format && *next == c => drop(chars.next()),
            ('\\', Some(next)) if !raw => {
                let plain = match next {
                    'n' => '\n',
                    't' => '\t',
                    '\\' | '\'' | '"' => *next,
                    '\n' => {
                        chars.next();
                        continue;
                    }
                    _ => c,
                };
                if plain != c || *next == '\\' {
                    chars.next();
                }
                text.push(plain);
                continue;
            }
            _ => {}
        }
        text.push(c);
    }
}
