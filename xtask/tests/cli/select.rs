//! Which rules are in force.

use std::collections::BTreeMap;

use xtask::lint_spawns::baseline::Entry;
use xtask::lint_spawns::check::{CheckedFile, Checker};
use xtask::lint_spawns::marker::Audit;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::report;
use xtask::lint_spawns::verdict::judge;

use crate::repository::{Repository, policy};

const SPAWNS: &str = "f(start_new_session=True)\nf(process_group=0)\nos.setsid()\nhelper()\n";

/// Runs with a policy, one for each list of arguments, which are words.
fn lint(table: &str, runs: &[&str]) -> String {
    let repository = Repository::new(&[("run.py", SPAWNS), ("pyproject.toml", &policy(table))]);
    let run = |arguments: &&str| {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        format!("=== {arguments} (policy: {table})\n{}", repository.lint(&words))
    };
    runs.iter().map(run).collect()
}

#[test]
fn selected_rules() {
    pin!(lint(
        "select = ['start-new-session']",
        &["", "--select process-group", "--select process-group,os-setsid", "--select os-setsid --select default"]
    ));
}

#[test]
fn selected_rules_are_not_those_ignored() {
    pin!(lint(
        "ignore = ['os-setsid']",
        &["", "--ignore process-group", "--ignore process-group,start-new-session", "--select default"]
    ));
}

#[test]
fn selected_rules_that_are_unknown() {
    pin!(lint(
        "",
        &[
            "--select start_new_session",
            "--select default,extend",
            "--ignore os-setsid --ignore DEFAULT",
            "--select default,",
            "--select ##[error]",
        ]
    ));
}

#[test]
fn selected_rules_of_which_none_is_left() {
    let mut all = lint("", &["--select default --ignore all", "--select unparsable", "--select detach-helper"]);
    all += &lint("ignore = ['os-setsid']", &["--select os-setsid"]);
    all += &lint("detach-helpers = ['helper']", &["--select detach-helper"]);
    pin!(all);
}

#[test]
fn precise() {
    pin!(lint("", &["--precise"]) + &lint("precise = true", &["", "--precise"]));
}

/// The first `dropped` hits of two files are.
#[test]
fn dropped_hits_are_counted_in_the_report() {
    let policy = Policy::load(camino::Utf8Path::new("no/such/folder"), None).unwrap();
    let checker = Checker::new(&policy).unwrap();
    let baseline = BTreeMap::from([("b.py".to_owned(), Entry::File(1))]);
    let mut all = String::new();
    for (dropped, strict) in [(1, false), (3, false), (4, false), (4, true)] {
        let file = |path: &str, text: &str| CheckedFile {
            path: path.into(),
            hits: checker.check(text.as_bytes()),
            audit: Audit::default(),
            content: None,
        };
        let marked = "os.setsid()  # detached-spawn: ok - a test\n";
        let mut files = [file("a.py", &format!("os.setpgrp()\nos.setsid()\n{marked}")), file("b.py", "os.setsid()\n")];
        for hit in files.iter_mut().flat_map(|file| &mut file.hits).take(dropped) {
            hit.dropped = true;
        }
        let verdict = judge(&files, &baseline, strict);
        all += &format!("=== {dropped} of 4, strict: {strict}\n");
        all += &report::advisories(&verdict, &policy);
        all += &report::problems(&verdict);
        all += &report::conclusion(files.len(), &verdict, &policy);
        all += &format!("=== and the baseline\n{}", report::baseline(&verdict, &policy));
    }
    pin!(all);
}
