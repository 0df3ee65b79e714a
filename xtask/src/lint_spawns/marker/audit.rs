//! Tells what is wrong with the markers of a text: those that accept nothing, and what was meant for one.

use std::ops::{Deref, RangeInclusive};

use super::super::check::Hit;
use super::super::lines::Lines;
use super::super::policy::Markers;
use super::super::python::comment::{Comment, Layout};
use super::{Audit, Flaw, FlawKind, Marker, Marking};

impl Marking {
    /// `markers` are those of the text, which have accepted its `hits`.
    pub(in crate::lint_spawns) fn audit(
        &self,
        lines: &Lines,
        layout: &impl Deref<Target = Layout>,
        hits: &[Hit],
        mut markers: Vec<Marker>,
    ) -> Audit {
        let mut flaws = Vec::new();
        match self.kind {
            Markers::Reference => markers = self.without_mere_text(lines, layout, markers),
            Markers::Statement => flaws.extend(self.in_strings(lines, layout, hits)),
        }
        for marker in markers.iter().filter(|marker| marker.hits.is_empty()) {
            flaws.push(Flaw {
                line: marker.line,
                range: marker.start..lines.range(marker.line).end,
                kind: FlawKind::Unused,
                what: self.unused(marker, lines, hits).to_owned(),
            });
        }
        for comment in layout.comments.iter().filter(|comment| comment.certain) {
            let text = &lines.text()[comment.range.clone()];
            if self.meant.may_be_in(text.as_bytes())
                && !self.pattern.is_match(text)
                && let Some(what) = self.meant.wrong_with(text)
            {
                let what = format!("no marker: {what}; write `{} — <reason>`", self.text);
                let (line, range) = (lines.number(comment.range.start), comment.range.clone());
                flaws.push(Flaw { line, range, kind: FlawKind::Malformed, what });
            }
        }
        flaws.sort_by_key(|flaw| flaw.line);
        Audit { markers, flaws }
    }

    fn unused(&self, marker: &Marker, lines: &Lines, hits: &[Hit]) -> &'static str {
        let reached = on_lines(hits, lines.number(marker.reach.start)..=lines.number(marker.reach.end));
        match self.kind {
            _ if reached.iter().any(|hit| !hit.dropped) => {
                "the marker covers no hit: those it could cover have a nearer one"
            }
            _ if !reached.is_empty() => "the marker covers no hit but such as `precise` drops",
            Markers::Reference => "the marker covers no hit: there is none on its line or the next",
            Markers::Statement if marker.reach.is_empty() => {
                "the marker covers no hit: it is neither in a statement nor directly above one"
            }
            Markers::Statement => "the marker covers no hit: there is none in its statement",
        }
    }

    /// Text outside comments is a marker only if it accepts something: else it may explain what a marker is.
    fn without_mere_text(
        &self,
        lines: &Lines,
        layout: &impl Deref<Target = Layout>,
        markers: Vec<Marker>,
    ) -> Vec<Marker> {
        let certain = |comment: &&Comment| comment.certain;
        let kept = markers.into_iter().filter_map(|marker| {
            if !marker.hits.is_empty() || layout.comment_at(marker.start).filter(certain).is_some() {
                return Some(marker);
            }
            // Behind it there may be a comment.
            let line = lines.range(marker.line);
            let comment = layout.comment_at(line.end.saturating_sub(1)).filter(certain)?;
            self.marker(lines, comment.range.clone(), marker.reach)
        });
        kept.collect()
    }

    /// Those that would accept a hit if they were comments.
    fn in_strings(&self, lines: &Lines, layout: &impl Deref<Target = Layout>, hits: &[Hit]) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        if hits.iter().all(is_settled) {
            return flaws;
        }
        for marker in self.lines_with_one(lines) {
            let comment = layout.comment_at(marker.start);
            if comment.is_some_and(|comment| comment.certain) {
                continue;
            }
            let statement = layout.statement_at(marker.start);
            let in_statement = statement.map(|range| lines.number(range.start)..=lines.number(range.end));
            let mut would_count = [Some(marker.line..=marker.line + 1), in_statement].into_iter().flatten();
            if would_count.any(|lines| !on_lines(hits, lines).iter().all(is_settled)) {
                let what = match comment {
                    None => "no marker: it stands in a string, and only a comment counts",
                    Some(_) => "no marker: triple quotes are missing in the file, so it may stand in a string",
                };
                flaws.push(Flaw {
                    line: marker.line,
                    range: marker.start..lines.range(marker.line).end,
                    kind: FlawKind::Malformed,
                    what: what.to_owned(),
                });
            }
        }
        flaws
    }
}

/// Whether a hit needs no marker, or no other.
fn is_settled(hit: &Hit) -> bool {
    hit.reason.is_some() || hit.dropped
}

/// Of hits in order.
fn on_lines(hits: &[Hit], lines: RangeInclusive<usize>) -> &[Hit] {
    let first = hits.partition_point(|hit| hit.line < *lines.start());
    let count = hits[first..].partition_point(|hit| hit.line <= *lines.end());
    &hits[first..first + count]
}
