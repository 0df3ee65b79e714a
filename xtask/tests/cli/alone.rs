//! `lint-spawns`, the program without `cargo xtask`.

use std::process::Command;

use clap::CommandFactory as _;
use xtask::flags::Alone;

use crate::repository::{Repository, policy, scrub};
use crate::{MARKED, SPAWN};

/// `lint-spawns` in a repository's folder.
fn alone(repository: &Repository, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lint-spawns"));
    repository.run(scrub(&mut command).args(arguments).current_dir(repository.path()))
}

/// The words that lead to each command, those of the program itself, which are none, among them.
fn commands() -> Vec<Vec<String>> {
    let alone = Alone::command();
    let mut all: Vec<Vec<String>> = Vec::new();
    let mut left = vec![(Vec::new(), &alone)];
    while let Some((words, command)) = left.pop() {
        for verb in command.get_subcommands() {
            left.push(([words.as_slice(), &[verb.get_name().to_owned()]].concat(), verb));
        }
        all.push(words);
    }
    assert!(all.len() > 5, "{all:?}");
    all
}

/// Help, and complaints that name the usage or an example: they differ in the program's name alone.
#[test]
fn both_programs_have_the_same_flags() {
    let repository = Repository::without_git(&[]);
    for words in commands() {
        for last in ["--help", "-h", "--no-such-flag"] {
            let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            arguments.push(last);
            let both = repository.lint(&arguments);
            assert!(both.contains("cargo xtask lint-spawns"), "{arguments:?}\n{both}");
            let expected = both.replace("cargo xtask lint-spawns", "lint-spawns");
            assert_eq!(alone(&repository, &arguments), expected, "{arguments:?}");
        }
    }
}

#[test]
fn the_program_alone() {
    let repository = Repository::new(&[
        ("agent/run.py", SPAWN),
        ("agent/marked.py", MARKED),
        ("agent/tests/test_run.py", SPAWN),
        ("scripts/run.py", SPAWN),
        ("pyproject.toml", &policy("include = [\"agent\"]\n")),
    ]);
    let mut all = String::new();
    for arguments in [
        &["--version"][..],
        &[],
        &["scripts"],
        &["--staged"],
        &["baseline", "prune"],
        &["baseline", "write"],
        &["--strict-baseline"],
        &["stat"],
        &["rule", "os_setsid"],
        &["--select", "os_setsid"],
        &["lint-spawns"],
        &["--no-such-flag"],
    ] {
        all += &format!("=== {arguments:?}\n{}", alone(&repository, arguments));
    }
    pin!(all);
}

/// What it says of a file that was renamed names a command, too.
#[test]
fn a_baseline_entry_that_the_program_alone_would_move() {
    let table = policy("[tool.lint-spawns.baseline]\n\"old.py\" = 1\n");
    let repository = Repository::new(&[("old.py", SPAWN), ("pyproject.toml", &table)]);
    repository.commit();
    repository.git(&["mv", "old.py", "new.py"]);
    pin!(alone(&repository, &["--strict-baseline"]));
}
