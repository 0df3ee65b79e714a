//! What the pages say without showing it: commands, options, files, links.

use std::collections::BTreeSet;

use clap::{CommandFactory as _, Parser as _};
use xtask::flags::{Alone, Flags};

use crate::ELSEWHERE;
use crate::page::{Page, pages, workspace};

/// A command that is not run has verbs and options that there are.
#[test]
fn commands_that_pages_name_can_be_given() {
    let mut wrong = String::new();
    for page in pages() {
        for code in page.codes.iter().map(String::as_str).chain(ELSEWHERE.map(|(command, ..)| command)) {
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

/// What the help of each command shows, which is the same for both programs but for their names.
#[test]
fn examples_of_the_help_can_be_given() {
    let mut count = 0;
    for (verb, command) in commands() {
        let shown = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        // In the list of all commands there are no examples.
        for example in
            shown.lines().filter_map(|line| Some(line.split_once("lint-spawns")?.1)).filter(|_| verb != XTASK)
        {
            let words = shlex::split(&format!("lint-spawns{example}")).unwrap();
            let parsed = Alone::try_parse_from(words);
            assert!(parsed.is_ok(), "{verb} --help: {example}: {}", parsed.unwrap_err());
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn verbs_and_options_are_told_of_and_are_there() {
    let pages = pages();
    let commands = pages.iter().flat_map(|page| page.commands.iter().map(|shown| &shown.command));
    let told: Vec<&String> = pages.iter().flat_map(|page| &page.codes).chain(commands).collect();
    let (verbs, options) = verbs_and_options();
    for verb in verbs {
        assert!(told.iter().any(|code| code.starts_with(&verb)), "no page tells of `{verb}`");
    }
    for option in &options {
        let is_told = told.iter().any(|code| code.split([' ', '=', '[']).any(|word| word == option));
        assert!(is_told, "no page tells of {option} in its text");
    }
    // The texts of the rules tell of other programs' options.
    for page in pages.iter().filter(|page| page.path != "xtask/docs/rules.md") {
        for code in page.codes.iter().filter(|code| code.starts_with("--")) {
            let option = code.split([' ', '=', '[']).next().unwrap();
            assert!(option == "--help" || options.contains(option), "{}: there is no option `{code}`", page.path);
        }
    }
}

/// All commands, as they are called, and all long options but `--help`.
fn verbs_and_options() -> (Vec<String>, BTreeSet<String>) {
    let (mut verbs, mut options) = (Vec::new(), BTreeSet::new());
    for (verb, command) in commands() {
        let longs = command.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
        options.extend(longs.filter(|long| *long != "help").map(|long| format!("--{long}")));
        verbs.push(verb);
    }
    (verbs, options)
}

const XTASK: &str = "cargo xtask";

/// Every command that is not hidden, under the words that call it.
fn commands() -> Vec<(String, clap::Command)> {
    let mut all = Vec::new();
    let mut left = vec![(XTASK.to_owned(), Flags::command())];
    while let Some((verb, mut command)) = left.pop() {
        command.build();
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        left.extend(below.map(|below| (format!("{verb} {}", below.get_name()), below.clone())));
        all.push((verb, command));
    }
    all
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

/// Files of this repository that the text names, alone or in a command, by their path from its root.
#[test]
fn files_that_pages_name_are_there() {
    let folders = ["xtask/", "fixtures/", "snapshots/", ".cargo/", ".ci/", ".github/"];
    for page in pages() {
        let words = page.codes.iter().flat_map(|code| code.split(' '));
        for file in words.filter(|word| folders.iter().any(|folder| word.starts_with(folder))) {
            // A pattern has to stand in a folder that is there.
            let path = file.split_once('*').map_or(file, |(path, _)| path.rsplit_once('/').unwrap().0);
            assert!(workspace().join(path).exists(), "{}: there is no {file}", page.path);
        }
    }
}
