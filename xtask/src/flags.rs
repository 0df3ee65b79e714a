//! The whole command line, of both programs: `cargo xtask`, and `lint-spawns` alone.

use std::num::NonZeroUsize;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};

use crate::{Outcome, lint_spawns, output};

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

/// How lint-spawns is called here, for the commands that people are told to run.
pub fn lint_spawns() -> &'static str {
    let program = std::env::args().next().unwrap_or_default();
    if Utf8Path::new(&program).file_stem() == Some(lint_spawns::NAME) {
        lint_spawns::NAME
    } else {
        "cargo xtask lint-spawns"
    }
}

fn example(arguments: &str) -> String {
    format!("Example: {} {arguments}", lint_spawns())
}

/// What follows the program's name, and what that does.
fn examples(all: &[(&str, &str)]) -> String {
    let lines = all.iter().map(|(arguments, what)| {
        let command = format!("{} {arguments}", lint_spawns());
        format!("\n  {}\n      {what}", command.trim_end())
    });
    format!("Examples:{}", lines.collect::<String>())
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
#[command(name = lint_spawns::NAME, bin_name = lint_spawns::NAME, version)]
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

/// Find Python that starts a child process in its own session or process group.
///
/// Such a child goes on running when its owner is killed. Exit code 0: none but marked and tolerated ones; 1: there
/// are; 2: the check could not be done.
#[derive(Debug, Default, clap::Args)]
#[command(version, display_name = lint_spawns::NAME, after_help = examples(&[
    ("init", "write a first policy, with a baseline of today's hits"),
    ("", "check what the policy includes"),
    ("--changed=origin/main", "check what a branch has changed"),
    ("--staged --quiet", "check what is about to be committed, and print the lines that fail"),
    ("agent cli.py", "check a folder and a file; the baseline is ignored"),
    ("- --stdin-filename agent/cli.py", "check an editor's buffer"),
    ("rule start-new-session", "tell why a line is reported, and what to write instead"),
]))]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct LintSpawns {
    #[command(subcommand)]
    pub verb: Option<Verb>,
    #[command(flatten)]
    pub paths: Paths,
    /// Check what differs from where HEAD left REV, untracked files too [default: the branch's upstream, else HEAD]
    #[arg(long, value_name = "REV", require_equals = true, conflicts_with_all = ["Paths", "staged"], help_heading = FILES)]
    pub changed: Option<Option<String>>,
    /// Check what is staged, as it is staged; for hooks
    #[arg(long, conflicts_with = "Paths", help_heading = FILES)]
    pub staged: bool,
    #[command(flatten)]
    pub scope: Scope,
    /// Ignore the baseline: report every unmarked hit
    #[arg(long, help_heading = TOLERATED)]
    pub all: bool,
    /// Let the baseline tolerate hits in PATHS too; otherwise they ignore it
    #[arg(long, requires = "Paths", conflicts_with_all = ["all", "print_baseline"], help_heading = TOLERATED)]
    pub with_baseline: bool,
    /// Fail on baseline entries that tolerate more than there is
    #[arg(long, help_heading = TOLERATED)]
    pub strict_baseline: bool,
    /// Fail on markers that cover no hit, and on what was meant for one and does not count
    #[arg(long, help_heading = TOLERATED)]
    pub strict_markers: bool,
    /// Print a baseline that tolerates today's hits, and exit 0
    #[arg(long, help_heading = TOLERATED)]
    pub print_baseline: bool,
    /// How to print what was found
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "print_baseline", help_heading = OUTPUT)]
    pub format: Format,
    /// When to print in colours, which only `full` has
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = OUTPUT)]
    pub color: Color,
    /// Print only what fails the run: no advisory, no summary; warnings and errors still go to standard error
    #[arg(long, short, conflicts_with = "print_baseline", help_heading = OUTPUT)]
    pub quiet: bool,
    /// Exit 0 in spite of problems; what could not be checked is still 2
    #[arg(long, help_heading = OUTPUT)]
    pub exit_zero: bool,
}

// The headings of the help.
const FILES: &str = "Which files";
const RULES: &str = "Which rules";
const TOLERATED: &str = "Baseline and markers";
const OUTPUT: &str = "Output";

/// The files and folders that a verb is about instead of what the policy includes.
#[derive(Debug, Default, clap::Args)]
pub struct Paths {
    /// Files and folders instead of the policy's `include`; `-` is standard input
    pub paths: Vec<Utf8PathBuf>,
    /// The file that standard input stands for; it need not exist. Without PATHS, `-` is meant
    #[arg(long, value_name = "NAME", help_heading = FILES)]
    pub stdin_filename: Option<Utf8PathBuf>,
    /// Take PATHS from a file, too: one on a line, or each with a NUL behind it; `-` is standard input
    #[arg(long, value_name = "FILE", help_heading = FILES)]
    pub files_from: Option<Utf8PathBuf>,
}

/// What every verb that checks files is told in the same way.
#[derive(Debug, Default, clap::Args)]
pub struct Scope {
    /// The repository, or a folder in it [default: the top of the git work tree around the current folder]
    #[arg(long, value_name = "DIR", help_heading = FILES)]
    pub root: Option<Utf8PathBuf>,
    /// The policy file [default: Cargo.toml or pyproject.toml in the root]
    #[arg(long, value_name = "FILE", help_heading = RULES)]
    pub config: Option<Utf8PathBuf>,
    /// Rules and groups to look for instead of the policy's `select`: default, extended, all, or single rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', help_heading = RULES)]
    pub select: Vec<String>,
    /// Rules and groups to leave out, beside the policy's `ignore`
    #[arg(long, value_name = "RULES", value_delimiter = ',', help_heading = RULES)]
    pub ignore: Vec<String>,
    /// Drop what starts no process, as `precise = true` in the policy does
    #[arg(long, help_heading = RULES)]
    pub precise: bool,
    /// How many files to check at a time [default: the processors that this process may use]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// How the check prints.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line for each problem
    #[default]
    Text,
    /// A picture of each problem in its place, and the line that marks it
    Full,
    /// All there is, for machines, in one object
    Json,
    /// Commands to GitHub, which shows each problem in its place in a pull request
    Github,
    /// A SARIF 2.1.0 log, for code scanning; with --quiet without what a marker or the baseline accepts
    Sarif,
}

/// How what is listed or counted is printed.
#[derive(Debug, Default, Clone, Copy, ValueEnum)]
pub enum ListFormat {
    /// What matters, for people
    #[default]
    Text,
    /// All there is, for machines, in one object
    Json,
}

/// What lint-spawns does beside the check. Only the first argument can be a verb, so `./rule` is a file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    Init(Box<Init>),
    Rule(Rule),
    Markers(Box<Markers>),
    Baseline(Baseline),
    Stat(Stat),
}

/// Write a first policy: all rules, and a baseline that tolerates today's hits.
///
/// It goes into the FILE of --config, else into pyproject.toml, else into the Cargo.toml of a workspace, else into a new
/// pyproject.toml; what --select and --ignore choose is written there. A policy that is there already is never changed.
/// Exit code 0: it is written; 2: it is not, and nothing is changed.
///
/// A file or folder that is called `init` is checked as `./init`.
#[derive(Debug, clap::Args)]
#[command(after_help = example("init --dry-run"))]
pub struct Init {
    /// Leave out what this glob matches, too; may be repeated
    #[arg(long, value_name = "GLOB", help_heading = FILES)]
    pub exclude: Vec<String>,
    /// Write nothing; print what would change as a unified diff
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub scope: Scope,
}

/// Explain a rule: what it flags, why, and what to write instead; without a name list all rules.
///
/// A file or folder that is called `rule` is checked as `./rule`.
#[derive(Debug, clap::Args)]
#[command(after_help = example("rule start-new-session"))]
pub struct Rule {
    /// The rule's name
    pub name: Option<String>,
}

/// Audit the comments that accept hits, or write them; without a verb list them.
///
/// A file or folder that is called `markers` is checked as `./markers`; those that are called `list` or `add` are listed
/// as `./list` and `./add`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Markers {
    #[command(subcommand)]
    pub verb: Option<MarkersVerb>,
    /// What is said without a verb is said to `list`.
    #[command(flatten)]
    pub list: MarkersList,
}

#[derive(Debug, Subcommand)]
pub enum MarkersVerb {
    List(MarkersList),
    Add(MarkersAdd),
}

/// List every marker with its reason and the hits that it covers.
///
/// Exit code 0: they are listed, whatever they cover; 2: a file could not be looked at.
#[derive(Debug, clap::Args)]
#[command(after_help = example("markers list agent --format json"))]
pub struct MarkersList {
    #[command(flatten)]
    pub paths: Paths,
    /// How to print the list
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ListFormat,
    #[command(flatten)]
    pub scope: Scope,
}

/// Write a marker at every unmarked hit: behind its line, or above it where the line would get too long or ends in a
/// comment.
///
/// Where no comment can stand, as in a string, nothing is changed. Exit code 0: no unmarked hit is left; 1: those named
/// are; 2: a file could not be checked or written.
#[derive(Debug, clap::Args)]
#[command(after_help = example("markers add 'the timeout kills the whole group' agent/shell.py"))]
pub struct MarkersAdd {
    /// Why the child may outlive its owner
    pub reason: String,
    #[command(flatten)]
    pub paths: Paths,
    /// Mark the hits of this rule only
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,
    /// Write nothing; print what would change as a unified diff
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub scope: Scope,
}

/// Edit the baseline in the policy file: only its entries change, and what changed is printed.
///
/// It is a run on everything that the policy includes. The file is replaced as a whole, or stays as it is. Exit code 0:
/// done, or nothing to change; 1: refused, since hits are new; 2: it could not be done.
#[derive(Debug, clap::Args)]
#[command(disable_help_subcommand = true)]
pub struct Baseline {
    #[command(subcommand)]
    pub verb: BaselineVerb,
}

#[derive(Debug, Subcommand)]
pub enum BaselineVerb {
    Write(BaselineWrite),
    Prune(BaselinePrune),
}

/// Tolerate today's unmarked hits, counted by function.
///
/// Refuses where the present baseline tolerates less, be it empty. A policy without any baseline gets its first one.
#[derive(Debug, clap::Args)]
#[command(after_help = example("baseline write --accept-new"))]
pub struct BaselineWrite {
    #[command(flatten)]
    pub scope: Scope,
    /// Tolerate hits, too, that the present baseline does not
    #[arg(long)]
    pub accept_new: bool,
}

/// Lower or remove the entries that tolerate more than there is; none is added or raised.
///
/// An entry keeps its form. That of a file which git sees renamed, compared with HEAD, moves to the new name.
#[derive(Debug, clap::Args)]
#[command(after_help = example("baseline prune"))]
pub struct BaselinePrune {
    #[command(flatten)]
    pub scope: Scope,
}

/// Count the hits by top-level folder and rule: unmarked, tolerated by the baseline, marked.
///
/// A hit of several rules counts as one of the first. Exit code 0, whatever there is; 2: not all could be counted.
#[derive(Debug, clap::Args)]
#[command(after_help = example("stat --select all"))]
pub struct Stat {
    #[command(flatten)]
    pub scope: Scope,
    /// How to print the counts
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ListFormat,
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

#[derive(Debug, Default, Clone, Copy, ValueEnum)]
pub enum Color {
    /// On a terminal, or as NO_COLOR and CLICOLOR_FORCE say
    #[default]
    Auto,
    Always,
    Never,
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
    #[arg(long, value_name = "DIR")]
    pub root: Option<Utf8PathBuf>,
    /// The policy file [default: Cargo.toml or pyproject.toml in the root]
    #[arg(long, value_name = "FILE")]
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
    #[arg(long, value_name = "FILE")]
    pub binary: Option<Utf8PathBuf>,
}

/// Run a command and print what it cost: a step of `bench`.
#[derive(Debug, clap::Args)]
pub struct BenchChild {
    #[arg(required = true, last = true)]
    pub command: Vec<String>,
}
