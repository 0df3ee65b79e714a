//! `lint-spawns markers add`: writes a marker at every unmarked hit.

use std::fmt::Write as _;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use camino::Utf8Path;
use xshell::Shell;

use super::annotate::{Annotated, Note, Reason, annotate};
use super::check::{CheckedFile, Checker, Hit};
use super::policy::Policy;
use super::program::NAME;
use super::report::{self, plural};
use super::rule::Rule;
use super::run::{Files, Run, STACK_SIZE, Wanted, read};
use super::{discover, patch, write};
use crate::flags::MarkersAdd;
use crate::output::{self, printable, printable_path};
use crate::{Outcome, bug};

/// Writes the markers, or prints what would be written.
pub fn run(flags: &MarkersAdd) -> Result<Outcome> {
    let reason = Reason::new(&flags.reason)?;
    let rule = flags.rule.as_deref().map(Rule::named).transpose().map_err(Error::msg)?;
    let given = discover::given(&flags.paths)?;
    if given.as_ref().is_some_and(|given| given.input.is_some()) {
        bail!("nothing can be written into standard input; name the file");
    }
    let run = Run::new(&Shell::new()?, &flags.scope, Files::given(given.as_ref()), Wanted::default())?;
    let Run { root, policy, files, .. } = &run;
    if let Some(rule) = rule.filter(|rule| !policy.rules.contains(rule)) {
        bail!("the rule {} is not in force, so nothing is found by it; --select it", rule.name());
    }
    let note = Note::new(&policy.marker, reason, policy.markers)?;
    let pen = Pen { checker: Checker::new(policy)?, root, note, rule, dry_run: flags.dry_run };
    let mut errors = Vec::new();
    let mut done = Done::default();
    std::thread::scope(|scope| {
        let work = || {
            for file in files {
                if let Err(err) = bug::caught(|| pen.mark(file, &mut done)).and_then(|result| result) {
                    errors.push(format!("cannot mark {}: {err:#}", printable_path(file.path.as_str())));
                }
            }
        };
        let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
        let thread = builder.spawn_scoped(scope, work).context("cannot start a thread")?;
        thread.join().map_err(|_| anyhow!("a bug: the thread that writes panicked"))
    })?;
    for complaint in done.left.iter().chain(&errors) {
        output::complain(NAME, complaint);
    }
    match (flags.dry_run, files.is_empty(), &run.idle) {
        (true, _, _) => output::print_patch(&done.patch)?,
        (false, false, _) => output::print(&done.report(files.len(), policy))?,
        (false, true, Some(idle)) if run.errors.is_empty() => output::print(&report::nothing_to_check(idle))?,
        (false, true, _) => {}
    }
    Ok(match (run.errors.is_empty() && errors.is_empty(), done.left.is_empty()) {
        (false, _) => Outcome::Failed,
        (true, false) => Outcome::Problems,
        (true, true) => Outcome::Clean,
    })
}

/// What marks files.
struct Pen<'p> {
    checker: Checker<'p>,
    root: &'p Utf8Path,
    note: Note<'p>,
    /// Whose hits are marked; else those of all rules.
    rule: Option<Rule>,
    dry_run: bool,
}

impl Pen<'_> {
    fn mark(&self, file: &CheckedFile, done: &mut Done) -> Result<()> {
        if !file.hits.iter().any(|hit| self.is_wanted(hit)) {
            return Ok(());
        }
        let location = self.root.join(&file.path);
        let mut buffer = Vec::new();
        let old = read(&location, &mut buffer)?;
        // Not those of the file as it may have been.
        let hits = self.checker.check(old);
        let lines = |wanted| {
            let unmarked = hits.iter().filter(|hit| is_unmarked(hit));
            unmarked.filter(|hit| self.is_wanted(hit) == wanted).map(|hit| hit.line).collect::<Vec<_>>()
        };
        let annotated = annotate(old, &lines(true), &lines(false), self.note);
        self.prove(&hits, &annotated)?;
        let path = file.path.as_str();
        if self.dry_run {
            done.patch.extend(patch::unified(path, Some(old), &annotated.bytes));
        } else if !annotated.added.is_empty() {
            write::replace(&location, old, &annotated.bytes)?;
        }
        done.note(path, &annotated, self.dry_run);
        Ok(())
    }

    fn is_wanted(&self, hit: &Hit) -> bool {
        is_unmarked(hit) && self.rule.is_none_or(|rule| hit.rules.contains(&rule))
    }

    /// Fails if the next run would not find what this one says.
    fn prove(&self, hits: &[Hit], annotated: &Annotated) -> Result<()> {
        let again = self.checker.check(&annotated.bytes);
        let rules = |hits: &[Hit]| hits.iter().map(|hit| hit.rules.clone()).collect::<Vec<_>>();
        let unmarked = again.iter().filter(|hit| self.is_wanted(hit)).map(|hit| hit.line);
        if !unmarked.eq(annotated.left.iter().map(|left| left.line_now)) || rules(hits) != rules(&again) {
            bail!("a bug in this program, please report it: the markers would not do; nothing was changed");
        }
        Ok(())
    }
}

fn is_unmarked(hit: &Hit) -> bool {
    hit.reason.is_none() && !hit.dropped
}

/// What was done, in order of path and line.
#[derive(Default)]
struct Done {
    /// A line for each marker.
    added: String,
    markers: usize,
    files: usize,
    left: Vec<String>,
    patch: Vec<u8>,
}

impl Done {
    fn note(&mut self, path: &str, annotated: &Annotated, dry_run: bool) {
        let path = printable_path(path);
        for line in &annotated.added {
            let _ = writeln!(self.added, "{path}:{line}: added");
        }
        self.markers += annotated.added.len();
        self.files += usize::from(!annotated.added.is_empty());
        for left in &annotated.left {
            let line = if dry_run { left.line } else { left.line_now };
            self.left.push(format!("{path}:{line} stays unmarked: {}", left.why));
        }
    }

    fn report(&self, checked: usize, policy: &Policy) -> String {
        let mut text = self.added.clone();
        if self.markers > 0 {
            let (markers, noun) = plural(self.markers, "marker", "markers");
            let (files, of_files) = plural(self.files, "file", "files");
            text += &format!("\n{markers} {noun} added in {files} {of_files}");
        } else {
            let (files, of_files) = plural(checked, "Python file", "Python files");
            text += &format!("no marker to add in {files} {of_files}");
        }
        if !self.left.is_empty() {
            let (left, stay) = plural(self.left.len(), "hit stays", "hits stay");
            text += &format!(", {left} {stay} unmarked");
        }
        text + &format!(" (policy: {})\n", printable(&policy.origin.name))
    }
}
