//! Which calls start a child process, and what they run.

use rustpython_parser::ast::{Expr, ExprCall, Stmt};

use super::python::fold;
use super::python::names::{Meaning, Names};
use super::python::outline::Opens;
use super::python::tree::{Cursor, Node, Site};

/// As many `partial`s or subclasses are looked through.
const FURTHEST: u32 = 4;

/// As many bases of a class are looked at.
const MOST: usize = 16;

/// As many displays and calls around a dict are looked at.
const OUTERMOST: usize = 64;

/// What a call runs.
#[derive(Debug, Clone)]
pub enum Command<'t> {
    /// A list of words. If it is a text, that is a program's name.
    List(Site<'t>),
    /// A list of words; if it is a text, a shell runs that.
    ListOrText(Site<'t>),
    /// Each argument is a word.
    Words(Vec<Site<'t>>),
    /// A text for a shell, or a list whose first item is that.
    Text(Site<'t>),
    /// It starts a child, of which no more is known.
    Unknown,
}

/// How a function takes its command.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// As one argument, which also goes by a name; with `shell=True` it is a text.
    Command(&'static str),
    /// As one argument; a text is for a shell.
    CommandOrText(&'static str),
    /// As all of its arguments.
    Words,
    Text(&'static str),
    /// It has one already.
    Nothing,
}

/// A function that starts a child process.
#[derive(Debug, Clone, Copy)]
struct Function {
    takes: Takes,
    /// How many positional arguments come before the command.
    before: usize,
    /// Whether a shell is asked for already.
    shell: bool,
}

/// The command of a call that starts a child process, or that makes a function which will. None for other calls.
pub fn command<'t>(names: &Names<'_>, call: &'t ExprCall, at: Cursor<'t>) -> Option<Command<'t>> {
    let Function { takes, before, shell } = function(names, at.site(&call.func), &call.args, FURTHEST)?;
    let positional = call.args.get(before..).unwrap_or_default();
    let first = positional.first().filter(|first| !first.is_starred_expr());
    let one = |name: &str| first.or_else(|| keyword(call, name)).map(|expr| at.site(expr));
    let command = match takes {
        Takes::Words => Some(Command::Words(positional.iter().map(|expr| at.site(expr)).collect())),
        Takes::Text(name) => one(name).map(Command::Text),
        Takes::CommandOrText(name) => one(name).map(Command::ListOrText),
        Takes::Command(name) => one(name).map(|site| {
            let shell = shell || keyword(call, "shell").is_some_and(|shell| is_true(names, at.site(shell)));
            if shell { Command::Text(site) } else { Command::List(site) }
        }),
        Takes::Nothing => None,
    };
    Some(command.unwrap_or(Command::Unknown))
}

fn is_true(names: &Names<'_>, site: Site) -> bool {
    fold::truth(names, site) == Some(true)
}

/// The value of a keyword argument.
pub fn keyword<'t>(call: &'t ExprCall, name: &str) -> Option<&'t Expr> {
    call.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some(name)).map(|keyword| &keyword.value)
}

/// What `callee` is, if it starts a child. `args` are what it is called with.
fn function(names: &Names<'_>, callee: Site, args: &[Expr], hops: u32) -> Option<Function> {
    let hops = hops.checked_sub(1)?;
    let plain = |takes, before| Some(Function { takes, before, shell: false });
    let later = |function: Function| Function { before: function.before + 1, ..function };
    if let Expr::Attribute(attribute) = callee.expr {
        match attribute.attr.as_str() {
            // Of an event loop; its first argument makes the protocol.
            "subprocess_exec" => return plain(Takes::Words, 1),
            "subprocess_shell" => return plain(Takes::Text("cmd"), 1),
            "__init__" if is_super(names, callee.with(&attribute.value)) => {
                return class_around(names, callee.at).and_then(|class| constructor(names, class, hops));
            }
            "__init__" => return function(names, callee.with(&attribute.value), args, hops).map(later),
            // Most calls are of none of these.
            name if !PLAIN_NAMES.contains(&name) => return None,
            _ => {}
        }
    }
    for path in names.paths(callee) {
        if path == PARTIAL {
            return function(names, callee.with(args.first()?), args.get(1..)?, hops).map(later);
        }
        if let Some(takes) = takes(&path) {
            return plain(takes, 0);
        }
    }
    match callee.expr {
        Expr::Name(name) => match names.meaning(&name.id, callee.at) {
            Meaning::Class(class) => constructor(names, class, hops),
            Meaning::Value { site, augmented: false } => match site.expr {
                Expr::Call(call) => made(names, call, site, hops),
                _ => None,
            },
            _ => None,
        },
        Expr::Call(call) => made(names, call, callee, hops),
        _ => None,
    }
}

/// What `partial(function, …)` makes of a function that starts a child.
fn made(names: &Names<'_>, partial: &ExprCall, site: Site, hops: u32) -> Option<Function> {
    if !names.is_any(site.with(&partial.func), &[PARTIAL]) {
        return None;
    }
    let function = function(names, site.with(partial.args.first()?), &[], hops)?;
    let shell = keyword(partial, "shell").is_some_and(|shell| is_true(names, site.with(shell)));
    let takes = if partial.args.len() > 1 { Takes::Nothing } else { function.takes };
    Some(Function { takes, shell: function.shell || shell, ..function })
}

const PARTIAL: &str = "functools.partial";

/// The last names of the paths that [`takes`] and [`function`] know.
const PLAIN_NAMES: [&str; 15] = [
    "Popen",
    "run",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "system",
    "popen",
    "Subprocess",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "run_process",
    "open_process",
    "partial",
];

fn takes(path: &str) -> Option<Takes> {
    let plain = ["gevent.", "eventlet.green.", "asyncio."].iter().find_map(|twin| path.strip_prefix(twin));
    Some(match plain.unwrap_or(path) {
        "subprocess.Popen"
        | "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "psutil.Popen"
        | "tornado.process.Subprocess" => Takes::Command("args"),
        "trio.run_process" | "trio.open_process" | "trio.lowlevel.open_process" => Takes::Command("command"),
        "anyio.run_process" | "anyio.open_process" => Takes::CommandOrText("command"),
        "create_subprocess_exec" | "subprocess.create_subprocess_exec" if plain.is_some() => Takes::Words,
        "create_subprocess_shell" | "subprocess.create_subprocess_shell" if plain.is_some() => Takes::Text("cmd"),
        "subprocess.getoutput" | "subprocess.getstatusoutput" | "os.popen" => Takes::Text("cmd"),
        "os.system" => Takes::Text("command"),
        _ => return None,
    })
}

/// How the constructor of a class takes its command, if one of its bases starts a child.
fn constructor(names: &Names<'_>, class: Cursor, hops: u32) -> Option<Function> {
    let Node::Stmt(Stmt::ClassDef(definition)) = class.node() else { return None };
    definition.bases.iter().take(MOST).find_map(|base| function(names, class.site(base), &[], hops))
}

/// Whether an expression is `super()`.
fn is_super(names: &Names<'_>, site: Site) -> bool {
    matches!(site.expr, Expr::Call(call) if names.is_builtin(site.with(&call.func), "super"))
}

/// The class in whose body a node is.
fn class_around<'a>(names: &Names<'a>, at: Cursor) -> Option<Cursor<'a>> {
    let outline = names.outline();
    let line = outline.line_at(at.tree().start())?;
    let header = outline.around(line).find(|&outer| outline.line(outer).opens == Opens::Class)?;
    let mut nodes = names.trees(header).iter().flat_map(|tree| tree.cursors());
    nodes.find(|cursor| matches!(cursor.node(), Node::Stmt(Stmt::ClassDef(_))))
}

/// Whether the dict at `at` (a display, or a call of `dict`), or what a call returns, is passed to a function that starts
/// a child: directly, or by way of one name in the same function.
pub fn receives(names: &Names<'_>, at: Cursor) -> bool {
    for (inner, outer) in at.path().zip(at.path().skip(1)).take(OUTERMOST) {
        match (inner.node(), outer.node()) {
            (_, Node::Expr(Expr::Dict(_) | Expr::BinOp(_) | Expr::IfExp(_) | Expr::BoolOp(_) | Expr::NamedExpr(_))) => {
            }
            (Node::Expr(_), Node::Keyword(keyword)) if keyword.arg.is_none() => {}
            (Node::Expr(expr), Node::Expr(Expr::Call(call))) if !std::ptr::eq(&*call.func, expr) => {
                return is_updated(names, call, outer);
            }
            (Node::Keyword(_), Node::Expr(Expr::Call(call))) => {
                if command(names, call, outer).is_some() {
                    return true;
                }
                if !names.is_builtin(outer.site(&call.func), "dict") {
                    return is_updated(names, call, outer);
                }
            }
            (_, Node::Stmt(Stmt::Assign(assign))) => {
                return assign.targets.iter().any(|target| is_passed(names, outer.site(target)));
            }
            (_, Node::Stmt(Stmt::AnnAssign(assign))) => return is_passed(names, outer.site(&assign.target)),
            (_, Node::Stmt(Stmt::AugAssign(assign))) => return is_passed(names, outer.site(&assign.target)),
            _ => return false,
        }
    }
    false
}

/// Whether a call adds its arguments to a dict that is passed to a function which starts a child.
fn is_updated(names: &Names<'_>, call: &ExprCall, at: Cursor) -> bool {
    match &*call.func {
        Expr::Attribute(method) if method.attr.as_str() == "update" => is_passed(names, at.site(&method.value)),
        _ => false,
    }
}

/// Whether the function that an expression stands in passes it, a name or an attribute of one, with `**` to a function
/// that starts a child.
pub fn is_passed(names: &Names<'_>, site: Site) -> bool {
    let mut object = site.expr;
    while let Expr::Attribute(attribute) = object {
        object = &attribute.value;
    }
    let Expr::Name(name) = object else { return false };
    names.uses(&name.id, site.at).unpacked.iter().any(|argument| {
        let Node::Keyword(keyword) = argument.node() else { return false };
        let call = argument.parent().map(|call| (call, call.node()));
        match call {
            Some((at, Node::Expr(Expr::Call(call)))) if is_same(&keyword.value, site.expr) => {
                command(names, call, at).is_some()
            }
            _ => false,
        }
    })
}

/// Whether two expressions are the same name, or the same attribute of it.
fn is_same(mut one: &Expr, mut other: &Expr) -> bool {
    while let (Expr::Attribute(a), Expr::Attribute(b)) = (one, other) {
        if a.attr != b.attr {
            return false;
        }
        (one, other) = (&a.value, &b.value);
    }
    matches!((one, other), (Expr::Name(a), Expr::Name(b)) if a.id == b.id)
}
