//! A step: what is run, and when it is needed.

use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, Result};
use camino::Utf8PathBuf;

use super::paths;
use super::requirement::Requirement;
use crate::globs::Globs;
use crate::output::printable;

/// A step that every repository has, as the list of them spells it.
pub struct BuiltIn {
    pub name: &'static str,
    /// Quoted as for a shell, with variables in front, and run without one.
    pub command: &'static str,
    /// The repairing form: commands that are run instead, one after the other. Empty if there is none.
    pub fix: &'static [&'static str],
    pub requires: &'static [&'static str],
    pub paths: &'static [&'static str],
}

#[derive(Debug)]
pub struct Step {
    /// Letters, digits, `-`, `_` and `.`.
    pub name: String,
    pub command: [Command; 1],
    /// See [`BuiltIn::fix`].
    pub fix: Vec<Command>,
    /// Where it is run, relative to the root.
    pub folder: Utf8PathBuf,
    /// Without these it is skipped.
    pub requires: Vec<Requirement>,
    /// What has to differ for the step to be needed; None if it always is.
    pub paths: Option<Globs>,
    pub timeout: Option<Duration>,
}

/// What is run, without a shell.
#[derive(Debug)]
pub struct Command {
    /// Set in its environment.
    pub variables: Vec<(String, String)>,
    /// The program and its arguments.
    pub words: Vec<String>,
}

impl BuiltIn {
    /// Fails where the list is wrong.
    pub fn step(&self) -> Result<Step> {
        let bug = || format!("a bug in the built-in step {}", self.name);
        let requires = self.requires.iter().map(|text| Requirement::parse(text, None));
        Ok(Step {
            name: self.name.to_owned(),
            command: [Command::parse(self.command).with_context(bug)?],
            fix: self.fix.iter().map(|fix| Command::parse(fix)).collect::<Option<_>>().with_context(bug)?,
            folder: Utf8PathBuf::new(),
            requires: requires.collect::<Result<_, _>>().map_err(anyhow::Error::msg).with_context(bug)?,
            paths: Some(paths::globs(self.paths).map_err(anyhow::Error::msg).with_context(bug)?),
            timeout: None,
        })
    }
}

impl Step {
    /// What is run of it: the check, or with `fix` the repairing form if there is one.
    pub fn commands(&self, fix: bool) -> &[Command] {
        if fix && !self.fix.is_empty() { &self.fix } else { &self.command }
    }
}

impl Command {
    /// None if a quotation mark lacks its partner, or there is no program.
    fn parse(text: &str) -> Option<Command> {
        let mut words = shlex::split(text)?;
        let program = words.iter().position(|word| !word.contains('='))?;
        let variables = words.drain(..program).filter_map(|word| Some(owned(word.split_once('=')?))).collect();
        Some(Command { variables, words })
    }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// As one would type it.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words: Vec<String> = variables.chain(self.words.iter().map(|word| quoted(word))).collect();
        f.write_str(&printable(&words.join(" ")))
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Commands that are run one after the other, each if the one before it succeeds.
pub fn joined(commands: &[Command]) -> String {
    commands.iter().map(Command::to_string).collect::<Vec<_>>().join(" && ")
}
