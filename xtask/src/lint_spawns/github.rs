//! Words what a run found as commands to GitHub, which shows them in their places in a pull request.
//!
//! GitHub shows ten errors, ten warnings and ten notices of a step, so what matters most comes first.

use std::fmt::Write as _;
use std::ops::Range;

use camino::Utf8Path;

use super::checkout::Checkout;
use super::lines::Lines;
use super::marker::Flaw;
use super::policy::PolicyFile;
use super::program::NAME;
use super::run::Run;
use super::verdict::{Judged, Stale, Status, Verdict};
use super::{remedy, report};
use crate::output::{printable, printable_path};

/// What people should know, and what fails no run. Unless the run `is_whole`, nothing is said of the baseline.
pub fn advisories(run: &Run, verdict: &Verdict, is_whole: bool) -> String {
    let checkout = Checkout::of(run);
    let mut text: String =
        run.warnings.iter().map(|warning| command("warning", None, warning.kind.name(), &warning.message)).collect();
    if !verdict.strict_markers {
        text.extend(verdict.flaws.iter().map(|(path, flaw)| flawed("warning", &checkout, path, flaw)));
    }
    if !verdict.strict && is_whole {
        text += &stale("notice", run, &checkout, &verdict.stale);
    }
    text
}

/// What fails the run, and what could not be checked.
pub fn problems(run: &Run, verdict: &Verdict) -> String {
    let checkout = Checkout::of(run);
    let mut text: String = run.errors.iter().map(|error| command("error", None, "not checked", error)).collect();
    let problems: Vec<&Judged> = verdict.of(Status::Problem).collect();
    for problems in problems.chunk_by(|a, b| a.path == b.path) {
        let Some(file) = problems.first().and_then(|problem| run.file(problem.path)) else { continue };
        let markers = remedy::markers(file, &run.policy);
        for problem in problems {
            let Judged { path, hit, .. } = problem;
            let rules = hit.rule_names().join(", ");
            let exceeded = verdict.exceeded_by(problem);
            let words = remedy::words(file, hit, exceeded, &run.policy, markers.get(&hit.line));
            let shown = format!("{}:{}:{}", printable_path(path), hit.line, hit.column);
            let message = format!("{shown}: {rules}\n{}", words.join("\n"));
            let path = checkout.path(path);
            let place = Place::new(&path, (hit.line, hit.column), (hit.end_line, hit.end_column));
            text += &command("error", Some(place), &rules, &message);
        }
    }
    if verdict.strict_markers {
        text.extend(verdict.flaws.iter().map(|(path, flaw)| flawed("error", &checkout, path, flaw)));
    }
    if verdict.strict {
        text += &stale("error", run, &checkout, &verdict.stale);
    }
    text
}

fn flawed(kind: &str, checkout: &Checkout, path: &str, flaw: &Flaw) -> String {
    let file = checkout.path(path);
    let place = Place { file: &file, line: flaw.line, end_line: flaw.line, columns: None };
    command(kind, Some(place), flaw.kind.name(), &report::describe_flaw(path, flaw))
}

/// They are in the policy.
fn stale(kind: &str, run: &Run, checkout: &Checkout, stale: &[Stale]) -> String {
    let file = checkout.policy(&run.policy);
    let text = run.policy.origin.file.as_ref().map(PolicyFile::body).unwrap_or_default();
    let lines = Lines::new(text);
    let commands = stale.iter().zip(remedy::places(stale, &run.policy)).map(|(stale, range)| {
        let place =
            |(file, range): (_, Range<usize>)| Place::new(file, lines.place(range.start), lines.place(range.end));
        let place = file.as_deref().zip(range).map(place);
        command(kind, place, Stale::KIND, &report::describe(stale))
    });
    commands.collect()
}

/// Lines and columns are from 1, and the last ones are part of it.
#[derive(Clone, Copy)]
struct Place<'p> {
    file: &'p Utf8Path,
    line: usize,
    end_line: usize,
    columns: Option<(usize, usize)>,
}

impl<'p> Place<'p> {
    /// From a line and column to the character before another.
    fn new(file: &'p Utf8Path, (line, column): (usize, usize), (end_line, end_column): (usize, usize)) -> Place<'p> {
        // To GitHub columns that span lines are an error.
        let columns = (line == end_line).then(|| (column, (end_column - 1).max(column)));
        Place { file, line, end_line, columns }
    }
}

/// A command of a kind, for a line of standard output. GitHub drops blanks before the first property and behind the last.
fn command(kind: &str, place: Option<Place>, title: &str, message: &str) -> String {
    let mut text = format!("::{kind} title={}", property(&format!("{NAME}: {title}")));
    if let Some(Place { file, line, end_line, columns }) = place {
        let _ = write!(text, ",file={},line={line},endLine={end_line}", property(file.as_str()));
        if let Some((column, end_column)) = columns {
            let _ = write!(text, ",col={column},endColumn={end_column}");
        }
    }
    text + &format!("::{}\n", data(message))
}

/// What GitHub reads back as the text, but for what a terminal or another system would obey.
fn data(text: &str) -> String {
    printable(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
}

/// [`data`] among other properties.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
