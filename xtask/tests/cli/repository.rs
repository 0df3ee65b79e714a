//! A throw-away folder, most often a git repository, and the runs in it.

use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use camino::{Utf8Path, Utf8PathBuf};

pub(crate) use crate::scrub::scrub;

/// Seconds in which git answers on the busiest machine.
#[cfg(unix)]
pub(crate) const ENOUGH: &str = "50";

pub(crate) struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    /// A repository whose files are all tracked.
    pub(crate) fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository::without_git(files);
        repository.git(&["init", "--quiet"]);
        repository.track();
        repository
    }

    /// A folder that is in no repository.
    pub(crate) fn without_git(files: &[(&str, &str)]) -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            repository.write(path, text);
        }
        repository
    }

    pub(crate) fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().canonicalize_utf8().unwrap()
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path().as_std_path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Lets git track all that is there.
    pub(crate) fn track(&self) {
        self.git(&["add", "--all", "--force"]);
    }

    /// Commits all that is there.
    pub(crate) fn commit(&self) {
        self.track();
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "all"]);
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path().join(path)).unwrap();
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder.path()).args(["-c", "user.name=a", "-c", "user.email=a@localhost"]);
        scrub(&mut command).args(arguments).output().unwrap()
    }

    /// `cargo xtask lint-spawns` in the folder, with no settings but its own.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.arg("lint-spawns").current_dir(self.path());
        scrub(&mut command);
        command
    }

    pub(crate) fn lint(&self, arguments: &[&str]) -> String {
        self.lint_in(".", arguments)
    }

    /// A run that reads `input`.
    pub(crate) fn lint_input(&self, input: impl AsRef<[u8]>, arguments: &[&str]) -> String {
        let file = tempfile::tempfile().unwrap();
        (&file).write_all(input.as_ref()).unwrap();
        (&file).rewind().unwrap();
        self.run(self.command().args(arguments).stdin(file))
    }

    /// A run, which ends as that without `--format` does.
    pub(crate) fn lint_as(&self, format: &str, arguments: &[&str]) -> String {
        let shown = self.lint(&[arguments, &["--format", format]].concat());
        let text = self.lint(arguments);
        assert_eq!(shown.lines().next(), text.lines().next(), "the exit code of {arguments:?}");
        assert_eq!(complaints(&shown), complaints(&text), "the complaints of {arguments:?}");
        format!("=== {arguments:?}\n{shown}")
    }

    pub(crate) fn lint_in(&self, folder: &str, arguments: &[&str]) -> String {
        self.run(self.command().args(arguments).current_dir(self.path().join(folder)))
    }

    /// A run in which `/bin/sh` runs `script` whenever git is called; git itself is that of the rest of PATH. The
    /// deadline is in seconds.
    #[cfg(unix)]
    pub(crate) fn lint_with_git(&self, script: &str, deadline: &str, arguments: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap();
        let draft = folder.path().join("draft");
        fs::write(&draft, format!("#!/bin/sh\nPATH={path}\n{script}\n")).unwrap();
        // Were it written by this process, a child that another test starts just now could hold it open for writing, and
        // so keep it from being run.
        let mut install = Command::new("install");
        install.args(["-m", "755"]).arg(draft).arg(folder.path().join("git"));
        assert!(install.status().unwrap().success());
        let path = format!("{}:{path}", folder.path().to_str().unwrap());
        self.run(self.command().args(arguments).env("PATH", path).env("LINT_SPAWNS_GIT_DEADLINE", deadline))
    }

    /// What a command says and how it ends, without the folder's own name.
    pub(crate) fn run(&self, command: &mut Command) -> String {
        shown(&command.output().unwrap()).replace(self.path().as_str(), "ROOT")
    }
}

fn complaints(shown: &str) -> Option<&str> {
    Some(shown.split_once("----- stderr\n")?.1)
}

pub(crate) fn shown(output: &Output) -> String {
    format!(
        "exit code: {}\n----- stdout\n{}----- stderr\n{}",
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A policy as `pyproject.toml` holds it.
pub(crate) fn policy(table: &str) -> String {
    format!("[tool.lint-spawns]\n{table}")
}

/// std cannot make one.
#[cfg(unix)]
pub(crate) fn fifo(path: &Utf8Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success(), "mkfifo {path}");
}

/// Lets an ordinary user run the command, where tests run as root: to root nothing is forbidden. The folder of the
/// repository becomes that user's.
#[cfg(unix)]
pub(crate) fn as_ordinary_user(repository: &Repository, command: &mut Command) -> String {
    use std::os::unix::fs::MetadataExt as _;
    const NOBODY: &str = "65534";
    // The folder that this program was built in may be closed to others.
    let folder = tempfile::tempdir().unwrap();
    if fs::metadata(folder.path()).unwrap().uid() != 0 {
        return repository.run(command);
    }
    let program = folder.path().join("xtask");
    let mut user = Command::new("setpriv");
    user.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&program).args(command.get_args());
    user.current_dir(command.get_current_dir().unwrap());
    scrub(&mut user).env("HOME", "/nonexistent");
    let owner = format!("{NOBODY}:{NOBODY}");
    let (to, folder) = (program.to_str().unwrap(), folder.path().to_str().unwrap());
    for arguments in [
        &["install", "-m", "755", env!("CARGO_BIN_EXE_xtask"), to][..],
        &["chmod", "755", folder],
        &["chown", "-R", &owner, repository.path().as_str()],
    ] {
        assert!(Command::new(arguments[0]).args(&arguments[1..]).status().unwrap().success(), "{arguments:?}");
    }
    repository.run(&mut user)
}
