//! What finds the problems in a report: the problem matchers for GitHub's logs, and the one that the recipes show for VS Code.

use std::fmt::Write as _;
use std::fs;

use camino::Utf8Path;
use regex::Regex;
use serde_json::Value;

use crate::repository::{Repository, policy};
use crate::{MARKED, SPAWN};

/// A regular expression of a matcher, and which of its groups hold what.
struct Pattern(Value);

impl Pattern {
    /// What it takes from a line: the file, the line if it tells of one, the message.
    fn find(&self, line: &str) -> Option<(String, String, String)> {
        // Neither .NET, which GitHub has, nor JavaScript reads what only this crate does; and it knows less than they do.
        let found = Regex::new(self.0["regexp"].as_str().unwrap()).unwrap().captures(line)?;
        let group =
            |key: &str| self.0[key].as_u64().map_or("-", |number| &found[usize::try_from(number).unwrap()]).to_owned();
        Some((group("file"), group("line"), group("message")))
    }
}

/// Those of the file that is shipped, with their owners.
fn shipped() -> Vec<(String, Pattern)> {
    let file: Value = serde_json::from_str(&read(".github/lint-spawns.json")).unwrap();
    let mut all = Vec::new();
    for matcher in file["problemMatcher"].as_array().unwrap() {
        let [pattern] = matcher["pattern"].as_array().unwrap().as_slice() else { panic!("{matcher}") };
        all.push((matcher["owner"].as_str().unwrap().to_owned(), Pattern(pattern.clone())));
    }
    all
}

/// Hits of every kind, in files with the oddest names, beside advice that looks like a hit.
fn repository() -> Repository {
    Repository::new(&[
        (
            "pyproject.toml",
            &policy(
                "include = [\"src\"]\nadvice = \"see src/a.py:2: it shows how.\"\n[tool.lint-spawns.baseline]\n\
                 \"src/stale.py\" = 2\n\"src/two.py\" = 1\n\"src/gone.py\" = 1\n\"src/classes.py\" = { \"A.b\" = 1 }\n",
            ),
        ),
        ("src/a.py", SPAWN),
        ("src/broken.py", "f(start_new_session=True\n"),
        ("src/classes.py", "class A:\n    def b(self):\n        pass\n"),
        ("src/looks like b.py:3/run.py", SPAWN),
        ("src/marked.py", MARKED),
        ("src/quotes.py", "f('b.py:7: x', start_new_session=True)\n"),
        ("src/stale.py", SPAWN),
        ("src/two.py", &format!("{SPAWN}{SPAWN}")),
        ("src/unused.py", "# detached-spawn: ok — nothing is here\n"),
        ("src/ü.py", SPAWN),
    ])
}

/// Each line of a report, and what is found in it.
fn found(report: &str) -> String {
    let mut text = String::new();
    for line in report.lines() {
        let _ = writeln!(text, "  {line}");
        for (owner, pattern) in shipped() {
            if let Some((file, at, message)) = pattern.find(line) {
                let _ = writeln!(text, "^ {owner}: file {file}, line {at}, message {message}");
            }
        }
    }
    text
}

#[test]
fn the_problem_matchers_find_what_fails_the_run() {
    let repository = repository();
    let mut all = String::new();
    for arguments in [&[][..], &["--strict-baseline", "--strict-markers"], &["src/marked.py"], &["--quiet", "src/a.py"]]
    {
        let _ = write!(all, "=== {arguments:?}\n{}", found(&repository.lint(arguments)));
    }
    pin!(all);
}

/// Another way to tell what is a problem: what the run lists for machines.
#[test]
fn the_problem_matcher_finds_each_problem_and_no_more() {
    let repository = repository();
    let all: Value = {
        let output = repository.command().args(["--format", "json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let mut problems = Vec::new();
    for hit in all["hits"].as_array().unwrap().iter().filter(|hit| hit["status"] == "problem") {
        let mut message = hit["source"].as_str().unwrap().to_owned();
        if hit["rule"] == "unparsable" {
            message += "  [cannot be parsed]";
        }
        problems.push((hit["path"].as_str().unwrap().to_owned(), hit["line"].to_string(), message));
    }
    assert!(problems.len() > 5, "{problems:?}");
    let report = repository.lint(&[]);
    let (_, pattern) = shipped().into_iter().find(|(owner, _)| owner == "lint-spawns").unwrap();
    assert_eq!(report.lines().filter_map(|line| pattern.find(line)).collect::<Vec<_>>(), problems);
}

#[test]
fn the_recipe_for_vs_code_has_the_same_pattern() {
    let recipes = read("xtask/docs/recipes.md");
    let [_, block] = recipes.split("```json\n").collect::<Vec<_>>()[..] else { panic!("there is one block of JSON") };
    let tasks: Value = serde_json::from_str(block.split_once("```").unwrap().0).unwrap();
    let shown = &tasks["tasks"][0]["problemMatcher"]["pattern"];
    assert!(shipped().iter().any(|(_, Pattern(pattern))| pattern == shown), "{shown}");
}

fn read(path: &str) -> String {
    fs::read_to_string(Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}
