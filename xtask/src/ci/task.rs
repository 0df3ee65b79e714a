//! What the runner runs, and what happens to it.

use std::time::Duration;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

/// A command to run.
#[derive(Debug, Default)]
pub struct Task {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Set in its environment.
    pub variables: Vec<(String, String)>,
    /// Relative to the root.
    pub folder: Utf8PathBuf,
    pub limit: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// `left` processes of its group were running still, and were ended.
    Exited {
        code: i32,
        left: usize,
    },
    /// By a signal, named here.
    Killed(String),
    /// It could not be started, or not be watched.
    Failed(String),
    TimedOut,
    /// This program was asked to end, by the signal named here.
    Interrupted(String),
}

impl Ending {
    pub fn is_success(&self) -> bool {
        matches!(self, Ending::Exited { code: 0, .. })
    }
}

/// What happens while a command runs. The number tells which command, for the last words of one may come late.
pub(super) enum Event {
    Printed(usize, Vec<u8>),
    /// It prints no more.
    Silent(usize),
    Ended(usize, Ending),
    /// We are asked to end, by the signal named here.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are none to wait for"))]
    Signal(&'static str),
}
