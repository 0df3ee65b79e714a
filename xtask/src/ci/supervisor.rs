//! Starts a step's command, and sees to it that nothing of it is left: a process of its own, for it has to outlive
//! `cargo xtask ci` where that is killed.
//!
//! Its standard input is one end of a pair of sockets. It reports there; when nothing more can be read there, because the
//! runner has closed its end or is dead, the command is ended, and all that it has started: SIGTERM, a moment of grace,
//! SIGKILL. Neither of the two has to trust the other's last breath, and none of it takes unsafe code, as
//! PR_SET_PDEATHSIG in a child would; that would reach the first process only anyway.

use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, setsid};
use serde::{Deserialize, Serialize};

use super::signals;
use super::task::Ending;
use crate::Outcome;
use crate::flags::CiSupervisor;

/// Between SIGTERM and SIGKILL: enough to remove a file, too little to be waited for.
const GRACE: Duration = Duration::from_secs(1);

/// In which what a command has started may end after it, as the parts of a pipe do.
const LINGER: Duration = Duration::from_millis(200);

/// How often we look.
const TICK: Duration = Duration::from_millis(5);

/// In which what was killed has to be gone; what the kernel holds may stay longer.
const DEATH: Duration = Duration::from_secs(5);

/// What the runner is told, each in a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The command runs, in this process group.
    Group(i32),
    /// It has ended, and what was to be ended with it.
    Ended(Ending),
}

enum Event {
    /// The command has ended.
    Ended(Ending),
    /// It has had its time.
    TimedOut,
    /// The runner wants it to end, or is no more.
    End,
}

/// Runs the command until it ends or has to.
pub fn run(flags: &CiSupervisor) -> Result<Outcome> {
    let mut lifeline = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Ctrl-C and the end of the terminal are for the runner to pass on: were we hit by them, nobody would end the group.
    // And what asks for a password at the terminal fails without one, where a background group would be stopped for ever.
    setsid().context("cannot begin a session")?;
    signals::unblock()?;
    // What the command starts and leaves is handed to us instead of to init, so that we know of it.
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).context("cannot become the heir of processes")?;
    let (program, arguments) = flags.command.split_first().context("no command")?;
    let child = match Command::new(program).args(arguments).stdin(Stdio::null()).process_group(0).spawn() {
        Ok(child) => child,
        Err(err) => {
            report(&mut lifeline, &Report::Ended(Ending::Failed(format!("cannot run {program}: {err}"))));
            return Ok(Outcome::Clean);
        }
    };
    let group = Pid::from_raw(i32::try_from(child.id()).context("a process id out of range")?);
    report(&mut lifeline, &Report::Group(group.as_raw()));
    let (sender, events) = mpsc::channel();
    let (reaper, mut watched) = (sender.clone(), lifeline.try_clone()?);
    std::thread::spawn(move || reap(group, &reaper));
    std::thread::spawn(move || {
        // Nothing is ever sent: this returns at the end.
        let _ = watched.read(&mut [0]);
        let _ = sender.send(Event::End);
    });
    // That the time is kept here keeps it also while the runner is stopped, or waits for its terminal.
    let event = match flags.limit {
        Some(limit) => events.recv_timeout(Duration::from_millis(limit)).or_else(|err| match err {
            RecvTimeoutError::Timeout => Ok(Event::TimedOut),
            RecvTimeoutError::Disconnected => Err(err),
        })?,
        None => events.recv()?,
    };
    let ending = match event {
        Event::Ended(ending) => {
            // What has gone to a session of its own meanwhile is a daemon, as those of compilers' caches; it was meant.
            let deadline = Instant::now() + LINGER;
            while Instant::now() < deadline && !members(group).is_empty() {
                std::thread::sleep(TICK);
            }
            let left = end(group, || members(group));
            match ending {
                Ending::Exited { code, .. } => Ending::Exited { code, left },
                ending => ending,
            }
        }
        // Nothing was meant to outlive this.
        Event::TimedOut => {
            end(group, || everything(group));
            Ending::TimedOut
        }
        Event::End => {
            end(group, || everything(group));
            Ending::Failed("it was ended".to_owned())
        }
    };
    report(&mut lifeline, &Report::Ended(ending));
    Ok(Outcome::Clean)
}

/// To a runner that may be dead.
fn report(lifeline: &mut UnixStream, report: &Report) {
    if let Ok(line) = serde_json::to_string(report) {
        let _ = lifeline.write_all((line + "\n").as_bytes());
    }
}

/// Waits for every child, our own and those that we inherit.
fn reap(command: Pid, sender: &Sender<Event>) {
    loop {
        let ending = match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == command => Ending::Exited { code, left: 0 },
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == command => Ending::Killed(signal.as_str().to_owned()),
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => return,
        };
        let _ = sender.send(Event::Ended(ending));
    }
}

/// Ends processes, again and again until none is left: they may start others meanwhile. Returns how many there were.
fn end(group: Pid, processes: impl Fn() -> Vec<Process>) -> usize {
    let found = processes().len();
    let (grace, death) = (Instant::now() + GRACE, Instant::now() + GRACE + DEATH);
    let mut signal = Some(Signal::SIGTERM);
    loop {
        let left = processes();
        if left.is_empty() || Instant::now() >= death {
            return found;
        }
        if Instant::now() >= grace {
            signal = Some(Signal::SIGKILL);
        }
        if let Some(signal) = signal.take() {
            // At once, for one that is left could start others.
            if left.iter().any(|process| process.group == group) {
                let _ = killpg(group, signal);
            }
            for process in left.iter().filter(|process| process.group != group) {
                let _ = kill(process.pid, signal);
            }
        }
        std::thread::sleep(TICK);
    }
}

/// A living process that the command has started.
struct Process {
    pid: Pid,
    group: Pid,
}

/// All that the command has started, in whatever group or session it is now: our living descendants.
#[cfg(target_os = "linux")]
fn everything(_: Pid) -> Vec<Process> {
    let mut strangers: Vec<(i32, Process, bool)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?);
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            // The name of the program stands in parentheses and may hold anything, parentheses among it.
            let stat = String::from_utf8_lossy(&stat);
            let mut fields = stat.rsplit_once(") ")?.1.split(' ');
            let lives = !matches!(fields.next()?, "Z" | "X");
            let parent = fields.next()?.parse().ok()?;
            Some((parent, Process { pid, group: Pid::from_raw(fields.next()?.parse().ok()?) }, lives))
        })
        .collect();
    let mut family = Vec::new();
    let mut parents = vec![Pid::this().as_raw()];
    while let Some(parent) = parents.pop() {
        for (_, process, lives) in strangers.extract_if(.., |(of, ..)| *of == parent) {
            parents.push(process.pid.as_raw());
            if lives {
                family.push(process);
            }
        }
    }
    family
}

/// What is in the command's group.
#[cfg(target_os = "linux")]
fn members(group: Pid) -> Vec<Process> {
    everything(group).into_iter().filter(|process| process.group == group).collect()
}

/// What is in the command's group, as one: here nobody tells more.
#[cfg(not(target_os = "linux"))]
fn members(group: Pid) -> Vec<Process> {
    killpg(group, None).map_or(Vec::new(), |()| vec![Process { pid: group, group }])
}

/// What has left the group cannot be found here.
#[cfg(not(target_os = "linux"))]
fn everything(group: Pid) -> Vec<Process> {
    members(group)
}
