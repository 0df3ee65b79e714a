//! `cargo xtask bench`: the speed of lint-spawns beside that of git, ripgrep and other commands.
//!
//! One run of each a round, one at a time, so that what slows the machine down slows all of them; then medians.

pub mod child;
pub mod monorepo;
pub mod progress;

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::{Shell, cmd};

use crate::flags::Bench;
use crate::lint_spawns::discover;
use crate::lint_spawns::git::{self, EntryKind};
use crate::lint_spawns::policy::Policy;
use crate::output::{printable, printable_path};
use crate::{Outcome, output, workspace};
use child::Cost;
use progress::Progress;

/// What complaints begin with.
pub const NAME: &str = "bench";

/// The one that the others are compared with.
const YARDSTICK: &str = "git grep -lF";

/// A command to measure.
struct Contestant {
    name: String,
    /// Empty if this machine lacks it.
    command: Vec<String>,
}

/// What lint-spawns looks at, and what a search for text has to.
struct Scope {
    files: usize,
    /// Of these files.
    bytes: u64,
    /// Files that only the others search: the policy excludes them.
    excluded: usize,
}

/// Measures, and prints a table.
pub fn run(flags: &Bench) -> Result<Outcome> {
    let sh = Shell::new()?;
    let others = flags.vs.iter().map(|command| other(command)).collect::<Result<Vec<_>>>()?;
    let target = target_folder()?;
    let root = match &flags.root {
        Some(root) => discover::root(&sh, Some(root), false)?,
        None => {
            let folder = target.join(format!("bench/monorepo-{}", flags.files));
            monorepo::make(&folder, flags.files as usize)?;
            folder.canonicalize_utf8()?
        }
    };
    let shown = printable_path(root.as_str());
    ensure!(git::top_level(&sh, &root)?.is_some(), "{shown} is not in a git repository; name one with --root");
    let policy = Policy::load(&root, flags.config.as_deref())?;
    let scope = scope(&sh, &root, &policy)?;
    ensure!(scope.files > 0, "nothing to check in {shown}; correct the policy, or name another folder with --root");
    let binary = match &flags.binary {
        Some(binary) => absolute(binary)?,
        None => release_build(&sh, &target)?,
    };
    let mut contestants = vec![lint_spawns(&binary, &root, flags.config.as_deref())?];
    contestants.extend(searches(&root, &policy));
    contestants.extend(others);
    let results = measure(&contestants, &root, flags.runs)?;

    let mut text = format!("program: {}\nroot: {shown}\n", printable_path(binary.as_str()));
    let kilobytes = scope.bytes.div_ceil(1_000) as usize;
    text += &format!("Python files: {}, {} kB", thousands(scope.files), thousands(kilobytes));
    if scope.excluded > 0 {
        text += &format!("; the policy excludes {} more, which the others search", thousands(scope.excluded));
    }
    text += &format!("\nrounds: {}, each command once in each; medians\n", flags.runs);
    output::print(&format!("{text}\n{}", table(&contestants, &results)))?;
    Ok(Outcome::Clean)
}

/// Where cargo puts what it builds.
fn target_folder() -> Result<Utf8PathBuf> {
    match std::env::var("CARGO_TARGET_DIR") {
        Ok(folder) if !folder.is_empty() => absolute(Utf8Path::new(&folder)),
        _ => {
            let workspace = Utf8Path::new(workspace()).canonicalize_utf8();
            let gone = "cannot find the sources of this program; set CARGO_TARGET_DIR to a folder for what is made";
            Ok(workspace.context(gone)?.join("target"))
        }
    }
}

/// The commands are run elsewhere.
fn absolute(path: &Utf8Path) -> Result<Utf8PathBuf> {
    camino::absolute_utf8(path).with_context(|| format!("cannot find {}", printable_path(path.as_str())))
}

fn scope(sh: &Shell, root: &Utf8Path, policy: &Policy) -> Result<Scope> {
    let mut paths = HashSet::new();
    discover::tracked(sh, root, policy, &mut |file| {
        paths.insert(root.join(file.path));
    })?;
    let sizes = paths.iter().filter_map(|path| fs::metadata(path).ok()).map(|metadata| metadata.len());
    let mut searched: usize = 0;
    git::list(sh, root, &policy.include, false, |entry| {
        searched += usize::from(entry.kind == EntryKind::File && entry.path.ends_with(b".py"));
    })?;
    Ok(Scope { files: paths.len(), bytes: sizes.sum(), excluded: searched.saturating_sub(paths.len()) })
}

/// The program itself if it is a release build, else one made of the same sources.
fn release_build(sh: &Shell, target: &Utf8Path) -> Result<Utf8PathBuf> {
    if !cfg!(debug_assertions) {
        return Ok(Utf8PathBuf::try_from(std::env::current_exe()?)?);
    }
    let _folder = sh.push_dir(workspace());
    // cargo tells on standard error how far it is.
    cmd!(sh, "cargo build --release --package xtask --bin xtask --target-dir {target}")
        .quiet()
        .run()
        .context("cannot make a release build; name one with --binary")?;
    let binary = target.join("release/xtask").with_extension(std::env::consts::EXE_EXTENSION);
    ensure!(binary.is_file(), "cargo put the release build elsewhere than {binary}; name it with --binary");
    Ok(binary)
}

fn lint_spawns(binary: &Utf8Path, root: &Utf8Path, config: Option<&Utf8Path>) -> Result<Contestant> {
    let mut command = vec![binary.as_str(), "lint-spawns", "--all", "--root", root.as_str()];
    let config = config.map(absolute).transpose()?;
    if let Some(config) = &config {
        command.extend(["--config", config.as_str()]);
    }
    Ok(Contestant::new("lint-spawns", command))
}

/// Searches for the needles as mere text, in the files that the policy includes.
fn searches(root: &Utf8Path, policy: &Policy) -> [Contestant; 3] {
    let needles: Vec<&str> = policy.needles().flat_map(|needle| ["-e", needle]).collect();
    let include: Vec<&Utf8PathBuf> = policy.include.iter().filter(|include| root.join(include).exists()).collect();
    let pathspecs: Vec<String> = include.iter().map(|include| pathspec(root, include)).collect();
    let pathspecs: Vec<&str> = pathspecs.iter().map(String::as_str).collect();
    let include: Vec<&str> = include.iter().map(|include| include.as_str()).collect();

    let list = ["git", "ls-files", "-z", "--"];
    let grep = ["git", "grep", "-lF"];
    let rg = ["rg", "--no-config", "-lF", "-g", "*.py"];
    let has_rg = Command::new("rg").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    [
        Contestant::new("git ls-files", [&list[..], &pathspecs].concat()),
        Contestant::new(YARDSTICK, [&grep[..], &needles, &["--"], &pathspecs].concat()),
        Contestant::new("rg -lF", if has_rg { [&rg[..], &needles, &["--"], &include].concat() } else { Vec::new() }),
    ]
}

/// The Python files in a folder, or one file.
fn pathspec(root: &Utf8Path, include: &Utf8Path) -> String {
    if include == "." {
        return ":(glob)**/*.py".to_owned();
    }
    if !root.join(include).is_dir() {
        return format!(":(literal){include}");
    }
    let mut escaped = String::new();
    for c in include.as_str().chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    format!(":(glob){escaped}/**/*.py")
}

/// A command as it is typed.
fn other(command: &str) -> Result<Contestant> {
    let shown = printable(command);
    let words = shlex::split(command).with_context(|| format!("--vs {shown}: a quotation mark lacks its partner"))?;
    ensure!(!words.is_empty(), "--vs needs a command");
    let name = if shown.chars().count() > 40 { shown.chars().take(39).chain(['…']).collect() } else { shown };
    Ok(Contestant { name, command: words })
}

impl Contestant {
    fn new(name: &str, command: Vec<&str>) -> Contestant {
        Contestant { name: name.to_owned(), command: command.into_iter().map(str::to_owned).collect() }
    }
}

/// In the order of the contestants; None for one that is not there.
fn measure(contestants: &[Contestant], root: &Utf8Path, runs: u32) -> Result<Vec<Option<Medians>>> {
    let mut results: Vec<Vec<(Cost, i32)>> = contestants.iter().map(|_| Vec::new()).collect();
    let mut progress = Progress::begin(NAME, &format!("measuring, 1 + {runs} rounds"));
    for round in 0..=runs {
        for (contestant, results) in contestants.iter().zip(&mut results) {
            if contestant.command.is_empty() {
                continue;
            }
            let result = child::measure(&contestant.command, root).with_context(|| failure(contestant, root))?;
            // The first round brings the files into memory.
            if round > 0 {
                results.push(result);
            }
        }
        progress.advance();
    }
    Ok(results.iter().map(|runs| Medians::of(runs)).collect())
}

fn failure(contestant: &Contestant, root: &Utf8Path) -> String {
    let command = shlex::try_join(contestant.command.iter().map(String::as_str));
    let shown = printable(&command.unwrap_or_else(|_| contestant.command.join(" ")));
    format!("cannot measure `{shown}`; try it in {}", printable_path(root.as_str()))
}

/// What a run of a command costs.
struct Medians {
    /// In milliseconds, as is `cpu`.
    wall: f64,
    cpu: Option<f64>,
    /// In MiB.
    peak: Option<f64>,
    /// Of the last run.
    exit_code: i32,
}

impl Medians {
    /// None of no runs.
    fn of(runs: &[(Cost, i32)]) -> Option<Medians> {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        Some(Medians {
            wall: median(runs.iter().map(|(cost, _)| Some(milliseconds(cost.wall))))?,
            cpu: median(runs.iter().map(|(cost, _)| cost.cpu.map(milliseconds))),
            peak: median(runs.iter().map(|(cost, _)| cost.peak.map(|bytes| bytes as f64 / f64::from(1 << 20)))),
            exit_code: runs.last()?.1,
        })
    }
}

fn median(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut values = values.collect::<Option<Vec<f64>>>()?;
    values.sort_unstable_by(f64::total_cmp);
    let (below, above) = (values.get(values.len().checked_sub(1)? / 2)?, values.get(values.len() / 2)?);
    Some(f64::midpoint(*below, *above))
}

fn table(contestants: &[Contestant], results: &[Option<Medians>]) -> String {
    let width = contestants.iter().map(|contestant| contestant.name.chars().count()).max().unwrap_or(0);
    let is_yardstick = |(contestant, _): &(&Contestant, _)| contestant.name == YARDSTICK;
    let yardstick = contestants.iter().zip(results).find(is_yardstick).and_then(|(_, result)| result.as_ref());
    let mut text = format!(
        "{:width$} {:>11} {:>11} {:>10} {:>10} {:>9} {:>5}\n",
        "", "wall", "CPU", "peak", "wall/grep", "CPU/grep", "exit"
    );
    for (contestant, result) in contestants.iter().zip(results) {
        let name = &contestant.name;
        let Some(result) = result else {
            text += &format!("{name:width$} is not installed\n");
            continue;
        };
        let shown = |number: Option<f64>, decimals: usize, unit: &str| {
            number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}{unit}"))
        };
        let wall_ratio = yardstick.and_then(|yardstick| ratio(result.wall, yardstick.wall));
        let cpu_ratio = yardstick.and_then(|yardstick| ratio(result.cpu?, yardstick.cpu?));
        text += &format!(
            "{name:width$} {:>11} {:>11} {:>10} {:>10} {:>9} {:>5}\n",
            shown(Some(result.wall), 1, " ms"),
            shown(result.cpu, 1, " ms"),
            shown(result.peak, 1, " MiB"),
            shown(wall_ratio, 2, ""),
            shown(cpu_ratio, 2, ""),
            result.exit_code,
        );
    }
    text
}

/// None where a clock is too coarse to tell.
fn ratio(time: f64, yardstick: f64) -> Option<f64> {
    (yardstick > 0.0).then(|| time / yardstick)
}

/// `12,345`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
