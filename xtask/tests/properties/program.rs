//! A program as its generator knows it, before it is laid out.

use std::collections::BTreeSet;

use xtask::lint_spawns::rule::Rule;

pub(crate) struct Program {
    pub(crate) lines: Vec<LogicalLine>,
}

pub(crate) struct LogicalLine {
    /// How many blocks it is in.
    pub(crate) depth: usize,
    /// Without its indentation.
    pub(crate) text: String,
    /// The hits in it. Its first line is 0.
    pub(crate) hits: BTreeSet<(usize, Rule)>,
}
