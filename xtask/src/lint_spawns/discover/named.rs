//! Finds the files that the command line gives.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::super::git::{self, EntryKind};
use super::super::policy::Policy;
use super::finder::{Finder, is_python_name, untracked_kind};
use super::given::{Given, Input};
use super::{Candidate, Selection, WarningKind, current_dir};
use crate::output::{printable_bytes, printable_path};

/// Standard input, where nobody says what file it stands for.
const UNNAMED: &str = "<stdin>";

/// Gives to `take` standard input and the files that are given, and those in the folders that are.
pub fn named(
    sh: &Shell,
    root: &Utf8Path,
    policy: &Policy,
    given: &Given,
    take: &mut dyn FnMut(Candidate),
) -> Result<Selection> {
    let mut finder = Finder::new(root, policy, take);
    let here = current_dir()?;
    match &given.input {
        Some(Input { name: Some(name), content }) => finder.input(name, &here.join(name), content),
        Some(Input { name: None, content }) => finder.content(UNNAMED.into(), content.clone()),
        None => {}
    }
    for given in &given.paths {
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
    let idle = match (finder.ruled_out > 0 && finder.unseen.is_empty(), given) {
        (true, _) => Some("none of the paths given is Python that the policy covers"),
        (false, Given { paths, input: None }) if paths.is_empty() => Some("the list of files is empty"),
        (false, _) => None,
    };
    let mut selection = finder.finish();
    selection.idle = idle.map(str::to_owned);
    Ok(selection)
}

impl Finder<'_> {
    fn named_file(&mut self, given: &Utf8Path, location: &Utf8Path) {
        match location.canonicalize_utf8() {
            Ok(target) if self.rules_out(given, location, &target) => {}
            Ok(target) => self.candidate(self.reported(&target), true),
            Err(err) => self.unusable(given, &err),
        }
    }

    /// Takes standard input for the file that it stands for.
    fn input(&mut self, given: &Utf8Path, location: &Utf8Path, content: &[u8]) {
        if location.is_dir() {
            let given = printable_path(given.as_str());
            return self.error(format!("standard input cannot stand for the folder {given}; name a file"));
        }
        let target = resolved_so_far(location);
        if !self.rules_out(given, location, &target) {
            let path = self.reported(&target);
            self.input = Some(path.clone());
            self.content(path, content.to_owned());
        }
    }

    /// Whether a file of the command line, which is really `target`, is none to check; that is said then.
    fn rules_out(&mut self, given: &Utf8Path, location: &Utf8Path, target: &Utf8Path) -> bool {
        let folder = location.parent().unwrap_or(location);
        let listed = self.reported(&resolved_so_far(folder).join(location.file_name().unwrap_or_default()));
        let why = if !is_python_name(given.as_str().as_bytes()) {
            "its name does not end in .py".to_owned()
        } else if self.excluded(&listed) || self.excluded(&self.reported(target)) {
            format!("{} excludes it", self.policy.origin.name)
        } else if !is_python_name(target.as_str().as_bytes()) {
            format!("it leads to {}, which is not named like Python", printable_path(target.as_str()))
        } else {
            return false;
        };
        self.rule_out(given, &why);
        true
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

/// Without links, as far as the path exists.
fn resolved_so_far(location: &Utf8Path) -> Utf8PathBuf {
    let resolved = location.ancestors().find_map(|above| {
        let rest = location.strip_prefix(above).ok()?;
        let above = above.canonicalize_utf8().ok()?;
        Some(if rest == "" { above } else { above.join(rest) })
    });
    resolved.unwrap_or_else(|| location.to_owned())
}
