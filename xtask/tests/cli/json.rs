//! What is printed for machines.

use std::collections::BTreeMap;

use serde_json::Value;
use xtask::lint_spawns::baseline::Entry;
use xtask::lint_spawns::check::{CheckedFile, Checker};
use xtask::lint_spawns::marker::Audit;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::{json, verdict};

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

fn lint(repository: &Repository, arguments: &[&str]) -> String {
    repository.lint_as("json", arguments)
}

#[test]
fn json() {
    let repository = Repository::new(&[
        ("marked.py", MARKED),
        ("marked_on_the_line.py", "# detached-spawn: ok - not this\nos.setpgrp()  # detached-spawn: ok -- a — b \t\n"),
        ("over.py", &SPAWN.repeat(2)),
        ("several.py", "\tf(process_group=0, preexec_fn=os.setsid,\n\t  start_new_session=g(\n1))  # é\n"),
        ("tolerated.py", SPAWN),
        ("unparsable.py", "os.setsid(\n"),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n'over.py' = 1\n'tolerated.py' = 1\n")),
    ]);
    pin!(lint(&repository, &[]));
}

#[test]
fn json_of_a_clean_run() {
    pin!(lint(&Repository::new(&[("run.py", "x = 1\n"), ("marked.py", MARKED)]), &[]));
}

/// All are the same hit, at a place that is counted in characters of the text.
#[test]
fn json_places() {
    let repository = Repository::new(&[]);
    let line = "f('né', '𝒳', start_new_session=g(\n  'é'))\n";
    let texts = [
        ("line_feeds.py", line.to_owned()),
        ("carriage_returns.py", line.replace('\n', "\r")),
        ("both.py", line.replace('\n', "\r\n")),
        ("byte_order_mark.py", format!("\u{feff}{line}")),
    ];
    for (path, text) in texts {
        repository.write(path, text);
    }
    repository.write("invalid_byte.py", [b"f('n\xff", &line.as_bytes()[4..]].concat());
    repository.track();
    pin!(lint(&repository, &[]));
}

#[test]
fn json_advisories() {
    let repository = Repository::new(&[
        ("run.py", "f(start_new_session=False)\n"),
        ("notes.txt", ""),
        (
            "pyproject.toml",
            &policy("include = ['.', 'gone']\n[tool.lint-spawns.baseline]\n'gone/run.py' = 2\n'run.py' = 1\n"),
        ),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("notes.txt", repository.path().join("link.py")).unwrap();
    repository.track();
    let arguments = [&[][..], &["--strict-baseline"], &["run.py", "./notes.txt"]];
    pin!(arguments.map(|arguments| lint(&repository, arguments)).concat());
}

/// The run goes on, and what is missing is seen in the object itself.
#[test]
fn json_of_what_cannot_be_checked() {
    let repository = Repository::new(&[("marked.py", MARKED)]);
    repository.write("wide.py", b"\xff\xfe");
    repository.track();
    pin!(lint(&repository, &[]) + &lint(&repository, &["gone.py", "marked.py"]) + &lint(&repository, &["gone.py"]));
}

#[test]
fn json_of_nothing_to_check() {
    let repository = Repository::new(&[
        ("tests/run.py", SPAWN),
        ("notes.txt", ""),
        ("pyproject.toml", &policy("[tool.lint-spawns.baseline]\n'run.py' = 1\n")),
    ]);
    pin!(lint(&repository, &["--strict-baseline"]) + &lint(&repository, &["tests", "notes.txt"]));
}

#[test]
fn json_of_a_run_that_cannot_begin() {
    let repository = Repository::new(&[("run.py", SPAWN), ("policy.toml", "precise = 1\n")]);
    let all = [&["--config", "policy.toml"][..], &["--select", "none"], &["--root", "gone"]];
    pin!(
        all.map(|arguments| lint(&repository, arguments)).concat()
            + &repository.lint(&["--print-baseline", "--format", "json"])
            + &repository.lint(&["--format", "yaml"])
    );
}

/// What may not reach a terminal is escaped, and comes back when the object is read.
#[cfg(unix)]
#[test]
fn json_cannot_be_forged() {
    let name = "a\u{1b}[2K\r\n\u{202e}##vso[x]\".py";
    let source =
        "os.setsid()  # \u{1b}\t\u{9b}\u{7f}\u{2028}\u{202e}\\##[error]# ## #[x] detached-spawn: ok - \u{2066}##[x]";
    let repository = Repository::new(&[(name, source)]);
    let output = repository.command().args(["--format", "json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hit = &report["hits"][0];
    assert_eq!([&hit["path"], &hit["source"], &hit["reason"]], [name, source, "\u{2066}##[x]"]);
    pin!(lint(&repository, &[]));
}

/// Its marker does not matter.
#[test]
fn json_of_dropped_hits() {
    let policy = Policy::load(camino::Utf8Path::new("no/such/folder"), None).unwrap();
    let hits = Checker::new(&policy).unwrap().check(format!("{MARKED}{MARKED}{SPAWN}").as_bytes());
    let mut files = [CheckedFile { path: "run.py".into(), hits, audit: Audit::default(), content: None }];
    files[0].hits[1].dropped = true;
    let baseline = BTreeMap::from([("run.py".to_owned(), Entry::File(1))]);
    let verdict = verdict::judge(&files, &baseline, true);
    pin!(json::check(camino::Utf8Path::new("/root"), files.len(), &verdict, &[], &[]).unwrap());
}
