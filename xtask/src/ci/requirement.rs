//! Programs that a step needs, and where they are had.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::runner::Runner;
use super::task::{Ending, Task};

/// In which a program tells its version.
const LIMIT: Duration = Duration::from_secs(20);

/// A program, and the least version of it that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub program: String,
    least: Option<Vec<u64>>,
    /// How to install it, where that is known.
    install: Option<String>,
}

/// What is known of a program.
struct Known {
    program: &'static str,
    /// What tells whether it is there, where to be on PATH does not.
    ask: Option<&'static [&'static str]>,
    install: &'static str,
    /// Other names, under which it may be of another version.
    others: &'static [&'static str],
}

const fn known(program: &'static str, install: &'static str) -> Known {
    Known { program, ask: None, install, others: &[] }
}

static KNOWN: [Known; 14] = [
    // Where a component is missing, rustup leaves a program of its name that only says so.
    Known { ask: Some(&["cargo", "fmt", "--version"]), ..known("rustfmt", "rustup component add rustfmt") },
    Known { ask: Some(&["cargo", "clippy", "--version"]), ..known("clippy", "rustup component add clippy") },
    known("cargo", "https://rustup.rs"),
    // On Windows there is no python3, and python may be anything.
    Known { others: &["python", "py"], ..known("python3", "https://www.python.org/downloads/") },
    known("pytest", "python3 -m pip install pytest"),
    known("ruff", "python3 -m pip install ruff"),
    known("mypy", "python3 -m pip install mypy"),
    known("uv", "https://docs.astral.sh/uv/"),
    known("node", "https://nodejs.org/"),
    known("npm", "https://nodejs.org/"),
    known("pnpm", "https://pnpm.io/installation"),
    Known { ask: Some(&["go", "version"]), ..known("go", "https://go.dev/doc/install") },
    known("shellcheck", "https://www.shellcheck.net"),
    known("cargo-insta", "cargo install cargo-insta"),
];

impl Requirement {
    /// `PROGRAM`, or `PROGRAM >= VERSION`. Fails with what is wrong.
    pub fn parse(text: &str, install: Option<&str>) -> Result<Requirement, String> {
        let (program, least) = match text.split_once(">=") {
            None => (text.trim(), None),
            Some((program, least)) => {
                let numbers = least.trim().split('.').map(|number| number.parse().ok()).collect::<Option<Vec<u64>>>();
                let wrong = || format!("{text:?}: the version must be numbers with points between them");
                (program.trim(), Some(numbers.ok_or_else(wrong)?))
            }
        };
        let is_name = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
        if program.is_empty() || !program.chars().all(is_name) {
            return Err(format!("{text:?} is neither a program's name nor `NAME >= VERSION`"));
        }
        let install = install.or_else(|| Some(Known::of(program)?.install)).map(str::to_owned);
        Ok(Requirement { program: program.to_owned(), least, install })
    }

    /// The name by which the program is there; else why it is not, and how to install it.
    pub fn find(&self, runner: &mut Runner) -> Result<String, String> {
        let known = Known::of(&self.program);
        let mut why = "which is not on PATH".to_owned();
        let others = known.map_or(&[][..], |known| known.others);
        for name in [self.program.as_str()].into_iter().chain(others.iter().copied()) {
            let ask = match known.and_then(|known| known.ask) {
                Some(ask) => ask.iter().map(|word| (*word).to_owned()).collect(),
                None => vec![name.to_owned(), "--version".to_owned()],
            };
            if ask.first().is_none_or(|program| !is_on_path(program)) {
                continue;
            }
            let stands_in = name != self.program;
            let must_ask = stands_in || self.least.is_some() || known.is_some_and(|known| known.ask.is_some());
            if !must_ask {
                return Ok(name.to_owned());
            }
            let mut said = Vec::new();
            let mut listen = |chunk: &[u8], _| said.extend_from_slice(chunk);
            let run = runner.run(Task { words: ask.clone(), limit: Some(LIMIT), ..Task::default() }, &mut listen);
            if !matches!(run.ending, Ending::Exited { code: 0, .. }) {
                why = format!("and `{}` fails here", ask.join(" "));
                continue;
            }
            let Some(version) = version(&String::from_utf8_lossy(&said)) else {
                if self.least.is_none() && !stands_in {
                    return Ok(name.to_owned());
                }
                why = format!("and `{}` tells no version", ask.join(" "));
                continue;
            };
            // What stands in for python3 has to be a Python 3.
            let least = self.least.clone().or_else(|| stands_in.then(|| vec![3]));
            if least.is_none_or(|least| version >= least) {
                return Ok(name.to_owned());
            }
            let numbers: Vec<String> = version.iter().map(u64::to_string).collect();
            why = format!("and {name} is {}", numbers.join("."));
        }
        let install = self.install.as_ref().map(|how| format!("; to install: {how}")).unwrap_or_default();
        Err(format!("needs {}, {why}{install}", self.shown()))
    }

    fn shown(&self) -> String {
        match &self.least {
            None => self.program.clone(),
            Some(least) => {
                let numbers: Vec<String> = least.iter().map(u64::to_string).collect();
                format!("{} >= {}", self.program, numbers.join("."))
            }
        }
    }
}

impl Known {
    fn of(program: &str) -> Option<&'static Known> {
        KNOWN.iter().find(|known| known.program == program)
    }
}

/// The first number in what a program says of itself.
fn version(said: &str) -> Option<Vec<u64>> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[0-9]+(\.[0-9]+)*").ok());
    NUMBER.as_ref()?.find(said)?.as_str().split('.').map(|number| number.parse().ok()).collect()
}

/// Whether a program would be found.
fn is_on_path(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    let suffixes: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
    std::env::split_paths(&path)
        .any(|folder| suffixes.iter().any(|suffix| is_program(&folder.join(format!("{program}{suffix}")))))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
