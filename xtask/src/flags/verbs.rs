//! The command line of lint-spawns: the check, and its verbs.

use std::num::NonZeroUsize;

use camino::Utf8PathBuf;
use clap::{Subcommand, ValueEnum};

use super::path;
use crate::lint_spawns::program;
use crate::output::Color;

/// Find Python that starts a child process in its own session or process group.
///
/// Such a child goes on running when its owner is killed. Exit code 0: none but marked and tolerated ones; 1: there
/// are; 2: the check could not be done.
#[derive(Debug, Default, clap::Args)]
#[command(version, display_name = program::NAME, after_help = examples(&[
    ("init", "write a first policy, with a baseline of today's hits"),
    ("", "check what the policy includes"),
    ("--format full", "show each problem in its place, and the marker line to write"),
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
    #[arg(long, visible_alias = "output-format", value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    #[arg(conflicts_with = "print_baseline")]
    pub format: Format,
    /// When to print in colours, which only `full` has
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = OUTPUT)]
    pub color: Color,
    /// Print only what fails the run: no advisory, no summary; warnings and errors still go to standard error
    #[arg(long, short, conflicts_with = "print_baseline", help_heading = OUTPUT)]
    pub quiet: bool,
    /// Exit 0 in spite of problems; what could not be checked is still 2
    #[arg(long, short, help_heading = OUTPUT)]
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
    #[arg(value_parser = path)]
    pub paths: Vec<Utf8PathBuf>,
    /// The file that standard input stands for; it need not exist. Without PATHS, `-` is meant
    #[arg(long, value_name = "NAME", value_parser = path, help_heading = FILES)]
    pub stdin_filename: Option<Utf8PathBuf>,
    /// Take PATHS from a file, too: one on a line, or each with a NUL behind it; `-` is standard input
    #[arg(long, value_name = "FILE", value_parser = path, help_heading = FILES)]
    pub files_from: Option<Utf8PathBuf>,
}

/// What every verb that checks files is told in the same way.
#[derive(Debug, Default, clap::Args)]
pub struct Scope {
    /// The repository, or a folder in it [default: the top of the git work tree around the current folder]
    #[arg(long, value_name = "DIR", value_parser = path, help_heading = FILES)]
    pub root: Option<Utf8PathBuf>,
    /// The policy file [default: Cargo.toml or pyproject.toml in the root]
    #[arg(long, value_name = "FILE", value_parser = path, help_heading = RULES)]
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

fn example(arguments: &str) -> String {
    format!("Example: {} {arguments}", program::called())
}

/// What follows the program's name, and what that does.
fn examples(all: &[(&str, &str)]) -> String {
    let lines = all.iter().map(|(arguments, what)| {
        let command = format!("{} {arguments}", program::called());
        format!("\n  {}\n      {what}", command.trim_end())
    });
    format!("Examples:{}", lines.collect::<String>())
}
