//! `cargo xtask ci`: the aggregated check, a list of steps and one runner.

use std::fmt::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use xshell::{Shell, cmd};

use crate::flags::{Ci, LintSpawns, Scope};
use crate::{Outcome, lint_spawns, output, workspace};

/// What complaints begin with.
pub const NAME: &str = "ci";

struct Step {
    name: &'static str,
    /// What a person would type.
    command: &'static str,
    /// Is told where this program is.
    run: fn(&Shell, &Path) -> Result<Verdict>,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// This machine lacks what the step needs, which is said here.
    Skipped(&'static str),
}

const STEPS: [Step; 6] = [
    Step {
        name: "format",
        command: "cargo fmt --all --check",
        run: |sh, _| passes(cmd!(sh, "cargo fmt --all --check")),
    },
    Step {
        name: "clippy",
        command: "cargo clippy --workspace --all-targets -- -D warnings",
        run: |sh, _| passes(cmd!(sh, "cargo clippy --quiet --workspace --all-targets -- -D warnings")),
    },
    Step {
        name: "test",
        command: "cargo test --workspace",
        // A wrong snapshot fails the test; it does not leave a file behind in CI.
        run: |sh, _| passes(cmd!(sh, "cargo test --quiet --workspace")),
    },
    Step { name: "oracle", command: "python3 -B xtask/tests/oracle.py --xtask target/debug/xtask", run: oracle },
    Step {
        name: "docs",
        command: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps",
        run: |sh, _| passes(cmd!(sh, "cargo doc --quiet --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings")),
    },
    Step {
        name: "lint-spawns",
        command: "cargo xtask lint-spawns",
        run: |_, _| {
            let outcome = lint_spawns::run(&LintSpawns {
                scope: Scope { root: Some(workspace().into()), ..Scope::default() },
                ..LintSpawns::default()
            })?;
            Ok(if outcome == Outcome::Clean { Verdict::Passed } else { Verdict::Failed })
        },
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
    // Asked now, for a step that builds this program anew puts another in its place.
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let sh = Shell::new()?;
    sh.change_dir(workspace());
    let mut results: Vec<(&Step, Verdict, Duration)> = Vec::new();
    for step in &steps {
        output::print(&format!("==> {}: {}\n", step.name, step.command))?;
        let begin = Instant::now();
        let verdict = (step.run)(&sh, &program).unwrap_or_else(|err| {
            output::complain(NAME, &format!("{err:#}"));
            Verdict::Failed
        });
        let time = begin.elapsed();
        output::print(&format!("==> {} {verdict} in {:.1} s{}\n\n", step.name, time.as_secs_f64(), verdict.reason()))?;
        results.push((step, verdict, time));
        if verdict == Verdict::Failed && !flags.keep_going {
            break;
        }
    }
    output::print(&summary(&results, steps.len()))?;
    let failed = results.iter().any(|(_, verdict, _)| *verdict == Verdict::Failed);
    Ok(if failed { Outcome::Problems } else { Outcome::Clean })
}

fn summary(results: &[(&Step, Verdict, Duration)], steps: usize) -> String {
    let mut text = String::new();
    for (step, verdict, time) in results {
        let _ = writeln!(text, "{:<12} {verdict:<7} {:>7.1} s{}", step.name, time.as_secs_f64(), verdict.reason());
    }
    for (step, verdict, _) in results {
        if *verdict == Verdict::Failed {
            let _ = writeln!(text, "again: cargo xtask ci --only {}", step.name);
        }
    }
    if results.len() < steps {
        let _ = writeln!(text, "{} more not run; --keep-going runs them all the same", steps - results.len());
    }
    text
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::Skipped(_) => "skipped",
        })
    }
}

impl Verdict {
    /// What follows where the verdict alone does not tell enough.
    fn reason(self) -> String {
        match self {
            Verdict::Passed | Verdict::Failed => String::new(),
            Verdict::Skipped(reason) => format!(": {reason}"),
        }
    }
}

/// Compares the program that runs this with CPython's own parser.
fn oracle(sh: &Shell, program: &Path) -> Result<Verdict> {
    let names: &[&str] = if cfg!(windows) { &["python3", "python", "py"] } else { &["python3", "python"] };
    let is_recent = |python: &&&str| {
        let question = "import sys; sys.exit(sys.version_info < (3, 9))";
        cmd!(sh, "{python} -c {question}").quiet().ignore_stdout().ignore_stderr().run().is_ok()
    };
    let Some(python) = names.iter().find(is_recent) else {
        return Ok(Verdict::Skipped("no Python 3.9 or later on PATH"));
    };
    passes(cmd!(sh, "{python} -B xtask/tests/oracle.py --xtask {program}"))
}

fn passes(command: xshell::Cmd) -> Result<Verdict> {
    let name = command.to_string();
    let status = std::process::Command::from(command).status().with_context(|| format!("cannot run `{name}`"))?;
    Ok(if status.success() { Verdict::Passed } else { Verdict::Failed })
}
