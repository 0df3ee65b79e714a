//! What README.md and the pages in xtask/docs/ say is true.
//!
//! In a block of `console` a line behind `$ ` is a command, which is run, and what follows it is what it prints, to standard
//! output and standard error, as on a terminal; a line `…` stands for any others. In a block of `sh` each line is a command
//! that succeeds. The commands of a page are run one after the other, by one shell, in a fresh clone of the repository as
//! it is now. With UPDATE in the environment the pages get what is printed.

#![cfg(unix)]

mod claims;
mod examples;
mod flagged;
mod page;
mod replay;
#[path = "../cli/scrub.rs"]
mod scrub;

use std::fs;

use page::{Page, pages, workspace};
use replay::Replay;
use similar::TextDiff;

/// Commands that are too much for a test of some seconds, each with a file that has it run, and the words that tell so.
const ELSEWHERE: [(&str, &str, &str); 1] = [(
    "cargo xtask bench --root ../monorepo --config lint-spawns.toml --vs 'ruff check --select S .'",
    "xtask/tests/cli/bench.rs",
    "fn bench_of_a_repository",
)];

/// A page whose blocks a step of ci tries.
const RECIPES: &str = "xtask/docs/recipes.md";

#[test]
fn commands_print_what_pages_show() {
    let replay = Replay::new();
    let elsewhere = ELSEWHERE.map(|(command, ..)| command);
    let mut wrong = String::new();
    for page in pages_to_try() {
        let now = replay.of(&page, &elsewhere);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(workspace().join(&page.path), now).unwrap();
        } else if now != page.text {
            let diff = TextDiff::from_lines(&page.text, &now);
            wrong += &diff.unified_diff().header(page.path.as_str(), "what its commands print").to_string();
        }
    }
    assert!(wrong.is_empty(), "{wrong}\nIf this is as it should be, run `UPDATE=1 cargo test --test docs`");
}

#[test]
fn what_is_run_elsewhere_is_shown_and_is_run() {
    for (command, file, words) in ELSEWHERE {
        let shown = pages().iter().any(|page| page.commands.iter().any(|shown| shown.command == command));
        assert!(shown, "no page has `{command}`");
        assert!(fs::read_to_string(workspace().join(file)).unwrap().contains(words), "{file} has no `{words}`");
    }
}

/// All whose blocks are tried here.
fn pages_to_try() -> impl Iterator<Item = Page> {
    pages().into_iter().filter(|page| page.path != RECIPES)
}
