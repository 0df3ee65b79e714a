//! git that cannot tell, or that somebody else points elsewhere.

use std::fs;

use crate::repository::{ENOUGH, Repository};
use crate::{MARKED, SPAWN};

#[test]
fn no_repository() {
    pin!(Repository::without_git(&[]).lint(&[]));
}

#[test]
fn no_repository_in_the_root() {
    pin!(Repository::without_git(&[("a/run.py", SPAWN)]).lint(&["--root", "a"]));
}

#[test]
fn git_is_missing() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    pin!(repository.run(repository.command().env("PATH", repository.path())));
}

#[cfg(unix)]
#[test]
fn git_may_not_be_run() {
    let repository = Repository::new(&[("run.py", SPAWN), ("bin/git", "#!/bin/sh\n")]);
    pin!(repository.run(repository.command().env("PATH", repository.path().join("bin"))));
}

#[test]
fn a_bare_repository() {
    let repository = Repository::without_git(&[]);
    repository.git(&["init", "--quiet", "--bare", "bare"]);
    repository.git(&["init", "--quiet", "full"]);
    let mut all = String::new();
    for (folder, arguments) in [
        ("bare", &[][..]),
        (".", &["--root", "bare"]),
        (".", &["bare"]),
        ("full/.git", &[]),
        (".", &["--root", "full/.git"]),
    ] {
        all += &format!("=== in {folder}: {arguments:?}\n{}", repository.lint_in(folder, arguments));
    }
    pin!(all);
}

/// git's own tests make it think so with this variable; to give a folder to another user takes root.
#[test]
fn a_repository_of_somebody_else() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    let mut all = String::new();
    for arguments in [&[][..], &["--root", "."], &["run.py"], &["."]] {
        let mut command = repository.command();
        command.args(arguments).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
        all += &format!("=== {arguments:?}\n{}", repository.run(&mut command));
    }
    pin!(all);
}

#[cfg(unix)]
#[test]
fn git_that_hangs() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    let listing = r#"git "$@"; "#;
    let mut all = String::new();
    for (what, script, arguments) in [
        ("at once", "exec sleep 60", &[][..]),
        ("when it lists", "exec sleep 60", &["--root", "."]),
        ("after its listing", &format!("{listing} exec sleep 60"), &["--root", "."]),
        ("with its output closed", &format!("{listing} exec sleep 60 >&- 2>&-"), &["--root", "."]),
        ("by a child that keeps its output", &format!("{listing} sleep 3 & exit 0"), &["--root", "."]),
        ("by a child that keeps its complaints", "sleep 3 >&- & exit 1", &["--root", "."]),
        ("while it prints", "while printf x; do sleep 0.01; done", &["--root", "."]),
        ("while it lists", r"while printf 'H 100644 %040d 0\trun.py\0' 0; do :; done", &["--root", "."]),
    ] {
        all += &format!("=== {what}\n{}", repository.lint_with_git(script, "0.2", arguments));
    }
    pin!(all);
}

#[test]
fn a_deadline_that_is_no_number() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    let mut all = String::new();
    for value in ["soon", "-1", "inf", "1e300", ""] {
        let shown = repository.run(repository.command().env("LINT_SPAWNS_GIT_DEADLINE", value));
        all += &format!("=== {value}\n{shown}");
    }
    pin!(all);
}

#[cfg(unix)]
#[test]
fn git_that_dies() {
    let repository = Repository::new(&[("run.py", "x = 1\n"), ("spawn.py", SPAWN)]);
    let half = r#"git "$@" | head -c 60; "#;
    let mut all = String::new();
    for (what, script, arguments) in [
        ("at once", "exit 1", &[][..]),
        ("with a message", "echo 'fatal: \u{1b}[2Kno memory\n\tleft' >&2; exit 128", &[]),
        ("halfway", &format!("{half} exit 1"), &["--root", "."]),
        ("halfway, killed", &format!("{half} kill -KILL $$"), &["--root", "."]),
        ("halfway, and does not say so", half, &["--root", "."]),
    ] {
        all += &format!("=== {what}\n{}", repository.lint_with_git(script, ENOUGH, arguments));
    }
    pin!(all);
}

#[cfg(unix)]
#[test]
fn git_that_prints_garbage() {
    let repository = Repository::new(&[("a/run.py", SPAWN)]);
    let mut all = String::new();
    for top in ["", r"\n", "a", "/", "/usr", "/no such folder", r"/caf\351", r"fatal: no\nidea"] {
        all += &format!("=== the top is '{top}'\n");
        // `/` is around every folder: it is believed, and does not list.
        let script = format!(r#"case "$*" in *rev-parse*) printf '{top}';; *) exit 1;; esac"#);
        all += &repository.lint_with_git(&script, ENOUGH, &[]);
    }
    let hash = "0123456789012345678901234567890123456789";
    for listing in [
        "garbage".to_owned(),
        r"garbage\0".to_owned(),
        r"\0".to_owned(),
        r"\0\0\0".to_owned(),
        r"? \0".to_owned(),
        format!(r"H 100644 {hash} 0\trun.py"),
        format!(r"H 100644 {hash} 0\trun.py\0H 100644 {hash} 0\tru"),
        format!(r"H 100644 {hash} 0\t/etc/run.py\0"),
        format!(r"H 100644 {hash} 0\ta/../../run.py\0"),
        format!(r"H 999999 {hash} 0\trun.py\0"),
        format!(r"H 100644 {hash} 0 run.py\0"),
        r"<html>\n::error::x\033[2K\n</html>\0".to_owned(),
    ] {
        all += &format!("=== the listing is '{listing}'\n");
        all += &repository.lint_with_git(&format!("printf '{listing}'"), ENOUGH, &["--root", "."]);
    }
    all += "=== the listing is three million letters\n";
    all += &repository.lint_with_git("yes n | tr -d '\\n' | head -c 3000000", ENOUGH, &["--root", "."]);
    pin!(all);
}

#[test]
fn an_index_that_is_garbage() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    repository.write(".git/index", "garbage of at least thirty-two bytes, or so");
    pin!(repository.lint(&[]));
}

#[test]
fn a_work_tree_whose_repository_is_gone() {
    let repository = Repository::without_git(&[("run.py", SPAWN), (".git", "gitdir: /no/such/folder\n")]);
    let mut all = String::new();
    for arguments in [&[][..], &["--root", "."], &["run.py"]] {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}

/// A hook runs with variables that point git at the hook's own repository, whatever folder it is called in.
#[test]
fn variables_of_a_hook() {
    let hook = Repository::new(&[("hook.py", MARKED)]);
    let other = Repository::new(&[("a/run.py", SPAWN)]);
    let git = hook.path().join(".git");
    let mut all = String::new();
    for (what, repository, folder, arguments) in [
        ("another repository as root", &hook, ".", &["--root", other.path().as_str()][..]),
        ("a folder of another repository as root", &hook, ".", &["--root", other.path().join("a").as_str()]),
        ("the current folder in another repository", &other, "a", &[]),
        ("a path in another repository", &hook, ".", &[other.path().join("a").as_str()]),
        ("the hook's own repository", &hook, ".", &[]),
        ("a folder of the hook's own repository", &hook, ".git/hooks/..", &["--root", ".."]),
    ] {
        let mut command = repository.command();
        command.args(arguments).current_dir(repository.path().join(folder));
        command.env("GIT_DIR", &git).env("GIT_WORK_TREE", hook.path()).env("GIT_INDEX_FILE", git.join("index"));
        command.env("GIT_PREFIX", "no/such/").env("GIT_COMMON_DIR", &git).env("GIT_OBJECT_DIRECTORY", "/dev/null");
        let shown = repository.run(&mut command).replace(other.path().as_str(), "OTHER");
        all += &format!("=== {what}\n{shown}");
    }
    pin!(all);
}

#[test]
fn variables_that_read_paths_as_patterns() {
    let repository = Repository::new(&[
        ("a*/run.py", SPAWN),
        ("ab/run.py", SPAWN),
        ("A*/run.py", SPAWN),
        ("pyproject.toml", "[tool.lint-spawns]\ninclude = ['a*', ':(icase)ab', ':!a*']\n"),
    ]);
    let mut command = repository.command();
    command.env("GIT_GLOB_PATHSPECS", "1").env("GIT_ICASE_PATHSPECS", "1").env("GIT_NOGLOB_PATHSPECS", "1");
    pin!(repository.run(&mut command));
}

/// The configuration of a checkout may come from anybody, and some of it names programs for git to run.
#[cfg(unix)]
#[test]
fn programs_that_the_configuration_names() {
    let repository = Repository::new(&[("run.py", "x = 1\n"), (".git/hooks/post-index-change", "")]);
    let trace = repository.path().join("trace");
    let script = repository.path().join("script");
    fs::write(&script, format!("#!/bin/sh\necho ran >> {trace}\n")).unwrap();
    let hook = repository.path().join(".git/hooks/post-index-change");
    for (from, to) in [(&script, repository.path().join("program")), (&script, hook)] {
        let mut install = std::process::Command::new("install");
        assert!(install.args(["-m", "755"]).arg(from).arg(to).status().unwrap().success());
    }
    for name in ["core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "alias.ls-files", "alias.rev-parse"]
    {
        repository.git(&["config", name, repository.path().join("program").as_str()]);
    }
    repository.git(&["status"]);
    assert!(fs::remove_file(&trace).is_ok(), "git runs none of it on its own, so this test shows nothing");
    pin!(repository.lint(&[]) + &repository.lint(&["."]));
    assert!(!trace.exists(), "a program of the checkout was run");
}

#[test]
fn a_work_tree_that_is_configured_elsewhere() {
    let other = Repository::new(&[("other.py", "x = 1\n")]);
    let repository = Repository::new(&[("run.py", SPAWN)]);
    repository.git(&["config", "core.worktree", other.path().as_str()]);
    let mut all = String::new();
    for arguments in [&[][..], &["--root", "."], &["."], &["run.py"]] {
        let shown = repository.lint(arguments).replace(other.path().as_str(), "OTHER");
        all += &format!("=== {arguments:?}\n{shown}");
    }
    pin!(all);
}
