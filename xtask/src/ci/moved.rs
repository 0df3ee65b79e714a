//! Repairs snapshots of insta that only moved: those of a test that has another name now.
//!
//! `INSTA_UPDATE=force` and `cargo insta test --accept` would take any text for the new truth. Here a snapshot that is
//! missing gets the file of one in the same folder that no test asks for any more, and that has the very same text. What
//! is pinned as a whole stays the same, so that there is nothing to review.

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use camino::{Utf8Path, Utf8PathBuf};

use crate::Outcome;
use crate::output::{self, printable_path};

/// Runs the tests of the workspace in the current folder for the snapshots that they ask for. Whether they pass is for
/// the run after this one to tell.
pub fn run() -> Result<Outcome> {
    if !fs::read_to_string("Cargo.lock").is_ok_and(|lock| lock.contains("name = \"insta\"")) {
        return Ok(Outcome::Clean);
    }
    let references = std::env::temp_dir().join(format!("xtask-snapshots-{}", std::process::id()));
    let mut tests = Command::new("cargo");
    tests.args(["test", "--quiet", "--workspace", "--no-fail-fast"]).env("INSTA_SNAPSHOT_REFERENCES_FILE", &references);
    // A test goes on after the first snapshot that differs, and what differs is put beside it.
    tests.env("INSTA_UPDATE", "new").env("INSTA_FORCE_PASS", "1");
    tests.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    tests.status().context("cannot run cargo")?;
    let listed = fs::read_to_string(&references).unwrap_or_default();
    let _ = fs::remove_file(&references);
    let referenced: HashSet<Utf8PathBuf> = listed.lines().filter_map(canonical).collect();
    let mut missing: Vec<&Utf8PathBuf> = referenced.iter().filter(|path| !path.exists()).collect();
    missing.sort_unstable();
    for path in missing {
        let new = Utf8PathBuf::from(format!("{path}.new"));
        let Some(text) = text(&new) else { continue };
        let folder = path.parent().context("a snapshot is in no folder")?;
        let unused = folder.read_dir_utf8()?.filter_map(Result::ok).map(|entry| entry.path().to_owned());
        let unused = unused.filter(|path| path.extension() == Some("snap") && !referenced.contains(path));
        let old: Vec<Utf8PathBuf> = unused.filter(|path| self::text(path).as_ref() == Some(&text)).collect();
        // Of two it might be either; a person has to look.
        if let [old] = old.as_slice() {
            fs::write(path, head(&new)? + &text)
                .with_context(|| format!("cannot write {}", printable_path(path.as_str())))?;
            for gone in [&new, old] {
                fs::remove_file(gone).with_context(|| format!("cannot remove {}", printable_path(gone.as_str())))?;
            }
            let names = [old, path].map(|path| printable_path(path.file_name().unwrap_or_default()));
            output::print(&format!("{} is now {}\n", names[0], names[1]))?;
        }
    }
    Ok(Outcome::Clean)
}

/// A snapshot's path without detours. The file itself may be missing.
fn canonical(path: &str) -> Option<Utf8PathBuf> {
    let path = Utf8Path::new(path);
    Some(path.parent()?.canonicalize_utf8().ok()?.join(path.file_name()?))
}

/// What a pending snapshot tells of itself, but for the line, which insta notes in pending ones only.
fn head(path: &Utf8Path) -> Result<String> {
    let snapshot = fs::read_to_string(path)?;
    let (head, _) = snapshot.split_once("\n---\n").context("a snapshot without a head")?;
    let lines = head.lines().filter(|line| !line.starts_with("assertion_line:"));
    Ok(lines.map(|line| format!("{line}\n")).collect::<String>() + "---\n")
}

/// What a snapshot pins: all behind its head, which tells where it comes from.
fn text(path: &Utf8Path) -> Option<String> {
    let snapshot = fs::read_to_string(path).ok()?;
    Some(snapshot.strip_prefix("---\n")?.split_once("\n---\n")?.1.to_owned())
}
