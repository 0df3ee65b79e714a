//! `cargo xtask lint-spawns`: the pipeline, readable as a list of its stages.

pub mod baseline;
pub mod check;
pub mod detect;
pub mod discover;
pub mod git;
mod lexer;
mod literal;
pub mod marker;
pub mod policy;
pub mod report;
mod rewrite;
pub mod rule;
pub mod source;
pub mod statement;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use camino::Utf8Path;
use xshell::Shell;

use crate::flags::LintSpawns;
use crate::output::printable_path;
use crate::{Outcome, bug, output};
use check::{CheckedFile, Checker};
use discover::{Candidate, Selection};
use policy::Policy;

/// What complaints begin with.
pub const NAME: &str = "lint-spawns";

/// Of each worker; the parser and the drop of what it made need it for the deepest statements.
pub const STACK_SIZE: usize = 256 << 20;

/// Runs the check and prints its report.
pub fn run(flags: &LintSpawns) -> Result<Outcome> {
    let sh = Shell::new()?;
    let root = discover::root(&sh, flags.root.as_deref(), &flags.paths)?;
    let policy = Policy::load(&root, flags.config.as_deref())?;
    let selection = match flags.paths.as_slice() {
        [] => discover::tracked(&sh, &root, &policy)?,
        paths => discover::named(&sh, &root, &policy, paths)?,
    };
    for warning in &selection.warnings {
        output::complain(NAME, &format!("warning: {warning}"));
    }
    let (files, unread) = check_all(&selection.files, &policy)?;
    let errors: Vec<&String> = selection.errors.iter().chain(&unread).collect();
    for error in &errors {
        output::complain(NAME, error);
    }
    if files.is_empty() && errors.is_empty() {
        return nothing_checked(&selection, &root, &policy, flags);
    }
    let outcome = if flags.print_baseline {
        output::print(&report::baseline(&files, &policy))?;
        Outcome::Clean
    } else {
        let empty = BTreeMap::new();
        let baseline = if flags.all || !flags.paths.is_empty() { &empty } else { &policy.baseline };
        let verdict = baseline::judge(&files, baseline);
        let report = report::check(&files, &verdict, &policy, flags.strict_baseline);
        // A clean report would be a lie about what could not be read.
        if report.problems || errors.is_empty() {
            output::print(&report.text)?;
        }
        if report.problems { Outcome::Problems } else { Outcome::Clean }
    };
    Ok(if errors.is_empty() { outcome } else { Outcome::Failed })
}

fn nothing_checked(selection: &Selection, root: &Utf8Path, policy: &Policy, flags: &LintSpawns) -> Result<Outcome> {
    if selection.ruled_out > 0 && selection.unseen == 0 {
        output::print(report::nothing_to_check())?;
        return Ok(Outcome::Clean);
    }
    let root = printable_path(root.as_str());
    if flags.paths.is_empty() {
        bail!(
            "nothing to check in {root}: no Python file is there that git tracks and the policy ({}) includes and does \
             not exclude; correct the policy, or name another folder with --root",
            policy.origin.name
        );
    }
    bail!("nothing to check: no Python file is there in the paths given; name others")
}

/// The files in their order, and what is wrong with those that could not be read.
fn check_all(files: &[Candidate], policy: &Policy) -> Result<(Vec<CheckedFile>, Vec<String>)> {
    let checker = Checker::new(policy)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        let mut buffer = Vec::new();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(result) = check_file(file, &checker, &mut buffer).transpose() {
                done.push(result.map_err(|err| (&file.path, err)));
            }
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    let done = std::thread::scope(|scope| -> Result<Vec<_>> {
        let mut workers = Vec::new();
        for _ in 0..threads {
            let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
            workers.push(builder.spawn_scoped(scope, work).context("cannot start a thread")?);
        }
        let mut done = Vec::with_capacity(files.len());
        for worker in workers {
            done.extend(worker.join().map_err(|_| anyhow::anyhow!("a bug: a worker thread panicked"))?);
        }
        Ok(done)
    })?;
    let mut checked = Vec::with_capacity(done.len());
    let mut errors = Vec::new();
    for result in done {
        match result {
            Ok(file) => checked.push(file),
            Err((path, err)) => errors.push(format!("cannot check {}: {err:#}", printable_path(path.as_str()))),
        }
    }
    checked.sort_unstable_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    errors.sort_unstable();
    Ok((checked, errors))
}

/// None if the file is gone: deleted in the work tree, say.
fn check_file(file: &Candidate, checker: &Checker, buffer: &mut Vec<u8>) -> Result<Option<CheckedFile>> {
    let bytes = match read(file, buffer) {
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
    let hits = bug::caught(|| checker.check(bytes))?;
    Ok(Some(CheckedFile { path: file.path.clone(), hits }))
}

fn read<'b>(file: &Candidate, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let metadata = fs::symlink_metadata(&file.location)?;
    if !metadata.is_file() {
        bail!("it is not a file; it was not opened, restore it or exclude it");
    }
    source::read(&file.location, metadata.len(), buffer)
}
