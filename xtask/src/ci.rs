//! `cargo xtask ci`: the aggregated check, a list of steps and one runner.
//!
//! To the steps below come those of the host repository, which [`host`] reads. [`plan`] chooses among them, by
//! [`changed`] and [`requirement`]; [`runner`] runs one after the other, each below a [`supervisor`] that leaves nothing
//! of it behind; [`screen`] shows people what happens, [`summary`] what has happened.

#[cfg(not(unix))]
mod alone;
pub mod changed;
#[cfg(unix)]
mod child;
pub mod host;
pub mod moved;
pub mod paths;
pub mod plan;
pub mod requirement;
pub mod runner;
pub mod screen;
#[cfg(unix)]
mod signals;
pub mod step;
pub mod summary;
#[cfg_attr(not(unix), path = "ci/no_supervisor.rs")]
pub mod supervisor;
pub mod task;

use std::time::Duration;

use anyhow::Result;

use crate::flags::Ci;
use crate::{Outcome, output};
use host::Host;
use plan::{Decision, Planned};
use runner::Runner;
use screen::Screen;
use step::{BuiltIn, Step};
use summary::{Row, Verdict};
use task::{Ending, Task};

/// What complaints begin with.
pub const NAME: &str = "ci";

/// What every Cargo workspace has checked. A command is what a person would type; `cargo xtask` is this program.
const STEPS: [BuiltIn; 5] = [
    BuiltIn {
        name: "format",
        command: "cargo fmt --all --check",
        fix: &["cargo fmt --all"],
        requires: &["rustfmt"],
        paths: &["*.rs", "Cargo.toml", "rustfmt.toml", ".rustfmt.toml", "rust-toolchain*"],
    },
    BuiltIn {
        name: "clippy",
        command: "cargo clippy --quiet --workspace --all-targets -- -D warnings",
        fix: &[
            "cargo clippy --quiet --workspace --all-targets --fix --allow-dirty --allow-staged -- -D warnings",
            // What is put in the place of other code may have to be laid out anew.
            "cargo fmt --all",
        ],
        requires: &["clippy", "rustfmt"],
        paths: &["*.rs", "Cargo.*", "clippy.toml", ".clippy.toml", "rust-toolchain*", "/.cargo"],
    },
    BuiltIn {
        name: "test",
        command: "cargo test --quiet --workspace",
        fix: &["cargo xtask ci-moved-snapshots", "cargo test --quiet --workspace"],
        requires: &[],
        // A test may read whatever there is.
        paths: &["*"],
    },
    BuiltIn {
        name: "docs",
        command: "RUSTDOCFLAGS='-D warnings' cargo doc --quiet --workspace --no-deps",
        fix: &[],
        requires: &[],
        paths: &["*.rs", "*.md", "Cargo.*", "rust-toolchain*", "/.cargo"],
    },
    BuiltIn {
        name: "lint-spawns",
        command: "cargo xtask lint-spawns --root .",
        fix: &[],
        requires: &[],
        paths: &["*.py", "/Cargo.toml", "/pyproject.toml", "/xtask"],
    },
];

/// Runs the steps and prints a summary.
pub fn run(flags: &Ci) -> Result<Outcome> {
    let host = Host::find()?;
    let mut steps: Vec<Step> = STEPS.iter().map(BuiltIn::step).collect::<Result<_>>()?;
    steps.extend(host.steps(&steps)?);
    let steps = plan::chosen(&steps, flags)?;
    let mut runner = Runner::new(&host.root)?;
    let plan = plan::make(steps, flags, &host.root, &mut runner)?;
    if let Some(signal) = runner.interrupted() {
        return Ok(ended(signal));
    }
    if flags.list {
        output::print(&plan::list(&plan, flags))?;
        return Ok(Outcome::Clean);
    }
    let mut screen = Screen::new(flags, &plan);
    let rows = run_all(&plan, flags, &mut runner, &mut screen)?;
    screen.end(&rows)?;
    if let Some(signal) = runner.interrupted() {
        return Ok(ended(signal));
    }
    let failed = rows.iter().any(|row| row.verdict.is_failure());
    Ok(if failed { Outcome::Problems } else { Outcome::Clean })
}

/// Whatever the steps have shown before, it is not all.
fn ended(signal: &str) -> Outcome {
    output::complain(NAME, &format!("ended by {signal}, and what was running with it"));
    Outcome::Failed
}

/// What has become of each step that was chosen, in order.
fn run_all<'s>(plan: &[Planned<'s>], flags: &Ci, runner: &mut Runner, screen: &mut Screen) -> Result<Vec<Row<'s>>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut obstacle = None;
    let colours = screen.variables();
    for planned in plan {
        let (step, commands) = (planned.step, planned.step.commands(flags.fix));
        let row = match (&planned.decision, &obstacle) {
            (Decision::LeaveOut(_), _) => continue,
            (Decision::Unneeded(why), _) => Row::new(step, commands, Verdict::Unneeded, None, Some(why.clone())),
            (Decision::Skip(why), _) => Row::new(step, commands, Verdict::Skipped, None, Some(why.clone())),
            (_, Some(obstacle)) => Row::new(step, commands, Verdict::NotRun, None, Some(String::clone(obstacle))),
            (Decision::Fail(why), None) => Row::new(step, commands, Verdict::Failed, None, Some(why.clone())),
            (Decision::Run(_), None) => {
                screen.begin(step, commands)?;
                let mut time = Duration::ZERO;
                let mut ending = Ending::Exited { code: 0, left: 0 };
                for command in commands {
                    let mut watch = |chunk: &[u8], elapsed| screen.watch(chunk, time + elapsed);
                    let task = Task {
                        words: planned.words(command),
                        variables: [&command.variables[..], &colours].concat(),
                        folder: step.folder.clone(),
                        limit: step.timeout.map(|timeout| timeout.saturating_sub(time)),
                    };
                    let run = runner.run(task, &mut watch);
                    time += run.time;
                    ending = run.ending;
                    if !ending.is_success() {
                        break;
                    }
                }
                let (verdict, reason) = summary::verdict(&ending, step);
                Row::new(step, commands, verdict, Some(time), reason)
            }
        };
        screen.finish(&row)?;
        if runner.interrupted().is_some() {
            obstacle = Some("the run was ended before".to_owned());
        } else if row.verdict.is_failure() && !flags.keep_going {
            obstacle = obstacle.or_else(|| Some(format!("{} failed; --keep-going goes on", step.name)));
        }
        rows.push(row);
    }
    Ok(rows)
}
