//! Which steps are run, and why.

use anyhow::{Context as _, Result, bail};
use camino::Utf8Path;
use globset::GlobBuilder;

use super::changed::{self, Changes};
use super::requirement::Requirement;
use super::runner::Runner;
use super::step::{Command, Step, joined};
use crate::flags::Ci;
use crate::output::printable_path;

/// A step and what is to become of it.
pub struct Planned<'s> {
    pub step: &'s Step,
    pub decision: Decision,
    /// Programs that are called by another name here.
    names: Vec<(String, String)>,
}

/// Each says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Run(String),
    /// It was not asked for.
    LeaveOut(String),
    /// Nothing that concerns it has changed.
    Unneeded(String),
    /// This machine lacks what it needs.
    Skip(String),
    /// As `Skip`, with `--strict`.
    Fail(String),
}

impl Planned<'_> {
    /// The program and arguments of a command of the step, as they are on this machine.
    pub fn words(&self, command: &Command) -> Vec<String> {
        let mut words = command.words.clone();
        if let Some(program) = words.first_mut()
            && let Some((_, here)) = self.names.iter().find(|(name, _)| name == program)
        {
            program.clone_from(here);
        }
        words
    }
}

/// All steps, each with why it is left out if it is.
pub fn chosen<'s>(steps: &'s [Step], flags: &Ci) -> Result<Vec<(&'s Step, Option<&'static str>)>> {
    let only = matching(steps, &flags.only, "--only")?;
    let skip = matching(steps, &flags.skip, "--skip")?;
    let mut chosen = Vec::new();
    for step in steps {
        let is_in = |names: &[&str]| names.contains(&step.name.as_str());
        let left_out = match () {
            () if is_in(&skip) => Some("--skip names it"),
            () if !flags.only.is_empty() && !is_in(&only) => Some("--only does not name it"),
            () => None,
        };
        chosen.push((step, left_out));
    }
    if chosen.iter().all(|(_, left_out)| left_out.is_some()) {
        bail!("no step is left to run: --skip leaves out what --only names");
    }
    Ok(chosen)
}

/// The names that patterns match. Each pattern has to match one.
fn matching<'s>(steps: &'s [Step], patterns: &[String], option: &str) -> Result<Vec<&'s str>> {
    let mut names = Vec::new();
    for pattern in patterns {
        let shown = format!("'{}'", printable_path(pattern));
        let glob = GlobBuilder::new(pattern).build();
        let glob = glob.map_err(|err| anyhow::anyhow!("{option} {shown}: bad glob: {}", err.kind()))?;
        let matcher = glob.compile_matcher();
        let before = names.len();
        names.extend(steps.iter().map(|step| step.name.as_str()).filter(|name| matcher.is_match(name)));
        if names.len() == before {
            let known: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            bail!("{option} {shown} matches no step; there are {}", known.join(", "));
        }
    }
    Ok(names)
}

/// Decides on every step. Asks git and the programs that steps need.
pub fn make<'s>(
    steps: Vec<(&'s Step, Option<&'static str>)>,
    flags: &Ci,
    root: &Utf8Path,
    runner: &mut Runner,
) -> Result<Vec<Planned<'s>>> {
    let changes = flags.changed.as_deref().map(|revision| changed::since(root, revision)).transpose()?;
    let mut asked: Vec<(&Requirement, Result<String, String>)> = Vec::new();
    let mut plan = Vec::new();
    for (step, left_out) in steps {
        let mut names = Vec::new();
        let need = match (left_out, &changes) {
            (Some(why), _) => Err(Decision::LeaveOut(why.to_owned())),
            (None, Some(changes)) => need(step, changes).map_err(Decision::Unneeded),
            (None, None) if flags.only.is_empty() => Ok("by default".to_owned()),
            (None, None) => Ok("--only names it".to_owned()),
        };
        let decision = match need {
            Err(decision) => decision,
            Ok(why) => {
                let mut missing = Vec::new();
                for requirement in &step.requires {
                    let known = asked.iter().position(|(asked, _)| *asked == requirement);
                    let index = known.unwrap_or_else(|| {
                        asked.push((requirement, requirement.find(runner)));
                        asked.len() - 1
                    });
                    match asked.get(index).map(|(_, answer)| answer.clone()).context("a bug: nobody asked")? {
                        Ok(name) => names.push((requirement.program.clone(), name)),
                        Err(why) => missing.push(why),
                    }
                }
                match missing.is_empty() {
                    true => Decision::Run(why),
                    false if flags.strict => Decision::Fail(missing.join("; ")),
                    false => Decision::Skip(missing.join("; ")),
                }
            }
        };
        plan.push(Planned { step, decision, names });
    }
    Ok(plan)
}

/// Why a step is needed, or why not.
fn need(step: &Step, changes: &Changes) -> Result<String, String> {
    let Some(paths) = &step.paths else { return Ok("needed by any paths".to_owned()) };
    let mut changed = changes.paths.iter().filter(|path| paths.matches(path));
    let Some(first) = changed.next() else { return Err(format!("none of its paths differs from {}", changes.since)) };
    Ok(match changed.count() {
        0 => format!("{} differs", printable_path(first.as_str())),
        more => format!("{} and {more} more differ", printable_path(first.as_str())),
    })
}

/// What would be run, and why.
pub fn list(plan: &[Planned], flags: &Ci) -> String {
    let rows: Vec<[String; 4]> = plan
        .iter()
        .map(|planned| {
            let (what, why) = match &planned.decision {
                Decision::Run(why) => ("run", why),
                Decision::Fail(why) => ("fail", why),
                Decision::Skip(why) | Decision::LeaveOut(why) | Decision::Unneeded(why) => ("skip", why),
            };
            let command = joined(planned.step.commands(flags.fix));
            [planned.step.name.clone(), what.to_owned(), command, why.clone()]
        })
        .collect();
    let names = plan.iter().map(|planned| planned.step.name.len()).max().unwrap_or(0);
    let line = |[name, what, command, why]: &[String; 4]| format!("{name:names$}  {what:4}  {command}  # {why}\n");
    rows.iter().map(line).collect()
}
