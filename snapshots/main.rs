//! What the tool says of every fixture: the exit code, the report and what goes to standard error.
//!
//! Two locks. A line that ends in `# flagged` (or that another line names by `# flagged: line N`) must be a hit, and no
//! other may be: that is asserted first, so no accepted snapshot can hide it. The snapshot then pins the whole text.
//! A third one for the extended rules, whose shapes overlap: the hits are of the rule that the fixture is named after.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

const POLICY: &str = "snapshots/policy.toml";
const STATEMENT: &str = "snapshots/policy_statement.toml";
const EXTENDED: &str = "snapshots/policy_extended.toml";
const PRECISE: &str = "snapshots/policy_precise.toml";

#[test]
fn flagged() {
    check_folder("flagged", POLICY, names_lines);
}

#[test]
fn excluded() {
    check_folder("excluded", POLICY, names_no_line);
}

#[test]
fn marked() {
    check_folder("marked", POLICY, |_| {});
}

#[test]
fn marked_statement() {
    check_folder("marked_statement", STATEMENT, |_| {});
}

#[test]
fn extended_flagged() {
    check_folder("extended/flagged", EXTENDED, names_lines);
}

#[test]
fn extended_flagged_by_the_rule_of_their_name() {
    let folder = workspace().join("fixtures/extended/flagged");
    let mut wrong = Vec::new();
    for path in folder.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()) {
        let stem = path.file_stem().unwrap();
        let rule = stem.split_once("__").unwrap().0.replace('_', "-");
        let found = lines_of(&rule, &format!("fixtures/extended/flagged/{stem}.py"));
        let expected = expected_lines(&path);
        if found != expected {
            wrong.push(format!("{path}: {rule} finds lines {found:?}, the fixture says {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn extended_excluded() {
    check_folder("extended/excluded", EXTENDED, names_no_line);
}

#[test]
fn precise_dropped() {
    check_folder("precise/dropped", PRECISE, names_no_line);
}

#[test]
fn precise_kept() {
    check_folder("precise/kept", PRECISE, names_lines);
}

#[test]
fn hermes() {
    for (name, arguments) in [
        ("hermes__clean", &["--root", "fixtures/hermes"][..]),
        ("hermes__all", &["--root", "fixtures/hermes", "--all"]),
        ("hermes__print_baseline", &["--root", "fixtures/hermes", "--print-baseline"]),
        ("hermes__stale", &["--root", "fixtures/hermes", "--config", "snapshots/hermes_stale.toml"]),
        (
            "hermes__stale_strict",
            &["--root", "fixtures/hermes", "--config", "snapshots/hermes_stale.toml", "--strict-baseline"],
        ),
        ("hermes__this_repository", &[]),
        ("hermes__path", &["--root", "fixtures/hermes", "fixtures/hermes/tools/browser_tool.py"]),
    ] {
        pin(name, &run(arguments).1);
    }
}

/// Every snapshot has its fixture; that every fixture has its snapshot, the tests above see to.
#[test]
fn no_orphan() {
    let folder = workspace().join("snapshots");
    for entry in folder.read_dir_utf8().unwrap().map(Result::unwrap) {
        let Some(name) = entry.file_name().strip_suffix(".snap") else { continue };
        let (folder, fixture) = name.split_once("__").unwrap();
        let folder_of_fixture = if folder == "marked_statement" { folder.to_owned() } else { folder.replace('_', "/") };
        let path = workspace().join("fixtures").join(folder_of_fixture).join(format!("{fixture}.py"));
        assert!(matches!(folder, "hermes" | "cli") || path.exists(), "{name}.snap pins no fixture");
    }
}

fn names_lines(expected: &BTreeSet<usize>) {
    assert!(!expected.is_empty(), "a flagged fixture names no line");
}

fn names_no_line(expected: &BTreeSet<usize>) {
    assert!(expected.is_empty(), "an excluded fixture names lines");
}

/// The snapshots of `extended/flagged` are `extended_flagged__*.snap`.
fn check_folder(folder: &str, policy: &str, prove: fn(&BTreeSet<usize>)) {
    let path = workspace().join("fixtures").join(folder);
    let mut names: Vec<String> =
        path.read_dir_utf8().unwrap().map(|entry| entry.unwrap().file_name().to_owned()).collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in names {
        let stem = name.strip_suffix(".py").expect("a fixture is a Python file");
        let expected = expected_lines(&path.join(&name));
        prove(&expected);
        let relative = format!("fixtures/{folder}/{name}");
        let (found, shown) = run(&["--config", policy, &relative]);
        if found != expected {
            wrong.push(format!("{relative}: lines {found:?}, the fixture says {expected:?}"));
            continue;
        }
        pin(&format!("{}__{stem}", folder.replace('/', "_")), &shown);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn pin(name: &str, shown: &str) {
    insta::with_settings!({ snapshot_path => ".", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, shown);
    });
}

/// The lines of the problems, and the whole run as one block.
fn run(arguments: &[&str]) -> (BTreeSet<usize>, String) {
    let output = lint_spawns(arguments);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let found = stdout.lines().filter_map(|line| line.split_once(".py:")?.1.split_once(": ")?.0.parse().ok()).collect();
    let code = output.status.code().unwrap();
    let arguments = arguments.join(" ");
    (
        found,
        format!(
            "$ cargo xtask lint-spawns {arguments}\nexit code: {code}\n----- stdout\n{stdout}----- stderr\n{stderr}"
        ),
    )
}

/// The lines of the problems that the rule takes part in, by the policy of the extended rules.
fn lines_of(rule: &str, path: &str) -> BTreeSet<usize> {
    let output = lint_spawns(&["--config", EXTENDED, "--format", "json", path]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hits = report["hits"].as_array().unwrap().iter();
    hits.filter(|hit| hit["status"] == "problem" && hit["rules"].as_array().unwrap().iter().any(|name| name == rule))
        .map(|hit| usize::try_from(hit["line"].as_u64().unwrap()).unwrap())
        .collect()
}

fn lint_spawns(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("lint-spawns")
        .args(arguments)
        .current_dir(workspace())
        .output()
        .unwrap()
}

fn expected_lines(path: &Utf8Path) -> BTreeSet<usize> {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = BTreeSet::new();
    for (at, line) in text.split('\n').enumerate() {
        if line.ends_with("# flagged") {
            lines.insert(at + 1);
        }
        if let Some((_, number)) = line.split_once("# flagged: line ") {
            lines.insert(number.trim().parse().unwrap());
        }
    }
    lines
}

fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
