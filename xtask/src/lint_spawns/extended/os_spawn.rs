//! `os.posix_spawn` and the `os.spawn` family, told to detach.

use rustpython_parser::ast::Expr;

use super::{last_name, shape};
use crate::lint_spawns::argument::Argument;
use crate::lint_spawns::detect::Shape;
use crate::lint_spawns::python::fold;
use crate::lint_spawns::python::names::Names;
use crate::lint_spawns::python::tree::{Cursor, Node};
use crate::lint_spawns::rule::{Rule, Strength};
use crate::lint_spawns::spawn::keyword;

pub(super) fn detect<'t>(names: &Names<'_>, at: Cursor<'t>) -> Vec<Shape<'t>> {
    let Node::Expr(Expr::Call(call)) = at.node() else { return Vec::new() };
    let paths = names.paths(at.site(&call.func));
    let is = |functions: &[&str]| paths.iter().any(|path| functions.contains(&path.as_str()));
    if is(&["os.posix_spawn", "os.posix_spawnp", "posix.posix_spawn", "posix.posix_spawnp"]) {
        let detaching = call.keywords.iter().filter_map(|keyword| {
            let (strength, argument) = match keyword.arg.as_deref()? {
                "setsid" if !Argument::StartNewSession.is_off(&keyword.value) => {
                    (Strength::Session, Some((Argument::StartNewSession, &keyword.value)))
                }
                "setpgroup" => (Strength::Group, None),
                _ => return None,
            };
            let range = at.tree().place(keyword);
            Some(Shape { argument, ..shape(Rule::OsSpawn, strength, at, range) })
        });
        return detaching.collect();
    }
    if !paths.iter().any(|path| path.starts_with("os.spawn")) {
        return Vec::new();
    }
    let Some(mode) = call.args.first().or_else(|| keyword(call, "mode")) else { return Vec::new() };
    let arms = fold::arms(names, at.site(mode).into());
    arms.into_iter()
        .filter(|arm| names.is_any(arm.site, &["os.P_DETACH", "nt.P_DETACH"]))
        .map(|arm| {
            let place = arm.place(last_name(arm.site.at, arm.site.expr));
            shape(Rule::OsSpawn, Strength::Session, at, place)
        })
        .collect()
}
