//! Which rules are in force.

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
