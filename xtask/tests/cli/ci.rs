//! `cargo xtask ci`.

use std::fs;
use std::process::Command;

use crate::repository::shown;

fn ci(arguments: &[&str]) -> String {
    shown(&Command::new(env!("CARGO_BIN_EXE_xtask")).arg("ci").args(arguments).output().unwrap())
}

fn without_times(shown: &str) -> String {
    regex::Regex::new(r" +[0-9]+\.[0-9] s").unwrap().replace_all(shown, " TIME").into_owned()
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
    pin!(without_times(&ci(&["--only", "lint-spawns"])));
}

#[test]
fn ci_with_an_unknown_step() {
    pin!(ci(&["--skip", "tests"]));
}

#[test]
fn ci_with_no_step_left() {
    pin!(ci(&["--only", "test", "--skip", "test"]));
}

/// The oracle needs a Python; `programs` are all that is on PATH, each a shell script.
fn ci_oracle(programs: &[(&str, &str)]) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in programs {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let shown = shown(&command.args(["ci", "--only", "oracle"]).env("PATH", folder.path()).output().unwrap());
    without_times(&shown).replace(env!("CARGO_BIN_EXE_xtask"), "XTASK")
}

#[test]
fn ci_without_python() {
    pin!(ci_oracle(&[]));
}

#[test]
fn ci_with_an_old_python() {
    pin!(ci_oracle(&[("python3", "echo Python 3.8.18; exit 1")]));
}

#[test]
fn ci_with_a_difference() {
    // The first call asks for the version.
    pin!(ci_oracle(&[("python", "[ \"$1\" = -c ] || { echo \"$@\"; exit 1; }")]));
}
