//! Finds the shapes in one text: narrow, parse, detect.

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, Input, MatchKind, Span};
use rustpython_parser::{Parse as _, ast};

use super::alias::aliases;
use super::detect::{Shape, detect};
use super::lexer::continues_name;
use super::names::{self, Names, Shelf};
use super::policy::Policy;
use super::rule::{Group, Rule, Strength};
use super::statement::{self, Statement};
use super::tree::Tree;
use super::{command, extended, precise};

/// As often is a text searched for the other names of what was found.
const ROUNDS: usize = 8;

/// A shape in the whole text.
#[derive(Debug)]
pub struct Found {
    /// In bytes.
    pub range: Range<usize>,
    pub rule: Rule,
    /// That of what cannot be parsed is not known.
    pub strength: Option<Strength>,
    /// It starts no process, as far as can be told.
    pub dropped: bool,
}

/// All that is needed to search a text.
#[derive(Debug)]
pub struct Search<'p> {
    needles: Needles,
    /// None if each shape can be told from its statement alone.
    around: Option<Around>,
    helpers: &'p [String],
    rules: &'p [Rule],
    precise: bool,
}

/// What is looked for in a text with a needle.
#[derive(Debug)]
struct Around {
    /// The names whose statements are looked at.
    sought: Needles,
    /// Parts of the lists of words that detach.
    detachers: Needles,
    /// Ends of the names of shells.
    shells: Needles,
}

impl Around {
    fn new(policy: &Policy) -> anyhow::Result<Around> {
        let rules = policy.rules.iter().chain(&[Rule::ArgvDetacher]);
        let words = rules.flat_map(|rule| rule.sought()).copied();
        let detachers = command::PROGRAMS.iter().flat_map(|program| [program.to_uppercase(), (*program).to_owned()]);
        let detachers: Vec<String> = detachers.collect();
        Ok(Around {
            sought: Needles::new(words.chain(policy.helpers().iter().map(String::as_str)))?,
            detachers: Needles::new(detachers.iter().map(String::as_str))?,
            shells: Needles::new(["sh\"", "sh'"].into_iter())?,
        })
    }
}

impl<'p> Search<'p> {
    pub fn new(policy: &'p Policy) -> anyhow::Result<Search<'p>> {
        let looks_around = policy.precise || policy.rules.iter().any(|rule| rule.group() == Group::Extended);
        Ok(Search {
            needles: Needles::new(policy.needles())?,
            around: looks_around.then(|| Around::new(policy)).transpose()?,
            helpers: policy.helpers(),
            rules: &policy.rules,
            precise: policy.precise,
        })
    }

    /// Where a needle stands as a whole word.
    pub fn mentions(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        self.needles.mentions(text)
    }

    /// The shapes in a text, in order of where they start.
    pub fn find(&self, text: &str) -> Vec<Found> {
        let needles: Vec<Range<usize>> = self.mentions(text.as_bytes()).collect();
        let mut found: Vec<Found> = match &self.around {
            None => statement::cut(text, &needles).flat_map(|statement| self.find_in(&statement)).collect(),
            Some(around) => self.find_by_names(text, &needles, around),
        };
        found.retain(|found| self.rules.contains(&found.rule));
        found.sort_by_key(|found| (found.range.start, found.rule));
        found
    }

    /// The shapes in a statement that can be told from it alone.
    fn find_in(&self, statement: &Statement) -> Vec<Found> {
        let Some(suites) = parse(statement) else {
            return statement.mentions.iter().map(|mention| unparsable(statement, mention)).collect();
        };
        let mut found = Vec::new();
        for (suite, shift) in &suites {
            let tree = Tree::new(suite, statement.start, *shift);
            found.extend(detect(&tree, self.helpers).into_iter().map(|shape| Found::new(shape, false)));
        }
        found
    }

    /// The shapes in a text that are told by what its names mean.
    fn find_by_names(&self, text: &str, needles: &[Range<usize>], around: &Around) -> Vec<Found> {
        let mentioned: HashSet<&str> = needles.iter().map(|needle| &text[needle.clone()]).collect();
        let is_mentioned = |rule: &Rule| rule.needles().iter().any(|needle| mentioned.contains(needle));
        let rules: Vec<Rule> = self.rules.iter().copied().filter(is_mentioned).collect();
        // The calls that take a list of words are many, and few of these lists matter.
        let has_list = |rule: &Rule| match rule {
            Rule::ArgvDetacher => around.detachers.mentions(text.as_bytes()).any(|mention| {
                // The first thing in a string, or the last in a path.
                text[..mention.start].ends_with(['"', '\'', '/', '\\'])
            }),
            Rule::ShellBackground => around.shells.find_iter(text.as_bytes()).next().is_some(),
            _ => false,
        };
        let lists = if rules.iter().any(has_list) { Rule::ArgvDetacher.sought() } else { &[] };
        let others = rules.iter().filter(|rule| **rule != Rule::ArgvDetacher).flat_map(|rule| rule.sought());
        // Words that are nothing unusual where they cannot be parsed.
        let usual = |rule: &Rule| matches!(rule, Rule::ArgvDetacher | Rule::ShellBackground);
        let unusual: HashSet<&str> =
            rules.iter().filter(|rule| !usual(rule)).flat_map(|rule| rule.needles()).copied().collect();
        let helpers = self.helpers.iter().map(String::as_str);

        let shelf = Shelf::default();
        let names = Names::new(text, &shelf);
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut known: HashSet<String> =
            lists.iter().chain(others).copied().chain(helpers).map(str::to_owned).collect();
        let mut mentions: Vec<Range<usize>> =
            around.sought.mentions(text.as_bytes()).filter(|mention| known.contains(&text[mention.clone()])).collect();
        for _ in 0..ROUNDS {
            if mentions.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for statement in statement::cut(text, &mentions) {
                if !seen.insert(statement.start) {
                    continue;
                }
                let Some(suites) = parse(&statement) else {
                    let matters = |mention: &&Range<usize>| {
                        let word = &statement.text[(*mention).clone()];
                        unusual.contains(word) || self.helpers.iter().any(|helper| helper == word)
                    };
                    let mentions = statement.mentions.iter().filter(matters);
                    found.extend(mentions.map(|mention| unparsable(&statement, mention)));
                    continue;
                };
                for (suite, shift) in &suites {
                    let tree = Tree::new(suite, statement.start, *shift);
                    let mut shapes = detect(&tree, self.helpers);
                    shapes.extend(extended::detect(&names, &tree, &rules));
                    found.extend(shapes.into_iter().map(|shape| {
                        let dropped = self.precise && precise::starts_nothing(&names, &shape);
                        Found::new(shape, dropped)
                    }));
                    next.extend(aliases(&tree, |name| known.contains(name)));
                }
            }
            next.retain(|name| known.insert(name.clone()));
            mentions = next.iter().flat_map(|name| names::mentions(text, name)).collect();
            mentions.sort_unstable_by_key(|mention| mention.start);
        }
        found
    }
}

impl Found {
    fn new(shape: Shape, dropped: bool) -> Found {
        Found { range: shape.range, rule: shape.rule, strength: Some(shape.strength), dropped }
    }
}

fn unparsable(statement: &Statement, mention: &Range<usize>) -> Found {
    Found {
        range: statement.start + mention.start..statement.start + mention.end,
        rule: Rule::Unparsable,
        strength: None,
        dropped: false,
    }
}

/// The syntax trees of a statement, each with how many bytes come before it in what was parsed. None if there is no way
/// to read it.
pub fn parse(statement: &Statement) -> Option<Vec<(ast::Suite, usize)>> {
    statement.readings().find_map(|modules| {
        modules.into_iter().map(|module| Some((ast::Suite::parse(&module.source, "").ok()?, module.shift))).collect()
    })
}

/// Looks for all needles at once; of two at one place for the longer.
#[derive(Debug)]
enum Needles {
    /// By vector instructions, which tell most places from a needle by four bytes at a time.
    Packed(Searcher),
    /// For processors without them, and for very many needles.
    Automaton(AhoCorasick),
}

impl Needles {
    fn new<'a>(words: impl Iterator<Item = &'a str>) -> anyhow::Result<Needles> {
        let words: Vec<&str> = words.collect();
        let packed =
            packed::Config::new().match_kind(packed::MatchKind::LeftmostLongest).builder().extend(&words).build();
        if let Some(packed) = packed {
            return Ok(Needles::Packed(packed));
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&words)?;
        Ok(Needles::Automaton(automaton))
    }

    /// Where one stands as a whole word.
    fn mentions(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let is_name = |at: Option<usize>| {
            at.and_then(|at| text.get(at)).is_some_and(|&byte: &u8| byte.is_ascii() && continues_name(byte))
        };
        self.find_iter(text).filter(move |range| {
            let starts_inside = is_name(Some(range.start)) && is_name(range.start.checked_sub(1));
            let ends_inside = is_name(range.end.checked_sub(1)) && is_name(Some(range.end));
            !starts_inside && !ends_inside
        })
    }

    fn find_iter(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let mut rest = Span::from(0..text.len());
        std::iter::from_fn(move || {
            let found = match self {
                Needles::Packed(searcher) => searcher.find_in(text, rest),
                Needles::Automaton(automaton) => automaton.find(Input::new(text).span(rest)),
            }?;
            rest.start = found.end();
            Some(found.range())
        })
    }
}
