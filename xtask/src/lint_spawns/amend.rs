//! Puts another baseline into the text of a policy file. Data in, data out.
//!
//! Only the lines and counts of the entries that differ are touched; every other byte stays. The parser tells where they
//! are, it does not write.
//!
//! Entries are separated by empty lines where `write` has laid them out: git merges two changes without a conflict as soon
//! as one line stands between them that neither touches.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Context as _, Result, ensure};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::baseline::{Baseline, Entry};
use super::lines::line_of;
use crate::output::printable_toml;

/// How to treat the lines of entries that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Keep,
    /// One empty line stands between two entries.
    Spread,
}

/// The line where the text has a table of that header, in whatever spelling, and its key first.
pub fn line_of_table(text: &str, header: &str) -> Result<Option<usize>> {
    let document = DeTable::parse(text)?;
    let key = find(document.get_ref(), header).map(|(key, _)| key.span().start);
    Ok(key.map(|at| line_of(text, at)))
}

/// The text with the baseline `wanted` instead of `present`. `renamed` has the new paths of entries by the old ones.
pub fn amend(
    text: &str,
    header: &str,
    present: &Baseline,
    wanted: &Baseline,
    renamed: &BTreeMap<String, String>,
    layout: Layout,
) -> Result<String> {
    if present == wanted {
        return Ok(text.to_owned());
    }
    let document = DeTable::parse(text)?;
    let amended = match find(document.get_ref(), header) {
        None => with_new_table(text, header, wanted),
        Some((_, table)) if text[table.span()].starts_with('{') => {
            applied(vec![(table.span(), inline_baseline(wanted))], text)
        }
        Some((_, table)) => applied(Lines::new(text, header, table)?.edits(present, wanted, renamed), text),
    };
    if layout == Layout::Keep {
        return Ok(amended);
    }
    let document = DeTable::parse(&amended)?;
    match find(document.get_ref(), header) {
        Some((_, table)) if !amended[table.span()].starts_with('{') => {
            Ok(Lines::new(&amended, header, table)?.spread())
        }
        _ => Ok(amended),
    }
}

/// Where entries stand in the text, in bytes: the key of a path, or of a function in its entry.
pub fn places(text: &str, header: &str, entries: &[(&str, Option<&str>)]) -> Vec<Option<Range<usize>>> {
    let document = DeTable::parse(text).ok();
    let table = document.as_ref().and_then(|document| find(document.get_ref(), header)?.1.get_ref().as_table());
    let place = |&(path, function): &(&str, Option<&str>)| {
        let (key, entry) = table?.get_key_value(path)?;
        let counts = entry.get_ref().as_table();
        let part = function.and_then(|function| Some(counts?.get_key_value(function)?.0.span()));
        Some(part.unwrap_or_else(|| key.span()))
    };
    entries.iter().map(place).collect()
}

/// The table of that header, and its own key.
fn find<'t, 'i>(
    document: &'t DeTable<'i>,
    header: &str,
) -> Option<(&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let (above, last) = header.rsplit_once('.').map_or((None, header), |(above, last)| (Some(above), last));
    let above = above.into_iter().flat_map(|above| above.split('.'));
    let table = above.into_iter().try_fold(document, |table, key| table.get(key)?.get_ref().as_table())?;
    table.get_key_value(last)
}

fn with_new_table(text: &str, header: &str, entries: &Baseline) -> String {
    let lines = entries.iter().map(|(path, entry)| format!("{} = {}\n", printable_toml(path), value(entry)));
    append(text, &format!("[{header}]\n{}", lines.collect::<String>()))
}

/// The text with `lines` below it, behind an empty line, with the line ends of the text.
pub fn append(text: &str, lines: &str) -> String {
    let eol = line_end_of(text);
    let mut amended = text.to_owned();
    if !text.trim_start_matches('\u{feff}').is_empty() {
        if !text.ends_with('\n') {
            amended += eol;
        }
        amended += eol;
    }
    amended + &lines.replace('\n', eol)
}

/// What stands behind the `=` of an entry.
fn value(entry: &Entry) -> String {
    match entry {
        Entry::File(count) => count.to_string(),
        Entry::Functions(counts) if counts.is_empty() => "{}".to_owned(),
        Entry::Functions(counts) => {
            let counts = counts.iter().map(|(function, count)| format!("{} = {count}", printable_toml(function)));
            format!("{{ {} }}", counts.collect::<Vec<_>>().join(", "))
        }
    }
}

fn inline_baseline(entries: &Baseline) -> String {
    let entries = entries.iter().map(|(path, entry)| format!("{} = {}", printable_toml(path), value(entry)));
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}

/// What the lines of the text end with.
fn line_end_of(text: &str) -> &'static str {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// A part of a text, and what is to stand there instead.
type Edit = (Range<usize>, String);

/// Applies edits, those at one place in the order in which they come. What is inserted into a part that goes stands in its
/// place; other edits do not overlap.
fn applied(mut edits: Vec<Edit>, text: &str) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut amended = String::with_capacity(text.len());
    let mut done = 0;
    for (range, by) in edits {
        amended += &text[done..range.start.max(done)];
        amended += &by;
        done = range.end.max(done);
    }
    amended + &text[done..]
}

/// A baseline whose entries stand on lines of their own.
struct Lines<'t> {
    text: &'t str,
    header: &'t str,
    /// The line with the header, if it has one.
    opening: Option<Range<usize>>,
    entries: BTreeMap<&'t str, Written<'t>>,
}

/// An entry as it stands in the text.
struct Written<'t> {
    key: Range<usize>,
    form: Form<'t>,
}

enum Form<'t> {
    /// The value stands behind the key: a count, or an inline table with the counts in it.
    Inline { value: Range<usize>, counts: BTreeMap<&'t str, Range<usize>> },
    /// Each function has a line: dotted keys, or a table with a header of its own.
    Block { opening: Option<Range<usize>>, counts: BTreeMap<&'t str, Range<usize>> },
}

impl<'t> Lines<'t> {
    fn new(text: &'t str, header: &'t str, table: &'t Spanned<DeValue>) -> Result<Lines<'t>> {
        let mut entries = BTreeMap::new();
        for (path, entry) in table.get_ref().as_table().context("a bug: the baseline that was read is no table")? {
            let counts = entry.get_ref().as_table().into_iter().flatten();
            let counts = counts.map(|(function, count)| (function.get_ref().as_ref(), count.span())).collect();
            let form = match entry.get_ref() {
                DeValue::Table(_) if !text[entry.span()].starts_with('{') => {
                    Form::Block { opening: opening(text, entry), counts }
                }
                _ => Form::Inline { value: entry.span(), counts },
            };
            entries.insert(path.get_ref().as_ref(), Written { key: path.span(), form });
        }
        let lines = Lines { text, header, opening: opening(text, table), entries };
        ensure!(!lines.prefix().contains('{'), "its entries stand in braces, with other keys");
        Ok(lines)
    }

    fn edits(&self, present: &Baseline, wanted: &Baseline, renamed: &BTreeMap<String, String>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut gone: BTreeSet<&str> = BTreeSet::new();
        let missing = wanted.iter().filter(|(path, _)| !self.entries.contains_key(path.as_str()));
        let line = |path, entry| format!("{}{} = {}", self.prefix(), printable_toml(path), value(entry));
        let mut new: BTreeMap<&str, String> = missing.map(|(path, entry)| (path.as_str(), line(path, entry))).collect();
        for (&path, written) in &self.entries {
            let target = renamed.get(path).filter(|_| !wanted.contains_key(path)).map_or(path, String::as_str);
            let recounted = present
                .get(path)
                .zip(wanted.get(target))
                .map(|(old, entry)| (entry, self.recounted(written, old, entry)));
            match recounted {
                Some((_, Some(changes))) if target == path => edits.extend(changes),
                Some((_, Some(mut changes))) if matches!(written.form, Form::Inline { .. }) => {
                    changes.push((written.key.clone(), printable_toml(target)));
                    if self.are_neighbours(path, target) {
                        new.remove(target);
                        edits.extend(changes);
                    } else {
                        // The line moves as it is, but for the changes.
                        let line = written.line(self.text);
                        let changes = changes.into_iter();
                        let changes = changes.map(|(range, by)| (range.start - line.start..range.end - line.start, by));
                        let moved = applied(changes.collect(), &self.text[line]);
                        new.insert(target, moved.trim_end().to_owned());
                        gone.insert(path);
                    }
                }
                Some((entry, _)) if target == path => {
                    new.insert(path, line(path, entry));
                    gone.insert(path);
                }
                _ => {
                    gone.insert(path);
                }
            }
        }
        let removals = gone.iter().flat_map(|path| self.entries.get(path)).flat_map(|written| self.removal(written));
        edits.extend(removals);
        edits.extend(self.insertions(&new, &gone));
        edits
    }

    /// The edits that make `entry` of an entry that stays where it is. None if its form does not allow that.
    fn recounted(&self, written: &Written, old: &Entry, entry: &Entry) -> Option<Vec<Edit>> {
        match (&written.form, old, entry) {
            _ if old == entry => Some(Vec::new()),
            (Form::Inline { counts, .. }, Entry::Functions(from), Entry::Functions(to))
                if from.keys().eq(to.keys()) =>
            {
                let changed = to.iter().filter(|(function, count)| from.get(*function) != Some(count));
                changed
                    .map(|(function, count)| Some((counts.get(function.as_str())?.clone(), count.to_string())))
                    .collect()
            }
            (Form::Inline { value: range, .. }, _, _) => Some(vec![(range.clone(), value(entry))]),
            (Form::Block { counts, .. }, Entry::Functions(from), Entry::Functions(to))
                if !to.is_empty() && to.keys().all(|function| from.contains_key(function)) =>
            {
                let changed = from.iter().filter(|(function, count)| to.get(*function) != Some(count));
                let edit = |(function, _): (&String, _)| {
                    let range = counts.get(function.as_str())?.clone();
                    Some(match to.get(function) {
                        Some(count) => (range, count.to_string()),
                        None => (line_around(self.text, range), String::new()),
                    })
                };
                changed.map(edit).collect()
            }
            (Form::Block { .. }, _, _) => None,
        }
    }

    fn removal(&self, written: &Written) -> Vec<Edit> {
        let lines = match &written.form {
            Form::Inline { .. } => vec![self.paragraph(written.line(self.text))],
            Form::Block { opening, counts } => {
                let counts = counts.values().map(|range| line_around(self.text, range.clone()));
                opening.iter().cloned().chain(counts).collect()
            }
        };
        lines.into_iter().map(|line| (line, String::new())).collect()
    }

    /// A line, with the comment above it if that is about nothing else: empty lines are around both.
    fn paragraph(&self, line: Range<usize>) -> Range<usize> {
        let is_empty = |line: Option<&str>| line.is_some_and(|line| line.trim().is_empty());
        let below = self.text[line.end..].lines().next();
        let mut start = line.start;
        let mut above = self.text[..start].split_inclusive('\n').rev().peekable();
        while let Some(comment) = above.next_if(|line| line.trim_start().starts_with('#')) {
            start -= comment.len();
        }
        let alone = is_empty(above.next()) && (below.is_none() || is_empty(below));
        if alone { start..line.end } else { line }
    }

    /// The new lines, each behind that of the last path before it.
    fn insertions(&self, new: &BTreeMap<&str, String>, gone: &BTreeSet<&str>) -> Vec<Edit> {
        let eol = line_end_of(self.text);
        let gap = if self.is_spread() { eol } else { "" };
        let staying = || self.entries.iter().filter(|(path, written)| !gone.contains(**path) && !written.has_header());
        let first = self.entries.values().map(|written| written.line(self.text).start).min().unwrap_or_default();
        let mut header = self.opening.is_none() && self.entries.values().all(Written::has_header);
        let mut edits = Vec::new();
        for (path, line) in new {
            let (at, insertion) = match (staying().rfind(|(other, _)| *other < path), &self.opening) {
                (Some((_, written)), _) => (written.line(self.text).end, format!("{gap}{line}{eol}")),
                (None, Some(opening)) if self.entries.is_empty() => {
                    // What is said below the header is about the table.
                    let comments = self.text[opening.end..].split_inclusive('\n');
                    let comments = comments.take_while(|line| line.trim_start().starts_with('#'));
                    (opening.end + comments.map(str::len).sum::<usize>(), format!("{line}{eol}"))
                }
                (None, Some(opening)) => (opening.end, format!("{line}{eol}{gap}")),
                (None, None) if header => (first, format!("[{}]{eol}{line}{eol}{eol}", self.header)),
                (None, None) => (first, format!("{line}{eol}{gap}")),
            };
            header = false;
            let ends_open = at == self.text.len() && !self.text.ends_with('\n');
            let insertion = if ends_open { format!("{eol}{}", insertion.trim_end()) } else { insertion };
            edits.push((at..at, insertion));
        }
        edits
    }

    /// What stands before the paths of the entries: white space, or keys and dots.
    fn prefix(&self) -> &'t str {
        let line = self.entries.values().find(|written| !written.has_header());
        line.map_or("", |written| &self.text[line_around(self.text, written.key.clone()).start..written.key.start])
    }

    /// Whether no entry belongs between the two.
    fn are_neighbours(&self, a: &str, b: &str) -> bool {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        !self.entries.keys().any(|path| *path > low && *path < high)
    }

    /// The lines of the entries that have no header, in the order of the text.
    fn ranges(&self) -> Vec<Range<usize>> {
        let written = self.entries.values().filter(|written| !written.has_header());
        let mut ranges: Vec<Range<usize>> = written.map(|written| written.line(self.text)).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges
    }

    fn is_spread(&self) -> bool {
        let ranges = self.ranges();
        ranges.len() > 1 && ranges.windows(2).all(|pair| pair[0].end < pair[1].start)
    }

    /// The text with one empty line between two entries. Comments are as good.
    fn spread(&self) -> String {
        let gaps = self.ranges();
        let gaps = gaps.windows(2).filter(|pair| pair[0].end <= pair[1].start).map(|pair| pair[0].end..pair[1].start);
        let bare = gaps.filter(|gap| self.text[gap.clone()].trim().is_empty());
        applied(bare.map(|gap| (gap, line_end_of(self.text).to_owned())).collect(), self.text)
    }
}

impl Written<'_> {
    fn has_header(&self) -> bool {
        matches!(self.form, Form::Block { opening: Some(_), .. })
    }

    /// Its lines, from the first to the last.
    fn line(&self, text: &str) -> Range<usize> {
        let ends = match &self.form {
            Form::Inline { value, .. } => Some(value.end),
            Form::Block { counts, .. } => counts.values().map(|range| range.end).max(),
        };
        line_around(text, self.key.start..ends.unwrap_or(self.key.end))
    }
}

/// The line with the header of a table, if it has one.
fn opening(text: &str, table: &Spanned<DeValue>) -> Option<Range<usize>> {
    text[table.span()].starts_with('[').then(|| line_around(text, table.span()))
}

/// The lines that a part of the text touches, with the last one's end.
fn line_around(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    start..end
}
