//! Cuts the logical lines that mention a needle out of a text, and completes each to a module that can be parsed alone.
//!
//! A logical line never depends on the ones around it, but for the clause it belongs to: `else:` needs an `if`, a
//! decorator a `def`. What is missing is put before and after it, so that every offset in it moves by one constant.

use std::ops::Range;

use rustpython_parser::{Parse as _, ast};

use super::lexer::{self, Kind, Lexer, Token};
use super::{literal, rewrite};

/// One logical line that mentions a needle where it can mean something.
#[derive(Debug)]
pub struct Statement<'t> {
    /// Without the white space and backslash line breaks before its first word.
    pub text: &'t str,
    /// Where `text` starts in the whole text, in bytes.
    pub start: usize,
    /// Where a needle stands as a word of code or as a whole string literal, in bytes of `text`.
    pub mentions: Vec<Range<usize>>,
    /// None unless `parsable`.
    tokens: Vec<Token>,
    parsable: bool,
    /// No syntax tree of it is deeper.
    pub depth: usize,
    /// Whether a needle in it means something only if triple quotes are missing in the text.
    in_doubt: bool,
}

/// A statement made complete.
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    pub source: String,
    /// How many bytes of `source` come before the statement.
    pub shift: usize,
}

/// The logical lines of `text`, as byte ranges without their line breaks; a blank or comment line counts as one.
pub fn logical_lines(text: &str) -> LogicalLines<'_> {
    LogicalLines::from(Lexer::new(text), text)
}

/// See [`logical_lines`].
pub struct LogicalLines<'t> {
    lexer: Lexer<'t>,
    start: usize,
    /// Of the text.
    end: usize,
}

impl<'t> LogicalLines<'t> {
    fn from(lexer: Lexer<'t>, text: &str) -> LogicalLines<'t> {
        LogicalLines { start: lexer.position(), end: text.len(), lexer }
    }

    /// Whether triple quotes are missing in the lines so far.
    pub fn is_endless(&self) -> bool {
        self.lexer.is_endless()
    }
}

impl Iterator for LogicalLines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.start > self.end {
            return None;
        }
        let end = self.lexer.find(|token| token.kind == Kind::Newline).map_or(self.end, |token| token.range.start);
        let line = self.start..end;
        self.start = end + 1;
        Some(line)
    }
}

/// The statements of `text` that mention one of `needles`, byte ranges in rising order.
pub fn cut<'t>(text: &'t str, needles: &'t [Range<usize>]) -> impl Iterator<Item = Statement<'t>> {
    Cut { text, needles, lines: LogicalLines::from(Lexer::new(text), text), strings: Strings::Unknown }
}

/// [`cut`] for a text of which the logical lines are known, and in which no triple quotes are missing.
pub fn cut_lines<'t>(
    text: &'t str,
    needles: &'t [Range<usize>],
    lines: impl Iterator<Item = Range<usize>> + 't,
) -> impl Iterator<Item = Statement<'t>> {
    let mut rest = needles;
    lines.filter_map(move |line| {
        let after = rest.iter().take_while(|needle| needle.start < line.end).count();
        let (before, after) = rest.split_at(after);
        rest = after;
        let inside = &before[before.partition_point(|needle| needle.start < line.start)..];
        if inside.is_empty() {
            return None;
        }
        let statement = Statement::new(&text[line.clone()], line.start, inside, &Strings::Certain);
        (!statement.mentions.is_empty()).then_some(statement)
    })
}

struct Cut<'t> {
    text: &'t str,
    /// Those that are still to come.
    needles: &'t [Range<usize>],
    lines: LogicalLines<'t>,
    strings: Strings,
}

/// What is known of the triple-quoted strings in the rest of a text.
///
/// Where triple quotes are missing, what looks like a string may be code, and a needle in it is reported. Whether some
/// are is known only at the end of the text, so it is looked up when a needle depends on it.
enum Strings {
    Unknown,
    Certain,
    /// Uncertain in these ranges of the text.
    Doubtful(Vec<Range<usize>>),
}

impl<'t> Iterator for Cut<'t> {
    type Item = Statement<'t>;

    fn next(&mut self) -> Option<Statement<'t>> {
        while !self.needles.is_empty() {
            let line = self.lines.next()?;
            let count = self.needles.iter().take_while(|needle| needle.start < line.end).count();
            let (inside, after) = self.needles.split_at(count);
            if inside.is_empty() {
                continue;
            }
            let statement = Statement::new(&self.text[line.clone()], line.start, inside, &self.strings);
            if statement.in_doubt && matches!(self.strings, Strings::Unknown) {
                let mut rest = Lexer::from(self.text, line.start);
                rest.by_ref().for_each(drop);
                if rest.is_endless() {
                    self.strings = Strings::Doubtful(broken_blocks(self.text, line.start));
                    self.lines = LogicalLines::from(Lexer::from(self.text, line.start).recovering(), self.text);
                    continue;
                }
                self.strings = Strings::Certain;
            }
            self.needles = after;
            if !statement.mentions.is_empty() {
                return Some(statement);
            }
        }
        None
    }
}

/// The blocks, from one definition or import at the top level to the next, that lack an end of a string or bracket.
/// In the others each triple quote has its partner.
pub(super) fn broken_blocks(text: &str, start: usize) -> Vec<Range<usize>> {
    let mut broken = Vec::new();
    let mut begin = start;
    while begin < text.len() {
        let mut lexer = Lexer::from(text, begin).recovering();
        let starts_block =
            |token: &Token| token.kind == Kind::Newline && lexer::starts_block(&text.as_bytes()[token.range.end..]);
        let end = lexer.find(starts_block).map_or(text.len(), |token| token.range.end);
        if lexer.is_broken() {
            broken.push(begin..end);
        }
        begin = end;
    }
    broken
}

impl<'t> Statement<'t> {
    /// The logical line in a range of the text, whatever it mentions.
    pub fn whole(text: &'t str, line: Range<usize>) -> Statement<'t> {
        Statement::new(&text[line.clone()], line.start, &[], &Strings::Certain)
    }

    fn new(line: &'t str, offset: usize, needles: &[Range<usize>], strings: &Strings) -> Statement<'t> {
        let text = skip_blank(line);
        let start = offset + (line.len() - text.len());
        let mut lexer = Lexer::with_separators(text);
        let mut distrusted = false;
        if let Strings::Doubtful(ranges) = strings {
            lexer = lexer.recovering();
            distrusted =
                ranges.get(ranges.partition_point(|range| range.end <= offset)).is_some_and(|r| r.start <= offset);
        }
        let extent = Extent::of(text, lexer.clone());
        let mut in_doubt = false;
        let mut mentions = Vec::new();
        let mut rest = lexer.clone().peekable();
        for needle in needles.iter().filter(|needle| needle.start >= start) {
            let needle = needle.start - start..needle.end - start;
            while rest.next_if(|token| token.range.end <= needle.start).is_some() {}
            let token = rest.peek().filter(|token| token.range.start < needle.end);
            let means_something = token.is_none_or(|token| match token.kind {
                Kind::OpenString => true,
                Kind::FormatText if extent.broken => true,
                Kind::String if literal::word(&text[token.range.clone()]) == Some(&text[needle.clone()]) => true,
                _ => {
                    let doubtful = token.kind == Kind::FormatText || holds_triple_quotes(&text[token.range.clone()]);
                    in_doubt |= doubtful;
                    doubtful && distrusted
                }
            });
            if means_something {
                mentions.push(needle);
            }
        }
        let broken = extent.broken || (in_doubt && distrusted);
        let fits = extent.deepest <= DEEPEST && extent.words_and_operators <= LARGEST;
        let parsable = !broken && fits;
        let tokens = if parsable { lexer.collect() } else { Vec::new() };
        Statement { text, start, mentions, tokens, parsable, depth: extent.deepest, in_doubt }
    }

    /// Its syntax trees, each with how many bytes come before the statement in what was parsed. None if there is no way
    /// to read it.
    pub fn parse(&self) -> Option<Vec<(ast::Suite, usize)>> {
        let parse = |module: Module| Some((ast::Suite::parse(&module.source, "").ok()?, module.shift));
        self.readings().find_map(|modules| modules.into_iter().map(parse).collect())
    }

    /// The ways to read the statement, the likeliest first; each as modules that must all parse. None if no Python has
    /// such brackets or strings, or if the parser would need too much for it.
    pub fn readings(&self) -> impl Iterator<Item = Vec<Module>> {
        let forms: &[Form] = if self.parsable { self.forms() } else { &[] };
        // Of no use where nothing is parsed, and a copy of what may be large.
        let plain = if forms.is_empty() { String::new() } else { rewrite::format_strings(self.text, &self.tokens) };
        let plain: std::rc::Rc<str> = plain.into();
        let kept = std::rc::Rc::clone(&plain);
        let as_it_stands = forms.iter().map(move |form| vec![form.complete(&kept)]);
        let rewritten = forms.iter().map(move |form| {
            let first_is_name = matches!(form, Form::Plain | Form::Header);
            let known = rewrite::unknown_syntax(&plain, first_is_name);
            let form = match form {
                Form::Handler if known.no_handler => &Form::Plain,
                Form::HandlerHeader if known.no_handler => &Form::Header,
                _ => form,
            };
            let type_parameters = known.type_parameters.map(|list| Module { source: list + "\n", shift: 0 });
            [form.complete(&known.statement)].into_iter().chain(type_parameters).collect()
        });
        as_it_stands.chain(rewritten)
    }

    fn forms(&self) -> &'static [Form] {
        let header = self.ends_in_colon();
        match &self.text[lexer::word_at(self.text, 0)] {
            "if" | "while" | "for" | "with" | "def" | "class" | "async" if header => &[Form::Header],
            "elif" | "else" if header => &[Form::ElseHeader],
            "elif" | "else" => &[Form::Else],
            "except" | "finally" if header => &[Form::HandlerHeader],
            "except" | "finally" => &[Form::Handler],
            "try" => &[Form::Try],
            "match" if header => &[Form::MatchHeader],
            "case" if header => &[Form::CaseHeader],
            // A clause, or an annotation of a subscript of `case`.
            "case" => &[Form::Case, Form::Plain],
            _ if self.text.starts_with('@') => &[Form::Decorator],
            _ => &[Form::Plain],
        }
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
}

/// How much there is to parse in a statement.
struct Extent {
    broken: bool,
    words_and_operators: usize,
    /// No syntax tree of the statement is deeper than this: between two commas of a bracket each level of a tree takes
    /// a word or an operator. A `lambda` has commas of its own.
    deepest: usize,
}

impl Extent {
    fn of(text: &str, mut lexer: Lexer) -> Extent {
        let mut outside: Vec<(usize, bool)> = Vec::new();
        let (mut sum, mut here, mut lambda, mut deepest, mut all, mut at) = (0, 0, false, 0, 0, 0);
        for token in lexer.by_ref() {
            let code = &text[at..token.range.start];
            let count = words_and_operators(code) + 1;
            all += count;
            here += count;
            lambda |= code.contains("lambda");
            deepest = deepest.max(sum + here);
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
        let last = words_and_operators(&text[at..]);
        Extent { broken: lexer.is_broken(), words_and_operators: all + last, deepest: deepest.max(here + last) }
    }
}

/// Deeper statements are not parsed. The parser's stack, and that of whoever drops a tree, grows with its depth.
const DEEPEST: usize = 30_000;

/// Statements of more words and operators are not parsed: each takes up to 120 bytes in the syntax tree.
const LARGEST: usize = 1 << 20;

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

fn holds_triple_quotes(text: &str) -> bool {
    text.contains("\"\"\"") || text.contains("'''")
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
