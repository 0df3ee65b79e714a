//! A command without a supervisor, where there are no process groups.

use std::io::PipeWriter;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use camino::Utf8Path;

use super::task::{Ending, Event, Task};

pub(super) struct Child {
    /// Whether it is to be killed.
    ended: Arc<AtomicBool>,
}

impl Child {
    /// The command prints to `output`, and how it ends is sent as an event of the number.
    pub(super) fn start(
        _program: &Utf8Path,
        task: &Task,
        output: PipeWriter,
        number: usize,
        sender: &Sender<Event>,
    ) -> Result<Child> {
        let (program, arguments) = task.words.split_first().context("no command")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(task.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&task.folder);
        command.stdin(Stdio::null()).stderr(output.try_clone().context("cannot share a pipe")?).stdout(output);
        let mut child = command.spawn().with_context(|| format!("cannot run {program}"))?;
        let ended = Arc::new(AtomicBool::new(false));
        let (sender, end, limit) = (sender.clone(), Arc::clone(&ended), task.limit);
        let begin = Instant::now();
        std::thread::spawn(move || {
            let ending = loop {
                let is_late = limit.is_some_and(|limit| begin.elapsed() >= limit);
                if is_late || end.load(Ordering::SeqCst) {
                    let _ = child.kill();
                }
                match child.try_wait() {
                    Ok(Some(_)) if is_late => break Ending::TimedOut,
                    Ok(Some(status)) => break Ending::Exited { code: status.code().unwrap_or(-1), left: 0 },
                    Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                    Err(err) => break Ending::Failed(err.to_string()),
                }
            };
            let _ = sender.send(Event::Ended(number, ending));
        });
        Ok(Child { ended })
    }

    pub(super) fn end(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    pub(super) fn kill(&mut self) {
        self.end();
    }

    pub(super) fn bury(&mut self) {}
}
