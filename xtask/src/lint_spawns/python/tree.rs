//! The nodes of a syntax tree, each with the one it belongs to.
//!
//! Every child of every node is there, those included that a visitor of the parser crate leaves out. Nothing here
//! recurses: a tree can be deeper than a thread's stack.

mod children;

use std::ops::Range;

use rustpython_parser::ast::{
    Arg, ArgWithDefault, Comprehension, ExceptHandler, Expr, Keyword, MatchCase, Pattern, Ranged, Stmt, WithItem,
    text_size::TextSize,
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
        while let Some(node) = tree.nodes.get(at).map(|entry| entry.node) {
            children::add(&mut tree, node, at);
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
