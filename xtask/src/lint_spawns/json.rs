//! Words what a run found, for machines: one JSON object, of the check or of the list of markers.
//!
//! It says all that the text does, and lists every hit, whatever that counts as. Readers rely on its keys: when one goes,
//! or changes its meaning, `version` rises.

use anyhow::Result;
use camino::Utf8Path;
use serde::Serialize;

use super::check::CheckedFile;
use super::discover::Warning;
use super::marker::Flaw;
use super::report;
use super::rule::Strength;
use super::verdict::{Judged, Stale, Status, Verdict};
use crate::output;

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    root: &'a str,
    files: usize,
    hits: Vec<Hit<'a>>,
    advisories: Vec<Advisory<'a>>,
    /// What could not be looked at.
    errors: &'a [String],
}

#[derive(Serialize)]
struct Hit<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    rule: Option<&'static str>,
    rules: Vec<&'static str>,
    strength: Option<Strength>,
    source: &'a str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Advisory<'a> {
    kind: &'static str,
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<&'a str>,
    message: String,
    /// Whether it fails the run.
    problem: bool,
}

#[derive(Serialize)]
struct MarkerList<'a> {
    version: u32,
    root: &'a str,
    files: usize,
    markers: Vec<Marker<'a>>,
    advisories: Vec<Advisory<'a>>,
    errors: &'a [String],
}

#[derive(Serialize)]
struct Marker<'a> {
    path: &'a str,
    line: usize,
    reason: &'a str,
    /// Those that it covers.
    hits: Vec<CoveredHit>,
}

#[derive(Serialize)]
struct CoveredHit {
    line: usize,
    rule: Option<&'static str>,
    rules: Vec<&'static str>,
}

/// The report of a check of so many files.
pub fn check(
    root: &Utf8Path,
    files: usize,
    verdict: &Verdict,
    warnings: &[Warning],
    errors: &[String],
) -> Result<String> {
    let stale = verdict.stale.iter().map(|stale| Advisory {
        kind: Stale::KIND,
        path: Some(stale.path),
        line: None,
        definition: stale.function,
        message: report::describe(stale),
        problem: verdict.strict,
    });
    let flaws = verdict.flaws.iter().map(|&(path, flaw)| flawed(path, flaw, verdict.strict_markers));
    let report = Report {
        version: 1,
        root: root.as_str(),
        files,
        hits: verdict.hits.iter().map(hit).collect(),
        advisories: flaws.chain(stale).chain(warnings.iter().map(warned)).collect(),
        errors,
    };
    output::json(&report)
}

/// The list of the markers in the files that were checked.
pub fn markers(root: &Utf8Path, files: &[CheckedFile], warnings: &[Warning], errors: &[String]) -> Result<String> {
    let mut markers = Vec::new();
    let mut advisories = Vec::new();
    for file in files {
        let path = file.path.as_str();
        markers.extend(file.audit.markers.iter().map(|marker| {
            Marker {
                path,
                line: marker.line,
                reason: &marker.reason,
                hits: file
                    .covered_by(marker)
                    .map(|hit| {
                        let rules = hit.rule_names();
                        CoveredHit { line: hit.line, rule: rules.first().copied(), rules }
                    })
                    .collect(),
            }
        }));
        advisories.extend(file.audit.flaws.iter().map(|flaw| flawed(path, flaw, false)));
    }
    advisories.extend(warnings.iter().map(warned));
    output::json(&MarkerList { version: 1, root: root.as_str(), files: files.len(), markers, advisories, errors })
}

fn flawed<'a>(path: &'a str, flaw: &Flaw, problem: bool) -> Advisory<'a> {
    Advisory {
        kind: flaw.kind.name(),
        path: Some(path),
        line: Some(flaw.line),
        definition: None,
        message: report::describe_flaw(path, flaw),
        problem,
    }
}

fn warned(warning: &Warning) -> Advisory<'_> {
    Advisory {
        kind: warning.kind.name(),
        path: warning.path.as_deref(),
        line: None,
        definition: None,
        message: warning.message.clone(),
        problem: false,
    }
}

fn hit<'a>(judged: &Judged<'a>) -> Hit<'a> {
    let &Judged { path, hit, status } = judged;
    let rules = hit.rule_names();
    Hit {
        path,
        line: hit.line,
        column: hit.column,
        end_line: hit.end_line,
        end_column: hit.end_column,
        rule: rules.first().copied(),
        rules,
        strength: hit.strength,
        source: &hit.source,
        status,
        reason: hit.reason.as_deref().filter(|_| status == Status::Marked),
    }
}
