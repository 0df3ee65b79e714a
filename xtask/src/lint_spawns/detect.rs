//! Finds the shapes of the default rules in a syntax tree.

use std::ops::Range;

use rustpython_parser::ast::{Constant, Expr, Stmt, bigint::BigInt};

use super::rule::{Rule, Strength};
use super::tree::{Node, Tree};

/// A shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub rule: Rule,
    pub strength: Option<Strength>,
    /// What makes it one, in bytes of the whole text. The line of its hit is where it starts.
    pub range: Range<usize>,
}

/// The shapes in `tree`, in no order. `helpers` are the functions whose call detaches.
pub fn detect(tree: &Tree, helpers: &[String]) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut found = |(rule, strength), place: &Expr| {
        shapes.push(Shape { rule, strength: Some(strength), range: tree.place(place) });
    };
    for cursor in tree.cursors() {
        match cursor.node() {
            Node::Stmt(Stmt::Assign(assign)) => {
                for target in &assign.targets {
                    if let Expr::Subscript(subscript) = target
                        && let Some(detaching) = item(&subscript.slice, &assign.value)
                    {
                        found(detaching, target);
                    }
                }
            }
            Node::Expr(Expr::Dict(dict)) => {
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    if let Some(key) = key
                        && let Some(detaching) = item(key, value)
                    {
                        found(detaching, key);
                    }
                }
            }
            Node::Expr(expr @ Expr::Call(call)) => {
                let name = match &*call.func {
                    Expr::Name(name) => Some(name.id.as_str()),
                    Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
                    _ => None,
                };
                if name.is_some_and(|name| helpers.iter().any(|helper| helper == name)) {
                    found((Rule::DetachHelper, Strength::Session), expr);
                }
            }
            Node::Expr(expr @ Expr::Attribute(attribute))
                if Rule::OsSetsid.needles().contains(&attribute.attr.as_str())
                    && matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "os") =>
            {
                let strength = if attribute.attr.as_str() == "setsid" { Strength::Session } else { Strength::Group };
                found((Rule::OsSetsid, strength), expr);
            }
            Node::Keyword(keyword) => {
                if let Some(detaching) = keyword.arg.as_deref().and_then(|name| detaching(name, &keyword.value)) {
                    found(detaching, &keyword.value);
                }
            }
            _ => {}
        }
    }
    shapes
}

/// The rule by which an item of a dict detaches, and how far.
fn item(key: &Expr, value: &Expr) -> Option<(Rule, Strength)> {
    match key {
        Expr::Constant(constant) => detaching(constant.value.as_str()?, value),
        _ => None,
    }
}

/// The rule by which the Popen argument `name` with this value detaches, and how far.
fn detaching(name: &str, value: &Expr) -> Option<(Rule, Strength)> {
    let literal = value.as_constant_expr().map(|constant| &constant.value);
    match name {
        "start_new_session" => (!literal.is_some_and(is_false)).then_some((Rule::StartNewSession, Strength::Session)),
        "process_group" => (!matches!(literal, Some(Constant::None))).then_some((Rule::ProcessGroup, Strength::Group)),
        _ => None,
    }
}

fn is_false(literal: &Constant) -> bool {
    match literal {
        Constant::None | Constant::Bool(false) => true,
        Constant::Int(int) => *int == BigInt::from(0),
        Constant::Float(float) => *float == 0.0,
        Constant::Complex { real, imag } => *real == 0.0 && *imag == 0.0,
        Constant::Bool(true) | Constant::Str(_) | Constant::Bytes(_) | Constant::Tuple(_) | Constant::Ellipsis => false,
    }
}
