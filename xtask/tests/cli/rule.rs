//! `lint-spawns rule`.

use crate::repository::Repository;

/// Outside a repository, for the rules are the same everywhere.
fn rule(arguments: &[&str]) -> String {
    Repository::without_git(&[]).lint(&[&["rule"], arguments].concat())
}

#[test]
fn rules_are_listed() {
    pin!(rule(&[]));
}

#[test]
fn a_default_rule_is_explained() {
    pin!(rule(&["start-new-session"]));
}

#[test]
fn an_extended_rule_is_explained() {
    pin!(rule(&["argv-detacher"]));
}

#[test]
fn rule_help() {
    pin!(rule(&["--help"]));
}

#[test]
fn rules_that_are_unknown() {
    let mut all = String::new();
    for name in ["start_new_session", "dobule-fork", "setsid", "default", "docker", "", "x\n::error::\u{1b}[2K\u{202e}"]
    {
        all += &format!("=== {name:?}\n{}", rule(&[name]));
    }
    pin!(all);
}

/// Only the first argument is a verb.
#[test]
fn files_that_are_named_like_a_verb() {
    let repository = Repository::new(&[("rule/run.py", ""), ("run.py", "")]);
    let mut all = String::new();
    for arguments in
        [&["./rule"][..], &["--", "rule"], &["run.py", "rule"], &["--root", ".", "rule"], &["--all", "rule", "rule"]]
    {
        all += &format!("=== {arguments:?}\n{}", repository.lint(arguments));
    }
    pin!(all);
}
