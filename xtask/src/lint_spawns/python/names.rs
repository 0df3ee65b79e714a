//! What a name means at a place of a text.
//!
//! Nothing is parsed but the statements that mention the name, and of these only those in the scopes that Python would
//! look in: they are found by a search of the text, cut out and read when somebody asks. What a name is bound to more
//! than once is not known, with two exceptions: several imports may all be meant, and `None`, which is what is left of
//! an import that failed, starts nothing.

mod binding;
mod enclosed;
mod mentions;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem;
use rustpython_parser::ast::{self, Expr, Stmt};
use typed_arena::Arena;

use super::outline::{Opens, Outline};
use super::statement::Statement;
use super::tree::{Cursor, Node, Site, Tree, text_of};
use binding::{Binding, Where, binding, is_inside_definition, may_bind, module_of};
use enclosed::is_enclosed;
use mentions::Mentions;

/// As many names are followed to answer one question. They may go round in circles.
const FURTHEST: u32 = 64;

/// Deeper statements are not looked up: whoever asks about expressions may recurse.
const DEEPEST: usize = 1000;

/// Dotted paths of more names are not known.
const LONGEST: u32 = 16;

/// As many imports and as many uses of a name are looked at.
const MOST: usize = 64;

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
    mentions: Mentions<'a>,
    /// By line of the outline.
    trees: RefCell<HashMap<usize, &'a [Tree<'a>]>>,
    /// What names mean in a scope that binds them.
    meanings: RefCell<HashMap<Scope, HashMap<String, Option<Meaning<'a>>>>>,
    uses: RefCell<HashMap<Scope, HashMap<String, Rc<Uses<'a>>>>>,
    stars: OnceCell<Vec<String>>,
    /// How many more names may be followed.
    left: Cell<u32>,
}

/// The line of a class or function in the outline; None is the module.
type Scope = Option<usize>;

/// What a name means.
#[derive(Debug, Clone)]
pub enum Meaning<'a> {
    /// One of these modules or their members, by dotted path.
    Imported(Rc<[String]>),
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

/// What is done with a name in a scope, but for the scopes inside it: the first ones of each kind.
#[derive(Debug, Default)]
pub struct Uses<'a> {
    /// The name in `name += more`, `name |= more` and so on, and in calls of its methods.
    pub changed: Vec<Site<'a>>,
    /// The arguments `**name` and `**name.attribute`.
    pub unpacked: Vec<Cursor<'a>>,
}

impl<'a> Names<'a> {
    pub fn new(text: &'a str, shelf: &'a Shelf<'a>) -> Names<'a> {
        Names {
            text,
            shelf,
            outline: OnceCell::new(),
            mentions: Mentions::new(text),
            trees: RefCell::default(),
            meanings: RefCell::default(),
            uses: RefCell::default(),
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
        self.paths_of(site, LONGEST)
    }

    fn paths_of(&self, site: Site, longest: u32) -> Vec<String> {
        let Some(longest) = longest.checked_sub(1) else { return Vec::new() };
        let members = |object: &Expr, name: &str| {
            let mut paths = self.paths_of(site.with(object), longest);
            for path in &mut paths {
                path.push('.');
                path.push_str(name);
            }
            paths
        };
        match site.expr {
            Expr::Name(name) => match self.meaning(&name.id, site.at) {
                Meaning::Imported(paths) => paths.to_vec(),
                Meaning::Value { site, augmented: false } => self.paths_of(site, longest),
                Meaning::Unbound => {
                    let stars = self.stars().iter().map(|module| format!("{module}.{}", name.id));
                    std::iter::once(name.id.to_string()).chain(stars).collect()
                }
                Meaning::Value { .. } | Meaning::Class(_) | Meaning::Unknown => Vec::new(),
            },
            Expr::Attribute(attribute) => members(&attribute.value, &attribute.attr),
            Expr::NamedExpr(named) => self.paths_of(site.with(&named.value), longest),
            Expr::Call(call) => match call.args.as_slice() {
                [object, name, ..] if self.is_builtin(site.with(&call.func), "getattr") => {
                    text_of(name).map_or(Vec::new(), |name| members(object, name))
                }
                [module] => {
                    let functions = self.paths_of(site.with(&call.func), longest);
                    let imports = |path: &String| matches!(path.as_str(), "__import__" | "importlib.import_module");
                    let module = text_of(module).filter(|_| functions.iter().any(imports));
                    module.map(str::to_owned).into_iter().collect()
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
        if matches!(name, "self" | "cls") {
            return Meaning::Unknown;
        }
        let Some(enclosed) = is_enclosed(name, at) else { return Meaning::Unknown };
        let outline = self.outline();
        let innermost = self.scope(at);
        let mut scope = innermost;
        loop {
            // What a class binds is seen in its block alone, and not by the functions in that.
            let is_class = scope.is_some_and(|line| outline.line(line).opens == Opens::Class);
            if (!is_class || (scope == innermost && !enclosed))
                && let Some(meaning) = self.meaning_in(name, scope)
            {
                return meaning;
            }
            match scope {
                Some(line) => scope = outline.line(line).scope,
                None => return Meaning::Unbound,
            }
        }
    }

    /// What a scope binds a name to. None if it does not.
    fn meaning_in(&self, name: &str, scope: Scope) -> Option<Meaning<'a>> {
        if let Some(known) = self.meanings.borrow().get(&scope).and_then(|names| names.get(name)) {
            return known.clone();
        }
        let bindings = self.bindings(name, scope);
        let meaning = (!bindings.is_empty()).then(|| decide(bindings));
        self.meanings.borrow_mut().entry(scope).or_default().insert(name.to_owned(), meaning.clone());
        meaning
    }

    /// What is done in the scope of a node with a name that it knows.
    pub fn uses(&self, name: &str, at: Cursor) -> Rc<Uses<'a>> {
        let scope = self.scope(at);
        if let Some(known) = self.uses.borrow().get(&scope).and_then(|names| names.get(name)) {
            return Rc::clone(known);
        }
        let mut uses = Uses::default();
        for line in self.lines(name, scope, may_use) {
            for cursor in self.trees(line).iter().flat_map(Tree::cursors) {
                if let Node::Expr(expr @ Expr::Name(found)) = cursor.node()
                    && found.id.as_str() == name
                    && self.scope(cursor) == scope
                {
                    uses.add(cursor.site(expr));
                }
            }
            if uses.changed.len() >= MOST && uses.unpacked.len() >= MOST {
                break;
            }
        }
        let uses = Rc::new(uses);
        self.uses.borrow_mut().entry(scope).or_default().insert(name.to_owned(), Rc::clone(&uses));
        uses
    }

    /// What was assigned, once, to a name that `+=`, `|=` and the like add to, and what they add in the scope of a node.
    /// Empty for other names.
    pub fn summands(&self, name: &str, at: Cursor) -> Vec<Site<'a>> {
        let Meaning::Value { site, augmented: true } = self.meaning(name, at) else { return Vec::new() };
        let operand = |mention: &Site<'a>| {
            let outer = mention.at.parent()?;
            match outer.node() {
                Node::Stmt(Stmt::AugAssign(assign)) => Some(outer.site(&assign.value)),
                _ => None,
            }
        };
        std::iter::once(site).chain(self.uses(name, at).changed.iter().filter_map(operand)).collect()
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

    fn bindings(&self, name: &str, scope: Scope) -> Vec<Binding<'a>> {
        let mut found = Vec::new();
        let (mut imported, mut known, mut other) = (false, 0, false);
        for line in self.lines(name, scope, may_bind) {
            for cursor in self.trees(line).iter().flat_map(Tree::cursors) {
                let Some((binding, place)) = binding(name, cursor) else { continue };
                let its_scope = match place {
                    Where::Inside | Where::Global(true) | Where::Nonlocal(true) => Some(line),
                    Where::Here | Where::Global(false) | Where::Nonlocal(false) => self.outline().line(line).scope,
                };
                // Who declares a name of another scope may bind it there.
                let declared = match place {
                    Where::Global(_) => scope.is_none(),
                    Where::Nonlocal(_) => scope.is_some(),
                    Where::Here | Where::Inside => false,
                };
                if its_scope == scope || declared {
                    imported |= matches!(binding, Binding::Import(_));
                    known += usize::from(matches!(binding, Binding::Value(_) | Binding::Class(_)));
                    other |= matches!(binding, Binding::Other);
                    found.push(binding);
                }
            }
            // No further binding can make known what these mean.
            if other || known > usize::from(!imported) {
                break;
            }
        }
        found
    }

    /// The lines that mention a name in a way that is `wanted` and that can bind it in a scope, in their order.
    fn lines(
        &self,
        name: &str,
        scope: Scope,
        wanted: impl Fn(&str, Range<usize>) -> bool,
    ) -> impl Iterator<Item = usize> {
        let outline = self.outline();
        let part = match scope {
            Some(header) => {
                let last = outline.line(header).end - 1;
                outline.line(header).range.start..outline.line(last).range.end
            }
            None => 0..self.text.len(),
        };
        // By which a function inside this scope may bind a name of it.
        let declaration = if scope.is_none() { "global" } else { "nonlocal" };
        let mut judged = None;
        let length = name.len();
        self.mentions.of(name, part).into_iter().filter_map(move |start| {
            let at = outline.line_at(start)?;
            if judged == Some((at, true)) {
                return None;
            }
            let line = outline.line(at);
            let code = &self.text[line.range.clone()];
            let matters = Some(at) == scope || line.scope == scope;
            let start = start - line.range.start;
            let is_wanted = match (matters, judged) {
                (true, _) => wanted(code, start..start + length),
                (false, Some((last, _))) if last == at => false,
                (false, _) => memmem::find(code.as_bytes(), declaration.as_bytes()).is_some(),
            };
            judged = Some((at, is_wanted));
            is_wanted.then_some(at)
        })
    }

    /// The lines whose code mentions a name in a scope, in their order.
    pub fn lines_that_mention(&self, name: &str, scope: Scope) -> Vec<usize> {
        self.lines(name, scope, |_, _| true).collect()
    }

    /// Where a word stands in the text, in bytes.
    pub fn mentions(&self, word: &str) -> impl Iterator<Item = Range<usize>> {
        let length = word.len();
        self.mentions.of(word, 0..self.text.len()).into_iter().map(move |start| start..start + length)
    }

    /// The modules of which the text imports `*`.
    fn stars(&self) -> &[String] {
        self.stars.get_or_init(|| {
            let mut modules = Vec::new();
            for at in memmem::find_iter(self.text.as_bytes(), "import *").take(MOST) {
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

impl<'a> Uses<'a> {
    fn add(&mut self, mention: Site<'a>) {
        let Some(parent) = mention.at.parent() else { return };
        let changes = match parent.node() {
            Node::Stmt(Stmt::AugAssign(assign)) => std::ptr::eq(&*assign.target, mention.expr),
            Node::Expr(method @ Expr::Attribute(_)) => parent.parent().is_some_and(
                |outer| matches!(outer.node(), Node::Expr(Expr::Call(call)) if std::ptr::eq(&*call.func, method)),
            ),
            _ => false,
        };
        if changes && self.changed.len() < MOST {
            self.changed.push(mention);
        }
        let mut outside = mention.at.path().skip(1);
        let outer = outside.find(|outer| !matches!(outer.node(), Node::Expr(Expr::Attribute(_))));
        let unpacked = outer.filter(|outer| matches!(outer.node(), Node::Keyword(keyword) if keyword.arg.is_none()));
        if self.unpacked.len() < MOST {
            self.unpacked.extend(unpacked);
        }
    }
}

/// Whether a mention of a name can be one of its [`Uses`], as far as its line tells.
fn may_use(line: &str, mention: Range<usize>) -> bool {
    let (before, after) = (&line[..mention.start], line[mention.end..].trim_start_matches([' ', '\t']));
    let operator = after.trim_start_matches(['+', '-', '*', '/', '%', '@', '&', '|', '^', '<', '>']);
    before.trim_end_matches([' ', '\t', '(']).ends_with("**")
        || after.starts_with(['.', '\\', '\n', '#'])
        || (operator.len() < after.len() && operator.starts_with('='))
}

fn decide(bindings: Vec<Binding<'_>>) -> Meaning<'_> {
    let (mut imports, mut others, mut augmented) = (Vec::new(), Vec::new(), false);
    for binding in bindings {
        match binding {
            Binding::Import(path) if imports.len() >= MOST || imports.contains(&path) => {}
            Binding::Import(path) => imports.push(path),
            Binding::Augmented => augmented = true,
            other => others.push(other),
        }
    }
    match others.as_slice() {
        others if !imports.is_empty() => {
            let is_nothing = |other: &Binding| matches!(other, Binding::Nothing(_));
            if !augmented && others.iter().all(is_nothing) {
                Meaning::Imported(imports.into())
            } else {
                Meaning::Unknown
            }
        }
        [Binding::Value(site) | Binding::Nothing(site)] => Meaning::Value { site: *site, augmented },
        [Binding::Class(class)] => Meaning::Class(*class),
        _ => Meaning::Unknown,
    }
}
