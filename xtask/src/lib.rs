//! Repository checks, run as `cargo xtask`.
//!
//! # lint-spawns
//!
//! Finds the Python that starts a child process in its own session or process group. The stages, in order:
//!
//! 1. [`lint_spawns::policy`] reads what to check.
//! 2. [`lint_spawns::discover`] asks git, by [`lint_spawns::git`], for the files: all, those that are
//!    named, those that have changed, or what is staged. Standard input may stand for one.
//! 3. [`lint_spawns::source`] reads a file and makes text of it.
//! 4. [`lint_spawns::search`] narrows the text by [`lint_spawns::needles`], has the statements that matter cut out and
//!    parsed by [`lint_spawns::python`], and looks for shapes in them: [`lint_spawns::detect`] by the default rules,
//!    [`lint_spawns::extended`] by the others.
//! 5. [`lint_spawns::precise`] tells which shapes start nothing.
//! 6. [`lint_spawns::marker`] tells which hits are accepted, where the comments matter by what
//!    [`lint_spawns::python::comment`] says of them, and what is wrong with markers; [`lint_spawns::check`] is stages 3 to 6
//!    for one file.
//! 7. [`lint_spawns::verdict`] judges the hits, those that are left by the counts of the [`lint_spawns::baseline`].
//! 8. [`lint_spawns::report`] words the outcome for people in lines, [`lint_spawns::full`] in pictures,
//!    [`lint_spawns::github`] for a pull request, [`lint_spawns::sarif`] for code scanning, [`lint_spawns::json`] for other
//!    machines; [`lint_spawns::remedy`] has what is
//!    said of a single hit, [`lint_spawns::checkout`] what others call a file; [`output`] writes it.
//!
//! [`lint_spawns::run`](mod@lint_spawns::run) is stages 1 to 6 for every verb. [`lint_spawns::list_markers`] and
//! [`lint_spawns::add_markers`] go on from there: the one lists the markers, the other has [`lint_spawns::annotate`] find a
//! place for new ones, and [`lint_spawns::patch`] word what would change. [`lint_spawns::write`] changes a file for the verbs
//! that do. [`lint_spawns::explain`] prints what `rule/*.md` say of the rules in [`lint_spawns::rule`], the table that stages
//! 1, 5 and 8 share.
//!
//! [`lint_spawns::init`] writes a first policy: it runs stages 1 to 6 by the one that it proposes.
//! [`lint_spawns::upkeep`] keeps the baseline: it runs stages 1 to 7, and has [`lint_spawns::amend`] edit the text of the
//! policy file, which [`lint_spawns::write`] replaces. [`lint_spawns::stat`] counts what stage 7 has judged.
//!
//! A shape of a default rule is told from its statement alone. One of an extended rule may depend on what is written
//! anywhere: [`lint_spawns::python::names`] looks up what a name means, by cutting out and parsing what binds it, in the
//! scopes of [`lint_spawns::python::outline`]; [`lint_spawns::python::fold`] tells what an expression comes to,
//! [`lint_spawns::spawn`] which calls start a child, [`lint_spawns::command`] which commands detach one,
//! [`lint_spawns::argument`] what the two Popen arguments mean. `alias` finds the other names of what was found. Only
//! texts with a needle are looked at so closely.
//!
//! [`lint_spawns::program`] knows by which of its two names the program was called.
//!
//! Files are checked in threads while git goes on listing them; the order of the threads never shows.
//!
//! Invariants: data flows down this list only. `statement`, `detect`, `marker`, `annotate`, `verdict` and `amend` take
//! data and return data; only `discover`, `git` and `source` look at the world, only `write` changes it, only [`output`]
//! prints. A file without a needle costs a read and a search; of one with a needle only the statements that mention it
//! are parsed. What cannot be looked at is an error or a warning, never silence; [`bug`] makes an error of a panic. Names,
//! source lines and other programs' messages reach the user only through [`output`]'s escapes.
//!
//! `src/bin/lint-spawns.rs` is this command alone, for repositories without a workspace; [`flags`] has the command lines of
//! both programs, and [`run`] runs them.
//!
//! # ci, bench
//!
//! [`ci`] runs every check of the repository: a list of steps and one runner. [`ci::host`] reads the steps that the
//! repository declares; [`ci::plan`] chooses by [`ci::paths`], [`ci::changed`] and [`ci::requirement`]; [`ci::runner`] runs
//! a [`ci::step`] below its [`ci::supervisor`]; [`ci::screen`] and [`ci::summary`] tell of it; [`ci::moved`] repairs
//! snapshots. [`globs`] reads patterns of paths, here and in the policy. Invariants: all steps are proved before the first
//! is run; nothing that a step has started outlives `ci`, however that ends.
//!
//! [`mod@bench`] measures lint-spawns beside git and ripgrep: in a repository or in one that [`bench::monorepo`] makes, each
//! run by way of [`bench::child`]. `xtask/benches` measures the stages alone.
//!
//! # Tests
//!
//! `snapshots` pins the report of each fixture, `xtask/tests/cli` whole runs. `tests/properties` makes up programs of
//! which it knows the hits, and shares its invariants with the fuzz targets in `xtask/fuzz`; `tests/oracle.py` compares
//! with CPython; `tests/grammar.rs` puts each shape in each place, `tests/extremes.rs` in the deepest and largest.
//! `tests/names.rs`, `tests/outline.rs` and `tests/fold.rs` ask what extended rules ask. `tests/docs` runs the commands that
//! README.md and the pages in `xtask/docs` show, and proves what else they say; `tests/hooks.py` tries what
//! `docs/recipes.md` shows, by pre-commit, cargo and git, and `tests/workflows.py` has the GitHub workflows checked.

pub mod bench;
pub mod bug;
pub mod ci;
pub mod flags;
pub mod globs;
pub mod lint_spawns;
pub mod output;

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All was looked at, and nothing is wrong: 0.
    Clean,
    /// There are problems: 1.
    Problems,
    /// The job could not be done: 2.
    Failed,
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Clean => 0,
            Outcome::Problems => 1,
            Outcome::Failed => 2,
        }
    }
}

/// What both programs do: run a command, complain of what kept it from its job, in the command's name, and end with its
/// exit code.
pub fn run(name: &str, command: impl FnOnce() -> anyhow::Result<Outcome>) -> ExitCode {
    let outcome = bug::caught(command).unwrap_or_else(Err).unwrap_or_else(|err| {
        output::complain(name, &format!("{err:#}"));
        Outcome::Failed
    });
    ExitCode::from(outcome.code())
}

/// The workspace that this program was built from.
fn workspace() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/..")
}
