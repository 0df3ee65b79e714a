//! Asks git, with a deadline, without the environment of whatever git command runs us, and without running what the
//! configuration of a checkout names.

mod changes;

use std::io::{self, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TrySendError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::{Shell, cmd};

use crate::output::{printable_bytes, printable_path};
pub use changes::{Base, changed, contents, index_of_caller, merge_base, renames, staged};

const DEADLINE: Duration = Duration::from_secs(60);

/// Seconds that replace [`DEADLINE`]. For tests, which cannot wait so long for a git that hangs.
const DEADLINE_VARIABLE: &str = "LINT_SPAWNS_GIT_DEADLINE";

/// No listing is longer; a git that prints for ever must not fill the memory. In bytes.
const LONGEST_OUTPUT: usize = 1 << 30;

/// No path is longer, on any system. In bytes.
const LONGEST_ENTRY: usize = 1 << 20;

/// As much of what git complains of is kept. In bytes.
const LONGEST_COMPLAINT: usize = 64 << 10;

/// Names the index that git reads.
const INDEX_VARIABLE: &str = "GIT_INDEX_FILE";

/// What would point git at another repository than the one asked about, or change how it reads arguments:
/// `git rev-parse --local-env-vars` of all versions, and the pathspec switches.
const FOREIGN_VARIABLES: [&str; 19] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    INDEX_VARIABLE,
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
];

/// Reading must not write the index, ask a person, or fetch what a partial clone lacks by a command that the checkout's
/// configuration names. The protocol of that name does not exist: old versions know no other way to forbid all.
const QUIET_VARIABLES: [(&str, &str); 5] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];

/// Programs that the configuration of an untrusted checkout could make git run.
pub const NO_PROGRAMS: [&str; 4] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/// One path that git lists.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: EntryKind,
    /// Relative to the folder that was listed, `/` between its parts, as bytes: git knows no encoding.
    pub path: &'a [u8],
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
    let shown = printable_path(folder.as_str());
    let command = cmd!(sh, "git -C {folder} {NO_PROGRAMS...} rev-parse --show-toplevel");
    let (output, printed) = run(command.into(), folder)?;
    if !output.status.success() {
        if is_outside(&output) {
            return Ok(None);
        }
        bail!("{}", failure(&output, "rev-parse", folder));
    }
    let printed = printed.strip_suffix(b"\n").unwrap_or(&printed);
    let top = std::str::from_utf8(printed)
        .map(Utf8PathBuf::from)
        .with_context(|| format!("the path {} is not UTF-8; rename its folders", printable_bytes(cut(printed))))?;
    // Whatever it is, the files around `folder` are not what would be checked.
    let around = top.is_absolute()
        && top
            .canonicalize_utf8()
            .is_ok_and(|top| folder.canonicalize_utf8().is_ok_and(|folder| folder.starts_with(top)));
    ensure!(
        around,
        "git says that the work tree of {shown} is '{}', which is no folder around it; see `git config core.worktree` \
         there, or name the repository with --root",
        printable_bytes(cut(printed))
    );
    Ok(Some(top))
}

/// Keeps away from a command, git or one that starts it, what a git that runs us has told us of its own repository.
pub fn forget_caller(command: &mut Command) {
    for variable in FOREIGN_VARIABLES {
        command.env_remove(variable);
    }
}

/// Gives to `take`, while git goes on listing, what git tracks below `folder`, as far as it lies in one of `paths`, taken
/// literally. With `untracked`, also what it would let one add. Returns what git complained of though it succeeded, a
/// line each.
pub fn list(
    sh: &Shell,
    folder: &Utf8Path,
    paths: &[Utf8PathBuf],
    untracked: bool,
    mut take: impl FnMut(Entry),
) -> Result<Vec<String>> {
    let others: &[&str] = if untracked { &["--cached", "--others", "--exclude-standard"] } else { &[] };
    let command = cmd!(
        sh,
        "git -C {folder} --literal-pathspecs {NO_PROGRAMS...} ls-files -z -t --stage {others...} -- {paths...}"
    );
    entries(command.into(), "ls-files", folder, None, |entry| {
        take(parse_entry(entry)?);
        Some(())
    })
}

/// Runs git, and gives to `take` what it prints before each NUL, while it goes on; None says that git never prints that.
/// `index` is the file to read instead of the repository's own. Returns what git complained of though it succeeded, a
/// line each.
fn entries(
    command: Command,
    verb: &str,
    folder: &Utf8Path,
    index: Option<&PathBuf>,
    mut take: impl FnMut(&[u8]) -> Option<()>,
) -> Result<Vec<String>> {
    // The start of an entry whose end has not come yet.
    let mut rest = Vec::new();
    let output = run_with(command, folder, index, Vec::new(), |chunk| {
        rest.extend_from_slice(chunk);
        let mut start = 0;
        while let Some(length) = memchr::memchr(0, &rest[start..]) {
            let entry = &rest[start..start + length];
            take(entry).ok_or_else(|| odd(verb, folder, entry))?;
            start += length + 1;
        }
        rest.drain(..start);
        ensure!(rest.len() <= LONGEST_ENTRY, odd(verb, folder, &rest));
        Ok(())
    })?;
    if is_outside(&output) {
        bail!(
            "{} is not in a git repository; name one with --root, or files as PATHS",
            printable_path(folder.as_str())
        );
    }
    if !output.status.success() {
        bail!("{}", failure(&output, verb, folder));
    }
    ensure!(rest.is_empty(), odd(verb, folder, b"no NUL at its end"));
    Ok(output.complaint.lines().map(str::to_owned).collect())
}

fn odd(verb: &str, folder: &Utf8Path, printed: &[u8]) -> anyhow::Error {
    let (folder, printed) = (printable_path(folder.as_str()), printable_bytes(cut(printed)));
    anyhow!("git {verb} in {folder} printed what it never does; see which program `git` is: {printed}")
}

/// `H 100644 <object> 0\t<path>` of a tracked file, `? <path>` of another.
fn parse_entry(entry: &[u8]) -> Option<Entry<'_>> {
    let (kind, path) = match entry.strip_prefix(b"? ") {
        Some(path) if path.ends_with(b"/") => (EntryKind::Repository, path),
        Some(path) => (EntryKind::File, path),
        None => {
            let tab = memchr::memchr(b'\t', entry)?;
            let (head, path) = (&entry[..tab], &entry[tab + 1..]);
            let kind = match (head.first()?, head.get(1..8)?) {
                (_, b" 160000") => EntryKind::Repository,
                (b'S', _) => EntryKind::Absent,
                (_, b" 120000") => EntryKind::Link,
                (_, b" 100644" | b" 100755") => EntryKind::File,
                _ => return None,
            };
            (kind, path)
        }
    };
    let is_below = !path.is_empty() && !path.starts_with(b"/") && !path.split(|&b| b == b'/').any(|part| part == b"..");
    is_below.then_some(Entry { kind, path })
}

/// How git ended.
pub struct Output {
    pub status: ExitStatus,
    /// Standard error, trimmed.
    pub complaint: String,
}

/// Whether git found no repository at all; of one that it found and cannot use it says something else.
fn is_outside(output: &Output) -> bool {
    !output.status.success() && output.complaint.contains("not a git repository (or any")
}

/// What a failure of git means, and what to do.
fn failure(output: &Output, verb: &str, folder: &Utf8Path) -> String {
    let folder = printable_path(folder.as_str());
    if output.complaint.contains("must be run in a work tree") {
        return format!(
            "{folder} is in a bare repository or a .git folder, where no files are checked out; \
             name a work tree with --root"
        );
    }
    let complaint = match output.complaint.as_str() {
        // Killed, say.
        "" => output.status.to_string(),
        complaint => complaint.replace('\t', "    "),
    };
    format!("git {verb} failed in {folder}: {complaint}")
}

/// Runs git. Also returns what it printed. `folder` is the one it is asked about.
pub fn run(command: Command, folder: &Utf8Path) -> Result<(Output, Vec<u8>)> {
    let mut printed = Vec::new();
    let output = run_with(command, folder, None, Vec::new(), |chunk| {
        printed.extend_from_slice(chunk);
        Ok(())
    })?;
    Ok((output, printed))
}

/// Runs git, lets it read `input`, and gives what it prints to `take` as it comes. `index` is the file to read instead of
/// the repository's own.
fn run_with(
    mut command: Command,
    folder: &Utf8Path,
    index: Option<&PathBuf>,
    input: Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Output> {
    let limit = deadline()?;
    let deadline = Instant::now() + limit;
    forget_caller(&mut command);
    command.envs(QUIET_VARIABLES).envs(index.map(|index| (INDEX_VARIABLE, index)));
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|err| {
        let advice = match err.kind() {
            io::ErrorKind::NotFound => "; install it, or put it on PATH",
            io::ErrorKind::PermissionDenied => "; see whether the git on PATH may be executed",
            _ => "",
        };
        anyhow!("cannot run git: {err}{advice}")
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // git answers before it has read all. If it reads no more, how it ends says why.
        std::thread::spawn(move || stdin.write_all(&input));
    }
    let stdout = child.stdout.take().map(|pipe| read_aside(pipe, true));
    // Nobody listens while the listing comes, and git must not wait for that: what it complains of at length is lost.
    let stderr = child.stderr.take().map(|pipe| read_aside(pipe, false));
    let mut complaint = Vec::new();
    let mut printed = 0;
    let answer = (|| {
        while let Some(chunk) = receive(stdout.as_ref(), deadline)? {
            printed += chunk.len();
            if printed > LONGEST_OUTPUT {
                return Err(Failure::Endless);
            }
            take(&chunk).map_err(Failure::Refused)?;
        }
        while let Some(chunk) = receive(stderr.as_ref(), deadline)? {
            complaint.extend_from_slice(&chunk[..chunk.len().min(LONGEST_COMPLAINT - complaint.len())]);
        }
        wait(&mut child, deadline)
    })();
    let folder = printable_path(folder.as_str());
    let failure = match answer {
        Ok(status) => return Ok(Output { status, complaint: String::from_utf8_lossy(&complaint).trim().to_owned() }),
        Err(failure) => failure,
    };
    let _ = child.kill();
    let _ = child.wait();
    match failure {
        Failure::Late => {
            bail!("git did not answer within {} s in {folder}; try `git status` there", limit.as_secs_f64())
        }
        Failure::Endless => bail!("git prints without end in {folder}; see which program `git` is"),
        Failure::Refused(err) => Err(err),
        Failure::Io(err) => Err(err).context(format!("cannot read what git prints in {folder}")),
    }
}

enum Failure {
    Late,
    Endless,
    Refused(anyhow::Error),
    Io(io::Error),
}

/// Reads in a thread, so that a git that hangs cannot hold us: not even by a child of its own that keeps the pipe open.
/// A MiB is kept; then git has to wait until they are listened to, or what it prints is lost.
fn read_aside(mut pipe: impl Read + Send + 'static, wait: bool) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::sync_channel(16);
    std::thread::spawn(move || {
        loop {
            let mut chunk = vec![0; 64 << 10];
            let result = match pipe.read(&mut chunk) {
                Ok(0) => return,
                Ok(count) => {
                    chunk.truncate(count);
                    Ok(chunk)
                }
                Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
                Err(err) => Err(err),
            };
            let failed = result.is_err();
            let gone = match wait {
                true => sender.send(result).is_err(),
                false => matches!(sender.try_send(result), Err(TrySendError::Disconnected(_))),
            };
            if gone || failed {
                return;
            }
        }
    });
    receiver
}

/// The next of what git prints; None at the end.
fn receive(pipe: Option<&Receiver<io::Result<Vec<u8>>>>, deadline: Instant) -> Result<Option<Vec<u8>>, Failure> {
    let Some(pipe) = pipe else { return Ok(None) };
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        // There may always be a next chunk.
        return Err(Failure::Late);
    }
    match pipe.recv_timeout(left) {
        Ok(chunk) => chunk.map(Some).map_err(Failure::Io),
        Err(RecvTimeoutError::Disconnected) => Ok(None),
        Err(RecvTimeoutError::Timeout) => Err(Failure::Late),
    }
}

/// Waits for a git that has closed its output, and so is about to end.
fn wait(child: &mut Child, deadline: Instant) -> Result<ExitStatus, Failure> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_micros(200)),
            Ok(None) => return Err(Failure::Late),
            Err(err) => return Err(Failure::Io(err)),
        }
    }
}

fn deadline() -> Result<Duration> {
    let Some(seconds) = std::env::var_os(DEADLINE_VARIABLE) else { return Ok(DEADLINE) };
    let parsed = seconds.to_str().and_then(|text| text.parse().ok()).and_then(|s| Duration::try_from_secs_f64(s).ok());
    let parsed = parsed.filter(|limit| Instant::now().checked_add(*limit).is_some());
    parsed.with_context(|| {
        let shown = printable_bytes(seconds.as_encoded_bytes());
        format!("{DEADLINE_VARIABLE} is '{shown}'; it must be a number of seconds")
    })
}

/// As much of what git printed as a message has room for.
fn cut(printed: &[u8]) -> &[u8] {
    &printed[..printed.len().min(200)]
}
