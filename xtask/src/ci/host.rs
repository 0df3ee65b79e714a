//! The host repository, and the steps that it declares in `[workspace.metadata.ci]` of its Cargo.toml.
//!
//! All of the table is proved before anything runs: a step that is misspelled must not be one that never fails.

use std::fs;
use std::io::ErrorKind::NotFound;
use std::ops::Range;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use super::paths;
use super::requirement::Requirement;
use super::step::{Command, Step};
use crate::output::printable_path;

/// The Cargo workspace around the current folder: not the one that this program was built from, for it may be installed.
pub struct Host {
    pub root: Utf8PathBuf,
    /// Its Cargo.toml.
    text: String,
}

#[derive(Deserialize)]
#[serde(expecting = "a table")]
struct Manifest {
    workspace: Option<Workspace>,
}

#[derive(Deserialize)]
#[serde(expecting = "a table")]
struct Workspace {
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(expecting = "a table")]
struct Metadata {
    ci: Option<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with an array `step`")]
struct Table {
    #[serde(default)]
    step: Vec<RawStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct RawStep {
    name: Spanned<String>,
    command: Spanned<Vec<String>>,
    fix: Option<Spanned<Vec<String>>>,
    folder: Option<Spanned<String>>,
    requires: Option<Spanned<Vec<String>>>,
    install: Option<Spanned<String>>,
    paths: Option<Spanned<Vec<String>>>,
    /// In seconds.
    timeout: Option<Spanned<f64>>,
}

impl Host {
    pub fn find() -> Result<Host> {
        #[derive(Deserialize)]
        struct Sketch {
            workspace: Option<IgnoredAny>,
        }
        let here = std::env::current_dir().context("cannot tell the current folder")?;
        let here = Utf8PathBuf::try_from(here).context("the current folder is not UTF-8; rename it")?;
        for folder in here.ancestors() {
            let path = folder.join("Cargo.toml");
            let text = match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(err) if err.kind() == NotFound => continue,
                Err(err) => bail!("cannot read {}: {err}", printable_path(path.as_str())),
            };
            let name = printable_path(path.as_str());
            if parse::<Sketch>(&text, &name)?.workspace.is_some() {
                return Ok(Host { root: folder.to_owned(), text });
            }
        }
        let here = printable_path(here.as_str());
        bail!("no Cargo.toml with a [workspace] is in {here} or above it; go to the repository that is to be checked")
    }

    /// The steps that it declares, none of them with a name of the others.
    pub fn steps(&self, others: &[Step]) -> Result<Vec<Step>> {
        let manifest: Manifest = parse(&self.text, "Cargo.toml")?;
        let table = manifest.workspace.and_then(|workspace| workspace.metadata).and_then(|metadata| metadata.ci);
        let mut steps: Vec<Step> = Vec::new();
        for raw in table.map(|table| table.step).unwrap_or_default() {
            let name = raw.name.clone();
            if others.iter().any(|step| step.name == *name.get_ref()) {
                let what = format!("there is a built-in step of the name {:?}", name.get_ref());
                return Err(self.error(name.span(), "name", &what));
            }
            if steps.iter().any(|step| step.name == *name.get_ref()) {
                return Err(self.error(name.span(), "name", &format!("two steps have the name {:?}", name.get_ref())));
            }
            steps.push(self.prove(raw)?);
        }
        Ok(steps)
    }

    fn prove(&self, raw: RawStep) -> Result<Step> {
        let name = raw.name.get_ref();
        // Names are separated by commas, matched by globs and printed as commands to run again.
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            let what = format!("{name:?} is none; take letters, digits, `-`, `_` and `.`");
            return Err(self.error(raw.name.span(), "name", &what));
        }
        let paths = raw.paths.map(|paths| {
            if paths.get_ref().is_empty() {
                return Err(self.error(paths.span(), "paths", "no path makes it necessary; leave the key out"));
            }
            paths::globs(paths.get_ref()).map_err(|what| self.error(paths.span(), "paths", &what))
        });
        let timeout = raw.timeout.map(|seconds| {
            let limit = Duration::try_from_secs_f64(*seconds.get_ref()).ok().filter(|limit| !limit.is_zero());
            limit.ok_or_else(|| self.error(seconds.span(), "timeout", "must be a number of seconds above 0"))
        });
        let requires = match (&raw.requires, raw.command.get_ref().first()) {
            (Some(requires), _) => requires.clone(),
            // A program with a path is the repository's own.
            (None, Some(program)) if !program.contains('/') => Spanned::new(raw.command.span(), vec![program.clone()]),
            (None, _) => Spanned::new(0..0, Vec::new()),
        };
        let install = raw.install.as_ref().map(|install| install.get_ref().as_str());
        if let Some(install) = raw.install.as_ref().filter(|install| install.get_ref().trim().is_empty()) {
            return Err(self.error(install.span(), "install", "must not be empty"));
        }
        let needs = requires.get_ref().iter().map(|text| Requirement::parse(text, install));
        Ok(Step {
            command: [self.command(&raw.command, "command")?],
            fix: raw.fix.map(|fix| self.command(&fix, "fix")).transpose()?.into_iter().collect(),
            folder: raw.folder.map(|folder| self.folder(&folder)).transpose()?.unwrap_or_default(),
            requires: needs.collect::<Result<_, _>>().map_err(|what| self.error(requires.span(), "requires", &what))?,
            paths: paths.transpose()?,
            timeout: timeout.transpose()?,
            name: raw.name.into_inner(),
        })
    }

    fn command(&self, words: &Spanned<Vec<String>>, key: &str) -> Result<Command> {
        let what = match words.get_ref().first() {
            None => "must not be empty: a program and its arguments",
            Some(program) if program.trim().is_empty() => "the program must not be empty",
            Some(_) if words.get_ref().iter().any(|word| word.contains('\0')) => "no argument holds a NUL",
            Some(_) => return Ok(Command { variables: Vec::new(), words: words.get_ref().clone() }),
        };
        Err(self.error(words.span(), key, what))
    }

    fn folder(&self, folder: &Spanned<String>) -> Result<Utf8PathBuf> {
        let path = Utf8Path::new(folder.get_ref());
        let is_below = |part| matches!(part, Utf8Component::Normal(_) | Utf8Component::CurDir);
        let is_inside = || {
            let (real, root) = (self.root.join(path).canonicalize_utf8().ok()?, self.root.canonicalize_utf8().ok()?);
            Some(real.starts_with(root))
        };
        let what = if path.as_str().is_empty() || !path.components().all(is_below) {
            "is not a path below the workspace"
        } else if !self.root.join(path).is_dir() {
            "is not a folder"
        } else if is_inside() != Some(true) {
            "is a link that leads out of the workspace"
        } else {
            return Ok(path.to_owned());
        };
        Err(self.error(folder.span(), "folder", &format!("{:?} {what}", folder.get_ref())))
    }

    fn error(&self, span: Range<usize>, key: &str, what: &str) -> anyhow::Error {
        anyhow!("bad step in Cargo.toml:{}: key `{key}`: {what}", line_of(&self.text, span.start))
    }
}

fn parse<T: serde::de::DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    toml::from_str(text).map_err(|err| {
        // It repeats names of the file, line breaks and all.
        let message = printable_path(err.message());
        let message = message.replace("expected f64", "expected a number of seconds").replace("a sequence", "an array");
        let Some(span) = err.span() else { return anyhow!("bad {name}: {message}") };
        let line = line_of(text, span.start);
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        let shown: String = shown.chars().take(160).collect();
        anyhow!("bad {name}:{line}: {message}\n{shown}")
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&b| b == b'\n').count()
}
