//! The whole command line, of both programs: `cargo xtask`, and `lint-spawns` alone.

mod verbs;

use anyhow::Result;
use camino::Utf8PathBuf;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::Outcome;
use crate::lint_spawns::program;
use crate::output::{self, Color};
pub use verbs::*;

/// The command line; or what to print instead, help among it.
pub fn parse<Flags: Parser>() -> Result<Flags, clap::Error> {
    let refusal = match Flags::try_parse() {
        Err(refusal) if refusal.use_stderr() => refusal,
        result => return result,
    };
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(argument) = arguments.iter().find(|argument| argument.to_str().is_none()) {
        let shown = output::printable_bytes(argument.as_encoded_bytes());
        let what = format!("the argument '{shown}' is not UTF-8; rename what it names");
        return Err(Flags::command().error(ErrorKind::InvalidUtf8, what));
    }
    // clap quotes arguments as they are, with line breaks and all. It finds the same fault with the harmless ones.
    Flags::try_parse_from(arguments.iter().map(|argument| output::printable_path(&argument.to_string_lossy())))
        .and(Err(refusal))
}

/// Prints what clap has to say instead of a run: help that was asked for, or what is wrong.
pub fn refuse(refusal: &clap::Error) -> Result<Outcome> {
    // An example that ends the help has no line break.
    let text = refusal.render().to_string().trim_end().to_owned() + "\n";
    if refusal.use_stderr() {
        output::complain_of_usage(&text);
        return Ok(Outcome::Failed);
    }
    output::print(&text)?;
    Ok(Outcome::Clean)
}

/// Checks of this repository, run as `cargo xtask <COMMAND>`.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, disable_help_subcommand = true)]
#[command(help_template = "{about}\n\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}\n", after_help = overview())]
pub struct Flags {
    #[command(subcommand)]
    pub command: Option<Command>,
}

// `lint-spawns` as a program of its own. What it is for is told by what it has.
#[derive(Debug, Parser)]
#[command(name = program::NAME, bin_name = program::NAME, version)]
pub struct Alone {
    #[command(flatten)]
    pub lint_spawns: LintSpawns,
}

/// What the subcommands are for, and their names. Those that are in no group come last.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Find child processes that outlive their owner", &["lint-spawns"]),
    ("Check all there is to check", &["ci"]),
    ("Measure", &["bench"]),
];

/// Every subcommand, and those below it, with one line.
fn overview() -> String {
    let all = Command::augment_subcommands(clap::Command::new("cargo xtask"));
    let group_of = |name: &str| GROUPS.iter().position(|(_, names)| names.contains(&name)).unwrap_or(GROUPS.len());
    let mut rows: Vec<(usize, String, String)> = Vec::new();
    let mut commands: Vec<(String, &clap::Command)> = vec![(String::new(), &all)];
    while let Some((path, command)) = commands.pop() {
        if let Some(name) = path.split(' ').next().filter(|name| !name.is_empty()) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            // What follows is for the help of the command itself; here it has to fit on a line.
            let about = about.split([':', ';']).next().unwrap_or_default().to_owned();
            rows.push((group_of(name), path.clone(), about));
        }
        let below: Vec<&clap::Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
        commands
            .extend(below.iter().rev().map(|verb| (format!("{path} {}", verb.get_name()).trim().to_owned(), *verb)));
    }
    let width = rows.iter().map(|(_, path, _)| path.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (index, title) in GROUPS.iter().map(|(title, _)| *title).chain(["More"]).enumerate() {
        let mut rows = rows.iter().filter(|(group, ..)| *group == index).peekable();
        if rows.peek().is_some() {
            text += &format!("\n{title}:\n");
            text.extend(rows.map(|(_, path, about)| format!("  {path:width$}  {about}\n")));
        }
    }
    text.trim().to_owned()
}

#[derive(Debug, Subcommand)]
pub enum Command {
    LintSpawns(Box<LintSpawns>),
    Ci(Ci),
    #[command(hide = true)]
    CiSupervisor(CiSupervisor),
    /// Rename the snapshots of tests that were renamed: what `ci --fix` does before the tests
    #[command(hide = true)]
    CiMovedSnapshots,
    Bench(Bench),
    #[command(hide = true)]
    BenchChild(BenchChild),
}

/// Run every check of this repository: format, clippy, tests, docs, lint-spawns, and the steps of its own.
///
/// Its own steps are declared in [workspace.metadata.ci] of its Cargo.toml. A step that needs what this machine lacks is
/// skipped, and the summary says so. Exit code 0: no step failed; 1: one did; 2: the steps could not be run.
#[derive(Debug, clap::Args)]
pub struct Ci {
    /// Go on after a step has failed
    #[arg(long)]
    pub keep_going: bool,
    /// Run these steps only: names, or globs
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Leave these steps out: names, or globs
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Run the steps only whose paths differ from REV's merge base [default: the upstream branch, else HEAD]
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "")]
    pub changed: Option<String>,
    /// Fail where a step needs what this machine lacks
    #[arg(long)]
    pub strict: bool,
    /// Repair instead of check, where a step can
    #[arg(long)]
    pub fix: bool,
    /// List the steps and why they would be run or not, run nothing
    #[arg(long, conflicts_with = "json")]
    pub list: bool,
    /// Show what each step prints while it runs
    #[arg(long, short)]
    pub verbose: bool,
    /// Print the summary for machines, in one object; all else goes to standard error
    #[arg(long)]
    pub json: bool,
    /// When to print in colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// Run a command and end all that it starts when the runner is gone: how `ci` runs a step.
#[derive(Debug, clap::Args)]
pub struct CiSupervisor {
    /// Milliseconds after which it is ended
    #[arg(long, value_name = "MS")]
    pub limit: Option<u64>,
    #[arg(required = true, last = true)]
    pub command: Vec<String>,
}

/// Compare the speed of lint-spawns with that of git, ripgrep and other commands, side by side.
///
/// Every command is run once a round, one at a time, after a round that does not count; the table shows medians of wall
/// time, CPU time and peak memory. Exit code 0: all was measured; 2: a command could not be run, or failed.
#[derive(Debug, clap::Args)]
pub struct Bench {
    /// The repository, or a folder in it [default: a generated one, in the target folder]
    #[arg(long, value_name = "DIR", value_parser = path)]
    pub root: Option<Utf8PathBuf>,
    /// The policy file [default: Cargo.toml or pyproject.toml in the root]
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub config: Option<Utf8PathBuf>,
    /// How many Python files to generate
    #[arg(long, value_name = "N", default_value_t = 10_000, conflicts_with = "root",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub files: u32,
    /// How many rounds to measure
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Another command to measure, run in the root; quoted as for a shell, but run without one; may be repeated
    #[arg(long, value_name = "COMMAND")]
    pub vs: Vec<String>,
    /// The build of this program to measure [default: a release build, made first]
    #[arg(long, value_name = "FILE", value_parser = path)]
    pub binary: Option<Utf8PathBuf>,
}

/// Run a command and print what it cost: a step of `bench`.
#[derive(Debug, clap::Args)]
pub struct BenchChild {
    #[arg(required = true, last = true)]
    pub command: Vec<String>,
}

/// What a path is read by. A variable of a script that is not set must not become the current folder.
fn path(text: &str) -> Result<Utf8PathBuf, &'static str> {
    if text.is_empty() { Err("it is empty; name a file or folder, or leave it out") } else { Ok(text.into()) }
}
