//! Judges the hits of a run: unmarked ones by the counts that the policy tolerates.

use std::collections::BTreeMap;

use serde::Serialize;

use super::check::{CheckedFile, Hit};
use super::marker::Flaw;

/// What a run comes to.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// Every hit, in order of path and line.
    pub hits: Vec<Judged<'a>>,
    /// Entries that name more hits than there are.
    pub stale: Vec<Stale<'a>>,
    /// Whether these fail the run.
    pub strict: bool,
    /// What is wrong with markers, by path, in order of path and line.
    pub flaws: Vec<(&'a str, &'a Flaw)>,
    /// Whether these fail the run.
    pub strict_markers: bool,
    /// Files with more hits than their entry names: path, hits, entry.
    pub exceeded: Vec<(&'a str, usize, usize)>,
}

/// A hit, and what it counts as.
#[derive(Debug)]
pub struct Judged<'a> {
    pub path: &'a str,
    pub hit: &'a Hit,
    pub status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It fails the run.
    Problem,
    /// A marker accepts it.
    Marked,
    /// The baseline covers it.
    Tolerated,
    /// It starts no process, and counts nowhere.
    Dropped,
}

#[derive(Debug)]
pub struct Stale<'a> {
    pub path: &'a str,
    pub tolerated: usize,
    /// None if the file is not among those checked.
    pub hits: Option<usize>,
}

impl<'a> Verdict<'a> {
    pub fn of(&self, status: Status) -> impl Iterator<Item = &Judged<'a>> {
        self.hits.iter().filter(move |judged| judged.status == status)
    }

    /// Whether the run fails.
    pub fn fails(&self) -> bool {
        self.of(Status::Problem).next().is_some()
            || (self.strict && !self.stale.is_empty())
            || (self.strict_markers && !self.flaws.is_empty())
    }
}

/// `files` in order of path; without a hit or with. `strict` tells whether stale entries fail the run.
pub fn judge<'a>(files: &'a [CheckedFile], baseline: &'a BTreeMap<String, usize>, strict: bool) -> Verdict<'a> {
    let mut verdict = Verdict {
        hits: Vec::new(),
        stale: Vec::new(),
        strict,
        flaws: Vec::new(),
        strict_markers: false,
        exceeded: Vec::new(),
    };
    let mut seen = BTreeMap::new();
    for file in files {
        let path = file.path.as_str();
        let unmarked = file.hits.iter().filter(|hit| !hit.dropped && hit.reason.is_none()).count();
        if !baseline.is_empty() {
            seen.insert(path, unmarked);
        }
        let entry = baseline.get(path);
        let covered = entry.is_some_and(|&tolerated| unmarked <= tolerated);
        if let Some(&tolerated) = entry.filter(|_| !covered) {
            verdict.exceeded.push((path, unmarked, tolerated));
        }
        verdict.flaws.extend(file.audit.flaws.iter().map(|flaw| (path, flaw)));
        verdict.hits.extend(file.hits.iter().map(|hit| {
            let status = match hit {
                Hit { dropped: true, .. } => Status::Dropped,
                Hit { reason: Some(_), .. } => Status::Marked,
                _ if covered => Status::Tolerated,
                _ => Status::Problem,
            };
            Judged { path, hit, status }
        }));
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
