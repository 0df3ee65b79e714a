//! Files and folders named on the command line.

use crate::SPAWN;
use crate::repository::Repository;

#[test]
fn paths() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("a/tests/run.py", SPAWN), ("b/run.py", SPAWN)]);
    repository.write("a/untracked.py", SPAWN);
    repository.write("notes.txt", SPAWN);
    pin!(repository.lint(&["a", "notes.txt", "a/tests/run.py"]));
}

#[test]
fn paths_relative_to_the_current_folder() {
    let repository = Repository::new(&[("a/run.py", SPAWN)]);
    pin!(repository.lint_in("a", &["run.py", "./run.py", "../a/run.py"]));
}

#[test]
fn paths_all_ruled_out() {
    let repository = Repository::new(&[("tests/run.py", SPAWN), ("notes.txt", SPAWN)]);
    pin!(repository.lint(&["tests/run.py", "notes.txt", "tests"]));
}

#[test]
fn paths_that_cannot_be_checked() {
    let repository = Repository::new(&[("run.py", SPAWN), ("docs/notes.txt", "")]);
    pin!(repository.lint(&["missing.py", "docs", "run.py"]));
}

#[test]
fn a_path_outside_any_repository() {
    pin!(Repository::without_git(&[("deep/run.py", SPAWN)]).lint(&["deep"]));
}
