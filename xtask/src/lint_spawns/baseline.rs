//! What the policy tolerates.

use std::collections::BTreeMap;

/// What an entry by function calls the place of a hit that no class or function holds.
pub const MODULE: &str = "<module>";

/// What is tolerated, by root-relative path.
pub type Baseline = BTreeMap<String, Entry>;

/// The unmarked hits that are tolerated in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// So many, wherever they are.
    File(usize),
    /// So many in each class or function. Those of one name share their count.
    Functions(BTreeMap<String, usize>),
}

impl Entry {
    pub fn total(&self) -> usize {
        match self {
            Entry::File(count) => *count,
            Entry::Functions(counts) => counts.values().sum(),
        }
    }
}
