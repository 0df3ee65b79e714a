//! Cuts the logical lines that mention a needle out of a text, and completes each to a module that can be parsed alone.
//!
//! A logical line never depends on the ones around it, but for the clause it belongs to: `else:` needs an `if`, a
//! decorator a `def`. What is missing is put before and after it, so that every offset in it moves by one constant.

use std::ops::Range;

use super::lexer::{self, Kind, Lexer, Prefix, Token, continues_name};
use super::rewrite;

/// One logical line that mentions a needle where it can mean something.
#[derive(Debug)]
pub struct Statement<'t> {
    /// Without the white space and backslash line breaks before its first word.
    pub text: &'t str,
    /// Where `text` starts in the whole text, in bytes.
    pub start: usize,
    /// Where a needle stands as a word of code or as a whole string literal, in bytes of `text`.
    pub mentions: Vec<Range<usize>>,
    tokens: Vec<Token>,
    broken: bool,
}

/// A statement made complete.
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    pub source: String,
    /// How many bytes of `source` come before the statement.
    pub shift: usize,
}

/// The logical lines of `text`, as byte ranges without their line breaks; a blank or comment line counts as one.
pub fn logical_lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut lexer = Lexer::new(text);
    let mut start = 0;
    std::iter::from_fn(move || {
        if start > text.len() {
            return None;
        }
        let end = lexer.find(|token| token.kind == Kind::Newline).map_or(text.len(), |token| token.range.start);
        let line = start..end;
        start = end + 1;
        Some(line)
    })
}

/// The statements of `text` that mention one of `needles`, byte ranges in rising order.
pub fn cut<'t>(text: &'t str, needles: &[Range<usize>]) -> Vec<Statement<'t>> {
    let mut statements = Vec::new();
    let mut needles = needles.iter().cloned().peekable();
    let mut lines = logical_lines(text);
    while needles.peek().is_some() {
        let Some(line) = lines.next() else { break };
        let mut inside = Vec::new();
        while let Some(needle) = needles.next_if(|needle| needle.start < line.end) {
            inside.push(needle);
        }
        if !inside.is_empty() {
            statements.extend(Statement::new(&text[line.clone()], line.start, inside));
        }
    }
    statements
}

impl<'t> Statement<'t> {
    /// None if the needles are all in comments and in longer strings.
    fn new(line: &'t str, offset: usize, mut needles: Vec<Range<usize>>) -> Option<Statement<'t>> {
        let text = skip_blank(line);
        let start = offset + (line.len() - text.len());
        let mut lexer = Lexer::with_separators(text);
        let tokens: Vec<Token> = lexer.by_ref().collect();
        let mut rest = tokens.iter().peekable();
        needles.retain_mut(|needle| {
            if needle.start < start {
                return false;
            }
            *needle = needle.start - start..needle.end - start;
            while rest.next_if(|token| token.range.end <= needle.start).is_some() {}
            rest.peek().is_none_or(|token| token.range.start >= needle.end || is_whole_literal(text, token, needle))
        });
        let broken = lexer.is_broken();
        (!needles.is_empty()).then_some(Statement { text, start, mentions: needles, tokens, broken })
    }

    /// The ways to read the statement, the likeliest first. None if no Python has such brackets or strings.
    pub fn modules(&self) -> impl Iterator<Item = Module> {
        let forms: &[Form] = if self.broken || self.deepest() > DEEPEST { &[] } else { self.forms() };
        let plain = rewrite::format_strings(self.text, &self.tokens);
        let plain: std::rc::Rc<str> = plain.into();
        let kept = std::rc::Rc::clone(&plain);
        let as_it_stands = forms.iter().map(move |form| form.complete(&kept));
        let rewritten = forms.iter().map(move |form| {
            let first_is_name = matches!(form, Form::Plain | Form::Header);
            form.complete(&rewrite::unknown_syntax(&plain, first_is_name))
        });
        as_it_stands.chain(rewritten)
    }

    fn forms(&self) -> &'static [Form] {
        let header = self.ends_in_colon();
        match self.first_word() {
            "if" | "while" | "for" | "with" | "def" | "class" | "async" if header => &[Form::Header],
            "elif" | "else" if header => &[Form::ElseHeader],
            "elif" | "else" => &[Form::Else],
            "except" | "finally" if header => &[Form::HandlerHeader],
            "except" | "finally" => &[Form::Handler],
            "try" if header => &[Form::TryHeader],
            "try" => &[Form::Try],
            "match" if header => &[Form::MatchHeader],
            "case" if header => &[Form::CaseHeader],
            // A clause, or an annotation of a subscript of `case`.
            "case" => &[Form::Case, Form::Plain],
            _ if self.text.starts_with('@') => &[Form::Decorator],
            _ => &[Form::Plain],
        }
    }

    fn first_word(&self) -> &str {
        let end = self.text.bytes().take_while(|&b| continues_name(b)).count();
        &self.text[..end]
    }

    fn ends_in_colon(&self) -> bool {
        let mut end = self.text.len();
        for token in self.tokens.iter().rev() {
            if !self.text[token.range.end..end].trim().is_empty() {
                break;
            }
            match token.kind {
                Kind::Comment | Kind::Continuation | Kind::Newline => end = token.range.start,
                _ => return false,
            }
        }
        self.text[..end].trim_end().ends_with(':')
    }

    /// No syntax tree of the statement is deeper than this: between two commas of a bracket each level of a tree takes
    /// a word or an operator. A `lambda` has commas of its own.
    fn deepest(&self) -> usize {
        let mut outside: Vec<(usize, bool)> = Vec::new();
        let (mut sum, mut here, mut lambda, mut most, mut at) = (0, 0, false, 0, 0);
        for token in &self.tokens {
            let code = &self.text[at..token.range.start];
            here += words_and_operators(code) + 1;
            lambda |= code.contains("lambda");
            most = most.max(sum + here);
            at = token.range.end;
            match token.kind {
                Kind::Open | Kind::FieldOpen | Kind::FormatStart => {
                    outside.push((here, lambda));
                    sum += here;
                    (here, lambda) = (0, false);
                }
                Kind::Close | Kind::FieldClose | Kind::FormatEnd => {
                    if let Some(before) = outside.pop() {
                        (here, lambda) = before;
                        sum -= here;
                    }
                }
                Kind::Separator if !lambda => here = 0,
                _ => {}
            }
        }
        most.max(here + words_and_operators(&self.text[at..]))
    }
}

/// Deeper statements are not parsed. The parser's stack, and that of whoever drops a tree, grows with its depth.
const DEEPEST: usize = 30_000;

/// What a statement needs to be a module.
#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    Header,
    Else,
    ElseHeader,
    Handler,
    HandlerHeader,
    Try,
    TryHeader,
    MatchHeader,
    Case,
    CaseHeader,
    Decorator,
}

impl Form {
    fn complete(self, statement: &str) -> Module {
        let (before, after) = match self {
            Form::Plain => ("", ""),
            Form::Header => ("", "\n pass"),
            Form::Else => ("if 0: pass\n", ""),
            Form::ElseHeader => ("if 0: pass\n", "\n pass"),
            Form::Handler => ("try: pass\n", ""),
            Form::HandlerHeader => ("try: pass\n", "\n pass"),
            Form::Try => ("", "\nfinally: pass"),
            Form::TryHeader => ("", "\n pass\nfinally: pass"),
            Form::MatchHeader => ("", "\n case _: pass"),
            Form::Case => ("match 0:\n ", ""),
            Form::CaseHeader => ("match 0:\n ", "\n  pass"),
            Form::Decorator => ("", "\ndef f(): pass"),
        };
        Module { source: [before, statement, after, "\n"].concat(), shift: before.len() }
    }
}

fn skip_blank(line: &str) -> &str {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t', '\x0c']);
        match trimmed.strip_prefix("\\\n") {
            Some(after) => rest = after,
            None => return trimmed,
        }
    }
}

/// Whether the needle, which touches the token, is all that a string literal says.
fn is_whole_literal(text: &str, token: &Token, needle: &Range<usize>) -> bool {
    if token.kind != Kind::String {
        return false;
    }
    let literal = &text[token.range.clone()];
    let prefix = Prefix::of(literal);
    !prefix.bytes && literal[prefix.len..].trim_matches(['"', '\'']) == &text[needle.clone()]
}

fn words_and_operators(code: &str) -> usize {
    let mut in_word = false;
    let mut count = 0;
    for byte in code.bytes() {
        let word = lexer::continues_name(byte);
        count += usize::from(if word { !in_word } else { !byte.is_ascii_whitespace() });
        in_word = word;
    }
    count
}
