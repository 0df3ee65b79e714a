//! The TOML files of a repository that may hold its policy.

use std::fs;
use std::io::ErrorKind::NotFound;

use anyhow::{Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::RawPolicy;
use crate::lint_spawns::amend;
use crate::lint_spawns::lines::line_of;
use crate::output::printable_path;

pub(crate) const CARGO: &str = "Cargo.toml";
pub(crate) const PYPROJECT: &str = "pyproject.toml";
pub(crate) const CARGO_TABLE: &str = "workspace.metadata.lint-spawns";
pub(crate) const PYPROJECT_TABLE: &str = "tool.lint-spawns";

/// Where a policy belongs in a root that has these files, and in which table: the one for Python, else the one of a
/// workspace. In the `Cargo.toml` of a mere package that table would make a workspace of it, and change how it is built.
pub(crate) fn home(found: &[Manifest]) -> Option<(&Manifest, &'static str)> {
    let named = |name: &str| found.iter().find(|manifest| manifest.name == name);
    let pyproject = named(PYPROJECT).map(|manifest| (manifest, PYPROJECT_TABLE));
    pyproject.or_else(|| Some((named(CARGO).filter(|manifest| manifest.is_workspace())?, CARGO_TABLE)))
}

/// A TOML file that may hold a policy among other things.
pub(crate) struct Manifest {
    /// None if there is no file.
    pub(crate) path: Option<Utf8PathBuf>,
    /// As it is shown.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Manifest {
    /// What stands for one where no policy is.
    pub(super) fn built_in() -> Manifest {
        Manifest { path: None, name: "built-in default".to_owned(), text: String::new() }
    }

    /// Those of a root that are there.
    pub(crate) fn of_root(root: &Utf8Path) -> Result<Vec<Manifest>> {
        let read = |name| Manifest::read(&root.join(name), name).transpose();
        [CARGO, PYPROJECT].into_iter().filter_map(read).collect()
    }

    /// None if there is no such file.
    pub(crate) fn read(path: &Utf8Path, name: &str) -> Result<Option<Manifest>> {
        let cannot = |why: &dyn std::fmt::Display| anyhow!("cannot read the policy file {}: {why}", shown(path));
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {}
            // To open a FIFO, or to read a device, may take for ever.
            Ok(_) => return Err(cannot(&"it is not a file; it was not opened, name one with --config")),
            Err(err) if err.kind() == NotFound && fs::symlink_metadata(path).is_err() => return Ok(None),
            Err(err) if err.kind() == NotFound => return Err(cannot(&"it is a link to nowhere; mend or remove it")),
            Err(err) => return Err(cannot(&format_args!("{err}; make it readable"))),
        }
        let name = printable_path(name);
        let bytes = fs::read(path).map_err(|err| cannot(&format_args!("{err}; make it readable")))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Manifest { path: Some(path.to_owned()), name, text })),
            Err(err) => {
                let before = &err.as_bytes()[..err.utf8_error().valid_up_to()];
                let line = 1 + memchr::memchr_iter(b'\n', before).count();
                bail!("bad policy in {name}:{line}: it is not UTF-8; convert it")
            }
        }
    }

    /// Whether it makes a Cargo workspace.
    pub(crate) fn is_workspace(&self) -> bool {
        amend::line_of_table(&self.text, "workspace").is_ok_and(|line| line.is_some())
    }

    /// The table of a policy in it, good or bad, and the line where that begins.
    pub(crate) fn policy_line(&self) -> Result<Option<(&'static str, usize)>> {
        self.document()?;
        for table in [CARGO_TABLE, PYPROJECT_TABLE] {
            if let Some(line) = amend::line_of_table(&self.text, table)? {
                return Ok(Some((table, line)));
            }
        }
        Ok(None)
    }

    /// All that it says.
    pub(crate) fn document(&self) -> Result<toml::Table> {
        toml::from_str(&self.text).map_err(|err| anyhow!("bad TOML in {}", worded(&err, &self.text, &self.name)))
    }

    /// The policies in it, each with the name of its table.
    pub(super) fn tables(&self) -> Result<Vec<(RawPolicy, &'static str)>> {
        #[derive(serde::Deserialize)]
        #[serde(expecting = "a table")]
        struct File {
            workspace: Option<Workspace>,
            tool: Option<Table>,
        }
        #[derive(serde::Deserialize)]
        #[serde(expecting = "a table")]
        struct Workspace {
            metadata: Option<Table>,
        }
        #[derive(serde::Deserialize)]
        #[serde(expecting = "a table")]
        struct Table {
            #[serde(rename = "lint-spawns")]
            policy: Option<RawPolicy>,
        }
        if !self.text.contains("lint-spawns") {
            return Ok(Vec::new());
        }
        let file: File = parse(&self.text, &self.name)?;
        let cargo = file.workspace.and_then(|workspace| workspace.metadata).and_then(|table| table.policy);
        let pyproject = file.tool.and_then(|table| table.policy);
        let found = [(cargo, CARGO_TABLE), (pyproject, PYPROJECT_TABLE)];
        Ok(found.into_iter().filter_map(|(raw, table)| Some((raw?, table))).collect())
    }
}

pub(super) fn parse<T: serde::de::DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    toml::from_str(text).map_err(|err| anyhow!("bad policy in {}", worded(&err, text, name)))
}

/// Where an error is, and what the text has there.
fn worded(err: &toml::de::Error, text: &str, name: &str) -> String {
    // It repeats names of the file, line breaks and all.
    let message = printable_path(err.message()).replace("expected u32", "expected a count, 0 or more");
    let Some(span) = err.span() else { return format!("{name}: {message}") };
    let line = line_of(text, span.start);
    let lines: Vec<&str> = text.lines().take(line).collect();
    // An array may span many lines; the key stands on its first.
    let is_key = |line: &str| line.contains('=') || line.starts_with('[');
    let key = lines.iter().rposition(|line| is_key(line)).filter(|at| at + 1 < lines.len());
    let shown: Vec<&str> = key.map(|at| lines[at]).into_iter().chain(lines.last().copied()).map(cut).collect();
    format!("{name}:{line}: {message}\n{}", shown.join("\n"))
}

/// As much of a policy as a message has room for.
pub(super) fn cut(text: &str) -> &str {
    text.char_indices().nth(160).map_or(text, |(end, _)| &text[..end])
}

pub(super) fn shown(path: &Utf8Path) -> String {
    printable_path(path.as_str())
}
