//! Commands that hand the child to a program which detaches it, or to a shell that does.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use rustpython_parser::ast::Expr;

use super::shape;
use super::words::{Words, lists, texts, word};
use crate::lint_spawns::command::{self, Word};
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node, Site};
use crate::lint_spawns::rule::{Rule, Strength};
use crate::lint_spawns::spawn::{self, Command};

/// What detaches in a command, and where that stands.
type Found = (Rule, Strength, Range<usize>);

/// Finds shapes of [`Rule::ArgvDetacher`] and [`Rule::ShellBackground`].
#[derive(Default)]
pub(super) struct Commands {
    /// What was found in commands that have a name, by how they are taken, where they are and the scope that runs them;
    /// with the place of the name.
    known: RefCell<HashMap<Key, Known>>,
}

type Key = (Taken, Range<usize>, Option<usize>);

type Known = (Range<usize>, Vec<Found>);

/// How a command that has a name is taken.
#[derive(PartialEq, Eq, Hash)]
enum Taken {
    List,
    ListOrText,
    Text,
}

impl Commands {
    pub(super) fn detect<'t>(&self, names: &Names<'_>, at: Cursor<'t>) -> Vec<Shape<'t>> {
        let Node::Expr(Expr::Call(call)) = at.node() else { return Vec::new() };
        let Some(command) = spawn::command(names, call, at) else { return Vec::new() };
        let taken = match &command {
            Command::List(site) => Some((Taken::List, site)),
            Command::ListOrText(site) => Some((Taken::ListOrText, site)),
            Command::Text(site) => Some((Taken::Text, site)),
            Command::Words(_) | Command::Unknown => None,
        };
        let named = taken.and_then(|(taken, site)| Some((taken, site.place(), names.value(*site)?.place())));
        let found = match named {
            Some((taken, name, value)) => {
                self.find_once((taken, value, names.scope(at)), name, || find(names, &command))
            }
            None => find(names, &command),
        };
        found.into_iter().map(|(rule, strength, place)| shape(rule, strength, at, place)).collect()
    }

    /// A command may be large, and run again and again. What a constant detaches is found where it is used.
    fn find_once(&self, key: Key, name: Range<usize>, find: impl FnOnce() -> Vec<Found>) -> Vec<Found> {
        if let Some((other, found)) = self.known.borrow().get(&key) {
            let here = |place: &Range<usize>| if place == other { name.clone() } else { place.clone() };
            return found.iter().map(|(rule, strength, place)| (*rule, *strength, here(place))).collect();
        }
        let found = find();
        self.known.borrow_mut().insert(key, (name, found.clone()));
        found
    }
}

fn find(names: &Names<'_>, command: &Command) -> Vec<Found> {
    match command {
        Command::List(site) => of_lists(lists(names, (*site).into())),
        Command::ListOrText(site) => {
            let mut found = of_lists(lists(names, (*site).into()));
            found.extend(of_texts(names, *site));
            found
        }
        Command::Words(sites) => of_lists(vec![of_arguments(names, sites)]),
        Command::Text(site) => {
            let mut found = of_texts(names, *site);
            for list in lists(names, (*site).into()) {
                if let Some((Word::One(text), place)) = list.into_iter().next() {
                    found.extend(command::shell(&text).map(|strength| (Rule::ShellBackground, strength, place)));
                }
            }
            found
        }
        Command::Unknown => Vec::new(),
    }
}

fn of_lists(lists: Vec<Words>) -> Vec<Found> {
    let detached = |list: Words| {
        let (words, places): (Vec<Word>, Vec<Range<usize>>) = list.into_iter().unzip();
        let detached = command::argv(&words)?;
        Some((detached.rule, detached.strength, places.get(detached.word)?.clone()))
    };
    lists.into_iter().filter_map(detached).collect()
}

fn of_texts(names: &Names<'_>, site: Site) -> Vec<Found> {
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
