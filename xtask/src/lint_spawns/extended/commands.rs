//! Commands that hand the child to a program which detaches it, or to a shell that does.

use std::ops::Range;

use rustpython_parser::ast::Expr;

use super::super::command::{self, Word};
use super::super::detect::Shape;
use super::super::python::fold;
use super::super::python::names::Names;
use super::super::python::tree::{Cursor, Node, Site};
use super::super::rule::{Rule, Strength};
use super::super::spawn::{self, Command};
use super::shape;
use super::words::{Words, lists, texts, word};

/// Shapes of [`Rule::ArgvDetacher`] and [`Rule::ShellBackground`].
pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Vec<Shape<'t>> {
    let Node::Expr(Expr::Call(call)) = at.node() else { return Vec::new() };
    let found = match spawn::command(names, call, at) {
        Some(Command::List(site)) => of_lists(lists(names, site.into())),
        Some(Command::ListOrText(site)) => {
            let mut found = of_lists(lists(names, site.into()));
            found.extend(of_texts(names, site));
            found
        }
        Some(Command::Words(sites)) => of_lists(vec![of_arguments(names, &sites)]),
        Some(Command::Text(site)) => {
            let mut found = of_texts(names, site);
            for list in lists(names, site.into()) {
                if let Some((Word::One(text), place)) = list.into_iter().next() {
                    found.extend(command::shell(&text).map(|strength| (Rule::ShellBackground, strength, place)));
                }
            }
            found
        }
        Some(Command::Unknown) | None => Vec::new(),
    };
    found.into_iter().map(|(rule, strength, place)| shape(rule, strength, at, place)).collect()
}

fn of_lists(lists: Vec<Words>) -> Vec<(Rule, Strength, Range<usize>)> {
    let detached = |list: Words| {
        let (words, places): (Vec<Word>, Vec<Range<usize>>) = list.into_iter().unzip();
        let detached = command::argv(&words)?;
        Some((detached.rule, detached.strength, places.get(detached.word)?.clone()))
    };
    lists.into_iter().filter_map(detached).collect()
}

fn of_texts(names: &Names<'_>, site: Site) -> Vec<(Rule, Strength, Range<usize>)> {
    let detached = |(text, place): (String, _)| Some((Rule::ShellBackground, command::shell(&text)?, place));
    texts(names, site.into()).into_iter().filter_map(detached).collect()
}

/// The words that are given as arguments of their own.
fn of_arguments(names: &Names<'_>, sites: &[Site]) -> Words {
    let mut words = Words::new();
    for site in sites {
        match site.expr {
            Expr::Starred(starred) => {
                let inner = lists(names, site.with(&starred.value).into()).into_iter().next();
                words.extend(inner.unwrap_or_else(|| vec![(Word::Many, site.place())]));
            }
            _ => words.push(word(names, fold::Arm::from(*site))),
        }
    }
    words
}
