//! What the pages say without showing it: commands, options, files, links.

use std::collections::BTreeSet;

use clap::{CommandFactory as _, Parser as _};
use xtask::flags::{Alone, Flags};

use crate::ELSEWHERE;
use crate::page::{Page, pages, workspace};
use crate::replay::commands;

/// A command that is not run has verbs and options that there are.
#[test]
fn commands_that_pages_name_can_be_given() {
    let mut wrong = String::new();
    let elsewhere: Vec<String> = ELSEWHERE.iter().map(|(command, ..)| (*command).to_owned()).collect();
    for page in pages() {
        for code in page.codes.iter().chain(&elsewhere) {
            let words = shlex::split(code).unwrap_or_default();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let parsed = match &words[..] {
                ["cargo", "xtask", ..] => Flags::try_parse_from(&words[1..]).map(drop),
                ["lint-spawns", _, ..] => Alone::try_parse_from(&words).map(drop),
                _ => continue,
            };
            // Help that is asked for is none.
            if let Some(refusal) = parsed.err().filter(clap::Error::use_stderr) {
                wrong += &format!("{}: `{code}`: {refusal}", page.path);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn options_are_told_of_and_are_there() {
    let pages = pages();
    let mut told = BTreeSet::new();
    for code in pages.iter().flat_map(|page| page.codes.iter().cloned().chain(commands(page))) {
        let words = code.split([' ', '=', '[']);
        told.extend(words.filter_map(|word| word.strip_prefix("--")).map(str::to_owned));
    }
    let there = options(Flags::command()).into_iter().chain(options(Alone::command())).collect::<BTreeSet<_>>();
    let untold: Vec<_> = there.difference(&told).collect();
    assert!(
        untold.is_empty(),
        "neither README.md nor a page of xtask/docs tells in its text of the options {untold:?}"
    );
    // The texts of the rules tell of other programs' options.
    for page in pages.iter().filter(|page| page.path != "xtask/docs/rules.md") {
        for code in page.codes.iter().filter(|code| code.starts_with("--")) {
            let option = code[2..].split([' ', '=', '[']).next().unwrap();
            assert!(option == "help" || there.contains(option), "{}: there is no option `{code}`", page.path);
        }
    }
}

/// The long options of a command and of those below it.
fn options(mut command: clap::Command) -> Vec<String> {
    command.build();
    let mut found = Vec::new();
    let mut commands = vec![&command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().filter(|below| !below.is_hide_set()));
        let seen = command.get_arguments().filter(|argument| !argument.is_hide_set());
        found.extend(seen.filter_map(|argument| argument.get_long()).filter(|long| *long != "help").map(str::to_owned));
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    for page in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if path.is_empty() { page.path.clone() } else { page.path.with_file_name(path) };
            let target = workspace().join(file).canonicalize_utf8();
            let target = target.unwrap_or_else(|err| panic!("{}: {link} leads nowhere: {err}", page.path));
            let is_there = |page: &Page| {
                workspace().join(&page.path) == target && page.anchors.iter().any(|known| known == anchor)
            };
            assert!(anchor.is_empty() || pages.iter().any(is_there), "{}: {link} names no heading", page.path);
        }
    }
}

/// Files of this repository that the text names, by their path from its root.
#[test]
fn files_that_pages_name_are_there() {
    let folders = ["xtask/", "fixtures/", "snapshots/", ".cargo/", ".ci/", ".github/"];
    for page in pages() {
        for code in page.codes.iter().filter(|code| folders.iter().any(|folder| code.starts_with(folder))) {
            let file = code.split(' ').next().unwrap();
            // A pattern has to stand in a folder that is there.
            let path = file.split_once('*').map_or(file, |(path, _)| path.rsplit_once('/').unwrap().0);
            assert!(workspace().join(path).exists(), "{}: there is no {code}", page.path);
        }
    }
}
