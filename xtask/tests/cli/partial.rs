//! Runs on what has changed, on what is staged, and on paths with the baseline.

use std::fs;

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

pub(crate) const CLEAN: &str = "x = 1\n";

/// A repository with one commit of these files.
pub(crate) fn committed(files: &[(&str, &str)]) -> Repository {
    let repository = Repository::new(files);
    repository.commit();
    repository
}

/// What several runs in one repository say.
pub(crate) fn runs(repository: &Repository, all: &[&[&str]]) -> String {
    all.iter().map(|arguments| format!("=== {arguments:?}\n{}", repository.lint(arguments))).collect()
}

/// A file in every state that git knows.
#[test]
fn what_has_changed() {
    let repository = committed(&[
        ("same.py", SPAWN),
        ("touched.py", SPAWN),
        ("modified.py", CLEAN),
        ("staged.py", CLEAN),
        ("staged_then_reverted.py", CLEAN),
        ("deleted.py", SPAWN),
        ("deleted_and_staged.py", SPAWN),
        ("kept_but_untracked.py", SPAWN),
        ("old_name.py", SPAWN),
        ("copied.py", SPAWN),
        ("executable.py", SPAWN),
        ("notes.txt", SPAWN),
        (".gitignore", "ignored.py\n"),
    ]);
    for path in ["touched.py", "modified.py", "staged.py", "staged_then_reverted.py", "staged_then_deleted.py"] {
        repository.write(path, SPAWN);
    }
    repository.git(&["add", "staged.py", "staged_then_reverted.py", "staged_then_deleted.py"]);
    repository.write("staged_then_reverted.py", CLEAN);
    repository.remove("staged_then_deleted.py");
    repository.remove("deleted.py");
    repository.git(&["rm", "--quiet", "deleted_and_staged.py"]);
    repository.git(&["rm", "--quiet", "--cached", "kept_but_untracked.py"]);
    repository.git(&["mv", "old_name.py", "new_name.py"]);
    repository.git(&["update-index", "--chmod=+x", "executable.py"]);
    for path in ["copy.py", "sub/deep/untracked.py", "ignored.py", "untracked.txt", "meant.py"] {
        repository.write(path, SPAWN);
    }
    repository.git(&["add", "copy.py"]);
    repository.git(&["add", "--intent-to-add", "meant.py"]);
    pin!(runs(&repository, &[&["--changed"], &["--changed=HEAD"], &["--staged"]]));
}

#[test]
fn nothing_has_changed() {
    let repository = committed(&[("run.py", SPAWN), ("notes.txt", "")]);
    repository.write("notes.txt", "changed");
    pin!(runs(
        &repository,
        &[
            &["--changed"],
            &["--changed=HEAD"],
            &["--staged"],
            &["--changed", "--format", "json"],
            &["--staged", "--print-baseline"],
        ]
    ));
}

/// A merge base is neither the other branch nor HEAD.
#[test]
fn what_a_branch_has_changed() {
    let repository =
        committed(&[("run.py", CLEAN), ("theirs.py", CLEAN), ("reverted.py", CLEAN), ("dropped.py", SPAWN)]);
    repository.git(&["branch", "other"]);
    repository.git(&["tag", "--annotate", "--message", "v1", "v1"]);
    repository.write("run.py", SPAWN);
    repository.write("added.py", SPAWN);
    repository.write("reverted.py", SPAWN);
    repository.remove("dropped.py");
    repository.commit();
    repository.write("reverted.py", CLEAN);
    repository.commit();
    repository.git(&["checkout", "--quiet", "other"]);
    repository.write("theirs.py", SPAWN);
    repository.git(&["commit", "--quiet", "--all", "--message", "theirs"]);
    repository.git(&["checkout", "--quiet", "-"]);
    repository.remove("added.py");
    repository.write("untracked.py", SPAWN);
    let no_upstream =
        runs(&repository, &[&["--changed"], &["--changed=other"], &["--changed=v1"], &["--changed=HEAD~1"]]);
    repository.git(&["branch", "--set-upstream-to", "other"]);
    let upstream = runs(&repository, &[&["--changed"], &["--changed=@{upstream}"]]);
    repository.git(&["checkout", "--quiet", "--detach"]);
    let detached = runs(&repository, &[&["--changed"], &["--changed=other"]]);
    pin!(format!("{no_upstream}##### with an upstream\n{upstream}##### HEAD is detached\n{detached}"));
}

#[test]
fn a_branch_that_changed_nothing() {
    let repository = committed(&[("run.py", SPAWN)]);
    repository.git(&["checkout", "--quiet", "--track", "-b", "topic"]);
    pin!(runs(&repository, &[&["--changed"], &["--changed=HEAD~0"]]));
}

#[test]
fn a_revision_that_is_none() {
    let repository = committed(&[("run.py", SPAWN)]);
    pin!(runs(
        &repository,
        &[
            &["--changed=nope"],
            &["--changed=-x"],
            &["--changed=HEAD..HEAD"],
            &["--changed="],
            &["--changed=HEAD^{tree}"],
            &["--changed=a\nb"],
        ]
    ));
}

#[test]
fn changed_and_other_choices_of_files() {
    let repository = committed(&[("run.py", SPAWN)]);
    pin!(runs(
        &repository,
        &[&["--changed", "HEAD"], &["--changed", "--staged"], &["--staged", "run.py"], &["--with-baseline"]]
    ));
}

#[test]
fn an_upstream_that_is_gone() {
    let repository = committed(&[("run.py", SPAWN)]);
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    for (key, value) in [
        ("remote.origin.url", "nowhere"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.topic.remote", "origin"),
        ("branch.topic.merge", "refs/heads/topic"),
    ] {
        repository.git(&["config", key, value]);
    }
    let gone = repository.lint(&["--changed"]);
    repository.git(&["config", "--unset", "remote.origin.fetch"]);
    pin!(format!("{gone}=== never fetched\n{}", repository.lint(&["--changed"])));
}

#[test]
fn no_commit_yet() {
    let repository = Repository::new(&[("run.py", SPAWN), (".gitignore", "ignored.py\n")]);
    repository.write("untracked.py", SPAWN);
    repository.write("ignored.py", SPAWN);
    let all: &[&[&str]] = &[&["--changed"], &["--changed=HEAD"], &["--changed=nope"], &["--staged"]];
    let some = runs(&repository, all);
    repository.git(&["rm", "--quiet", "--cached", "run.py"]);
    repository.remove("run.py");
    repository.remove("untracked.py");
    pin!(format!("{some}##### no Python\n{}", runs(&repository, &[&["--changed"], &["--staged"]])));
}

#[test]
fn histories_that_never_met() {
    let repository = committed(&[("run.py", SPAWN)]);
    repository.git(&["branch", "other"]);
    repository.git(&["checkout", "--quiet", "--orphan", "new"]);
    let unborn = repository.lint(&["--changed=other"]);
    repository.git(&["commit", "--quiet", "--message", "new"]);
    pin!(format!("=== before the first commit\n{unborn}=== after it\n{}", repository.lint(&["--changed=other"])));
}

#[test]
fn a_shallow_clone() {
    let origin = committed(&[("run.py", SPAWN)]);
    for branch in ["one", "two"] {
        origin.git(&["checkout", "--quiet", "-b", branch]);
        for _ in 0..3 {
            origin.commit();
        }
        origin.git(&["checkout", "--quiet", "-"]);
    }
    let repository = Repository::without_git(&[]);
    let url = format!("file://{}", origin.path());
    repository.git(&["clone", "--quiet", "--depth", "1", "--no-single-branch", &url, "."]);
    pin!(runs(&repository, &[&["--changed=origin/one"], &["--changed"]]).replace(origin.path().as_str(), "ORIGIN"));
}

/// Neither is any line break, nor any encoding, special to git.
#[cfg(unix)]
#[test]
fn names_that_are_quoted_elsewhere() {
    let names =
        ["a b.py", "a\nb.py", "\"quoted\".py", "b\tc.py", "übung.py", "-x.py", ":(glob)*.py", "new name/c d.py"];
    let repository = committed(&[("run.py", CLEAN)]);
    for name in names {
        repository.write(name, SPAWN);
    }
    let untracked = repository.lint(&["--changed"]);
    repository.track();
    let staged = runs(&repository, &[&["--changed"], &["--staged"]]);
    repository.commit();
    pin!(format!("=== untracked\n{untracked}{staged}{}", repository.lint(&["--changed=HEAD~1"])));
}

#[cfg(unix)]
#[test]
fn changed_names_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let repository = committed(&[("run.py", CLEAN)]);
    repository.write(OsStr::from_bytes(b"\xff.py"), SPAWN);
    repository.write(OsStr::from_bytes(b"tests/\xff.py"), SPAWN);
    repository.write(OsStr::from_bytes(b"\xff.txt"), SPAWN);
    let untracked = repository.lint(&["--changed"]);
    repository.track();
    pin!(format!("=== untracked\n{untracked}{}", runs(&repository, &[&["--changed"], &["--staged"]])));
}

/// Both ways: the work tree is better than what is staged, and worse.
#[test]
fn partially_staged_files() {
    let repository = committed(&[("staged_is_bad.py", CLEAN), ("work_tree_is_bad.py", CLEAN), ("lines.py", CLEAN)]);
    repository.write("staged_is_bad.py", SPAWN);
    repository.write("work_tree_is_bad.py", "x = 2\n");
    repository.write("lines.py", format!("\n\n{SPAWN}"));
    repository.git(&["add", "--all"]);
    repository.write("staged_is_bad.py", CLEAN);
    repository.write("work_tree_is_bad.py", SPAWN);
    repository.write("lines.py", format!("\n{SPAWN}"));
    pin!(runs(&repository, &[&["--staged"], &["--changed"]]));
}

/// What is staged may be gone from the work tree, with its folder.
#[test]
fn staged_and_deleted() {
    let repository = committed(&[("run.py", CLEAN)]);
    repository.write("new/run.py", SPAWN);
    repository.track();
    fs::remove_dir_all(repository.path().join("new")).unwrap();
    pin!(runs(&repository, &[&["--staged"], &["--changed"]]));
}

/// Texts of every length and with every byte come through, one git for all.
#[test]
fn many_staged_files() {
    let repository = committed(&[]);
    for number in 0..300 {
        repository.write(format!("{number}/empty.py"), "");
        repository.write(format!("{number}/short.py"), format!("# {number}"));
        let long = format!("# {}\n{SPAWN}\0\u{feff}\n\n", "x".repeat(number * 997));
        repository.write(format!("{number}/long.py"), if number % 100 == 0 { long } else { format!("{long}x") });
    }
    repository.track();
    fs::remove_dir_all(repository.path().join("7")).unwrap();
    let shown = repository.lint(&["--staged", "--print-baseline"]);
    assert_eq!(shown.matches("/long.py\" = 1\n").count(), 300, "{shown}");
    pin!(repository.lint(&["--staged", "--select", "detach-helper,os-setsid"]));
}

/// What git converts is LF in the index, and not changed by that.
#[test]
fn line_ends_that_git_converts() {
    let repository = Repository::new(&[]);
    repository.git(&["config", "core.autocrlf", "true"]);
    let dos = |text: &str| text.replace('\n', "\r\n");
    repository.write("same.py", dos(SPAWN));
    repository.write("run.py", dos(CLEAN));
    repository.commit();
    repository.write("same.py", dos(SPAWN));
    repository.write("run.py", dos(&format!("\n{SPAWN}")));
    let changed = repository.lint(&["--changed"]);
    repository.git(&["add", "run.py"]);
    pin!(format!("=== not staged\n{changed}{}", runs(&repository, &[&["--changed"], &["--staged"]])));
}

#[test]
fn the_policy_judges_what_has_changed() {
    let table = "include = ['app', 'run.py', 'gone']\nexclude = ['tests', 'app/old']\n";
    let repository = committed(&[("pyproject.toml", &policy(table)), ("app/same.py", SPAWN)]);
    for path in ["app/new.py", "app/tests/new.py", "app/old/new.py", "app/new.pyi", "run.py", "elsewhere/new.py"] {
        repository.write(path, SPAWN);
    }
    let untracked = repository.lint(&["--changed"]);
    repository.track();
    let staged = repository.lint(&["--staged"]);
    repository.commit();
    let committed = repository.lint(&["--changed=HEAD~1"]);
    repository.write("elsewhere/new.py", CLEAN);
    repository.write("app/old/new.py", CLEAN);
    repository.track();
    let none = runs(&repository, &[&["--changed"], &["--staged"]]);
    repository.write("pyproject.toml", policy("include = []\n"));
    let nothing = runs(&repository, &[&["--changed"], &["--staged"]]);
    pin!(format!(
        "=== untracked\n{untracked}=== staged\n{staged}=== committed\n{committed}##### others\n{none}##### include nothing\n{nothing}"
    ));
}

#[test]
fn changes_below_a_root() {
    let repository = committed(&[("sub/deep/run.py", CLEAN), ("other/run.py", CLEAN), ("sub2/run.py", CLEAN)]);
    for path in ["sub/deep/run.py", "other/run.py", "sub2/run.py"] {
        repository.write(path, SPAWN);
    }
    repository.git(&["add", "--all"]);
    repository.write("sub/untracked.py", SPAWN);
    let root: &[&[&str]] = &[&["--changed", "--root", "sub"], &["--staged", "--root", "sub"]];
    let before = runs(&repository, root);
    let inside = repository.lint_in("sub/deep", &["--staged"]);
    repository.commit();
    let after = runs(&repository, &[&["--changed=HEAD~1", "--root", "sub"], &["--changed", "--root", "sub"]]);
    pin!(format!("{before}=== in sub/deep\n{inside}##### committed\n{after}"));
}

#[cfg(unix)]
#[test]
fn links_that_have_changed() {
    use std::os::unix::fs::symlink;
    let repository = committed(&[
        ("real.py", SPAWN),
        ("became.py", SPAWN),
        ("notes.txt", ""),
        ("tests/run.py", SPAWN),
        ("a/b.py", CLEAN),
    ]);
    let root = repository.path();
    repository.remove("became.py");
    for (target, link) in [
        ("real.py", "link.py"),
        ("real.py", "became.py"),
        ("gone.py", "dangling.py"),
        ("notes.txt", "text.py"),
        ("tests/run.py", "excluded.py"),
        ("../real.py", "tests/link.py"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let untracked = repository.lint(&["--changed"]);
    repository.track();
    pin!(format!("=== untracked\n{untracked}{}", runs(&repository, &[&["--changed"], &["--staged"]])));
}

#[test]
fn repositories_that_have_changed() {
    let repository = committed(&[("run.py", CLEAN)]);
    let inner = |path: &str| {
        repository.write(format!("{path}/run.py"), SPAWN);
        for arguments in [&["init", "--quiet"][..], &["add", "run.py"], &["commit", "--quiet", "--message", "a"]] {
            repository.git(&[&["-C", path], arguments].concat());
        }
    };
    inner("vendor");
    let untracked = repository.lint(&["--changed"]);
    repository.git(&["-c", "advice.addEmbeddedRepo=false", "add", "vendor"]);
    let staged = runs(&repository, &[&["--changed"], &["--staged"]]);
    repository.git(&["commit", "--quiet", "--message", "vendor"]);
    repository.write("vendor/dirty.py", SPAWN);
    let dirty = runs(&repository, &[&["--changed"], &["--staged"]]);
    let committed = repository.lint(&["--changed=HEAD~1"]);
    pin!(format!(
        "=== untracked\n{untracked}##### staged\n{staged}##### dirty inside\n{dirty}##### committed\n{committed}"
    ));
}

#[test]
fn a_change_outside_a_sparse_checkout() {
    let repository = committed(&[("here/run.py", CLEAN), ("there/run.py", CLEAN)]);
    repository.write("here/run.py", SPAWN);
    repository.write("there/run.py", SPAWN);
    repository.commit();
    repository.git(&["sparse-checkout", "set", "here"]);
    pin!(runs(&repository, &[&["--changed=HEAD~1"], &["--changed"]]));
}

#[test]
fn a_conflict_that_is_changed_or_staged() {
    let repository = committed(&[("run.py", CLEAN), ("tests/run.py", CLEAN), ("notes.txt", "")]);
    let change = |text: &str| {
        for path in ["run.py", "tests/run.py", "notes.txt"] {
            repository.write(path, text);
        }
        repository.commit();
    };
    repository.git(&["checkout", "--quiet", "-b", "other"]);
    change(SPAWN);
    repository.git(&["checkout", "--quiet", "-"]);
    change(MARKED);
    assert!(!repository.try_git(&["merge", "--quiet", "other"]).status.success(), "the merge is meant to conflict");
    let conflict = runs(&repository, &[&["--changed"], &["--changed=other"], &["--staged"]]);
    repository.write("run.py", SPAWN);
    repository.git(&["add", "run.py"]);
    pin!(format!("{conflict}##### resolved\n{}", repository.lint(&["--staged"])));
}

fn with_baseline() -> Repository {
    let table = "[tool.lint-spawns.baseline]\n'exact.py' = 1\n'fewer.py' = 3\n'more.py' = 1\n'none.py' = 1\n'gone.py' = 2\n\
                 'unchanged.py' = 1\n'too_much.py' = 9\n'removed.py' = 1\n";
    let repository = committed(&[
        ("pyproject.toml", &policy(table)),
        ("unchanged.py", SPAWN),
        ("too_much.py", SPAWN),
        ("removed.py", SPAWN),
    ]);
    for (path, text) in [("exact.py", SPAWN), ("fewer.py", SPAWN), ("more.py", &SPAWN.repeat(2)), ("none.py", CLEAN)] {
        repository.write(path, text);
    }
    repository.remove("removed.py");
    repository.track();
    repository
}

/// The entries of other files say nothing.
#[test]
fn entries_of_what_is_checked() {
    pin!(runs(
        &with_baseline(),
        &[
            &["--changed"],
            &["--changed", "--strict-baseline"],
            &["--changed", "--all"],
            &["--changed", "--print-baseline"],
            &["--staged"],
            &["--staged", "--strict-baseline"],
        ]
    ));
}

#[test]
fn paths_with_the_baseline() {
    pin!(runs(
        &with_baseline(),
        &[
            &["exact.py", "none.py"],
            &["--with-baseline", "exact.py", "none.py"],
            &["--with-baseline", "--strict-baseline", "exact.py", "none.py"],
            &["--with-baseline", "--strict-baseline", "exact.py"],
            &["--with-baseline", "more.py", "README.md"],
            &["--with-baseline", "tests"],
            &["--with-baseline", "."],
            &["--with-baseline", "--all", "exact.py"],
            &["--with-baseline", "--print-baseline", "exact.py"],
        ]
    ));
}

/// Fewer hits because fewer were looked for.
#[test]
fn entries_and_rules_of_the_command_line() {
    let baseline = "[tool.lint-spawns.baseline]\n'run.py' = 1\n'gone.py' = 1\n";
    let repository = committed(&[("pyproject.toml", &policy(baseline)), ("run.py", SPAWN)]);
    let some = runs(
        &repository,
        &[
            &["--strict-baseline"],
            &["--strict-baseline", "--select", "process-group"],
            &["--strict-baseline", "--ignore", "start-new-session"],
            &["--strict-baseline", "--precise"],
        ],
    );
    repository.write("pyproject.toml", policy(&format!("precise = true\n{baseline}")));
    pin!(format!("{some}##### precise in the policy\n{}", repository.lint(&["--strict-baseline", "--precise"])));
}

/// What `git commit --all` and `git commit PATH` are about to commit is in an index of their own.
#[cfg(unix)]
/// A hook of one repository that checks another.
/// git filters what it compares, by a program that the configuration names.
#[cfg(unix)]
/// Looking leaves no trace.
#[cfg(unix)]
#[test]
fn a_staged_file_that_cannot_be_judged() {
    let repository = committed(&[("run.py", CLEAN)]);
    let wide: Vec<u8> = SPAWN.encode_utf16().flat_map(u16::to_le_bytes).collect();
    repository.write("wide.py", [&[0xff, 0xfe], wide.as_slice()].concat());
    repository.write("broken.py", "f(start_new_session=True\n");
    repository.track();
    pin!(repository.lint(&["--staged"]));
}
