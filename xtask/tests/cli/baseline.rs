//! Tolerated counts.

use crate::SPAWN;
use crate::repository::{Repository, policy};

fn baseline_repository() -> Repository {
    let two = format!("{SPAWN}{SPAWN}");
    Repository::new(&[
        ("exact.py", SPAWN),
        ("under.py", SPAWN),
        ("over.py", &two),
        ("clean.py", "x = 1\n"),
        (
            "pyproject.toml",
            &policy(
                "[tool.lint-spawns.baseline]\n\"exact.py\" = 1\n\"under.py\" = 3\n\"over.py\" = 1\n\"clean.py\" = 1\n\"gone.py\" = 2\n",
            ),
        ),
    ])
}

#[test]
fn baseline() {
    pin!(baseline_repository().lint(&[]));
}

#[test]
fn baseline_strict() {
    pin!(baseline_repository().lint(&["--strict-baseline"]));
}

#[test]
fn baseline_ignored_by_all() {
    pin!(baseline_repository().lint(&["--all"]));
}

#[test]
fn baseline_ignored_by_paths() {
    pin!(baseline_repository().lint(&["exact.py"]));
}

#[test]
fn baseline_printed() {
    pin!(baseline_repository().lint(&["--print-baseline"]));
}

#[test]
fn baseline_printed_is_read_back() {
    let repository = baseline_repository();
    let printed = repository.lint(&["--print-baseline"]);
    let table = printed.split("----- stdout\n").nth(1).unwrap().split("----- stderr").next().unwrap();
    repository.write("pyproject.toml", table);
    pin!(repository.lint(&["--strict-baseline"]));
}

#[test]
fn stale_entries_alone_do_not_fail() {
    let repository = Repository::new(&[
        ("clean.py", "x = 1\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n\"clean.py\" = 1\n")),
    ]);
    pin!(repository.lint(&[]));
}

#[test]
fn stale_entries_alone_fail_a_strict_run() {
    let repository = Repository::new(&[
        ("clean.py", "x = 1\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n\"clean.py\" = 1\n")),
    ]);
    pin!(repository.lint(&["--strict-baseline"]));
}
