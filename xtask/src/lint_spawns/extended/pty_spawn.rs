//! Children on a pseudo-terminal, which starts a session.

use rustpython_parser::ast::Expr;

use super::super::detect::Shape;
use super::super::fold;
use super::super::names::Names;
use super::super::rule::{Rule, Strength};
use super::super::tree::{Cursor, Node};
use super::{last_name, shape};

const FUNCTIONS: [&str; 16] = [
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
    "pexpect.spawn",
    "pexpect.spawnu",
    "pexpect.pty_spawn.spawn",
    "pexpect.pty_spawn.spawnu",
];

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
    if !matches!(expr, Expr::Name(_) | Expr::Attribute(_)) || !is_run(names, at) {
        return None;
    }
    names.is_any(at.site(expr), &FUNCTIONS).then(|| shape(Rule::PtySpawn, Strength::Session, at, last_name(at, expr)))
}

/// Whether the function at a node is called, or passed to a function that may call it.
fn is_run(names: &Names<'_>, at: Cursor) -> bool {
    let Node::Expr(expr) = at.node() else { return false };
    let outer = match at.parent() {
        Some(outer) if matches!(outer.node(), Node::Keyword(_)) => outer.parent(),
        outer => outer,
    };
    let Some(outer) = outer else { return false };
    let Node::Expr(Expr::Call(call)) = outer.node() else { return false };
    let tells_kinds = ["isinstance", "issubclass", "hasattr", "getattr", "cast"];
    std::ptr::eq(&*call.func, expr)
        || !tells_kinds.iter().any(|test| names.paths(outer.site(&call.func)).iter().any(|path| path.ends_with(test)))
}
