//! What the user who runs the check may not read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::repository::{Repository, as_ordinary_user};
use crate::{MARKED, SPAWN};

/// A run as an ordinary user while `closed` may not be read.
fn lint(repository: &Repository, closed: &str, arguments: &[&str]) -> String {
    let set = |mode| fs::set_permissions(repository.path().join(closed), fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    let shown = as_ordinary_user(repository, repository.command().args(arguments));
    set(0o755);
    format!("=== {closed} is closed: {arguments:?}\n{shown}")
}

#[test]
fn what_may_not_be_read() {
    let repository = Repository::new(&[
        ("file.py", SPAWN),
        ("folder/run.py", SPAWN),
        ("folder/deep/run.py", SPAWN),
        ("marked.py", MARKED),
        ("tests/run.py", SPAWN),
        ("open/run.py", "x = 1\n"),
        ("pyproject.toml", "[tool.lint-spawns]\nadvice = 'ask us.'\n"),
    ]);
    repository.write("open/untracked/run.py", SPAWN);
    repository.write("open/tests/untracked.py", SPAWN);
    let all = [
        lint(&repository, "file.py", &["--root", "."]),
        lint(&repository, "folder", &[]),
        lint(&repository, "folder/deep", &[]),
        lint(&repository, "tests", &[]),
        lint(&repository, "file.py", &["file.py", "marked.py"]),
        lint(&repository, "folder", &["folder/run.py"]),
        lint(&repository, "folder", &["folder"]),
        lint(&repository, "open/untracked", &["open"]),
        lint(&repository, "open/tests", &["open"]),
        lint(&repository, "pyproject.toml", &[]),
        lint(&repository, "pyproject.toml", &["--config", "pyproject.toml"]),
        lint(&repository, ".git", &[]),
        lint(&repository, ".git/index", &[]),
        lint(&repository, "folder", &["--root", "folder"]),
    ];
    pin!(all.concat());
}

#[test]
fn what_may_not_be_read_in_a_partial_run() {
    let repository = Repository::new(&[("run.py", MARKED), ("folder/run.py", MARKED)]);
    repository.commit();
    repository.write("run.py", SPAWN);
    repository.write("untracked/run.py", SPAWN);
    repository.write("tests/run.py", SPAWN);
    repository.git(&["add", "run.py"]);
    let all = [
        lint(&repository, "run.py", &["--changed"]),
        lint(&repository, "run.py", &["--staged"]),
        lint(&repository, "folder", &["--changed"]),
        lint(&repository, "untracked", &["--changed"]),
        lint(&repository, "tests", &["--changed"]),
        lint(&repository, ".git/index", &["--changed"]),
        lint(&repository, ".git/index", &["--staged"]),
        lint(&repository, ".git/objects", &["--staged"]),
    ];
    pin!(all.concat());
}

#[test]
fn what_may_not_be_read_in_json() {
    let repository = Repository::new(&[("file.py", SPAWN), ("marked.py", MARKED)]);
    pin!(lint(&repository, "file.py", &["--format", "json"]));
}

#[test]
fn what_may_not_be_read_outside_any_repository() {
    let repository = Repository::without_git(&[
        ("a/run.py", MARKED),
        ("a/closed/run.py", SPAWN),
        ("a/tests/run.py", SPAWN),
        ("a/file.py", SPAWN),
    ]);
    let all = [
        lint(&repository, "a/closed", &["a"]),
        lint(&repository, "a/tests", &["a"]),
        lint(&repository, "a/tests", &["a/tests"]),
        lint(&repository, "a/file.py", &["a"]),
        lint(&repository, "a", &["a"]),
        lint(&repository, "a", &["a/run.py"]),
    ];
    pin!(all.concat());
}
