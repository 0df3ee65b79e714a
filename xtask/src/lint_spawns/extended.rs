//! Finds the shapes of the extended rules. What they are written with may be bound anywhere in the text, so they ask
//! [`Names`].

mod commands;
mod creation_flags;
mod daemon_library;
mod default_detaches;
mod double_fork;
mod kwargs_item;
mod os_spawn;
mod pty_spawn;
mod setsid_alias;
mod words;

use std::ops::Range;

use rustpython_parser::ast::Expr;

use super::detect::Shape;
use super::python::names::Names;
use super::python::tree::{Cursor, Site, Tree, text_of};
use super::rule::{Rule, Strength};
use commands::Commands;
use double_fork::Children;

/// Looks for shapes in one text.
pub struct Finder<'n, 'a> {
    names: &'n Names<'a>,
    rules: &'n [Rule],
    commands: Commands,
    children: Children,
}

impl<'n, 'a> Finder<'n, 'a> {
    /// By those of `rules` that are extended ones.
    pub fn new(names: &'n Names<'a>, rules: &'n [Rule]) -> Finder<'n, 'a> {
        Finder { names, rules, commands: Commands::default(), children: Children::default() }
    }

    /// The shapes in a tree by these rules, and perhaps more, in no order.
    pub fn find<'t>(&self, tree: &'t Tree<'t>) -> Vec<Shape<'t>> {
        let names = self.names;
        let mut shapes = Vec::new();
        for at in tree.cursors() {
            for rule in self.rules {
                names.begin();
                match rule {
                    Rule::SetsidAlias => shapes.extend(setsid_alias::detect(names, at)),
                    Rule::KwargsItem => shapes.extend(kwargs_item::detect(names, at)),
                    Rule::OsSpawn => shapes.extend(os_spawn::detect(names, at)),
                    Rule::PtySpawn => shapes.extend(pty_spawn::detect(names, at)),
                    Rule::WindowsCreationflags => shapes.extend(creation_flags::detect(names, at)),
                    // What finds those of one of these finds those of the other.
                    Rule::ArgvDetacher if self.rules.contains(&Rule::ShellBackground) => {}
                    Rule::ArgvDetacher | Rule::ShellBackground => shapes.extend(self.commands.detect(names, at)),
                    Rule::DaemonLibrary => shapes.extend(daemon_library::detect(names, at)),
                    Rule::DefaultDetaches => shapes.extend(default_detaches::detect(names, at)),
                    Rule::DoubleFork => shapes.extend(self.children.detect(names, at)),
                    Rule::StartNewSession
                    | Rule::ProcessGroup
                    | Rule::OsSetsid
                    | Rule::DetachHelper
                    | Rule::Unparsable => {}
                }
            }
        }
        shapes
    }
}

fn shape(rule: Rule, strength: Strength, at: Cursor<'_>, range: Range<usize>) -> Shape<'_> {
    Shape { rule, strength, range, at, argument: None }
}

/// What a text says: a literal, or what was assigned, once, to a name.
fn text_at<'t, 'a: 't>(names: &Names<'a>, site: Site<'t>) -> Option<&'t str> {
    match text_of(site.expr) {
        Some(text) => Some(text),
        None => text_of(names.value(site)?.expr),
    }
}

/// Where the last name of a function's path stands, in the whole text: that of `spawn` in `pty.spawn`.
fn last_name(at: Cursor, expr: &Expr) -> Range<usize> {
    let range = at.tree().place(expr);
    match expr {
        Expr::Attribute(attribute) => range.end - attribute.attr.len()..range.end,
        Expr::Call(call) => match call.args.as_slice() {
            // `getattr(os, "setsid")`
            [_, name, ..] => at.tree().place(name),
            _ => range,
        },
        _ => range,
    }
}
