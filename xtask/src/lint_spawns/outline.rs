//! The logical lines of a text as a tree of blocks, by their indentation alone.

use std::ops::Range;

use super::lexer::word_at;
use super::statement::logical_lines;

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
}

impl Outline {
    pub fn new(text: &str) -> Outline {
        let mut lines: Vec<Line> = Vec::new();
        // The lines whose blocks may go on, with their indentation.
        let mut open: Vec<(usize, usize)> = Vec::new();
        for range in logical_lines(text) {
            let line = &text[range.clone()];
            let code = line.trim_start_matches([' ', '\t', '\x0c']);
            if code.is_empty() || code.starts_with('#') {
                continue;
            }
            let indent = width(&line[..line.len() - code.len()]);
            while let Some((closed, _)) = open.pop_if(|(_, outer)| *outer >= indent) {
                lines[closed].end = lines.len();
            }
            let parent = open.last().map(|&(line, _)| line);
            let scope = parent.and_then(|parent| match lines[parent].opens {
                Opens::Function | Opens::Class => Some(parent),
                Opens::Other => lines[parent].scope,
            });
            let first = word_at(code, 0);
            let opens = match &code[first.clone()] {
                "def" => Opens::Function,
                "async" if code[first.end..].trim_start().starts_with("def") => Opens::Function,
                "class" => Opens::Class,
                _ => Opens::Other,
            };
            open.push((lines.len(), indent));
            lines.push(Line { range, parent, scope, opens, end: 0 });
        }
        for (closed, _) in open {
            lines[closed].end = lines.len();
        }
        Outline { lines }
    }

    pub fn line(&self, at: usize) -> &Line {
        &self.lines[at]
    }

    /// The line that holds a byte of the text. None if no code is there.
    pub fn line_at(&self, offset: usize) -> Option<usize> {
        let line = self.lines.partition_point(|line| line.range.end < offset);
        self.lines.get(line).is_some_and(|line| line.range.start <= offset).then_some(line)
    }

    /// The lines in whose blocks a line is, from the inside out.
    pub fn around(&self, line: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.lines[line].parent, |&outer| self.lines[outer].parent)
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
