//! `lint-spawns init`: the first policy of a repository, with a baseline of today's hits.
//!
//! `place` tells which file it goes into, `proposal` what is written there. Nothing is written before all that the policy
//! includes was checked by it.

mod place;
mod proposal;

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use xshell::Shell;

use super::amend::{self, Layout};
use super::baseline::Baseline;
use super::discover;
use super::policy::Policy;
use super::program::NAME;
use super::report::{plural, size};
use super::run::{Files, Run, Wanted};
use super::verdict;
use crate::output::{printable, printable_path};
use crate::{Outcome, flags, output};
use place::Place;
use proposal::Proposal;

/// Writes policy and baseline, or prints what would be written.
pub fn run(flags: &flags::Init) -> Result<Outcome> {
    let flags::Init { scope, exclude, dry_run } = flags;
    let sh = Shell::new()?;
    let root = discover::root(&sh, scope.root.as_deref(), false)?;
    let place = Place::choose(&root, scope)?;
    // That the rules are known, and find something.
    Policy::built_in()?.choose(&scope.select, &scope.ignore)?;
    let tracked = discover::python(&sh, &root)?;
    place.prove_new(&sh, &root)?;
    let proposal = Proposal::new(&tracked, exclude, &scope.select, &scope.ignore)?;
    let shown = printable_path(root.as_str());
    if tracked.is_empty() {
        bail!(
            "nothing to check in {shown}: no Python file is there that git tracks; `git add` what is to be checked, or \
             name another folder with --root"
        );
    }
    if proposal.files == 0 {
        let (n, files) = plural(tracked.len(), "Python file", "Python files");
        bail!(
            "nothing to check in {shown}: git tracks {n} {files} there, all of which would be left out: as tests, as the \
             code of others, or by --exclude; write a policy by hand, or name another folder with --root"
        );
    }
    let draft = amend::append(place.text(), &proposal.text(place.table));
    let policy = place.read(&draft)?;
    let header = policy.origin.baseline_header.clone();
    let run = Run::by(&sh, root, policy, scope.jobs, Files::Included, Wanted::default())?;
    if !run.errors.is_empty() {
        output::complain(NAME, "nothing was written: not all could be checked; --exclude GLOB leaves files out");
        return Ok(Outcome::Failed);
    }
    let baseline = verdict::today(&run.files);
    let text = amend::amend(&draft, &header, &Baseline::new(), &baseline, &BTreeMap::new(), Layout::Spread)?;
    place.prove(&text, proposal.meant(&baseline))?;
    if *dry_run {
        output::print_patch(&place.patch(&run.root, &text))?;
    } else {
        place.write(&text)?;
        output::print(&report(&place, &proposal, &run, &baseline))?;
    }
    Ok(Outcome::Clean)
}

/// What was written, and what to do next.
fn report(place: &Place, proposal: &Proposal, run: &Run, baseline: &Baseline) -> String {
    let (files, noun) = plural(run.files.len(), "Python file is", "Python files are");
    let mut facts = vec![format!("{files} {noun} checked, in {}", proposal.trees())];
    if proposal.left_out() > 0 {
        let (n, noun) = plural(proposal.left_out(), "Python file is", "Python files are");
        facts.push(format!("{n} {noun} left out by `exclude`"));
    }
    let marked = run.files.iter().flat_map(|file| &file.hits).filter(|hit| hit.reason.is_some() && !hit.dropped);
    let (marked, noun) = plural(marked.count(), "hit is", "hits are");
    if marked > 0 {
        facts.push(format!("{marked} {noun} marked already"));
    }
    let mark = "markers add REASON PATHS";
    let (last, verbs) = if baseline.is_empty() {
        facts.push("nothing has to be tolerated: the baseline is empty".to_owned());
        ("Mark a new spawn that is meant to outlive its owner:", &[mark][..])
    } else {
        facts.push(format!("the baseline tolerates {}", size(baseline)));
        let last = "Burn the baseline down: see where it is, mend spawns or mark those that are meant, then lower it:";
        (last, &["stat", mark, "baseline prune"][..])
    };
    let commands: String = verbs.iter().map(|verb| format!("     {}\n", place.command(verb))).collect();
    let facts: String = facts.iter().map(|fact| format!("  {fact}\n")).collect();
    let name = printable(&place.name);
    let table = place.table.map(|table| format!(", [{table}]")).unwrap_or_default();
    format!(
        "wrote a policy and its baseline into {name}{table}:\n{facts}\nNext:\n\
         1. Read what it says, above all of `exclude`, and commit {name}.\n\
         2. Let CI run this, which fails on new spawns, and where the baseline can be lowered:\n     {}\n\
         3. {last}\n{commands}",
        place.command("--strict-baseline"),
    )
}
