//! Creation flags of Windows that detach.

use std::ops::Range;

use rustpython_parser::ast::{Expr, Operator, Stmt, bigint::BigInt};

use super::{last_name, shape, text_at};
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold::{self, Arm};
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node, text_of};
use crate::lint_spawns::rule::{Rule, Strength};
use crate::lint_spawns::spawn::keyword;

/// As many expressions are looked at for one argument.
const LARGEST: usize = 1000;

/// `winbase.h`
const FLAGS: [(&str, u32, Strength); 3] = [
    ("DETACHED_PROCESS", 0x8, Strength::Session),
    ("CREATE_NEW_PROCESS_GROUP", 0x200, Strength::Group),
    ("CREATE_BREAKAWAY_FROM_JOB", 0x100_0000, Strength::OutOfReach),
];

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Vec<Shape<'t>> {
    let mut found = Vec::new();
    let mut value = |value: &'t Expr| found.extend(flags(names, at.site(value).into()));
    match at.node() {
        Node::Keyword(keyword) if keyword.arg.as_deref() == Some("creationflags") => value(&keyword.value),
        Node::Expr(Expr::Dict(dict)) => {
            for (key, item) in dict.keys.iter().zip(&dict.values) {
                if key.as_ref().is_some_and(|key| is_key(names, at, key)) {
                    value(item);
                }
            }
        }
        Node::Expr(Expr::Call(call)) => match (&*call.func, call.args.as_slice()) {
            (Expr::Attribute(method), [key, item])
                if matches!(method.attr.as_str(), "setdefault" | "__setitem__") && is_key(names, at, key) =>
            {
                value(item);
            }
            (function, args) => {
                let name = match function {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.as_str(),
                    _ => "",
                };
                let place = match name {
                    "CreateProcess" | "CreateProcessW" | "CreateProcessA" => 5,
                    "CreateProcessAsUser" => 6,
                    _ => return Vec::new(),
                };
                if let Some(flags) = args.get(place).or_else(|| keyword(call, "dwCreationFlags")) {
                    value(flags);
                }
            }
        },
        Node::Stmt(Stmt::Assign(assign)) if assign.targets.iter().any(|target| is_item(names, at, target)) => {
            value(&assign.value);
        }
        Node::Stmt(Stmt::AugAssign(assign)) if is_item(names, at, &assign.target) => value(&assign.value),
        Node::Stmt(Stmt::AnnAssign(assign)) if is_item(names, at, &assign.target) => {
            assign.value.as_deref().into_iter().for_each(value);
        }
        _ => {}
    }
    found.into_iter().map(|(strength, place)| shape(Rule::WindowsCreationflags, strength, at, place)).collect()
}

fn is_item(names: &Names<'_>, at: Cursor, target: &Expr) -> bool {
    matches!(target, Expr::Subscript(subscript) if is_key(names, at, &subscript.slice))
}

fn is_key(names: &Names<'_>, at: Cursor, key: &Expr) -> bool {
    text_at(names, at.site(key)) == Some("creationflags")
}

/// The bit of a flag that detaches, and how far.
fn flag(name: &str) -> Option<(u32, Strength)> {
    FLAGS.into_iter().find(|(flag, ..)| *flag == name).map(|(_, bit, strength)| (bit, strength))
}

/// The flags that detach in a value, each with its place.
fn flags<'t, 'a: 't>(names: &Names<'a>, value: Arm<'t>) -> Vec<(Strength, Range<usize>)> {
    let mut found = Vec::new();
    let mut rest = vec![value];
    for _ in 0..LARGEST {
        let Some(whole) = rest.pop() else { break };
        if let Expr::Name(name) = whole.site.expr {
            rest.extend(names.summands(&name.id, whole.site.at).into_iter().map(Arm::from));
        }
        for arm in fold::arms(names, whole) {
            let site = arm.site;
            let named = match site.expr {
                Expr::BinOp(bin_op) if matches!(bin_op.op, Operator::BitOr | Operator::Add | Operator::BitXor) => {
                    rest.extend([arm.with(&bin_op.right), arm.with(&bin_op.left)]);
                    continue;
                }
                Expr::Name(_) => {
                    names.paths(site).iter().find_map(|path| flag(path.rsplit('.').next().unwrap_or_default()))
                }
                Expr::Attribute(attribute) => flag(&attribute.attr),
                Expr::Call(call) if names.is_builtin(site.with(&call.func), "getattr") => {
                    call.args.get(1).and_then(text_of).and_then(flag)
                }
                _ => None,
            };
            if let Some((_, strength)) = named {
                found.push((strength, arm.place(last_name(site.at, site.expr))));
            } else if let Some(number) = fold::number(names, site) {
                let bits = FLAGS.into_iter().filter(|(_, bit, _)| &number & BigInt::from(*bit) != BigInt::from(0));
                if let Some(strength) = bits.map(|(.., strength)| strength).max() {
                    found.push((strength, arm.place(site.place())));
                }
            }
        }
    }
    found
}
