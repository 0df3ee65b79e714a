//! Finds the shapes in one text: narrow, parse, detect.

mod around;

use std::ops::Range;

use around::Around;

use super::detect::{Shape, detect};
use super::needles::Needles;
use super::policy::Policy;
use super::python::statement::{self, Statement};
use super::python::tree::Tree;
use super::rule::{Group, Rule, Strength};

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
    /// None if each shape can be told from its statement alone. A needle must then be a whole word.
    around: Option<Around>,
    helpers: &'p [String],
    rules: &'p [Rule],
}

impl<'p> Search<'p> {
    pub fn new(policy: &'p Policy) -> anyhow::Result<Search<'p>> {
        let looks_around = policy.precise || policy.rules.iter().any(|rule| rule.group() == Group::Extended);
        Ok(Search {
            needles: Needles::new(policy.needles())?,
            around: looks_around.then(|| Around::new(policy)).transpose()?,
            helpers: policy.helpers(),
            rules: &policy.rules,
        })
    }

    /// Whether a text may have a shape. That it has none is certain.
    pub fn may_find(&self, text: &[u8]) -> bool {
        match self.around {
            None => self.needles.mentions(text).next().is_some(),
            Some(_) => self.needles.find_iter(text).next().is_some(),
        }
    }

    /// How many needles there are in a text.
    pub fn count(&self, text: &[u8]) -> usize {
        self.needles.mentions(text).count()
    }

    /// The shapes in a text, in order of where they start.
    pub fn find(&self, text: &str) -> Vec<Found> {
        let mut found: Vec<Found> = match &self.around {
            None => {
                let needles: Vec<Range<usize>> = self.needles.mentions(text.as_bytes()).collect();
                statement::cut(text, &needles).flat_map(|statement| self.find_in(&statement)).collect()
            }
            Some(around) => around.find(text, self.rules, self.helpers),
        };
        found.retain(|found| self.rules.contains(&found.rule));
        found.sort_by_key(|found| (found.range.start, found.rule));
        found
    }

    /// The shapes in a statement that can be told from it alone.
    fn find_in(&self, statement: &Statement) -> Vec<Found> {
        let Some(suites) = statement.parse() else {
            return statement.mentions.iter().map(|mention| unparsable(statement, mention)).collect();
        };
        let mut found = Vec::new();
        for (suite, shift) in &suites {
            let tree = Tree::new(suite, statement.start, *shift);
            found.extend(detect(&tree, self.helpers).into_iter().map(|shape| Found::new(shape, false)));
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
