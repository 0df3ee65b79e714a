//! A default by which children get a session or group of their own: of a parameter, a field or an attribute.

use rustpython_parser::ast::{Expr, Stmt, bigint::BigInt};

use super::last_name;
use crate::lint_spawns::argument::Argument;
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::outline::Opens;
use crate::lint_spawns::python::tree::{Cursor, Node, Site, Tree, text_of};
use crate::lint_spawns::rule::Rule;
use crate::lint_spawns::spawn::keyword;

/// Bases of classes whose fields are data that is sent or stored.
const RECORDS: [&str; 6] = ["BaseModel", "TypedDict", "Schema", "Serializer", "Model", "Struct"];

/// As many bases of a class are looked at.
const MOST: usize = 16;

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Vec<Shape<'t>> {
    let tree = at.tree();
    let found = match at.node() {
        Node::Parameter(parameter) => {
            let start = tree.place(&parameter.def).start;
            let range = start..start + parameter.def.arg.len();
            parameter.default.as_deref().map(|value| (parameter.def.arg.as_str(), value, range)).into_iter().collect()
        }
        Node::Stmt(Stmt::Assign(assign)) => {
            let targets = assign.targets.iter();
            targets
                .filter_map(|target| Some((place_of(names, at, target)?, &*assign.value, last_name(at, target))))
                .collect()
        }
        Node::Stmt(Stmt::AnnAssign(assign)) => {
            let found = assign
                .value
                .as_deref()
                .and_then(|value| Some((place_of(names, at, &assign.target)?, value, last_name(at, &assign.target))));
            found.into_iter().collect()
        }
        Node::Expr(Expr::Call(call)) => match call.args.as_slice() {
            [_, name, value] if names.is_builtin(at.site(&call.func), "setattr") => {
                text_of(name).map(|text| (text, value, tree.place(name))).into_iter().collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let detaching = found.into_iter().filter_map(|(name, value, range)| {
        let argument = Argument::named(name)?;
        let value = default_of(value);
        detaches(names, argument, at.site(value)).then(|| Shape {
            rule: Rule::DefaultDetaches,
            strength: argument.strength(),
            range,
            at,
            argument: Some((argument, value)),
        })
    });
    detaching.collect()
}

/// The name of the attribute or field that is assigned to.
fn place_of<'t>(names: &Names<'_>, at: Cursor, target: &'t Expr) -> Option<&'t str> {
    match target {
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Name(name) if Argument::named(&name.id).is_some() => {
            let header = names.scope(at).filter(|&line| names.outline().line(line).opens == Opens::Class)?;
            let mut nodes = names.trees(header).iter().flat_map(Tree::cursors).map(Cursor::node);
            let class = nodes.find_map(|node| match node {
                Node::Stmt(Stmt::ClassDef(class)) => Some(class),
                _ => None,
            })?;
            let is_record = class.bases.iter().take(MOST).any(|base| match base {
                Expr::Name(name) => RECORDS.contains(&name.id.as_str()),
                Expr::Attribute(attribute) => RECORDS.contains(&attribute.attr.as_str()),
                _ => false,
            });
            (!is_record).then_some(name.id.as_str())
        }
        _ => None,
    }
}

/// What `field(default=value)` comes to.
fn default_of(value: &Expr) -> &Expr {
    let Expr::Call(call) = value else { return value };
    keyword(call, "default").unwrap_or(value)
}

/// Whether a value detaches, at least on POSIX.
fn detaches(names: &Names<'_>, argument: Argument, value: Site) -> bool {
    fold::arms(names, value.into()).iter().any(|arm| match argument {
        Argument::StartNewSession => {
            let known = !matches!(arm.site.expr, Expr::Constant(it) if it.value.is_ellipsis() || it.value.is_str());
            known && (fold::truth(names, arm.site) == Some(true) || fold::tests_platform(names, arm.site))
        }
        Argument::ProcessGroup => {
            !matches!(arm.site.expr, Expr::Constant(it) if it.value.is_bool())
                && fold::number(names, arm.site).is_some_and(|number| number >= BigInt::from(0))
        }
    })
}
