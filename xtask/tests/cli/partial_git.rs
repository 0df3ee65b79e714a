//! git beneath runs on what has changed and on what is staged: hooks that call, programs that must not run, failures.

use std::fs;

use crate::partial::{CLEAN, committed, runs};
use crate::repository::Repository;
use crate::{MARKED, SPAWN};

#[test]
fn partial_runs_outside_any_work_tree() {
    let repository = Repository::without_git(&[("run.py", SPAWN)]);
    repository.git(&["init", "--quiet", "--bare", "bare"]);
    let mut all = String::new();
    for (folder, arguments) in [
        (".", &["--changed"][..]),
        (".", &["--staged", "--root", "."]),
        (".", &["--changed=nope", "--root", "."]),
        ("bare", &["--changed"]),
        (".", &["--staged", "--root", "bare"]),
    ] {
        all += &format!("=== in {folder}: {arguments:?}\n{}", repository.lint_in(folder, arguments));
    }
    pin!(all);
}

#[test]
fn a_hook_that_checks_what_is_staged() {
    let repository = committed(&[("run.py", CLEAN), ("other.py", CLEAN)]);
    let script = repository.path().join("draft");
    fs::write(&script, format!("#!/bin/sh\n{} lint-spawns --staged\n", env!("CARGO_BIN_EXE_xtask"))).unwrap();
    let mut install = std::process::Command::new("install");
    install.args(["-m", "755"]).arg(&script).arg(repository.path().join(".git/hooks/pre-commit"));
    assert!(install.status().unwrap().success());
    repository.remove("draft");
    repository.git(&["worktree", "add", "--quiet", "tree"]);
    repository.write("run.py", SPAWN);
    repository.write("other.py", SPAWN);
    repository.write("tree/run.py", SPAWN);
    let mut all = String::new();
    for arguments in [
        &["commit", "--allow-empty", "-m", "nothing"][..],
        &["commit", "--all", "-m", "all"],
        &["commit", "-m", "path", "other.py"],
        &["-C", "tree", "commit", "--all", "-m", "a work tree"],
        &["-C", "tree", "commit", "--allow-empty", "-m", "nothing"],
    ] {
        let output = repository.try_git(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).replace(repository.path().as_str(), "ROOT");
        all += &format!("=== {arguments:?}: {}\n{stderr}", output.status);
    }
    pin!(all);
}

#[test]
fn the_index_of_another_repository() {
    let hook = committed(&[("bad.py", SPAWN)]);
    let repository = committed(&[("run.py", CLEAN)]);
    repository.write("run.py", "x = 2\n");
    repository.track();
    let mut all = String::new();
    for index in [hook.path().join(".git/index").as_str(), ".git/index", "nowhere", ""] {
        let mut command = repository.command();
        let shown = repository.run(command.arg("--staged").env("GIT_INDEX_FILE", index));
        all += &format!("=== {}\n{shown}", index.replace(hook.path().as_str(), "OTHER"));
    }
    pin!(all);
}

#[test]
fn filters_that_the_configuration_names() {
    let repository = committed(&[("run.py", SPAWN), ("same.py", SPAWN), (".gitattributes", "*.py filter=a.b\n")]);
    let trace = repository.path().join(".git/trace");
    let filter = format!("echo ran >> '{trace}'; cat");
    repository.git(&["config", "filter.a.b.clean", &filter]);
    repository.git(&["config", "filter.a.b.process", &filter]);
    repository.git(&["config", "filter.a.b.required", "true"]);
    let rewrite = || {
        repository.write("run.py", format!("\n{SPAWN}"));
        repository.write("same.py", SPAWN);
    };
    rewrite();
    repository.try_git(&["status"]);
    assert!(fs::remove_file(&trace).is_ok(), "git runs no filter on its own, so this test shows nothing");
    rewrite();
    let all = runs(&repository, &[&["--changed"], &["--staged"]]);
    assert!(!trace.exists(), "a filter of the checkout was run");
    repository.git(&["config", "filter.a=b.clean", &filter]);
    pin!(format!("{all}=== a filter that cannot be named\n{}", repository.lint(&["--changed"])));
}

#[test]
fn the_index_is_not_written() {
    let repository = committed(&[("run.py", SPAWN)]);
    repository.write("run.py", SPAWN);
    let index = || fs::read(repository.path().join(".git/index")).unwrap();
    let before = index();
    pin!(runs(&repository, &[&["--changed"], &["--staged"]]));
    assert!(before == index(), "the index was written");
}

#[test]
fn git_that_fails_in_a_partial_run() {
    let repository = committed(&[("run.py", SPAWN)]);
    repository.write("run.py", MARKED);
    repository.track();
    let mut all = String::new();
    for (verb, script, arguments) in [
        ("merge-base", "exec sleep 60", "--changed"),
        ("config", "exec sleep 60", "--changed"),
        ("status", "exec sleep 60", "--changed"),
        ("status", "echo 'fatal: no' >&2; exit 128", "--changed"),
        ("status", "printf 'M run.py\\0'", "--changed"),
        ("diff-index", "exec sleep 60", "--changed=HEAD"),
        ("diff", "exec sleep 60", "--staged"),
        ("diff", "printf ':100644 100644 1 2 M\\0run.py\\0'", "--staged"),
        ("cat-file", "exec sleep 60", "--staged"),
        ("cat-file", "exit 0", "--staged"),
        ("cat-file", "read name; echo \"$name missing\"", "--staged"),
        ("cat-file", "read name; echo \"$name tree 3\"; echo abc", "--staged"),
        ("cat-file", "read name; echo \"$name blob 30\"; echo abc", "--staged"),
        ("cat-file", "read name; echo \"$name blob 99999999999999999999\"; echo abc", "--staged"),
    ] {
        let script = format!("case \"$*\" in *' {verb} '*) {script}; exit 0;; esac\nexec git \"$@\"");
        let deadline = if script.contains("sleep") { "0.5" } else { crate::repository::ENOUGH };
        all += &format!("=== {script}: {arguments}\n{}", repository.lint_with_git(&script, deadline, &[arguments]));
    }
    pin!(all);
}
