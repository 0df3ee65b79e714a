//! The search for shapes that depend on what is written elsewhere in the text.

use std::collections::HashSet;
use std::ops::Range;

use super::super::alias::aliases;
use super::super::command;
use super::super::detect::detect;
use super::super::extended::Finder;
use super::super::needles::Needles;
use super::super::policy::Policy;
use super::super::precise;
use super::super::python::names::{Names, Shelf};
use super::super::python::outline::Outline;
use super::super::python::statement::{self, Statement};
use super::super::python::tree::Tree;
use super::super::rule::{Group, Rule};
use super::{Found, unparsable};

/// As often is a text searched for the other names of what was found.
const ROUNDS: usize = 8;

/// Of this name only the argument is looked at.
const SHELL: &str = "shell";

/// As much of a line is looked at, in bytes.
const WIDEST: usize = 200;

/// A fork alone is none of a rule's.
const FORK: &str = "fork";

/// Ends of the names of shells, as they stand in lists of words.
const SHELLS: [&str; 14] = [
    "\"sh\"", "'sh'", "/sh\"", "/sh'", "bash\"", "bash'", "dash\"", "dash'", "zsh\"", "zsh'", "ksh\"", "ksh'",
    "fish\"", "fish'",
];

/// What is looked for in a text with a needle.
#[derive(Debug)]
pub(super) struct Around {
    /// The names whose statements are looked at, but for those of functions that take a list of words.
    sought: Needles,
    /// Those of these functions. They are many, and few of the lists matter.
    takes_list: Needles,
    /// What is in the lists that matter.
    detachers: Needles,
    shells: Needles,
    precise: bool,
}

impl Around {
    pub(super) fn new(policy: &Policy) -> anyhow::Result<Around> {
        let rules = policy.rules.iter().filter(|rule| **rule != Rule::ArgvDetacher);
        let words = rules.flat_map(|rule| rule.sought()).copied();
        let detachers: Vec<String> = command::PROGRAMS.iter().flat_map(|program| in_list(program)).collect();
        Ok(Around {
            sought: Needles::new(words.chain(policy.helpers().iter().map(String::as_str)))?,
            takes_list: Needles::new(Rule::ArgvDetacher.sought().iter().copied())?,
            detachers: Needles::new(detachers.iter().map(String::as_str))?,
            shells: Needles::new(SHELLS.into_iter())?,
            precise: policy.precise,
        })
    }

    /// The shapes in a text with these needles, by some of these rules and perhaps by others; in no order.
    pub(super) fn find(&self, text: &str, needles: &HashSet<&str>, rules: &[Rule], helpers: &[String]) -> Vec<Found> {
        let is_mentioned = |rule: &Rule| rule.needles().iter().any(|needle| needles.contains(needle));
        let rules: Vec<Rule> = rules.iter().copied().filter(is_mentioned).collect();
        let mentions = self.mentions(text, &rules, helpers);
        if mentions.is_empty() {
            return Vec::new();
        }
        let shelf = Shelf::default();
        let names = Names::new(text, &shelf);
        let finder = Finder::new(&names, &rules);
        let (found, precise) = (Vec::new(), self.precise);
        let mut round = Round { names: &names, finder, rules: &rules, helpers, precise, found };
        let mut parts = &[Part::Plain, Part::Extended][..];
        if names.outline().is_endless() {
            // Where statements begin and end is a guess, which must not depend on what else is looked for.
            let is_plain = |mention: &&Range<usize>| is_plain(&rules, helpers, &text[(*mention).clone()]);
            let plain: Vec<Range<usize>> = mentions.iter().filter(is_plain).cloned().collect();
            for statement in statement::cut(text, &plain) {
                round.find(&statement, &[Part::Plain], &HashSet::new());
            }
            parts = &[Part::Extended];
        }
        round.find_all(mentions, parts);
        round.found
    }

    /// Where there is something to look at, in order.
    fn mentions(&self, text: &str, rules: &[Rule], helpers: &[String]) -> Vec<Range<usize>> {
        let is_sought = |mention: &Range<usize>| {
            let word = &text[mention.clone()];
            let says_nothing = || says_nothing(text.as_bytes(), mention);
            is_plain(rules, helpers, word)
                || (rules.iter().any(|rule| rule.sought().contains(&word)) && !says_nothing())
        };
        let mut mentions: Vec<Range<usize>> = self.sought.mentions(text.as_bytes()).filter(is_sought).collect();
        // It takes two.
        let is_fork = |mention: &Range<usize>| &text[mention.clone()] == FORK;
        let forks = mentions.iter().filter(|mention| is_fork(mention)).count();
        if forks == 1 && !rules.contains(&Rule::PtySpawn) && !text.contains("fork as ") {
            mentions.retain(|mention| !is_fork(mention));
        }
        let has_list = |rule: &Rule| match rule {
            Rule::ArgvDetacher => self.detachers.mentions(text.as_bytes()).any(|mention| {
                // The first thing in a string, or the last in a path.
                let starts = ['"', '\'', '/', '\\'];
                text[mention.start..].starts_with(starts) || text[..mention.start].ends_with(starts)
            }),
            Rule::ShellBackground => self.shells.find_iter(text.as_bytes()).next().is_some(),
            _ => false,
        };
        if rules.iter().any(has_list) {
            mentions.extend(self.takes_list.mentions(text.as_bytes()));
            mentions.sort_unstable_by_key(|mention| mention.start);
            mentions.dedup();
        }
        mentions
    }
}

/// What is found together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The shapes of the default rules.
    Plain,
    /// All others.
    Extended,
}

/// The search through one text.
struct Round<'n, 'a> {
    names: &'n Names<'a>,
    finder: Finder<'n, 'a>,
    rules: &'n [Rule],
    helpers: &'n [String],
    precise: bool,
    found: Vec<Found>,
}

impl Round<'_, '_> {
    /// Finds what the statements hold that mention something, or another name that the text gives to it.
    fn find_all(&mut self, mut mentions: Vec<Range<usize>>, parts: &[Part]) {
        let text = self.names.text();
        // Of the functions that take a list of words, too: `partial` may ask one for a shell.
        let sought = self.rules.iter().flat_map(|rule| rule.sought()).chain(Rule::ArgvDetacher.sought());
        let mut known: HashSet<String> =
            sought.copied().chain(self.helpers.iter().map(String::as_str)).map(str::to_owned).collect();
        let mut searched: HashSet<String> = mentions.iter().map(|mention| text[mention.clone()].to_owned()).collect();
        searched.remove(SHELL);
        let mut seen = HashSet::new();
        for _ in 0..ROUNDS {
            if mentions.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for statement in cut(text, self.names.outline(), &mentions) {
                if seen.insert(statement.start) {
                    next.extend(self.find(&statement, parts, &known));
                }
            }
            known.extend(next.iter().cloned());
            next.retain(|name| searched.insert(name.clone()));
            mentions = next.iter().flat_map(|name| self.names.mentions(name)).collect();
            mentions.sort_unstable_by_key(|mention| mention.start);
        }
    }

    /// Finds what a statement holds. Returns the other names that it gives to what is known.
    fn find(&mut self, statement: &Statement, parts: &[Part], known: &HashSet<String>) -> Vec<String> {
        let part_of = |mention: &Range<usize>| {
            let word = &statement.text[mention.clone()];
            if is_plain(self.rules, self.helpers, word) {
                Some(Part::Plain)
            } else {
                self.is_certain(word).then_some(Part::Extended)
            }
        };
        let Some(suites) = statement.parse() else {
            let is_wanted = |mention: &&Range<usize>| part_of(mention).is_some_and(|part| parts.contains(&part));
            let mentions: Vec<&Range<usize>> = statement.mentions.iter().filter(is_wanted).collect();
            self.found.extend(mentions.into_iter().map(|mention| unparsable(statement, mention)));
            return Vec::new();
        };
        let is_plain = parts.contains(&Part::Plain)
            && statement.mentions.iter().any(|mention| part_of(mention) == Some(Part::Plain));
        let mut names = Vec::new();
        for (suite, shift) in &suites {
            let tree = Tree::new(suite, statement.start, *shift);
            let mut shapes = if is_plain { detect(&tree, self.helpers) } else { Vec::new() };
            if parts.contains(&Part::Extended) {
                shapes.extend(self.finder.find(&tree));
                names.extend(aliases(&tree, |name| known.contains(name)));
            }
            self.found.extend(shapes.into_iter().map(|shape| {
                let dropped = self.precise && precise::starts_nothing(self.names, &shape);
                Found::new(shape, dropped)
            }));
        }
        names
    }

    /// Whether a word of the other rules says something where a statement cannot be parsed. Most are said of much else.
    fn is_certain(&self, word: &str) -> bool {
        let is_certain = |rule: &&Rule| {
            !matches!(rule, Rule::ArgvDetacher | Rule::ShellBackground | Rule::PtySpawn | Rule::DoubleFork)
        };
        self.rules.iter().filter(is_certain).any(|rule| rule.sought().contains(&word))
    }
}

/// Whether a default rule looks for a word.
fn is_plain(rules: &[Rule], helpers: &[String], word: &str) -> bool {
    let mut plain = rules.iter().filter(|rule| rule.group() == Group::Default);
    plain.any(|rule| rule.needles().contains(&word)) || helpers.iter().any(|helper| helper == word)
}

/// Whether what is around a mention tells that it is not worth a look: in a line that is a comment, at least near its
/// start, or a name of which only one use is looked at.
fn says_nothing(text: &[u8], mention: &Range<usize>) -> bool {
    let before = &text[mention.start.saturating_sub(WIDEST)..mention.start];
    let line = memchr::memrchr(b'\n', before).map(|line_break| &before[line_break + 1..]);
    if line.is_some_and(|line| line.trim_ascii_start().starts_with(b"#")) {
        return true;
    }
    let after = text[mention.end..].trim_ascii_start();
    match &text[mention.clone()] {
        word if word == SHELL.as_bytes() => match after.strip_prefix(b"=") {
            Some(value) => value.trim_ascii_start().starts_with(b"False"),
            None => true,
        },
        b"system" => before.ends_with(b"platform."),
        _ => false,
    }
}

/// How a program is written in a list of words. A short name is part of too many others to be looked for alone.
fn in_list(program: &str) -> Vec<String> {
    let upper = program.to_uppercase();
    match program.len() {
        0..3 => ["\"\"", "''", "/\"", "/'"].map(|around| [&around[..1], program, &around[1..]].concat()).to_vec(),
        3 => [program, &upper]
            .into_iter()
            .flat_map(|name| ["\"", "'", "."].map(|after| format!("{name}{after}")))
            .collect(),
        _ => vec![program.to_owned()],
    }
}

/// The statements that mention something.
fn cut<'t>(
    text: &'t str,
    outline: &'t Outline,
    mentions: &'t [Range<usize>],
) -> Box<dyn Iterator<Item = Statement<'t>> + 't> {
    if outline.is_endless() {
        return Box::new(statement::cut(text, mentions));
    }
    let lines = outline.lines().iter().map(|line| line.range.clone());
    Box::new(statement::cut_lines(text, mentions, lines))
}
