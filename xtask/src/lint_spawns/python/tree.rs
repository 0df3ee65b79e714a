//! The nodes of a syntax tree, each with the one it belongs to.
//!
//! Every child of every node is there, those included that a visitor of the parser crate leaves out. Nothing here
//! recurses: a tree can be deeper than a thread's stack.

use std::ops::Range;

use rustpython_parser::ast::{
    Arg, ArgWithDefault, Arguments, Comprehension, ExceptHandler, Expr, Keyword, MatchCase, Pattern, Ranged, Stmt,
    TypeParam, WithItem, text_size::TextSize,
};

/// A part of a program, as the parser crate has it.
#[derive(Debug, Clone, Copy)]
pub enum Node<'a> {
    Stmt(&'a Stmt),
    Expr(&'a Expr),
    Pattern(&'a Pattern),
    Keyword(&'a Keyword),
    Parameter(&'a ArgWithDefault),
    /// `*args` or `**kwargs` of a definition.
    Rest(&'a Arg),
    Comprehension(&'a Comprehension),
    WithItem(&'a WithItem),
    Handler(&'a ExceptHandler),
    Case(&'a MatchCase),
}

impl Node<'_> {
    /// Whether what is in it may be in another block, or see other names, than what it is in.
    fn is_frame(self) -> bool {
        match self {
            Node::Stmt(_) | Node::Comprehension(_) => true,
            Node::Expr(expr) => matches!(
                expr,
                Expr::Lambda(_) | Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::GeneratorExp(_)
            ),
            _ => false,
        }
    }
}

/// A syntax tree that can be walked upwards.
#[derive(Debug)]
pub struct Tree<'a> {
    /// Where the statement starts in the whole text, in bytes.
    start: usize,
    /// How many bytes of the parsed source come before the statement.
    shift: usize,
    /// A parent comes before its children.
    nodes: Vec<Entry<'a>>,
}

#[derive(Debug)]
struct Entry<'a> {
    node: Node<'a>,
    /// The place of its parent among the nodes, or its own if it has none.
    parent: u32,
    /// The first one on the way up, itself included, whose parent is a frame. The top has none around it.
    branch: u32,
}

/// A node in its tree.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'t> {
    tree: &'t Tree<'t>,
    at: usize,
}

/// An expression, and a node around it that tells where it is.
#[derive(Debug, Clone, Copy)]
pub struct Site<'t> {
    pub expr: &'t Expr,
    pub at: Cursor<'t>,
}

impl<'a> Tree<'a> {
    /// Of a statement that starts at `start` in the whole text, and `shift` bytes later in what was parsed.
    pub fn new(module: &'a [Stmt], start: usize, shift: usize) -> Tree<'a> {
        let mut tree = Tree { start, shift, nodes: Vec::new() };
        for (at, stmt) in module.iter().enumerate() {
            tree.add(Node::Stmt(stmt), at);
        }
        let mut at = 0;
        while let Some(entry) = tree.nodes.get(at) {
            tree.add_children(entry.node, at);
            at += 1;
        }
        tree
    }

    /// Where the statement starts in the whole text, in bytes.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Where `part` of this tree stands in the whole text, in bytes.
    pub fn place(&self, part: &impl Ranged) -> Range<usize> {
        let range = part.range();
        let place = |at: TextSize| self.start + at.to_usize().saturating_sub(self.shift);
        place(range.start())..place(range.end())
    }

    /// All nodes, each after the one it belongs to.
    pub fn cursors(&self) -> impl Iterator<Item = Cursor<'_>> {
        (0..self.nodes.len()).map(|at| Cursor { tree: self, at })
    }

    fn add(&mut self, node: Node<'a>, parent: usize) {
        // Statements with more nodes are not parsed.
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let branch = match self.nodes.get(parent) {
            Some(outer) if !outer.node.is_frame() => outer.branch,
            _ => place(self.nodes.len()),
        };
        self.nodes.push(Entry { node, parent: place(parent), branch });
    }

    fn add_children(&mut self, node: Node<'a>, at: usize) {
        let mut children = Children { tree: self, of: at };
        match node {
            Node::Stmt(stmt) => children.of_stmt(stmt),
            Node::Expr(expr) => children.of_expr(expr),
            Node::Pattern(pattern) => children.of_pattern(pattern),
            Node::Keyword(keyword) => children.one(&keyword.value),
            Node::Parameter(parameter) => {
                children.maybe(parameter.def.annotation.as_deref());
                children.maybe(parameter.default.as_deref());
            }
            Node::Rest(rest) => children.maybe(rest.annotation.as_deref()),
            Node::Comprehension(comprehension) => {
                children.one(&comprehension.target);
                children.one(&comprehension.iter);
                children.exprs(&comprehension.ifs);
            }
            Node::WithItem(item) => {
                children.one(&item.context_expr);
                children.maybe(item.optional_vars.as_deref());
            }
            Node::Handler(ExceptHandler::ExceptHandler(handler)) => {
                children.maybe(handler.type_.as_deref());
                children.stmts(&handler.body);
            }
            Node::Case(case) => {
                children.add(Node::Pattern(&case.pattern));
                children.maybe(case.guard.as_deref());
                children.stmts(&case.body);
            }
        }
    }
}

impl<'t> Cursor<'t> {
    pub fn tree(self) -> &'t Tree<'t> {
        self.tree
    }

    pub fn node(self) -> Node<'t> {
        self.tree.nodes[self.at].node
    }

    /// None at the top of the tree.
    pub fn parent(self) -> Option<Cursor<'t>> {
        let parent = self.tree.nodes[self.at].parent as usize;
        (parent != self.at).then_some(Cursor { at: parent, ..self })
    }

    /// This node and those around it, from the inside out.
    pub fn path(self) -> impl Iterator<Item = Cursor<'t>> {
        std::iter::successors(Some(self), |cursor| cursor.parent())
    }

    /// The frames around this node, from the inside out, each behind its child that the way up comes from. However deep
    /// an expression is, there are few.
    pub fn frames(self) -> impl Iterator<Item = (Cursor<'t>, Cursor<'t>)> {
        let mut at = self;
        std::iter::from_fn(move || {
            let child = Cursor { at: at.tree.nodes[at.at].branch as usize, ..at };
            at = child.parent()?;
            Some((child, at))
        })
    }

    /// An expression in this tree that belongs to the node.
    pub fn site(self, expr: &'t Expr) -> Site<'t> {
        Site { expr, at: self }
    }
}

impl<'t> Site<'t> {
    /// Another expression that belongs to the same node.
    pub fn with(self, expr: &'t Expr) -> Site<'t> {
        Site { expr, ..self }
    }

    /// Where it stands in the whole text, in bytes.
    pub fn place(self) -> Range<usize> {
        self.at.tree.place(self.expr)
    }
}

/// What a string literal says.
pub fn text_of(expr: &Expr) -> Option<&str> {
    expr.as_constant_expr()?.value.as_str().map(String::as_str)
}

/// Collects the children of one node.
struct Children<'t, 'a> {
    tree: &'t mut Tree<'a>,
    of: usize,
}

impl<'a> Children<'_, 'a> {
    fn of_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.exprs(&def.decorator_list);
                self.type_params(&def.type_params);
                self.arguments(&def.args);
                self.maybe(def.returns.as_deref());
                self.stmts(&def.body);
            }
            Stmt::AsyncFunctionDef(def) => {
                self.exprs(&def.decorator_list);
                self.type_params(&def.type_params);
                self.arguments(&def.args);
                self.maybe(def.returns.as_deref());
                self.stmts(&def.body);
            }
            Stmt::ClassDef(class) => {
                self.exprs(&class.decorator_list);
                self.type_params(&class.type_params);
                self.exprs(&class.bases);
                self.keywords(&class.keywords);
                self.stmts(&class.body);
            }
            Stmt::Return(stmt) => self.maybe(stmt.value.as_deref()),
            Stmt::Delete(stmt) => self.exprs(&stmt.targets),
            Stmt::Assign(stmt) => {
                self.exprs(&stmt.targets);
                self.one(&stmt.value);
            }
            Stmt::TypeAlias(stmt) => {
                self.one(&stmt.name);
                self.type_params(&stmt.type_params);
                self.one(&stmt.value);
            }
            Stmt::AugAssign(stmt) => {
                self.one(&stmt.target);
                self.one(&stmt.value);
            }
            Stmt::AnnAssign(stmt) => {
                self.one(&stmt.target);
                self.one(&stmt.annotation);
                self.maybe(stmt.value.as_deref());
            }
            Stmt::For(stmt) => {
                self.one(&stmt.target);
                self.one(&stmt.iter);
                self.stmts(&stmt.body);
                self.stmts(&stmt.orelse);
            }
            Stmt::AsyncFor(stmt) => {
                self.one(&stmt.target);
                self.one(&stmt.iter);
                self.stmts(&stmt.body);
                self.stmts(&stmt.orelse);
            }
            Stmt::While(stmt) => {
                self.one(&stmt.test);
                self.stmts(&stmt.body);
                self.stmts(&stmt.orelse);
            }
            Stmt::If(stmt) => {
                self.one(&stmt.test);
                self.stmts(&stmt.body);
                self.stmts(&stmt.orelse);
            }
            Stmt::With(stmt) => {
                self.with_items(&stmt.items);
                self.stmts(&stmt.body);
            }
            Stmt::AsyncWith(stmt) => {
                self.with_items(&stmt.items);
                self.stmts(&stmt.body);
            }
            Stmt::Match(stmt) => {
                self.one(&stmt.subject);
                self.cases(&stmt.cases);
            }
            Stmt::Raise(stmt) => {
                self.maybe(stmt.exc.as_deref());
                self.maybe(stmt.cause.as_deref());
            }
            Stmt::Try(stmt) => {
                self.stmts(&stmt.body);
                self.handlers(&stmt.handlers);
                self.stmts(&stmt.orelse);
                self.stmts(&stmt.finalbody);
            }
            Stmt::TryStar(stmt) => {
                self.stmts(&stmt.body);
                self.handlers(&stmt.handlers);
                self.stmts(&stmt.orelse);
                self.stmts(&stmt.finalbody);
            }
            Stmt::Assert(stmt) => {
                self.one(&stmt.test);
                self.maybe(stmt.msg.as_deref());
            }
            Stmt::Expr(stmt) => self.one(&stmt.value),
            Stmt::Import(_)
            | Stmt::ImportFrom(_)
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::Pass(_)
            | Stmt::Break(_)
            | Stmt::Continue(_) => {}
        }
    }

    fn of_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::BoolOp(expr) => self.exprs(&expr.values),
            Expr::NamedExpr(expr) => {
                self.one(&expr.target);
                self.one(&expr.value);
            }
            Expr::BinOp(expr) => {
                self.one(&expr.left);
                self.one(&expr.right);
            }
            Expr::UnaryOp(expr) => self.one(&expr.operand),
            Expr::Lambda(expr) => {
                self.arguments(&expr.args);
                self.one(&expr.body);
            }
            Expr::IfExp(expr) => {
                self.one(&expr.test);
                self.one(&expr.body);
                self.one(&expr.orelse);
            }
            Expr::Dict(dict) => {
                for key in &dict.keys {
                    self.maybe(key.as_ref());
                }
                self.exprs(&dict.values);
            }
            Expr::Set(expr) => self.exprs(&expr.elts),
            Expr::ListComp(expr) => {
                self.one(&expr.elt);
                self.comprehensions(&expr.generators);
            }
            Expr::SetComp(expr) => {
                self.one(&expr.elt);
                self.comprehensions(&expr.generators);
            }
            Expr::DictComp(expr) => {
                self.one(&expr.key);
                self.one(&expr.value);
                self.comprehensions(&expr.generators);
            }
            Expr::GeneratorExp(expr) => {
                self.one(&expr.elt);
                self.comprehensions(&expr.generators);
            }
            Expr::Await(expr) => self.one(&expr.value),
            Expr::Yield(expr) => self.maybe(expr.value.as_deref()),
            Expr::YieldFrom(expr) => self.one(&expr.value),
            Expr::Compare(expr) => {
                self.one(&expr.left);
                self.exprs(&expr.comparators);
            }
            Expr::Call(call) => {
                self.one(&call.func);
                self.exprs(&call.args);
                self.keywords(&call.keywords);
            }
            Expr::FormattedValue(expr) => {
                self.one(&expr.value);
                self.maybe(expr.format_spec.as_deref());
            }
            Expr::JoinedStr(expr) => self.exprs(&expr.values),
            Expr::Attribute(attribute) => {
                self.one(&attribute.value);
            }
            Expr::Subscript(expr) => {
                self.one(&expr.value);
                self.one(&expr.slice);
            }
            Expr::Starred(expr) => self.one(&expr.value),
            Expr::List(expr) => self.exprs(&expr.elts),
            Expr::Tuple(expr) => self.exprs(&expr.elts),
            Expr::Slice(expr) => {
                self.maybe(expr.lower.as_deref());
                self.maybe(expr.upper.as_deref());
                self.maybe(expr.step.as_deref());
            }
            Expr::Name(_) | Expr::Constant(_) => {}
        }
    }

    fn of_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchValue(pattern) => self.one(&pattern.value),
            Pattern::MatchSequence(pattern) => self.patterns(&pattern.patterns),
            Pattern::MatchMapping(pattern) => {
                self.exprs(&pattern.keys);
                self.patterns(&pattern.patterns);
            }
            Pattern::MatchClass(pattern) => {
                self.one(&pattern.cls);
                self.patterns(&pattern.patterns);
                self.patterns(&pattern.kwd_patterns);
            }
            Pattern::MatchAs(pattern) => {
                if let Some(pattern) = pattern.pattern.as_deref() {
                    self.add(Node::Pattern(pattern));
                }
            }
            Pattern::MatchOr(pattern) => self.patterns(&pattern.patterns),
            Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {}
        }
    }

    fn keywords(&mut self, keywords: &'a [Keyword]) {
        for keyword in keywords {
            self.add(Node::Keyword(keyword));
        }
    }

    fn arguments(&mut self, arguments: &'a Arguments) {
        for parameter in arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs) {
            self.add(Node::Parameter(parameter));
        }
        for rest in [&arguments.vararg, &arguments.kwarg].into_iter().flatten() {
            self.add(Node::Rest(rest));
        }
    }

    fn type_params(&mut self, type_params: &'a [TypeParam]) {
        for type_param in type_params {
            match type_param {
                TypeParam::TypeVar(type_var) => self.maybe(type_var.bound.as_deref()),
                TypeParam::ParamSpec(_) | TypeParam::TypeVarTuple(_) => {}
            }
        }
    }

    fn comprehensions(&mut self, comprehensions: &'a [Comprehension]) {
        for comprehension in comprehensions {
            self.add(Node::Comprehension(comprehension));
        }
    }

    fn with_items(&mut self, items: &'a [WithItem]) {
        for item in items {
            self.add(Node::WithItem(item));
        }
    }

    fn handlers(&mut self, handlers: &'a [ExceptHandler]) {
        for handler in handlers {
            self.add(Node::Handler(handler));
        }
    }

    fn cases(&mut self, cases: &'a [MatchCase]) {
        for case in cases {
            self.add(Node::Case(case));
        }
    }

    fn add(&mut self, node: Node<'a>) {
        self.tree.add(node, self.of);
    }

    fn one(&mut self, expr: &'a Expr) {
        self.add(Node::Expr(expr));
    }

    fn maybe(&mut self, expr: Option<&'a Expr>) {
        if let Some(expr) = expr {
            self.one(expr);
        }
    }

    fn exprs(&mut self, exprs: &'a [Expr]) {
        for expr in exprs {
            self.one(expr);
        }
    }

    fn stmts(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            self.add(Node::Stmt(stmt));
        }
    }

    fn patterns(&mut self, patterns: &'a [Pattern]) {
        for pattern in patterns {
            self.add(Node::Pattern(pattern));
        }
    }
}
