//! Asks git what has changed, and what is staged.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::{Shell, cmd};

use super::{EntryKind, INDEX_VARIABLE, NO_PROGRAMS, cut, entries, failure, odd, run, run_with};
use crate::output::{printable_bytes, printable_path};

/// Renames count as what they are made of, and no program of the configuration says what a difference is. In a
/// submodule nothing is looked at.
const PLAIN: [&str; 6] = ["--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty"];

/// What a work tree is compared with.
#[derive(Debug)]
pub enum Base {
    /// The commit of that name.
    Commit(String),
    Head,
    /// There is no commit yet, so that all is new.
    Nothing,
}

/// A path that differs from the commit it is compared with, and is not deleted.
#[derive(Debug)]
pub struct Change {
    pub kind: EntryKind,
    /// Relative to the folder asked about.
    pub path: Vec<u8>,
    /// The work tree has what the index has, where a sparse checkout does not leave it out.
    pub as_staged: bool,
    /// What it is was not told, be it a file or a link.
    pub untracked: bool,
}

/// A path whose entry in the index differs from HEAD, and is not a deletion.
#[derive(Debug)]
pub struct Staged<'a> {
    /// None if it is in a merge conflict.
    pub kind: Option<EntryKind>,
    /// Relative to the folder asked about.
    pub path: &'a [u8],
    /// What names its content.
    pub object: &'a str,
}

/// Where HEAD's history left that of `rev`; by default that of the upstream of the current branch, and HEAD where there is
/// none.
pub fn merge_base(sh: &Shell, folder: &Utf8Path, rev: Option<&str>) -> Result<Base> {
    let other = rev.unwrap_or("@{upstream}");
    let command = cmd!(sh, "git -C {folder} {NO_PROGRAMS...} merge-base -- {other} HEAD");
    let (output, printed) = run(command.into(), folder)?;
    if output.status.success() {
        let object = printed.strip_suffix(b"\n").unwrap_or(&printed);
        return Ok(Base::Commit(object_name(object).ok_or_else(|| odd("merge-base", folder, object))?.to_owned()));
    }
    let complaint = output.complaint.as_str();
    let says = |what: &str| complaint.contains(what);
    // git says the same of a branch that is broken; more is checked then than has changed.
    if complaint.ends_with("fatal: Not a valid object name HEAD") || (rev.is_none() && says("no such branch")) {
        return Ok(Base::Nothing);
    }
    if rev.is_none() && (says("no upstream configured") || says("HEAD does not point to a branch")) {
        return Ok(Base::Head);
    }
    let shown = rev.map_or("the upstream of the current branch".to_owned(), |rev| format!("'{}'", printable_path(rev)));
    let advice = if rev.is_some() { "another commit with --changed=REV" } else { "a commit with --changed=REV" };
    if output.status.code() == Some(1) && complaint.is_empty() {
        if is_shallow(sh, folder)? {
            bail!(
                "HEAD and {shown} have no common ancestor in this shallow clone; fetch more of the history \
                 (git fetch --unshallow, in CI fetch-depth: 0), or name {advice}"
            );
        }
        bail!("HEAD and {shown} have no common ancestor; name {advice}");
    }
    if says("Not a valid object name") || says("Not a valid commit name") || says("not stored as a remote-tracking") {
        bail!("cannot compare with {shown}: git says: {complaint}; fetch it, or name {advice}");
    }
    bail!("{}", failure(&output, "merge-base", folder))
}

fn is_shallow(sh: &Shell, folder: &Utf8Path) -> Result<bool> {
    Ok(answer(sh, folder, "--is-shallow-repository")? == b"true")
}

/// What `git rev-parse` says of the repository.
fn answer(sh: &Shell, folder: &Utf8Path, question: &str) -> Result<Vec<u8>> {
    let command = cmd!(sh, "git -C {folder} {NO_PROGRAMS...} rev-parse {question}");
    let (output, mut printed) = run(command.into(), folder)?;
    ensure!(output.status.success(), failure(&output, "rev-parse", folder));
    printed.pop_if(|last| *last == b'\n');
    Ok(printed)
}

/// What differs from `base` in the work tree or, where that has what the index has, in the
/// index; as far as it lies in one of `paths`, taken literally. `top` is that of the work tree, and `folder` is in it, both
/// without links. Also returns what git complained of though it succeeded, a line each.
pub fn changed(
    sh: &Shell,
    folder: &Utf8Path,
    top: &Utf8Path,
    base: &Base,
    paths: &[Utf8PathBuf],
) -> Result<(Vec<Change>, Vec<String>)> {
    let no_filters = no_filters(sh, folder)?;
    let command = cmd!(
        sh,
        "git -C {folder} --literal-pathspecs {NO_PROGRAMS...} {no_filters...} status --porcelain=v2 -z --no-renames
         --untracked-files=all --ignore-submodules=dirty -- {paths...}"
    );
    let prefix = match folder.strip_prefix(top) {
        Ok(below) if below != "" => format!("{below}/"),
        _ => String::new(),
    };
    let base = match base {
        Base::Commit(base) => Some(base),
        Base::Head | Base::Nothing => None,
    };
    let mut found = BTreeMap::new();
    let mut deleted = BTreeSet::new();
    let complaints = entries(command.into(), "status", folder, None, |entry| {
        let status = parse_status(entry)?;
        // git tells it from the top.
        let path = status.path.strip_prefix(prefix.as_bytes())?.to_vec();
        match status.kind {
            None => _ = deleted.insert(path),
            // What the index has is compared with the base below.
            Some(_) if status.as_staged && base.is_some() => {}
            Some(kind) => {
                let (as_staged, untracked) = (status.as_staged, status.untracked);
                found.insert(path.clone(), Change { kind, path, as_staged, untracked });
            }
        }
        Some(())
    })?;
    if let Some(base) = base {
        let command = cmd!(
            sh,
            "git -C {folder} --literal-pathspecs {NO_PROGRAMS...} diff-index --cached --relative {PLAIN...} {base}
             -- {paths...}"
        );
        let take = |staged: Staged| {
            let path = staged.path.to_vec();
            // What is in a conflict `git status` has named.
            if let Some(kind) = staged.kind.filter(|_| !deleted.contains(&path)) {
                found.entry(path.clone()).or_insert(Change { kind, path, as_staged: true, untracked: false });
            }
        };
        entries(command.into(), "diff-index", folder, None, raw(take))?;
    }
    Ok((found.into_values().collect(), complaints))
}

/// Gives to `take` what is staged, as far as it lies in one of `paths`, taken literally. `index` is the file to read
/// instead of the repository's own.
pub fn staged(
    sh: &Shell,
    folder: &Utf8Path,
    paths: &[Utf8PathBuf],
    index: Option<&PathBuf>,
    take: impl FnMut(Staged),
) -> Result<()> {
    // Unlike `diff-index` it knows what to do before the first commit.
    let command = cmd!(
        sh,
        "git -C {folder} --literal-pathspecs {NO_PROGRAMS...} diff --cached --relative {PLAIN...} -- {paths...}"
    );
    entries(command.into(), "diff", folder, index, raw(take)).map(drop)
}

/// The index that the git which runs us as a hook is about to commit: for `git commit --all` it is not the repository's own.
/// None if there is no other, or if it is another repository's. `top` is that of the work tree.
pub fn index_of_caller(sh: &Shell, top: &Utf8Path) -> Result<Option<PathBuf>> {
    let Some(index) = std::env::var_os(INDEX_VARIABLE) else { return Ok(None) };
    let index = top.as_std_path().join(index);
    let git_dir = answer(sh, top, "--absolute-git-dir")?;
    let holds = |git_dir: &str| {
        let (folder, around) =
            (Utf8Path::new(git_dir).canonicalize(), index.parent().map(|folder| folder.canonicalize()));
        matches!((folder, around), (Ok(folder), Some(Ok(around))) if folder == around)
    };
    Ok(std::str::from_utf8(&git_dir).is_ok_and(holds).then_some(index).filter(|index| index.is_file()))
}

/// Gives to `take` the contents of `objects`, in that order; None if git does not have it.
pub fn contents(
    sh: &Shell,
    folder: &Utf8Path,
    objects: &[String],
    mut take: impl FnMut(Option<Vec<u8>>),
) -> Result<()> {
    let command = cmd!(sh, "git -C {folder} {NO_PROGRAMS...} cat-file --batch");
    let mut at = 0;
    // What has come of the next object.
    let mut rest = Vec::new();
    let output = run_with(command.into(), folder, None, objects.join("\n").into_bytes(), |chunk| {
        rest.extend_from_slice(chunk);
        let mut start = 0;
        while let Some(length) = memchr::memchr(b'\n', &rest[start..]) {
            let head = &rest[start..start + length];
            let Some(object) = objects.get(at) else { bail!(odd("cat-file", folder, head)) };
            let kind = head.strip_prefix(object.as_bytes()).ok_or_else(|| odd("cat-file", folder, head))?;
            let mut end = start + length + 1;
            if kind == b" missing" {
                take(None);
            } else {
                let size = kind.strip_prefix(b" blob ").and_then(|size| std::str::from_utf8(size).ok()?.parse().ok());
                let size: usize = size.ok_or_else(|| odd("cat-file", folder, head))?;
                let Some(content) = rest.get(end..end.saturating_add(size)) else { break };
                // The line break that ends it.
                if rest.len() == end + size {
                    break;
                }
                take(Some(content.to_vec()));
                end += size + 1;
            }
            start = end;
            at += 1;
        }
        rest.drain(..start);
        Ok(())
    })?;
    ensure!(output.status.success(), failure(&output, "cat-file", folder));
    ensure!(at == objects.len() && rest.is_empty(), odd("cat-file", folder, &rest));
    Ok(())
}

/// The new names of the Python files below `folder` that the work tree and HEAD call differently, by the old ones, as git
/// detects renames. Both are relative to `folder`; names that are not UTF-8 are left out.
pub fn renames(sh: &Shell, folder: &Utf8Path) -> Result<BTreeMap<String, String>> {
    let no_filters = no_filters(sh, folder)?;
    let options = ["--find-renames", "--name-status", "-z", "--relative", "--no-ext-diff", "--ignore-submodules=all"];
    let command = cmd!(sh, "git -C {folder} {NO_PROGRAMS...} {no_filters...} diff-index {options...} HEAD -- *.py");
    let (output, printed) = run(command.into(), folder)?;
    if !output.status.success() {
        // Nothing is committed yet.
        ensure!(output.complaint.contains("bad revision 'HEAD'"), failure(&output, "diff-index", folder));
        return Ok(BTreeMap::new());
    }
    let mut renames = BTreeMap::new();
    let mut fields = printed.split(|&byte| byte == 0);
    while let Some(status) = fields.next() {
        let old = fields.next();
        let new = if status.starts_with(b"R") { fields.next() } else { None };
        if let (Some(old), Some(new)) = (old, new)
            && let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new))
        {
            renames.insert(old.to_owned(), new.to_owned());
        }
    }
    Ok(renames)
}

/// Arguments that keep git from running the filters of the configuration when it compares files: one that is filtered
/// counts as changed.
fn no_filters(sh: &Shell, folder: &Utf8Path) -> Result<Vec<String>> {
    let command = cmd!(sh, "git -C {folder} {NO_PROGRAMS...} config -z --name-only --get-regexp ^filter[.]");
    let (output, printed) = run(command.into(), folder)?;
    let mut arguments = Vec::new();
    // It ends in 1 when there is none.
    ensure!(output.status.success() || output.status.code() == Some(1), failure(&output, "config", folder));
    for key in printed.split(|&byte| byte == 0).filter(|key| !key.is_empty()) {
        let filter = std::str::from_utf8(key).ok().and_then(|key| Some(key.rsplit_once('.')?.0));
        let Some(filter) = filter.filter(|filter| !filter.contains('=')) else {
            bail!(
                "the configuration of git has the filter {}, which cannot be kept from running; rename it",
                printable_bytes(cut(key))
            );
        };
        for setting in ["clean=", "process=", "required=false"] {
            arguments.extend(["-c".to_owned(), format!("{filter}.{setting}")]);
        }
    }
    Ok(arguments)
}

struct Status<'a> {
    /// None if it is deleted in the work tree.
    kind: Option<EntryKind>,
    path: &'a [u8],
    as_staged: bool,
    untracked: bool,
}

/// `1 .M N... 100644 100644 100644 <object> <object> <path>`; `u UU N...`, four modes, three objects, of a conflict; `? <path>`
/// of what is not tracked.
fn parse_status(entry: &[u8]) -> Option<Status<'_>> {
    let (fields, mode, path) = match entry.first()? {
        b'1' => (9, 5, 8),
        b'u' => (11, 6, 10),
        b'?' => {
            let path = entry.strip_prefix(b"? ")?;
            let kind = if path.ends_with(b"/") { EntryKind::Repository } else { EntryKind::File };
            return Some(Status { kind: Some(kind), path, as_staged: false, untracked: true });
        }
        _ => return None,
    };
    let fields: Vec<&[u8]> = entry.splitn(fields, |&byte| byte == b' ').collect();
    let as_staged = fields.get(1)?.get(1)? == &b'.';
    Some(Status { kind: kind(fields.get(mode)?)?, path: fields.get(path)?, as_staged, untracked: false })
}

/// Reads `:100644 100644 <object> <object> M`, then the path.
fn raw(mut take: impl FnMut(Staged)) -> impl FnMut(&[u8]) -> Option<()> {
    let mut head: Option<String> = None;
    move |entry| {
        let Some(known) = head.take() else {
            head = Some(std::str::from_utf8(entry.strip_prefix(b":")?).ok()?.to_owned());
            return Some(());
        };
        let fields: Vec<&str> = known.split(' ').collect();
        let &[_, mode, _, object, letter] = fields.as_slice() else { return None };
        let object = object_name(object.as_bytes())?;
        match (letter, kind(mode.as_bytes())?) {
            ("U", _) => take(Staged { kind: None, path: entry, object }),
            ("D", None) => {}
            (_, None) => return None,
            (_, kind) => take(Staged { kind, path: entry, object }),
        }
        Some(())
    }
}

/// What a mode means; None in it if there is nothing.
fn kind(mode: &[u8]) -> Option<Option<EntryKind>> {
    Some(match mode {
        b"000000" => None,
        b"100644" | b"100755" => Some(EntryKind::File),
        b"120000" => Some(EntryKind::Link),
        b"160000" => Some(EntryKind::Repository),
        _ => return None,
    })
}

fn object_name(printed: &[u8]) -> Option<&str> {
    let name = std::str::from_utf8(printed).ok()?;
    (name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(name)
}
