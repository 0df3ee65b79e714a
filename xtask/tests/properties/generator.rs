//! Writes random Python, and notes the hits in it while it does.
//!
//! Nothing is told in advance: names, strings and values are picked at random, needles among them, and each construct
//! knows of its parts what it needs to tell whether it is a shape (see [`Part`]).

mod calls;
mod expressions;
mod patterns;
mod simple_statements;
mod statements;
mod strings;
mod tokens;

use std::collections::BTreeSet;

use xtask::lint_spawns::rule::Rule;

use super::choices::Choices;
use super::invariants::detector::HELPER;
use super::program::{LogicalLine, Program};

/// Which Python is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// All that any version from 3.8 to 3.14 can read.
    Any,
    /// What the parser reads without help, and tells the right places of.
    Parser,
}

pub(crate) fn program(choices: Choices, dialect: Dialect) -> Program {
    let mut generator = Generator {
        choices,
        dialect,
        lines: Vec::new(),
        depth: 0,
        text: String::new(),
        line: 0,
        hits: BTreeSet::new(),
        brackets: 0,
        placed: false,
        nesting: 0,
    };
    loop {
        generator.statement();
        if generator.choices.are_used_up() {
            break;
        }
    }
    Program { lines: generator.lines }
}

struct Generator<'c> {
    choices: Choices<'c>,
    dialect: Dialect,
    /// Those that are complete.
    lines: Vec<LogicalLine>,
    /// Of blocks.
    depth: usize,
    /// Of the logical line at hand.
    text: String,
    /// How many line breaks are in `text`.
    line: usize,
    /// In `text`.
    hits: BTreeSet<(usize, Rule)>,
    /// How many are open: between them a line may be broken.
    brackets: usize,
    /// Whether the space before the next token is written.
    placed: bool,
    /// Of expressions and patterns.
    nesting: usize,
}

/// An expression that was written.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Where it starts, in lines of the logical line; parentheses around it do not count.
    line: usize,
    kind: Kind,
}

/// What an expression is, as far as shapes depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    /// A literal that is false: also 0.
    False,
    /// The plain name `os`.
    Os,
    /// The name of the detach helper, plain or an attribute.
    Helper,
    /// A string that says the name of a rule's argument.
    Key(Rule),
    Other,
}

impl Generator<'_> {
    fn any_dialect(&self) -> bool {
        self.dialect == Dialect::Any
    }

    /// Notes a hit if an argument or item of that name has that value.
    fn argument(&mut self, rule: Option<Rule>, value: Kind, line: usize) {
        let harmless = match rule {
            Some(Rule::StartNewSession) => matches!(value, Kind::None | Kind::False),
            Some(Rule::ProcessGroup) => value == Kind::None,
            _ => return,
        };
        if let (Some(rule), false) = (rule, harmless) {
            self.hits.insert((line, rule));
        }
    }

    /// Ends the logical line at hand.
    fn end_line(&mut self) {
        assert_eq!(self.brackets, 0, "an open bracket in {:?}", self.text);
        self.lines.push(LogicalLine {
            depth: self.depth,
            text: std::mem::take(&mut self.text),
            hits: std::mem::take(&mut self.hits),
        });
        self.line = 0;
    }
}

/// The rule whose argument has that name.
fn rule_of(name: &str) -> Option<Rule> {
    match name {
        "start_new_session" => Some(Rule::StartNewSession),
        "process_group" => Some(Rule::ProcessGroup),
        _ => None,
    }
}
