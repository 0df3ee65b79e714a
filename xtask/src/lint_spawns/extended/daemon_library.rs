//! Libraries that turn the process into a daemon.

use rustpython_parser::ast::Expr;

use super::{last_name, shape};
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node};
use crate::lint_spawns::rule::{Rule, Strength};
use crate::lint_spawns::spawn::keyword;

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Option<Shape<'t>> {
    let Node::Expr(Expr::Call(call)) = at.node() else { return None };
    let function = at.site(&call.func);
    let truth = |name| keyword(call, name).and_then(|value| fold::truth(names, at.site(value)));
    let is_none = |name| keyword(call, name).and_then(Expr::as_constant_expr).is_some_and(|it| it.value.is_none());
    let detaches = if names.is_any(function, &["daemon.DaemonContext", "daemon.daemon.DaemonContext"]) {
        // `None`, the default, finds out whether to.
        truth("detach_process") != Some(false) || is_none("detach_process")
    } else if names.is_any(function, &["daemonize.Daemonize"]) {
        truth("foreground") != Some(true)
    } else {
        false
    };
    detaches.then(|| shape(Rule::DaemonLibrary, Strength::OutOfReach, at, last_name(at, &call.func)))
}
