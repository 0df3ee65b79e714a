//! What holds between the default rules, all rules and `precise` in any text, Python or not.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use xtask::lint_spawns::check::{Checker, Hit};
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::rule::{Group, Rule};

use super::detector;

/// The default rules, all rules, and all rules with `precise`.
pub(crate) fn policies() -> [Policy; 3] {
    let with = |rules: &[Rule], precise| {
        let mut policy = detector::policy();
        policy.rules = rules.to_vec();
        policy.precise = precise;
        policy
    };
    let default: Vec<Rule> = Group::Default.rules().collect();
    [with(&default, false), with(&Rule::ALL, false), with(&Rule::ALL, true)]
}

/// Checks everything in this module for `text`, which is decoded, by checkers that obey the [`policies`].
pub(crate) fn hold(checkers: [&Checker; 3], text: &str) -> Result<()> {
    let [default, all, precise] = checkers.map(|checker| checker.check(text.as_bytes()));
    for (checker, hits) in [(checkers[1], &all), (checkers[2], &precise)] {
        detector::hits_are_in_the_text(text, hits, is_sought)?;
        detector::nothing_follows_from_a_comment(checker, text, hits, "# (")?;
    }
    other_rules_change_nothing(&default, &all)?;
    precise_only_drops(&all, &precise)
}

fn is_sought(word: &str) -> bool {
    word == detector::HELPER
        || Rule::ALL.iter().any(|rule| rule.needles().contains(&word) || rule.sought().contains(&word))
}

/// Hits of the default rules are the same ones, be others in force or not. What cannot be parsed may hold a shape of
/// another rule.
fn other_rules_change_nothing(default: &[Hit], all: &[Hit]) -> Result<()> {
    ensure!(default.iter().chain(all).all(|hit| !hit.dropped), "a hit is dropped without `precise`");
    let (before, after) = (detector::pairs(default), detector::pairs(all));
    let lost: Vec<_> = before.iter().filter(|pair| !after.contains(pair)).collect();
    ensure!(lost.is_empty(), "{lost:?} is no hit if all rules are in force");
    let is_new = |(line, rule): &&(usize, Rule)| {
        rule.group() == Group::Default && *rule != Rule::Unparsable && !before.contains(&(*line, *rule))
    };
    let new: Vec<_> = after.iter().filter(is_new).collect();
    ensure!(new.is_empty(), "{new:?} is a hit if all rules are in force");
    Ok(())
}

/// With `precise` there is a hit on each line as before; those that are not dropped break no other rules than before.
fn precise_only_drops(all: &[Hit], precise: &[Hit]) -> Result<()> {
    let lines = |hits: &[Hit]| -> Vec<usize> { hits.iter().map(|hit| hit.line).collect() };
    ensure!(lines(all) == lines(precise), "on lines {:?}, but with `precise` on {:?}", lines(all), lines(precise));
    let before: BTreeMap<usize, &Hit> = all.iter().map(|hit| (hit.line, hit)).collect();
    for hit in precise {
        let whole = before[&hit.line];
        ensure!(
            if hit.dropped {
                hit.rules == whole.rules
            } else {
                hit.rules.iter().all(|rule| whole.rules.contains(rule))
            },
            "line {} breaks {:?}, with `precise` {:?}",
            hit.line,
            whole.rules,
            hit.rules
        );
    }
    Ok(())
}
