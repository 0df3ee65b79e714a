//! What people see of a run: a line per step, on a terminal with the time so far, and what a step prints where it fails.
//!
//! What a step prints is other people's: none of it may pass for a command to GitHub, move the cursor, or hide.

use std::io::{self, IsTerminal as _};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::Result;
use regex::Regex;

use super::plan::{Decision, Planned};
use super::step::{Command, Step, joined};
use super::summary::{self, Row, Verdict};
use crate::flags::Ci;
use crate::output::{self, printable, printable_path};

/// How often the time so far is written anew.
const PAUSE: Duration = Duration::from_millis(100);

pub struct Screen {
    /// The result is JSON; all else goes to standard error.
    json: bool,
    verbose: bool,
    /// GitHub keeps the log: all is there to be unfolded.
    folds: bool,
    colour: bool,
    /// Whether the time so far is shown.
    live: bool,
    /// Without these the commands to run a step again would do something else.
    options: String,
    name_width: usize,
    /// How many steps are run, and how many have begun.
    steps: usize,
    begun: usize,
    /// Of the step that runs.
    name: String,
    shown: Option<Instant>,
    printed: Vec<u8>,
    /// How much of it is on the screen.
    streamed: usize,
    /// Whether something stands between the lines of the table.
    torn: bool,
}

impl Screen {
    pub fn new(flags: &Ci, plan: &[Planned]) -> Screen {
        let is_terminal = if flags.json { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
        let folds = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let options = [(flags.strict, " --strict"), (flags.fix, " --fix")].into_iter();
        let chosen = plan.iter().filter(|planned| !matches!(planned.decision, Decision::LeaveOut(_)));
        Screen {
            json: flags.json,
            verbose: flags.verbose,
            folds,
            colour: flags.color.is_wanted(is_terminal),
            live: io::stderr().is_terminal() && !output::is_dumb() && !flags.verbose,
            options: options.filter(|(given, _)| *given).map(|(_, option)| option).collect(),
            name_width: chosen.map(|planned| planned.step.name.len()).max().unwrap_or(0),
            steps: plan.iter().filter(|planned| matches!(planned.decision, Decision::Run(_))).count(),
            begun: 0,
            name: String::new(),
            shown: None,
            printed: Vec::new(),
            streamed: 0,
            torn: false,
        }
    }

    /// What makes programs print in colours though it is to a pipe, where we do.
    pub fn variables(&self) -> Vec<(String, String)> {
        let variables =
            [("CARGO_TERM_COLOR", "always"), ("CLICOLOR_FORCE", "1"), ("FORCE_COLOR", "1"), ("PY_COLORS", "1")];
        let variables = variables.into_iter().filter(|_| self.colour);
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    pub fn begin(&mut self, step: &Step, commands: &[Command]) -> Result<()> {
        self.begun += 1;
        self.name.clone_from(&step.name);
        self.printed.clear();
        self.streamed = 0;
        self.shown = None;
        if self.streams() {
            self.torn = true;
            self.say(&heading(step, commands))?;
        }
        self.watch(&[], Duration::ZERO);
        Ok(())
    }

    /// Takes what the step prints, and shows how long it has taken.
    pub fn watch(&mut self, chunk: &[u8], time: Duration) {
        self.printed.extend_from_slice(chunk);
        if self.streams() {
            let unseen = self.printed.get(self.streamed..).unwrap_or_default();
            if let Some(end) = memchr::memrchr(b'\n', unseen) {
                let text = self.presentable(unseen.get(..=end).unwrap_or_default());
                self.streamed += end + 1;
                // The step goes on, whether somebody looks or not; the result tells what could not be written.
                let _ = self.say(&text);
            }
        }
        if self.live && self.shown.is_none_or(|shown| shown.elapsed() >= PAUSE) {
            self.shown = Some(Instant::now());
            let (begun, steps, name) = (self.begun, self.steps, &self.name);
            output::report_progress(&format!("\r[{begun}/{steps}] {name} {:.1} s\x1b[K", time.as_secs_f64()));
        }
    }

    /// Tells what has become of a step.
    pub fn finish(&mut self, row: &Row) -> Result<()> {
        if self.live && row.time.is_some() {
            output::report_progress("\r\x1b[K");
        }
        let failed = row.verdict.is_failure();
        let mut text = String::new();
        if row.time.is_some() {
            let unseen = self.presentable(self.printed.get(self.streamed..).unwrap_or_default());
            if self.streams() {
                text += &unseen;
            } else if self.folds && !failed {
                text += &format!("::group::{}: {}\n", row.step.name, joined(row.commands));
                text += &unseen;
                text += "::endgroup::\n";
                self.torn = true;
            } else if failed {
                // Nobody wants to unfold the one thing that matters.
                text += &heading(row.step, row.commands);
                text += &unseen;
                self.torn = true;
            }
        }
        text += &self.line(row);
        if self.folds && failed {
            let (name, verdict, options) = (&row.step.name, row.verdict.name(), &self.options);
            let reason = row.reason.as_deref().map(printable).unwrap_or_default().replace('%', "%25");
            text +=
                &format!("::error title={name} {verdict}::{reason}; again: cargo xtask ci --only {name}{options}\n");
        }
        self.say(&text)
    }

    /// The table as a whole, unless it stands there already, and what it comes to.
    pub fn end(&self, rows: &[Row]) -> Result<()> {
        let mut text = String::new();
        if self.torn {
            text += "\n";
            text.extend(rows.iter().map(|row| self.line(row)));
        }
        self.say(&(text + &summary::total(rows, &self.options)))?;
        if self.json {
            output::print(&summary::json(rows)?)?;
        }
        Ok(())
    }

    /// Whether what a step prints is shown as it comes. What is folded has to wait for its end.
    fn streams(&self) -> bool {
        self.verbose && !self.folds
    }

    fn say(&self, text: &str) -> Result<()> {
        if self.json {
            output::report_progress(text);
            return Ok(());
        }
        output::print(text)
    }

    fn line(&self, row: &Row) -> String {
        row.line(self.name_width, |verdict, text| {
            let colour = match verdict {
                Verdict::Passed => "32",
                Verdict::Failed | Verdict::TimedOut | Verdict::Interrupted => "1;31",
                Verdict::Skipped | Verdict::NotRun => "33",
                Verdict::Unneeded => "2",
            };
            if self.colour { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.to_owned() }
        })
    }

    /// What a step has printed, in whole lines. Of its escape sequences only colours are let through, and these only
    /// where we use some ourselves.
    fn presentable(&self, printed: &[u8]) -> String {
        static COLOURS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("\x1b\\[[0-9;:]*m").ok());
        let printed = String::from_utf8_lossy(printed);
        let mut text = String::new();
        let mut is_coloured = false;
        for line in printed.lines() {
            let mut end = 0;
            let bare = COLOURS.as_ref().map_or(line.into(), |colours| colours.replace_all(line, ""));
            // GitHub looks for commands behind white space, and may be blind to colours.
            let is_command = bare.trim_start().starts_with("::");
            let safe = if is_command { printable_path } else { printable };
            for colour in
                COLOURS.iter().flat_map(|colours| colours.find_iter(line)).filter(|_| self.colour && !is_command)
            {
                text += &safe(line.get(end..colour.start()).unwrap_or_default());
                text += colour.as_str();
                end = colour.end();
                is_coloured = true;
            }
            text += &if end == 0 { safe(&bare) } else { safe(line.get(end..).unwrap_or_default()) };
            text += "\n";
        }
        if is_coloured {
            text += "\x1b[0m";
        }
        text
    }
}

fn heading(step: &Step, commands: &[Command]) -> String {
    format!("==> {}: {}\n", step.name, joined(commands))
}
