//! The names that a statement gives to something that has one already.

use rustpython_parser::ast::{Expr, Stmt};

use super::python::tree::{Node, Tree, text_of};

/// The other names by which the statement makes something known whose name is among `known`: by an import, an
/// assignment, or a class that is derived from it.
pub(super) fn aliases(tree: &Tree, known: impl Fn(&str) -> bool) -> Vec<String> {
    let mut aliases = Vec::new();
    let last = |path: &str| path.rsplit('.').next().is_some_and(&known);
    for cursor in tree.cursors() {
        let Node::Stmt(stmt) = cursor.node() else { continue };
        match stmt {
            Stmt::Import(import) => {
                let named = import.names.iter().filter(|alias| last(&alias.name));
                aliases.extend(named.filter_map(|alias| alias.asname.as_deref()).map(str::to_owned));
            }
            Stmt::ImportFrom(import) => {
                let of_known = import.module.as_deref().is_some_and(last);
                let named = import.names.iter().filter(|alias| of_known || known(&alias.name));
                aliases.extend(named.map(|alias| alias.asname.as_ref().unwrap_or(&alias.name).to_string()));
            }
            Stmt::Assign(assign) if is_known(&assign.value, &known) => {
                aliases.extend(assign.targets.iter().filter_map(name_of));
            }
            Stmt::AnnAssign(assign) if assign.value.as_deref().is_some_and(|value| is_known(value, &known)) => {
                aliases.extend(name_of(&assign.target));
            }
            Stmt::ClassDef(class) if class.bases.iter().any(|base| is_known(base, &known)) => {
                aliases.push(class.name.to_string());
            }
            _ => {}
        }
    }
    aliases
}

fn name_of(target: &Expr) -> Option<String> {
    target.as_name_expr().map(|name| name.id.to_string())
}

/// Whether an expression is something known, its name, or a function made of it.
fn is_known(expr: &Expr, known: &impl Fn(&str) -> bool) -> bool {
    let mut rest = vec![expr];
    while let Some(expr) = rest.pop() {
        match expr {
            Expr::Name(name) if known(&name.id) => return true,
            Expr::Attribute(attribute) if known(&attribute.attr) => return true,
            Expr::Constant(_) if text_of(expr).is_some_and(known) => return true,
            // `partial(Popen, …)`, `getattr(os, "setsid")`
            Expr::Call(call) => rest.extend(call.args.iter().take(2)),
            Expr::IfExp(if_exp) => rest.extend([&*if_exp.body, &*if_exp.orelse]),
            Expr::BoolOp(bool_op) => rest.extend(&bool_op.values),
            _ => {}
        }
    }
    false
}
