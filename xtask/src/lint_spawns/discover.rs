//! Finds the files to check.
//!
//! Only this stage and [`super::source`] look at the disk. Nothing that is left unchecked goes by in silence: it is a
//! warning if the user wanted it so, else an error.

use std::collections::HashSet;
use std::fs;
use std::io;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::git::{self, EntryKind};
use super::policy::Policy;

/// A file to check.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// As it is reported: root-relative, or absolute outside the root.
    pub path: Utf8PathBuf,
    /// Where it is opened.
    pub location: Utf8PathBuf,
}

/// What there is to check, and what is left out.
#[derive(Debug, Default)]
pub struct Selection {
    /// In order of the bytes of their paths, each once.
    pub files: Vec<Candidate>,
    /// What people should know; does not change the exit code.
    pub warnings: Vec<String>,
    /// What could not be looked at; the run cannot succeed.
    pub errors: Vec<String>,
    /// Paths of the command line that the policy rules out.
    pub ruled_out: usize,
}

/// The folder that paths are relative to: `given`, else the top of the work tree around the current folder. Where
/// there is no work tree and `paths` are given, the current folder.
pub fn root(sh: &Shell, given: Option<&Utf8Path>, paths: &[Utf8PathBuf]) -> Result<Utf8PathBuf> {
    let here = current_dir()?;
    let root = match given {
        Some(given) => given.to_owned(),
        None => match git::top_level(sh, &here)? {
            Some(top) => top,
            None if paths.is_empty() => {
                bail!("{here} is not in a git repository; name one with --root, or files as PATHS")
            }
            None => here,
        },
    };
    let root = root.canonicalize_utf8().with_context(|| format!("cannot find the root {root}"))?;
    if !root.is_dir() {
        bail!("the root {root} is not a folder");
    }
    Ok(root)
}

/// What git tracks in the policy's `include`.
pub fn tracked(sh: &Shell, root: &Utf8Path, policy: &Policy) -> Result<Selection> {
    let mut finder = Finder::new(root, policy);
    let mut matched: HashSet<&Utf8Path> = HashSet::new();
    if !policy.include.is_empty() {
        for entry in git::list(sh, root, &policy.include, false)? {
            let Some(path) = finder.listed(entry.kind, &entry.path, Utf8Path::new("")) else { continue };
            let entries = policy.include.iter().map(|include| include.as_path());
            matched.extend(entries.filter(|include| *include == "." || path.starts_with(include)));
        }
    }
    for include in policy.include.iter().filter(|include| !matched.contains(include.as_path())) {
        let name = &policy.origin.name;
        finder.selection.warnings.push(format!("include entry `{include}` of {name} matches no tracked Python file"));
    }
    Ok(finder.finish())
}

/// The files and folders named on the command line.
pub fn named(sh: &Shell, root: &Utf8Path, policy: &Policy, paths: &[Utf8PathBuf]) -> Result<Selection> {
    let mut finder = Finder::new(root, policy);
    let here = current_dir()?;
    for given in paths {
        let location = here.join(given);
        match fs::metadata(&location) {
            Ok(metadata) if metadata.is_dir() => finder.folder(sh, given, &location)?,
            Ok(metadata) if metadata.is_file() => finder.named_file(given, &location),
            Ok(_) => finder.error(format!("{given} is neither a file nor a folder; it was not opened")),
            Err(err) => finder.error(format!("cannot check {given}: {err}")),
        }
    }
    Ok(finder.finish())
}

struct Finder<'a> {
    root: &'a Utf8Path,
    policy: &'a Policy,
    selection: Selection,
    unseen: Vec<String>,
}

impl<'a> Finder<'a> {
    fn new(root: &'a Utf8Path, policy: &'a Policy) -> Finder<'a> {
        Finder { root, policy, selection: Selection::default(), unseen: Vec::new() }
    }

    fn error(&mut self, what: String) {
        self.selection.errors.push(what);
    }

    /// Takes what git lists in the root's sub-folder `below`. Returns the root-relative path of a Python file.
    fn listed(&mut self, kind: EntryKind, path: &[u8], below: &Utf8Path) -> Option<Utf8PathBuf> {
        if kind != EntryKind::Repository && !is_python_name(path) {
            return None;
        }
        let Ok(path) = std::str::from_utf8(path) else {
            let shown = String::from_utf8_lossy(path);
            self.error(format!("the path {shown} is not UTF-8; rename it, or exclude its folder"));
            return None;
        };
        let path = below.join(path.trim_end_matches('/'));
        if self.policy.exclude.matches(&path) {
            return Some(path);
        }
        let location = self.root.join(&path);
        match kind {
            EntryKind::Repository => {
                self.unseen.push(format!("{path} (a repository of its own)"));
                return None;
            }
            EntryKind::Absent if fs::symlink_metadata(&location).is_err() => {
                self.unseen.push(format!("{path} (not in this sparse checkout)"));
            }
            EntryKind::Link => self.link(&path, &location),
            EntryKind::File | EntryKind::Absent => {
                self.selection.files.push(Candidate { path: path.clone(), location });
            }
        }
        Some(path)
    }

    /// Takes a symbolic link whose name is in scope.
    fn link(&mut self, path: &Utf8Path, location: &Utf8Path) {
        let target = match location.canonicalize_utf8() {
            Ok(target) => target,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return,
            Err(err) => return self.error(format!("cannot follow the link {path}: {err}")),
        };
        match fs::metadata(&target) {
            Ok(metadata) if metadata.is_file() => self.resolved(path, target),
            Ok(_) => self.error(format!("{path} leads to {target}, which is not a file; it was not opened")),
            Err(err) => self.error(format!("cannot follow the link {path}: {err}")),
        }
    }

    /// Takes a real file that `name` leads to.
    fn resolved(&mut self, name: &Utf8Path, location: Utf8PathBuf) {
        if !is_python_name(location.as_str().as_bytes()) {
            let warning = format!("{name} leads to {location}, which is not named like Python; not checked");
            return self.selection.warnings.push(warning);
        }
        let path = self.reported(&location);
        if !self.excluded(&path) {
            self.selection.files.push(Candidate { path, location });
        }
    }

    fn named_file(&mut self, given: &Utf8Path, location: &Utf8Path) {
        if !is_python_name(given.as_str().as_bytes()) {
            return self.rule_out(given, "its name does not end in .py");
        }
        let listed = match location.parent().and_then(|folder| folder.canonicalize_utf8().ok()) {
            Some(folder) => self.reported(&folder.join(location.file_name().unwrap_or_default())),
            None => given.to_owned(),
        };
        if self.excluded(&listed) {
            return self.rule_out(given, &format!("{} excludes it", self.policy.origin.name));
        }
        match location.canonicalize_utf8() {
            Ok(target) if self.excluded(&self.reported(&target)) => {
                self.rule_out(given, &format!("{} excludes it", self.policy.origin.name));
            }
            Ok(target) if !is_python_name(target.as_str().as_bytes()) => {
                self.rule_out(given, &format!("it leads to {target}, which is not named like Python"));
            }
            Ok(target) => self.resolved(given, target),
            Err(err) => self.error(format!("cannot check {given}: {err}")),
        }
    }

    fn folder(&mut self, sh: &Shell, given: &Utf8Path, location: &Utf8Path) -> Result<()> {
        let folder = location.canonicalize_utf8().with_context(|| format!("cannot check {given}"))?;
        let below = self.reported(&folder);
        let taken = self.selection.files.len();
        let unseen = self.unseen.len();
        let failed = self.selection.errors.len();
        let mut any = false;
        if git::top_level(sh, &folder)?.is_some() {
            for entry in git::list(sh, &folder, &[], true)? {
                any |= self.in_folder(entry.kind, &entry.path, &folder, &below);
            }
        } else {
            any = self.walk(&folder, &below);
        }
        let idle = self.selection.files.len() == taken && self.unseen.len() == unseen;
        if idle && self.selection.errors.len() == failed {
            match any {
                true => self.rule_out(given, &format!("{} excludes all Python in it", self.policy.origin.name)),
                false => self.error(format!("no Python file in {given} (ignored ones do not count)")),
            }
        }
        Ok(())
    }

    /// Takes what lies in a folder of the command line. Whether it is a Python file.
    fn in_folder(&mut self, kind: EntryKind, path: &[u8], folder: &Utf8Path, below: &Utf8Path) -> bool {
        // git does not say of what it does not track whether it is a link.
        let is_link = || {
            std::str::from_utf8(path)
                .is_ok_and(|path| fs::symlink_metadata(folder.join(path)).is_ok_and(|m| m.is_symlink()))
        };
        let kind = if kind == EntryKind::File && is_python_name(path) && is_link() { EntryKind::Link } else { kind };
        self.listed(kind, path, below).is_some()
    }

    /// Takes all below a folder that no repository holds.
    fn walk(&mut self, folder: &Utf8Path, below: &Utf8Path) -> bool {
        let mut any = false;
        let mut folders = vec![Utf8PathBuf::new()];
        while let Some(sub) = folders.pop() {
            let entries = match folder.join(&sub).read_dir_utf8().and_then(Iterator::collect::<io::Result<Vec<_>>>) {
                Ok(entries) => entries,
                Err(err) => {
                    self.error(format!("cannot list {}: {err}", folder.join(&sub)));
                    continue;
                }
            };
            for entry in entries {
                let path = sub.join(entry.file_name());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(path),
                    Ok(_) => any |= self.in_folder(EntryKind::File, path.as_str().as_bytes(), folder, below),
                    Err(err) => self.error(format!("cannot check {}: {err}", folder.join(&path))),
                }
            }
        }
        any
    }

    fn rule_out(&mut self, given: &Utf8Path, why: &str) {
        self.selection.ruled_out += 1;
        self.selection.warnings.push(format!("{given} is not checked: {why}"));
    }

    fn reported(&self, location: &Utf8Path) -> Utf8PathBuf {
        location.strip_prefix(self.root).unwrap_or(location).to_owned()
    }

    /// Outside the root only the name counts: its folders are not the repository's.
    fn excluded(&self, path: &Utf8Path) -> bool {
        let path = if path.is_absolute() { Utf8Path::new(path.file_name().unwrap_or_default()) } else { path };
        self.policy.exclude.matches(path)
    }

    fn finish(self) -> Selection {
        let mut selection = self.selection;
        selection.files.sort_unstable_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
        selection.files.dedup_by(|a, b| a.path == b.path);
        let mut unseen = self.unseen;
        unseen.sort_unstable();
        unseen.dedup();
        if !unseen.is_empty() {
            let noun = if unseen.len() == 1 { "path is" } else { "paths are" };
            selection.warnings.push(format!("{} {noun} not checked: {}", unseen.len(), unseen.join(", ")));
        }
        selection
    }
}

/// Whether a name ends in `.py` and has something before it.
fn is_python_name(path: &[u8]) -> bool {
    path.strip_suffix(b".py").is_some_and(|stem| !stem.is_empty() && !stem.ends_with(b"/"))
}

fn current_dir() -> Result<Utf8PathBuf> {
    let here = std::env::current_dir().context("cannot find the current folder")?;
    Utf8PathBuf::try_from(here).context("the path of the current folder is not UTF-8")
}
