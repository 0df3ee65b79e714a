//! Finds the files to check.
//!
//! Only this stage and [`super::source`] look at the disk. Nothing that is left unchecked goes by in silence: it is a
//! warning if the user wanted it so, else an error.

mod finder;
mod given;
mod named;
mod partial;

use std::collections::BTreeSet;
use std::io;

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::git::{self, EntryKind};
use super::policy::Policy;
use crate::output::{printable_bytes, printable_path};
use finder::{Finder, is_python_name};
pub use given::{Given, given};
pub use named::named;
pub use partial::{changed, staged};

/// A file to check.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// As it is reported: root-relative, or absolute outside the root.
    pub path: Utf8PathBuf,
    /// Named on the command line: that it is gone is an error. Else it counts as deleted.
    pub named: bool,
    /// What is checked instead of what the work tree has: what is staged of it, or standard input.
    pub content: Option<Vec<u8>>,
}

/// What is left out of the files to check.
#[derive(Debug, Default)]
pub struct Selection {
    /// What people should know; does not change the exit code.
    pub warnings: Vec<Warning>,
    /// What could not be looked at; the run cannot succeed.
    pub errors: Vec<String>,
    /// Why it is fine if there is nothing to check, where it is.
    pub idle: Option<String>,
    /// Whether a warning names paths that are not in this work tree.
    pub unseen: bool,
}

#[derive(Debug)]
pub struct Warning {
    pub kind: WarningKind,
    /// What it is about, where that is one path, as the policy, the command line or git spells it.
    pub path: Option<String>,
    pub message: String,
}

#[derive(Debug, Clone, Copy)]
pub enum WarningKind {
    /// An entry of `include` without a Python file.
    EmptyInclude,
    /// What is left out although it was named, or is tracked.
    NotChecked,
    /// git says so.
    Git,
}

impl WarningKind {
    pub fn name(self) -> &'static str {
        match self {
            WarningKind::EmptyInclude => "empty-include",
            WarningKind::NotChecked => "not-checked",
            WarningKind::Git => "git",
        }
    }
}

impl Selection {
    fn warn(&mut self, kind: WarningKind, path: Option<&Utf8Path>, message: String) {
        self.warnings.push(Warning { kind, path: path.map(|path| path.as_str().to_owned()), message });
    }
}

/// The folder that paths are relative to: `given`, else the top of the work tree around the current folder. Where
/// there is no work tree, and the command line tells what to check, the current folder.
pub fn root(sh: &Shell, given: Option<&Utf8Path>, told: bool) -> Result<Utf8PathBuf> {
    let root = match given {
        Some(given) => given.to_owned(),
        None => {
            let here = current_dir()?;
            match git::top_level(sh, &here)? {
                Some(top) => top,
                None if !told => {
                    let here = printable_path(here.as_str());
                    bail!("{here} is not in a git repository; name one with --root, or files as PATHS")
                }
                None => here,
            }
        }
    };
    let shown = printable_path(root.as_str());
    let root = root.canonicalize_utf8().map_err(|err| anyhow!("cannot find the root {shown}: {err}; name a folder"))?;
    if !root.is_dir() {
        bail!("the root {shown} is not a folder; name the repository, or a folder in it");
    }
    Ok(root)
}

/// The top of the work tree that the root is in, as far as the disk tells; the root itself if it is in none.
pub fn top(root: &Utf8Path) -> Utf8PathBuf {
    root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(root).to_owned()
}

/// The absolute path of a file; what it links to does not matter.
pub fn located(path: &Utf8Path) -> Utf8PathBuf {
    let folder = path.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
    let located = folder.canonicalize_utf8().ok().zip(path.file_name()).map(|(folder, name)| folder.join(name));
    located.unwrap_or_else(|| path.to_owned())
}

/// The names that git tracks below the root and that are those of Python files, as far as they are UTF-8.
pub fn python(sh: &Shell, root: &Utf8Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut empty = true;
    git::list(sh, root, &[Utf8PathBuf::from(".")], false, |entry| {
        empty = false;
        if entry.kind != EntryKind::Repository && is_python_name(entry.path) {
            names.extend(std::str::from_utf8(entry.path).map(str::to_owned));
        }
    })?;
    if empty {
        // In a bare repository git lists nothing, and does not say why.
        git::top_level(sh, root)?;
    }
    Ok(names)
}

/// Gives to `take` what git tracks in the policy's `include`, in no order, and a file that links lead to more than once.
pub fn tracked(sh: &Shell, root: &Utf8Path, policy: &Policy, take: &mut dyn FnMut(Candidate)) -> Result<Selection> {
    let mut finder = Finder::new(root, policy, take);
    let mut unmatched: Vec<&Utf8Path> = policy.include.iter().map(|include| include.as_path()).collect();
    if !policy.include.is_empty() {
        let mut empty = true;
        let complaints = git::list(sh, root, &policy.include, false, |entry| {
            empty = false;
            let Some(path) = finder.listed(entry.kind, entry.path, Utf8Path::new("")) else { return };
            unmatched.retain(|include| *include != "." && !is_below(&path, include));
        })?;
        if empty {
            // In a bare repository git lists nothing, and does not say why.
            git::top_level(sh, root)?;
        }
        for complaint in complaints {
            finder.selection.warn(WarningKind::Git, None, format!("git says: {complaint}"));
        }
    }
    for include in unmatched {
        let inside = include
            .ancestors()
            .find(|folder| *folder != "" && *folder != "." && root.join(folder).join(".git").exists());
        let (shown, name) = (printable_path(include.as_str()), &policy.origin.name);
        match inside {
            Some(part) => {
                finder
                    .unseen
                    .push(format!("{shown} (inside {}, a repository of its own)", printable_path(part.as_str())));
            }
            None => {
                let warning = format!("include entry `{shown}` of {name} matches no tracked Python file");
                finder.selection.warn(WarningKind::EmptyInclude, Some(include), warning);
            }
        }
    }
    Ok(finder.finish())
}

/// [`Utf8Path::starts_with`] for paths without odd components, which is asked for each file and entry.
fn is_below(path: &Utf8Path, folder: &Utf8Path) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether there is nothing at a path: it is missing, or something above it is no folder any more.
pub fn is_gone(err: &io::Error) -> bool {
    matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn current_dir() -> Result<Utf8PathBuf> {
    let here = std::env::current_dir().context("cannot find the current folder; go to one that exists")?;
    Utf8PathBuf::try_from(here).map_err(|err| {
        let shown = printable_bytes(err.as_path().as_os_str().as_encoded_bytes());
        anyhow!("the path of the current folder, {shown}, is not UTF-8; rename its folders")
    })
}
