//! Policies, good and bad.

use crate::SPAWN;
use crate::repository::{Repository, policy};

#[test]
fn policies_that_cannot_be_used() {
    let cases = [
        ("unknown key", "includes = ['a']\n"),
        ("wrong type", "include = 'a'\n"),
        ("bad glob", "exclude = ['a[']\n"),
        ("unknown rule", "select = ['start-session']\n"),
        ("empty marker", "marker = ' '\n"),
        ("helper", "detach-helpers = ['a.b']\n"),
        ("include outside", "include = ['../a']\n"),
        ("negative count", "[tool.lint-spawns.baseline]\n'run.py' = -1\n"),
        ("not TOML", "include = [\n"),
    ];
    let mut all = String::new();
    for (what, table) in cases {
        let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &policy(table))]);
        all += &format!("=== {what}\n{}", repository.lint(&[]));
    }
    pin!(all);
}

#[test]
fn two_policies() {
    let repository = Repository::new(&[
        ("run.py", SPAWN),
        ("pyproject.toml", &policy("")),
        ("Cargo.toml", "[workspace.metadata.lint-spawns]\n"),
    ]);
    pin!(repository.lint(&[]));
}

#[test]
fn a_policy_file_of_its_own() {
    let repository =
        Repository::new(&[("run.py", SPAWN), ("policy.toml", "marker = 'spawn: fine'\nadvice = 'ask us.'\n")]);
    pin!(repository.lint(&["--config", "policy.toml"]));
}

#[test]
fn a_missing_policy_file() {
    pin!(Repository::new(&[("run.py", SPAWN)]).lint(&["--config", "missing.toml"]));
}
