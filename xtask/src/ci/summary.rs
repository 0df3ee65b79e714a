//! What has become of the steps: for people a table, for machines JSON.

use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use super::step::{Command, Step, joined};
use super::task::Ending;
use crate::output::{self, printable};

/// A step that was chosen.
pub struct Row<'s> {
    pub step: &'s Step,
    /// What was run of it, or would have been.
    pub commands: &'s [Command],
    pub verdict: Verdict,
    /// None if it was not run.
    pub time: Option<Duration>,
    /// What the verdict alone does not tell.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Passed,
    Failed,
    TimedOut,
    /// This program was asked to end.
    Interrupted,
    /// This machine lacks what the step needs.
    Skipped,
    /// With `--changed`: nothing that concerns it has changed.
    Unneeded,
    /// The run was over before.
    NotRun,
}

impl Verdict {
    const ALL: [Verdict; 7] = [
        Verdict::Passed,
        Verdict::Failed,
        Verdict::TimedOut,
        Verdict::Interrupted,
        Verdict::Skipped,
        Verdict::Unneeded,
        Verdict::NotRun,
    ];

    pub fn is_failure(self) -> bool {
        match self {
            Verdict::Failed | Verdict::TimedOut | Verdict::Interrupted => true,
            Verdict::Passed | Verdict::Skipped | Verdict::Unneeded | Verdict::NotRun => false,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::TimedOut => "TIMED OUT",
            Verdict::Interrupted => "INTERRUPTED",
            Verdict::Skipped => "skipped",
            Verdict::Unneeded => "unneeded",
            Verdict::NotRun => "not run",
        }
    }
}

/// What the end of a step's command means for it.
pub fn verdict(ending: &Ending, step: &Step) -> (Verdict, Option<String>) {
    match ending {
        Ending::Exited { code: 0, left: 0 } => (Verdict::Passed, None),
        Ending::Exited { code, left } => {
            let code = (*code != 0).then(|| format!("exit code {code}"));
            let left = match left {
                0 => None,
                1 => Some("it left a process running, which was ended".to_owned()),
                _ => Some(format!("it left {left} processes running, which were ended")),
            };
            let verdict = if code.is_none() { Verdict::Passed } else { Verdict::Failed };
            (verdict, Some(code.into_iter().chain(left).collect::<Vec<_>>().join("; ")))
        }
        Ending::Killed(signal) => (Verdict::Failed, Some(format!("killed by {signal}"))),
        Ending::Failed(why) => (Verdict::Failed, Some(why.clone())),
        Ending::TimedOut => {
            let limit = step.timeout.unwrap_or_default().as_secs_f64();
            (Verdict::TimedOut, Some(format!("ended after {limit} s, its timeout")))
        }
        Ending::Interrupted(signal) => (Verdict::Interrupted, Some(format!("by {signal}"))),
    }
}

/// What the steps came to, and how to run again, with these options, what has failed.
pub fn total(rows: &[Row], options: &str) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let counts = Verdict::ALL.map(|verdict| (verdict, count(verdict))).into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
    let time: Duration = rows.iter().filter_map(|row| row.time).sum();
    let mut text = format!("{} in {:.1} s\n", counts.join(", "), time.as_secs_f64());
    for row in rows.iter().filter(|row| row.verdict.is_failure()) {
        text += &format!("again: cargo xtask ci --only {}{options}\n", row.step.name);
    }
    text
}

/// One object.
pub fn json(rows: &[Row]) -> Result<String> {
    #[derive(Serialize)]
    struct Summary<'a> {
        version: u32,
        steps: Vec<StepSummary<'a>>,
    }
    #[derive(Serialize)]
    struct StepSummary<'a> {
        name: &'a str,
        command: String,
        status: Verdict,
        seconds: Option<f64>,
        reason: Option<&'a str>,
    }
    let milliseconds = |time: Duration| (time.as_secs_f64() * 1e3).round() / 1e3;
    let steps = rows.iter().map(|row| StepSummary {
        name: &row.step.name,
        command: joined(row.commands),
        status: row.verdict,
        seconds: row.time.map(milliseconds),
        reason: row.reason.as_deref(),
    });
    output::json(&Summary { version: 1, steps: steps.collect() })
}

impl<'s> Row<'s> {
    pub fn new(
        step: &'s Step,
        commands: &'s [Command],
        verdict: Verdict,
        time: Option<Duration>,
        reason: Option<String>,
    ) -> Row<'s> {
        Row { step, commands, verdict, time, reason }
    }

    /// A line of the table. `paint` colours the verdict.
    pub fn line(&self, name_width: usize, paint: impl Fn(Verdict, &str) -> String) -> String {
        let verdict = paint(self.verdict, &format!("{:<11}", self.verdict.name()));
        let time = self.time.map(|time| format!("{:.1} s", time.as_secs_f64())).unwrap_or_default();
        let reason = self.reason.as_deref().map(printable).unwrap_or_default();
        format!("{:name_width$}  {verdict} {time:>8}  {reason}", self.step.name).trim_end().to_owned() + "\n"
    }
}
