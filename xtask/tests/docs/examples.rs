//! The settings and the Python that pages show do what is said of them.

use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Parser as _;
use regex::Regex;
use xtask::flags::{Alone, Flags};
use xtask::lint_spawns::policy::Policy;

use crate::flagged::flagged;
use crate::page::{Page, pages};
use crate::pages_to_try;
use crate::scrub::scrub;

#[test]
fn all_blocks_are_of_a_kind_that_is_tested() {
    for page in pages_to_try() {
        for block in &page.blocks {
            let known = ["console", "sh", "toml", "yaml", "python"].contains(&block.language.as_str());
            assert!(known, "{}: nothing tests a block of `{}`:\n{}", page.path, block.language, block.code);
        }
    }
}

/// Of a policy, or of steps of ci.
#[test]
fn tables_that_pages_show_are_accepted() {
    for page in pages_to_try() {
        for block in page.blocks_in("toml") {
            let folder = Folder::new();
            let refused = if block.code.contains("metadata.ci") {
                folder.ci(&block.code)
            } else {
                folder.policy(&block.code).map(drop)
            };
            assert_eq!(refused, Ok(()), "{}:\n{}", page.path, block.code);
        }
    }
}

/// The table of keys has all that there are, in the order of the program, each with its real default.
#[test]
fn the_reference_of_the_policy_is_complete() {
    let page = page("xtask/docs/policy.md");
    let rows: Vec<(&str, &str)> = page.text.lines().filter_map(key_and_default).collect();
    let policy = |text: &str| Folder::new().policy(text);
    let keys: Vec<&str> = rows.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, known(&policy("no-such-key = 0").unwrap_err()));
    let all: String = rows.iter().map(|(key, default)| format!("{key} = {default}\n")).collect();
    let settings = |policy: Policy| format!("{policy:?}").split(", origin: ").next().unwrap().to_owned();
    assert_eq!(policy(&all).map(settings), policy("").map(settings));
}

/// One example has all keys of a step.
#[test]
fn the_reference_of_the_steps_is_complete() {
    let page = page("xtask/docs/ci.md");
    let refusal = Folder::new().ci("[[workspace.metadata.ci.step]]\nno-such-key = 0\n").unwrap_err();
    let has_all = |code: &str| known(&refusal).iter().all(|key| code.contains(&format!("\n{key} = ")));
    assert!(page.blocks_in("toml").any(|block| has_all(&block.code)), "{refusal}");
}

/// What a workflow or a hook runs has verbs and options that there are.
#[test]
fn workflows_that_pages_show_can_be_run() {
    let command = Regex::new("(?m)^[ -]*(?:run|entry): (cargo xtask|lint-spawns)( .*)$").unwrap();
    for page in pages() {
        for found in page.blocks_in("yaml").flat_map(|block| command.captures_iter(&block.code)) {
            let words = shlex::split(&format!("command{}", &found[2])).unwrap();
            let parsed = if &found[1] == "lint-spawns" {
                Alone::try_parse_from(words).map(drop)
            } else {
                Flags::try_parse_from(words).map(drop)
            };
            assert!(parsed.is_ok(), "{}: {}: {}", page.path, &found[0], parsed.unwrap_err());
        }
    }
}

/// What the tool flags in an example ends in `# flagged`. The texts of the rules have a test of their own, in tidy.rs.
#[test]
fn python_that_pages_show_is_flagged_where_they_say() {
    for page in pages_to_try().filter(|page| page.path != "xtask/docs/rules.md") {
        for block in page.blocks_in("python") {
            let lines = (1..).zip(block.code.lines()).filter(|(_, line)| line.ends_with("# flagged"));
            let said: Vec<usize> = lines.map(|(at, _)| at).collect();
            assert_eq!(flagged(&block.code, ""), said, "{}:\n{}", page.path, block.code);
        }
    }
}

/// A throw-away folder.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).unwrap().canonicalize_utf8().unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        scrub(command.current_dir(self.path()));
        command
    }

    /// The policy of a file with this text, or why it is none.
    fn policy(&self, text: &str) -> Result<Policy, String> {
        let file = self.path().join("policy.toml");
        fs::write(&file, text).unwrap();
        Policy::load(&self.path(), Some(&file)).map_err(|err| format!("{err:#}"))
    }

    /// Whether ci accepts the steps that this Cargo.toml declares.
    fn ci(&self, text: &str) -> Result<(), String> {
        fs::write(self.path().join("Cargo.toml"), text).unwrap();
        for folder in Regex::new("(?m)^folder = \"(.*?)\"").unwrap().captures_iter(text) {
            fs::create_dir_all(self.path().join(&folder[1])).unwrap();
        }
        let output = self.command().args(["ci", "--list"]).output().unwrap();
        if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr).unwrap()) }
    }
}

/// Of a row such as "| `key` | `default` | meaning |".
fn key_and_default(row: &str) -> Option<(&str, &str)> {
    let (key, rest) = row.strip_prefix("| `")?.split_once("` | `")?;
    Some((key, rest.split_once("` |")?.0))
}

/// The keys that there are, of the message about one that there is not.
fn known(refusal: &str) -> Vec<String> {
    let (_, list) = refusal.split_once("expected one of ").unwrap();
    list.lines().next().unwrap().split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn page(path: &str) -> Page {
    pages().into_iter().find(|page| page.path == path).unwrap()
}
