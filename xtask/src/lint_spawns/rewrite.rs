//! Rewrites what the parser does not know, every byte staying where it is.
//!
//! [`format_strings`] is for every statement, [`unknown_syntax`] for one that does not parse otherwise.

use std::ops::Range;

use super::lexer::{Kind, Lexer, Prefix, Token, continues_name};

/// Makes each f-string or t-string, with the literals joined to it, a list display of its replacement fields.
///
/// A list, like the string, is no constant; it may be empty; and its range starts where the string's does.
pub(super) fn format_strings(text: &str, tokens: &[Token]) -> String {
    if !tokens.iter().any(|token| token.kind == Kind::FormatStart) {
        return text.to_owned();
    }
    let mut out = text.as_bytes().to_vec();
    let mut levels = vec![Level::default()];
    let mut code_from = 0;
    for token in tokens {
        let code = code_from..token.range.start;
        code_from = token.range.end;
        let in_field = levels.len() > 1;
        let Some(level) = levels.last_mut() else { break };
        if text[code].bytes().any(|b| !b.is_ascii_whitespace()) {
            level.finish(&mut out);
        }
        match token.kind {
            Kind::String | Kind::OpenString => level.join(token.range.clone()),
            Kind::FormatStart => {
                level.join(token.range.clone());
                level.has_format = true;
                blank(&mut out[token.range.clone()]);
                levels.push(Level::default());
            }
            Kind::FormatText | Kind::FormatEnd => {
                blank(&mut out[token.range.clone()]);
                if token.kind == Kind::FormatEnd && levels.len() > 1 {
                    levels.pop();
                    if let Some(outer) = levels.last_mut() {
                        outer.end = token.range.end;
                    }
                }
            }
            Kind::FieldOpen => {
                out[token.range.start] = b' ';
                level.fields.push(Some(token.range.end));
            }
            Kind::Conversion | Kind::SpecColon | Kind::FieldClose => {
                level.finish(&mut out);
                if let Some(Some(start)) = level.fields.last_mut().map(Option::take) {
                    end_field(&mut out, start..token.range.start);
                } else {
                    // The letter of a conversion.
                    if let Some(from) = level.conversion.take() {
                        blank(&mut out[from..token.range.start]);
                    }
                    out[token.range.start] = b' ';
                }
                if token.kind == Kind::Conversion {
                    level.conversion = Some(token.range.end);
                }
                if token.kind == Kind::FieldClose {
                    level.fields.pop();
                }
            }
            Kind::Comment if in_field => blank(&mut out[token.range.clone()]),
            Kind::Comment | Kind::Continuation => {}
            Kind::Newline | Kind::Open | Kind::Close | Kind::Separator => level.finish(&mut out),
        }
    }
    for level in &mut levels {
        level.finish(&mut out);
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// What is known of the string literals at one nesting of f-strings.
#[derive(Default)]
struct Level {
    /// Literals with nothing between them, which Python joins.
    joined: Vec<Range<usize>>,
    end: usize,
    has_format: bool,
    /// Where the expression of each open field starts, until its end is found.
    fields: Vec<Option<usize>>,
    conversion: Option<usize>,
}

impl Level {
    fn join(&mut self, literal: Range<usize>) {
        self.end = literal.end;
        self.joined.push(literal);
    }

    fn finish(&mut self, out: &mut [u8]) {
        let joined = std::mem::take(&mut self.joined);
        if !std::mem::take(&mut self.has_format) {
            return;
        }
        let Some(first) = joined.first() else { return };
        let start = first.start;
        for literal in joined {
            blank(&mut out[literal]);
        }
        out[start] = b'[';
        out[self.end - 1] = b']';
    }
}

/// Makes the expression of a field an item of a list: `code` is followed by the byte that ends the field.
fn end_field(out: &mut [u8], code: Range<usize>) {
    let end = code.end;
    let last = |out: &[u8]| code.clone().rev().find(|&at| !out[at].is_ascii_whitespace());
    // The `=` of a field that shows its own source.
    if let Some(at) = last(out)
        && out[at] == b'='
        && !(at > code.start && b"=!<>".contains(&out[at - 1]))
    {
        out[at] = b' ';
    }
    // A `yield` would need parentheses.
    if let Some(first) = code.clone().find(|&at| !out[at].is_ascii_whitespace()) {
        for word in [&b"yield"[..], b"from"] {
            let word_start = code.clone().find(|&at| at >= first && !out[at].is_ascii_whitespace()).unwrap_or(first);
            let word_end = word_start + word.len();
            if out[word_start..end].starts_with(word) && !(word_end < end && continues_name(out[word_end])) {
                blank(&mut out[word_start..word_end]);
            } else {
                break;
            }
        }
    }
    out[end] = match last(out) {
        Some(at) if out[at] != b',' => b',',
        _ => b' ',
    };
}

/// Replaces what only newer Pythons, or only CPython, read: see the list in the code. `first_is_name` tells whether a
/// `match`, `case` or `type` that the text starts with is taken for a plain name.
pub(super) fn unknown_syntax(text: &str, first_is_name: bool) -> String {
    let mut out = text.as_bytes().to_vec();
    let tokens: Vec<Token> = Lexer::with_separators(text).collect();
    for token in &tokens {
        if token.kind == Kind::String {
            blank_literal(text, token.range.clone(), &mut out);
        }
    }
    // Characters that became letters after the parser's edition of Unicode.
    for (range, _) in code_ranges(&tokens, text.len()) {
        for byte in &mut out[range] {
            if !byte.is_ascii() {
                *byte = b'_';
            }
        }
    }
    let colon = first_colon(text, &tokens);
    rename_soft_keywords(text, &tokens, first_is_name, colon, &mut out);
    type_parameter_defaults(text, &tokens, &mut out);
    // `except A, B:` without parentheses.
    if text.starts_with("except") {
        for token in &tokens {
            if token.kind == Kind::Separator && token.depth == 0 && Some(token.range.start) < colon {
                out[token.range.start] = b'|';
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// A literal that is no needle's name loses its prefix and its text.
fn blank_literal(text: &str, literal: Range<usize>, out: &mut [u8]) {
    let whole = &text[literal.clone()];
    let prefix = Prefix::of(whole);
    let quoted = &whole[prefix.len..];
    let quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
    let body = literal.start + prefix.len + quotes..literal.end.saturating_sub(quotes);
    if body.start >= body.end || text[body.clone()].bytes().all(|b| continues_name(b) && b.is_ascii()) {
        return;
    }
    blank(&mut out[literal.start..literal.start + prefix.len]);
    let single = quotes == 1;
    for at in body {
        let kept = text.as_bytes()[at] == b'\n' || (single && text.as_bytes()[at..].starts_with(b"\\\n"));
        if !kept {
            out[at] = b' ';
        }
    }
}

fn rename_soft_keywords(text: &str, tokens: &[Token], first_is_name: bool, colon: Option<usize>, out: &mut [u8]) {
    let mut starts: Vec<usize> = first_is_name.then_some(0).into_iter().chain(colon.map(|colon| colon + 1)).collect();
    starts.extend(tokens.iter().filter(|t| t.depth == 0 && &text[t.range.clone()] == ";").map(|token| token.range.end));
    for start in starts {
        let word_start = start + (text[start..].len() - text[start..].trim_start().len());
        let word_end = word_start + text[word_start..].bytes().take_while(|&b| continues_name(b)).count();
        let word = &text[word_start..word_end];
        let alias =
            word == "type" && text[word_end..].trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_');
        if alias && word_start > 0 {
            // `type X = int` is an assignment to whoever does not know it.
            blank(&mut out[word_start..word_end]);
        } else if !alias && matches!(word, "match" | "case" | "type") {
            out[word_start..word_end].fill(b'_');
        }
    }
}

/// In `class C[T: A = B]` and its like the default becomes a part of the bound.
fn type_parameter_defaults(text: &str, tokens: &[Token], out: &mut [u8]) {
    let header = text.trim_start_matches("async").trim_start();
    if !["def ", "class ", "type "].iter().any(|word| header.starts_with(word)) {
        return;
    }
    let Some(open) = tokens.iter().position(|token| token.kind == Kind::Open) else { return };
    if &text[tokens[open].range.clone()] != "[" {
        return;
    }
    let mut part = Part::Name;
    // Whether a star here is one before a name or a default, not a product.
    let mut fresh = true;
    let mut at = tokens[open].range.end;
    for token in &tokens[open + 1..] {
        // A closing bracket is outside what it ends.
        if token.depth + usize::from(token.kind == Kind::Close) == 1 {
            for place in at..token.range.start {
                let compares = out[..place].ends_with(b"=") || out[..place].ends_with(b"!") || out[place + 1] == b'=';
                match (out[place], part) {
                    (b'*', _) if fresh => out[place] = b' ',
                    (b':', Part::Name) => part = Part::Bound,
                    (b'=', Part::Name) => (out[place], part, fresh) = (b':', Part::Default, true),
                    (b'=', Part::Bound) if !compares => {
                        (out[place], part, fresh) = (b'|', Part::Default, true);
                        blank_negations(text, place + 1, out);
                    }
                    (byte, _) => fresh &= byte.is_ascii_whitespace(),
                }
            }
        }
        at = token.range.end;
        if token.kind == Kind::Separator && token.depth == 1 {
            (part, fresh) = (Part::Name, true);
        } else {
            fresh &= matches!(token.kind, Kind::Comment | Kind::Continuation);
        }
        if token.kind == Kind::Close && token.depth == 0 {
            break;
        }
    }
}

/// No operand of `|` can begin with `not`, and where shapes stand does not depend on it.
fn blank_negations(text: &str, mut from: usize, out: &mut [u8]) {
    loop {
        from += text[from..].len() - text[from..].trim_start().len();
        let is_not =
            text[from..].strip_prefix("not").is_some_and(|rest| !rest.bytes().next().is_some_and(continues_name));
        if !is_not {
            return;
        }
        blank(&mut out[from..from + 3]);
        from += 3;
    }
}

/// Of a type parameter.
#[derive(Clone, Copy)]
enum Part {
    Name,
    Bound,
    Default,
}

/// The first colon outside brackets: that of a clause, if the statement is one.
fn first_colon(text: &str, tokens: &[Token]) -> Option<usize> {
    code_ranges(tokens, text.len())
        .filter(|(_, depth)| *depth == 0)
        .find_map(|(range, _)| Some(range.start + text[range].find(':')?))
}

/// What lies between the tokens, and how many brackets are open there.
fn code_ranges(tokens: &[Token], end: usize) -> impl Iterator<Item = (Range<usize>, usize)> {
    let depth_after = |token: &Token| token.depth + usize::from(token.kind == Kind::Open);
    let starts = std::iter::once((0, 0)).chain(tokens.iter().map(move |token| (token.range.end, depth_after(token))));
    let ends = tokens.iter().map(|token| token.range.start).chain(std::iter::once(end));
    starts.zip(ends).map(|((start, depth), end)| (start..end, depth))
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}
