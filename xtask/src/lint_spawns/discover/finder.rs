//! Judges by the policy, and by what is on the disk, what is found: one path at a time.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::folders::Folders;
use super::super::git::EntryKind;
use super::super::policy::Policy;
use super::{Candidate, Selection, WarningKind, is_gone};
use crate::output::{printable_bytes, printable_path};

/// What the policy says of a path that git lists.
pub(super) struct Listed {
    /// Root-relative.
    pub(super) path: Utf8PathBuf,
    pub(super) excluded: bool,
    /// A folder it is in has become a link since git was told of it.
    pub(super) linked: bool,
}

pub(super) struct Finder<'a> {
    pub(super) root: &'a Utf8Path,
    pub(super) policy: &'a Policy,
    take: &'a mut dyn FnMut(Candidate),
    /// How many were taken.
    pub(super) taken: usize,
    /// What standard input stands for, and is not read from the disk as well.
    pub(super) input: Option<Utf8PathBuf>,
    /// How many paths of the command line the policy rules out.
    pub(super) ruled_out: usize,
    pub(super) selection: Selection,
    /// What a warning names because it is not in this work tree.
    pub(super) unseen: Vec<String>,
    folders: Folders<'a>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(root: &'a Utf8Path, policy: &'a Policy, take: &'a mut dyn FnMut(Candidate)) -> Finder<'a> {
        Finder {
            root,
            policy,
            take,
            taken: 0,
            input: None,
            ruled_out: 0,
            selection: Selection::default(),
            unseen: Vec::new(),
            folders: Folders::new(root, &policy.exclude),
        }
    }

    pub(super) fn candidate(&mut self, path: Utf8PathBuf, named: bool) {
        self.taken += 1;
        if self.input.as_ref() != Some(&path) {
            (self.take)(Candidate { path, named, content: None });
        }
    }

    /// Takes a file whose content is not that on the disk.
    pub(super) fn content(&mut self, path: Utf8PathBuf, content: Vec<u8>) {
        (self.take)(Candidate { path, named: false, content: Some(content) });
    }

    pub(super) fn error(&mut self, what: String) {
        self.selection.errors.push(what);
    }

    /// Takes what git lists in the root's sub-folder `below`. Returns the root-relative path of a Python file or a
    /// repository.
    pub(super) fn listed(&mut self, kind: EntryKind, path: &[u8], below: &Utf8Path) -> Option<Utf8PathBuf> {
        let Listed { path, excluded, linked } = self.judge(kind, path, below)?;
        if excluded {
            return Some(path);
        }
        match kind {
            EntryKind::Repository => self.repository(&path),
            EntryKind::Absent if fs::symlink_metadata(self.root.join(&path)).is_err() => {
                self.unseen.push(format!("{} (not in this sparse checkout)", printable_path(path.as_str())));
            }
            EntryKind::Link => self.link(&path),
            EntryKind::File | EntryKind::Absent if linked => self.link(&path),
            EntryKind::File | EntryKind::Absent => {
                self.candidate(path.clone(), false);
            }
        }
        Some(path)
    }

    /// What the policy says of what git lists in the root's sub-folder `below`. None if that is neither a Python file nor a
    /// repository.
    pub(super) fn judge(&mut self, kind: EntryKind, path: &[u8], below: &Utf8Path) -> Option<Listed> {
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
        Some(Listed { path, excluded, linked: folder.linked })
    }

    /// A repository in this one, which is not looked at.
    pub(super) fn repository(&mut self, path: &Utf8Path) {
        self.unseen.push(format!("{} (a repository of its own)", printable_path(path.as_str())));
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
            Ok(metadata) if metadata.is_file() => self.resolved(path, &target),
            Ok(_) => {
                let target = printable_path(target.as_str());
                self.error(format!("{shown} leads to {target}, which is not a file; it was not opened, exclude it"));
            }
            Err(err) => self.error(failed(err)),
        }
    }

    /// Takes a real file that the link `name` leads to.
    fn resolved(&mut self, name: &Utf8Path, location: &Utf8Path) {
        if !is_python_name(location.as_str().as_bytes()) {
            let (shown, location) = (printable_path(name.as_str()), printable_path(location.as_str()));
            let warning = format!("{shown} leads to {location}, which is not named like Python; not checked");
            return self.selection.warn(WarningKind::NotChecked, Some(name), warning);
        }
        let path = self.reported(location);
        if !self.excluded(&path) {
            self.candidate(path, false);
        }
    }

    /// Takes what git complains of while it looks for untracked files. It goes on, and succeeds, where it cannot look.
    pub(super) fn complaint(&mut self, complaint: &str, folder: &Utf8Path, top: &Utf8Path) {
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

    /// Below the root with the `/` that git and the policy have, on Windows too.
    pub(super) fn reported(&self, location: &Utf8Path) -> Utf8PathBuf {
        match location.strip_prefix(self.root) {
            Ok(path) if cfg!(windows) => path.as_str().replace('\\', "/").into(),
            Ok(path) => path.to_owned(),
            Err(_) => location.to_owned(),
        }
    }

    /// Outside the root only the name counts: its folders are not the repository's.
    pub(super) fn excluded(&self, path: &Utf8Path) -> bool {
        let path = if path.is_absolute() { Utf8Path::new(path.file_name().unwrap_or_default()) } else { path };
        self.policy.exclude.matches(path)
    }

    pub(super) fn finish(self) -> Selection {
        let mut selection = self.selection;
        let mut unseen = self.unseen;
        unseen.sort_unstable();
        unseen.dedup();
        selection.unseen = !unseen.is_empty();
        if selection.unseen {
            let noun = if unseen.len() == 1 { "path is" } else { "paths are" };
            let warning = format!("{} {noun} not checked: {}", unseen.len(), unseen.join(", "));
            selection.warn(WarningKind::NotChecked, None, warning);
        }
        selection
    }
}

/// Whether a name ends in `.py` and has something before it.
pub(super) fn is_python_name(path: &[u8]) -> bool {
    path.strip_suffix(b".py").is_some_and(|stem| !stem.is_empty() && !stem.ends_with(b"/"))
}

/// Whether a Python file is a link, which git does not say of what it does not track.
pub(super) fn untracked_kind(folder: &Utf8Path, path: &[u8]) -> EntryKind {
    let is_link = |path| fs::symlink_metadata(folder.join(path)).is_ok_and(|metadata| metadata.is_symlink());
    let is_link = is_python_name(path) && std::str::from_utf8(path).is_ok_and(is_link);
    if is_link { EntryKind::Link } else { EntryKind::File }
}
