//! `lint-spawns stat`: how much is left to burn down, and where.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;
use xshell::Shell;

use super::rule::Rule;
use super::run::{Files, Run, Wanted};
use super::verdict::{self, Status, Verdict};
use crate::flags::{self, ListFormat};
use crate::output::printable_path;
use crate::{Outcome, output};

/// Hits by what they count as.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Counts {
    unmarked: usize,
    tolerated: usize,
    marked: usize,
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    root: &'a str,
    files: usize,
    rows: Vec<Row<'a>>,
    total: Counts,
    errors: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    folder: &'a str,
    rule: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

/// Prints the counts of all that the policy includes.
pub fn run(flags: &flags::Stat) -> Result<Outcome> {
    let sh = Shell::new()?;
    let run = Run::new(&sh, &flags.scope, Files::Included, Wanted::default())?;
    let verdict = verdict::judge(&run.files, &run.policy.baseline, false);
    let (rows, total) = count(&verdict);
    let text = match flags.format {
        ListFormat::Text if run.files.is_empty() => String::new(),
        ListFormat::Text => table(&rows, total),
        ListFormat::Json => {
            let (root, files, errors) = (run.root.as_str(), run.files.len(), &run.errors);
            output::json(&Report { version: 1, root, files, rows, total, errors })?
        }
    };
    output::print(&text)?;
    Ok(if run.errors.is_empty() { Outcome::Clean } else { Outcome::Failed })
}

fn count<'a>(verdict: &Verdict<'a>) -> (Vec<Row<'a>>, Counts) {
    let mut rows: BTreeMap<(&str, Rule), Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for judged in &verdict.hits {
        let Some(&rule) = judged.hit.rules.first() else { continue };
        let column = |counts: &mut Counts| match judged.status {
            Status::Problem => counts.unmarked += 1,
            Status::Tolerated => counts.tolerated += 1,
            Status::Marked => counts.marked += 1,
            Status::Dropped => {}
        };
        if judged.status != Status::Dropped {
            column(rows.entry((folder(judged.path), rule)).or_default());
            column(&mut total);
        }
    }
    let rows = rows.into_iter().map(|((folder, rule), counts)| Row { folder, rule: rule.name(), counts });
    (rows.collect(), total)
}

/// The part of a path that names a folder of the root; `.` is the root, `/` is outside it.
fn folder(path: &str) -> &str {
    match path.split_once('/') {
        None => ".",
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
    }
}

fn table(rows: &[Row], total: Counts) -> String {
    let line = |folder: &str, rule: &str, counts: Counts| {
        let Counts { unmarked, tolerated, marked } = counts;
        [printable_path(folder), rule.to_owned(), unmarked.to_string(), tolerated.to_string(), marked.to_string()]
    };
    let mut lines = vec![["folder", "rule", "unmarked", "tolerated", "marked"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| line(row.folder, row.rule, row.counts)));
    lines.push(line("total", "", total));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2, 3, 4].map(width);
    let mut text = String::new();
    for [folder, rule, unmarked, tolerated, marked] in &lines {
        let [a, b, c, d, e] = widths;
        let _ = writeln!(text, "{folder:a$}  {rule:b$}  {unmarked:>c$}  {tolerated:>d$}  {marked:>e$}");
    }
    text
}
