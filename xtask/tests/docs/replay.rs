//! Runs the commands of a page, one after the other, in a clone of the repository as it is now.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

use crate::page::{Block, Page, workspace};
use crate::scrub::scrub;

/// Commands that are not run here, and the line of a file that has them run.
pub(crate) type Elsewhere = &'static [(&'static str, &'static str, &'static str)];

/// What stands for lines that are left out of what a command prints.
const CUT: &str = "…\n";

/// Between what one command prints and the next.
const SEPARATOR: char = '\u{1e}';

/// A clone of the repository with all changes of the work tree in a commit, and the programs that people run in it.
pub(crate) struct Replay {
    folder: tempfile::TempDir,
}

/// A command that a page shows, and what it is said to print.
struct Shown {
    command: String,
    /// The lines of the page that hold the command.
    lines: String,
    output: String,
}

impl Replay {
    pub(crate) fn new() -> Replay {
        let replay = Replay { folder: tempfile::tempdir().unwrap() };
        replay.set_up(".", &format!("git clone --quiet --shared '{}' clone", workspace()));
        for path in changed_files() {
            let (from, to) = (workspace().join(&path), replay.path("clone").join(&path));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let _ = if from.exists() { fs::copy(from, to).map(drop) } else { fs::remove_file(to) };
        }
        for command in [
            "git switch --quiet -C main",
            "git add --all",
            "git commit --quiet --allow-empty --message 'What has changed'",
            "git clone --quiet --bare --shared . ../origin.git",
            "git remote set-url origin ../origin.git",
            "git fetch --quiet --prune origin",
            "git branch --quiet --set-upstream-to origin/main",
            "cp -R .git ../fresh.git",
        ] {
            replay.set_up("clone", command);
        }
        let xtask = env!("CARGO_BIN_EXE_xtask");
        replay.program("cargo", &format!("if [ \"$1\" = xtask ]; then shift; exec '{xtask}' \"$@\"; fi\n{STAND_IN}"));
        for program in programs_of_ci() {
            replay.program(&program, STAND_IN);
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_lint-spawns"), replay.path("bin/lint-spawns")).unwrap();
        replay
    }

    /// The text of the page with what its commands print now.
    pub(crate) fn of(&self, page: &Page, elsewhere: Elsewhere) -> String {
        let is_elsewhere = |command: &str| elsewhere.iter().any(|(known, ..)| *known == command);
        let blocks: Vec<(&Block, Vec<Shown>)> = page
            .blocks
            .iter()
            .filter_map(|block| match block.language.as_str() {
                "console" => Some((block, console(&page.text[block.range.clone()]))),
                "sh" => Some((block, script(&block.code))),
                _ => None,
            })
            .collect();
        let to_run = blocks.iter().flat_map(|(_, all)| all).filter(|shown| !is_elsewhere(&shown.command));
        let mut printed = self.print(to_run.map(|shown| shown.command.as_str())).into_iter();
        let mut text = String::new();
        let mut done = 0;
        for (block, all) in blocks {
            text.push_str(&page.text[done..block.range.start]);
            done = block.range.start;
            for shown in all {
                if is_elsewhere(&shown.command) {
                    continue;
                }
                let (output, status) = printed.next().unwrap();
                if block.language == "sh" {
                    assert_eq!(status, "0", "{}: `{}` fails:\n{output}", page.path, shown.command);
                    continue;
                }
                text.push_str(&shown.lines);
                text.push_str(if is_like(&shown.output, &output) { &shown.output } else { &output });
                done = block.range.end;
            }
        }
        text + &page.text[done..]
    }

    /// What commands print in the clone, and their exit codes.
    fn print<'c>(&self, commands: impl Iterator<Item = &'c str>) -> Vec<(String, String)> {
        let separator = SEPARATOR;
        let one =
            |command| format!("{command}\nstatus=$?; printf '{separator}%d{separator}' $status; (exit $status)\n");
        let all: String = commands.map(one).collect();
        if all.is_empty() {
            return Vec::new();
        }
        // To write all its files anew takes ten times as long.
        self.set_up("clone", "rm -rf .git && cp -R ../fresh.git .git && git reset --quiet --hard && git clean -ffdxq");
        let output = self.sh("clone", &format!("exec 2>&1\n{all}")).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        let output = output.replace(self.path("clone").as_str(), "/path/to/repository");
        let parts: Vec<&str> = output.split(separator).collect();
        parts.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
    }

    fn set_up(&self, folder: &str, script: &str) {
        let output = self.sh(folder, script).output().unwrap();
        assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    }

    fn sh(&self, folder: &str, script: &str) -> Command {
        let path = std::env::var("PATH").unwrap();
        let mut sh = Command::new("/bin/sh");
        sh.args(["-c", script]).current_dir(self.path(folder)).stdin(Stdio::null());
        for variable in ["XTASK", "CI", "GITHUB_ACTIONS", "NO_COLOR", "CLICOLOR_FORCE"] {
            sh.env_remove(variable);
        }
        scrub(&mut sh).env("PATH", format!("{}:{path}", self.path("bin")));
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            sh.env(format!("{who}_NAME"), "a").env(format!("{who}_EMAIL"), "a@localhost");
        }
        sh
    }

    /// Puts a program on PATH, which `/bin/sh` runs.
    fn program(&self, name: &str, script: &str) {
        let draft = self.path("draft");
        fs::write(&draft, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::create_dir_all(self.path("bin")).unwrap();
        // Were it written by this process, another test that starts something could keep it from being run.
        let mut install = Command::new("install");
        assert!(install.args(["-m", "755"]).arg(draft).arg(self.path("bin").join(name)).status().unwrap().success());
    }

    fn path(&self, path: &str) -> Utf8PathBuf {
        let folder = Utf8Path::from_path(self.folder.path()).unwrap().canonicalize_utf8().unwrap();
        if path == "." { folder } else { folder.join(path) }
    }
}

/// A program that ci runs: there, and with nothing to complain of. Whoever else runs it is told that it is none.
const STAND_IN: &str =
    "[ -n \"$XTASK\" ] && echo 99.0 && exit; echo \"$0 is run elsewhere, see xtask/tests/docs\"; exit 1";

/// The programs of the steps that this repository declares.
fn programs_of_ci() -> Vec<String> {
    let manifest: toml::Table = fs::read_to_string(workspace().join("Cargo.toml")).unwrap().parse().unwrap();
    let steps = manifest["workspace"]["metadata"]["ci"]["step"].as_array().unwrap();
    let words = |step: &toml::Value, key| step.get(key).and_then(|words| words.as_array().cloned()).unwrap_or_default();
    let programs = steps
        .iter()
        .flat_map(|step| words(step, "requires").into_iter().chain(words(step, "command").into_iter().take(1)));
    programs.map(|text| text.as_str().unwrap().split(' ').next().unwrap().to_owned()).collect()
}

/// What is not as in the last commit, be it staged or new.
fn changed_files() -> Vec<Utf8PathBuf> {
    let listed = |arguments: &[&str]| {
        let output = scrub(Command::new("git").args(arguments).current_dir(workspace())).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let paths = String::from_utf8(output.stdout).unwrap();
        paths.split_terminator('\0').map(Utf8PathBuf::from).collect::<Vec<_>>()
    };
    let changed = listed(&["diff", "-z", "--name-only", "--no-renames", "HEAD"]);
    changed.into_iter().chain(listed(&["ls-files", "-z", "--others", "--exclude-standard"])).collect()
}

/// The commands of a block as a terminal shows it. A line behind `$ ` is one, with those that follow behind `> `.
fn console(code: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in code.split_inclusive('\n') {
        if let Some(command) = line.strip_prefix("$ ") {
            all.push(Shown { command: command.trim_end().to_owned(), lines: line.to_owned(), output: String::new() });
            continue;
        }
        let shown = all.last_mut().unwrap_or_else(|| panic!("a block of console does not begin with `$ `:\n{code}"));
        match line.strip_prefix("> ") {
            Some(more) if shown.output.is_empty() => {
                shown.command = format!("{}\n{}", shown.command, more.trim_end());
                shown.lines += line;
            }
            _ => shown.output += line,
        }
    }
    all
}

/// The commands of a block of which nothing is shown but they.
fn script(code: &str) -> Vec<Shown> {
    let commands = code.lines().map(|line| line.split(" #").next().unwrap().trim()).filter(|line| !line.is_empty());
    commands.map(|line| Shown { command: line.to_owned(), lines: String::new(), output: String::new() }).collect()
}

/// All commands that a page has run.
pub(crate) fn commands(page: &Page) -> Vec<String> {
    let console = page.blocks_in("console").flat_map(|block| console(&page.text[block.range.clone()]));
    let sh = page.blocks_in("sh").flat_map(|block| script(&block.code));
    console.chain(sh).map(|shown| shown.command).collect()
}

/// Whether a page may show this of what is printed: times differ, and lines may be left out.
fn is_like(shown: &str, printed: &str) -> bool {
    static TIME: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?m) +[0-9.]+ s$").unwrap());
    let (shown, mut rest) = (TIME.replace_all(shown, " TIME"), &*TIME.replace_all(printed, " TIME"));
    let parts: Vec<&str> = shown.split(CUT).collect();
    if parts.iter().all(|part| part.is_empty()) {
        return shown == rest;
    }
    let [first, between @ .., last] = &parts[..] else { return shown == rest };
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
