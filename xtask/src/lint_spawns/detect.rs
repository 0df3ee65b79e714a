//! Finds the shapes of the default rules in a syntax tree. Each is told from what is written at its place alone.

use std::ops::Range;

use rustpython_parser::ast::{Expr, Stmt};

use super::argument::Argument;
use super::python::tree::{Cursor, Node, Tree, text_of};
use super::rule::{Rule, Strength};

/// A shape.
#[derive(Debug, Clone)]
pub struct Shape<'t> {
    pub rule: Rule,
    pub strength: Strength,
    /// What makes it one, in bytes of the whole text. The line of its hit is where it starts.
    pub range: Range<usize>,
    /// The node it was found at.
    pub at: Cursor<'t>,
    /// The Popen argument that is set, and to what.
    pub argument: Option<(Argument, &'t Expr)>,
}

/// The shapes in `tree`, in no order. `helpers` are the functions whose call detaches.
pub fn detect<'t>(tree: &'t Tree<'t>, helpers: &[String]) -> Vec<Shape<'t>> {
    let mut shapes = Vec::new();
    for at in tree.cursors() {
        let argument = |name: &str, value: &'t Expr, place: &'t Expr| {
            let argument = Argument::named(name).filter(|argument| !argument.is_off(value))?;
            Some(Shape {
                rule: argument.rule(),
                strength: argument.strength(),
                range: tree.place(place),
                at,
                argument: Some((argument, value)),
            })
        };
        match at.node() {
            Node::Stmt(Stmt::Assign(assign)) => {
                shapes.extend(assign.targets.iter().filter_map(|target| {
                    argument(text_of(&target.as_subscript_expr()?.slice)?, &assign.value, target)
                }));
            }
            Node::Expr(Expr::Dict(dict)) => {
                let items = dict.keys.iter().zip(&dict.values);
                shapes.extend(items.filter_map(|(key, value)| argument(text_of(key.as_ref()?)?, value, key.as_ref()?)));
            }
            Node::Expr(expr @ Expr::Call(call)) => {
                let name = match &*call.func {
                    Expr::Name(name) => Some(name.id.as_str()),
                    Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
                    _ => None,
                };
                if name.is_some_and(|name| helpers.iter().any(|helper| helper == name)) {
                    let (rule, strength) = (Rule::DetachHelper, Strength::Session);
                    shapes.push(Shape { rule, strength, range: tree.place(expr), at, argument: None });
                }
            }
            Node::Expr(expr @ Expr::Attribute(attribute)) => {
                if let Some(strength) = strength_of(&attribute.attr)
                    && matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "os")
                {
                    let rule = Rule::OsSetsid;
                    shapes.push(Shape { rule, strength, range: tree.place(expr), at, argument: None });
                }
            }
            Node::Keyword(keyword) => {
                shapes.extend(keyword.arg.as_deref().and_then(|name| argument(name, &keyword.value, &keyword.value)));
            }
            _ => {}
        }
    }
    shapes
}

/// How far the function of `os` with this name takes the process that calls it. None for all but three.
pub fn strength_of(function: &str) -> Option<Strength> {
    match function {
        "setsid" => Some(Strength::Session),
        "setpgid" | "setpgrp" => Some(Strength::Group),
        _ => None,
    }
}
