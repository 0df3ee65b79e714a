//! What the first policy says, and its text. Data in, data out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use camino::Utf8Path;
use toml::{Table, Value};

use super::super::baseline::{Baseline, Entry};
use super::super::policy::{DEFAULT_EXCLUDE, DEFAULT_MARKER, describe};
use super::super::program;
use super::super::report::plural;
use crate::globs::{Globs, GlobsBuilder};
use crate::output::{printable_path, printable_toml};

/// What tests are called, beside the default patterns.
const TESTS: [&str; 4] = ["test", "testing", "conftest.py", "*_test.py"];

/// Where the code of others is kept.
const OTHERS: [&str; 7] = ["third_party", "third-party", "vendor", "vendored", "_vendor", "site-packages", ".venv"];

/// So many folders are named in the comment at `include`.
const NAMED: usize = 8;

/// Columns of the text, as far as it is made here.
const WIDTH: usize = 110;

pub(super) struct Proposal {
    exclude: Vec<Excluded>,
    /// Python files that are not excluded, by the folder of the root that they are in; "" is the root itself.
    trees: BTreeMap<String, usize>,
    /// How many these are.
    pub(super) files: usize,
    select: Vec<String>,
    ignore: Vec<String>,
}

struct Excluded {
    pattern: String,
    globs: Globs,
    /// Whether it is one of the default, or asked for.
    always: bool,
    /// Python files that it matches, and no pattern before it.
    files: usize,
    /// The folders that it matches and that these are in, or the files themselves.
    places: BTreeSet<String>,
}

impl Proposal {
    /// What suits the Python files that git tracks. Of the usual patterns those are excluded that match one, beside the
    /// default ones and those that are asked for.
    pub(super) fn new(
        tracked: &BTreeSet<String>,
        exclude: &[String],
        select: &[String],
        ignore: &[String],
    ) -> Result<Proposal> {
        let always = DEFAULT_EXCLUDE.into_iter().chain(exclude.iter().map(String::as_str));
        let always = always.map(|pattern| (pattern, true));
        let usual = TESTS.into_iter().chain(OTHERS).map(|pattern| (pattern, false));
        let mut any = GlobsBuilder::default();
        let mut patterns: Vec<Excluded> = Vec::new();
        for (pattern, always) in always.chain(usual) {
            if patterns.iter().any(|other| other.pattern == pattern) {
                continue;
            }
            let mut one = GlobsBuilder::default();
            for globs in [&mut any, &mut one] {
                globs.add(pattern).map_err(|fault| anyhow!("--exclude: {}", describe(&fault)))?;
            }
            let (pattern, globs) = (pattern.to_owned(), build(one)?);
            patterns.push(Excluded { pattern, globs, always, files: 0, places: BTreeSet::new() });
        }
        let any = build(any)?;
        let mut trees: BTreeMap<String, usize> = BTreeMap::new();
        for path in tracked.iter().map(Utf8Path::new) {
            // Most files match none, and there may be many.
            let excluded = any.matches(path).then(|| patterns.iter_mut().find(|one| one.globs.matches(path)));
            match excluded.flatten() {
                Some(excluded) => excluded.take(path),
                None => {
                    let folder = path.as_str().split_once('/').map_or("", |(folder, _)| folder);
                    *trees.entry(folder.to_owned()).or_default() += 1;
                }
            }
        }
        patterns.retain(|excluded| excluded.always || excluded.files > 0);
        let select = if select.is_empty() { vec!["all".to_owned()] } else { select.to_vec() };
        Ok(Proposal { exclude: patterns, files: trees.values().sum(), trees, select, ignore: ignore.to_vec() })
    }

    /// How many files are excluded.
    pub(super) fn left_out(&self) -> usize {
        self.exclude.iter().map(|excluded| excluded.files).sum()
    }

    /// Where the files are, in words.
    pub(super) fn trees(&self) -> String {
        let at_top = self.trees.contains_key("");
        match self.trees.len() - usize::from(at_top) {
            0 => "the root".to_owned(),
            folders => {
                let (n, noun) = plural(folders, "folder", "folders");
                format!("{n} {noun}{}", if at_top { " and the root itself" } else { "" })
            }
        }
    }

    /// The text of the policy: with this header, or with its keys at the top level. Its baseline is empty.
    pub(super) fn text(&self, header: Option<&str>) -> String {
        let ours = program::called();
        let exclude: String = self.exclude.iter().map(Excluded::line).collect();
        let opening = header.map_or("\n".to_owned(), |header| format!("[{header}]\n"));
        let baseline = header.map(|header| format!("{header}.")).unwrap_or_default();
        let include = comment(&format!(
            "Folders and files to check, of what git tracks. \".\" is all of it, so that nothing new goes unchecked. When \
             this was written: {}.",
            self.largest_trees()
        ));
        let (select, ignore) = (list(&self.select), list(&self.ignore));
        let marker = printable_toml(DEFAULT_MARKER);
        format!(
            "\
# What lint-spawns checks: Python that starts a child process which can outlive its owner.
# A key that is left out has its default; `{ours} --help` tells how to run the check.
{opening}{include}\
include = [\".\"]

# What is left out of that. A pattern without a `/` is the name of a folder or file anywhere, one with a `/` is a path
# from the root. Behind each is how many Python files it left out when this was written, and where.
exclude = [
{exclude}\
]

# Rules and groups (default, extended, all) to look for, and those to take out of them; all rules are listed by
# `{ours} rule`.
select = {select}
ignore = {ignore}

# Whether to drop what looks like a hit and starts no process.
precise = true

# A comment with this text, a dash and a reason accepts the hits of the statement that it is in, or directly above.
# By \"reference\" it counts in a string as well, and for the hits on its own line and the next.
marker = {marker}
markers = \"statement\"

# Functions that return arguments which detach: a call of one is a hit.
detach-helpers = []

# What the report tells people to do instead. Name your own helper, and remove the `#`.
# advice = \"start it with our.processes.spawn_owned.\"

# Hits that are tolerated until they are mended or marked, counted by function. `{ours} baseline prune`
# lowers the counts to what is left.
[{baseline}baseline]
"
        )
    }

    /// What a reader of the text must find, with this baseline in it.
    pub(super) fn meant(&self, baseline: &Baseline) -> Table {
        let strings = |all: &[String]| Value::from(all.to_vec());
        let counts = baseline.iter().map(|(path, entry)| {
            let count = |count: usize| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
            let entry = match entry {
                Entry::File(total) => count(*total),
                Entry::Functions(counts) => {
                    Value::Table(counts.iter().map(|(function, n)| (function.clone(), count(*n))).collect())
                }
            };
            (path.clone(), entry)
        });
        let exclude: Vec<String> = self.exclude.iter().map(|excluded| excluded.pattern.clone()).collect();
        let keys = [
            ("include", strings(&[".".to_owned()])),
            ("exclude", strings(&exclude)),
            ("select", strings(&self.select)),
            ("ignore", strings(&self.ignore)),
            ("precise", true.into()),
            ("marker", DEFAULT_MARKER.into()),
            ("markers", "statement".into()),
            ("detach-helpers", strings(&[])),
            ("baseline", Value::Table(counts.collect())),
        ];
        keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    /// The folders with the most files by name, then the others by number.
    fn largest_trees(&self) -> String {
        let (n, noun) = plural(self.files, "Python file", "Python files");
        let mut folders: Vec<(&String, &usize)> = self.trees.iter().filter(|(folder, _)| !folder.is_empty()).collect();
        folders.sort_by_key(|(_, files)| std::cmp::Reverse(**files));
        let named = folders.iter().take(NAMED).map(|(folder, files)| format!("{} ({files})", printable_path(folder)));
        let mut parts: Vec<String> = named.collect();
        if folders.len() > NAMED {
            let (n, noun) = plural(folders.len() - NAMED, "more folder", "more folders");
            parts.push(format!("{n} {noun}"));
        }
        if let Some(files) = self.trees.get("") {
            parts.push(format!("the root itself ({files})"));
        }
        format!("{n} {noun}, in {}", parts.join(", "))
    }
}

impl Excluded {
    fn take(&mut self, path: &Utf8Path) {
        self.files += 1;
        let place = path.ancestors().filter(|folder| self.globs.matches_itself(folder)).last();
        self.places.extend(place.map(|place| place.as_str().to_owned()));
    }

    /// An item of a TOML array, on a line of its own.
    fn line(&self) -> String {
        let mut line = format!("    {},", printable_toml(&self.pattern));
        // As many places as there is room for, but one.
        for (at, place) in self.places.iter().map(|place| printable_path(place)).enumerate() {
            if at == 0 {
                line += &format!("  # {}: {place}", self.files);
            } else if line.chars().count() + 2 + place.chars().count() <= WIDTH {
                line += &format!(", {place}");
            } else {
                line += &format!(", {} more", self.places.len() - at);
                break;
            }
        }
        line + "\n"
    }
}

fn build(globs: GlobsBuilder) -> Result<Globs> {
    globs.build().map_err(|err| anyhow!("--exclude: {err}; use fewer globs"))
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| printable_toml(name)).collect();
    format!("[{}]", names.join(", "))
}

/// Lines of a comment.
fn comment(text: &str) -> String {
    let mut lines = vec!["#".to_owned()];
    for word in text.split(' ') {
        if let Some(line) = lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= WIDTH) {
            *line += &format!(" {word}");
        } else {
            lines.push(format!("# {word}"));
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
