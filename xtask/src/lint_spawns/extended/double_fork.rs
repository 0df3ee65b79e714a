//! A second fork in the child of a first: its child is nobody's but init's.
//!
//! Which code runs in the child is told by the tests of what the first fork returned, between the two.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use rustpython_parser::ast::{CmpOp, Expr, ExprCall, Stmt};

use super::{last_name, shape};
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node, Tree};
use crate::lint_spawns::rule::{Rule, Strength};

/// Functions that do not return.
const ENDS: [&str; 13] = [
    "sys.exit",
    "os._exit",
    "os.abort",
    "exit",
    "quit",
    "os.execv",
    "os.execve",
    "os.execvp",
    "os.execvpe",
    "os.execl",
    "os.execle",
    "os.execlp",
    "os.execlpe",
];

/// The process that runs a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Process {
    Parent,
    Child,
}

/// The lines that run in children of forks.
#[derive(Default)]
pub(super) struct Children {
    lines: RefCell<HashMap<Key, Vec<Range<usize>>>>,
}

/// The name of the fork, and the scope.
type Key = (String, Option<usize>);

impl Children {
    pub(super) fn detect<'t>(&self, names: &Names<'_>, at: Cursor<'t>) -> Option<Shape<'t>> {
        let call = fork(names, at)?;
        let place = last_name(at, &call.func);
        let in_its_line = at.frames().any(|(inner, outer)| match (inner.node(), outer.node()) {
            (Node::Stmt(inner), Node::Stmt(Stmt::If(stmt))) => {
                process(names, outer, &stmt.test, None) == Some(Process::Child)
                    && stmt.body.iter().any(|body| std::ptr::eq(body, inner))
            }
            _ => false,
        });
        let line = names.outline().line_at(at.tree().start())?;
        let mut lines = self.lines.borrow_mut();
        let key = (names.text()[place.clone()].to_owned(), names.scope(at));
        let in_children = lines.entry(key).or_insert_with_key(|(word, scope)| in_children(names, word, *scope));
        let is_second = in_its_line || in_children.iter().any(|lines| lines.contains(&line));
        is_second.then(|| shape(Rule::DoubleFork, Strength::OutOfReach, at, place))
    }
}

/// The call of `os.fork` at a node.
fn fork<'t>(names: &Names<'_>, at: Cursor<'t>) -> Option<&'t ExprCall> {
    let Node::Expr(Expr::Call(call)) = at.node() else { return None };
    names.is_any(at.site(&call.func), &["os.fork", "posix.fork"]).then_some(call)
}

/// The lines that run in the child of one of the forks by that name in a scope.
fn in_children(names: &Names<'_>, fork: &str, scope: Option<usize>) -> Vec<Range<usize>> {
    let forks = names.lines_that_mention(fork, scope);
    let mut lines = Vec::new();
    for (first, next) in forks.iter().zip(forks.iter().skip(1)) {
        // Also a test on the line of the next fork tells who goes on behind that.
        in_child(names, *first, *next, &mut lines);
    }
    // Those of many forks are mostly the same.
    lines.sort_unstable_by_key(|lines| lines.start);
    lines.dedup_by(|next, last| {
        let goes_on = next.start <= last.end;
        last.end = if goes_on { last.end.max(next.end) } else { last.end };
        goes_on
    });
    lines
}

/// Adds the lines that run in the child of the fork on the line `first`, which the lines up to `next` test.
fn in_child(names: &Names<'_>, first: usize, next: usize, lines: &mut Vec<Range<usize>>) {
    let outline = names.outline();
    let mut nodes = names.trees(first).iter().flat_map(Tree::cursors);
    let Some(call) = nodes.find(|cursor| fork(names, *cursor).is_some()) else { return };
    let pid = call.parent().and_then(|outer| match outer.node() {
        Node::Stmt(Stmt::Assign(assign)) => assign.targets.first()?.as_name_expr(),
        Node::Stmt(Stmt::AnnAssign(assign)) => assign.target.as_name_expr(),
        Node::Expr(Expr::NamedExpr(named)) => named.target.as_name_expr(),
        _ => None,
    });
    let pid = pid.map(|name| name.id.as_str());
    let code = |line: usize| &names.text()[outline.line(line).range.clone()];
    for line in first..=next {
        let is_test = line == first || pid.is_some_and(|pid| code(line).contains(pid));
        if !is_test {
            continue;
        }
        for cursor in names.trees(line).iter().flat_map(Tree::cursors) {
            let Node::Stmt(Stmt::If(stmt)) = cursor.node() else { continue };
            let after = outline.line(line).end;
            match process(names, cursor, &stmt.test, pid) {
                Some(Process::Child) => lines.push(line + 1..after),
                Some(Process::Parent) => {
                    if outline.lines().get(after).is_some_and(|_| code(after).trim_start().starts_with("else")) {
                        lines.push(after + 1..outline.line(after).end);
                    }
                    if ends(names, line, &stmt.body, cursor) {
                        lines.push(after..usize::MAX);
                    }
                }
                None => {}
            }
        }
    }
}

/// Who goes on where a test of what a fork returned is true: the call itself or the name `pid`.
fn process(names: &Names<'_>, at: Cursor, test: &Expr, pid: Option<&str>) -> Option<Process> {
    let is_pid = |expr: &Expr| match expr {
        Expr::Name(name) => pid == Some(name.id.as_str()),
        Expr::Call(call) => names.is_any(at.site(&call.func), &["os.fork", "posix.fork"]),
        Expr::NamedExpr(named) => {
            matches!(&*named.value, Expr::Call(call) if names.is_any(at.site(&call.func), &["os.fork", "posix.fork"]))
        }
        _ => false,
    };
    let is_zero = |expr: &Expr| fold::number(names, at.site(expr)).is_some_and(|number| number == 0.into());
    match test {
        Expr::Compare(compare) => {
            let ([op], [right]) = (compare.ops.as_slice(), compare.comparators.as_slice()) else { return None };
            let (pid_first, zero_first) =
                (is_pid(&compare.left) && is_zero(right), is_zero(&compare.left) && is_pid(right));
            match op {
                CmpOp::Eq | CmpOp::Is if pid_first || zero_first => Some(Process::Child),
                CmpOp::NotEq | CmpOp::IsNot if pid_first || zero_first => Some(Process::Parent),
                CmpOp::Gt if pid_first => Some(Process::Parent),
                CmpOp::Lt if zero_first => Some(Process::Parent),
                _ => None,
            }
        }
        Expr::UnaryOp(unary) if unary.op.is_not() && is_pid(&unary.operand) => Some(Process::Child),
        Expr::BoolOp(bool_op) if bool_op.op.is_and() => bool_op.values.iter().find_map(|value| match value {
            Expr::BoolOp(_) => None,
            value => process(names, at, value, pid),
        }),
        test => is_pid(test).then_some(Process::Parent),
    }
}

/// Whether the block below a line, or `body` if it is on the same line, does not go on after its end.
fn ends(names: &Names<'_>, header: usize, body: &[Stmt], at: Cursor) -> bool {
    let outline = names.outline();
    let block = header + 1..outline.line(header).end;
    match block.into_iter().rev().find(|line| outline.line(*line).parent == Some(header)) {
        None => body.last().is_some_and(|stmt| does_not_return(names, at, stmt)),
        Some(last) => names.trees(last).iter().flat_map(Tree::cursors).any(|cursor| {
            cursor.parent().is_none()
                && matches!(cursor.node(), Node::Stmt(stmt) if does_not_return(names, cursor, stmt))
        }),
    }
}

fn does_not_return(names: &Names<'_>, at: Cursor, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Return(_) | Stmt::Raise(_) | Stmt::Continue(_) | Stmt::Break(_) => true,
        Stmt::Expr(stmt) => match &*stmt.value {
            Expr::Call(call) => names.is_any(at.site(&call.func), &ENDS),
            _ => false,
        },
        _ => false,
    }
}
