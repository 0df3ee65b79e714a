//! The counts by folder and rule.

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

fn repository() -> Repository {
    let several = "f(process_group=0, preexec_fn=os.setsid,\n  start_new_session=1)\n";
    Repository::new(&[
        ("run.py", &format!("{SPAWN}{MARKED}")),
        ("agent/deep/run.py", &SPAWN.repeat(2)),
        ("agent/several.py", several),
        ("gateway/clean.py", "x = 1\n"),
        ("odd\u{1b} folder/run.py", MARKED),
        ("web/unparsable.py", "os.setsid(\n"),
        ("web/dropped.py", "f(start_new_session=bool(0))\n"),
        (
            "pyproject.toml",
            &policy(
                "[tool.lint-spawns.baseline]\n'agent/deep/run.py' = 2\n'run.py' = { f = 1 }\n'agent/gone.py' = 1\n",
            ),
        ),
    ])
}

#[test]
fn stat() {
    let repository = repository();
    let arguments = [
        &["stat"][..],
        &["stat", "--precise"],
        &["stat", "--select", "os-setsid", "--root", "agent"],
        &["stat", "--format", "json"],
    ];
    pin!(arguments.map(|arguments| format!("=== {arguments:?}\n{}", repository.lint(arguments))).concat());
}

#[test]
fn stat_of_nothing_found() {
    pin!(Repository::new(&[("run.py", "x = 1\n")]).lint(&["stat"]));
}

/// A linked file is in no folder of the root.
#[cfg(unix)]
#[test]
fn stat_of_a_file_outside() {
    let outside = Repository::without_git(&[("run.py", SPAWN)]);
    let repository = Repository::new(&[("a/run.py", SPAWN)]);
    std::os::unix::fs::symlink(outside.path().join("run.py"), repository.path().join("link.py")).unwrap();
    repository.track();
    pin!(repository.lint(&["stat"]));
}

#[test]
fn stat_of_what_cannot_be_read() {
    let repository = Repository::new(&[("run.py", SPAWN)]);
    repository.write("wide.py", b"\xff\xfe");
    repository.track();
    let all = repository.lint(&["stat"]) + &repository.lint(&["stat", "--format", "json"]);
    pin!(all + &Repository::new(&[("notes.txt", "")]).lint(&["stat"]));
}

#[test]
fn stat_help() {
    let repository = Repository::new(&[]);
    pin!(repository.lint(&["stat", "--help"]) + &repository.lint(&["stat", "run.py"]));
}
