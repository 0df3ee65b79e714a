//! Runs one command and tells what it cost.
//!
//! The operating system adds up what the children of a process have cost, and of memory keeps the largest. A process that
//! has had one child only therefore knows all about it: this is the one, started anew for each run.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use camino::Utf8Path;

use crate::lint_spawns::git;
use crate::{Outcome, output};

/// What a run has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub wall: Duration,
    /// Of the command and of the children it waited for, in user and system mode. None where it is not known.
    pub cpu: Option<Duration>,
    /// Of the largest of these processes, in bytes. Never less than what this program takes, some megabytes: a process
    /// begins as a copy of the one that starts it.
    pub peak: Option<u64>,
}

/// The cost of a command that is run in `folder`, and its exit code. Only 0 and 1 are no errors: a search that finds
/// nothing and a check that finds something end with 1.
pub fn measure(command: &[String], folder: &Utf8Path) -> Result<(Cost, i32)> {
    let this = std::env::current_exe().context("cannot tell where this program is")?;
    let mut child = Command::new(this);
    git::forget_caller(&mut child);
    let output = child.args(["bench-child", "--"]).args(command).current_dir(folder).output()?;
    let line = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint: String = complaint.lines().take(5).map(|line| format!("\n{line}")).collect();
    match parse(&line) {
        Some((cost, Some(code @ (0 | 1)))) => Ok((cost, code)),
        Some((_, Some(code))) => bail!("it ends with exit code {code}{complaint}"),
        Some((_, None)) => bail!("it was killed{complaint}"),
        None => bail!("{}{complaint}", line.trim_end()),
    }
}

/// What [`measure`] lets a process of its own do. Prints one line: nanoseconds of wall time and of CPU time, bytes of
/// memory, exit code, `-` for what is not known; or what keeps the command from being run.
pub fn run(command: &[String]) -> Result<Outcome> {
    let (program, arguments) = command.split_first().context("no command")?;
    let begin = Instant::now();
    // Not the null device: grep stops at the first line it finds when it sees that nobody reads it.
    let child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(err) => {
            output::print(&format!("it cannot be run: {err}\n"))?;
            return Ok(Outcome::Failed);
        }
    };
    if let Some(mut stdout) = child.stdout.take() {
        io::copy(&mut stdout, &mut io::sink())?;
    }
    let status = child.wait()?;
    let wall = begin.elapsed();
    let (cpu, peak) = cost_of_children()?.unzip();
    let numbers = [
        Some(wall.as_nanos().to_string()),
        cpu.map(|cpu| cpu.as_nanos().to_string()),
        peak.map(|peak| peak.to_string()),
        status.code().map(|code| code.to_string()),
    ];
    output::print(&(numbers.map(|number| number.unwrap_or_else(|| "-".to_owned())).join(" ") + "\n"))?;
    Ok(Outcome::Clean)
}

fn parse(line: &str) -> Option<(Cost, Option<i32>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[wall, cpu, peak, code] = words.as_slice() else { return None };
    let wall = Duration::from_nanos(wall.parse().ok()?);
    let cost = Cost { wall, cpu: cpu.parse().ok().map(Duration::from_nanos), peak: peak.parse().ok() };
    Some((cost, code.parse().ok()))
}

/// CPU time and peak memory of the children that have ended.
#[cfg(unix)]
fn cost_of_children() -> Result<Option<(Duration, u64)>> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot tell what the command cost")?;
    let cpu = usage.user_time() + usage.system_time();
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    let peak = u64::try_from(usage.max_rss()).unwrap_or(0) * unit;
    Ok(Some((Duration::from_micros(cpu.num_microseconds().unsigned_abs()), peak)))
}

#[cfg(not(unix))]
fn cost_of_children() -> Result<Option<(Duration, u64)>> {
    Ok(None)
}
