//! Asks git, with a deadline and without the environment of whatever git command runs us.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::{Shell, cmd};

const DEADLINE: Duration = Duration::from_secs(60);

/// What would point git at another repository than the one asked about, or change how it reads arguments:
/// `git rev-parse --local-env-vars`, and the pathspec switches.
const FOREIGN_VARIABLES: [&str; 17] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// One path that git lists.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    /// Relative to the folder that was listed, `/` between its parts, as bytes: git knows no encoding.
    pub path: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Link,
    /// A submodule, or an untracked repository.
    Repository,
    /// Tracked, but not in the work tree of a sparse checkout.
    Absent,
}

/// The top of the work tree around `folder`; None outside any repository.
pub fn top_level(sh: &Shell, folder: &Utf8Path) -> Result<Option<Utf8PathBuf>> {
    let output = run(cmd!(sh, "git -C {folder} rev-parse --show-toplevel").into())?;
    match output {
        Ok(stdout) => {
            let top = String::from_utf8(stdout).context("the path of the git work tree is not UTF-8")?;
            Ok(Some(Utf8PathBuf::from(top.trim_end_matches('\n'))))
        }
        Err(message) if message.contains("not a git repository") => Ok(None),
        Err(message) => bail!("git rev-parse failed in {folder}: {message}"),
    }
}

/// What git tracks below `folder`, as far as it lies in one of `paths`, taken literally. With `untracked`, also what
/// it would let one add.
pub fn list(sh: &Shell, folder: &Utf8Path, paths: &[Utf8PathBuf], untracked: bool) -> Result<Vec<Entry>> {
    let others: &[&str] = if untracked { &["--cached", "--others", "--exclude-standard"] } else { &[] };
    let command = cmd!(
        sh,
        "git -C {folder} --literal-pathspecs -c core.fsmonitor=false ls-files -z -t --stage {others...} -- {paths...}"
    );
    match run(command.into())? {
        Ok(stdout) => parse(&stdout).with_context(|| format!("git ls-files in {folder} printed what it never does")),
        Err(message) => bail!("git ls-files failed in {folder}: {message}"),
    }
}

fn parse(listing: &[u8]) -> Result<Vec<Entry>> {
    let Some(listing) = listing.strip_suffix(b"\0") else {
        anyhow::ensure!(listing.is_empty(), "no NUL at its end");
        return Ok(Vec::new());
    };
    listing
        .split(|&b| b == 0)
        .map(|entry| parse_entry(entry).context(String::from_utf8_lossy(entry).into_owned()))
        .collect()
}

/// `H 100644 <object> 0\t<path>` of a tracked file, `? <path>` of another.
fn parse_entry(entry: &[u8]) -> Option<Entry> {
    if let Some(path) = entry.strip_prefix(b"? ") {
        let kind = if path.ends_with(b"/") { EntryKind::Repository } else { EntryKind::File };
        return Some(Entry { kind, path: path.to_vec() });
    }
    let tab = memchr::memchr(b'\t', entry)?;
    let (head, path) = (&entry[..tab], &entry[tab + 1..]);
    let mode = head.get(2..8)?;
    let kind = match (head[0], mode) {
        (_, b"160000") => EntryKind::Repository,
        (b'S', _) => EntryKind::Absent,
        (_, b"120000") => EntryKind::Link,
        (_, b"100644" | b"100755") => EntryKind::File,
        _ => return None,
    };
    Some(Entry { kind, path: path.to_vec() })
}

/// Standard output, or what git said when it failed.
fn run(mut command: Command) -> Result<std::result::Result<Vec<u8>, String>> {
    for variable in FOREIGN_VARIABLES {
        command.env_remove(variable);
    }
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot run git; install it, or put it on PATH")?;
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = mpsc::channel();
    // Read aside, so that a git that hangs cannot hold us: not even by a child of its own that keeps the pipe open.
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.as_mut().map_or(Ok(0), |stdout| stdout.read_to_end(&mut output));
        let _ = sender.send(read.map(|_| output));
    });
    let errors = std::thread::spawn(move || {
        let mut output = Vec::new();
        if let Some(stderr) = stderr.as_mut() {
            let _ = stderr.read_to_end(&mut output);
        }
        output
    });
    let stdout = match receiver.recv_timeout(DEADLINE) {
        Ok(stdout) => stdout.context("cannot read what git prints")?,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let _ = child.kill();
            let _ = child.wait();
            bail!("git did not answer within {} s; try `git status` there", DEADLINE.as_secs());
        }
    };
    let status = child.wait().context("cannot wait for git")?;
    if status.success() {
        return Ok(Ok(stdout));
    }
    let message = String::from_utf8_lossy(&errors.join().unwrap_or_default()).trim().to_owned();
    Ok(Err(if message.is_empty() { status.to_string() } else { message }))
}
