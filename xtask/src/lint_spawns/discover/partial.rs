//! Finds the files that somebody is at work on: what has changed, or what is staged.
//!
//! Of a link that has not changed nothing is known here, so that a file outside `include` to which one leads counts in a
//! full run only.

use anyhow::{Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::super::git::{self, Base, EntryKind};
use super::super::policy::Policy;
use super::finder::{Finder, Listed, untracked_kind};
use super::{Candidate, Selection, WarningKind, is_gone};
use crate::output::printable_path;

/// Gives to `take` what the policy covers and what differs, in the work tree, from where HEAD left `rev`: by default the
/// upstream of the current branch, else HEAD itself. What is not tracked and not ignored counts too.
pub fn changed(
    sh: &Shell,
    root: &Utf8Path,
    policy: &Policy,
    rev: Option<&str>,
    take: &mut dyn FnMut(Candidate),
) -> Result<Selection> {
    let top = top_level(sh, root)?;
    let base = git::merge_base(sh, root, rev)?;
    let mut finder = Finder::new(root, policy, take);
    // To git, no path at all would be every path.
    if !policy.include.is_empty() {
        let (changes, complaints) = git::changed(sh, root, &top, &base, &policy.include)?;
        for change in changes {
            let kind = match change.kind {
                EntryKind::File if change.untracked => untracked_kind(root, &change.path),
                EntryKind::File | EntryKind::Link if change.as_staged && is_absent(root, &change.path) => {
                    EntryKind::Absent
                }
                kind => kind,
            };
            finder.listed(kind, &change.path, Utf8Path::new(""));
        }
        for complaint in complaints {
            let path = unseen(&complaint, root, &top);
            let listed =
                path.and_then(|path| finder.judge(EntryKind::File, path.as_str().as_bytes(), Utf8Path::new("")));
            match listed {
                Some(Listed { excluded: true, .. }) => {}
                Some(_) => {
                    finder.error(format!("git cannot tell what has changed: {complaint}; mend that, or exclude it"))
                }
                None => finder.complaint(&complaint, root, &top),
            }
        }
    }
    let differs = match (rev, &base) {
        (_, Base::Nothing) => "is here, and there is no commit yet".to_owned(),
        (_, Base::Head) => "differs from HEAD".to_owned(),
        (None, Base::Commit(_)) => "differs from the merge base of HEAD and its upstream".to_owned(),
        (Some(rev), Base::Commit(_)) => format!("differs from the merge base of HEAD and {}", printable_path(rev)),
    };
    let mut selection = finder.finish();
    selection.idle = Some(format!("no Python file that the policy covers {differs}"));
    Ok(selection)
}

/// Gives to `take` what the policy covers and what is staged, with the content that is staged.
pub fn staged(sh: &Shell, root: &Utf8Path, policy: &Policy, take: &mut dyn FnMut(Candidate)) -> Result<Selection> {
    let top = top_level(sh, root)?;
    let mut finder = Finder::new(root, policy, take);
    let (mut paths, mut objects) = (Vec::new(), Vec::new());
    if !policy.include.is_empty() {
        let index = git::index_of_caller(sh, &top)?;
        git::staged(sh, root, &policy.include, index.as_ref(), |staged| {
            let kind = staged.kind.unwrap_or(EntryKind::File);
            let Some(Listed { path, excluded: false, .. }) = finder.judge(kind, staged.path, Utf8Path::new("")) else {
                return;
            };
            let shown = printable_path(path.as_str());
            match staged.kind {
                None => finder.error(format!("{shown} is in a merge conflict; resolve that, and stage it")),
                Some(EntryKind::Repository) => finder.repository(&path),
                Some(EntryKind::Link) => {
                    let warning = format!("{shown} is not checked: a link is staged, not what it leads to");
                    finder.selection.warn(WarningKind::NotChecked, Some(&path), warning);
                }
                Some(EntryKind::File | EntryKind::Absent) => {
                    paths.push(path);
                    objects.push(staged.object.to_owned());
                }
            }
        })?;
    }
    if !objects.is_empty() {
        let mut paths = paths.into_iter();
        git::contents(sh, root, &objects, |content| match (paths.next(), content) {
            (Some(path), Some(content)) => finder.content(path, content),
            (Some(path), None) => {
                let path = printable_path(path.as_str());
                finder.error(format!("cannot check {path}: git does not have what is staged of it; stage it again"));
            }
            (None, _) => {}
        })?;
    }
    let mut selection = finder.finish();
    selection.idle = Some("no Python file that the policy covers is staged".to_owned());
    Ok(selection)
}

/// The top of the work tree around the root, without links, as the root is.
fn top_level(sh: &Shell, root: &Utf8Path) -> Result<Utf8PathBuf> {
    match git::top_level(sh, root)? {
        Some(top) => Ok(top.canonicalize_utf8()?),
        None => bail!("{} is not in a git repository; name one with --root", printable_path(root.as_str())),
    }
}

/// The path below the root that git says it could not look at, after which it goes on as if nothing had changed there.
fn unseen(complaint: &str, root: &Utf8Path, top: &Utf8Path) -> Option<Utf8PathBuf> {
    let (path, _) = complaint.rsplit_once(": ")?;
    Some(top.join(path).strip_prefix(root).ok()?.to_owned())
}

fn is_absent(root: &Utf8Path, path: &[u8]) -> bool {
    let is_absent = |path| root.join(path).symlink_metadata().is_err_and(|err| is_gone(&err));
    std::str::from_utf8(path).is_ok_and(is_absent)
}
