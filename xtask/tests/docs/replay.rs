//! Runs the commands of a page, one after the other, in a clone of the repository as it is now.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

use crate::page::{Page, Shown, workspace};
use crate::scrub::scrub;

/// Between what one command prints and the next.
const SEPARATOR: char = '\u{1e}';

/// A program that ci runs: it is there, and has nothing to complain of. Whoever else runs it is told that it is none.
const STAND_IN: &str =
    "[ -n \"$XTASK\" ] && echo 99.0 && exit; echo \"$0 is run elsewhere, see xtask/tests/docs\"; exit 1";

/// A clone of the repository with all changes of the work tree in a commit, and the programs that people run in it.
pub(crate) struct Replay {
    folder: tempfile::TempDir,
}

impl Replay {
    pub(crate) fn new() -> Replay {
        let replay = Replay { folder: tempfile::tempdir().unwrap() };
        // Whoever owns the repository, a test may read it. Nothing may be tidied up while the clone is put together.
        let settings = "[safe]\ndirectory = *\n[user]\nname = a\nemail = a@localhost\n[maintenance]\nauto = false\n";
        fs::write(replay.path("gitconfig"), settings).unwrap();
        let original = workspace();
        replay.sh(".", &format!("git clone --quiet --shared '{original}' clone"));
        let diff = format!("git -C '{original}' diff -z --name-only --no-renames HEAD");
        let untracked = format!("git -C '{original}' ls-files -z --others --exclude-standard");
        for path in replay.sh(".", &format!("{diff} && {untracked}")).split_terminator('\0') {
            let (from, to) = (original.join(path), replay.path("clone").join(path));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let _ = if from.exists() { fs::copy(from, to).map(drop) } else { fs::remove_file(to) };
        }
        let commit =
            "git switch --quiet -C main && git add --all && git commit --quiet --allow-empty --message changes";
        replay.sh("clone", commit);
        let origin = "git clone --quiet --bare --shared . ../origin.git && git remote set-url origin ../origin.git";
        replay.sh("clone", &format!("{origin} && git fetch --quiet --prune && git branch --quiet -u origin/main"));
        replay.sh("clone", "cp -R .git ../fresh.git");
        let xtask = env!("CARGO_BIN_EXE_xtask");
        replay.program("cargo", &format!("if [ \"$1\" = xtask ]; then shift; exec '{xtask}' \"$@\"; fi\n{STAND_IN}"));
        for program in programs_of_ci() {
            replay.program(&program, STAND_IN);
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_lint-spawns"), replay.path("bin/lint-spawns")).unwrap();
        replay
    }

    /// The text of the page with what its commands print now, but for those that are run elsewhere.
    pub(crate) fn of(&self, page: &Page, elsewhere: &[&str]) -> String {
        let is_here = |shown: &&Shown| !elsewhere.contains(&shown.command.as_str());
        let shown: Vec<&Shown> = page.commands.iter().filter(is_here).collect();
        let printed = self.print(&shown);
        let mut text = page.text.clone();
        for (shown, (output, status)) in shown.into_iter().zip(printed).rev() {
            match &shown.output {
                Some(range) if is_like(&page.text[range.clone()], &output) => {}
                Some(range) => text.replace_range(range.clone(), &output),
                None => assert_eq!(status, "0", "{}: `{}` fails:\n{output}", page.path, shown.command),
            }
        }
        text
    }

    /// What commands print in the clone, and their exit codes.
    fn print(&self, commands: &[&Shown]) -> Vec<(String, String)> {
        if commands.is_empty() {
            return Vec::new();
        }
        // To write all files anew takes ten times as long.
        self.sh("clone", "rm -rf .git && cp -R ../fresh.git .git && git reset --quiet --hard && git clean -ffdxq");
        let end = format!("status=$?; printf '{SEPARATOR}%d{SEPARATOR}' $status; (exit $status)");
        let all: String = commands.iter().map(|shown| format!("{}\n{end}\n", shown.command)).collect();
        let output = self.sh("clone", &format!("exec 2>&1\n{all}exit 0"));
        let output = output.replace(self.path("clone").as_str(), "/path/to/repository");
        let parts: Vec<&str> = output.split(SEPARATOR).collect();
        assert_eq!(parts.len(), 2 * commands.len() + 1, "not all commands were run:\n{output}");
        parts.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
    }

    /// What a script for `/bin/sh` prints to standard output.
    fn sh(&self, folder: &str, script: &str) -> String {
        let mut sh = Command::new("/bin/sh");
        sh.args(["-c", script]).current_dir(self.path(folder)).stdin(Stdio::null());
        for variable in ["XTASK", "CI", "GITHUB_ACTIONS", "NO_COLOR", "CLICOLOR_FORCE"] {
            sh.env_remove(variable);
        }
        let path = format!("{}:{}", self.path("bin"), std::env::var("PATH").unwrap());
        let output =
            scrub(&mut sh).env("PATH", path).env("GIT_CONFIG_GLOBAL", self.path("gitconfig")).output().unwrap();
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Puts a program on PATH, which `/bin/sh` runs.
    fn program(&self, name: &str, script: &str) {
        fs::write(self.path("draft"), format!("#!/bin/sh\n{script}\n")).unwrap();
        // Were it written by this process, another test that starts something could keep it from being run.
        self.sh(".", &format!("install -D -m 755 draft 'bin/{name}'"));
    }

    fn path(&self, path: &str) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().canonicalize_utf8().unwrap().join(path)
    }
}

/// The programs of the steps that this repository declares.
fn programs_of_ci() -> Vec<String> {
    let manifest: toml::Table = fs::read_to_string(workspace().join("Cargo.toml")).unwrap().parse().unwrap();
    let steps = manifest["workspace"]["metadata"]["ci"]["step"].as_array().unwrap();
    let words = |step: &toml::Value, key| step.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let programs = steps.iter().flat_map(|step| [&words(step, "command")[..1], &words(step, "requires")].concat());
    programs.map(|text| text.as_str().unwrap().split(' ').next().unwrap().to_owned()).collect()
}

/// Whether a page may show this of what is printed: times and commits differ, and a line `…` stands for any others.
fn is_like(shown: &str, printed: &str) -> bool {
    static CHANCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m) +[0-9.]+ s$|\b[0-9a-f]{12}\b").unwrap());
    let pattern = regex::escape(&CHANCE.replace_all(shown, " CHANCE")).replace("…\n", ".*");
    let pattern = Regex::new(&format!("(?s)^{pattern}$")).unwrap();
    shown != "…\n" && pattern.is_match(&CHANCE.replace_all(printed, " CHANCE"))
}
