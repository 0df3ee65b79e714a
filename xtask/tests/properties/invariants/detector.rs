//! What holds for the hits in any text, Python or not.

use std::ops::Range;

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;
use rustpython_parser::{Parse as _, ast};
use xtask::lint_spawns::check::{Checker, Hit};
use xtask::lint_spawns::detect::{Shape, detect};
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::python::tree::Tree;
use xtask::lint_spawns::rule::Rule;

/// The function whose calls are hits in these tests.
pub(crate) const HELPER: &str = "windows_detach_popen_kwargs";

/// The built-in policy, with a detach helper.
pub(crate) fn policy() -> Policy {
    let nowhere = Utf8Path::new("no/such/folder");
    let mut policy = Policy::load(nowhere, None).expect("there is always a built-in policy");
    policy.detach_helpers = vec![HELPER.to_owned()];
    policy
}

/// Lines and rules of hits, to compare.
pub(crate) fn pairs(hits: &[Hit]) -> Vec<(usize, Rule)> {
    hits.iter().flat_map(|hit| hit.rules.iter().map(|rule| (hit.line, *rule))).collect()
}

/// Checks everything in this module for `text`, which is decoded: `\n` is its only line break.
pub(crate) fn hold(checker: &Checker, text: &str) -> Result<()> {
    let hits = checker.check(text.as_bytes());
    hits_are_in_the_text(text, &hits, |word| needles().any(|needle| *needle == word))?;
    hits_have_a_needle(text, &hits)?;
    markers_know_their_hits(checker, text, &hits)?;
    line_breaks_are_all_the_same(checker, text, &hits)?;
    nothing_follows_from_a_comment(checker, text, &hits, "# os.setsid() (")?;
    narrowing_hides_nothing(text, &hits)?;
    Ok(())
}

pub(crate) fn markers_know_their_hits(checker: &Checker, text: &str, hits: &[Hit]) -> Result<()> {
    let (audited, audit) = checker.audit(text.as_bytes());
    ensure!(audited == hits, "the audit has other hits: {audited:?}");
    let lines: Vec<&str> = text.split('\n').collect();
    let mut accepted = Vec::new();
    for marker in &audit.markers {
        let line = lines.get(marker.line - 1).with_context(|| format!("where is {marker:?}?"))?;
        ensure!(line.contains(&marker.reason), "line {} has no {:?}", marker.line, marker.reason);
        accepted.extend(marker.hits.iter().map(|&hit| (hit, Some(marker.reason.clone()))));
    }
    accepted.sort_unstable();
    let marked: Vec<(usize, Option<String>)> =
        hits.iter().filter(|hit| hit.reason.is_some()).map(|hit| (hit.line, hit.reason.clone())).collect();
    ensure!(accepted == marked, "the markers accept {accepted:?}, not {marked:?}");
    ensure!(audit.flaws.iter().all(|flaw| flaw.line <= lines.len()), "a flaw is outside the text");
    Ok(())
}

/// Of what cannot be parsed, a needle is the shape.
pub(crate) fn hits_are_in_the_text(text: &str, hits: &[Hit], is_needle: impl Fn(&str) -> bool) -> Result<()> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut last = 0;
    for hit in hits {
        ensure!(hit.line > last, "line {} comes after line {last}", hit.line);
        last = hit.line;
        let Some(line) = lines.get(hit.line - 1) else {
            anyhow::bail!("line {} of {}", hit.line, lines.len());
        };
        ensure!(line.contains(&hit.source), "line {} is {line:?}, not {:?}", hit.line, hit.source);
        ensure!(hit.source.trim() == hit.source, "{:?} is not trimmed", hit.source);
        ensure!(!hit.rules.is_empty(), "line {} breaks no rule", hit.line);
        ensure!(hit.rules.is_sorted_by(|a, b| a < b), "the rules of line {} are {:?}", hit.line, hit.rules);
        let shape = place(text, hit).and_then(|place| text.get(place)).with_context(|| format!("where is {hit:?}?"))?;
        ensure!(shape.trim() == shape && !shape.is_empty(), "{shape:?} is the shape of line {}", hit.line);
        let unknown = hit.rules == [Rule::Unparsable];
        ensure!(hit.strength.is_none() == unknown, "line {} detaches by {:?}", hit.line, hit.strength);
        ensure!(!unknown || is_needle(shape), "{shape:?} is no needle");
    }
    Ok(())
}

/// Where a hit is said to be, in bytes.
fn place(text: &str, hit: &Hit) -> Option<Range<usize>> {
    let offset = |line: usize, column: usize| {
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let before = text[start..].chars().take(column - 1);
        Some(start + before.map(|c| (c != '\n').then(|| c.len_utf8())).sum::<Option<usize>>()?)
    };
    Some(offset(hit.line, hit.column)?..offset(hit.end_line, hit.end_column)?)
}

fn hits_have_a_needle(text: &str, hits: &[Hit]) -> Result<()> {
    for hit in hits {
        for rule in &hit.rules {
            let needles = match rule {
                Rule::DetachHelper => &[HELPER],
                Rule::Unparsable => {
                    ensure!(mentions_any(&hit.source), "line {} is unparsable, but mentions nothing", hit.line);
                    continue;
                }
                _ => rule.needles(),
            };
            let mentioned = needles.iter().any(|needle| text.contains(needle));
            ensure!(mentioned, "line {} breaks {}, of which there is no needle", hit.line, rule.name());
        }
    }
    Ok(())
}

fn mentions_any(text: &str) -> bool {
    needles().any(|needle| text.contains(needle))
}

fn needles() -> impl Iterator<Item = &'static &'static str> {
    Rule::ALL.iter().flat_map(|rule| rule.needles()).chain([&HELPER])
}

fn line_breaks_are_all_the_same(checker: &Checker, text: &str, hits: &[Hit]) -> Result<()> {
    for (name, line_break) in [("carriage returns and line feeds", "\r\n"), ("carriage returns", "\r")] {
        let changed = checker.check(text.replace('\n', line_break).as_bytes());
        ensure!(changed == hits, "with {name}: {:?}, not {:?}", pairs(&changed), pairs(hits));
    }
    let marked = checker.check(["\u{feff}", text].concat().as_bytes());
    ensure!(
        marked == hits || text.starts_with('\u{feff}'),
        "with a byte order mark: {:?}, not {:?}",
        pairs(&marked),
        pairs(hits)
    );
    Ok(())
}

/// A comment line where one can be: the text may end in the middle of a string. Quotes in it could end a string that has
/// no end without them. Where triple quotes are missing, a comment may be the text of a string.
pub(crate) fn nothing_follows_from_a_comment(checker: &Checker, text: &str, hits: &[Hit], comment: &str) -> Result<()> {
    let longer = format!("{text}\n{comment}");
    let is_a_comment =
        xtask::lint_spawns::python::statement::logical_lines(&longer).any(|line| line.start == text.len() + 1);
    if is_a_comment && !text.contains("\"\"\"") && !text.contains("'''") {
        let changed = checker.check(longer.as_bytes());
        ensure!(changed == hits, "with a comment at the end: {:?}, not {:?}", pairs(&changed), pairs(hits));
    }
    Ok(())
}

/// The hits are those that there are without narrowing. False if that is not to be known: only of a text that the parser
/// can read as a whole, and of which it tells the right lines.
pub(crate) fn narrowing_hides_nothing(text: &str, hits: &[Hit]) -> Result<bool> {
    if has_format_string(text) {
        return Ok(false);
    }
    let Ok(module) = ast::Suite::parse(text, "") else { return Ok(false) };
    let tree = Tree::new(&module, 0, 0);
    let mut shapes = detect(&tree, &[HELPER.to_owned()]);
    shapes.sort_by_key(|shape| (shape.range.start, shape.rule));
    let line = |shape: &Shape| 1 + text[..shape.range.start].matches('\n').count();
    let mut whole: Vec<(usize, Rule)> = shapes.iter().map(|shape| (line(shape), shape.rule)).collect();
    whole.sort_unstable();
    whole.dedup();
    let narrowed = pairs(hits);
    ensure!(narrowed == whole, "{narrowed:?}, but without narrowing {whole:?}");
    for (hit, shapes) in hits.iter().zip(shapes.chunk_by(|a, b| line(a) == line(b))) {
        let (place, first) = (place(text, hit), &shapes[0].range);
        ensure!(place.as_ref() == Some(first), "line {} at {place:?}, but without narrowing at {first:?}", hit.line);
        let strength = shapes.iter().map(|shape| shape.strength).max();
        ensure!(hit.strength == strength, "{:?} on line {}, not {strength:?}", hit.strength, hit.line);
    }
    Ok(true)
}

/// Whether there is what may be the start of an f-string or t-string.
fn has_format_string(text: &str) -> bool {
    text.match_indices(['"', '\'']).any(|(quote, _)| {
        let word = text[..quote].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        ["f", "t", "fr", "rf", "tr", "rt"].iter().any(|prefix| prefix.eq_ignore_ascii_case(word))
    })
}
