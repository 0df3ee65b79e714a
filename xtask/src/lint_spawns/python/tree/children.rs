//! The children of a node: all that the parser crate keeps in it, in the order of its fields.

use rustpython_parser::ast::{
    Arguments, Comprehension, ExceptHandler, Expr, Keyword, MatchCase, Pattern, Stmt, TypeParam, WithItem,
};

use super::{Node, Tree};

/// Adds the children of a node that is in the tree already.
pub(super) fn add<'a>(tree: &mut Tree<'a>, node: Node<'a>, at: usize) {
    let mut children = Children { tree, of: at };
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
