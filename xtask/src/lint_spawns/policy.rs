//! What to check: the policy table of a repository, read and proved.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use toml::Spanned;

use super::rule::Rule;

const CARGO_TABLE: &str = "workspace.metadata.lint-spawns";
const PYPROJECT_TABLE: &str = "tool.lint-spawns";

const DEFAULT_EXCLUDE: [&str; 5] = ["tests", "__pycache__", "evals", "node_modules", "test_*.py"];
const DEFAULT_MARKER: &str = "detached-spawn: ok";
const DEFAULT_ADVICE: &str =
    "start it in the owner's own process group, or let a supervisor that outlives the owner end its group.";

#[derive(Debug)]
pub struct Policy {
    /// Root-relative folders and files, without `./` and trailing slashes; `.` is all.
    pub include: Vec<Utf8PathBuf>,
    pub exclude: Exclude,
    pub detach_helpers: Vec<String>,
    pub marker: String,
    pub advice: String,
    /// The rules in force, in table order.
    pub rules: Vec<Rule>,
    /// Tolerated hits by root-relative path.
    pub baseline: BTreeMap<String, usize>,
    pub origin: Origin,
}

/// Where a policy was read.
#[derive(Debug)]
pub struct Origin {
    /// As it is shown to people: `Cargo.toml`, or `built-in default`.
    pub name: String,
    /// The header of the baseline's table there.
    pub baseline_header: String,
}

impl Policy {
    /// The policy in `config` if given, else in the manifests of `root`, else the built-in one.
    pub fn load(root: &Utf8Path, config: Option<&Utf8Path>) -> Result<Policy> {
        if let Some(path) = config {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the policy file {path}"))?;
            return Policy::from_config(&text, path.as_str());
        }
        let cargo = Manifest::read(root, "Cargo.toml")?;
        let pyproject = Manifest::read(root, "pyproject.toml")?;
        let tables: Vec<(&Manifest, RawPolicy, &str)> = [&cargo, &pyproject]
            .into_iter()
            .flatten()
            .map(|manifest| Ok(manifest.tables()?.into_iter().map(move |(raw, table)| (manifest, raw, table))))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect();
        match <[_; 1]>::try_from(tables) {
            Ok([(manifest, raw, table)]) => raw.prove(&manifest.text, manifest.name, Some(table)),
            Err(tables) if tables.is_empty() => {
                let table = if cargo.is_some() { CARGO_TABLE } else { PYPROJECT_TABLE };
                RawPolicy::default().prove("", "built-in default", Some(table))
            }
            Err(tables) => bail!("two policies: {}; keep one of them", named(&tables)),
        }
    }

    fn from_config(text: &str, name: &str) -> Result<Policy> {
        let manifest = Manifest { name, text: text.to_owned() };
        let mut tables = manifest.tables()?;
        if tables.len() > 1 {
            bail!("two policies: [{CARGO_TABLE}] and [{PYPROJECT_TABLE}] in {name}; keep one of them");
        }
        match tables.pop() {
            Some((raw, table)) => raw.prove(text, name, Some(table)),
            None => parse::<RawPolicy>(text, name)?.prove(text, name, None),
        }
    }
}

fn named(tables: &[(&Manifest, RawPolicy, &str)]) -> String {
    let names: Vec<String> =
        tables.iter().map(|(manifest, _, table)| format!("[{table}] in {}", manifest.name)).collect();
    names.join(" and ")
}

/// Patterns of what is left out.
#[derive(Debug)]
pub struct Exclude {
    /// Match one component of a path.
    components: GlobSet,
    /// Match a root-relative path, or that of a folder above it.
    paths: GlobSet,
}

impl Exclude {
    fn new(patterns: &[Spanned<String>], place: &Place) -> Result<Exclude> {
        let mut components = GlobSetBuilder::new();
        let mut paths = GlobSetBuilder::new();
        for pattern in patterns {
            let text = pattern.get_ref().trim_end_matches('/');
            let anchored = text.strip_prefix("./").or_else(|| text.strip_prefix('/'));
            let glob = GlobBuilder::new(anchored.unwrap_or(text))
                .literal_separator(true)
                .build()
                .map_err(|err| place.error(pattern.span(), "exclude", &format!("bad glob: {err}")))?;
            if text.is_empty() || anchored == Some("") {
                return Err(place.error(pattern.span(), "exclude", "an empty pattern excludes nothing"));
            }
            if anchored.is_some() || text.contains('/') { &mut paths } else { &mut components }.add(glob);
        }
        Ok(Exclude { components: components.build()?, paths: paths.build()? })
    }

    /// Whether a root-relative path, or a folder above it, is excluded.
    pub fn matches(&self, path: &Utf8Path) -> bool {
        path.components().any(|component| self.components.is_match(component.as_str()))
            || (!self.paths.is_empty()
                && path.ancestors().any(|path| !path.as_str().is_empty() && self.paths.is_match(path)))
    }
}

/// A TOML file that may hold a policy among other things.
struct Manifest<'n> {
    name: &'n str,
    text: String,
}

impl Manifest<'static> {
    fn read(root: &Utf8Path, name: &'static str) -> Result<Option<Manifest<'static>>> {
        let path = root.join(name);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(Manifest { name, text })),
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(err).with_context(|| format!("cannot read {path}")),
        }
    }
}

impl Manifest<'_> {
    /// The policies in it, each with the name of its table.
    fn tables(&self) -> Result<Vec<(RawPolicy, &'static str)>> {
        #[derive(Deserialize)]
        struct File {
            workspace: Option<Workspace>,
            tool: Option<Table>,
        }
        #[derive(Deserialize)]
        struct Workspace {
            metadata: Option<Table>,
        }
        #[derive(Deserialize)]
        struct Table {
            #[serde(rename = "lint-spawns")]
            policy: Option<RawPolicy>,
        }
        if !self.text.contains("lint-spawns") {
            return Ok(Vec::new());
        }
        let file: File = parse(&self.text, self.name)?;
        let cargo = file.workspace.and_then(|workspace| workspace.metadata).and_then(|table| table.policy);
        let pyproject = file.tool.and_then(|table| table.policy);
        let found = [(cargo, CARGO_TABLE), (pyproject, PYPROJECT_TABLE)];
        Ok(found.into_iter().filter_map(|(raw, table)| Some((raw?, table))).collect())
    }
}

fn parse<T: serde::de::DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    toml::from_str(text).map_err(|err| {
        let line = err.span().map_or(String::new(), |span| format!(":{}", line_of(text, span.start)));
        anyhow::anyhow!("bad policy in {name}{line}: {}", err.to_string().trim_end())
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&b| b == b'\n').count()
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawPolicy {
    include: Option<Vec<Spanned<String>>>,
    exclude: Option<Vec<Spanned<String>>>,
    detach_helpers: Option<Vec<Spanned<String>>>,
    marker: Option<Spanned<String>>,
    markers: Option<Markers>,
    advice: Option<String>,
    select: Option<Vec<Spanned<String>>>,
    ignore: Option<Vec<Spanned<String>>>,
    precise: Option<Spanned<bool>>,
    baseline: Option<BTreeMap<String, u32>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Markers {
    Reference,
}

/// The text that a policy stands in, for messages.
struct Place<'t> {
    text: &'t str,
    name: &'t str,
}

impl Place<'_> {
    fn error(&self, span: Range<usize>, key: &str, what: &str) -> anyhow::Error {
        anyhow::anyhow!("bad policy in {}:{}: key `{key}`: {what}", self.name, line_of(self.text, span.start))
    }
}

impl RawPolicy {
    /// `table` is None where the keys are at the top level of the file.
    fn prove(self, text: &str, name: &str, table: Option<&str>) -> Result<Policy> {
        let place = Place { text, name };
        let include = match self.include {
            None => vec![Utf8PathBuf::from(".")],
            Some(entries) => entries.iter().map(|entry| include_entry(entry, &place)).collect::<Result<_>>()?,
        };
        let exclude = self
            .exclude
            .unwrap_or_else(|| DEFAULT_EXCLUDE.map(|pattern| Spanned::new(0..0, pattern.to_owned())).into());
        let mut detach_helpers = Vec::new();
        for helper in self.detach_helpers.into_iter().flatten() {
            if !is_identifier(helper.get_ref()) {
                let what = format!("{:?} is not one Python identifier", helper.get_ref());
                return Err(place.error(helper.span(), "detach-helpers", &what));
            }
            detach_helpers.push(helper.into_inner());
        }
        let marker = match self.marker {
            Some(marker) if marker.get_ref().trim().is_empty() => {
                return Err(place.error(marker.span(), "marker", "must not be empty"));
            }
            Some(marker) if marker.get_ref().contains('\n') => {
                return Err(place.error(marker.span(), "marker", "must stand on one line"));
            }
            Some(marker) => marker.into_inner(),
            None => DEFAULT_MARKER.to_owned(),
        };
        match self.markers {
            None | Some(Markers::Reference) => {}
        }
        if let Some(precise) = self.precise.filter(|precise| *precise.get_ref()) {
            return Err(place.error(precise.span(), "precise", "`true` is not supported by this version"));
        }
        let mut rules = match &self.select {
            None => Rule::ALL.to_vec(),
            Some(names) => rules(names, "select", &place)?,
        };
        if let Some(names) = &self.ignore {
            let ignored = self::rules(names, "ignore", &place)?;
            rules.retain(|rule| !ignored.contains(rule));
        }
        Ok(Policy {
            include,
            exclude: Exclude::new(&exclude, &place)?,
            detach_helpers,
            marker,
            advice: self.advice.unwrap_or_else(|| DEFAULT_ADVICE.to_owned()),
            rules,
            baseline: self.baseline.unwrap_or_default().into_iter().map(|(path, n)| (path, n as usize)).collect(),
            origin: Origin {
                name: name.to_owned(),
                baseline_header: table.map_or("baseline".to_owned(), |table| format!("{table}.baseline")),
            },
        })
    }
}

fn include_entry(entry: &Spanned<String>, place: &Place) -> Result<Utf8PathBuf> {
    let mut path = Utf8PathBuf::new();
    for component in Utf8Path::new(entry.get_ref()).components() {
        match component {
            camino::Utf8Component::Normal(name) => path.push(name),
            camino::Utf8Component::CurDir => {}
            _ => {
                let what = format!("{:?} is not a path below the root", entry.get_ref());
                return Err(place.error(entry.span(), "include", &what));
            }
        }
    }
    if entry.get_ref().is_empty() {
        return Err(place.error(entry.span(), "include", "an empty path names nothing; `.` is the root"));
    }
    Ok(if path.as_str().is_empty() { Utf8PathBuf::from(".") } else { path })
}

fn rules(names: &[Spanned<String>], key: &str, place: &Place) -> Result<Vec<Rule>> {
    let mut chosen = Vec::new();
    for name in names {
        match name.get_ref().as_str() {
            "default" | "all" => chosen.extend(Rule::ALL),
            single => match Rule::ALL.into_iter().find(|rule| rule.name() == single) {
                Some(rule) => chosen.push(rule),
                None => {
                    let known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
                    let what = format!("unknown rule {single:?}; known are default, all, {}", known.join(", "));
                    return Err(place.error(name.span(), key, &what));
                }
            },
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}
