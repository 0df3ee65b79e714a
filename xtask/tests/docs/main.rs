//! What README.md and the pages in xtask/docs/ say is true.
//!
//! In a block of `console` a line behind `$ ` is a command, which is run, and what follows it is what it prints, to standard
//! output and standard error, as on a terminal; a line `…` stands for any lines. In a block of `sh` each line is a command
//! that succeeds. The commands of a page are run one after the other, by one shell, in a fresh clone of the repository as
//! it is now. With UPDATE in the environment the pages get what is printed.

#![cfg(unix)]

mod claims;
mod examples;
mod page;
mod replay;
#[path = "../cli/scrub.rs"]
mod scrub;

use std::fs;

use page::{pages, workspace};
use replay::{Elsewhere, Replay};
use similar::TextDiff;

/// Commands of pages that are too much for a test of some seconds.
const ELSEWHERE: Elsewhere = &[(
    "cargo xtask bench --root ../monorepo --config lint-spawns.toml --vs 'ruff check --select S .'",
    "xtask/tests/cli/bench.rs",
    "fn bench_of_a_repository",
)];

#[test]
fn commands_print_what_pages_show() {
    let replay = Replay::new();
    let mut wrong = String::new();
    for page in pages() {
        let now = replay.of(&page, ELSEWHERE);
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
    let all: Vec<String> = pages().iter().flat_map(replay::commands).collect();
    for (command, file, line) in ELSEWHERE {
        assert!(all.iter().any(|shown| shown == command), "no page has `{command}`");
        assert!(fs::read_to_string(workspace().join(file)).unwrap().contains(line), "{file} has no `{line}`");
    }
}
