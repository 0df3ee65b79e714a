//! The command line of the `xtask` library.

use std::process::ExitCode;

use clap::CommandFactory as _;
use xtask::flags::{self, Command, Flags};
use xtask::{Outcome, bench, bug, ci, lint_spawns, output};

fn main() -> ExitCode {
    let flags = flags::parse();
    let name = match &flags {
        Ok(Flags { command: Some(Command::LintSpawns(_)) }) => lint_spawns::NAME,
        Ok(Flags { command: Some(Command::Ci(_) | Command::CiSupervisor(_) | Command::CiMovedSnapshots) }) => ci::NAME,
        Ok(Flags { command: Some(Command::Bench(_) | Command::BenchChild(_)) }) => bench::NAME,
        Ok(Flags { command: None }) | Err(_) => "xtask",
    };
    let run = || match flags {
        Err(refusal) => refuse(&refusal),
        Ok(Flags { command: Some(Command::LintSpawns(flags)) }) => lint_spawns::run(&flags),
        Ok(Flags { command: Some(Command::Ci(flags)) }) => ci::run(&flags),
        Ok(Flags { command: Some(Command::CiSupervisor(flags)) }) => ci::supervisor::run(&flags),
        Ok(Flags { command: Some(Command::CiMovedSnapshots) }) => ci::moved::run(),
        Ok(Flags { command: Some(Command::Bench(flags)) }) => bench::run(&flags),
        Ok(Flags { command: Some(Command::BenchChild(flags)) }) => bench::child::run(&flags.command),
        Ok(Flags { command: None }) => help(),
    };
    let outcome = bug::caught(run).unwrap_or_else(Err).unwrap_or_else(|err| {
        output::complain(name, &format!("{err:#}"));
        Outcome::Failed
    });
    ExitCode::from(match outcome {
        Outcome::Clean => 0,
        Outcome::Problems => 1,
        Outcome::Failed => 2,
    })
}

/// Prints what clap has to say instead of a run: help that was asked for, or what is wrong.
fn refuse(refusal: &clap::Error) -> anyhow::Result<Outcome> {
    let text = refusal.render().to_string();
    if refusal.use_stderr() {
        output::complain_of_usage(&text);
        return Ok(Outcome::Failed);
    }
    output::print(&text)?;
    Ok(Outcome::Clean)
}

fn help() -> anyhow::Result<Outcome> {
    output::print(&Flags::command().render_help().to_string())?;
    Ok(Outcome::Clean)
}
