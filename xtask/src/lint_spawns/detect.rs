//! Finds the shapes in a syntax tree.
//!
//! Every child of every node is visited: a shape is one wherever Python lets it stand. The walk keeps its own stack,
//! since a tree can be deeper than a thread's.

use rustpython_parser::ast::{
    Arguments, Comprehension, Constant, ExceptHandler, Expr, Keyword, MatchCase, Pattern, Ranged, Stmt, TypeParam,
    WithItem, bigint::BigInt,
};

use super::rule::Rule;

/// A shape, and where the line of its hit is: an offset in bytes of the parsed source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub rule: Rule,
    pub offset: usize,
}

/// The shapes in `module`, in no order. `helpers` are the functions whose call detaches.
pub fn detect(module: &[Stmt], helpers: &[String]) -> Vec<Shape> {
    let mut walk = Walk { helpers, shapes: Vec::new(), stack: module.iter().map(Node::Stmt).collect() };
    while let Some(node) = walk.stack.pop() {
        match node {
            Node::Stmt(stmt) => walk.stmt(stmt),
            Node::Expr(expr) => walk.expr(expr),
            Node::Pattern(pattern) => walk.pattern(pattern),
        }
    }
    walk.shapes
}

enum Node<'a> {
    Stmt(&'a Stmt),
    Expr(&'a Expr),
    Pattern(&'a Pattern),
}

struct Walk<'a> {
    helpers: &'a [String],
    shapes: Vec<Shape>,
    stack: Vec<Node<'a>>,
}

impl<'a> Walk<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) {
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
                for target in &stmt.targets {
                    self.assignment(target, &stmt.value);
                }
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

    fn expr(&mut self, expr: &'a Expr) {
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
                for (key, value) in dict.keys.iter().zip(&dict.values) {
                    if let Some(key) = key {
                        self.item(key, value, key);
                        self.one(key);
                    }
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
                let name = match &*call.func {
                    Expr::Name(name) => Some(name.id.as_str()),
                    Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
                    _ => None,
                };
                if name.is_some_and(|name| self.helpers.iter().any(|helper| helper == name)) {
                    self.found(Rule::DetachHelper, expr);
                }
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
                if Rule::OsSetsid.needles().contains(&attribute.attr.as_str())
                    && matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "os")
                {
                    self.found(Rule::OsSetsid, expr);
                }
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

    fn pattern(&mut self, pattern: &'a Pattern) {
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
                self.stack.extend(pattern.pattern.as_deref().map(Node::Pattern));
            }
            Pattern::MatchOr(pattern) => self.patterns(&pattern.patterns),
            Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {}
        }
    }

    fn keywords(&mut self, keywords: &'a [Keyword]) {
        for keyword in keywords {
            let rule = keyword.arg.as_deref().and_then(|name| detaching(name, &keyword.value));
            if let Some(rule) = rule {
                self.found(rule, &keyword.value);
            }
            self.one(&keyword.value);
        }
    }

    /// `target = value`, where the target may be an item of a dict.
    fn assignment(&mut self, target: &'a Expr, value: &'a Expr) {
        if let Expr::Subscript(subscript) = target {
            self.item(&subscript.slice, value, target);
        }
    }

    fn item(&mut self, key: &'a Expr, value: &'a Expr, place: &'a Expr) {
        if let Expr::Constant(constant) = key
            && let Constant::Str(name) = &constant.value
            && let Some(rule) = detaching(name, value)
        {
            self.found(rule, place);
        }
    }

    fn found(&mut self, rule: Rule, place: &Expr) {
        self.shapes.push(Shape { rule, offset: place.start().to_usize() });
    }

    fn arguments(&mut self, arguments: &'a Arguments) {
        let plain = arguments.posonlyargs.iter().chain(&arguments.args).chain(&arguments.kwonlyargs);
        for argument in plain {
            self.maybe(argument.def.annotation.as_deref());
            self.maybe(argument.default.as_deref());
        }
        for argument in [&arguments.vararg, &arguments.kwarg].into_iter().flatten() {
            self.maybe(argument.annotation.as_deref());
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
            self.one(&comprehension.target);
            self.one(&comprehension.iter);
            self.exprs(&comprehension.ifs);
        }
    }

    fn with_items(&mut self, items: &'a [WithItem]) {
        for item in items {
            self.one(&item.context_expr);
            self.maybe(item.optional_vars.as_deref());
        }
    }

    fn handlers(&mut self, handlers: &'a [ExceptHandler]) {
        for ExceptHandler::ExceptHandler(handler) in handlers {
            self.maybe(handler.type_.as_deref());
            self.stmts(&handler.body);
        }
    }

    fn cases(&mut self, cases: &'a [MatchCase]) {
        for case in cases {
            self.stack.push(Node::Pattern(&case.pattern));
            self.maybe(case.guard.as_deref());
            self.stmts(&case.body);
        }
    }

    fn one(&mut self, expr: &'a Expr) {
        self.stack.push(Node::Expr(expr));
    }

    fn maybe(&mut self, expr: Option<&'a Expr>) {
        self.stack.extend(expr.map(Node::Expr));
    }

    fn exprs(&mut self, exprs: &'a [Expr]) {
        self.stack.extend(exprs.iter().map(Node::Expr));
    }

    fn stmts(&mut self, stmts: &'a [Stmt]) {
        self.stack.extend(stmts.iter().map(Node::Stmt));
    }

    fn patterns(&mut self, patterns: &'a [Pattern]) {
        self.stack.extend(patterns.iter().map(Node::Pattern));
    }
}

/// The rule by which the Popen argument `name` with this value detaches.
fn detaching(name: &str, value: &Expr) -> Option<Rule> {
    let literal = value.as_constant_expr().map(|constant| &constant.value);
    match name {
        "start_new_session" => (!literal.is_some_and(is_false)).then_some(Rule::StartNewSession),
        "process_group" => (!matches!(literal, Some(Constant::None))).then_some(Rule::ProcessGroup),
        _ => None,
    }
}

fn is_false(literal: &Constant) -> bool {
    match literal {
        Constant::None | Constant::Bool(false) => true,
        Constant::Int(int) => *int == BigInt::from(0),
        Constant::Float(float) => *float == 0.0,
        Constant::Complex { real, imag } => *real == 0.0 && *imag == 0.0,
        Constant::Bool(true) | Constant::Str(_) | Constant::Bytes(_) | Constant::Tuple(_) | Constant::Ellipsis => false,
    }
}
