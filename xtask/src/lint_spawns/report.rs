//! Words what a run found, for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::baseline::{Stale, Verdict};
use super::check::CheckedFile;
use super::policy::Policy;
use super::rule::Rule;
use crate::output::{hides, printable, printable_path};

/// Lines of source are cut to this many code points.
const WIDEST: usize = 160;

/// Whether the run found problems, and the text that says so.
pub struct Report {
    pub text: String,
    pub problems: bool,
}

/// The report of a check.
pub fn check(files: &[CheckedFile], verdict: &Verdict, policy: &Policy, strict: bool) -> Report {
    let mut text = String::new();
    let origin = printable(&policy.origin.name);
    if !verdict.stale.is_empty() && !strict {
        let (n, are) = plural(verdict.stale.len(), "baseline entry is", "baseline entries are");
        let _ = writeln!(text, "advisory: {n} {are} stale in {origin}; lower or remove:");
        for stale in &verdict.stale {
            let _ = writeln!(text, "  {}", describe(stale));
        }
    }
    let stale_problems: &[Stale] = if strict { &verdict.stale } else { &[] };
    for (path, hit) in &verdict.problems {
        let source: String = hit.source.chars().take(WIDEST).collect();
        let unparsable = if hit.rules.contains(&Rule::Unparsable) { "  [cannot be parsed]" } else { "" };
        let _ = writeln!(text, "{}:{}: {}{unparsable}", printable_path(path), hit.line, printable(&source));
    }
    for stale in stale_problems {
        let _ = writeln!(text, "{}", describe(stale));
    }
    let problems = !verdict.problems.is_empty() || !stale_problems.is_empty();
    if problems {
        summary(&mut text, verdict, stale_problems.len(), policy);
    } else {
        clean(&mut text, files, verdict, &origin);
    }
    Report { text, problems }
}

/// The baseline table that tolerates the unmarked hits of `files`.
pub fn baseline(files: &[CheckedFile], policy: &Policy) -> String {
    let mut text = format!("[{}]\n", policy.origin.baseline_header);
    for file in files {
        let unmarked = file.hits.iter().filter(|hit| hit.reason.is_none()).count();
        if unmarked > 0 {
            let _ = writeln!(text, "{} = {unmarked}", toml_key(file.path.as_str()));
        }
    }
    text
}

/// A quoted key that TOML reads back as `path`, and that shows as escapes what [`printable_path`] does: the table is
/// pasted from a terminal or a log.
fn toml_key(path: &str) -> String {
    let mut key = String::from('"');
    for c in path.chars() {
        match c {
            '"' | '\\' => key.extend(['\\', c]),
            c if c == '#' || hides(c) => {
                let _ = write!(key, "\\u{:04x}", u32::from(c));
            }
            c => key.push(c),
        }
    }
    key.push('"');
    key
}

/// When all paths of the command line were ruled out.
pub fn nothing_to_check() -> &'static str {
    "nothing to check: none of the paths given is Python that the policy covers\n"
}

fn summary(text: &mut String, verdict: &Verdict, stale: usize, policy: &Policy) {
    let origin = printable(&policy.origin.name);
    text.push('\n');
    if !verdict.problems.is_empty() {
        let unparsable = verdict.problems.iter().filter(|(_, hit)| hit.rules.contains(&Rule::Unparsable)).count();
        let spawns = verdict.problems.len() - unparsable;
        let paths: BTreeSet<&str> = verdict.problems.iter().map(|(path, _)| *path).collect();
        let (files, noun) = plural(paths.len(), "file", "files");
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
        for (path, hits, tolerated) in &verdict.exceeded {
            let path = printable_path(path);
            let _ =
                writeln!(text, "{path}: the baseline tolerates {tolerated}, there are {hits}; all of them are listed.");
        }
        if spawns > 0 {
            text.push_str(
                "A child process in a session or process group of its own goes on running when its owner is killed.\n",
            );
            let _ = writeln!(text, "Instead: {}", printable(&policy.advice));
            text.push_str(
                "Where the child is meant to outlive its owner, or a time limit that kills its whole group always ends it,\n\
                 put a marker with the reason on the printed line, or on the line above it:\n",
            );
            let _ = writeln!(text, "    # {} — <why this child may outlive its owner>", printable(&policy.marker));
        }
        if unparsable > 0 {
            text.push_str(
                "What cannot be parsed cannot be judged: mend the syntax, or mark the line once you have read it.\n",
            );
        }
    }
    if stale > 0 {
        let (n, are) = plural(stale, "baseline entry is", "baseline entries are");
        let _ = writeln!(text, "{n} {are} stale in {origin}: lower or remove what is named above.");
    }
}

fn clean(text: &mut String, files: &[CheckedFile], verdict: &Verdict, origin: &str) {
    let (n, noun) = plural(files.len(), "file", "files");
    let marked = files.iter().flat_map(|file| &file.hits).filter(|hit| hit.reason.is_some()).count();
    let mut known = Vec::new();
    if marked > 0 {
        known.push(format!("{marked} marked"));
    }
    if verdict.tolerated > 0 {
        known.push(format!("{} in the baseline", verdict.tolerated));
    }
    let known = if known.is_empty() { String::new() } else { format!(", {}", known.join(", ")) };
    let _ = writeln!(text, "no unmarked detached spawn in {n} Python {noun}{known} (policy: {origin})");
}

fn describe(stale: &Stale) -> String {
    let path = printable_path(stale.path);
    let tolerated = stale.tolerated;
    match stale.hits {
        None => format!("{path}: the baseline tolerates {tolerated}, but no such file was checked"),
        Some(0) => format!("{path}: the baseline tolerates {tolerated}, none is left"),
        Some(hits) => format!("{path}: the baseline tolerates {tolerated}, only {hits} left"),
    }
}

/// A count and what is said of so many.
fn plural(count: usize, one: &'static str, many: &'static str) -> (usize, &'static str) {
    (count, if count == 1 { one } else { many })
}
