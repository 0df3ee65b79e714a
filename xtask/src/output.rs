//! Standard output and standard error of every command.

use std::fmt::Write as _;
use std::io::{self, Write as _};

/// Writes to standard output. That nobody reads on is no error.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes to standard error what `command` has to complain of. Further lines begin with a bar, so that no name with a
/// line break in it can pass for a line of ours, or for a command to a CI system.
pub fn complain(command: &str, what: &str) {
    // Nothing is left to tell when even this fails.
    let _ = writeln!(io::stderr().lock(), "{command}: {}", printable(what, true).replace("\\u{a}", "\n| "));
}

/// Shows what could hide or forge output as `\u{…}`; a tab only in paths.
pub fn printable(text: &str, path: bool) -> String {
    let forges = |c: char| match c {
        '\t' => path,
        '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if forges(c) {
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}
