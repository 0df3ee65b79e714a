//! Draws a problem: a title, the lines it is on with a caret below it, notes, and a marker where it can be written.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};

use super::super::annotate::Proposal;
use super::super::lines::Lines;
use crate::output::{printable, printable_at};

/// Code is cut to so many columns.
const WIDTH: usize = 120;

/// Lines before and after the place.
const CONTEXT: usize = 2;

/// Of a place with more lines, the first and the last are shown.
const TALLEST: usize = 10;

/// Characters of a line that a marker stands behind.
const LONGEST: usize = 100;

pub(super) struct Picture<'p> {
    /// Of a rule, or of a kind of problem.
    pub(super) name: &'static str,
    /// Escaped, as is all but the lines.
    pub(super) title: String,
    path: String,
    lines: &'p Lines<'p>,
    /// Where it is, in bytes of the text, with what is said of each place. Of none the line is not known.
    pub(super) shapes: Vec<(Range<usize>, Option<&'static str>)>,
    pub(super) notes: Vec<String>,
    pub(super) help: Vec<String>,
    pub(super) marker: Option<Marker<'p>>,
}

/// The line that accepts it.
pub(super) struct Marker<'p> {
    /// To write it.
    pub(super) call: String,
    pub(super) proposal: &'p Proposal,
}

impl<'p> Picture<'p> {
    pub(super) fn new(path: String, lines: &'p Lines<'p>) -> Picture<'p> {
        let (title, shapes, notes, help) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        Picture { name: "", title, path, lines, shapes, notes, help, marker: None }
    }

    pub(super) fn draw(&self, renderer: &Renderer) -> String {
        let renderer = renderer.clone().term_width(WIDTH);
        let mut problem = Level::ERROR.primary_title(self.title.as_str()).id(self.name).elements(Vec::<Origin>::new());
        let excerpt = self.excerpt();
        problem = match &excerpt {
            None => problem.element(Origin::path(self.path.as_str())),
            Some(excerpt) => problem.element(
                Snippet::source(excerpt.text.as_str())
                    .path(self.path.as_str())
                    .line_start(excerpt.first)
                    .fold(excerpt.folded)
                    .annotations(
                        excerpt
                            .shapes
                            .iter()
                            .map(|(range, label)| AnnotationKind::Primary.span(range.clone()).label(*label)),
                    ),
            ),
        };
        problem = problem.elements(self.notes.iter().map(|note| Level::NOTE.message(note.as_str())));
        problem = problem.elements(self.help.iter().map(|help| Level::HELP.message(help.as_str())));
        let marker = self.marker.as_ref().map(|marker| marker.group(self.lines));
        let groups: Vec<Group> = [Some(problem), marker].into_iter().flatten().collect();
        let drawn = renderer.render(&groups) + "\n";
        match excerpt {
            // The renderer counts the column in the line as it is shown.
            Some(Excerpt { line, column, shown_column, .. }) if column != shown_column => drawn.replacen(
                &format!("{}:{line}:{shown_column}", self.path),
                &format!("{}:{line}:{column}", self.path),
                1,
            ),
            _ => drawn,
        }
    }

    fn excerpt(&self) -> Option<Excerpt> {
        let lines = self.lines;
        let (start, end) = self
            .shapes
            .iter()
            .fold((usize::MAX, 0), |(start, end), (range, _)| (start.min(range.start), end.max(range.end)));
        if start > end {
            return None;
        }
        let (line, column) = lines.place(start);
        let last = lines.number(end);
        let span = line.saturating_sub(CONTEXT).max(1)..=(last + CONTEXT).min(lines.count());
        let first = *span.start();
        let bounds = self.shapes.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
        let (text, bounds) = shown(lines, span, bounds);
        let at = |offset: &usize| bounds.get(offset).copied().unwrap_or(text.len());
        let shapes = self.shapes.iter().map(|(range, label)| (at(&range.start)..at(&range.end), *label)).collect();
        let before = text.get(..at(&start)).unwrap_or_default();
        let shown_column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        Some(Excerpt { first, shapes, folded: last - line > TALLEST, line, column, shown_column, text })
    }
}

/// The lines around what was found, escaped.
struct Excerpt {
    text: String,
    /// The number of its first line.
    first: usize,
    /// In bytes of it.
    shapes: Vec<(Range<usize>, Option<&'static str>)>,
    /// Whether lines in the middle are left out.
    folded: bool,
    /// Of the first shape.
    line: usize,
    column: usize,
    shown_column: usize,
}

/// Lines, escaped, and where in them the `bounds` are.
fn shown(lines: &Lines, span: RangeInclusive<usize>, mut bounds: Vec<usize>) -> (String, BTreeMap<usize, usize>) {
    bounds.sort_unstable();
    let first = *span.start();
    let mut text = String::new();
    let mut places = BTreeMap::new();
    for number in span {
        let range = lines.range(number);
        if number > first {
            text.push('\n');
        }
        let inside = bounds.iter().copied().filter(|bound| (range.start..=range.end).contains(bound));
        let inside: Vec<usize> = inside.map(|bound| bound - range.start).collect();
        let (line, shown) = printable_at(lines.line(number).trim_end_matches('\r'), &inside);
        places.extend(inside.iter().zip(shown).map(|(at, shown)| (range.start + at, text.len() + shown)));
        text += &line;
    }
    (text, places)
}

impl Marker<'_> {
    fn group<'g>(&self, lines: &Lines) -> Group<'g> {
        let Proposal { line, trailing, comment } = self.proposal;
        let code = lines.line(*line);
        let comment = printable(comment);
        let (code, patch) = if *trailing {
            let code = code.trim_end();
            let code = match code.chars().count().checked_sub(LONGEST) {
                None | Some(0) => printable(code),
                Some(surplus) => format!("...{}", printable(&code.chars().skip(surplus).collect::<String>())),
            };
            let end = code.len();
            (code, Patch::new(end..end, format!("  {comment}")))
        } else {
            let blank: String = code.chars().take_while(|c| matches!(c, ' ' | '\t' | '\x0c')).collect();
            let indentation = blank.rsplit('\x0c').next().unwrap_or_default();
            (String::new(), Patch::new(0..0, format!("{indentation}{comment}\n")))
        };
        Level::HELP.secondary_title(self.call.clone()).element(Snippet::source(code).line_start(*line).patch(patch))
    }
}
