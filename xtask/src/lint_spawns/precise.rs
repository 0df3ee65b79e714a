//! Tells the shapes that start no process.
//!
//! Each reason is one that can be read off the text. Where anything is unknown the shape stays.

use rustpython_parser::ast::{Constant, Expr, ExprContext, Stmt, bigint::BigInt};

use super::argument::Argument;
use super::detect::Shape;
use super::python::fold;
use super::python::names::Names;
use super::python::tree::{Cursor, Node, Site};
use super::rule::Rule;
use super::spawn;

/// As many nodes around a shape are looked at.
const OUTERMOST: usize = 64;

/// Whether a shape starts no process and lets none start.
pub fn starts_nothing(names: &Names<'_>, shape: &Shape) -> bool {
    names.begin();
    let harmless = match shape.argument {
        Some((argument, value)) => {
            is_off(names, argument, shape.at.site(value))
                || is_compared_or_sent(names, shape.at)
                || is_of_class(shape.at)
                || (argument == Argument::ProcessGroup
                    && !holds_number(names, shape.at.site(value))
                    && !reaches_spawn(names, shape.at))
        }
        None => shape.rule == Rule::OsSetsid && is_other_or_replaced(names, shape.at),
    };
    harmless || is_never_run(names, shape.at)
}

/// Whether a value folds to one that does nothing, or is none that the argument takes.
fn is_off(names: &Names<'_>, argument: Argument, value: Site) -> bool {
    if argument == Argument::StartNewSession && fold::truth(names, value) == Some(false) {
        return true;
    }
    let zero = BigInt::from(0);
    fold::arms(names, value.into()).iter().all(|arm| match arm.site.expr {
        Expr::Constant(constant) if matches!(constant.value, Constant::None | Constant::Str(_)) => true,
        Expr::Dict(_) => true,
        Expr::List(_) if fold::is_format_string(names, arm.site) => true,
        _ => {
            let off = argument == Argument::StartNewSession && fold::truth(names, arm.site) == Some(false);
            off || fold::number(names, arm.site).is_some_and(|number| number < zero)
        }
    })
}

/// Whether a value may come to a number that is written down.
fn holds_number(names: &Names<'_>, value: Site) -> bool {
    let arms = fold::arms(names, value.into());
    arms.len() >= fold::MOST_ARMS || arms.iter().any(|arm| fold::number(names, arm.site).is_some())
}

/// Whether a dict is compared, or is what `json=` sends; or whether a mock is asked about a call.
fn is_compared_or_sent(names: &Names<'_>, at: Cursor) -> bool {
    let asks = |name: &str| name.starts_with("assert_called") || name == "assert_any_call";
    let asked = at.path().take(OUTERMOST).any(|outer| {
        matches!(outer.node(), Node::Expr(Expr::Call(call))
            if matches!(&*call.func, Expr::Attribute(method) if asks(&method.attr)))
    });
    if asked {
        return true;
    }
    let mut in_dict = false;
    for outer in at.path().take(OUTERMOST) {
        match outer.node() {
            Node::Expr(Expr::Dict(_)) => in_dict = true,
            Node::Expr(Expr::Call(call)) if names.is_builtin(outer.site(&call.func), "dict") => in_dict = true,
            Node::Expr(Expr::List(_) | Expr::Tuple(_) | Expr::IfExp(_)) => {}
            Node::Keyword(keyword) if keyword.arg.as_deref() == Some("json") => return in_dict,
            // Of a call of `dict`, or not: the call tells.
            Node::Keyword(_) => {}
            Node::Expr(Expr::Compare(_)) => return in_dict,
            _ => return false,
        }
    }
    false
}

/// Whether a keyword is that of a class header.
fn is_of_class(at: Cursor) -> bool {
    matches!(at.node(), Node::Keyword(_))
        && at.parent().is_some_and(|outer| matches!(outer.node(), Node::Stmt(Stmt::ClassDef(_))))
}

/// Whether what sets the argument is passed to a function that starts a child, or to a dict that is.
fn reaches_spawn(names: &Names<'_>, at: Cursor) -> bool {
    let item = |target: &Expr| match target {
        Expr::Subscript(item) => spawn::is_passed(names, at.site(&item.value)),
        _ => false,
    };
    match at.node() {
        Node::Stmt(Stmt::Assign(assign)) => assign.targets.iter().any(item),
        Node::Stmt(Stmt::AnnAssign(assign)) => item(&assign.target),
        Node::Stmt(Stmt::AugAssign(assign)) => item(&assign.target),
        Node::Expr(Expr::Call(call)) => match &*call.func {
            Expr::Attribute(method) => spawn::is_passed(names, at.site(&method.value)),
            _ => spawn::receives(names, at),
        },
        _ => spawn::receives(names, at),
    }
}

/// Whether `os.setsid` is replaced there, or is that of another `os`.
fn is_other_or_replaced(names: &Names<'_>, at: Cursor) -> bool {
    let Node::Expr(Expr::Attribute(attribute)) = at.node() else { return false };
    attribute.ctx == ExprContext::Store || !names.is_any(at.site(&attribute.value), &["os", "posix"])
}

/// Whether a node is in the block of `if False:` or `if TYPE_CHECKING:`.
fn is_never_run(names: &Names<'_>, at: Cursor) -> bool {
    let outline = names.outline();
    let in_its_line = at.frames().any(|(inner, outer)| match (inner.node(), outer.node()) {
        (Node::Stmt(inner), Node::Stmt(Stmt::If(stmt))) => {
            is_false(names, outer.site(&stmt.test)) && stmt.body.iter().any(|body| std::ptr::eq(body, inner))
        }
        _ => false,
    });
    let is_false_header = |line: usize| {
        let is_if = names.text()[outline.line(line).range.clone()].trim_start().starts_with("if");
        let mut nodes = names.trees(line).iter().flat_map(|tree| tree.cursors());
        is_if
            && nodes.any(|cursor| match cursor.node() {
                Node::Stmt(Stmt::If(stmt)) => is_false(names, cursor.site(&stmt.test)),
                _ => false,
            })
    };
    let line = outline.line_at(at.tree().start());
    in_its_line || line.is_some_and(|line| outline.around(line).any(is_false_header))
}

fn is_false(names: &Names<'_>, test: Site) -> bool {
    match test.expr {
        Expr::Constant(constant) => !fold::is_true(&constant.value),
        _ => names.is_any(test, &["TYPE_CHECKING", "typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"]),
    }
}
