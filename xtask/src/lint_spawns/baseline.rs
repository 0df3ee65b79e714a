//! Judges the unmarked hits of a run by the counts that the policy tolerates.

use std::collections::BTreeMap;

use super::check::{CheckedFile, Hit};

/// What a run comes to.
#[derive(Debug, Default)]
pub struct Verdict<'a> {
    /// Hits that fail the run, in order of path and line.
    pub problems: Vec<(&'a str, &'a Hit)>,
    /// How many unmarked hits the baseline covers.
    pub tolerated: usize,
    /// Entries that name more hits than there are.
    pub stale: Vec<Stale<'a>>,
    /// Files with more hits than their entry names: path, hits, entry.
    pub exceeded: Vec<(&'a str, usize, usize)>,
}

#[derive(Debug)]
pub struct Stale<'a> {
    pub path: &'a str,
    pub tolerated: usize,
    /// None if the file is not among those checked.
    pub hits: Option<usize>,
}

/// `files` in order of path; without a hit or with.
pub fn judge<'a>(files: &'a [CheckedFile], baseline: &'a BTreeMap<String, usize>) -> Verdict<'a> {
    let mut verdict = Verdict::default();
    let mut seen = BTreeMap::new();
    for file in files {
        let path = file.path.as_str();
        let unmarked: Vec<&Hit> = file.hits.iter().filter(|hit| hit.reason.is_none()).collect();
        if !baseline.is_empty() {
            seen.insert(path, unmarked.len());
        }
        match baseline.get(path) {
            Some(&tolerated) if unmarked.len() <= tolerated => verdict.tolerated += unmarked.len(),
            entry => {
                if let Some(&tolerated) = entry {
                    verdict.exceeded.push((path, unmarked.len(), tolerated));
                }
                verdict.problems.extend(unmarked.into_iter().map(|hit| (path, hit)));
            }
        }
    }
    for (path, &tolerated) in baseline {
        let hits = seen.get(path.as_str()).copied();
        // An entry of none is of no use either.
        if hits.is_none_or(|hits| hits < tolerated.max(1)) {
            verdict.stale.push(Stale { path, tolerated, hits });
        }
    }
    verdict
}
