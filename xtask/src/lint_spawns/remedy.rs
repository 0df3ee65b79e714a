//! What people are told of a single problem: why it matters, which line accepts a hit, where a stale entry stands.

use std::collections::BTreeMap;
use std::ops::Range;

use super::amend;
use super::annotate::{self, Note, Proposal, Reason};
use super::check::{CheckedFile, Hit};
use super::marker::{Flaw, FlawKind};
use super::policy::{Policy, PolicyFile};
use super::program;
use super::report::{self, PLACEHOLDER};
use super::rule::Rule;
use super::verdict::{Exceeded, Stale};
use crate::output::printable;

/// Why a hit matters, in a line.
pub fn why(hit: &Hit) -> String {
    match hit.consequence() {
        Some((_, consequence)) => format!("the child is {consequence}"),
        None => "the statement cannot be parsed, so that it is not known what it starts".to_owned(),
    }
}

/// What is wrong with a marker on its line or the one above it, which somebody may think accepts it; escaped.
pub fn failed_marker(file: &CheckedFile, hit: &Hit) -> Option<String> {
    let beside = |flaw: &&Flaw| flaw.line == hit.line || flaw.line + 1 == hit.line;
    let flaw = file.audit.flaws.iter().filter(beside).find(|flaw| flaw.kind == FlawKind::Malformed)?;
    Some(format!("line {}: {}", flaw.line, printable(&flaw.what)))
}

/// The call to write a marker.
pub fn call(hit: &Hit, Proposal { line, trailing, .. }: &Proposal) -> String {
    let condition = if hit.rules.contains(&Rule::Unparsable) {
        "mend the syntax, or once you have read it"
    } else {
        "where the child is meant to outlive its owner"
    };
    let side = if *trailing { "behind" } else { "above" };
    format!("{condition}, put a marker with the reason {side} line {line}")
}

/// All that is said of a hit where it stands alone, line by line, escaped.
pub fn words(
    file: &CheckedFile,
    hit: &Hit,
    exceeded: Option<&Exceeded>,
    policy: &Policy,
    marker: Option<&Result<Proposal, String>>,
) -> Vec<String> {
    let reasons = [why(hit)].into_iter().chain(failed_marker(file, hit)).map(|reason| capitalised(&reason));
    let mut lines: Vec<String> =
        reasons.chain(exceeded.map(report::describe_exceeded)).map(|line| line + ".").collect();
    if hit.strength.is_some() {
        lines.push(format!("Instead: {}", printable(&policy.advice)));
    }
    match marker {
        Some(Ok(proposal)) => {
            lines.push(capitalised(&call(hit, proposal)) + ":");
            lines.push(printable(&proposal.comment));
        }
        Some(Err(what)) => lines.push(capitalised(&printable(what)) + "."),
        None => {}
    }
    lines.extend(hit.rules.iter().copied().map(|rule| more(rule) + "."));
    lines
}

/// Where stale entries stand, in bytes of the policy's text.
pub fn places(stale: &[Stale], policy: &Policy) -> Vec<Option<Range<usize>>> {
    let text = policy.origin.file.as_ref().map(PolicyFile::body).unwrap_or_default();
    let entries: Vec<_> = stale.iter().map(|stale| (stale.path, stale.function)).collect();
    amend::places(text, &policy.origin.baseline_header, &entries)
}

/// As the beginning of a sentence.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// How to learn more of a rule.
pub fn more(rule: Rule) -> String {
    format!("`{} rule {}` tells more, and what to write instead", program::called(), rule.name())
}

/// The marker for each unmarked hit of a file whose content is kept, by line; or what is said where there can be none.
pub fn markers(file: &CheckedFile, policy: &Policy) -> BTreeMap<usize, Result<Proposal, String>> {
    let unmarked = file.hits.iter().filter(|hit| hit.reason.is_none() && !hit.dropped);
    let lines: Vec<usize> = unmarked.map(|hit| hit.line).collect();
    if lines.is_empty() {
        return BTreeMap::new();
    }
    let note = Reason::new(PLACEHOLDER).and_then(|reason| Note::new(&policy.marker, reason, policy.markers));
    let note = match note {
        Ok(note) => note,
        Err(err) => {
            let what = format!("no marker can be written: {err:#}");
            return lines.into_iter().map(|line| (line, Err(what.clone()))).collect();
        }
    };
    let Some(content) = &file.content else { return BTreeMap::new() };
    let proposals = annotate::propose(content, &lines, note).into_iter().map(|proposal| {
        proposal.map_err(|why| {
            let otherwise = "write the statement in another way, or tolerate the hit in the baseline";
            format!("no marker can stand here, since {why}; {otherwise}")
        })
    });
    lines.iter().copied().zip(proposals).collect()
}
