//! `cargo xtask lint-spawns`: the pipeline, readable as a list of its stages.

pub mod add_markers;
mod alias;
pub mod amend;
pub mod annotate;
pub mod argument;
pub mod baseline;
pub mod check;
pub mod checkout;
pub mod command;
pub mod detect;
pub mod discover;
pub mod explain;
pub mod extended;
mod folders;
pub mod full;
pub mod git;
pub mod github;
pub mod init;
pub mod json;
mod lines;
pub mod list_markers;
pub mod marker;
pub mod needles;
pub mod patch;
pub mod policy;
pub mod precise;
pub mod program;
pub mod python;
pub mod remedy;
pub mod report;
pub mod rule;
pub mod run;
pub mod sarif;
pub mod search;
mod shell;
pub mod source;
pub mod spawn;
pub mod stat;
pub mod upkeep;
pub mod verdict;
pub mod write;

use std::collections::BTreeMap;
use std::io::IsTerminal as _;

use anyhow::Result;
use xshell::Shell;

use crate::flags::{Format, LintSpawns, MarkersVerb, Verb};
use crate::{Outcome, output};
use discover::{Warning, WarningKind};
pub use program::NAME;
use run::{Files, Run, Wanted};
use verdict::Verdict;

/// Does what the verb says; without one, the check.
pub fn run(flags: &LintSpawns) -> Result<Outcome> {
    match &flags.verb {
        Some(Verb::Init(flags)) => init::run(flags),
        Some(Verb::Rule(flags)) => explain::run(flags),
        Some(Verb::Markers(flags)) => match &flags.verb {
            Some(MarkersVerb::List(flags)) => list_markers::run(flags),
            Some(MarkersVerb::Add(flags)) => add_markers::run(flags),
            None => list_markers::run(&flags.list),
        },
        Some(Verb::Baseline(flags)) => upkeep::run(flags),
        Some(Verb::Stat(flags)) => stat::run(flags),
        None => run_check(flags),
    }
}

/// Runs the check and prints its report.
fn run_check(flags: &LintSpawns) -> Result<Outcome> {
    let sh = Shell::new()?;
    let given = discover::given(&flags.paths)?;
    let files = match &flags.changed {
        _ if flags.staged => Files::Staged,
        Some(rev) => Files::Changed(rev.as_deref()),
        None => Files::given(given.as_ref()),
    };
    let content = matches!(flags.format, Format::Full | Format::Github | Format::Sarif);
    let wanted = Wanted { audit: flags.strict_markers || flags.format != Format::Text, content };
    let mut run = Run::new(&sh, &flags.scope, files, wanted)?;
    let nothing = run.files.is_empty();
    let ignored = flags.all || flags.print_baseline || nothing || (given.is_some() && !flags.with_baseline);
    let baseline = match (ignored, files) {
        (true, _) => BTreeMap::new(),
        (false, Files::Included) => run.policy.baseline.clone(),
        (false, _) => verdict::entries_of(&run.files, &run.policy.baseline),
    };
    let judged = verdict::judge(&run.files, &baseline, flags.strict_baseline);
    let mut verdict = Verdict { strict_markers: flags.strict_markers, ..judged };
    // With fewer rules there are fewer hits, and entries are stale for that reason alone.
    if run.narrowed {
        verdict.stale.clear();
    }
    if verdict.misses_a_file() {
        match run.renames(&sh) {
            Ok(renames) => verdict.recognise(&renames),
            Err(err) => {
                let message = format!("renamed files are not recognised: {err:#}");
                output::complain(NAME, &format!("warning: {message}"));
                run.warnings.push(Warning { kind: WarningKind::Git, path: None, message });
            }
        }
    }
    let outcome = if !run.errors.is_empty() {
        Outcome::Failed
    } else if verdict.fails() && !flags.print_baseline && !flags.exit_zero {
        Outcome::Problems
    } else {
        Outcome::Clean
    };
    let text = match flags.format {
        Format::Sarif => sarif::check(&run, &verdict, outcome, !flags.quiet)?,
        Format::Json => json::check(&run.root, run.files.len(), &verdict, &run.warnings, &run.errors)?,
        _ if flags.print_baseline && !nothing => report::baseline(&verdict, &run.policy),
        _ => words(flags, &run, &verdict),
    };
    output::print(&text)?;
    Ok(outcome)
}

/// The report for people, and for what shows it to them.
fn words(flags: &LintSpawns, run: &Run, verdict: &Verdict) -> String {
    let problems = match flags.format {
        Format::Full => full::problems(run, verdict, flags.color.is_wanted(std::io::stdout().is_terminal())),
        Format::Github => github::problems(run, verdict),
        Format::Text | Format::Json | Format::Sarif => report::problems(verdict),
    };
    if flags.quiet {
        return problems;
    }
    // A clean report would be a lie about what could not be read, and so would be much of what is said of the baseline.
    let is_whole = verdict.fails() || run.errors.is_empty();
    let advisories = match flags.format {
        Format::Github => github::advisories(run, verdict, is_whole),
        _ if !is_whole => String::new(),
        Format::Full => full::advisories(verdict, &run.policy),
        Format::Text | Format::Json | Format::Sarif => report::advisories(verdict, &run.policy),
    };
    let conclusion = match &run.idle {
        _ if !is_whole => String::new(),
        Some(why) if run.files.is_empty() => report::nothing_to_check(why),
        _ => report::conclusion(run.files.len(), verdict, &run.policy),
    };
    advisories + &problems + &conclusion
}
