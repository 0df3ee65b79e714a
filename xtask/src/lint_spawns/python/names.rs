//! What a name means at a place of a text.
//!
//! Nothing is parsed but the statements that mention the name, and of these only those in the scopes that Python would
//! look in: they are found by a search of the text, cut out and read when somebody asks. What a name is bound to more
//! than once is not known, with two exceptions: several imports may all be meant, and `None`, which is what is left of
//! an import that failed, starts nothing.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;
use rustpython_parser::ast::{self, Expr, ExprContext, Pattern, Stmt};
use typed_arena::Arena;

use super::lexer::continues_name;
use super::outline::{Opens, Outline};
use super::statement::Statement;
use super::tree::{Cursor, Node, Site, Tree, text_of};

/// As many names are followed to answer one question. They may go round in circles.
const FURTHEST: u32 = 64;

/// Deeper statements are not looked up: whoever asks about expressions may recurse.
const DEEPEST: usize = 1000;

/// The syntax trees of what was looked up, for as long as somebody may ask.
#[derive(Default)]
pub struct Shelf<'a> {
    suites: Arena<ast::Suite>,
    trees: Arena<Vec<Tree<'a>>>,
}

/// The names of one text.
pub struct Names<'a> {
    text: &'a str,
    shelf: &'a Shelf<'a>,
    outline: OnceCell<Outline>,
    /// By line of the outline.
    trees: RefCell<HashMap<usize, &'a [Tree<'a>]>>,
    bindings: RefCell<HashMap<Local, Rc<[Binding<'a>]>>>,
    stars: OnceCell<Vec<String>>,
    /// How many more names may be followed.
    left: Cell<u32>,
}

/// The line of a class or function in the outline; None is the module.
type Scope = Option<usize>;

/// A name in a scope.
type Local = (String, Scope);

/// What binds a name.
#[derive(Debug, Clone)]
enum Binding<'a> {
    /// By its dotted path.
    Import(String),
    Value(Site<'a>),
    /// `+=` and the like.
    Augmented,
    Class(Cursor<'a>),
    /// A parameter, a loop, a function: what it is comes from elsewhere.
    Other,
}

/// What a name means.
#[derive(Debug)]
pub enum Meaning<'a> {
    /// One of these modules or their members, by dotted path.
    Imported(Vec<String>),
    /// What was assigned to it, once.
    Value {
        site: Site<'a>,
        /// `+=` has added to it.
        augmented: bool,
    },
    Class(Cursor<'a>),
    /// Nothing in the text binds it: a builtin, or what an import of `*` brings.
    Unbound,
    Unknown,
}

impl<'a> Names<'a> {
    pub fn new(text: &'a str, shelf: &'a Shelf<'a>) -> Names<'a> {
        Names {
            text,
            shelf,
            outline: OnceCell::new(),
            trees: RefCell::default(),
            bindings: RefCell::default(),
            stars: OnceCell::new(),
            left: Cell::new(FURTHEST),
        }
    }

    /// To be called before each question that may be answered by following names.
    pub fn begin(&self) {
        self.left.set(FURTHEST);
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::new(self.text))
    }

    /// The dotted paths that an expression may stand for: `subprocess.Popen`. Empty if that is not known.
    pub fn paths(&self, site: Site) -> Vec<String> {
        match site.expr {
            Expr::Name(name) => match self.meaning(&name.id, site.at) {
                Meaning::Imported(paths) => paths,
                Meaning::Value { site, augmented: false } => self.paths(site),
                Meaning::Unbound => {
                    let stars = self.stars().iter().map(|module| format!("{module}.{}", name.id));
                    std::iter::once(name.id.to_string()).chain(stars).collect()
                }
                Meaning::Value { .. } | Meaning::Class(_) | Meaning::Unknown => Vec::new(),
            },
            Expr::Attribute(attribute) => {
                let member = |base: String| format!("{base}.{}", attribute.attr);
                self.paths(site.with(&attribute.value)).into_iter().map(member).collect()
            }
            Expr::NamedExpr(named) => self.paths(site.with(&named.value)),
            Expr::Call(call) => match call.args.as_slice() {
                [object, name, ..] if self.is_builtin(site.with(&call.func), "getattr") => {
                    let Some(name) = text_of(name) else { return Vec::new() };
                    let member = |base: String| format!("{base}.{name}");
                    self.paths(site.with(object)).into_iter().map(member).collect()
                }
                [module] if self.is_any(site.with(&call.func), &["__import__", "importlib.import_module"]) => {
                    text_of(module).map(str::to_owned).into_iter().collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Whether one of the dotted paths that an expression may stand for is among these.
    pub fn is_any(&self, site: Site, paths: &[&str]) -> bool {
        self.paths(site).iter().any(|path| paths.contains(&path.as_str()))
    }

    /// Whether an expression is a function of the language itself.
    pub fn is_builtin(&self, site: Site, name: &str) -> bool {
        matches!(site.expr, Expr::Name(plain) if plain.id.as_str() == name)
            && matches!(self.meaning(name, site.at), Meaning::Unbound)
    }

    /// What was assigned, once, to a name. None for any other expression.
    pub fn value(&self, site: Site) -> Option<Site<'a>> {
        match self.meaning(site.expr.as_name_expr()?.id.as_str(), site.at) {
            Meaning::Value { site, augmented: false } => Some(site),
            _ => None,
        }
    }

    /// What `name` means where a node is.
    pub fn meaning(&self, name: &str, at: Cursor) -> Meaning<'a> {
        match self.find(name, at) {
            Meaning::Value { .. } if self.left.get() == 0 => Meaning::Unknown,
            meaning => {
                self.left.set(self.left.get() - u32::from(matches!(meaning, Meaning::Value { .. })));
                meaning
            }
        }
    }

    fn find(&self, name: &str, at: Cursor) -> Meaning<'a> {
        // What methods call their object is not worth a look.
        if matches!(name, "self" | "cls") || is_bound_in_expression(name, at) {
            return Meaning::Unknown;
        }
        let mut scope = self.scope(at);
        let mut innermost = true;
        loop {
            let is_class = scope.is_some_and(|line| self.outline().line(line).opens == Opens::Class);
            if innermost || !is_class {
                let bindings = self.bindings(name, scope);
                if !bindings.is_empty() {
                    return decide(&bindings);
                }
            }
            innermost = false;
            match scope {
                Some(line) => scope = self.outline().line(line).scope,
                None => return Meaning::Unbound,
            }
        }
    }

    /// Where `name` is mentioned as a name in the scope of a node, but for other scopes inside it.
    pub fn uses(&self, name: &str, at: Cursor) -> Vec<Site<'a>> {
        let scope = self.scope(at);
        let mut uses = Vec::new();
        for line in self.lines_that_mention(name, scope) {
            for cursor in self.trees(line).iter().flat_map(Tree::cursors) {
                if let Node::Expr(expr @ Expr::Name(found)) = cursor.node()
                    && found.id.as_str() == name
                    && self.scope(cursor) == scope
                {
                    uses.push(cursor.site(expr));
                }
            }
        }
        uses
    }

    /// What was assigned, once, to a name that `+=`, `|=` and the like add to, and what they add in the scope of a node.
    /// Empty for other names.
    pub fn summands(&self, name: &str, at: Cursor) -> Vec<Site<'a>> {
        let Meaning::Value { site, augmented: true } = self.meaning(name, at) else { return Vec::new() };
        let operand = |mention: Site<'a>| {
            let outer = mention.at.parent()?;
            match outer.node() {
                Node::Stmt(Stmt::AugAssign(assign)) if std::ptr::eq(&*assign.target, mention.expr) => {
                    Some(outer.site(&assign.value))
                }
                _ => None,
            }
        };
        std::iter::once(site).chain(self.uses(name, at).into_iter().filter_map(operand)).collect()
    }

    /// The class or function that a node belongs to, as a line of the outline.
    pub fn scope(&self, at: Cursor) -> Scope {
        let line = self.outline().line_at(at.tree().start())?;
        if is_inside_definition(at) { Some(line) } else { self.outline().line(line).scope }
    }

    /// The syntax trees of a line of the outline. None if it cannot be parsed.
    pub fn trees(&self, line: usize) -> &'a [Tree<'a>] {
        if let Some(trees) = self.trees.borrow().get(&line) {
            return trees;
        }
        let statement = Statement::whole(self.text, self.outline().line(line).range.clone());
        let suites = if statement.depth <= DEEPEST { statement.parse() } else { None };
        let trees = suites
            .into_iter()
            .flatten()
            .map(|(suite, shift)| Tree::new(self.shelf.suites.alloc(suite), statement.start, shift));
        let trees: &'a [Tree<'a>] = self.shelf.trees.alloc(trees.collect());
        self.trees.borrow_mut().insert(line, trees);
        trees
    }

    /// Whether a mention of a name can bind it, as far as the text right after it tells: `name.` and `name(` cannot, but
    /// for imports and definitions.
    fn may_bind(&self, mention: Range<usize>, line: usize) -> bool {
        let line = self.outline().line(line).range.clone();
        match self.text[mention.end..line.end].trim_start_matches([' ', '\t']).bytes().next() {
            Some(b'.' | b'(' | b'[') => ["import", "def", "class"]
                .iter()
                .any(|word| memmem::find(&self.text.as_bytes()[line.clone()], word.as_bytes()).is_some()),
            _ => true,
        }
    }

    fn bindings(&self, name: &str, scope: Scope) -> Rc<[Binding<'a>]> {
        let key = (name.to_owned(), scope);
        if let Some(known) = self.bindings.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        for line in self.lines_of(name, scope, |mention, line| self.may_bind(mention, line)) {
            for cursor in self.trees(line).iter().flat_map(Tree::cursors) {
                let Some((binding, inside)) = binding(name, cursor) else { continue };
                let its_scope = if inside { Some(line) } else { self.outline().line(line).scope };
                // Who declares a name of another scope may bind it there.
                let declared = matches!(cursor.node(), Node::Stmt(Stmt::Global(_) | Stmt::Nonlocal(_)));
                if its_scope == scope || declared {
                    found.push(binding);
                }
            }
        }
        let found: Rc<[Binding]> = found.into();
        self.bindings.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    /// The lines whose code mentions a name and that can bind it in a scope, in their order.
    pub fn lines_that_mention(&self, name: &str, scope: Scope) -> Vec<usize> {
        self.lines_of(name, scope, |_, _| true)
    }

    fn lines_of(&self, name: &str, scope: Scope, wanted: impl Fn(Range<usize>, usize) -> bool) -> Vec<usize> {
        let outline = self.outline();
        let range = match scope {
            Some(header) => {
                let last = outline.line(header).end - 1;
                outline.line(header).range.start..outline.line(last).range.end
            }
            None => 0..self.text.len(),
        };
        let mut lines: Vec<usize> = Vec::new();
        for mention in mentions(&self.text[range.clone()], name) {
            let mention = range.start + mention.start..range.start + mention.end;
            let Some(line) = outline.line_at(mention.start) else { continue };
            let declares = |line: usize| {
                let code = self.text[outline.line(line).range.clone()].trim_start();
                code.starts_with("global ") || code.starts_with("nonlocal ")
            };
            let matters = Some(line) == scope || outline.line(line).scope == scope || declares(line);
            if matters && lines.last() != Some(&line) && wanted(mention, line) {
                lines.push(line);
            }
        }
        lines
    }

    /// The modules of which the text imports `*`.
    fn stars(&self) -> &[String] {
        self.stars.get_or_init(|| {
            let mut modules = Vec::new();
            for at in memmem::find_iter(self.text.as_bytes(), "import *") {
                let Some(line) = self.outline().line_at(at) else { continue };
                for cursor in self.trees(line).iter().flat_map(Tree::cursors) {
                    if let Node::Stmt(Stmt::ImportFrom(import)) = cursor.node()
                        && import.names.iter().any(|alias| alias.name.as_str() == "*")
                    {
                        modules.push(module_of(import));
                    }
                }
            }
            modules
        })
    }
}

/// Where a name stands as a whole word.
pub fn mentions(text: &str, name: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let is_name = move |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|&byte| continues_name(byte));
    let length = name.len();
    memmem::find_iter(bytes, name.as_bytes())
        .map(move |at| at..at + length)
        .filter(move |range| !is_name(range.start.checked_sub(1)) && !is_name(Some(range.end)))
        .collect::<Vec<_>>()
        .into_iter()
}

fn module_of(import: &ast::StmtImportFrom) -> String {
    let dots = import.level.map_or(0, |level| level.to_usize());
    ".".repeat(dots) + import.module.as_deref().unwrap_or_default()
}

/// What a node binds `name` to, if it does, and whether inside of the class or function whose header it belongs to.
fn binding<'a>(name: &str, cursor: Cursor<'a>) -> Option<(Binding<'a>, bool)> {
    let is_name = |identifier: &Option<ast::Identifier>| identifier.as_deref() == Some(name);
    let inside = is_inside_definition(cursor);
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
        Node::Stmt(Stmt::FunctionDef(def)) if def.name.as_str() == name => Binding::Other,
        Node::Stmt(Stmt::AsyncFunctionDef(def)) if def.name.as_str() == name => Binding::Other,
        Node::Stmt(Stmt::ClassDef(class)) if class.name.as_str() == name => Binding::Class(cursor),
        Node::Stmt(Stmt::Global(global)) if global.names.iter().any(|found| found == name) => Binding::Other,
        Node::Stmt(Stmt::Nonlocal(nonlocal)) if nonlocal.names.iter().any(|found| found == name) => Binding::Other,
        Node::Expr(Expr::Name(found)) if found.id.as_str() == name && !matches!(found.ctx, ExprContext::Load) => {
            if cursor.path().any(|outer| matches!(outer.node(), Node::Comprehension(_))) {
                return None;
            }
            stored(cursor)?
        }
        Node::Parameter(parameter) if parameter.def.arg.as_str() == name && !is_of_lambda(cursor) => {
            return Some((Binding::Other, true));
        }
        Node::Rest(rest) if rest.arg.as_str() == name && !is_of_lambda(cursor) => return Some((Binding::Other, true)),
        Node::Handler(ast::ExceptHandler::ExceptHandler(handler)) if is_name(&handler.name) => Binding::Other,
        Node::Pattern(Pattern::MatchAs(pattern)) if is_name(&pattern.name) => Binding::Other,
        Node::Pattern(Pattern::MatchStar(pattern)) if is_name(&pattern.name) => Binding::Other,
        Node::Pattern(Pattern::MatchMapping(pattern)) if is_name(&pattern.rest) => Binding::Other,
        _ => return None,
    };
    Some((found, inside))
}

/// What the name at `cursor`, which is assigned to, becomes.
fn stored<'a>(cursor: Cursor<'a>) -> Option<Binding<'a>> {
    let Node::Expr(name) = cursor.node() else { return None };
    let parent = cursor.parent()?;
    let is = |expr: &Expr| std::ptr::eq(expr, name);
    Some(match parent.node() {
        Node::Stmt(Stmt::Assign(assign)) if assign.targets.iter().any(is) => Binding::Value(parent.site(&assign.value)),
        Node::Stmt(Stmt::AnnAssign(assign)) => Binding::Value(parent.site(assign.value.as_deref()?)),
        Node::Stmt(Stmt::AugAssign(_)) => Binding::Augmented,
        Node::Expr(Expr::NamedExpr(named)) => Binding::Value(parent.site(&named.value)),
        Node::Expr(Expr::Tuple(targets)) => match parent.parent().map(|outer| (outer, outer.node())) {
            Some((outer, Node::Stmt(Stmt::Assign(assign)))) => match &*assign.value {
                Expr::Tuple(values)
                    if values.elts.len() == targets.elts.len()
                        && !targets.elts.iter().chain(&values.elts).any(Expr::is_starred_expr) =>
                {
                    let at = targets.elts.iter().position(is)?;
                    Binding::Value(outer.site(values.elts.get(at)?))
                }
                _ => Binding::Other,
            },
            _ => Binding::Other,
        },
        _ => Binding::Other,
    })
}

fn decide<'a>(bindings: &[Binding<'a>]) -> Meaning<'a> {
    let is_none = |binding: &Binding| {
        matches!(binding, Binding::Value(site)
            if matches!(site.expr, Expr::Constant(constant) if constant.value.is_none()))
    };
    let imports: Vec<String> = bindings
        .iter()
        .filter_map(|binding| match binding {
            Binding::Import(path) => Some(path.clone()),
            _ => None,
        })
        .collect();
    let rest: Vec<&Binding> = bindings.iter().filter(|binding| !matches!(binding, Binding::Import(_))).collect();
    if !imports.is_empty() {
        return if rest.iter().all(|binding| is_none(binding)) { Meaning::Imported(imports) } else { Meaning::Unknown };
    }
    let (augmented, rest): (Vec<&Binding>, Vec<&Binding>) =
        rest.into_iter().partition(|binding| matches!(binding, Binding::Augmented));
    match rest.as_slice() {
        [Binding::Value(site)] => Meaning::Value { site: *site, augmented: !augmented.is_empty() },
        [Binding::Class(class)] => Meaning::Class(*class),
        _ => Meaning::Unknown,
    }
}

/// Whether a node is in the body of a class or function whose header is in the same tree.
fn is_inside_definition(at: Cursor) -> bool {
    let parents = at.path().skip(1);
    at.path().zip(parents).any(|(child, parent)| {
        let is_definition =
            matches!(parent.node(), Node::Stmt(Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_)));
        is_definition && matches!(child.node(), Node::Stmt(_))
    })
}

fn is_of_lambda(parameter: Cursor) -> bool {
    parameter.parent().is_some_and(|parent| matches!(parent.node(), Node::Expr(Expr::Lambda(_))))
}

/// Whether a lambda or comprehension around a node binds the name.
fn is_bound_in_expression(name: &str, at: Cursor) -> bool {
    let binds = |targets: &[ast::Comprehension]| targets.iter().any(|generator| names_in(&generator.target, name));
    at.path().any(|outer| match outer.node() {
        Node::Expr(Expr::Lambda(lambda)) => {
            let arguments = &lambda.args;
            let plain = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
            let rest = [&arguments.vararg, &arguments.kwarg].into_iter().flatten();
            plain
                .map(|plain| &plain.def.arg)
                .chain(rest.map(|rest| &rest.arg))
                .any(|argument| argument.as_str() == name)
        }
        Node::Expr(Expr::ListComp(comprehension)) => binds(&comprehension.generators),
        Node::Expr(Expr::SetComp(comprehension)) => binds(&comprehension.generators),
        Node::Expr(Expr::DictComp(comprehension)) => binds(&comprehension.generators),
        Node::Expr(Expr::GeneratorExp(comprehension)) => binds(&comprehension.generators),
        _ => false,
    })
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
