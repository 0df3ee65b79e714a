//! The command line of the `xtask` library.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use xtask::flags::{Command, Flags};
use xtask::{Outcome, ci, lint_spawns, output};

fn main() -> ExitCode {
    let flags = Flags::parse();
    let (name, result) = match &flags.command {
        Some(Command::LintSpawns(flags)) => (lint_spawns::NAME, lint_spawns::run(flags)),
        Some(Command::Ci(flags)) => (ci::NAME, ci::run(flags)),
        None => ("xtask", help()),
    };
    let outcome = result.unwrap_or_else(|err| {
        output::complain(name, &format!("{err:#}"));
        Outcome::Failed
    });
    ExitCode::from(match outcome {
        Outcome::Clean => 0,
        Outcome::Problems => 1,
        Outcome::Failed => 2,
    })
}

fn help() -> anyhow::Result<Outcome> {
    output::print(&Flags::command().render_help().to_string())?;
    Ok(Outcome::Clean)
}
