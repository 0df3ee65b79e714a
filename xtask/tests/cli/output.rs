//! What is printed, and where.

use std::process::Command;

use crate::SPAWN;
use crate::repository::{Repository, shown};

#[test]
fn a_bare_xtask_prints_the_subcommands() {
    pin!(shown(&Command::new(env!("CARGO_BIN_EXE_xtask")).output().unwrap()));
}

#[test]
fn help() {
    pin!(Repository::new(&[]).lint(&["--help"]));
}

#[test]
fn usage() {
    pin!(Repository::new(&[]).lint(&["--no-such-flag"]));
}

#[test]
fn output_cannot_be_forged() {
    let name = "a\u{1b}[2K\rb.py";
    let repository = Repository::new(&[(name, "f(start_new_session=True)  # \u{1b}[2K\u{202e}\n")]);
    pin!(repository.lint(&[]));
}

#[test]
fn a_long_line_is_cut() {
    let text = format!("    f('{}', start_new_session=True)\n", "é".repeat(300));
    pin!(Repository::new(&[("run.py", &text)]).lint(&[]));
}
