//! `lint-spawns markers list`: every marker, and the hits that it covers.

use std::fmt::Write as _;

use anyhow::Result;
use xshell::Shell;

use super::check::CheckedFile;
use super::discover;
use super::json;
use super::marker::FlawKind;
use super::policy::Policy;
use super::report::{self, plural};
use super::run::{Files, Run, Wanted};
use crate::flags::{ListFormat, MarkersList};
use crate::output::{printable, printable_path};
use crate::{Outcome, flags, output};

/// Prints the list.
pub fn run(flags: &MarkersList) -> Result<Outcome> {
    let flags::MarkersList { paths, format, scope } = flags;
    let given = discover::given(paths)?;
    let run =
        Run::new(&Shell::new()?, scope, Files::given(given.as_ref()), Wanted { audit: true, ..Wanted::default() })?;
    let text = match format {
        ListFormat::Json => json::markers(&run.root, &run.files, &run.warnings, &run.errors)?,
        ListFormat::Text if run.files.is_empty() && run.errors.is_empty() => {
            report::nothing_to_check(run.idle.as_deref().unwrap_or_default())
        }
        // That there are so many would be a lie about what could not be read.
        ListFormat::Text if run.files.is_empty() => String::new(),
        ListFormat::Text => list(&run.files, &run.policy),
    };
    output::print(&text)?;
    Ok(if run.errors.is_empty() { Outcome::Clean } else { Outcome::Failed })
}

/// A marker a line, which stays the same whatever becomes of the others.
fn list(files: &[CheckedFile], policy: &Policy) -> String {
    let mut text = String::new();
    let (mut count, mut unused, mut hits) = (0, 0, 0);
    for file in files {
        for marker in &file.audit.markers {
            let covered: Vec<String> =
                file.covered_by(marker).map(|hit| format!("{} {}", hit.rule_names().join("+"), hit.line)).collect();
            let shown = if covered.is_empty() { "nothing".to_owned() } else { covered.join(", ") };
            let path = printable_path(file.path.as_str());
            let _ = writeln!(text, "{path}:{}: {}  [{shown}]", marker.line, printable(&marker.reason));
            count += 1;
            hits += covered.len();
            unused += usize::from(covered.is_empty());
        }
    }
    if count > 0 {
        text.push('\n');
    }
    let (checked, noun) = plural(files.len(), "file", "files");
    let (count, markers) = plural(count, "marker", "markers");
    let (hits, hit) = plural(hits, "hit", "hits");
    let origin = printable(&policy.origin.name);
    let _ = writeln!(text, "{count} {markers} in {checked} Python {noun}, covering {hits} {hit} (policy: {origin})");
    let malformed = files.iter().flat_map(|file| &file.audit.flaws).filter(|flaw| flaw.kind == FlawKind::Malformed);
    let malformed = malformed.count();
    let all = [
        plural(unused, "covers nothing", "cover nothing"),
        plural(malformed, "that was meant for one does not count", "that were meant for one do not count"),
    ];
    let wrong: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !wrong.is_empty() {
        let _ = writeln!(text, "{}: the check tells why with --strict-markers", wrong.join(", "));
    }
    text
}
