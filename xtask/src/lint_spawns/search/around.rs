//! The search for shapes that depend on what is written elsewhere in the text.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;

use super::{Found, unparsable};
use crate::lint_spawns::alias::aliases;
use crate::lint_spawns::command;
use crate::lint_spawns::detect::detect;
use crate::lint_spawns::extended::Finder;
use crate::lint_spawns::needles::Needles;
use crate::lint_spawns::policy::Policy;
use crate::lint_spawns::precise;
use crate::lint_spawns::python::names::{Names, Shelf};
use crate::lint_spawns::python::outline::Outline;
use crate::lint_spawns::python::statement::{self, Statement};
use crate::lint_spawns::python::tree::Tree;
use crate::lint_spawns::rule::{Group, Rule};

/// As often is a text searched for the other names of what was found.
const ROUNDS: usize = 8;

/// Of this name only the argument is looked at.
const SHELL: &str = "shell";

/// Ends of the names of shells, as they stand in lists of words.
const SHELLS: [&str; 14] = [
    "\"sh\"", "'sh'", "/sh\"", "/sh'", "bash\"", "bash'", "dash\"", "dash'", "zsh\"", "zsh'", "ksh\"", "ksh'",
    "fish\"", "fish'",
];

/// Functions whose names are also words that people write.
const PROSE: [&str; 4] = ["fork", "popen", "spawn", "system"];

/// As many bytes before such a name are looked at.
const NEAR: usize = 500;

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
    /// Needles of rules that seek other words.
    pty: Needles,
    starts: Needles,
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
            pty: Needles::new(Rule::PtySpawn.needles().iter().copied())?,
            starts: Needles::new(Rule::ArgvDetacher.needles().iter().copied())?,
            precise: policy.precise,
        })
    }

    /// The shapes in a text by some of these rules and perhaps by others; in no order.
    pub(super) fn find(&self, text: &str, rules: &[Rule], helpers: &[String]) -> Vec<Found> {
        let mentions: Vec<Range<usize>> = self.sought.mentions(text.as_bytes()).collect();
        let words: HashSet<&str> = mentions.iter().map(|mention| &text[mention.clone()]).collect();
        let is_mentioned = |rule: &Rule| rule.sought().iter().any(|word| words.contains(word));
        let has = |needles: &Needles| needles.find_iter(text.as_bytes()).next().is_some();
        let starts = LazyCell::new(|| has(&self.starts));
        let may_matter = |rule: &Rule| match rule {
            Rule::PtySpawn => is_mentioned(rule) && has(&self.pty),
            // Much else runs a list of words.
            Rule::ArgvDetacher | Rule::ShellBackground => *starts,
            _ => is_mentioned(rule),
        };
        let rules: Vec<Rule> = rules.iter().copied().filter(may_matter).collect();
        let mentions = self.that_matter(text, mentions, &rules, helpers);
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

    /// Those of the mentions of words that are worth a look, and those of what runs lists if such a list is there.
    fn that_matter(&self, text: &str, all: Vec<Range<usize>>, rules: &[Rule], helpers: &[String]) -> Vec<Range<usize>> {
        let mut imported: HashMap<&str, bool> = HashMap::new();
        let mut matters = |mention: &Range<usize>| match &text[mention.clone()] {
            // Only the argument does.
            SHELL => {
                let value = text[mention.end..].trim_start().strip_prefix('=');
                value.is_some_and(|value| !value.trim_start().starts_with("False"))
            }
            word if PROSE.contains(&word) => {
                use_of(text, mention) == Use::OfModule
                    || *imported.entry(word).or_insert_with(|| is_imported(text, word, &all))
            }
            _ => true,
        };
        let is_sought = |word: &str| {
            rules.iter().any(|rule| rule.sought().contains(&word)) || helpers.iter().any(|helper| helper == word)
        };
        let is_worth = |mention: &&Range<usize>| is_sought(&text[(*mention).clone()]) && matters(mention);
        let mut mentions: Vec<Range<usize>> = all.iter().filter(is_worth).cloned().collect();
        // A fork that is called once is not the second of two.
        let mut forks = mentions.iter().filter(|mention| &text[(*mention).clone()] == "fork");
        if let (Some(fork), None) = (forks.next().cloned(), forks.next())
            && !rules.contains(&Rule::PtySpawn)
            && text[fork.end..].starts_with('(')
        {
            mentions.retain(|mention| *mention != fork);
        }
        let has_list = |rule: &Rule| match rule {
            Rule::ArgvDetacher => self.has_detacher(text),
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

    /// Whether a list of words may be that of a program which detaches.
    fn has_detacher(&self, text: &str) -> bool {
        // Of `cmd` only, in whatever letters.
        let has_start = LazyCell::new(|| {
            let quoted = |start: &str| ["\"", "'"].map(|quote| [quote, start].concat());
            let all = ["start", "START", "Start"].map(quoted);
            all.as_flattened().iter().any(|start| memmem::find(text.as_bytes(), start.as_bytes()).is_some())
        });
        self.detachers.mentions(text.as_bytes()).any(|mention| {
            let (word, before) = (&text[mention.clone()], &text[..mention.start]);
            // The first thing in a string, or the last in a path.
            let starts = ['"', '\'', '/', '\\'];
            let is_program = word.starts_with(starts) || before.ends_with(starts);
            let name = word.trim_matches(|c: char| !c.is_alphanumeric());
            is_program && name != command::START && (!name.eq_ignore_ascii_case(command::CMD) || *has_start)
        })
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

#[derive(PartialEq, Eq)]
enum Use {
    /// `os.name`, `name(…)`, `getattr(os, "name")`.
    OfModule,
    /// `import name`, or what may be a line of one.
    Import,
    /// Of another thing, or in a sentence.
    Other,
}

/// What the text around a function's name tells of it.
fn use_of(text: &str, mention: &Range<usize>) -> Use {
    let near = mention.start.saturating_sub(NEAR);
    let near = (near..=mention.start).find(|at| text.is_char_boundary(*at)).unwrap_or(mention.start);
    let before = text[near..mention.start].rsplit('\n').next().unwrap_or_default();
    let after = text[mention.end..].trim_start_matches([' ', '\t']);
    let ends_item = after.is_empty() || after.starts_with([',', ')', '\n', '#', ';', '\\']) || after.starts_with("as ");
    let is_quoted = before.ends_with(['"', '\'']);
    let begins = before.trim_end();
    if before.ends_with("platform.") || before.ends_with("self.") {
        Use::Other
    } else if is_quoted && (before.contains("getattr") || begins.len() == 1) {
        Use::OfModule
    } else if is_quoted {
        Use::Other
    } else if after.starts_with('(') || before.ends_with('.') {
        Use::OfModule
    } else if ends_item && (before.contains("import") || begins.is_empty() || begins.ends_with([',', '('])) {
        Use::Import
    } else {
        Use::Other
    }
}

/// Whether a function may be known by its mere name.
fn is_imported(text: &str, word: &str, mentions: &[Range<usize>]) -> bool {
    let imports = |mention: &Range<usize>| text[mention.clone()] == *word && use_of(text, mention) == Use::Import;
    mentions.iter().any(imports) || memmem::find(text.as_bytes(), b"import *").is_some()
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
    let line_at = |offset| Some(outline.line(outline.line_at(offset)?).range.clone());
    Box::new(statement::cut_lines(text, mentions, line_at))
}
