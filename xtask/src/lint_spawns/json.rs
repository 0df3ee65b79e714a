//! Words what a run found, for machines: one JSON object.
//!
//! It says all that the text does, and lists every hit, whatever that counts as. Readers rely on its keys: when one goes,
//! or changes its meaning, `version` rises.

use anyhow::{Context as _, Result};
use camino::Utf8Path;
use serde::Serialize;

use super::baseline::{Judged, Status, Verdict};
use super::discover::Warning;
use super::report;
use super::rule::{Rule, Strength};
use crate::output::printable_json;

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
    definition: Option<&'a str>,
    message: String,
    /// Whether it fails the run.
    problem: bool,
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
        kind: "stale-baseline",
        path: Some(stale.path),
        definition: stale.function,
        message: report::describe(stale),
        problem: verdict.strict,
    });
    let warnings = warnings.iter().map(|warning| Advisory {
        kind: warning.kind.name(),
        path: warning.path.as_deref(),
        definition: None,
        message: warning.message.clone(),
        problem: false,
    });
    let report = Report {
        version: 1,
        root: root.as_str(),
        files,
        hits: verdict.hits.iter().map(hit).collect(),
        advisories: stale.chain(warnings).collect(),
        errors,
    };
    let json = serde_json::to_string_pretty(&report).context("a bug: the report cannot be written as JSON")?;
    Ok(printable_json(&json) + "\n")
}

fn hit<'a>(judged: &Judged<'a>) -> Hit<'a> {
    let &Judged { path, hit, status } = judged;
    let rules: Vec<&str> = hit.rules.iter().copied().map(Rule::name).collect();
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
