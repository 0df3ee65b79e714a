//! `os.setsid` and its like under any other name.

use rustpython_parser::ast::{CmpOp, Expr, ExprContext, Stmt};

use super::{last_name, shape};
use crate::lint_spawns::detect::{Shape, strength_of};
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::{Meaning, Names};
use crate::lint_spawns::python::tree::{Cursor, Node, Site};
use crate::lint_spawns::rule::Rule;

/// What opens the C library.
const LIBRARIES: [&str; 6] = [
    "ctypes.CDLL",
    "ctypes.PyDLL",
    "ctypes.cdll.LoadLibrary",
    "ctypes.pydll.LoadLibrary",
    "ctypes.LibraryLoader",
    "ctypes.pythonapi",
];

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Option<Shape<'t>> {
    let Node::Expr(expr) = at.node() else { return None };
    let site = at.site(expr);
    let function = match expr {
        Expr::Name(name) if name.ctx.is_load() => match names.meaning(&name.id, at) {
            Meaning::Imported(paths) => paths.iter().find_map(|path| function_of_os(path)),
            Meaning::Unbound if strength_of(&name.id).is_some() => {
                names.paths(site).iter().find_map(|path| function_of_os(path))
            }
            _ => None,
        },
        Expr::Attribute(attribute) if strength_of(&attribute.attr).is_some() && attribute.ctx == ExprContext::Load => {
            let is_plain = matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "os");
            let of_library = !is_prototype(at) && is_library(names, site.with(&attribute.value));
            let function = names.paths(site).iter().find_map(|path| function_of_os(path));
            function.or_else(|| of_library.then(|| strength_of(&attribute.attr))?).filter(|_| !is_plain)
        }
        Expr::Call(call) if call.args.len() >= 2 => {
            names.paths(site).iter().find_map(|path| function_of_os(path)).filter(|_| !is_tested(names, at))
        }
        _ => None,
    };
    let is_tested_name = !expr.is_call_expr() && function.is_some() && is_tested(names, at);
    let strength = function.filter(|_| !is_tested_name)?;
    Some(shape(Rule::SetsidAlias, strength, at, last_name(at, expr)))
}

fn function_of_os(path: &str) -> Option<super::Strength> {
    path.strip_prefix("os.").or_else(|| path.strip_prefix("posix.")).and_then(strength_of)
}

/// Whether an expression is a handle of the C library.
fn is_library(names: &Names<'_>, site: Site) -> bool {
    fold::arms(names, site.into()).iter().any(|arm| match arm.site.expr {
        Expr::Call(call) => names.is_any(arm.site.with(&call.func), &LIBRARIES),
        Expr::Subscript(item) => names.is_any(arm.site.with(&item.value), &["ctypes.cdll", "ctypes.pydll"]),
        _ => names.is_any(arm.site, &LIBRARIES),
    })
}

/// Whether a function of a library is only told its types.
fn is_prototype(at: Cursor) -> bool {
    let Some(Node::Expr(Expr::Attribute(attribute))) = at.parent().map(Cursor::node) else { return false };
    matches!(attribute.attr.as_str(), "restype" | "argtypes" | "errcheck")
}

/// Whether only the truth of what stands at a node matters, or whether it is `None`.
fn is_tested(names: &Names<'_>, at: Cursor) -> bool {
    let Some(outer) = at.parent() else { return false };
    let Node::Expr(expr) = at.node() else { return false };
    let is = |other: &Expr| std::ptr::eq(other, expr);
    match outer.node() {
        Node::Stmt(Stmt::If(stmt)) => is(&stmt.test),
        Node::Stmt(Stmt::While(stmt)) => is(&stmt.test),
        Node::Stmt(Stmt::Assert(stmt)) => is(&stmt.test),
        Node::Expr(Expr::UnaryOp(unary)) => unary.op.is_not(),
        Node::Expr(Expr::IfExp(if_exp)) => is(&if_exp.test) || is_tested(names, outer),
        Node::Expr(Expr::BoolOp(bool_op)) => {
            (bool_op.op.is_and() && !bool_op.values.last().is_some_and(is)) || is_tested(names, outer)
        }
        Node::Expr(Expr::NamedExpr(_)) => is_tested(names, outer),
        Node::Expr(Expr::Compare(compare)) => {
            compare.ops.iter().all(|op| matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::Eq | CmpOp::NotEq))
        }
        Node::Expr(Expr::Call(call)) => {
            !is(&call.func) && ["bool", "callable"].iter().any(|test| names.is_builtin(outer.site(&call.func), test))
        }
        Node::Comprehension(comprehension) => comprehension.ifs.iter().any(is),
        Node::Case(case) => case.guard.as_deref().is_some_and(is),
        _ => false,
    }
}
