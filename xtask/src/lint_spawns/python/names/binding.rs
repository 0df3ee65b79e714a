//! What binds a name.

use std::ops::Range;

use memchr::memchr;
use rustpython_parser::ast::{self, Expr, ExprContext, Pattern, Stmt};

use crate::lint_spawns::python::lexer::continues_name;
use crate::lint_spawns::python::tree::{Cursor, Node, Site};

/// In longer lines no keyword is looked for.
const LONG: usize = 1000;

/// Each statement that binds a name but does not assign to it has one of these before the name.
const KEYWORDS: [&str; 10] = ["import", "def", "class", "for", "as", "del", "global", "nonlocal", "case", "type"];

#[derive(Debug, Clone)]
pub(super) enum Binding<'a> {
    /// By its dotted path.
    Import(String),
    Value(Site<'a>),
    /// `None`, which is what is left of an import that failed.
    Nothing(Site<'a>),
    /// `+=` and the like.
    Augmented,
    Class(Cursor<'a>),
    /// A parameter, a loop, a function: what it is comes from elsewhere.
    Other,
}

/// In which scope a node binds a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In the one of its line.
    Here,
    /// In that of the class or function whose header is on its line.
    Inside,
    /// There or here, and in the module.
    Global(bool),
    /// There or here, and in functions around.
    Nonlocal(bool),
}

/// Whether a mention of a name can bind it, as far as its line tells.
pub(super) fn may_bind(line: &str, mention: Range<usize>) -> bool {
    let (before, after) = (&line[..mention.start], line[mention.end..].trim_start_matches([' ', '\t']));
    if before.ends_with('.') {
        return false;
    }
    let assigns = match after.as_bytes() {
        [b'=', next @ ..] => next.first() != Some(&b'='),
        [b':' | b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^', b'=', ..]
        | [b'*', b'*', b'=', ..]
        | [b'/', b'/', b'=', ..]
        | [b'<', b'<', b'=', ..]
        | [b'>', b'>', b'=', ..] => true,
        // A target among others, or with an annotation.
        [b',' | b')' | b']' | b':' | b'\\' | b'\n' | b'#', ..] => memchr(b'=', after.as_bytes()).is_some(),
        _ => false,
    };
    assigns || before.len() > LONG || words(before).any(|word| KEYWORDS.contains(&word))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| c.is_ascii() && !continues_name(c as u8)).filter(|word| !word.is_empty())
}

/// What a node binds `name` to, if it does.
pub(super) fn binding<'a>(name: &str, cursor: Cursor<'a>) -> Option<(Binding<'a>, Where)> {
    let is_name = |identifier: &Option<ast::Identifier>| identifier.as_deref() == Some(name);
    let is_among = |names: &[ast::Identifier]| names.iter().any(|found| found == name);
    let found = match cursor.node() {
        Node::Stmt(Stmt::Import(import)) => import.names.iter().find_map(|alias| match &alias.asname {
            Some(asname) => (asname.as_str() == name).then(|| Binding::Import(alias.name.to_string())),
            None => (alias.name.split('.').next() == Some(name)).then(|| Binding::Import(name.to_owned())),
        })?,
        Node::Stmt(Stmt::ImportFrom(import)) => {
            let alias = import.names.iter().find(|alias| *alias.asname.as_ref().unwrap_or(&alias.name) == *name)?;
            let module = module_of(import);
            let dot = if module.ends_with('.') { "" } else { "." };
            Binding::Import(format!("{module}{dot}{}", alias.name))
        }
        // What a decorator was completed with has the decorator, and binds nothing. A definition has it on another line.
        Node::Stmt(Stmt::FunctionDef(def)) if def.name.as_str() == name && def.decorator_list.is_empty() => {
            Binding::Other
        }
        Node::Stmt(Stmt::AsyncFunctionDef(def)) if def.name.as_str() == name => Binding::Other,
        Node::Stmt(Stmt::ClassDef(class)) if class.name.as_str() == name => Binding::Class(cursor),
        Node::Stmt(Stmt::Global(global)) if is_among(&global.names) => {
            return Some((Binding::Other, Where::Global(is_inside_definition(cursor))));
        }
        Node::Stmt(Stmt::Nonlocal(nonlocal)) if is_among(&nonlocal.names) => {
            return Some((Binding::Other, Where::Nonlocal(is_inside_definition(cursor))));
        }
        Node::Expr(Expr::Name(found)) if found.id.as_str() == name && !matches!(found.ctx, ExprContext::Load) => {
            stored(cursor)?
        }
        Node::Parameter(parameter) if parameter.def.arg.as_str() == name && !is_of_lambda(cursor) => {
            return Some((Binding::Other, Where::Inside));
        }
        Node::Rest(rest) if rest.arg.as_str() == name && !is_of_lambda(cursor) => {
            return Some((Binding::Other, Where::Inside));
        }
        Node::Handler(ast::ExceptHandler::ExceptHandler(handler)) if is_name(&handler.name) => Binding::Other,
        Node::Pattern(Pattern::MatchAs(pattern)) if is_name(&pattern.name) => Binding::Other,
        Node::Pattern(Pattern::MatchStar(pattern)) if is_name(&pattern.name) => Binding::Other,
        Node::Pattern(Pattern::MatchMapping(pattern)) if is_name(&pattern.rest) => Binding::Other,
        _ => return None,
    };
    Some((found, if is_inside_definition(cursor) { Where::Inside } else { Where::Here }))
}

/// The module that names are imported from.
pub(super) fn module_of(import: &ast::StmtImportFrom) -> String {
    let dots = import.level.map_or(0, |level| level.to_usize());
    ".".repeat(dots) + import.module.as_deref().unwrap_or_default()
}

/// Whether a node is in the body of a class or function whose header is in the same tree.
pub(super) fn is_inside_definition(at: Cursor) -> bool {
    at.frames().any(|(child, frame)| {
        let is_definition =
            matches!(frame.node(), Node::Stmt(Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_)));
        is_definition && matches!(child.node(), Node::Stmt(_))
    })
}

/// What the name at `cursor`, which is assigned to, becomes.
fn stored<'a>(cursor: Cursor<'a>) -> Option<Binding<'a>> {
    let Node::Expr(name) = cursor.node() else { return None };
    let is_here = |expr: &Expr| std::ptr::eq(expr, name);
    for (child, frame) in cursor.frames() {
        match (child.node(), frame.node()) {
            // The variable of a comprehension is seen in that only.
            (Node::Expr(target), Node::Comprehension(loops)) if std::ptr::eq(target, &loops.target) => return None,
            (_, Node::Expr(Expr::Lambda(_))) => return Some(Binding::Other),
            (_, Node::Stmt(_)) => break,
            _ => {}
        }
    }
    let parent = cursor.parent()?;
    let (value, outer) = match parent.node() {
        Node::Stmt(Stmt::Assign(assign)) if assign.targets.iter().any(is_here) => (&*assign.value, parent),
        Node::Stmt(Stmt::AnnAssign(assign)) => (assign.value.as_deref()?, parent),
        Node::Stmt(Stmt::AugAssign(_)) => return Some(Binding::Augmented),
        Node::Expr(Expr::NamedExpr(named)) => (&*named.value, parent),
        Node::Expr(Expr::Tuple(targets)) => {
            let outer = parent.parent()?;
            let Node::Stmt(Stmt::Assign(assign)) = outer.node() else { return Some(Binding::Other) };
            match &*assign.value {
                Expr::Tuple(values)
                    if values.elts.len() == targets.elts.len()
                        && !targets.elts.iter().chain(&values.elts).any(Expr::is_starred_expr) =>
                {
                    let at = targets.elts.iter().position(is_here)?;
                    (values.elts.get(at)?, outer)
                }
                _ => return Some(Binding::Other),
            }
        }
        _ => return Some(Binding::Other),
    };
    let is_none = matches!(value, Expr::Constant(constant) if constant.value.is_none());
    Some(if is_none { Binding::Nothing(outer.site(value)) } else { Binding::Value(outer.site(value)) })
}

fn is_of_lambda(parameter: Cursor) -> bool {
    parameter.parent().is_some_and(|parent| matches!(parent.node(), Node::Expr(Expr::Lambda(_))))
}
