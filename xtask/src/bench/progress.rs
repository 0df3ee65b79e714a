//! Says on standard error how far a long job is: on a terminal in one line that is written over, elsewhere in a line every
//! few seconds.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use crate::output;

/// A job of many steps; it ends when this is dropped.
pub struct Progress {
    what: String,
    done: usize,
    shown: Instant,
    is_terminal: bool,
}

impl Progress {
    pub fn begin(command: &str, what: &str) -> Progress {
        let what = format!("{command}: {what}");
        let progress = Progress { what, done: 0, shown: Instant::now(), is_terminal: io::stderr().is_terminal() };
        progress.show();
        progress
    }

    /// One step is done.
    pub fn advance(&mut self) {
        self.done += 1;
        let pause = if self.is_terminal { Duration::from_millis(100) } else { Duration::from_secs(5) };
        if self.shown.elapsed() >= pause {
            self.shown = Instant::now();
            self.show();
        }
    }

    fn show(&self) {
        let done = if self.done == 0 { String::new() } else { format!(", {} done", self.done) };
        let text = format!("{}{done}", self.what);
        output::report_progress(&if self.is_terminal { format!("\r{text}\x1b[K") } else { text + "\n" });
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal {
            output::report_progress("\r\x1b[K");
        }
    }
}
