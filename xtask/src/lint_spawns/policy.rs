//! What to check: the policy table of a repository, read and proved.

pub(super) mod manifest;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use anyhow::{Context as _, Result, anyhow, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Unexpected, Visitor};
use toml::Spanned;

use super::baseline::{Baseline, Entry};
use super::lines::line_of;
use super::rule::{self, Group, Rule};
use crate::globs::{Fault, Globs, GlobsBuilder};
use manifest::{Manifest, PYPROJECT_TABLE, cut, parse, shown};

pub(super) const DEFAULT_EXCLUDE: [&str; 5] = ["tests", "__pycache__", "evals", "node_modules", "test_*.py"];
pub(super) const DEFAULT_MARKER: &str = "detached-spawn: ok";
const DEFAULT_ADVICE: &str =
    "start it in the owner's own process group, or let a supervisor that outlives the owner end its group.";

/// What is wrong with a choice of rules by which every file is clean.
const IDLE: &str =
    "no rule is left in force that finds anything (unparsable needs others, detach-helper needs `detach-helpers`)";

#[derive(Debug)]
pub struct Policy {
    /// Root-relative folders and files, without `./` and trailing slashes; `.` is all.
    pub include: Vec<Utf8PathBuf>,
    /// Patterns of what is left out.
    pub exclude: Globs,
    pub detach_helpers: Vec<String>,
    pub marker: String,
    pub markers: Markers,
    pub advice: String,
    /// The rules in force, in table order.
    pub rules: Vec<Rule>,
    /// Those that it takes out, whatever the command line selects.
    ignored: Vec<Rule>,
    /// Whether shapes that start no process are dropped.
    pub precise: bool,
    pub baseline: Baseline,
    pub origin: Origin,
}

/// What counts as a marker, and for what.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Markers {
    /// Its text, wherever it stands: for the hits on its line and on the next.
    #[default]
    Reference,
    /// A comment: for the hits of the statement that it is in, or directly above.
    Statement,
}

/// Where a policy was read.
#[derive(Debug)]
pub struct Origin {
    /// As it is shown to people: `Cargo.toml`, or `built-in default`.
    pub name: String,
    /// The header of the baseline's table there.
    pub baseline_header: String,
    /// None of the built-in policy.
    pub file: Option<PolicyFile>,
}

/// The file that a policy was read from.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    pub path: Utf8PathBuf,
    /// As it was when it was read.
    pub text: String,
}

impl PolicyFile {
    /// What lines and columns are told by: a byte order mark is no part of them.
    pub fn body(&self) -> &str {
        self.text.strip_prefix('\u{feff}').unwrap_or(&self.text)
    }
}

impl Origin {
    /// The baseline that would be read if the file held this text.
    pub fn baseline_in(&self, text: &str) -> Result<Baseline> {
        let manifest = Manifest { path: None, name: self.name.clone(), text: text.to_owned() };
        Ok(Policy::in_file(&manifest)?.baseline)
    }
}

impl Policy {
    /// The functions whose call is a hit; none if that rule is not in force.
    pub fn helpers(&self) -> &[String] {
        if self.rules.contains(&Rule::DetachHelper) { &self.detach_helpers } else { &[] }
    }

    /// The names without which no shape can be written.
    pub fn needles(&self) -> impl Iterator<Item = &str> {
        let words = self.rules.iter().flat_map(|rule| rule.needles()).copied();
        words.chain(self.helpers().iter().map(String::as_str))
    }

    /// Whether a rule is in force that finds something without others.
    fn finds_anything(&self) -> bool {
        self.rules.iter().any(|rule| match rule {
            Rule::Unparsable => false,
            Rule::DetachHelper => !self.detach_helpers.is_empty(),
            _ => true,
        })
    }

    /// Obeys the command line: what it selects replaces the policy's choice, what it ignores is ignored beside the
    /// policy's. An empty list says nothing.
    pub fn choose(&mut self, select: &[String], ignore: &[String]) -> Result<()> {
        let rules = |names: &[String], option: &str| -> Result<Vec<Rule>> {
            let rules = names.iter().map(|name| rule::chosen(name)).collect::<Result<Vec<_>, _>>();
            Ok(rules.map_err(|what| anyhow!("{option}: {what}"))?.concat())
        };
        let selected = if select.is_empty() { self.rules.clone() } else { rules(select, "--select")? };
        self.ignored.extend(rules(ignore, "--ignore")?);
        self.rules = in_force(&selected, &self.ignored);
        if !self.finds_anything() {
            bail!("--select, --ignore and the policy ({}): {IDLE}", self.origin.name);
        }
        Ok(())
    }

    /// The policy in `config` if given, else in the manifests of `root`, else the built-in one.
    pub fn load(root: &Utf8Path, config: Option<&Utf8Path>) -> Result<Policy> {
        let manifests = match config {
            Some(path) => {
                let missing = || format!("cannot read the policy file {}: no such file; correct --config", shown(path));
                vec![Manifest::read(path, path.as_str())?.with_context(missing)?]
            }
            None => Manifest::of_root(root)?,
        };
        Policy::among(&manifests, config.is_some())
    }

    /// The policy that stands where there is none.
    pub fn built_in() -> Result<Policy> {
        Policy::built_in_for(PYPROJECT_TABLE)
    }

    /// [`Policy::built_in`], with the header that belongs to this table.
    fn built_in_for(table: &str) -> Result<Policy> {
        RawPolicy::default().prove(&Manifest::built_in(), Some(table))
    }

    /// The policy in a file that is a policy file whatever is in it.
    pub(super) fn in_file(manifest: &Manifest) -> Result<Policy> {
        Policy::among(std::slice::from_ref(manifest), true)
    }

    /// The policy in one of these; `named` tells whether the only one is a policy file whatever is in it.
    fn among(manifests: &[Manifest], named: bool) -> Result<Policy> {
        let mut tables = Vec::new();
        for manifest in manifests {
            tables.extend(manifest.tables()?.into_iter().map(|(raw, table)| (manifest, raw, table)));
        }
        if tables.len() > 1 {
            let names: Vec<String> =
                tables.iter().map(|(manifest, _, table)| format!("[{table}] in {}", manifest.name)).collect();
            bail!("two policies: {}; keep one of them", names.join(" and "));
        }
        if let Some((manifest, raw, table)) = tables.pop() {
            return raw.prove(manifest, Some(table));
        }
        match manifests {
            [manifest] if named => parse::<RawPolicy>(&manifest.text, &manifest.name)?.prove(manifest, None),
            found => Policy::built_in_for(manifest::home(found).map_or(PYPROJECT_TABLE, |(_, table)| table)),
        }
    }
}

#[derive(serde::Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
struct RawPolicy {
    include: Option<Vec<Spanned<String>>>,
    exclude: Option<Vec<Spanned<String>>>,
    detach_helpers: Option<Vec<Spanned<String>>>,
    marker: Option<Spanned<String>>,
    markers: Option<Markers>,
    advice: Option<String>,
    select: Option<Spanned<Vec<Spanned<String>>>>,
    ignore: Option<Spanned<Vec<Spanned<String>>>>,
    precise: Option<bool>,
    baseline: Option<BTreeMap<String, RawEntry>>,
}

/// An entry of the baseline.
struct RawEntry(Entry);

impl<'de> Deserialize<'de> for RawEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawEntry, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Entry;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("a count, 0 or more, or a table of counts by function")
            }

            fn visit_i64<E: de::Error>(self, count: i64) -> Result<Entry, E> {
                let proved = u32::try_from(count).map_err(|_| E::invalid_value(Unexpected::Signed(count), &self))?;
                Ok(Entry::File(proved as usize))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Entry, A::Error> {
                let counts: BTreeMap<String, u32> = Deserialize::deserialize(MapAccessDeserializer::new(table))?;
                Ok(Entry::Functions(counts.into_iter().map(|(function, count)| (function, count as usize)).collect()))
            }
        }
        deserializer.deserialize_any(Reader).map(RawEntry)
    }
}

/// The text that a policy stands in, for messages.
struct Place<'t> {
    text: &'t str,
    name: &'t str,
}

impl Place<'_> {
    fn error(&self, span: Range<usize>, key: &str, what: &str) -> anyhow::Error {
        anyhow!("bad policy in {}:{}: key `{key}`: {what}", self.name, line_of(self.text, span.start))
    }
}

impl RawPolicy {
    /// `table` is None where the keys are at the top level of the file.
    fn prove(self, manifest: &Manifest, table: Option<&str>) -> Result<Policy> {
        let Manifest { path, name, text } = manifest;
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
        let selected = match &self.select {
            None => Rule::ALL.into_iter().filter(|rule| rule.group() == Group::Default).collect(),
            Some(names) => rules(names.get_ref(), "select", &place)?,
        };
        let ignored = match &self.ignore {
            None => Vec::new(),
            Some(names) => rules(names.get_ref(), "ignore", &place)?,
        };
        let policy = Policy {
            include,
            exclude: globs(&exclude, &place)?,
            detach_helpers,
            marker,
            markers: self.markers.unwrap_or_default(),
            advice: self.advice.unwrap_or_else(|| DEFAULT_ADVICE.to_owned()),
            rules: in_force(&selected, &ignored),
            ignored,
            precise: self.precise.unwrap_or_default(),
            baseline: self.baseline.unwrap_or_default().into_iter().map(|(path, entry)| (path, entry.0)).collect(),
            origin: Origin {
                name: name.clone(),
                baseline_header: table.map_or("baseline".to_owned(), |table| format!("{table}.baseline")),
                file: path.clone().map(|path| PolicyFile { path, text: text.clone() }),
            },
        };
        if !policy.finds_anything() {
            let (key, names) = if self.ignore.is_some() { ("ignore", self.ignore) } else { ("select", self.select) };
            return Err(place.error(names.map_or(0..0, |names| names.span()), key, IDLE));
        }
        Ok(policy)
    }
}

fn globs(patterns: &[Spanned<String>], place: &Place) -> Result<Globs> {
    let mut globs = GlobsBuilder::default();
    for pattern in patterns {
        let add = globs.add(pattern.get_ref());
        add.map_err(|fault| place.error(pattern.span(), "exclude", &describe(&fault)))?;
    }
    globs.build().map_err(|err| anyhow!("bad policy in {}: key `exclude`: {err}; use fewer globs", place.name))
}

/// What is wrong with a pattern of `exclude`.
pub(super) fn describe(fault: &Fault) -> String {
    match fault {
        Fault::Empty => "an empty pattern excludes nothing".to_owned(),
        Fault::Syntax(text, why) => format!("bad glob {:?}: {why}", cut(text)),
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
    if entry.get_ref().contains('\0') {
        return Err(place.error(entry.span(), "include", "no path holds a NUL"));
    }
    if entry.get_ref().is_empty() {
        return Err(place.error(entry.span(), "include", "an empty path names nothing; `.` is the root"));
    }
    Ok(if path.as_str().is_empty() { Utf8PathBuf::from(".") } else { path })
}

fn rules(names: &[Spanned<String>], key: &str, place: &Place) -> Result<Vec<Rule>> {
    let mut chosen = Vec::new();
    for name in names {
        chosen.extend(rule::chosen(name.get_ref()).map_err(|what| place.error(name.span(), key, &what))?);
    }
    Ok(chosen)
}

fn in_force(selected: &[Rule], ignored: &[Rule]) -> Vec<Rule> {
    Rule::ALL.into_iter().filter(|rule| selected.contains(rule) && !ignored.contains(rule)).collect()
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}
