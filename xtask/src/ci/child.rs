//! A command below its supervisor, as the runner sees it.

use std::io::{BufRead as _, BufReader, PipeWriter};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{self, Command};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use camino::Utf8Path;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::supervisor::Report;
use super::task::{Ending, Event, Task};

/// The lifeline of the command that runs, if any. Err if none is to run any more.
static LIFELINE: Mutex<Result<Option<UnixStream>, Ended>> = Mutex::new(Ok(None));

struct Ended;

/// Ends the command that runs, and each that is started from now on.
pub(super) fn end_for_good() {
    let mut lifeline = LIFELINE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Ok(Some(lifeline)) = std::mem::replace(&mut *lifeline, Err(Ended)) {
        let _ = lifeline.shutdown(Shutdown::Write);
    }
}

pub(super) struct Child {
    supervisor: process::Child,
    /// What the supervisor lives by, and reports on.
    lifeline: UnixStream,
    /// The command's process group; 0 while it is not known.
    group: Arc<AtomicI32>,
}

impl Child {
    /// The command prints to `output`, and how it ends is sent as an event of the number.
    pub(super) fn start(
        program: &Utf8Path,
        task: &Task,
        output: PipeWriter,
        number: usize,
        sender: &Sender<Event>,
    ) -> Result<Child> {
        let (lifeline, theirs) = UnixStream::pair().context("cannot make a pair of sockets")?;
        let reports = BufReader::new(lifeline.try_clone().context("cannot share a socket")?);
        let group = Arc::new(AtomicI32::new(0));
        let mut command = Command::new(program);
        command.arg("ci-supervisor");
        if let Some(limit) = task.limit {
            command.arg(format!("--limit={}", limit.as_millis()));
        }
        command.arg("--").args(&task.words);
        command.envs(task.variables.iter().map(|(name, value)| (name, value))).current_dir(&task.folder);
        command.stdin(OwnedFd::from(theirs)).stderr(output.try_clone().context("cannot share a pipe")?).stdout(output);
        let supervisor = command.spawn().context("cannot start the supervisor")?;
        let (sender, known) = (sender.clone(), Arc::clone(&group));
        std::thread::spawn(move || {
            let mut ending = None;
            for line in reports.lines().map_while(Result::ok) {
                match serde_json::from_str(&line) {
                    Ok(Report::Group(group)) => known.store(group, Ordering::SeqCst),
                    Ok(Report::Ended(how)) => ending = Some(how),
                    Err(_) => break,
                }
            }
            let ending = ending.unwrap_or_else(|| {
                // It died without a word: nobody else is left to end the group.
                end_group(known.load(Ordering::SeqCst));
                Ending::Failed("its supervisor was killed".to_owned())
            });
            let _ = sender.send(Event::Ended(number, ending));
        });
        let mut child = Child { supervisor, lifeline, group };
        match LIFELINE.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Ok(current) => *current = child.lifeline.try_clone().ok(),
            Err(Ended) => child.end(),
        }
        Ok(child)
    }

    /// Has the supervisor end the group, and report that it has.
    pub(super) fn end(&mut self) {
        let _ = self.lifeline.shutdown(Shutdown::Write);
    }

    /// Ends all at once, without a word.
    pub(super) fn kill(&mut self) {
        end_group(self.group.load(Ordering::SeqCst));
        let _ = self.supervisor.kill();
    }

    /// Waits for the supervisor, which has nothing left to do.
    pub(super) fn bury(&mut self) {
        self.end();
        let _ = self.supervisor.wait();
    }
}

fn end_group(group: i32) {
    if group > 0 {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}
