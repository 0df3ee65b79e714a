//! The logical lines of a text as a tree of blocks, by their indentation alone.

use std::ops::Range;

use super::lexer::word_at;
use super::statement::logical_lines;

/// Few texts have shorter lines, on average.
const BYTES_A_LINE: usize = 32;

/// A logical line that holds code.
#[derive(Debug)]
pub struct Line {
    /// In bytes of the text, without the line break.
    pub range: Range<usize>,
    /// The line whose block it is in.
    pub parent: Option<usize>,
    /// The class or function whose block it is in, however deep.
    pub scope: Option<usize>,
    pub opens: Opens,
    /// The first line after its block.
    pub end: usize,
}

/// What the block below a line is, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    Function,
    Class,
    Other,
}

#[derive(Debug)]
pub struct Outline {
    lines: Vec<Line>,
    endless: bool,
}

impl Outline {
    pub fn new(text: &str) -> Outline {
        let mut lines: Vec<Line> = Vec::with_capacity(text.len() / BYTES_A_LINE);
        // The lines whose blocks may go on, with their indentation.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut logical_lines = logical_lines(text);
        for range in logical_lines.by_ref() {
            let line = &text[range.clone()];
            let indentation = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).count();
            let code = &line[indentation..];
            if code.is_empty() || code.starts_with('#') {
                continue;
            }
            let indent = width(&line[..indentation]);
            while let Some((closed, _)) = open.pop_if(|(_, outer)| *outer >= indent) {
                lines[closed].end = lines.len();
            }
            let parent = open.last().map(|&(line, _)| line);
            let scope = parent.and_then(|parent| match lines[parent].opens {
                Opens::Function | Opens::Class => Some(parent),
                Opens::Other => lines[parent].scope,
            });
            let opens = match code.as_bytes().first() {
                Some(b'a' | b'c' | b'd') => opens(code),
                _ => Opens::Other,
            };
            open.push((lines.len(), indent));
            lines.push(Line { range, parent, scope, opens, end: 0 });
        }
        for (closed, _) in open {
            lines[closed].end = lines.len();
        }
        Outline { lines, endless: logical_lines.is_endless() }
    }

    /// Whether triple quotes are missing in the text, so that its lines are guesses.
    pub fn is_endless(&self) -> bool {
        self.endless
    }

    /// In order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub fn line(&self, at: usize) -> &Line {
        &self.lines[at]
    }

    /// The line that holds a byte of the text. None if no code is there.
    pub fn line_at(&self, offset: usize) -> Option<usize> {
        let line = self.lines.partition_point(|line| line.range.end < offset);
        self.lines.get(line).is_some_and(|line| line.range.start <= offset).then_some(line)
    }

    /// The classes and functions in which a line of `text` is, its own if it is the header of one: `Gateway.restart`.
    /// None at the top level.
    pub fn definition(&self, text: &str, line: usize) -> Option<String> {
        let innermost = match self.lines[line].opens {
            Opens::Function | Opens::Class => Some(line),
            Opens::Other => self.lines[line].scope,
        };
        let mut names: Vec<&str> = std::iter::successors(innermost, |&header| self.lines[header].scope)
            .map(|header| name_in(&text[self.lines[header].range.clone()]))
            .collect();
        names.reverse();
        (!names.is_empty()).then(|| names.join("."))
    }

    /// The lines in whose blocks a line is, from the inside out.
    pub fn around(&self, line: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.lines[line].parent, |&outer| self.lines[outer].parent)
    }
}

/// The name that the header of a class or function gives it.
fn name_in(header: &str) -> &str {
    let mut words = header.split(|c: char| c != '_' && !c.is_alphanumeric());
    words.find(|word| !matches!(*word, "" | "async" | "def" | "class")).unwrap_or_default()
}

fn opens(code: &str) -> Opens {
    let first = word_at(code, 0);
    match &code[first.clone()] {
        "def" => Opens::Function,
        "async" if code[first.end..].trim_start().starts_with("def") => Opens::Function,
        "class" => Opens::Class,
        _ => Opens::Other,
    }
}

/// As Python counts: a tab goes on to the next multiple of eight, a form feed starts again.
fn width(indentation: &str) -> usize {
    indentation.bytes().fold(0, |width, byte| match byte {
        b'\t' => (width / 8 + 1) * 8,
        b'\x0c' => 0,
        _ => width + 1,
    })
}
