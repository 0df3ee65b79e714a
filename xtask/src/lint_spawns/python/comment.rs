//! The comments of a text, each with the statement that it belongs to.

use std::ops::Range;

use super::lexer::{Kind, Lexer};
use super::statement::broken_blocks;

#[derive(Debug)]
pub struct Comment {
    /// From its `#` to before the line break, in bytes of the text.
    pub range: Range<usize>,
    /// The statement on one of whose lines it stands, or directly above which, alone on its line or in a block of such
    /// lines. Empty if there is none.
    pub statement: Range<usize>,
    /// Whether it is one however the text is mended: where triple quotes are missing it may be part of a string.
    pub certain: bool,
}

/// Where the comments and statements of a text are.
///
/// A statement is a logical line, the header of a compound statement for example. Decorators are one statement with the
/// header that they decorate. Where a string or bracket has no end, where the statement ends is a guess: there each line
/// is taken for a statement of its own.
#[derive(Debug)]
pub struct Layout {
    /// In order, as all of these.
    pub comments: Vec<Comment>,
    statements: Vec<Range<usize>>,
}

impl Layout {
    pub fn new(text: &str) -> Layout {
        let mut lexer = Lexer::new(text);
        let mut layout = read(text, &mut lexer);
        if lexer.is_endless() {
            layout = read(text, &mut Lexer::new(text).recovering());
            let broken = broken_blocks(text, 0);
            for comment in &mut layout.comments {
                let block = broken.partition_point(|block| block.end <= comment.range.start);
                comment.certain = broken.get(block).is_none_or(|block| comment.range.start < block.start);
            }
        }
        layout
    }

    /// The statement that holds a byte of the text.
    pub fn statement_at(&self, offset: usize) -> Option<Range<usize>> {
        let at = self.statements.partition_point(|statement| statement.end < offset);
        self.statements.get(at).filter(|statement| statement.start <= offset).cloned()
    }

    /// The comment that holds a byte of the text.
    pub fn comment_at(&self, offset: usize) -> Option<&Comment> {
        let at = self.comments.partition_point(|comment| comment.range.end <= offset);
        self.comments.get(at).filter(|comment| comment.range.start <= offset)
    }
}

fn read(text: &str, lexer: &mut Lexer) -> Layout {
    let mut reader = Reader { text, comments: Vec::new(), statements: Vec::new(), waiting: 0, decorated: None };
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let token = lexer.next();
        let end = match &token {
            Some(token) if token.kind == Kind::Comment => {
                found.push(token.range.clone());
                continue;
            }
            Some(token) if token.kind == Kind::Newline => token.range.start,
            Some(_) => continue,
            None => text.len(),
        };
        if lexer.take_broken() {
            reader.broken(start..end, &found);
        } else {
            reader.line(start..end, &found);
        }
        found.clear();
        if token.is_none() {
            return reader.finish();
        }
        start = end + 1;
    }
}

struct Reader<'t> {
    text: &'t str,
    comments: Vec<Comment>,
    statements: Vec<Range<usize>>,
    /// The first of the comments that belong to the next statement.
    waiting: usize,
    /// Where a statement begins of which there are only decorators so far.
    decorated: Option<usize>,
}

impl Reader<'_> {
    /// A logical line, and the comments in it.
    fn line(&mut self, range: Range<usize>, found: &[Range<usize>]) {
        self.comments.extend(found.iter().map(|found| Comment {
            range: found.clone(),
            statement: found.start..found.start,
            certain: true,
        }));
        let line = &self.text[range.clone()];
        let code = line.trim_start_matches([' ', '\t', '\x0c']);
        if code.is_empty() {
            if self.decorated.is_none() {
                self.waiting = self.comments.len();
            }
            return;
        }
        if found.first().is_some_and(|comment| comment.start == range.end - code.len()) {
            return;
        }
        let start = *self.decorated.get_or_insert(range.start);
        if !code.starts_with('@') {
            self.end_statement(start..range.end);
        }
    }

    /// A logical line of which it is not known where it ends.
    fn broken(&mut self, range: Range<usize>, found: &[Range<usize>]) {
        let mut rest = found;
        let mut start = range.start;
        for line in self.text[range].split('\n') {
            let end = start + line.len();
            let (inside, after) = rest.split_at(rest.iter().take_while(|comment| comment.start < end).count());
            self.line(start..end, inside);
            if let Some(start) = self.decorated {
                self.end_statement(start..end);
            }
            rest = after;
            start = end + 1;
        }
    }

    fn end_statement(&mut self, statement: Range<usize>) {
        for comment in &mut self.comments[self.waiting..] {
            comment.statement = statement.clone();
        }
        self.waiting = self.comments.len();
        self.decorated = None;
        self.statements.push(statement);
    }

    fn finish(mut self) -> Layout {
        if let Some(start) = self.decorated {
            self.end_statement(start..self.text.len());
        }
        Layout { comments: self.comments, statements: self.statements }
    }
}
