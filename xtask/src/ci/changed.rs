//! What differs from a revision: committed since, staged, changed or not yet added.

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};

use crate::lint_spawns::git::{NO_PROGRAMS, run};
use crate::output::{printable, printable_path};

/// Paths that differ, and from what.
pub struct Changes {
    /// As it is shown: the revision that was asked for, and the commit that is.
    pub since: String,
    /// Relative to the root, in order.
    pub paths: Vec<Utf8PathBuf>,
}

/// What differs between the work tree below `root` and the last commit that HEAD and `revision` have in common; without
/// a revision, the upstream branch's, and without one of these, HEAD.
pub fn since(root: &Utf8Path, revision: &str) -> Result<Changes> {
    let head = commit(root, "HEAD")?;
    let (name, revision) = if !revision.is_empty() {
        let unknown = || {
            let shown = printable_path(revision);
            format!("--changed: git knows no commit {shown}; name one, or fetch it")
        };
        (revision, Some(commit(root, revision)?.with_context(unknown)?))
    } else if let Some(upstream) = commit(root, "@{upstream}")? {
        ("@{upstream}", Some(upstream))
    } else {
        ("HEAD", head.clone())
    };
    let base = match (&head, &revision) {
        (Some(head), Some(revision)) => {
            let (success, base) = git(root, &["merge-base", head, revision])?;
            let shown = printable_path(name);
            ensure!(success, "--changed: {shown} and HEAD have no commit in common that is here; fetch more of them");
            base.trim().to_owned()
        }
        // Before the first commit all is new.
        _ => checked(root, &["hash-object", "-t", "tree", "--stdin"])?.trim().to_owned(),
    };
    let diff = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative"];
    let mut paths = Vec::new();
    for arguments in [
        &[&diff[..], &[&base, "--"]].concat()[..],
        // What is staged and then undone is neither here nor there, but in the next commit.
        &[&diff[..], &["--cached", &base, "--"]].concat(),
        &["ls-files", "-z", "--others", "--exclude-standard"],
    ] {
        paths.extend(checked(root, arguments)?.split_terminator('\0').map(Utf8PathBuf::from));
    }
    paths.sort_unstable();
    paths.dedup();
    let since = match base.get(..12).filter(|_| head.is_some()) {
        Some(base) => format!("{} ({base})", printable_path(name)),
        None => "the beginning".to_owned(),
    };
    Ok(Changes { since, paths })
}

fn commit(root: &Utf8Path, name: &str) -> Result<Option<String>> {
    let commit = format!("{name}^{{commit}}");
    let (success, printed) = git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
    // Old versions of git repeat the option.
    Ok(printed.lines().last().filter(|_| success).map(str::to_owned))
}

fn checked(root: &Utf8Path, arguments: &[&str]) -> Result<String> {
    let (success, printed) = git(root, arguments)?;
    if !success {
        bail!("git {} failed in {}", arguments.join(" "), printable_path(root.as_str()));
    }
    Ok(printed)
}

/// Whether git succeeds, and what it prints.
fn git(root: &Utf8Path, arguments: &[&str]) -> Result<(bool, String)> {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(NO_PROGRAMS).args(arguments);
    let (output, printed) = run(command, root).context("--changed")?;
    if output.complaint.contains("not a git repository") {
        bail!("--changed: {} is not in a git repository", printable_path(root.as_str()));
    }
    if output.status.code().is_none_or(|code| code > 1) && !output.complaint.is_empty() {
        bail!("--changed: git {}: {}", arguments.join(" "), printable(&output.complaint));
    }
    Ok((output.status.success(), String::from_utf8_lossy(&printed).into_owned()))
}
