//! The names that lambdas and comprehensions bind for what is in them.

use rustpython_parser::ast::{self, Expr};

use super::super::tree::{Cursor, Node};

/// As many lambdas and comprehensions are looked at around a name.
const INNERMOST: usize = 64;

/// Whether a node is in a lambda or comprehension. None if one of these binds the name.
pub(super) fn is_enclosed(name: &str, at: Cursor) -> Option<bool> {
    let mut enclosed = false;
    let mut inner = at;
    for (count, (child, frame)) in at.frames().enumerate() {
        if count >= INNERMOST {
            return None;
        }
        let generators = match frame.node() {
            Node::Expr(Expr::ListComp(comprehension)) => &comprehension.generators,
            Node::Expr(Expr::SetComp(comprehension)) => &comprehension.generators,
            Node::Expr(Expr::DictComp(comprehension)) => &comprehension.generators,
            Node::Expr(Expr::GeneratorExp(comprehension)) => &comprehension.generators,
            Node::Expr(Expr::Lambda(lambda)) => {
                // Its defaults are evaluated outside.
                if !matches!(child.node(), Node::Parameter(_)) {
                    enclosed = true;
                    if is_parameter(name, &lambda.args) {
                        return None;
                    }
                }
                continue;
            }
            Node::Stmt(_) => break,
            _ => {
                inner = child;
                continue;
            }
        };
        // What the first loop goes over is evaluated outside.
        let is_outside = match (child.node(), inner.node()) {
            (Node::Comprehension(loops), Node::Expr(inner)) => {
                std::ptr::eq(&loops.iter, inner) && generators.first().is_some_and(|first| std::ptr::eq(first, loops))
            }
            _ => false,
        };
        if !is_outside {
            enclosed = true;
            if generators.iter().any(|loops| names_in(&loops.target, name)) {
                return None;
            }
        }
    }
    Some(enclosed)
}

fn is_parameter(name: &str, arguments: &ast::Arguments) -> bool {
    let plain = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
    let rest = [&arguments.vararg, &arguments.kwarg].into_iter().flatten();
    let mut all = plain.map(|plain| &plain.def.arg).chain(rest.map(|rest| &rest.arg));
    all.any(|argument| argument.as_str() == name)
}

/// Whether a target of a loop names `name`.
fn names_in(target: &Expr, name: &str) -> bool {
    let mut rest = vec![target];
    while let Some(target) = rest.pop() {
        match target {
            Expr::Name(found) if found.id.as_str() == name => return true,
            Expr::Tuple(targets) => rest.extend(&targets.elts),
            Expr::List(targets) => rest.extend(&targets.elts),
            Expr::Starred(starred) => rest.push(&starred.value),
            _ => {}
        }
    }
    false
}
