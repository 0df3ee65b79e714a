//! Which files are checked.

use std::fs;

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

#[test]
fn scope() {
    let repository = Repository::new(&[
        ("app/run.py", SPAWN),
        ("app/marked.py", MARKED),
        ("app/tests/run.py", SPAWN),
        ("app/evals/run.py", SPAWN),
        ("app/__pycache__/run.py", SPAWN),
        ("node_modules/run.py", SPAWN),
        ("app/test_run.py", SPAWN),
        ("app/helper.py", SPAWN),
        ("app/run.pyi", SPAWN),
        ("app/.py", SPAWN),
        ("app/run.PY", SPAWN),
        ("app/deleted.py", SPAWN),
        ("elsewhere/run.py", SPAWN),
        (
            "pyproject.toml",
            &policy(
                "include = ['app', 'gone']\nexclude = ['tests', 'evals', '__pycache__', 'test_*.py', 'app/helper.py']\n",
            ),
        ),
    ]);
    repository.write("app/untracked.py", SPAWN);
    fs::remove_file(repository.path().join("app/deleted.py")).unwrap();
    pin!(repository.lint(&[]));
}

#[test]
fn a_folder_of_a_repository_as_root() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("b/run.py", SPAWN)]);
    pin!(repository.lint(&["--root", "a"]));
}

#[test]
fn the_root_is_the_top_of_the_work_tree() {
    let repository = Repository::new(&[("a/run.py", SPAWN), ("b/run.py", SPAWN)]);
    pin!(repository.lint_in("a", &[]));
}

#[test]
fn order_is_that_of_the_bytes_of_the_path() {
    let repository = Repository::new(&[("a/z.py", SPAWN), ("a-b.py", SPAWN), ("a.py", SPAWN), ("B.py", SPAWN)]);
    pin!(repository.lint(&[]));
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new(&[("real.py", SPAWN), ("notes.txt", SPAWN), ("tests/real.py", SPAWN)]);
    let root = repository.path();
    symlink("real.py", root.join("a_link.py")).unwrap();
    symlink("notes.txt", root.join("text_link.py")).unwrap();
    symlink("tests/real.py", root.join("excluded_link.py")).unwrap();
    symlink("gone.py", root.join("dangling.py")).unwrap();
    repository.git(&["add", "--all"]);
    pin!(repository.lint(&[]));
}

#[test]
fn a_merge_conflict_counts_once() {
    let repository = Repository::new(&[("run.py", "x = 1\n")]);
    repository.git(&["commit", "--quiet", "-m", "base"]);
    repository.git(&["checkout", "--quiet", "-b", "other"]);
    repository.write("run.py", SPAWN);
    repository.git(&["commit", "--quiet", "-a", "-m", "other"]);
    repository.git(&["checkout", "--quiet", "-"]);
    repository.write("run.py", MARKED);
    repository.git(&["commit", "--quiet", "-a", "-m", "ours"]);
    assert!(!repository.try_git(&["merge", "--quiet", "other"]).status.success(), "the merge is meant to conflict");
    pin!(repository.lint(&[]));
}

#[test]
fn nothing_to_check() {
    pin!(Repository::new(&[("notes.txt", "")]).lint(&[]));
}

#[test]
fn the_root_is_missing() {
    pin!(Repository::new(&[]).lint(&["--root", "missing"]));
}

#[test]
fn ignored_rules() {
    let repository =
        Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &policy("ignore = ['start-new-session']\n"))]);
    pin!(repository.lint(&[]));
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let names: Vec<String> = (0..200).map(|n| format!("{}/run{n}.py", n % 7)).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), SPAWN)).collect();
    let repository = Repository::new(&files);
    let by_one = repository.lint(&["--jobs", "1"]);
    for jobs in ["2", "3", "16"] {
        assert_eq!(repository.lint(&["--jobs", jobs]), by_one, "{jobs} jobs");
    }
    pin!(repository.lint(&["--jobs", "0"]));
}
