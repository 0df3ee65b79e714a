//! A Popen argument that gets into a dict in other ways than a display or a plain assignment.

use rustpython_parser::ast::{Expr, Stmt};

use super::text_at;
use crate::lint_spawns::argument::Argument;
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node, text_of};
use crate::lint_spawns::rule::Rule;

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Vec<Shape<'t>> {
    let mut shapes = Vec::new();
    let mut item = |key: &'t Expr, value: &'t Expr| {
        let argument =
            text_at(names, at.site(key)).and_then(Argument::named).filter(|argument| !argument.is_off(value));
        shapes.extend(argument.map(|argument| Shape {
            rule: Rule::KwargsItem,
            strength: argument.strength(),
            range: at.tree().place(key),
            at,
            argument: Some((argument, value)),
        }));
    };
    match at.node() {
        Node::Stmt(Stmt::Assign(assign)) => {
            for target in &assign.targets {
                match target {
                    // That of a literal key is a default rule's.
                    Expr::Subscript(subscript) if text_of(&subscript.slice).is_none() => {
                        item(&subscript.slice, &assign.value);
                    }
                    Expr::Tuple(tuple) => items(&tuple.elts, &assign.value, &mut item),
                    Expr::List(list) => items(&list.elts, &assign.value, &mut item),
                    _ => {}
                }
            }
        }
        Node::Stmt(Stmt::AnnAssign(assign)) => {
            if let (Expr::Subscript(subscript), Some(value)) = (&*assign.target, &assign.value) {
                item(&subscript.slice, value);
            }
        }
        Node::Stmt(Stmt::AugAssign(assign)) => {
            if let Expr::Subscript(subscript) = &*assign.target {
                item(&subscript.slice, &assign.value);
            }
        }
        Node::Expr(Expr::Dict(dict)) => {
            for (key, value) in dict.keys.iter().zip(&dict.values) {
                if let Some(key) = key.as_ref().filter(|key| text_of(key).is_none()) {
                    item(key, value);
                }
            }
        }
        Node::Expr(Expr::Call(call)) => match (&*call.func, call.args.as_slice()) {
            (Expr::Attribute(method), [key, value]) if matches!(method.attr.as_str(), "setdefault" | "__setitem__") => {
                item(key, value);
            }
            (Expr::Attribute(method), [pairs]) if method.attr.as_str() == "update" => {
                self::pairs(pairs).for_each(|(key, value)| item(key, value));
            }
            (function, [pairs]) if names.is_builtin(at.site(function), "dict") => {
                self::pairs(pairs).for_each(|(key, value)| item(key, value));
            }
            _ => {}
        },
        _ => {}
    }
    shapes
}

/// `kw["a"], kw["b"] = values`: each target with its value, or with all of them where they are not told apart.
fn items<'t>(targets: &'t [Expr], values: &'t Expr, item: &mut impl FnMut(&'t Expr, &'t Expr)) {
    let each = match values {
        Expr::Tuple(values) => Some(&values.elts),
        Expr::List(values) => Some(&values.elts),
        _ => None,
    };
    let each =
        each.filter(|each| each.len() == targets.len() && !each.iter().chain(targets).any(Expr::is_starred_expr));
    for (at, target) in targets.iter().enumerate() {
        if let Expr::Subscript(subscript) = target {
            item(&subscript.slice, each.and_then(|each| each.get(at)).unwrap_or(values));
        }
    }
}

/// The keys and values in a list of pairs.
fn pairs(list: &Expr) -> impl Iterator<Item = (&Expr, &Expr)> {
    elements(list).iter().filter_map(|pair| match elements(pair) {
        [key, value] => Some((key, value)),
        _ => None,
    })
}

fn elements(expr: &Expr) -> &[Expr] {
    match expr {
        Expr::List(list) => &list.elts,
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::Set(set) => &set.elts,
        _ => &[],
    }
}
