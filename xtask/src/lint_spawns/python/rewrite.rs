//! Rewrites what the parser does not know, every byte staying where it is.
//!
//! [`format_strings`] is for every statement, [`unknown_syntax`] for one that does not parse otherwise.

use std::ops::Range;

use super::lexer::{Kind, Lexer, Token, continues_name, word_at};
use super::literal::{self, Prefix};
use super::parameters;

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
            // A list may be broken over lines without backslashes.
            Kind::Continuation if in_field => blank(&mut out[token.range.clone()]),
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

/// A statement in words that the parser knows.
pub(super) struct Known {
    pub(super) statement: String,
    /// Whether it was the handler of an exception and has become a statement.
    pub(super) no_handler: bool,
    /// The type parameters of a class or function that it has lost, as an expression.
    pub(super) type_parameters: Option<String>,
}

/// Replaces what only newer Pythons, or only CPython, read: see the list in the code. `first_is_name` tells whether a
/// `match`, `case` or `type` that the text starts with is taken for a plain name.
pub(super) fn unknown_syntax(text: &str, first_is_name: bool) -> Known {
    let mut out = text.as_bytes().to_vec();
    let tokens: Vec<Token> = Lexer::with_separators(text).collect();
    for token in &tokens {
        if token.kind == Kind::String {
            blank_literal(text, token.range.clone(), &mut out);
        }
    }
    // Characters that became letters after the parser's edition of Unicode.
    for (piece, _) in pieces(text, &tokens, 0, 0) {
        if let Piece::Word(word) = piece {
            out[word].iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'_');
        }
    }
    let clause = Clause::of(text, &tokens);
    soft_keywords(text, &tokens, first_is_name, clause.colon, &mut out);
    // `except A, B:` without parentheses.
    let no_handler = text.starts_with("except") && !clause.commas.is_empty();
    if no_handler {
        out[..6].copy_from_slice(b"with  ");
        let star = skip_space(text, 6);
        if text[star..].starts_with('*') {
            out[star] = b' ';
        }
    }
    let definition = Definition::of(text);
    parameters::make_distinct(text, &tokens, definition.as_ref().is_some_and(|it| it.of_function), &mut out);
    let type_parameters = definition.and_then(|it| take_type_parameters(text, &tokens, it.name, &mut out));
    let readable = |bytes| String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
    Known { statement: readable(out), no_handler, type_parameters: type_parameters.map(readable) }
}

/// A literal that is no needle's name loses its text.
fn blank_literal(text: &str, literal: Range<usize>, out: &mut [u8]) {
    let whole = &text[literal.clone()];
    let prefix = Prefix::of(whole);
    let quoted = &whole[prefix.len..];
    let quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
    let body = literal.start + prefix.len + quotes..literal.end.saturating_sub(quotes);
    if body.start >= body.end || literal::word(whole).is_some() {
        return;
    }
    let single = quotes == 1;
    for at in body {
        let kept = text.as_bytes()[at] == b'\n' || (single && text.as_bytes()[at..].starts_with(b"\\\n"));
        if !kept {
            out[at] = b' ';
        }
    }
}

/// Names that only look like keywords become other names, and type aliases become assignments.
fn soft_keywords(text: &str, tokens: &[Token], first_is_name: bool, colon: Option<usize>, out: &mut [u8]) {
    let mut starts: Vec<usize> = first_is_name.then_some(0).into_iter().chain(colon.map(|colon| colon + 1)).collect();
    starts.extend(tokens.iter().filter(|t| t.depth == 0 && &text[t.range.clone()] == ";").map(|token| token.range.end));
    for start in starts {
        let word = word_at(text, skip_space(text, start));
        let next = word_at(text, skip_space(text, word.end));
        match &text[word.clone()] {
            "type" if !next.is_empty() && !OPERATORS.contains(&&text[next.clone()]) => {
                out[word].copy_from_slice(b"_ = ");
                if let Some(list) = type_parameter_list(text, tokens, next.end) {
                    slices(text, list, out);
                }
            }
            "match" | "case" | "type" => out[word].fill(b'_'),
            _ => {}
        }
    }
}

/// The words that can follow an operand.
const OPERATORS: [&str; 7] = ["and", "or", "is", "in", "not", "if", "else"];

/// The header of a class or function.
struct Definition {
    of_function: bool,
    name: Range<usize>,
}

impl Definition {
    fn of(text: &str) -> Option<Definition> {
        let mut keyword = word_at(text, 0);
        if &text[keyword.clone()] == "async" {
            keyword = word_at(text, skip_space(text, keyword.end));
        }
        let of_function = match &text[keyword.clone()] {
            "def" => true,
            "class" => false,
            _ => return None,
        };
        Some(Definition { of_function, name: word_at(text, skip_space(text, keyword.end)) })
    }
}

/// Takes the type parameters away from a class or function: they become the index of its name.
fn take_type_parameters(text: &str, tokens: &[Token], name: Range<usize>, out: &mut [u8]) -> Option<Vec<u8>> {
    let list = type_parameter_list(text, tokens, name.end)?;
    let whole = list.first()?.range.start..list.last()?.range.end;
    slices(text, list, out);
    let mut expression = out[..whole.end].to_vec();
    blank(&mut expression[..name.start]);
    // Before a space it would be the indentation of an expression.
    *expression.first_mut()? = b'(';
    expression.push(b')');
    out[whole].fill(b' ');
    Some(expression)
}

/// The tokens of the type parameters that follow a name, brackets included.
fn type_parameter_list<'a>(text: &str, tokens: &'a [Token], name_end: usize) -> Option<&'a [Token]> {
    let start = skip_space(text, name_end);
    let list = &tokens[tokens.partition_point(|token| token.range.start < start)..];
    let open = list.first().filter(|token| token.range.start == start && &text[token.range.clone()] == "[")?;
    let close = list.iter().position(|token| token.kind == Kind::Close && token.depth == open.depth)?;
    Some(&list[..=close])
}

/// Makes each type parameter an index that holds the same expressions: `T: bound = default` becomes a slice.
fn slices(text: &str, list: &[Token], out: &mut [u8]) {
    let [open, rest @ .., close] = list else { return };
    let text = &text[..close.range.start];
    let inside = open.depth + 1;
    // Of the parameter at hand: whether its default was seen, how many lambdas wait for their colon, and whether a star
    // would be one before a name or a default, not a product.
    let (mut has_default, mut lambdas, mut fresh) = (false, 0, true);
    for (piece, depth) in pieces(text, rest, open.range.end, inside) {
        match piece {
            _ if depth != inside => fresh = false,
            Piece::Word(word) => {
                lambdas += usize::from(&text[word] == "lambda");
                fresh = false;
            }
            Piece::Byte(at) => {
                let compares = b"=!<>:".contains(&text.as_bytes()[at - 1]) || text[at + 1..].starts_with('=');
                match text.as_bytes()[at] {
                    b'*' if fresh => out[at] = b' ',
                    b':' if lambdas > 0 => lambdas -= 1,
                    b'=' if lambdas == 0 && !has_default && !compares => {
                        out[at] = b':';
                        (has_default, fresh) = (true, true);
                    }
                    byte => fresh &= byte.is_ascii_whitespace(),
                }
            }
            Piece::Token(token) if token.kind == Kind::Separator && lambdas == 0 => {
                (has_default, fresh) = (false, true)
            }
            Piece::Token(token) => fresh &= matches!(token.kind, Kind::Comment | Kind::Continuation),
        }
    }
}

fn skip_space(text: &str, at: usize) -> usize {
    let mut rest = text[at..].trim_start();
    while let Some(next_line) = rest.strip_prefix("\\\n") {
        rest = next_line.trim_start();
    }
    text.len() - rest.len()
}

/// Where a clause is divided, outside brackets and the parameters of lambdas.
struct Clause {
    /// None if the statement is no clause.
    colon: Option<usize>,
    /// Those before the colon.
    commas: Vec<usize>,
}

impl Clause {
    fn of(text: &str, tokens: &[Token]) -> Clause {
        let mut commas = Vec::new();
        let mut lambdas = 0;
        for (piece, _) in pieces(text, tokens, 0, 0).filter(|(_, depth)| *depth == 0) {
            match piece {
                Piece::Word(word) => lambdas += usize::from(&text[word] == "lambda"),
                Piece::Byte(at) if text.as_bytes()[at] == b':' && lambdas == 0 => {
                    return Clause { colon: Some(at), commas };
                }
                Piece::Byte(at) => lambdas -= usize::from(text.as_bytes()[at] == b':'),
                Piece::Token(token) if token.kind == Kind::Separator && lambdas == 0 => commas.push(token.range.start),
                Piece::Token(_) => {}
            }
        }
        Clause { colon: None, commas }
    }
}

/// A part of a statement.
pub(super) enum Piece<'a> {
    /// A name, keyword or number.
    Word(Range<usize>),
    /// Where another byte of code is.
    Byte(usize),
    Token(&'a Token),
}

/// The code between tokens and the tokens themselves in their order, from `start`, where `depth` brackets are open; and
/// how many are open around each.
pub(super) fn pieces<'a>(
    text: &'a str,
    tokens: &'a [Token],
    start: usize,
    mut depth: usize,
) -> impl Iterator<Item = (Piece<'a>, usize)> {
    let mut at = start;
    let mut tokens = tokens.iter().peekable();
    std::iter::from_fn(move || {
        let end = tokens.peek().map_or(text.len(), |token| token.range.start);
        if at < end {
            let word = word_at(text, at);
            let piece = if word.is_empty() { Piece::Byte(at) } else { Piece::Word(word.clone()) };
            at = word.end.max(at + 1);
            return Some((piece, depth));
        }
        let token = tokens.next()?;
        at = token.range.end;
        depth = token.depth + usize::from(token.kind == Kind::Open);
        Some((Piece::Token(token), token.depth))
    })
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}
