//! Finds the files that the command line names.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::super::git::{self, EntryKind};
use super::super::policy::Policy;
use super::finder::{Finder, is_python_name, untracked_kind};
use super::{Candidate, Selection, WarningKind, current_dir};
use crate::output::{printable_bytes, printable_path};

/// Gives to `take` the files that `paths` name, and those in the folders that they name.
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
    // Hooks pass everything: that the policy rules all of it out is fine.
    let idle = finder.ruled_out > 0 && finder.unseen.is_empty();
    let mut selection = finder.finish();
    selection.idle = idle.then(|| "none of the paths given is Python that the policy covers".to_owned());
    Ok(selection)
}

impl Finder<'_> {
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

    /// Takes what lies in a folder of the command line. Whether it is a Python file.
    fn in_folder(&mut self, kind: EntryKind, path: &[u8], folder: &Utf8Path, below: &Utf8Path) -> bool {
        let kind = if kind == EntryKind::File { untracked_kind(folder, path) } else { kind };
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

    /// A path of the command line that cannot be looked at.
    fn unusable(&mut self, given: &Utf8Path, err: &io::Error) {
        let given = printable_path(given.as_str());
        self.error(match err.kind() {
            io::ErrorKind::NotFound => format!("cannot find {given}: {err}; correct it, or leave it out"),
            _ => format!("cannot check {given}: {err}; mend that, or leave it out"),
        });
    }

    fn rule_out(&mut self, given: &Utf8Path, why: &str) {
        self.ruled_out += 1;
        let warning = format!("{} is not checked: {why}", printable_path(given.as_str()));
        self.selection.warn(WarningKind::NotChecked, Some(given), warning);
    }
}
