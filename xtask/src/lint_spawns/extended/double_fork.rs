//! A second fork in the child of a first: its child is nobody's but init's.
//!
//! Which code runs in the child is told by the tests of what the first fork returned, between the two.

use rustpython_parser::ast::{CmpOp, Expr, ExprCall, Stmt};

use super::super::detect::Shape;
use super::super::python::fold;
use super::super::python::names::Names;
use super::super::python::tree::{Cursor, Node, Tree};
use super::super::rule::{Rule, Strength};
use super::{last_name, shape};

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

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Option<Shape<'t>> {
    let call = fork(names, at)?;
    let place = last_name(at, &call.func);
    let word = &names.text()[place.clone()];
    let outline = names.outline();
    let here = outline.line_at(at.tree().start())?;
    let in_its_line = at.path().zip(at.path().skip(1)).any(|(inner, outer)| match (inner.node(), outer.node()) {
        (Node::Stmt(inner), Node::Stmt(Stmt::If(stmt))) => {
            process(names, outer, &stmt.test, None) == Some(Process::Child)
                && stmt.body.iter().any(|body| std::ptr::eq(body, inner))
        }
        _ => false,
    });
    let forks = names.lines_that_mention(word, names.scope(at));
    let first_forks = forks.iter().filter(|line| **line < here);
    let is_second = in_its_line
        || first_forks.clone().any(|&first| {
            let next = forks.iter().copied().find(|line| *line > first).unwrap_or(here);
            is_in_child(names, first, next.min(here), here)
        });
    is_second.then(|| shape(Rule::DoubleFork, Strength::OutOfReach, at, place))
}

/// The call of `os.fork` at a node.
fn fork<'t>(names: &Names<'_>, at: Cursor<'t>) -> Option<&'t ExprCall> {
    let Node::Expr(Expr::Call(call)) = at.node() else { return None };
    names.is_any(at.site(&call.func), &["os.fork", "posix.fork"]).then_some(call)
}

/// Whether the line `second` runs in the child of the fork on the line `first`, which the lines up to `next` test.
fn is_in_child(names: &Names<'_>, first: usize, next: usize, second: usize) -> bool {
    let outline = names.outline();
    let mut nodes = names.trees(first).iter().flat_map(Tree::cursors);
    let Some(call) = nodes.find(|cursor| fork(names, *cursor).is_some()) else { return false };
    let pid = call.parent().and_then(|outer| match outer.node() {
        Node::Stmt(Stmt::Assign(assign)) => assign.targets.first()?.as_name_expr(),
        Node::Stmt(Stmt::AnnAssign(assign)) => assign.target.as_name_expr(),
        Node::Expr(Expr::NamedExpr(named)) => named.target.as_name_expr(),
        _ => None,
    });
    let pid = pid.map(|name| name.id.as_str());
    (first..=next.min(second)).filter(|line| *line != second).any(|line| {
        // Also tells a test on the line of the next fork, which comes before it.
        let is_test = line == first || names.text()[outline.line(line).range.clone()].contains(pid.unwrap_or("\0"));
        is_test
            && names.trees(line).iter().flat_map(Tree::cursors).any(|cursor| {
                let Node::Stmt(Stmt::If(stmt)) = cursor.node() else { return false };
                match process(names, cursor, &stmt.test, pid) {
                    Some(Process::Child) => outline.around(second).any(|outer| outer == line),
                    Some(Process::Parent) => {
                        let after = outline.line(line).end;
                        let is_else = |outer: usize| {
                            let code = names.text()[outline.line(outer).range.clone()].trim_start();
                            outer == after && code.starts_with("else")
                        };
                        outline.around(second).any(is_else)
                            || (second >= after && ends(names, line, &stmt.body, cursor))
                    }
                    None => false,
                }
            })
    })
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
