//! `cargo xtask lint-spawns`: the pipeline, readable as a list of its stages.

pub mod add_markers;
mod alias;
pub mod amend;
pub mod annotate;
pub mod argument;
pub mod baseline;
pub mod check;
pub mod command;
pub mod detect;
pub mod discover;
pub mod explain;
pub mod extended;
mod folders;
pub mod git;
pub mod json;
mod lines;
pub mod list_markers;
pub mod marker;
pub mod needles;
pub mod patch;
pub mod policy;
pub mod precise;
pub mod python;
pub mod replace;
pub mod report;
pub mod rule;
pub mod search;
mod shell;
pub mod source;
pub mod spawn;
pub mod stat;
pub mod upkeep;
pub mod write;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Mutex, mpsc};

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use crate::flags::{Format, LintSpawns, MarkersVerb, Scope, Verb};
use crate::output::printable_path;
use crate::{Outcome, bug, output};
use baseline::Verdict;
use check::{CheckedFile, Checker, Hit};
use discover::{Candidate, Selection, Warning, WarningKind};
use marker::Audit;
use policy::Policy;

/// What complaints begin with.
pub const NAME: &str = "lint-spawns";

/// Of each worker; the parser and the drop of what it made need it for the deepest statements.
pub const STACK_SIZE: usize = 256 << 20;

/// As many files go to a worker at once.
const BATCH: usize = 32;

/// Does what the verb says; without one, the check.
pub fn run(flags: &LintSpawns) -> Result<Outcome> {
    match &flags.verb {
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
    let root = discover::root(&sh, flags.scope.root.as_deref(), &flags.paths)?;
    let policy = load_policy(&root, &flags.scope)?;
    let jobs = jobs(&flags.scope);
    let audit = flags.strict_markers || flags.format == Format::Json;
    let (mut selection, files, unread) = check_all(&root, &policy, jobs, audit, |take| match flags.paths.as_slice() {
        [] => discover::tracked(&sh, &root, &policy, take),
        paths => discover::named(&sh, &root, &policy, paths, take),
    })?;
    for warning in &selection.warnings {
        output::complain(NAME, &format!("warning: {}", warning.message));
    }
    let mut errors = [selection.errors, unread].concat();
    let nothing = files.is_empty() && errors.is_empty();
    // Hooks pass everything: that the policy rules all of it out is fine.
    if nothing && (selection.ruled_out == 0 || selection.unseen > 0) {
        errors.push(nothing_to_check(&root, &policy, &flags.paths));
    }
    for error in &errors {
        output::complain(NAME, error);
    }
    let empty = BTreeMap::new();
    let ignored = flags.all || flags.print_baseline || nothing || !flags.paths.is_empty();
    let baseline = if ignored { &empty } else { &policy.baseline };
    let mut verdict =
        Verdict { strict_markers: flags.strict_markers, ..baseline::judge(&files, baseline, flags.strict_baseline) };
    if verdict.misses_a_file() {
        match renames(&sh, &root, &files) {
            Ok(renames) => verdict.recognise(&renames),
            Err(err) => {
                let message = format!("renamed files are not recognised: {err:#}");
                output::complain(NAME, &format!("warning: {message}"));
                selection.warnings.push(Warning { kind: WarningKind::Git, path: None, message });
            }
        }
    }
    let text = match flags.format {
        Format::Json => json::check(&root, files.len(), &verdict, &selection.warnings, &errors)?,
        Format::Text if nothing && errors.is_empty() => report::nothing_to_check().to_owned(),
        Format::Text if flags.print_baseline && !nothing => report::baseline(&verdict, &policy),
        // A clean report would be a lie about what could not be read.
        Format::Text if verdict.fails() || errors.is_empty() => report::check(files.len(), &verdict, &policy),
        Format::Text => String::new(),
    };
    output::print(&text)?;
    Ok(if !errors.is_empty() {
        Outcome::Failed
    } else if verdict.fails() && !flags.print_baseline {
        Outcome::Problems
    } else {
        Outcome::Clean
    })
}

/// A run on all that the policy includes.
struct FullRun {
    root: Utf8PathBuf,
    policy: Policy,
    files: Vec<CheckedFile>,
    /// How many paths a warning has named because they are not in this work tree.
    unseen: usize,
    /// What could not be checked. Nothing to check is among it.
    errors: Vec<String>,
}

/// Checks what the policy includes, and prints the warnings and errors.
fn run_in_full(sh: &Shell, scope: &Scope) -> Result<FullRun> {
    let root = discover::root(sh, scope.root.as_deref(), &[])?;
    let policy = load_policy(&root, scope)?;
    let (selection, files, unread) =
        check_all(&root, &policy, jobs(scope), false, |take| discover::tracked(sh, &root, &policy, take))?;
    for warning in &selection.warnings {
        output::complain(NAME, &format!("warning: {}", warning.message));
    }
    let mut errors = [selection.errors, unread].concat();
    if files.is_empty() && errors.is_empty() {
        errors.push(nothing_to_check(&root, &policy, &[]));
    }
    for error in &errors {
        output::complain(NAME, error);
    }
    Ok(FullRun { root, policy, files, unseen: selection.unseen, errors })
}

/// The policy of `root`, as the command line would have it.
fn load_policy(root: &Utf8Path, scope: &Scope) -> Result<Policy> {
    let mut policy = Policy::load(root, scope.config.as_deref())?;
    policy.choose(&scope.select, &scope.ignore)?;
    policy.precise |= scope.precise;
    Ok(policy)
}

/// How many files to check at a time.
fn jobs(scope: &Scope) -> usize {
    scope.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// What git says is renamed, as far as the new name is among those of `files`.
fn renames(sh: &Shell, root: &Utf8Path, files: &[CheckedFile]) -> Result<BTreeMap<String, String>> {
    let mut renames = git::renames(sh, root)?;
    renames.retain(|_, new| files.binary_search_by(|file| file.path.as_str().cmp(new)).is_ok());
    Ok(renames)
}

fn nothing_to_check(root: &Utf8Path, policy: &Policy, paths: &[Utf8PathBuf]) -> String {
    let root = printable_path(root.as_str());
    if paths.is_empty() {
        return format!(
            "nothing to check in {root}: no Python file is there that git tracks and the policy ({}) includes and does \
             not exclude; correct the policy, or name another folder with --root",
            policy.origin.name
        );
    }
    "nothing to check: no Python file is there in the paths given; name others".to_owned()
}

/// Checks what `discover` finds while it goes on. Returns its result, the files in order of path, each once, and what is
/// wrong with those that could not be read. `audit` tells whether their markers matter, and not only their hits.
fn check_all(
    root: &Utf8Path,
    policy: &Policy,
    jobs: usize,
    audit: bool,
    discover: impl FnOnce(&mut dyn FnMut(Candidate)) -> Result<Selection>,
) -> Result<(Selection, Vec<CheckedFile>, Vec<String>)> {
    let checker = Checker::new(policy)?;
    let (sender, receiver) = mpsc::channel::<Vec<Candidate>>();
    let queue = Mutex::new(receiver);
    let work = || {
        let (mut files, mut errors) = (Vec::new(), Vec::new());
        let mut buffer = Vec::new();
        let next = || queue.lock().ok()?.recv().ok();
        for candidate in std::iter::from_fn(next).flatten() {
            match check_file(root, &candidate, &checker, audit, &mut buffer) {
                Ok(Some((hits, audit))) => files.push(CheckedFile { path: candidate.path, hits, audit }),
                Ok(None) => {}
                Err(err) => errors.push(format!("cannot check {}: {err:#}", printable_path(candidate.path.as_str()))),
            }
        }
        (files, errors)
    };
    let (selection, mut files, mut errors) = std::thread::scope(|scope| -> Result<_> {
        let mut workers = Vec::new();
        let mut send = |batch: Vec<Candidate>| -> Result<()> {
            if workers.len() < jobs && !batch.is_empty() {
                let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
                workers.push(builder.spawn_scoped(scope, work).context("cannot start a thread")?);
            }
            sender.send(batch).context("a bug: nobody checks files")
        };
        let mut batch = Vec::new();
        let mut sent = Ok(());
        let selection = discover(&mut |candidate| {
            batch.push(candidate);
            if batch.len() == BATCH && sent.is_ok() {
                sent = send(std::mem::take(&mut batch));
            }
        });
        sent = sent.and_then(|()| send(batch));
        drop(sender);
        let (mut files, mut errors) = (Vec::new(), Vec::new());
        for worker in workers {
            let (more_files, more_errors) = worker.join().map_err(|_| anyhow!("a bug: a worker thread panicked"))?;
            files.extend(more_files);
            errors.extend(more_errors);
        }
        sent?;
        Ok((selection?, files, errors))
    })?;
    files.sort_unstable_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    files.dedup_by(|again, first| again.path == first.path);
    errors.sort_unstable();
    errors.dedup();
    Ok((selection, files, errors))
}

/// None if the file is gone: deleted in the work tree, say.
fn check_file(
    root: &Utf8Path,
    file: &Candidate,
    checker: &Checker,
    audit: bool,
    buffer: &mut Vec<u8>,
) -> Result<Option<(Vec<Hit>, Audit)>> {
    let bytes = match read(&root.join(&file.path), buffer) {
        Ok(bytes) => bytes,
        Err(err) => match err.downcast_ref::<io::Error>() {
            Some(io) if discover::is_gone(io) && !file.named => return Ok(None),
            Some(io) if discover::is_gone(io) => bail!("{io}; it was there when the run began, run again"),
            Some(io) => bail!("{io}; make it readable, or exclude it"),
            None => return Err(err),
        },
    };
    if source::is_wide(bytes) || checker.is_blind_to(bytes) {
        bail!(
            "it is UTF-16 or UTF-32, at least in part, and Python would not read it; convert it to UTF-8, or exclude it"
        );
    }
    // Whatever goes wrong in the parser must not take the other files, or this one's name, with it.
    Ok(Some(bug::caught(|| if audit { checker.audit(bytes) } else { (checker.check(bytes), Audit::default()) })?))
}

fn read<'b>(location: &Utf8Path, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let metadata = fs::symlink_metadata(location)?;
    if !metadata.is_file() {
        bail!("it is not a file; it was not opened, restore it or exclude it");
    }
    source::read(location, metadata.len(), buffer)
}
