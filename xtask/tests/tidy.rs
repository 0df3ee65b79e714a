//! Habits of this repository that no compiler checks.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use xtask::lint_spawns::rule::Rule;

#[test]
fn the_rule_table_of_readme_is_that_of_the_code() {
    let mut table = String::from("| rule | flagged | not flagged |\n|---|---|---|\n");
    for rule in Rule::ALL {
        let _ = writeln!(table, "| `{}` | {} | {} |", rule.name(), rule.flagged(), rule.not_flagged());
    }
    let readme = read("README.md");
    let (_, rest) = readme.split_once("see xtask/tests/tidy.rs -->\n").unwrap();
    let (shown, _) = rest.split_once("<!-- /rules -->").unwrap();
    assert_eq!(shown, table, "copy the right side into README.md");
}

#[test]
fn what_readme_shows_is_the_real_output() {
    let readme = read("README.md");
    let root = workspace().canonicalize_utf8().unwrap();
    for arguments in
        ["lint-spawns --all", "ci --list", "lint-spawns --format json fixtures/hermes/tools/terminal_tool.py README.md"]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments.split(' ')).current_dir(&root).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap().replace(root.as_str(), "/path/to/repository");
        let shown = format!("$ cargo xtask {arguments}\n{output}```\n");
        assert!(readme.contains(&shown), "README.md should show\n{shown}");
    }
}

#[test]
fn every_option_is_in_readme() {
    let readme = read("README.md");
    for option in [
        "--root",
        "--config",
        "--select",
        "--ignore",
        "--precise",
        "--format",
        "--all",
        "--print-baseline",
        "--strict-baseline",
        "--only",
        "--skip",
        "--keep-going",
        "--list",
        "--files",
        "--runs",
        "--vs",
        "--binary",
    ] {
        assert!(readme.contains(option), "README.md does not mention {option}");
    }
}

#[test]
fn modules_of_the_pipeline_are_in_the_architecture() {
    let architecture = read("xtask/src/lib.rs");
    for line in read("xtask/src/lint_spawns.rs").lines() {
        if let Some(module) = line.strip_prefix("pub mod ").and_then(|line| line.strip_suffix(';'))
            && module != "rule"
        {
            let link = format!("[`lint_spawns::{module}`]");
            assert!(architecture.contains(&link), "the module doc of lib.rs does not tell what {module} is for");
        }
    }
}

#[test]
fn fixtures_say_why_in_their_first_line() {
    for folder in ["flagged", "excluded", "marked"] {
        for entry in workspace().join("fixtures").join(folder).read_dir_utf8().unwrap().map(Result::unwrap) {
            let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
            let comment = text.trim_start_matches('\u{feff}').starts_with("# ");
            assert!(comment, "{} does not begin with a comment", entry.path());
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap()
}

fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
