//! Runs one command after the other, each to its end, to its time limit or to the end of this program.
//!
//! This is the tool that finds child processes which outlive their owner, so none of its own may. A step is run in a
//! process group of its own, for only a group is ended at once with all that is in it, and ours is shared with whoever
//! started us. But a child in a group of its own is the very thing that lint-spawns flags: neither Ctrl-C, nor the end of
//! the terminal, nor our own death reaches it. So
//!
//! * signals that ask us to end (SIGINT, SIGTERM, SIGHUP) are waited for in a thread, and end the step first;
//! * the group is not left to us alone. Between us and the step is its [`supervisor`](super::supervisor), which ends the
//!   step when we ask for it, and also when we are gone, however that came about: SIGKILL, a crash, no memory. It learns
//!   of it from a socket whose other end only we hold, which the operating system closes;
//! * if the supervisor is the one that is gone, we end the group.
//!
//! Where there are no process groups only the process that was started can be ended.

use std::io::Read;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use camino::{Utf8Path, Utf8PathBuf};

#[cfg(not(unix))]
use super::alone::Child;
#[cfg(unix)]
use super::child::Child;
use super::task::{Ending, Event, Task};

/// How often the time so far is shown.
const TICK: Duration = Duration::from_millis(100);

/// In which a supervisor that was asked to end a step has to have done so: more than it takes itself.
const PATIENCE: Duration = Duration::from_secs(10);

/// In which what was printed has to have come after the step has ended. What it leaves running in a session of its own
/// may hold the pipe for ever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A step that prints for ever must not fill the memory. In bytes.
const LONGEST_OUTPUT: usize = 256 << 20;

/// Watches a command: is given what it prints to standard output and standard error, in the order in which it comes, or
/// nothing, and the time so far.
pub type Watch<'a> = &'a mut dyn FnMut(&[u8], Duration);

/// What has become of a command.
pub struct Run {
    pub ending: Ending,
    pub time: Duration,
}

pub struct Runner {
    root: Utf8PathBuf,
    /// This program.
    program: Utf8PathBuf,
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// How many commands were run.
    count: usize,
    interrupted: Option<&'static str>,
}

impl Runner {
    /// From here on, signals that ask this program to end are kept until the next command; it must not have threads.
    pub fn new(root: &Utf8Path) -> Result<Runner> {
        // Asked now, for a step that builds this program anew puts another in its place.
        let program = std::env::current_exe().context("cannot tell where this program is")?;
        let program = Utf8PathBuf::try_from(program).context("the path of this program is not UTF-8")?;
        let (sender, events) = mpsc::channel();
        #[cfg(unix)]
        super::signals::listen(sender.clone())?;
        Ok(Runner { root: root.to_owned(), program, sender, events, count: 0, interrupted: None })
    }

    /// The signal that has asked this program to end.
    pub fn interrupted(&self) -> Option<&'static str> {
        self.interrupted
    }

    /// Runs a command, its standard input empty.
    pub fn run(&mut self, task: Task, watch: Watch) -> Run {
        self.count += 1;
        let begin = Instant::now();
        let ending = match self.start(task) {
            Ok(mut child) => self.attend(&mut child, begin, watch),
            Err(err) => Ending::Failed(format!("{err:#}")),
        };
        Run { ending, time: begin.elapsed() }
    }

    fn start(&self, mut task: Task) -> Result<Child> {
        task.folder = self.root.join(&task.folder);
        task.words = match task.words.as_slice() {
            // Without cargo, that would first look whether this program has to be built.
            [cargo, xtask, rest @ ..] if cargo == "cargo" && xtask == "xtask" => {
                [&[self.program.to_string()], rest].concat()
            }
            // What that is relative to would depend on the platform.
            [program, rest @ ..] if program.contains('/') => {
                [&[task.folder.join(program).into_string()], rest].concat()
            }
            words => words.to_vec(),
        };
        task.variables.push(("XTASK".to_owned(), self.program.to_string()));
        // Python keeps to itself what it prints to a pipe, and a time limit would lose it.
        task.variables.push(("PYTHONUNBUFFERED".to_owned(), "1".to_owned()));
        let (mut reader, writer) = std::io::pipe().context("cannot make a pipe")?;
        let (sender, number) = (self.sender.clone(), self.count);
        let child = Child::start(&self.program, &task, writer, number, &sender)?;
        std::thread::spawn(move || {
            let mut chunk = vec![0; 64 << 10];
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                let _ = sender.send(Event::Printed(number, chunk.iter().take(length).copied().collect()));
            }
            let _ = sender.send(Event::Silent(number));
        });
        Ok(child)
    }

    /// Waits until it is all over.
    fn attend(&mut self, child: &mut Child, begin: Instant, watch: Watch) -> Ending {
        let mut printed = 0;
        // That comes before the end as often as after it.
        let mut silent = false;
        // Why we have ended it ourselves, and until when it has to be gone.
        let mut verdict: Option<(Ending, Instant)> = None;
        let mut end = |child: &mut Child, why: Ending| {
            if verdict.is_none() {
                child.end();
                verdict = Some((why, Instant::now() + PATIENCE));
            }
            verdict.as_ref().map(|(_, deadline)| *deadline)
        };
        let mut deadline = None;
        if let Some(signal) = self.interrupted {
            deadline = end(child, Ending::Interrupted(signal.to_owned()));
        }
        let ending = loop {
            let event = self.events.recv_timeout(TICK);
            match event {
                Ok(Event::Printed(number, chunk)) if number == self.count => {
                    watch(&chunk, begin.elapsed());
                    printed += chunk.len();
                    if printed > LONGEST_OUTPUT {
                        deadline = end(child, Ending::Failed("it prints without end".to_owned()));
                    }
                }
                Ok(Event::Silent(number)) if number == self.count => silent = true,
                Ok(Event::Ended(number, ending)) if number == self.count => break ending,
                Ok(Event::Signal(signal)) => {
                    self.interrupted = self.interrupted.or(Some(signal));
                    deadline = end(child, Ending::Interrupted(signal.to_owned()));
                }
                // Our own sender keeps the channel open.
                Ok(Event::Printed(..) | Event::Silent(_) | Event::Ended(..)) | Err(RecvTimeoutError::Disconnected) => {}
                Err(RecvTimeoutError::Timeout) => watch(&[], begin.elapsed()),
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                child.kill();
                break Ending::Failed("it could not be ended".to_owned());
            }
        };
        let until = Instant::now() + LAST_WORDS;
        while !silent && let Ok(event) = self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            match event {
                Event::Printed(number, chunk) if number == self.count => {
                    watch(&chunk, begin.elapsed());
                }
                Event::Silent(number) if number == self.count => silent = true,
                Event::Signal(signal) => self.interrupted = self.interrupted.or(Some(signal)),
                Event::Printed(..) | Event::Silent(_) | Event::Ended(..) => {}
            }
        }
        child.bury();
        verdict.map_or(ending, |(why, _)| why)
    }
}
