//! Children on a pseudo-terminal, which starts a session.

use rustpython_parser::ast::Expr;

use super::{last_name, shape};
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node};
use crate::lint_spawns::rule::{Rule, Strength};

const FUNCTIONS: [&str; 12] = [
    "pty.fork",
    "pty.spawn",
    "os.forkpty",
    "posix.forkpty",
    "os.login_tty",
    "posix.login_tty",
    "ptyprocess.PtyProcess.spawn",
    "ptyprocess.PtyProcessUnicode.spawn",
    "ptyprocess.ptyprocess.PtyProcess.spawn",
    "ptyprocess.ptyprocess.PtyProcessUnicode.spawn",
    "winpty.PtyProcess.spawn",
    "winpty.ptyprocess.PtyProcess.spawn",
];

/// They start the child that they stand for when they are made.
const CLASSES: [&str; 4] = ["pexpect.spawn", "pexpect.spawnu", "pexpect.pty_spawn.spawn", "pexpect.pty_spawn.spawnu"];

/// Where `spawnProcess` of twisted takes `usePTY` among its positional arguments.
const USE_PTY: usize = 7;

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Option<Shape<'t>> {
    let Node::Expr(expr) = at.node() else { return None };
    if let Expr::Call(call) = expr
        && let Expr::Attribute(method) = &*call.func
        && method.attr.as_str() == "spawnProcess"
    {
        let keyword = call.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some("usePTY"));
        let (value, range) = match keyword {
            Some(keyword) => (&keyword.value, at.tree().place(keyword)),
            None => call.args.get(USE_PTY).map(|value| (value, at.tree().place(value)))?,
        };
        let is_on = fold::arms(names, at.site(value).into())
            .iter()
            .any(|arm| fold::truth(names, arm.site) == Some(true) || arm.site.expr.is_tuple_expr());
        return is_on.then(|| shape(Rule::PtySpawn, Strength::Session, at, range));
    }
    if !matches!(expr, Expr::Name(_) | Expr::Attribute(_)) {
        return None;
    }
    let detaches = match use_of(names, at)? {
        Use::Called => names.is_any(at.site(expr), &FUNCTIONS) || names.is_any(at.site(expr), &CLASSES),
        Use::Passed => names.is_any(at.site(expr), &FUNCTIONS),
    };
    detaches.then(|| shape(Rule::PtySpawn, Strength::Session, at, last_name(at, expr)))
}

enum Use {
    Called,
    /// To a function that may call it.
    Passed,
}

fn use_of(names: &Names<'_>, at: Cursor) -> Option<Use> {
    let Node::Expr(expr) = at.node() else { return None };
    let outer = match at.parent()? {
        outer if matches!(outer.node(), Node::Keyword(_)) => outer.parent()?,
        outer => outer,
    };
    let Node::Expr(Expr::Call(call)) = outer.node() else { return None };
    if std::ptr::eq(&*call.func, expr) {
        return Some(Use::Called);
    }
    let only_asks = ["isinstance", "issubclass", "hasattr", "getattr"];
    let asks = only_asks.iter().any(|function| names.is_builtin(outer.site(&call.func), function));
    (!asks).then_some(Use::Passed)
}
