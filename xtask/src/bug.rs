//! Makes an error of a panic: whoever runs a check learns what was not looked at, and is spared the backtrace.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use anyhow::{Result, anyhow};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What `work` returns, or where it panicked and why. Nothing is printed.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if CATCHING.get() {
                PANIC.set(panic.to_string());
            } else {
                default(panic);
            }
        }));
    });
    let outer = CATCHING.replace(true);
    // What a panic leaves half done belongs to `work`, and is gone with it.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.map_err(|_| anyhow!("a bug in this program, please report it: {}", PANIC.take()))
}
