//! Judges the hits of a run: unmarked ones by the counts that the policy tolerates.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::baseline::{Baseline, Entry, MODULE};
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
    /// Files and functions that have an entry, and more hits than it names.
    pub exceeded: Vec<Exceeded<'a>>,
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
    /// None if it is about the file as a whole.
    pub function: Option<&'a str>,
    pub tolerated: usize,
    /// None if the file is not among those checked.
    pub hits: Option<usize>,
    /// What a file that is gone is called now, if that is known.
    pub renamed_to: Option<String>,
}

#[derive(Debug)]
pub struct Exceeded<'a> {
    pub path: &'a str,
    /// None if it is about the file as a whole.
    pub function: Option<&'a str>,
    pub hits: usize,
    pub tolerated: usize,
}

impl Stale<'_> {
    /// What machines call it.
    pub const KIND: &'static str = "stale-baseline";
}

impl<'a> Verdict<'a> {
    pub fn of(&self, status: Status) -> impl Iterator<Item = &Judged<'a>> {
        self.hits.iter().filter(move |judged| judged.status == status)
    }

    /// The entry that would tolerate the hit if there were fewer.
    pub fn exceeded_by(&self, judged: &Judged) -> Option<&Exceeded<'a>> {
        self.exceeded.iter().find(|exceeded| {
            exceeded.path == judged.path && exceeded.function.is_none_or(|name| name == function(judged.hit))
        })
    }

    /// Whether an entry's file is not among those checked.
    pub fn misses_a_file(&self) -> bool {
        self.stale.iter().any(|stale| stale.hits.is_none())
    }

    /// Takes the new names of files, by the old ones.
    pub fn recognise(&mut self, renamed: &BTreeMap<String, String>) {
        for stale in self.stale.iter_mut().filter(|stale| stale.hits.is_none()) {
            stale.renamed_to = renamed.get(stale.path).cloned();
        }
    }

    /// Whether the run fails.
    pub fn fails(&self) -> bool {
        self.of(Status::Problem).next().is_some()
            || (self.strict && !self.stale.is_empty())
            || (self.strict_markers && !self.flaws.is_empty())
    }
}

/// The entries of `files`, which are in order of path. In a run that does not check all that the policy covers, the others
/// say nothing.
pub fn entries_of(files: &[CheckedFile], baseline: &Baseline) -> Baseline {
    let is_checked = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    let entries = baseline.iter().filter(|(path, _)| is_checked(path));
    entries.map(|(path, entry)| (path.clone(), entry.clone())).collect()
}

/// `files` in order of path; without a hit or with. `strict` tells whether stale entries fail the run.
pub fn judge<'a>(files: &'a [CheckedFile], baseline: &'a Baseline, strict: bool) -> Verdict<'a> {
    let mut verdict = Verdict {
        hits: Vec::new(),
        stale: Vec::new(),
        strict,
        flaws: Vec::new(),
        strict_markers: false,
        exceeded: Vec::new(),
    };
    let mut seen = BTreeSet::new();
    for file in files {
        let entry = baseline.get(file.path.as_str());
        if entry.is_some() {
            seen.insert(file.path.as_str());
        }
        verdict.judge(file, entry);
    }
    for (path, entry) in baseline.iter().filter(|(path, _)| !seen.contains(path.as_str())) {
        let tolerated = entry.total();
        verdict.stale.push(Stale { path, function: None, tolerated, hits: None, renamed_to: None });
    }
    verdict.stale.sort_by_key(|stale| (stale.path, stale.function));
    verdict
}

impl<'a> Verdict<'a> {
    fn judge(&mut self, file: &'a CheckedFile, entry: Option<&'a Entry>) {
        let path = file.path.as_str();
        let found = count(file);
        let mut covered: BTreeSet<&str> = BTreeSet::new();
        match entry {
            None => {}
            Some(&Entry::File(tolerated)) => {
                let hits = found.values().sum();
                if self.compare(path, None, hits, tolerated) {
                    covered.extend(found.keys());
                }
            }
            Some(Entry::Functions(counts)) if counts.is_empty() && found.is_empty() => {
                self.compare(path, None, 0, 0);
            }
            Some(Entry::Functions(counts)) => {
                let unnamed = found.keys().filter(|function| !counts.contains_key(**function));
                let named = counts.keys().map(String::as_str);
                for function in named.chain(unnamed.copied()).collect::<BTreeSet<&str>>() {
                    let hits = found.get(function).copied().unwrap_or_default();
                    let tolerated = counts.get(function).copied().unwrap_or_default();
                    if self.compare(path, Some(function), hits, tolerated) {
                        covered.insert(function);
                    }
                }
            }
        }
        self.flaws.extend(file.audit.flaws.iter().map(|flaw| (path, flaw)));
        self.hits.extend(file.hits.iter().map(|hit| {
            let status = match hit {
                Hit { dropped: true, .. } => Status::Dropped,
                Hit { reason: Some(_), .. } => Status::Marked,
                _ if covered.contains(function(hit)) => Status::Tolerated,
                _ => Status::Problem,
            };
            Judged { path, hit, status }
        }));
    }

    /// Notes what is wrong with a count that an entry names. Whether it covers the hits.
    fn compare(&mut self, path: &'a str, function: Option<&'a str>, hits: usize, tolerated: usize) -> bool {
        if hits > tolerated {
            self.exceeded.push(Exceeded { path, function, hits, tolerated });
        } else if hits < tolerated.max(1) {
            // An entry of none is of no use either.
            self.stale.push(Stale { path, function, tolerated, hits: Some(hits), renamed_to: None });
        }
        hits <= tolerated
    }
}

/// What tolerates the unmarked hits of `files` and no more, by class or function.
pub fn today(files: &[CheckedFile]) -> Baseline {
    let entries = files.iter().filter_map(|file| {
        let counts = count(file).into_iter().map(|(function, count)| (function.to_owned(), count));
        let counts: BTreeMap<String, usize> = counts.collect();
        (!counts.is_empty()).then(|| (file.path.to_string(), Entry::Functions(counts)))
    });
    entries.collect()
}

/// The unmarked hits of a file, by class or function.
fn count(file: &CheckedFile) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for hit in file.hits.iter().filter(|hit| !hit.dropped && hit.reason.is_none()) {
        *counts.entry(function(hit)).or_default() += 1;
    }
    counts
}

/// What an entry calls the place of a hit.
fn function(hit: &Hit) -> &str {
    hit.definition.as_deref().unwrap_or(MODULE)
}
