//! `cargo xtask ci`: the aggregated check, a list of steps and one runner.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use xshell::{Shell, cmd};

use crate::flags::{Ci, LintSpawns};
use crate::{Outcome, lint_spawns, output};

/// What complaints begin with.
pub const NAME: &str = "ci";

struct Step {
    name: &'static str,
    /// What a person would type.
    command: &'static str,
    run: fn(&Shell) -> Result<Outcome>,
}

const STEPS: [Step; 5] = [
    Step { name: "format", command: "cargo fmt --all --check", run: |sh| passes(cmd!(sh, "cargo fmt --all --check")) },
    Step {
        name: "clippy",
        command: "cargo clippy --workspace --all-targets -- -D warnings",
        run: |sh| passes(cmd!(sh, "cargo clippy --quiet --workspace --all-targets -- -D warnings")),
    },
    Step {
        name: "test",
        command: "cargo test --workspace",
        // A wrong snapshot fails the test; it does not leave a file behind in CI.
        run: |sh| passes(cmd!(sh, "cargo test --quiet --workspace")),
    },
    Step {
        name: "docs",
        command: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps",
        run: |sh| passes(cmd!(sh, "cargo doc --quiet --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings")),
    },
    Step {
        name: "lint-spawns",
        command: "cargo xtask lint-spawns",
        run: |_| lint_spawns::run(&LintSpawns { root: Some(workspace().into()), ..LintSpawns::default() }),
    },
];

/// Runs the steps and prints a summary.
pub fn run(flags: &Ci) -> Result<Outcome> {
    for name in flags.only.iter().chain(&flags.skip) {
        if !STEPS.iter().any(|step| step.name == name) {
            let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            bail!("no step is named {name:?}; there are {}", known.join(", "));
        }
    }
    let wanted = |step: &&Step| {
        (flags.only.is_empty() || flags.only.iter().any(|name| name == step.name))
            && !flags.skip.iter().any(|name| name == step.name)
    };
    let steps: Vec<&Step> = STEPS.iter().filter(wanted).collect();
    if steps.is_empty() {
        bail!("no step is left to run");
    }
    if flags.list {
        let list =
            steps.iter().fold(String::new(), |list, step| list + &format!("{:<12} {}\n", step.name, step.command));
        output::print(&list)?;
        return Ok(Outcome::Clean);
    }
    let sh = Shell::new()?;
    sh.change_dir(workspace());
    let mut results: Vec<(&Step, bool, Duration)> = Vec::new();
    for step in &steps {
        output::print(&format!("==> {}: {}\n", step.name, step.command))?;
        let begin = Instant::now();
        let passed = match (step.run)(&sh) {
            Ok(outcome) => outcome == Outcome::Clean,
            Err(err) => {
                output::complain(NAME, &format!("{err:#}"));
                false
            }
        };
        let time = begin.elapsed();
        let verdict = if passed { "passed" } else { "FAILED" };
        output::print(&format!("==> {} {verdict} in {:.1} s\n\n", step.name, time.as_secs_f64()))?;
        results.push((step, passed, time));
        if !passed && !flags.keep_going {
            break;
        }
    }
    output::print(&summary(&results, steps.len()))?;
    Ok(if results.iter().all(|(_, passed, _)| *passed) { Outcome::Clean } else { Outcome::Problems })
}

fn summary(results: &[(&Step, bool, Duration)], steps: usize) -> String {
    let mut text = String::new();
    for (step, passed, time) in results {
        let verdict = if *passed { "passed" } else { "FAILED" };
        let _ = writeln!(text, "{:<12} {verdict} {:>7.1} s", step.name, time.as_secs_f64());
    }
    for (step, passed, _) in results {
        if !passed {
            let _ = writeln!(text, "again: cargo xtask ci --only {}", step.name);
        }
    }
    if results.len() < steps {
        let _ = writeln!(text, "{} more not run; --keep-going runs them all the same", steps - results.len());
    }
    text
}

fn passes(command: xshell::Cmd) -> Result<Outcome> {
    let name = command.to_string();
    let status = std::process::Command::from(command).status().with_context(|| format!("cannot run `{name}`"))?;
    Ok(if status.success() { Outcome::Clean } else { Outcome::Problems })
}

/// The workspace that this program was built from.
fn workspace() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/..")
}
