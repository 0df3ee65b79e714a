//! Words what a run found, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::baseline::{Baseline, Entry};
use super::marker::{Flaw, FlawKind};
use super::policy::Policy;
use super::program;
use super::rule::{Rule, Strength};
use super::verdict::{Exceeded, Judged, Stale, Status, Verdict};
use crate::output::{printable, printable_path, printable_toml};

/// What stands for the reason of a marker until somebody writes one.
pub const PLACEHOLDER: &str = "<why this child may outlive its owner>";

/// Lines of source are cut to this many code points.
const WIDEST: usize = 160;

/// What people should know, and what fails no run.
pub fn advisories(verdict: &Verdict, policy: &Policy) -> String {
    let mut text = String::new();
    if !verdict.stale.is_empty() && !verdict.strict {
        let origin = printable(&policy.origin.name);
        let (n, are) = plural(verdict.stale.len(), "baseline entry is", "baseline entries are");
        let _ = writeln!(text, "advisory: {n} {are} stale in {origin}; lower or remove:");
        for stale in &verdict.stale {
            let _ = writeln!(text, "  {}", describe(stale));
        }
    }
    text
}

/// What fails the run, a line each.
pub fn problems(verdict: &Verdict) -> String {
    let mut text = String::new();
    for Judged { path, hit, .. } in verdict.of(Status::Problem) {
        let source: String = hit.source.chars().take(WIDEST).collect();
        let unparsable = if hit.rules.contains(&Rule::Unparsable) { "  [cannot be parsed]" } else { "" };
        let _ = writeln!(text, "{}:{}: {}{unparsable}", printable_path(path), hit.line, printable(&source));
    }
    if verdict.strict_markers {
        for (path, flaw) in &verdict.flaws {
            let _ = writeln!(text, "{}", describe_flaw(path, flaw));
        }
    }
    if verdict.strict {
        for stale in &verdict.stale {
            let _ = writeln!(text, "{}", describe(stale));
        }
    }
    text
}

/// What a check of so many files comes to.
pub fn conclusion(files: usize, verdict: &Verdict, policy: &Policy) -> String {
    let mut text = String::new();
    if verdict.fails() {
        summary(&mut text, verdict, policy);
    } else {
        clean(&mut text, files, verdict, &printable(&policy.origin.name));
    }
    text
}

/// The baseline table that tolerates the problems.
pub fn baseline(verdict: &Verdict, policy: &Policy) -> String {
    let mut text = format!("[{}]\n", policy.origin.baseline_header);
    let problems: Vec<&Judged> = verdict.of(Status::Problem).collect();
    for file in problems.chunk_by(|a, b| a.path == b.path) {
        let _ = writeln!(text, "{} = {}", printable_toml(file[0].path), file.len());
    }
    text
}

/// When no file was checked, and why that is fine.
pub fn nothing_to_check(why: &str) -> String {
    format!("nothing to check: {why}\n")
}

fn summary(text: &mut String, verdict: &Verdict, policy: &Policy) {
    let origin = printable(&policy.origin.name);
    text.push('\n');
    let problems: Vec<&Judged> = verdict.of(Status::Problem).collect();
    if !problems.is_empty() {
        let unparsable = problems.iter().filter(|problem| problem.hit.rules.contains(&Rule::Unparsable)).count();
        let spawns = problems.len() - unparsable;
        let files = problems.chunk_by(|a, b| a.path == b.path).count();
        let (files, noun) = plural(files, "file", "files");
        let mut counts = Vec::new();
        if spawns > 0 {
            let (n, noun) = plural(spawns, "detached spawn", "detached spawns");
            counts.push(format!("{n} {noun}"));
        }
        if unparsable > 0 {
            let (n, noun) = plural(unparsable, "line", "lines");
            counts.push(format!("{n} {noun} that cannot be parsed"));
        }
        let _ = writeln!(text, "{} in {files} {noun} (policy: {origin}).", counts.join(" and "));
        for exceeded in &verdict.exceeded {
            let _ = writeln!(text, "{}.", describe_exceeded(exceeded));
        }
        if spawns > 0 {
            text.push_str("Such a child process goes on running when its owner is killed:\n");
            let mut counts: BTreeMap<(Strength, &str), usize> = BTreeMap::new();
            for consequence in problems.iter().filter_map(|problem| problem.hit.consequence()) {
                *counts.entry(consequence).or_default() += 1;
            }
            for ((_, consequence), count) in counts {
                let _ = writeln!(text, "  {count} {consequence}");
            }
            let _ = writeln!(text, "Instead: {}", printable(&policy.advice));
            text.push_str(
                "Where the child is meant to outlive its owner, or a time limit that kills its whole group always ends it,\n\
                 put a marker with the reason on the printed line, or on the line above it:\n",
            );
            let _ = writeln!(text, "    # {} — {PLACEHOLDER}", printable(&policy.marker));
        }
        if unparsable > 0 {
            text.push_str(
                "What cannot be parsed cannot be judged: mend the syntax, or mark the line once you have read it.\n",
            );
        }
    }
    if verdict.strict_markers && !verdict.flaws.is_empty() {
        let count = |kind| verdict.flaws.iter().filter(|(_, flaw)| flaw.kind == kind).count();
        let counts = [
            plural(count(FlawKind::Unused), "marker covers no hit", "markers cover no hit"),
            plural(
                count(FlawKind::Malformed),
                "that was meant for a marker does not count",
                "that were meant for markers do not count",
            ),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        let _ = writeln!(text, "{} (policy: {origin}): mend or remove what is named above.", counts.join(", "));
    }
    if verdict.strict && !verdict.stale.is_empty() {
        let (n, are) = plural(verdict.stale.len(), "baseline entry is", "baseline entries are");
        let _ = writeln!(text, "{n} {are} stale in {origin}: lower or remove what is named above.");
    }
    let dropped = verdict.of(Status::Dropped).count();
    if dropped > 0 {
        let (n, noun) = plural(dropped, "hit", "hits");
        let _ = writeln!(text, "Dropped by `precise`, since no process starts there: {n} {noun}.");
    }
}

fn clean(text: &mut String, files: usize, verdict: &Verdict, origin: &str) {
    let (n, noun) = plural(files, "file", "files");
    let mut known = Vec::new();
    let all =
        [(Status::Marked, "marked"), (Status::Tolerated, "in the baseline"), (Status::Dropped, "dropped by `precise`")];
    for (status, said) in all {
        let count = verdict.of(status).count();
        if count > 0 {
            known.push(format!("{count} {said}"));
        }
    }
    let known = if known.is_empty() { String::new() } else { format!(", {}", known.join(", ")) };
    let _ = writeln!(text, "no unmarked detached spawn in {n} Python {noun}{known} (policy: {origin})");
}

/// What is wrong with a stale entry, and what would be right.
pub fn describe(stale: &Stale) -> String {
    let Stale { path, function, tolerated, hits, renamed_to } = stale;
    let place = place(path, *function);
    let rest = match (hits, renamed_to) {
        (None, Some(name)) => {
            let name = printable_path(name);
            let prune = format!("{} baseline prune", program::called());
            format!("but the file is renamed to {name}: move the entry, or run `{prune}`")
        }
        (None, None) => "but no such file was checked: move or remove it".to_owned(),
        (Some(0), _) => "none is left: remove it".to_owned(),
        (Some(1), _) => "only 1 is left: lower it to 1".to_owned(),
        (Some(hits), _) => format!("only {hits} are left: lower it to {hits}"),
    };
    format!("{place}: the baseline tolerates {tolerated}, {rest}")
}

/// Why a tolerated hit is reported all the same.
pub fn describe_exceeded(&Exceeded { path, function, hits, tolerated }: &Exceeded) -> String {
    let listed = match hits {
        1 => "is 1; it is listed".to_owned(),
        _ => format!("are {hits}; all of them are listed"),
    };
    format!("{}: the baseline tolerates {tolerated}, there {listed}", place(path, function))
}

/// How much a baseline tolerates.
pub fn size(baseline: &Baseline) -> String {
    let (hits, of_hits) = plural(baseline.values().map(Entry::total).sum(), "hit", "hits");
    let (files, of_files) = plural(baseline.len(), "file", "files");
    format!("{hits} {of_hits} in {files} {of_files}")
}

/// What an entry, or a part of it, is about.
pub fn place(path: &str, function: Option<&str>) -> String {
    let path = printable_path(path);
    function.map_or_else(|| path.clone(), |function| format!("{path}: {}", printable_path(function)))
}

/// Where a marker is, and what is wrong with it.
pub fn describe_flaw(path: &str, flaw: &Flaw) -> String {
    format!("{}:{}: {}", printable_path(path), flaw.line, printable(&flaw.what))
}

/// A count and what is said of so many.
pub(super) fn plural(count: usize, one: &'static str, many: &'static str) -> (usize, &'static str) {
    (count, if count == 1 { one } else { many })
}
