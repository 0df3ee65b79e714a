//! Where the first policy goes, and that none is there.

use anyhow::{Context as _, Error, Result, anyhow, bail, ensure};
use camino::{Utf8Path, Utf8PathBuf};
use xshell::Shell;

use super::super::policy::Policy;
use super::super::policy::manifest::{self, CARGO, CARGO_TABLE, Manifest, PYPROJECT, PYPROJECT_TABLE};
use super::super::{amend, git, patch, program, write};
use crate::flags::Scope;
use crate::output::{printable, printable_path};

pub(super) struct Place {
    /// As it is shown.
    pub(super) name: String,
    /// The header of the policy's table; None where its keys are at the top level.
    pub(super) table: Option<&'static str>,
    /// The file itself, whatever links lead to it.
    location: Utf8PathBuf,
    /// What the file holds; None if there is none yet.
    old: Option<String>,
    /// What a command line needs, behind its verb, to be about this policy.
    options: String,
}

impl Place {
    /// The file that `--config` names, else one of the root. Fails where a policy is already.
    pub(super) fn choose(root: &Utf8Path, scope: &Scope) -> Result<Place> {
        let options = options("--root", scope.root.as_deref());
        let Some(config) = scope.config.as_deref() else {
            let manifests = Manifest::of_root(root)?;
            manifests.iter().try_for_each(|manifest| refuse_policy(manifest, &options))?;
            let Some((manifest, table)) = manifest::home(&manifests) else { return Place::new_in(root, options) };
            let location = canonical(&root.join(&manifest.name))?;
            let (name, old) = (manifest.name.clone(), Some(manifest.text.clone()));
            return Ok(Place { name, table: Some(table), location, old, options });
        };
        let name = printable_path(config.as_str());
        let last = config.file_name().with_context(|| format!("--config: '{name}' names no file"))?;
        let folder = config.parent().filter(|folder| *folder != "").unwrap_or(Utf8Path::new("."));
        let folder = canonical(folder)?;
        let table = match last {
            CARGO => Some(CARGO_TABLE),
            PYPROJECT => Some(PYPROJECT_TABLE),
            _ => None,
        };
        let is_of_root = table.is_some() && folder == root;
        let options = if is_of_root { options } else { options + &self::options("--config", Some(config)) };
        let manifest = Manifest::read(config, config.as_str())?;
        if is_of_root {
            Manifest::of_root(root)?.iter().try_for_each(|manifest| refuse_policy(manifest, &options))?;
        }
        match (&manifest, table) {
            (Some(manifest), None) => refuse_text(manifest, &options)?,
            (Some(manifest), Some(_)) => refuse_policy(manifest, &options)?,
            (None, _) => {}
        }
        if table == Some(CARGO_TABLE) && !manifest.as_ref().is_some_and(Manifest::is_workspace) {
            bail!("{name} makes no workspace, and [{CARGO_TABLE}] would make it one; name another file with --config");
        }
        let location = if manifest.is_some() { canonical(config)? } else { folder.join(last) };
        Ok(Place { name, table, location, old: manifest.map(|manifest| manifest.text), options })
    }

    /// A `pyproject.toml` of a root that has none.
    fn new_in(root: &Utf8Path, options: String) -> Result<Place> {
        if root.join("setup.py").exists() {
            // --config is relative to the current folder.
            let here = canonical(Utf8Path::new(".")).is_ok_and(|here| here == root);
            let init = |name| {
                let path = if here { Utf8PathBuf::from(name) } else { root.join(name) };
                command("init", &(options.clone() + &self::options("--config", Some(&path))))
            };
            bail!(
                "no file to write into: there is no {PYPROJECT} and no Cargo workspace in {}, and pip builds a project \
                 with setup.py in another way as soon as it has a {PYPROJECT}; `{}` makes one all the same, `{}` a file of \
                 its own",
                printable_path(root.as_str()),
                init(PYPROJECT),
                init("lint-spawns.toml")
            );
        }
        let (name, location) = (PYPROJECT.to_owned(), root.join(PYPROJECT));
        Ok(Place { name, table: Some(PYPROJECT_TABLE), location, old: None, options })
    }

    /// What the file holds now.
    pub(super) fn text(&self) -> &str {
        self.old.as_deref().unwrap_or_default()
    }

    /// Fails if git tracks the file although it is not there: what is in it would be lost.
    pub(super) fn prove_new(&self, sh: &Shell, root: &Utf8Path) -> Result<()> {
        let path = self.location.strip_prefix(root).ok().filter(|_| self.old.is_none());
        let mut tracked = false;
        if let Some(path) = path {
            git::list(sh, root, &[path.to_owned()], false, |_| tracked = true)?;
        }
        ensure!(!tracked, "git tracks {}, but it is not in this work tree; restore it first", self.name);
        Ok(())
    }

    /// The policy that would be read if the file held this text.
    pub(super) fn read(&self, text: &str) -> Result<Policy> {
        Policy::in_file(&self.holding(text)).map_err(|_| self.unfit())
    }

    /// Fails unless the file would say what it says now, and the policy `meant`, if it held this text.
    pub(super) fn prove(&self, text: &str, meant: toml::Table) -> Result<()> {
        let mut expected = self.holding(self.text()).document()?;
        let mut policy = &mut expected;
        for key in self.table.into_iter().flat_map(|table| table.split('.')) {
            let table = policy.entry(key).or_insert_with(|| toml::Table::new().into());
            policy = table.as_table_mut().with_context(|| self.unfit())?;
        }
        *policy = meant;
        let is_meant = self.holding(text).document().is_ok_and(|document| document == expected);
        ensure!(is_meant, self.unfit());
        Ok(())
    }

    /// What [`Place::write`] would change, as a patch of the root.
    pub(super) fn patch(&self, root: &Utf8Path, text: &str) -> Vec<u8> {
        let path = self.location.strip_prefix(root).unwrap_or(&self.location);
        patch::unified(path.as_str(), self.old.as_deref().map(str::as_bytes), text.as_bytes())
    }

    pub(super) fn write(&self, text: &str) -> Result<()> {
        let written = match &self.old {
            Some(old) => write::replace(&self.location, old.as_bytes(), text.as_bytes()),
            None => write::create(&self.location, text.as_bytes()),
        };
        written.with_context(|| format!("cannot write {}, nothing was changed", self.name))
    }

    /// A command line about this policy.
    pub(super) fn command(&self, verb: &str) -> String {
        command(verb, &self.options)
    }

    fn holding(&self, text: &str) -> Manifest {
        Manifest { path: Some(self.location.clone()), name: self.name.clone(), text: text.to_owned() }
    }

    /// What is wrong with a file in which the policy would not be what is meant.
    fn unfit(&self) -> Error {
        let Some(table) = self.table else {
            return anyhow!("a bug in this program, please report it: the policy would not do; nothing was written");
        };
        let line = |key| amend::line_of_table(self.text(), key).ok().flatten();
        let mut above = std::iter::successors(Some(table), |key| Some(key.rsplit_once('.')?.0));
        let closed = above.find_map(|key| Some((key, line(key)?)));
        let (key, line) = closed.unwrap_or((table, 1));
        anyhow!(
            "cannot add [{table}] to {name}, nothing was written: as `{key}` is spelled in {name}:{line}, it takes no \
             further table; make it one with a header, [{key}], or name another file with --config",
            name = self.name
        )
    }
}

/// Fails if there is a policy, good or bad.
fn refuse_policy(manifest: &Manifest, options: &str) -> Result<()> {
    let Some((table, line)) = manifest.policy_line()? else { return Ok(()) };
    bail!(
        "{}:{line} has a policy already, [{table}]; nothing was written. Edit it there; `{}` makes its baseline what there \
         is today",
        manifest.name,
        command("baseline write", options)
    )
}

/// Fails if there is anything.
fn refuse_text(manifest: &Manifest, options: &str) -> Result<()> {
    let mut lines = manifest.text.trim_start_matches('\u{feff}').lines();
    let Some(line) = lines.position(|line| !line.trim().is_empty()) else { return Ok(()) };
    bail!(
        "{}:{}: the file is not empty; nothing was written. If it is a policy, edit it (`{}` makes its baseline what there \
         is today), else name another file",
        manifest.name,
        line + 1,
        command("baseline write", options)
    )
}

fn canonical(path: &Utf8Path) -> Result<Utf8PathBuf> {
    let shown = printable_path(path.as_str());
    path.canonicalize_utf8().map_err(|err| anyhow!("cannot find {shown}: {err}; name a file in a folder that is there"))
}

fn command(verb: &str, options: &str) -> String {
    format!("{} {verb}{}", program::called(), printable(options))
}

/// An option with its value, if that is given, for a shell.
fn options(option: &str, value: Option<&Utf8Path>) -> String {
    value.map_or_else(String::new, |value| {
        // Only a NUL cannot be quoted, and no argument holds one.
        let quoted = shlex::try_quote(value.as_str()).unwrap_or_default();
        format!(" {option} {quoted}")
    })
}
