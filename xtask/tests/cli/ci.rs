//! `cargo xtask ci`.

use std::process::Command;

use crate::repository::shown;

fn ci(arguments: &[&str]) -> String {
    shown(&Command::new(env!("CARGO_BIN_EXE_xtask")).arg("ci").args(arguments).output().unwrap())
}

#[test]
fn ci_help() {
    pin!(ci(&["--help"]));
}

#[test]
fn ci_lists_its_steps() {
    pin!(ci(&["--list"]));
}

#[test]
fn ci_lists_chosen_steps() {
    pin!(ci(&["--list", "--only", "test,docs,format", "--skip", "docs"]));
}

#[test]
fn ci_runs_a_step() {
    let shown = ci(&["--only", "lint-spawns"]);
    let times = regex::Regex::new(r" +[0-9]+\.[0-9] s").unwrap();
    pin!(times.replace_all(&shown, " TIME"));
}

#[test]
fn ci_with_an_unknown_step() {
    pin!(ci(&["--skip", "tests"]));
}

#[test]
fn ci_with_no_step_left() {
    pin!(ci(&["--only", "test", "--skip", "test"]));
}
