//! Finds the files to check.
//!
//! Only this stage and [`super::source`] look at the disk. Nothing that is left unchecked goes by in silence: it is a
//! warning if the user wanted it so, else an error.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::folders::Folders;
use super::git::{self, EntryKind};
use super::policy::Policy;
use crate::output::{printable_bytes, printable_path};

/// A file to check.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// As it is reported: root-relative, or absolute outside the root.
    pub path: Utf8PathBuf,
    /// Named on the command line: that it is gone is an error. Else it counts as deleted.
    pub named: bool,
}

/// What is left out of the files to check.
#[derive(Debug, Default)]
pub struct Selection {
    /// What people should know; does not change the exit code.
    pub warnings: Vec<Warning>,
    /// What could not be looked at; the run cannot succeed.
    pub errors: Vec<String>,
    /// Paths of the command line that the policy rules out.
    pub ruled_out: usize,
    /// Paths that a warning names because they are not in this work tree.
    pub unseen: usize,
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
/// there is no work tree and `paths` are given, the current folder.
pub fn root(sh: &Shell, given: Option<&Utf8Path>, paths: &[Utf8PathBuf]) -> Result<Utf8PathBuf> {
    let root = match given {
        Some(given) => given.to_owned(),
        None => {
            let here = current_dir()?;
            match git::top_level(sh, &here)? {
                Some(top) => top,
                None if paths.is_empty() => {
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

/// The same for the files and folders named on the command line.
pub fn named(
    sh: &Shell,
    root: &Utf8Path,
    policy: &Policy,
    paths: &[Utf8PathBuf],
    take: &mut dyn FnMut(Candidate),
) -> Result<Selection> {
    let mut finder = Finder::new(root, policy, take);
    let here = current_dir()?;
    for given in paths {
        let location = here.join(given);
        match fs::metadata(&location) {
            Ok(metadata) if metadata.is_dir() => finder.folder(sh, given, &location)?,
            Ok(metadata) if metadata.is_file() => finder.named_file(given, &location),
            Ok(_) => {
                let given = printable_path(given.as_str());
                finder.error(format!("{given} is neither a file nor a folder; it was not opened, do not name it"));
            }
            Err(err) => finder.unusable(given, &err),
        }
    }
    Ok(finder.finish())
}

struct Finder<'a> {
    root: &'a Utf8Path,
    policy: &'a Policy,
    take: &'a mut dyn FnMut(Candidate),
    /// How many were taken.
    taken: usize,
    selection: Selection,
    unseen: Vec<String>,
    folders: Folders<'a>,
}

impl<'a> Finder<'a> {
    fn new(root: &'a Utf8Path, policy: &'a Policy, take: &'a mut dyn FnMut(Candidate)) -> Finder<'a> {
        Finder {
            root,
            policy,
            take,
            taken: 0,
            selection: Selection::default(),
            unseen: Vec::new(),
            folders: Folders::new(root, &policy.exclude),
        }
    }

    fn candidate(&mut self, path: Utf8PathBuf, named: bool) {
        self.taken += 1;
        (self.take)(Candidate { path, named });
    }

    fn error(&mut self, what: String) {
        self.selection.errors.push(what);
    }

    /// A path of the command line that cannot be looked at.
    fn unusable(&mut self, given: &Utf8Path, err: &io::Error) {
        let given = printable_path(given.as_str());
        self.error(match err.kind() {
            io::ErrorKind::NotFound => format!("cannot find {given}: {err}; correct it, or leave it out"),
            _ => format!("cannot check {given}: {err}; mend that, or leave it out"),
        });
    }

    /// Takes what git lists in the root's sub-folder `below`. Returns the root-relative path of a Python file or a
    /// repository.
    fn listed(&mut self, kind: EntryKind, path: &[u8], below: &Utf8Path) -> Option<Utf8PathBuf> {
        if kind != EntryKind::Repository && !is_python_name(path) {
            return None;
        }
        let Ok(path) = std::str::from_utf8(path) else {
            // What the policy says of the parts that are UTF-8 stands.
            if !self.excluded(&below.join(String::from_utf8_lossy(path).trim_end_matches('/'))) {
                let shown =
                    printable_path(below.as_str()) + if below == "" { "" } else { "/" } + &printable_bytes(path);
                self.error(format!("the path {shown} is not UTF-8; rename it, or exclude its folder"));
            }
            return None;
        };
        let path = below.join(path.trim_end_matches('/'));
        let folder = self.folders.around(&path);
        let excluded = folder.excluded
            || if path.is_absolute() { self.excluded(&path) } else { self.policy.exclude.matches_itself(&path) };
        if excluded {
            return Some(path);
        }
        match kind {
            EntryKind::Repository => {
                self.unseen.push(format!("{} (a repository of its own)", printable_path(path.as_str())));
            }
            EntryKind::Absent if fs::symlink_metadata(self.root.join(&path)).is_err() => {
                self.unseen.push(format!("{} (not in this sparse checkout)", printable_path(path.as_str())));
            }
            EntryKind::Link => self.link(&path),
            EntryKind::File | EntryKind::Absent if folder.linked => self.link(&path),
            EntryKind::File | EntryKind::Absent => {
                self.candidate(path.clone(), false);
            }
        }
        Some(path)
    }

    /// Takes a path in scope that is a symbolic link, or below one.
    fn link(&mut self, path: &Utf8Path) {
        let shown = printable_path(path.as_str());
        let failed = |err: io::Error| format!("cannot follow the link {shown}: {err}; mend it, or exclude it");
        let target = match self.root.join(path).canonicalize_utf8() {
            Ok(target) => target,
            Err(err) if is_gone(&err) => return,
            Err(err) => return self.error(failed(err)),
        };
        match fs::metadata(&target) {
            Ok(metadata) if metadata.is_file() => self.resolved(path, target, false),
            Ok(_) => {
                let target = printable_path(target.as_str());
                self.error(format!("{shown} leads to {target}, which is not a file; it was not opened, exclude it"));
            }
            Err(err) => self.error(failed(err)),
        }
    }

    /// Takes a real file that `name` leads to.
    fn resolved(&mut self, name: &Utf8Path, location: Utf8PathBuf, named: bool) {
        if !is_python_name(location.as_str().as_bytes()) {
            let (shown, location) = (printable_path(name.as_str()), printable_path(location.as_str()));
            let warning = format!("{shown} leads to {location}, which is not named like Python; not checked");
            return self.selection.warn(WarningKind::NotChecked, Some(name), warning);
        }
        let path = self.reported(&location);
        if !self.excluded(&path) {
            self.candidate(path, named);
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
                let target = printable_path(target.as_str());
                self.rule_out(given, &format!("it leads to {target}, which is not named like Python"));
            }
            Ok(target) => self.resolved(given, target, true),
            Err(err) => self.unusable(given, &err),
        }
    }

    fn folder(&mut self, sh: &Shell, given: &Utf8Path, location: &Utf8Path) -> Result<()> {
        let shown = printable_path(given.as_str());
        let folder =
            location.canonicalize_utf8().map_err(|err| anyhow!("cannot check {shown}: {err}; leave it out"))?;
        let below = self.reported(&folder);
        let taken = self.taken;
        let unseen = self.unseen.len();
        let failed = self.selection.errors.len();
        let mut any = false;
        if let Some(top) = git::top_level(sh, &folder)? {
            let complaints = git::list(sh, &folder, &[], true, |entry| {
                any |= self.in_folder(entry.kind, entry.path, &folder, &below);
            })?;
            for complaint in complaints {
                self.complaint(&complaint, &folder, &top);
            }
        } else {
            any = self.walk(&folder, &below);
        }
        let idle = self.taken == taken && self.unseen.len() == unseen;
        if idle && self.selection.errors.len() == failed {
            match any {
                true => self.rule_out(given, &format!("{} excludes all Python in it", self.policy.origin.name)),
                false => self.error(format!("no Python file in {shown} (ignored ones do not count); leave it out")),
            }
        }
        Ok(())
    }

    /// Takes what git complains of while it looks for untracked files. It goes on, and succeeds, where it cannot look.
    fn complaint(&mut self, complaint: &str, folder: &Utf8Path, top: &Utf8Path) {
        let Some(unread) = complaint.strip_prefix("warning: could not open directory '") else {
            return self.selection.warn(WarningKind::Git, None, format!("git says: {complaint}"));
        };
        let sub = unread.rsplit_once("': ").map_or(unread, |(sub, _)| sub).trim_end_matches('/');
        if !self.excluded(&self.reported(&top.join(sub))) {
            let folder = printable_path(folder.as_str());
            self.error(format!(
                "git could not look everywhere in {folder}: {complaint}; make it readable, or exclude it"
            ));
        }
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
        let mut subs = vec![PathBuf::new()];
        while let Some(sub) = subs.pop() {
            let entries = fs::read_dir(folder.as_std_path().join(&sub));
            let entries = match entries.and_then(Iterator::collect::<io::Result<Vec<_>>>) {
                Ok(entries) => entries,
                // It holds what is excluded, as far as one can know.
                Err(_) if self.excluded(&below.join(sub.to_string_lossy().as_ref())) => {
                    any = true;
                    continue;
                }
                Err(err) => {
                    let shown = printable_bytes(folder.as_std_path().join(&sub).as_os_str().as_encoded_bytes());
                    self.error(format!("cannot list {shown}: {err}; make it readable, or exclude it"));
                    continue;
                }
            };
            for entry in entries {
                let path = sub.join(entry.file_name());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => subs.push(path),
                    Ok(_) => {
                        any |= self.in_folder(EntryKind::File, path.as_os_str().as_encoded_bytes(), folder, below);
                    }
                    Err(err) => {
                        let shown = printable_bytes(entry.path().as_os_str().as_encoded_bytes());
                        self.error(format!("cannot check {shown}: {err}; make it readable, or exclude it"));
                    }
                }
            }
        }
        any
    }

    fn rule_out(&mut self, given: &Utf8Path, why: &str) {
        self.selection.ruled_out += 1;
        let warning = format!("{} is not checked: {why}", printable_path(given.as_str()));
        self.selection.warn(WarningKind::NotChecked, Some(given), warning);
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
        let mut unseen = self.unseen;
        unseen.sort_unstable();
        unseen.dedup();
        selection.unseen = unseen.len();
        if !unseen.is_empty() {
            let noun = if unseen.len() == 1 { "path is" } else { "paths are" };
            let warning = format!("{} {noun} not checked: {}", unseen.len(), unseen.join(", "));
            selection.warn(WarningKind::NotChecked, None, warning);
        }
        selection
    }
}

/// [`Utf8Path::starts_with`] for paths without odd components, which is asked for each file and entry.
fn is_below(path: &Utf8Path, folder: &Utf8Path) -> bool {
    path.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a name ends in `.py` and has something before it.
fn is_python_name(path: &[u8]) -> bool {
    path.strip_suffix(b".py").is_some_and(|stem| !stem.is_empty() && !stem.ends_with(b"/"))
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
