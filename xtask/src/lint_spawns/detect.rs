//! Finds the shapes of the default rules in a syntax tree.

use std::ops::Range;

use rustpython_parser::ast::{Constant, Expr, Stmt, bigint::BigInt};

use super::rule::Rule;
use super::tree::{Node, Tree};

/// A shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub rule: Rule,
    /// What makes it one, in bytes of the whole text. The line of its hit is where it starts.
    pub range: Range<usize>,
}

/// The shapes in `tree`, in no order. `helpers` are the functions whose call detaches.
pub fn detect(tree: &Tree, helpers: &[String]) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut found = |rule, place: &Expr| shapes.push(Shape { rule, range: tree.place(place) });
    for cursor in tree.cursors() {
        match cursor.node() {
            Node::Stmt(Stmt::Assign(assign)) => {
                for target in &assign.targets {
                    if let Expr::Subscript(subscript) = target
                        && let Some(rule) = item(&subscript.slice, &assign.value)
                    {
                        found(rule, target);
                    }
                }
            }
            Node::Expr(Expr::Dict(dict)) => {
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    if let Some(key) = key
                        && let Some(rule) = item(key, value)
                    {
                        found(rule, key);
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
                    found(Rule::DetachHelper, expr);
                }
            }
            Node::Expr(expr @ Expr::Attribute(attribute))
                if Rule::OsSetsid.needles().contains(&attribute.attr.as_str())
                    && matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "os") =>
            {
                found(Rule::OsSetsid, expr);
            }
            Node::Keyword(keyword) => {
                if let Some(rule) = keyword.arg.as_deref().and_then(|name| detaching(name, &keyword.value)) {
                    found(rule, &keyword.value);
                }
            }
            _ => {}
        }
    }
    shapes
}

/// The rule by which an item of a dict detaches.
fn item(key: &Expr, value: &Expr) -> Option<Rule> {
    match key {
        Expr::Constant(constant) => detaching(constant.value.as_str()?, value),
        _ => None,
    }
}

/// The rule by which the Popen argument `name` with this value detaches.
fn detaching(name: &str, value: &Expr) -> Option<Rule> {
    let literal = value.as_constant_expr().map(|constant| &constant.value);
    match name {
        "start_new_session" => (!literal.is_some_and(is_false)).then_some(Rule::StartNewSession),
        "process_group" => (!matches!(literal, Some(Constant::None))).then_some(Rule::ProcessGroup),
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
