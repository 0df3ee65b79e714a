//! `cargo xtask`: every command of this crate.

use std::process::ExitCode;

use clap::CommandFactory as _;
use xtask::flags::{self, Command, Flags};
use xtask::{Outcome, bench, ci, lint_spawns, output};

fn main() -> ExitCode {
    let flags = flags::parse::<Flags>();
    let name = match &flags {
        Ok(Flags { command: Some(Command::LintSpawns(_)) }) => lint_spawns::NAME,
        Ok(Flags { command: Some(Command::Ci(_) | Command::CiSupervisor(_) | Command::CiMovedSnapshots) }) => ci::NAME,
        Ok(Flags { command: Some(Command::Bench(_) | Command::BenchChild(_)) }) => bench::NAME,
        Ok(Flags { command: None }) | Err(_) => "xtask",
    };
    xtask::run(name, || match flags {
        Err(refusal) => flags::refuse(&refusal),
        Ok(Flags { command: Some(Command::LintSpawns(flags)) }) => lint_spawns::run(&flags),
        Ok(Flags { command: Some(Command::Ci(flags)) }) => ci::run(&flags),
        Ok(Flags { command: Some(Command::CiSupervisor(flags)) }) => ci::supervisor::run(&flags),
        Ok(Flags { command: Some(Command::CiMovedSnapshots) }) => ci::moved::run(),
        Ok(Flags { command: Some(Command::Bench(flags)) }) => bench::run(&flags),
        Ok(Flags { command: Some(Command::BenchChild(flags)) }) => bench::child::run(&flags.command),
        Ok(Flags { command: None }) => help(),
    })
}

fn help() -> anyhow::Result<Outcome> {
    output::print(&Flags::command().render_help().to_string())?;
    Ok(Outcome::Clean)
}
