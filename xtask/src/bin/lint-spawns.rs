//! `lint-spawns`: the check as a program of its own, for repositories without a Cargo workspace.

use std::process::ExitCode;

use xtask::flags::{self, Alone};
use xtask::lint_spawns;

fn main() -> ExitCode {
    let flags = flags::parse::<Alone>();
    xtask::run(lint_spawns::NAME, || match flags {
        Err(refusal) => flags::refuse(&refusal),
        Ok(Alone { lint_spawns: flags }) => lint_spawns::run(&flags),
    })
}
