//! Habits of this repository that no compiler checks.

#[path = "docs/flagged.rs"]
mod flagged;

use std::fmt::Write as _;
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use flagged::flagged;
use xtask::lint_spawns::rule::{PARTS, Rule};

#[test]
fn the_rule_table_of_readme_is_that_of_the_code() {
    let mut table = String::from("| rule | group | flagged | not flagged |\n|---|---|---|---|\n");
    for rule in Rule::ALL {
        let (name, group) = (rule.name(), rule.group().name());
        let link = format!("[`{name}`](xtask/docs/rules.md#{name})");
        let _ = writeln!(table, "| {link} | {group} | {} | {} |", rule.flagged(), rule.not_flagged());
    }
    assert_holds("README.md", &table);
}

#[test]
fn the_reference_of_the_rules_is_that_of_the_code() {
    let mut reference = String::new();
    for rule in Rule::ALL {
        let mut text = rule.text().to_owned();
        for part in PARTS {
            text = text.replace(&format!("\n## {part}\n"), &format!("\n**{part}**\n"));
        }
        let _ = write!(reference, "\n## {}\n\n*{}*: {text}", rule.name(), rule.group().name());
    }
    assert_holds("xtask/docs/rules.md", &(reference + "\n"));
}

#[test]
fn the_texts_of_the_rules_have_their_parts() {
    for rule in Rule::ALL {
        let name = rule.name();
        let text = rule.text();
        let parts: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(parts, PARTS, "{name}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{name}.md has a line that a terminal may break");
        assert!(rule.flagged().chars().count() <= 56, "the first line of {name}.md is too long for the list of rules");
    }
}

/// What the texts show is what the tool says of it: with all rules in force, and with all but the one.
#[test]
fn the_examples_of_the_rules_are_true() {
    for (rule, precise) in Rule::ALL.into_iter().flat_map(|rule| [(rule, false), (rule, true)]) {
        let name = rule.name();
        let with = |code: &str| flagged(code, &format!("precise = {precise}"));
        let without = |code: &str| flagged(code, &format!("precise = {precise}\nignore = [\"{name}\"]"));
        for code in code(rule.part("Example")) {
            let lines = (1..).zip(code.lines()).filter(|(_, line)| line.ends_with("# flagged"));
            let shown: Vec<usize> = lines.map(|(at, _)| at).collect();
            assert!(!shown.is_empty(), "{name}: nothing is flagged\n{code}");
            assert_eq!(with(&code), shown, "{name}\n{code}");
            assert_eq!(without(&code), [0; 0], "{name}: another rule flags\n{code}");
        }
        for code in code(rule.part("Instead")) {
            assert_eq!(with(&code), [0; 0], "{name}\n{code}");
        }
        for code in code(rule.part("Not flagged")) {
            assert_eq!(with(&code), without(&code), "{name}\n{code}");
        }
        for code in code(rule.part("Marker")) {
            assert_eq!(with(&code), [0; 0], "{name}\n{code}");
            let unmarked = code.replace("# detached-spawn: ok", "#");
            assert_ne!(with(&unmarked), without(&unmarked), "{name}: there is nothing to mark\n{code}");
        }
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
    for folder in [
        "flagged",
        "excluded",
        "marked",
        "marked_statement",
        "extended/flagged",
        "extended/excluded",
        "precise/dropped",
        "precise/kept",
    ] {
        for entry in workspace().join("fixtures").join(folder).read_dir_utf8().unwrap().map(Result::unwrap) {
            let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
            let comment = text.trim_start_matches('\u{feff}').starts_with("# ");
            assert!(comment, "{} does not begin with a comment", entry.path());
        }
    }
}

/// The Python in a part of a rule's text, block by block.
fn code(part: &str) -> Vec<String> {
    let blocks = part.split("```python\n").skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0.to_owned()).collect()
}

/// That a file has `made` between its two marks; with UPDATE in the environment it gets it.
fn assert_holds(path: &str, made: &str) {
    let text = read(path);
    let (before, rest) = text.split_once("see xtask/tests/tidy.rs -->\n").unwrap();
    let (shown, after) = rest.split_once("<!-- /rules -->").unwrap();
    if std::env::var_os("UPDATE").is_some() {
        let text = format!("{before}see xtask/tests/tidy.rs -->\n{made}<!-- /rules -->{after}");
        fs::write(workspace().join(path), text).unwrap();
    } else {
        assert_eq!(shown, made, "{path} is not what the rules say; run `UPDATE=1 cargo test --test tidy`");
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap()
}

fn workspace() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
