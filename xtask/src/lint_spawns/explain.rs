//! `lint-spawns rule`: what people are told of the rules, on a terminal.

use std::fmt::Write as _;

use anyhow::{Error, Result};

use super::program;
use super::rule::{Group, Rule};
use crate::{Outcome, flags, output};

/// Prints the text of a rule, or the list of all.
pub fn run(flags: &flags::Rule) -> Result<Outcome> {
    let text = match &flags.name {
        Some(name) => explain(Rule::named(name).map_err(Error::msg)?),
        None => list(),
    };
    output::print(&text)?;
    Ok(Outcome::Clean)
}

fn list() -> String {
    let width = Rule::ALL.into_iter().map(|rule| rule.name().len()).max().unwrap_or_default();
    let mut text = String::new();
    for group in Group::ALL {
        let in_force = match group {
            Group::Default => "in force where the policy does not `select`",
            Group::Extended => "in force where the policy's `select` names the group or the rule",
        };
        let _ = writeln!(text, "{}: {in_force}", group.name());
        for rule in group.rules() {
            let _ = writeln!(text, "  {:width$}  {}", rule.name(), rule.flagged());
        }
        text.push('\n');
    }
    text + &format!("`all` names both groups; `{} rule NAME` explains a rule.\n", program::called())
}

/// The Markdown of a rule without its marks. Its lines are short enough for any terminal.
pub(super) fn explain(rule: Rule) -> String {
    let (name, group) = (rule.name(), rule.group().name());
    let mut text = format!("{name} ({group})\n\n");
    let mut code = false;
    for line in rule.text().lines() {
        if line.starts_with("```") {
            code = !code;
        } else if code && !line.is_empty() {
            let _ = writeln!(text, "    {line}");
        } else if let Some(heading) = line.strip_prefix("## ") {
            let _ = writeln!(text, "{}", heading.to_uppercase());
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    let policy = match rule.group() {
        Group::Default => format!("The rule is off with this in the policy:\n\n    ignore = [\"{name}\"]"),
        Group::Extended => format!("It takes this in the policy:\n\n    select = [\"default\", \"{name}\"]"),
    };
    let _ = writeln!(
        text,
        "\nA marker needs a reason, and stands on the printed line or on the line above it.\n\nPOLICY\n\n{policy}"
    );
    text
}
