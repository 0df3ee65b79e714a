//! What holds for markers in any bytes, Python or not.

use anyhow::{Context as _, Result, ensure};
use memchr::memmem;
use rustpython_parser::{Parse as _, ast};
use xtask::lint_spawns::annotate::{Annotated, Note, Reason, annotate};
use xtask::lint_spawns::check::{Checker, Hit};
use xtask::lint_spawns::policy::Markers;
use xtask::lint_spawns::source::decode;

const MARKER: &str = "detached-spawn: ok";

/// One that is behind most lines, and one that is above them.
const REASONS: [&str; 2] =
    ["ok", "a reason that is long enough to make of any line one of more than a hundred columns"];

/// Checks everything in this module. `checker` has the built-in marker, and is one by `markers`.
pub(crate) fn hold(checker: &Checker, markers: Markers, bytes: &[u8]) -> Result<()> {
    let hits = checker.check(bytes);
    let unmarked: Vec<usize> = unmarked(&hits).collect();
    if unmarked.is_empty() {
        return Ok(());
    }
    for reason in REASONS {
        let annotated = annotate(bytes, &unmarked, &[], Note::new(MARKER, Reason::new(reason)?, markers)?);
        let context = || format!("{reason}, {markers:?}: {}", String::from_utf8_lossy(&annotated.bytes));
        nothing_but_markers_is_new(bytes, &annotated, reason).with_context(context)?;
        the_tree_stays(bytes, &annotated.bytes).with_context(context)?;
        all_hits_are_marked_but_those_named(checker, &hits, &annotated).with_context(context)?;
    }
    Ok(())
}

fn unmarked(hits: &[Hit]) -> impl Iterator<Item = usize> {
    hits.iter().filter(|hit| hit.reason.is_none()).map(|hit| hit.line)
}

fn nothing_but_markers_is_new(old: &[u8], annotated: &Annotated, reason: &str) -> Result<()> {
    let mut bytes = annotated.bytes.clone();
    let comments = [format!("# {MARKER} — {reason}"), format!("# {MARKER} - {reason}")];
    let mut count = 0;
    while let Some((at, length)) =
        comments.iter().find_map(|comment| Some((memmem::find(&bytes, comment.as_bytes())?, comment.len())))
    {
        count += 1;
        let line = bytes[..at].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
        let line = if bytes[line..].starts_with("\u{feff}".as_bytes()) { line + 3 } else { line };
        if bytes[line..at].iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            let end = at + length;
            let line_break = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
            bytes.drain(line..end + line_break);
        } else {
            ensure!(bytes[..at].ends_with(b"  "), "a marker is not set off");
            bytes.drain(at - 2..at + length);
        }
    }
    ensure!(bytes == old, "without the markers it is {}", bytes.escape_ascii());
    ensure!(count == annotated.added.len(), "{count} markers, not those on {:?}", annotated.added);
    Ok(())
}

/// As far as the parser knows it.
fn the_tree_stays(old: &[u8], new: &[u8]) -> Result<()> {
    let tree = |bytes| Some(without_places(&format!("{:?}", ast::Suite::parse(&decode(bytes), "").ok()?)));
    let old = tree(old);
    ensure!(old.is_none() || tree(new) == old, "another tree");
    Ok(())
}

/// Of what is shown as `12..34`.
fn without_places(shown: &str) -> String {
    let parts = shown.split("..").map(|part| part.trim_matches(|c: char| c.is_ascii_digit()));
    parts.collect::<Vec<_>>().join("..")
}

fn all_hits_are_marked_but_those_named(checker: &Checker, hits: &[Hit], annotated: &Annotated) -> Result<()> {
    let (again, audit) = checker.audit(&annotated.bytes);
    let rules = |hits: &[Hit]| hits.iter().map(|hit| hit.rules.clone()).collect::<Vec<_>>();
    ensure!(rules(&again) == rules(hits), "other hits");
    let left: Vec<usize> = annotated.left.iter().map(|left| left.line_now).collect();
    let still: Vec<usize> = unmarked(&again).collect();
    ensure!(still == left, "{still:?} are unmarked, not {left:?}");
    let flaw = audit.flaws.iter().find(|flaw| annotated.added.contains(&flaw.line));
    ensure!(flaw.is_none(), "{flaw:?}");
    Ok(())
}
