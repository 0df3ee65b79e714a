//! Tolerated counts.

#[cfg(unix)]
use crate::repository::ENOUGH;
use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

/// A file with so many spawns in each function.
pub(crate) fn functions(counts: &[(&str, usize)]) -> String {
    let mut text = String::new();
    for (name, count) in counts {
        text += &format!("def {name}():\n    pass\n");
        text += &"    os.setsid()\n".repeat(*count);
    }
    text
}

/// A policy with this baseline.
pub(crate) fn tolerating(entries: &str) -> String {
    policy(&format!("[tool.lint-spawns.baseline]\n{entries}"))
}

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

/// It is to be pasted where `init` would write it.
#[test]
fn baseline_printed_without_a_policy() {
    let (workspace, package) = (("Cargo.toml", "[workspace]\n"), ("Cargo.toml", "[package]\nname = 'a'\n"));
    let project = ("pyproject.toml", "[project]\nname = 'a'\n");
    let mut all = String::new();
    for files in [&[][..], &[workspace], &[package], &[workspace, project]] {
        let repository = Repository::new(&[&[("run.py", SPAWN)], files].concat());
        all += &format!("=== beside {files:?}\n{}", repository.lint(&["--print-baseline"]));
    }
    pin!(all);
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

#[test]
fn entries_by_function() {
    let class =
        "class A:\n    os.setsid()\n    def f(self):\n        def g():\n            os.setsid()\n        os.setsid()\n";
    let repository = Repository::new(&[
        ("exact.py", &format!("os.setsid()\n{class}{MARKED}")),
        ("over.py", &functions(&[("a", 1), ("b", 3), ("c", 1), ("new", 1)])),
        ("plain.py", &functions(&[("a", 1), ("b", 1)])),
        ("unnamed.py", SPAWN),
        (
            "pyproject.toml",
            &tolerating(
                "\"exact.py\" = { \"<module>\" = 1, A = 1, \"A.f\" = 1, 'A.f.g' = 1 }\n\
                 'over.py' = { a = 1, b = 2, c = 1 }\n'plain.py' = 2\n'unnamed.py' = {}\n",
            ),
        ),
    ]);
    pin!(repository.lint(&[]) + &repository.lint(&["--print-baseline"]));
}

/// One is fixed and another comes up: the file has as many as before.
#[test]
fn a_swap_between_functions() {
    let repository = Repository::new(&[
        ("run.py", &functions(&[("a", 1), ("b", 2)])),
        ("pyproject.toml", &tolerating("'run.py' = { a = 2, b = 1 }\n")),
    ]);
    let by_function = repository.lint(&[]) + &repository.lint(&["--strict-baseline"]);
    repository.write("pyproject.toml", tolerating("'run.py' = 3\n"));
    pin!(by_function + "=== in a plain count it goes unseen\n" + &repository.lint(&[]));
}

#[test]
fn lines_and_functions_that_move() {
    let repository = Repository::new(&[
        ("run.py", &functions(&[("a", 1), ("b", 1)])),
        ("pyproject.toml", &tolerating("'run.py' = { a = 1, b = 1 }\n")),
    ]);
    repository.write("run.py", "\n\n# new\nx = 1\n".to_owned() + &functions(&[("c", 0), ("b", 1), ("a", 1)]));
    pin!(repository.lint(&["--strict-baseline"]));
}

/// Overloads, the branches of an `if`, what is defined again: they share a count.
#[test]
fn functions_of_one_name() {
    let text = "if x:\n    def a():\n        os.setsid()\nelse:\n    def a():\n        os.setsid()\n";
    let repository = Repository::new(&[("run.py", text), ("pyproject.toml", &tolerating("'run.py' = { a = 2 }\n"))]);
    let exact = repository.lint(&["--strict-baseline"]);
    repository.write("pyproject.toml", tolerating("'run.py' = { a = 1 }\n"));
    pin!(exact + &repository.lint(&[]));
}

#[test]
fn stale_entries_by_function() {
    let repository = Repository::new(&[
        ("clean.py", "x = 1\n"),
        ("empty.py", "x = 1\n"),
        ("run.py", &functions(&[("a", 1), ("b", 2), ("c", 1), ("marked", 0)])),
        (
            "pyproject.toml",
            &tolerating(
                "'clean.py' = { a = 1, b = 1 }\n'empty.py' = {}\n'gone.py' = { a = 1, b = 2 }\n\
                 'run.py' = { a = 3, b = 3, c = 1, marked = 0, gone = 2 }\n",
            ),
        ),
    ]);
    pin!(repository.lint(&[]) + &repository.lint(&["--strict-baseline"]) + &repository.lint(&["--format", "json"]));
}

/// Spelled as a table of its own, with dotted keys, inline.
#[test]
fn spellings_of_a_baseline() {
    let repository = Repository::new(&[("run.py", &functions(&[("A", 1), ("b", 1)]))]);
    let mut all = String::new();
    for table in [
        "[tool.lint-spawns.baseline.'run.py']\nA = 1\nb = 1\n",
        "[tool.lint-spawns.baseline]\n'run.py'.A = 1\n'run.py'.b = 1\n",
        "[tool.lint-spawns]\nbaseline.'run.py' = 0x2\n",
        "[tool.lint-spawns]\nbaseline = { 'run.py' = { A = 1, b = 1 } }\n",
        "tool.lint-spawns.baseline.'run.py' = {\n  A = 1,\n  b = 1,\n}\n",
    ] {
        repository.write("pyproject.toml", table);
        all += &repository.lint(&["--strict-baseline"]);
    }
    pin!(all);
}

/// git's own detection: what HEAD has under another name. `git mv`; a move that git was told of in part; one with changes.
#[test]
fn a_renamed_file() {
    let text = functions(&[("a", 2), ("b", 1), ("c", 0), ("d", 0), ("e", 0)]);
    let repository = Repository::new(&[
        ("gone.py", "x = 1\n"),
        ("old.py", &text),
        ("other/old.py", &("# another file\n".repeat(20) + &text)),
        ("pyproject.toml", &tolerating("'gone.py' = 1\n'old.py' = { a = 2, b = 1 }\n'other/old.py' = 3\n")),
    ]);
    let mut all = "=== nothing is committed\n".to_owned();
    repository.git(&["rm", "--quiet", "--cached", "gone.py"]);
    all += &repository.lint(&[]);
    repository.track();
    repository.git(&["commit", "--quiet", "--message", "a"]);
    repository.git(&["rm", "--quiet", "gone.py"]);
    repository.git(&["mv", "old.py", "new.py"]);
    std::fs::rename(repository.path().join("other/old.py"), repository.path().join("other/new.py")).unwrap();
    repository.git(&["add", "--intent-to-add", "other/new.py"]);
    repository.write("new.py", "# changed\n".to_owned() + &text);
    all += &format!("=== in the work tree\n{}", repository.lint(&[]));
    all += &format!("=== as JSON\n{}", repository.lint(&["--format", "json", "--strict-baseline"]));
    all += &format!("=== seen from a folder\n{}", repository.lint(&["--root", "other", "--config", "pyproject.toml"]));
    repository.git(&["commit", "--quiet", "--all", "--message", "b"]);
    pin!(all + "=== the new name is committed\n" + &repository.lint(&[]));
}

/// Its new name is not checked.
#[test]
fn a_file_renamed_out_of_scope() {
    let repository = Repository::new(&[("old.py", SPAWN), ("pyproject.toml", &tolerating("'old.py' = 1\n"))]);
    repository.git(&["commit", "--quiet", "--message", "a"]);
    repository.write("new.py", "x = 1\n");
    repository.write("tests/run.py", "");
    repository.git(&["mv", "old.py", "tests/old.py"]);
    repository.git(&["add", "new.py"]);
    pin!(repository.lint(&[]));
}

/// git is asked for renames only where a file is missing; a git that cannot tell is no reason to fail.
#[cfg(unix)]
#[test]
fn a_git_that_knows_no_renames() {
    let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &tolerating("'run.py' = 1\n"))]);
    repository.git(&["commit", "--quiet", "--message", "a"]);
    let script = "case \"$*\" in *' diff-index '*) echo 'fatal: no' >&2; exit 128;; *) exec git \"$@\";; esac";
    let lint = |arguments| repository.lint_with_git(script, ENOUGH, arguments);
    let all = lint(&[]);
    repository.write("pyproject.toml", tolerating("'run.py' = 1\n'gone.py' = 1\n"));
    pin!(all + &lint(&[]) + &lint(&["--format", "json"]));
}

/// The configuration of a checkout may name programs that git runs on files.
#[cfg(unix)]
#[test]
fn no_filter_is_run_for_renames() {
    let repository = Repository::new(&[
        ("old.py", SPAWN),
        (".gitattributes", "*.py filter=odd\n"),
        ("pyproject.toml", &tolerating("'old.py' = 1\n")),
    ]);
    repository.git(&["commit", "--quiet", "--message", "a"]);
    repository.git(&["mv", "old.py", "new.py"]);
    for key in ["clean", "smudge", "process"] {
        repository.git(&["config", &format!("filter.odd.{key}"), "touch filter-has-run; cat"]);
    }
    repository.git(&["config", "filter.odd.required", "true"]);
    repository.write("new.py", format!("# changed\n{SPAWN}"));
    let shown = repository.lint(&[]);
    assert!(!repository.path().join("filter-has-run").exists());
    pin!(shown);
}

/// It is no part of the first line, whatever shows where an entry is.
#[test]
fn stale_entry_behind_a_byte_order_mark() {
    let repository = Repository::new(&[
        ("run.py", "x = 1\n"),
        ("policy.toml", "\u{feff}baseline.\"gone.py\" = 1\nselect = ['all']\n"),
    ]);
    let by_format = ["text", "full", "github"].map(|format| {
        repository.lint(&["--config", "policy.toml", "--strict-baseline", "--quiet", "--format", format])
    });
    pin!(by_format.concat());
}
