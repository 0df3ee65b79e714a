//! Signals that ask this program to end.

use std::sync::mpsc::Sender;

use anyhow::{Context as _, Result};
use nix::sys::signal::{SigSet, Signal};

use super::child;
use super::task::Event;

/// Ctrl-C, a plain `kill`, and the end of the terminal.
const SIGNALS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Has a thread wait for the signals, which interrupt nothing any more. Threads have to be begun after this, for one in
/// which they are not blocked would be ended by them.
pub(super) fn listen(sender: Sender<Event>) -> Result<()> {
    let mut set = SigSet::empty();
    for signal in SIGNALS {
        // `nohup`, and a shell that starts us in the background, mean us to go on.
        if !is_ignored(signal) {
            set.add(signal);
        }
    }
    if set.iter().next().is_none() {
        return Ok(());
    }
    set.thread_block().context("cannot block signals")?;
    std::thread::spawn(move || {
        let Ok(signal) = set.wait() else { return };
        let _ = sender.send(Event::Signal(signal.as_str()));
        // Who takes that event may wait for a terminal that shows nothing more, or for a pager.
        child::end_for_good();
        // So the next signal does what signals do; to the supervisor it makes no difference.
        let _ = set.thread_unblock();
        loop {
            std::thread::park();
        }
    });
    Ok(())
}

/// Children get what is blocked from their parent; one that does not know could not be asked to end.
pub(super) fn unblock() -> Result<()> {
    SIGNALS.into_iter().collect::<SigSet>().thread_unblock().context("cannot unblock signals")
}

/// Whether whoever started this program has it ignore a signal. Only Linux tells.
fn is_ignored(signal: Signal) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal as i32 - 1)) != 0
}
