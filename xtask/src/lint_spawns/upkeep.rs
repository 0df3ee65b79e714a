//! `lint-spawns baseline`: keeps the baseline in the policy file, and says what it changed there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use xshell::Shell;

use super::amend::{self, Layout};
use super::baseline::{Baseline, Entry};
use super::policy::{Origin, PolicyFile};
use super::program::{self, NAME};
use super::report::{place, plural, size};
use super::run::{Files, Run, Wanted};
use super::{verdict, write};
use crate::flags::{self, BaselineVerb, Scope};
use crate::output::{printable, printable_path};
use crate::{Outcome, output};

pub fn run(flags: &flags::Baseline) -> Result<Outcome> {
    match &flags.verb {
        BaselineVerb::Write(flags) => write_anew(&flags.scope, flags.accept_new),
        BaselineVerb::Prune(flags) => prune(&flags.scope),
    }
}

/// Makes the baseline what the working tree has.
fn write_anew(scope: &Scope, accept_new: bool) -> Result<Outcome> {
    let Some(job) = Job::begin(scope)? else { return Ok(Outcome::Failed) };
    let today = &job.found;
    let adopts = amend::line_of_table(&job.file.text, &job.origin().baseline_header)?.is_none();
    let new = exceeding(&job.present, today);
    if !(new.is_empty() || adopts || accept_new) {
        let (n, are) = plural(new.len(), "count is", "counts are");
        let name = printable(&job.origin().name);
        let lines: String = new.iter().map(|line| format!("  {line}\n")).collect();
        output::print(&format!(
            "nothing was written: {n} {are} beyond the baseline in {name}:\n{lines}\
             Mend or mark what is new (`{}` lists it), or tolerate it with --accept-new.\n",
            program::called()
        ))?;
        return Ok(Outcome::Problems);
    }
    let kept = job.unseen().map(|(path, entry)| (path.clone(), entry.clone()));
    let wanted = today.clone().into_iter().chain(kept).collect();
    job.finish(&wanted, Layout::Spread)
}

/// Lowers what the baseline tolerates to what the working tree has.
fn prune(scope: &Scope) -> Result<Outcome> {
    let Some(job) = Job::begin(scope)? else { return Ok(Outcome::Failed) };
    let lowered = job.present.iter().filter_map(|(path, entry)| {
        let found = match job.found.get(path) {
            Some(Entry::Functions(counts)) => counts.clone(),
            _ => BTreeMap::new(),
        };
        Some((path.clone(), lowered(entry, &found)?))
    });
    let kept = job.unseen().map(|(path, entry)| (path.clone(), entry.clone()));
    let wanted = lowered.chain(kept).collect();
    job.finish(&wanted, Layout::Keep)
}

/// None if nothing is left of it.
fn lowered(entry: &Entry, found: &BTreeMap<String, usize>) -> Option<Entry> {
    let lowered = match entry {
        Entry::File(count) => Entry::File(found.values().sum::<usize>().min(*count)),
        Entry::Functions(counts) => {
            let counts = counts.iter().map(|(function, count)| {
                (function.clone(), found.get(function).copied().unwrap_or_default().min(*count))
            });
            Entry::Functions(counts.filter(|(_, count)| *count > 0).collect())
        }
    };
    (lowered.total() > 0).then_some(lowered)
}

/// What both verbs begin with.
struct Job {
    run: Run,
    file: PolicyFile,
    /// The new paths of entries whose file is renamed, by the old ones.
    renamed: BTreeMap<String, String>,
    /// The baseline in the policy file, with these paths.
    present: Baseline,
    /// What the working tree has, by function.
    found: Baseline,
}

impl Job {
    /// None if not all could be checked; that is said then.
    fn begin(scope: &Scope) -> Result<Option<Job>> {
        let sh = Shell::new()?;
        let run = Run::new(&sh, scope, Files::Included, Wanted::default())?;
        let Some(file) = run.policy.origin.file.clone() else {
            bail!(
                "there is no policy file to keep a baseline in; `{} init` writes a first policy and its baseline, or name \
                 a policy file with --config",
                program::called()
            );
        };
        if !run.errors.is_empty() {
            output::complain(NAME, "nothing was written: not all could be checked");
            return Ok(None);
        }
        let checked: BTreeSet<&str> = run.files.iter().map(|file| file.path.as_str()).collect();
        let baseline = &run.policy.baseline;
        let mut renamed = BTreeMap::new();
        if baseline.keys().any(|path| !checked.contains(path.as_str())) {
            renamed = run.renames(&sh)?;
            renamed.retain(|old, new| {
                baseline.contains_key(old) && !checked.contains(old.as_str()) && !baseline.contains_key(new)
            });
        }
        let present = baseline.iter().map(|(path, entry)| (renamed.get(path).unwrap_or(path).clone(), entry.clone()));
        let present = present.collect();
        let found = verdict::today(&run.files);
        Ok(Some(Job { run, file, renamed, present, found }))
    }

    fn origin(&self) -> &Origin {
        &self.run.policy.origin
    }

    /// Entries of files that were not checked, where some files are not in this work tree: theirs, as far as one knows.
    fn unseen(&self) -> impl Iterator<Item = (&String, &Entry)> {
        let checked: BTreeSet<&str> = self.run.files.iter().map(|file| file.path.as_str()).collect();
        self.present.iter().filter(move |(path, _)| self.run.unseen && !checked.contains(path.as_str()))
    }

    /// Writes the baseline, and says what changed.
    fn finish(&self, wanted: &Baseline, layout: Layout) -> Result<Outcome> {
        let Origin { name, baseline_header: header, .. } = self.origin();
        let shown = printable(name);
        let before = &self.run.policy.baseline;
        let mut text = String::new();
        for (old, new) in &self.renamed {
            let _ = writeln!(text, "{}: moved to {}", printable_path(old), printable_path(new));
        }
        for change in changes(&self.present, wanted) {
            let _ = writeln!(text, "{change}");
        }
        for (path, _) in self.unseen() {
            let path = printable_path(path);
            let _ =
                writeln!(text, "{path}: kept, since some files are not in this work tree and it may be one of them");
        }
        if before == wanted {
            let _ = writeln!(text, "nothing to change: the baseline in {shown} tolerates {}", size(wanted));
            output::print(&text)?;
            return Ok(Outcome::Clean);
        }
        let odd = || {
            format!(
                "cannot edit the baseline in {shown} as it is spelled; make it a table of its own, [{header}], with a line \
                 for each file. Nothing was changed"
            )
        };
        let amended = amend::amend(&self.file.text, header, before, wanted, &self.renamed, layout);
        let amended = amended.ok().filter(|text| self.origin().baseline_in(text).is_ok_and(|read| read == *wanted));
        let amended = amended.with_context(odd)?;
        write::replace(&self.file.path, self.file.text.as_bytes(), amended.as_bytes()).with_context(|| {
            format!("cannot write {}, nothing was changed", printable_path(self.file.path.as_str()))
        })?;
        let _ = writeln!(text, "the baseline in {shown} tolerates {}; before: {}", size(wanted), size(before));
        output::print(&text)?;
        Ok(Outcome::Clean)
    }
}

/// What is found beyond a baseline, a line each.
fn exceeding(present: &Baseline, found: &Baseline) -> Vec<String> {
    let mut lines = Vec::new();
    for (path, entry) in found {
        let Entry::Functions(counts) = entry else { continue };
        match present.get(path) {
            Some(&Entry::File(tolerated)) if entry.total() > tolerated => {
                lines.push(format!("{}: {tolerated} -> {}", place(path, None), entry.total()));
            }
            Some(Entry::File(_)) => {}
            other => {
                let known = |function| match other {
                    Some(Entry::Functions(known)) => known.get(function).copied(),
                    _ => None,
                };
                for (function, &count) in counts {
                    let place = place(path, Some(function));
                    match known(function) {
                        Some(tolerated) if count <= tolerated => {}
                        Some(tolerated) => lines.push(format!("{place}: {tolerated} -> {count}")),
                        None => lines.push(format!("{place}: new, {count}")),
                    }
                }
            }
        }
    }
    lines
}

/// How two baselines differ, a line for each count that does.
fn changes(from: &Baseline, to: &Baseline) -> Vec<String> {
    let paths: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    let mut lines = Vec::new();
    for path in paths {
        match (from.get(path), to.get(path)) {
            (Some(from), Some(to)) if from == to => {}
            (Some(Entry::File(from)), Some(Entry::Functions(to))) => {
                let counts = to.iter().map(|(function, count)| format!("{} {count}", printable_path(function)));
                let counts: Vec<String> = counts.collect();
                lines.push(format!("{}: {from} -> by function: {}", place(path, None), counts.join(", ")));
            }
            (from, to) => {
                let counts = |entry: Option<&Entry>| match entry {
                    None => BTreeMap::new(),
                    Some(Entry::File(count)) => BTreeMap::from([(None, *count)]),
                    Some(Entry::Functions(counts)) if counts.is_empty() => BTreeMap::from([(None, 0)]),
                    Some(Entry::Functions(counts)) => {
                        counts.iter().map(|(function, count)| (Some(function.clone()), *count)).collect()
                    }
                };
                let (from, to) = (counts(from), counts(to));
                let functions: BTreeSet<_> = from.keys().chain(to.keys()).collect();
                for function in functions {
                    let place = place(path, function.as_deref());
                    match (from.get(function), to.get(function)) {
                        (Some(from), Some(to)) if from == to => {}
                        (Some(from), Some(to)) => lines.push(format!("{place}: {from} -> {to}")),
                        (Some(from), None) => lines.push(format!("{place}: removed, was {from}")),
                        (None, Some(to)) => lines.push(format!("{place}: added, {to}")),
                        (None, None) => {}
                    }
                }
            }
        }
    }
    lines
}
