//! A run: stages 1 to 6 for the files that a verb is about.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Mutex, mpsc};

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::check::{CheckedFile, Checker};
use super::discover::{self, Candidate, Given, Selection, Warning};
use super::marker::Audit;
use super::policy::Policy;
use super::program::NAME;
use super::{git, source};
use crate::flags::Scope;
use crate::output::printable_path;
use crate::{bug, output};

/// Of each worker; the parser and the drop of what it made need it for the deepest statements.
pub const STACK_SIZE: usize = 256 << 20;

/// As many files go to a worker at once.
const BATCH: usize = 32;

/// The files that a run is about.
#[derive(Debug, Clone, Copy)]
pub enum Files<'f> {
    /// All that the policy includes.
    Included,
    /// What the command line gives.
    Given(&'f Given),
    /// What differs from where HEAD left a commit.
    Changed(Option<&'f str>),
    /// What the index holds of what differs from HEAD.
    Staged,
}

impl<'f> Files<'f> {
    /// Where nothing is given, it is all that the policy includes.
    pub fn given(given: Option<&'f Given>) -> Files<'f> {
        given.map_or(Files::Included, Files::Given)
    }

    fn are_given(self) -> bool {
        matches!(self, Files::Given(_))
    }
}

/// What a run found.
#[derive(Debug)]
pub struct Run {
    pub root: Utf8PathBuf,
    pub policy: Policy,
    /// The files that were checked, in order of path.
    pub files: Vec<CheckedFile>,
    pub warnings: Vec<Warning>,
    /// What could not be checked. That nothing is there to check may be among it.
    pub errors: Vec<String>,
    /// Why it is fine that there is nothing to check, where it is.
    pub idle: Option<String>,
    /// Whether a warning names paths that are not in this work tree.
    pub unseen: bool,
    /// Whether the command line leaves out rules or hits that the policy has.
    pub narrowed: bool,
}

/// What a run keeps beside the hits.
#[derive(Debug, Default, Clone, Copy)]
pub struct Wanted {
    /// What there is to say of the markers.
    pub audit: bool,
    /// The text around what was found.
    pub content: bool,
}

impl Run {
    /// Checks the files, and prints the warnings and errors.
    pub fn new(sh: &Shell, scope: &Scope, files: Files, wanted: Wanted) -> Result<Run> {
        let root = discover::root(sh, scope.root.as_deref(), files.are_given())?;
        let mut policy = Policy::load(&root, scope.config.as_deref())?;
        policy.choose(&scope.select, &scope.ignore)?;
        let narrowed = !scope.select.is_empty() || !scope.ignore.is_empty() || (scope.precise && !policy.precise);
        policy.precise |= scope.precise;
        let run = Run::by(sh, root, policy, scope.jobs, files, wanted)?;
        Ok(Run { narrowed, ..run })
    }

    /// [`Run::new`] by a policy that need not be written anywhere.
    pub fn by(
        sh: &Shell,
        root: Utf8PathBuf,
        policy: Policy,
        jobs: Option<NonZeroUsize>,
        files: Files,
        wanted: Wanted,
    ) -> Result<Run> {
        let jobs = jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let (selection, checked, unread) = check_all(&root, &policy, jobs, wanted, |take| match files {
            Files::Included => discover::tracked(sh, &root, &policy, take),
            Files::Given(given) => discover::named(sh, &root, &policy, given, take),
            Files::Changed(rev) => discover::changed(sh, &root, &policy, rev, take),
            Files::Staged => discover::staged(sh, &root, &policy, take),
        })?;
        let Selection { warnings, errors, idle, unseen } = selection;
        for warning in &warnings {
            output::complain(NAME, &format!("warning: {}", warning.message));
        }
        let mut errors = [errors, unread].concat();
        if checked.is_empty() && errors.is_empty() && idle.is_none() {
            errors.push(nothing_to_check(&root, &policy, files.are_given()));
        }
        for error in &errors {
            output::complain(NAME, error);
        }
        Ok(Run { root, policy, files: checked, warnings, errors, idle, unseen, narrowed: false })
    }

    /// A file that was checked.
    pub fn file(&self, path: &str) -> Option<&CheckedFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// A file whose content is kept, and its text.
    pub fn text(&self, path: &str) -> Option<(&CheckedFile, Cow<'_, str>)> {
        let file = self.file(path)?;
        Some((file, source::decode(file.content.as_deref()?)))
    }

    /// What git says is renamed, as far as the new name is that of a file that was checked.
    pub fn renames(&self, sh: &Shell) -> Result<BTreeMap<String, String>> {
        let mut renames = git::renames(sh, &self.root)?;
        renames.retain(|_, new| self.file(new).is_some());
        Ok(renames)
    }
}

fn nothing_to_check(root: &Utf8Path, policy: &Policy, told: bool) -> String {
    let root = printable_path(root.as_str());
    if !told {
        return format!(
            "nothing to check in {root}: no Python file is there that git tracks and the policy ({}) includes and does \
             not exclude; correct the policy, or name another folder with --root",
            policy.origin.name
        );
    }
    "nothing to check: no Python file is there in the paths given; name others".to_owned()
}

/// Checks what `discover` finds while it goes on. Returns its result, the files in order of path, each once, and what is
/// wrong with those that could not be read.
fn check_all(
    root: &Utf8Path,
    policy: &Policy,
    jobs: usize,
    wanted: Wanted,
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
            match check_file(root, &candidate, &checker, wanted, &mut buffer) {
                Ok(file) => files.extend(file),
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
    wanted: Wanted,
    buffer: &mut Vec<u8>,
) -> Result<Option<CheckedFile>> {
    let bytes = match &file.content {
        Some(content) => content,
        None => match read(&root.join(&file.path), buffer) {
            Ok(bytes) => bytes,
            Err(err) => match err.downcast_ref::<io::Error>() {
                Some(io) if discover::is_gone(io) && !file.named => return Ok(None),
                Some(io) if discover::is_gone(io) => bail!("{io}; it was there when the run began, run again"),
                Some(io) => bail!("{io}; make it readable, or exclude it"),
                None => return Err(err),
            },
        },
    };
    if source::is_wide(bytes) || checker.is_blind_to(bytes) {
        bail!(
            "it is UTF-16 or UTF-32, at least in part, and Python would not read it; convert it to UTF-8, or exclude it"
        );
    }
    // Whatever goes wrong in the parser must not take the other files, or this one's name, with it.
    let (hits, audit) =
        bug::caught(|| if wanted.audit { checker.audit(bytes) } else { (checker.check(bytes), Audit::default()) })?;
    let something = !hits.is_empty() || !audit.flaws.is_empty();
    let content = (wanted.content && something).then(|| bytes.to_vec());
    Ok(Some(CheckedFile { path: file.path.clone(), hits, audit, content }))
}

/// What is in a file, in the buffer.
pub fn read<'b>(location: &Utf8Path, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let metadata = fs::symlink_metadata(location)?;
    if !metadata.is_file() {
        bail!("it is not a file; it was not opened, restore it or exclude it");
    }
    source::read(location, metadata.len(), buffer)
}
