//! Words what a run found as a SARIF 2.1.0 log, for code scanning and other collectors of such.
//!
//! What a marker or the baseline accepts is a suppressed result; what `precise` drops is none. Readers rely on rule ids and
//! fingerprints: when what makes a fingerprint changes, the key of it does.

mod log;

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Result;
use camino::Utf8Path;

use super::checkout::Checkout;
use super::lines::Lines;
use super::marker::{Flaw, FlawKind};
use super::program::NAME;
use super::run::Run;
use super::verdict::{Judged, Stale, Status, Verdict};
use super::{explain, remedy, report};
use crate::Outcome;
use crate::output::{self, printable};
use log::{
    ArtifactLocation, Configuration, ContextRegion, Descriptor, Driver, Finding, Invocation, Level, Location, Log,
    LogicalLocation, Message, Notification, PhysicalLocation, Properties, Reference, Region, Snippet, Suppression,
    Tags, Tool,
};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What relative paths begin at.
const BASE: &str = "%SRCROOT%";

/// What makes it is told by [`Fingerprints`].
const FINGERPRINT: &str = "lintSpawns/v1";

/// The log of a run that ends like this. `all` tells whether what fails no run is among the results.
pub fn check(run: &Run, verdict: &Verdict, outcome: Outcome, all: bool) -> Result<String> {
    let checkout = Checkout::of(run);
    let mut writer = Writer { run, verdict, checkout, rules: rules(run), fingerprints: Fingerprints::default() };
    let mut results = Vec::new();
    for hits in verdict.hits.chunk_by(|a, b| a.path == b.path) {
        writer.hits(hits, all, &mut results);
    }
    if all || verdict.strict_markers {
        for flaws in verdict.flaws.chunk_by(|(a, _), (b, _)| a == b) {
            writer.flaws(flaws, &mut results);
        }
    }
    if all || verdict.strict {
        writer.stale(&mut results);
    }
    let base = ArtifactLocation { uri: format!("{}/", file_uri(&writer.checkout.top)), uri_base_id: None };
    let warnings =
        run.warnings.iter().map(|warning| notification(Level::Warning, warning.kind.name(), &warning.message));
    let errors = run.errors.iter().map(|error| notification(Level::Error, "not-checked", error));
    let invocation = Invocation {
        execution_successful: run.errors.is_empty(),
        exit_code: outcome.code(),
        tool_execution_notifications: errors.chain(warnings).collect(),
    };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [log::Run {
            tool: Tool {
                driver: Driver { name: NAME, version: VERSION, semantic_version: VERSION, rules: writer.rules },
            },
            invocations: [invocation],
            original_uri_base_ids: BTreeMap::from([(BASE, base)]),
            column_kind: "unicodeCodePoints",
            newline_sequences: ["\r\n", "\n", "\r"],
            results,
        }],
    };
    output::json(&log)
}

fn notification<'a>(level: Level, id: &'a str, message: &str) -> Notification<'a> {
    Notification { level, message: Message::without_arguments(message), descriptor: Reference { id } }
}

/// Those in force, and what else results are about.
fn rules(run: &Run) -> Vec<Descriptor> {
    let rules = run.policy.rules.iter().map(|rule| Descriptor {
        id: rule.name(),
        name: pascal_case(rule.name()),
        short_description: rule.flagged().into(),
        full_description: rule.introduction().into(),
        help: Message { text: explain::explain(*rule), markdown: Some(rule.text()) },
        default_configuration: Configuration { level: Level::Error },
        properties: Tags { tags: ["processes", rule.group().name()] },
    });
    let about = |id: &'static str, tag, level, what: &str, help: &str| Descriptor {
        id,
        name: pascal_case(id),
        short_description: what.into(),
        full_description: what.into(),
        help: help.into(),
        default_configuration: Configuration { level },
        properties: Tags { tags: ["processes", tag] },
    };
    let others = [
        about(
            FlawKind::Unused.name(),
            "marker",
            Level::Warning,
            "a marker that accepts nothing",
            "What it accepted is gone, or has a nearer marker. Remove it, before it accepts what nobody has judged.",
        ),
        about(
            FlawKind::Malformed.name(),
            "marker",
            Level::Warning,
            "a comment that was meant for a marker and does not count",
            "Write the marker's text as the policy has it, then a dash and a reason.",
        ),
        about(
            Stale::KIND,
            "baseline",
            Level::Note,
            "an entry of the baseline that tolerates more than there is",
            "Lower or remove it, or let `lint-spawns baseline prune` do it, so that nothing new hides behind it.",
        ),
    ];
    rules.chain(others).collect()
}

fn pascal_case(name: &str) -> String {
    name.split('-').map(remedy::capitalised).collect()
}

struct Writer<'a> {
    run: &'a Run,
    verdict: &'a Verdict<'a>,
    checkout: Checkout<'a>,
    rules: Vec<Descriptor>,
    fingerprints: Fingerprints,
}

impl<'a> Writer<'a> {
    /// Of one file.
    fn hits(&mut self, hits: &[Judged<'a>], all: bool, results: &mut Vec<Finding<'a>>) {
        let Some((file, text)) = hits.first().and_then(|hit| self.run.text(hit.path)) else { return };
        let lines = Lines::new(&text);
        let markers = remedy::markers(file, &self.run.policy);
        for judged in hits {
            let &Judged { path, hit, status } = judged;
            let Some(rule) = hit.rules.first() else { continue };
            let rules = hit.rule_names();
            let definition = hit.definition.as_deref();
            // Those of what is left out count as well: that of the others must not depend on them.
            let fingerprint = self.fingerprints.next(&[
                self.checkout.path(path).as_str(),
                definition.unwrap_or_default(),
                &rules.join(","),
                &hit.source,
            ]);
            let (level, message, suppression) = match status {
                Status::Problem => {
                    let exceeded = self.verdict.exceeded_by(judged);
                    let words = remedy::words(file, hit, exceeded, &self.run.policy, markers.get(&hit.line));
                    (Level::Error, words.join("\n"), None)
                }
                Status::Marked => {
                    let reason = hit.reason.clone().unwrap_or_default();
                    (Level::Note, suppressed(hit), Some(("inSource", reason)))
                }
                Status::Tolerated => {
                    let reason = format!("The baseline in {} tolerates it.", printable(&self.run.policy.origin.name));
                    (Level::Note, suppressed(hit), Some(("external", reason)))
                }
                Status::Dropped => continue,
            };
            if suppression.is_some() && !all {
                continue;
            }
            let range = hit.shapes.first().map(|(_, range)| range.clone());
            let mut location = self.location(&self.checkout.path(path), &lines, range);
            location.logical_locations.extend(definition.map(|name| LogicalLocation { fully_qualified_name: name }));
            let suppression =
                suppression.map(|(kind, justification)| Suppression { kind, status: "accepted", justification });
            results.push(Finding {
                suppressions: suppression.into_iter().collect(),
                properties: Some(Properties { rules, strength: hit.strength }),
                ..self.finding(rule.name(), level, message, location, fingerprint)
            });
        }
    }

    /// Of one file.
    fn flaws(&mut self, flaws: &[(&'a str, &'a Flaw)], results: &mut Vec<Finding<'a>>) {
        let Some((_, text)) = flaws.first().and_then(|(path, _)| self.run.text(path)) else { return };
        let lines = Lines::new(&text);
        let level = if self.verdict.strict_markers { Level::Error } else { Level::Warning };
        for (path, flaw) in flaws {
            let file = self.checkout.path(path);
            let name = flaw.kind.name();
            let fingerprint = self.fingerprints.next(&[file.as_str(), name, lines.line(flaw.line).trim()]);
            let location = self.location(&file, &lines, Some(flaw.range.clone()));
            let message = remedy::capitalised(&printable(&flaw.what)) + ".";
            results.push(self.finding(name, level, message, location, fingerprint));
        }
    }

    /// They are in the policy.
    fn stale(&mut self, results: &mut Vec<Finding<'a>>) {
        let origin = &self.run.policy.origin;
        let (Some(policy), Some(file)) = (&origin.file, self.checkout.policy(&self.run.policy)) else { return };
        let lines = Lines::new(policy.body());
        let stale = &self.verdict.stale;
        let level = if self.verdict.strict { Level::Error } else { Level::Note };
        for (stale, range) in stale.iter().zip(remedy::places(stale, &self.run.policy)) {
            let fingerprint =
                self.fingerprints.next(&[file.as_str(), Stale::KIND, stale.path, stale.function.unwrap_or_default()]);
            let location = self.location(&file, &lines, range);
            results.push(self.finding(Stale::KIND, level, report::describe(stale) + ".", location, fingerprint));
        }
    }

    /// `file` is relative to the top of the work tree, or absolute.
    fn location(&self, file: &Utf8Path, lines: &Lines, range: Option<Range<usize>>) -> Location<'a> {
        let snippet = |range: Range<usize>| Snippet { text: lines.text().get(range).unwrap_or_default().to_owned() };
        let regions = range.map(|range| {
            let (start_line, start_column) = lines.place(range.start);
            let (end_line, end_column) = lines.place(range.end);
            let whole = lines.range(start_line).start..lines.range(end_line).end;
            // By the standard there is more in it than in the region, or there is none.
            let context = (whole != range).then(|| ContextRegion { start_line, end_line, snippet: snippet(whole) });
            let region = Region { start_line, start_column, end_line, end_column, snippet: snippet(range) };
            (region, context)
        });
        let (region, context_region) = regions.unzip();
        let artifact_location = if file.is_absolute() {
            ArtifactLocation { uri: file_uri(file), uri_base_id: None }
        } else {
            ArtifactLocation { uri: uri_path(file), uri_base_id: Some(BASE) }
        };
        let physical_location =
            PhysicalLocation { artifact_location, region, context_region: context_region.flatten() };
        Location { physical_location, logical_locations: Vec::new() }
    }

    fn finding(
        &self,
        rule_id: &'static str,
        level: Level,
        message: String,
        location: Location<'a>,
        fingerprint: String,
    ) -> Finding<'a> {
        Finding {
            rule_id,
            rule_index: self.rules.iter().position(|rule| rule.id == rule_id),
            level,
            message: Message::without_arguments(&message),
            locations: vec![location],
            partial_fingerprints: BTreeMap::from([(FINGERPRINT, fingerprint)]),
            suppressions: Vec::new(),
            properties: None,
        }
    }
}

/// What is said of what nobody has to mend.
fn suppressed(hit: &super::check::Hit) -> String {
    remedy::capitalised(&remedy::why(hit)) + "."
}

/// Tells results apart that have the same parts, so that they are known again where lines have moved.
#[derive(Default)]
struct Fingerprints {
    seen: BTreeMap<u64, usize>,
}

impl Fingerprints {
    /// FNV-1a, of 64 bits, of the parts with a NUL behind each; and how often it was there, this time included.
    fn next(&mut self, parts: &[&str]) -> String {
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, step);
        let times = self.seen.entry(hash).or_default();
        *times += 1;
        format!("{hash:016x}:{times}")
    }
}

fn file_uri(path: &Utf8Path) -> String {
    format!("file://{}", uri_path(path))
}

/// With all escaped that a URI does not take as it is.
fn uri_path(path: &Utf8Path) -> String {
    let mut uri = String::with_capacity(path.as_str().len());
    for byte in path.as_str().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
