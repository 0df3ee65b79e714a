//! Policies, good and bad.

use crate::SPAWN;
use crate::repository::{Repository, fifo, policy};

#[test]
fn policies_that_cannot_be_used() {
    let cases = [
        ("unknown key", "includes = ['a']\n"),
        ("unknown key in a table of its own", "[tool.lint-spawns.baselines]\n'run.py' = 1\n"),
        ("a key given twice", "include = ['a']\ninclude = ['b']\n"),
        ("wrong type", "include = 'a'\n"),
        ("wrong type of an item", "include = ['a', 1]\n"),
        ("wrong type far below its key", "include = [\n  'a',\n  'b',\n  1,\n]\n"),
        ("wrong type of a switch", "precise = 'yes'\n"),
        ("wrong type of a text", "advice = 1\n"),
        ("wrong type of the table", "[tool]\nlint-spawns = 1\n"),
        ("a table inside a table", "[tool.lint-spawns.include]\na = 1\n"),
        ("bad glob", "exclude = ['a[']\n"),
        ("empty glob", "exclude = ['/']\n"),
        ("unknown rule", "select = ['start-session']\n"),
        ("unknown rule like none", "select = ['detached']\n"),
        ("unknown rule to ignore", "ignore = ['start-session']\n"),
        ("no rule", "select = []\n"),
        ("no rule left", "precise = false\nignore = [\n  'default', 'extended',\n]\nselect = ['all']\n"),
        ("rules that are nothing without others", "select = ['unparsable', 'detach-helper']\n"),
        ("unknown kind of markers", "markers = 'strict'\n"),
        ("empty marker", "marker = ' '\n"),
        ("marker of two lines", "marker = \"a\\nb\"\n"),
        ("helper", "detach-helpers = ['a.b']\n"),
        ("include outside", "include = ['../a']\n"),
        ("absolute include", "include = ['/a']\n"),
        ("empty include", "include = ['']\n"),
        ("include with a NUL", "include = [\"a\\u0000b\"]\n"),
        ("negative count", "[tool.lint-spawns.baseline]\n'run.py' = -1\n"),
        ("count with a fraction", "[tool.lint-spawns.baseline]\n'run.py' = 1.0\n"),
        ("count that is text", "[tool.lint-spawns.baseline]\n'run.py' = '1'\n"),
        ("count beyond all", "[tool.lint-spawns.baseline]\n'run.py' = 99999999999\n"),
        ("count beyond any number", "[tool.lint-spawns.baseline]\n'run.py' = 99999999999999999999999\n"),
        ("negative count of a function", "[tool.lint-spawns.baseline]\n'run.py' = { a = 1, b = -1 }\n"),
        ("count of a function that is text", "[tool.lint-spawns.baseline]\n'run.py' = { a = '1' }\n"),
        ("functions in functions", "[tool.lint-spawns.baseline]\n'run.py' = { a.b = 1 }\n"),
        ("functions without counts", "[tool.lint-spawns.baseline]\n'run.py' = ['a']\n"),
        ("a file given twice", "[tool.lint-spawns.baseline]\n'run.py' = 1\n'run.py' = { a = 1 }\n"),
        ("a function given twice", "[tool.lint-spawns.baseline]\n'run.py' = { a = 1, a = 1 }\n"),
        ("not TOML", "include = [\n"),
        ("not TOML, in one line", "this is no policy\n"),
    ];
    let mut all = String::new();
    for (what, table) in cases {
        let text = if table.starts_with("[tool]") { table.to_owned() } else { policy(table) };
        let repository = Repository::new(&[("run.py", SPAWN), ("pyproject.toml", &text)]);
        all += &format!("=== {what}\n{}", repository.lint(&[]));
    }
    pin!(all);
}

/// A file that `--config` names is a policy whatever is in it, and not one that the built-in policy stands in for.
#[test]
fn policy_files_that_cannot_be_used() {
    let cases: [(&str, &[u8]); 5] = [
        ("not a policy", b"[tool.ruff]\nline-length = 120\n"),
        ("two tables", b"[tool.lint-spawns]\n[workspace.metadata.lint-spawns]\n"),
        ("not UTF-8", b"include = ['.']\nadvice = 'caf\xe9'\n"),
        ("UTF-16", b"\xff\xfei\0n\0"),
        ("binary", b"\x7fELF\x02\x01\0\0"),
    ];
    let repository = Repository::new(&[("run.py", SPAWN)]);
    let mut all = String::new();
    for (what, bytes) in cases {
        repository.write("policy.toml", bytes);
        all += &format!("=== {what}\n{}", repository.lint(&["--config", "policy.toml"]));
    }
    pin!(all);
}

#[test]
fn a_policy_that_nests_deeply() {
    let (arrays, tables, keys, globs) =
        ("[".repeat(100_000), "{a=".repeat(100_000), "a.".repeat(100_000), "{a,".repeat(100_000));
    let cases = [
        ("arrays", format!("include = {arrays}\n")),
        ("tables", format!("include = {tables}\n")),
        ("keys", format!("{keys}a = 1\n")),
        ("headers", format!("[{keys}a]\n")),
        ("globs", format!("exclude = ['{globs}{}']\n", "}".repeat(100_000))),
    ];
    let mut all = String::new();
    for (what, table) in cases {
        let repository = Repository::new(&[("run.py", SPAWN), ("policy.toml", &table)]);
        all += &format!("=== {what}\n{}", repository.lint(&["--config", "policy.toml"]));
    }
    pin!(all);
}

#[cfg(unix)]
#[test]
fn policies_that_are_no_files() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new(&[("run.py", SPAWN)]);
    let root = repository.path();
    let mut all = String::new();
    for name in ["policy.toml", "pyproject.toml", "Cargo.toml"] {
        let path = root.join(name);
        let arguments: &[&str] = if name == "policy.toml" { &["--config", name] } else { &[] };
        std::fs::create_dir(&path).unwrap();
        all += &format!("=== {name} is a folder\n{}", repository.lint(arguments));
        std::fs::remove_dir(&path).unwrap();
        fifo(&path);
        all += &format!("=== {name} is a FIFO\n{}", repository.lint(arguments));
        std::fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        all += &format!("=== {name} leads to a device\n{}", repository.lint(arguments));
        std::fs::remove_file(&path).unwrap();
        symlink("gone.toml", &path).unwrap();
        all += &format!("=== {name} leads nowhere\n{}", repository.lint(arguments));
        std::fs::remove_file(&path).unwrap();
    }
    pin!(all);
}

/// They can match no hit, so they are stale; an error would be new to those who come from the reference.
#[test]
fn baseline_paths_that_no_report_prints() {
    let repository = Repository::new(&[
        ("run.py", SPAWN),
        (
            "pyproject.toml",
            &policy("[tool.lint-spawns.baseline]\n'./run.py' = 1\n'../run.py' = 1\n'/run.py' = 1\n'' = 1\n"),
        ),
    ]);
    pin!(repository.lint(&[]));
}

#[test]
fn a_policy_with_a_byte_order_mark() {
    let repository = Repository::new(&[
        ("run.py", SPAWN),
        ("pyproject.toml", "\u{feff}[tool.lint-spawns]\nignore = ['start-new-session']\n"),
    ]);
    pin!(repository.lint(&[]));
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
