//! The command line of the `xtask` library.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use xtask::flags::{Command, Flags};
use xtask::{Outcome, ci, lint_spawns};

fn main() -> ExitCode {
    let flags = Flags::parse();
    let result = match &flags.command {
        Some(Command::LintSpawns(flags)) => lint_spawns::run(flags),
        Some(Command::Ci(flags)) => ci::run(flags),
        None => help(),
    };
    let outcome = result.unwrap_or_else(|err| {
        lint_spawns::report::complain(&format!("{err:#}"));
        Outcome::Failed
    });
    ExitCode::from(match outcome {
        Outcome::Clean => 0,
        Outcome::Problems => 1,
        Outcome::Failed => 2,
    })
}

fn help() -> anyhow::Result<Outcome> {
    lint_spawns::report::print(&Flags::command().render_help().to_string())?;
    Ok(Outcome::Clean)
}
