//! Standard output and standard error of every command.
//!
//! What is printed of file names, of source lines and of what other programs say can be anybody's. None of it may hide
//! a line of ours, pass for one, or be taken for a command by a terminal or a CI system.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use serde::Serialize;

/// When to print in colours.
#[derive(Debug, Default, Clone, Copy, ValueEnum)]
pub enum Color {
    /// On a terminal, or as NO_COLOR and CLICOLOR_FORCE say
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether to print in colours to a stream that is a terminal or not.
    pub fn is_wanted(self, is_terminal: bool) -> bool {
        // By no-color.org any value counts, 0 too.
        let forbidden = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let forced = || std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => !forbidden() && (forced() || (is_terminal && !is_dumb())),
        }
    }
}

/// Whether the terminal says of itself that it can do nothing but print.
pub fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Writes to standard output. That nobody reads on is no error.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

/// Writes a patch to standard output: to a terminal with the escapes of [`printable`], else as it is, for a program to
/// apply.
pub fn print_patch(patch: &[u8]) -> Result<()> {
    if !io::stdout().is_terminal() {
        return print_bytes(patch);
    }
    print(&String::from_utf8_lossy(patch).split_inclusive('\n').map(printable_line).collect::<String>())
}

fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write the report to standard output; send it where there is room"),
    }
}

/// [`printable`] for a line with its line break.
fn printable_line(line: &str) -> String {
    let text = line.trim_end_matches(['\r', '\n']);
    printable(text) + &line[text.len()..]
}

/// Writes to standard error what `command` has to complain of. Further lines begin with a bar, so that none of them can
/// pass for a complaint of its own.
pub fn complain(command: &str, what: &str) {
    let lines: Vec<String> = what.lines().map(printable).collect();
    write_error(&format!("{command}: {}\n", lines.join("\n| ")));
}

/// Writes to standard error what is wrong with the command line, as clap words it.
pub fn complain_of_usage(what: &str) {
    write_error(&what.lines().map(|line| printable(line) + "\n").collect::<String>());
}

/// Writes to standard error what a command is doing. `text` comes with its line ends.
pub fn report_progress(text: &str) {
    write_error(text);
}

fn write_error(text: &str) {
    // Nothing is left to tell when even this fails.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Shows what could hide or forge output as `\u{…}`: control characters but the tab, line breaks of Unicode, marks that
/// turn the direction of writing, and the start of a command that Azure Pipelines (`##vso[`), TeamCity or GitHub
/// (`##[`) obey anywhere in a line.
pub fn printable(text: &str) -> String {
    escape(text, false)
}

/// [`printable`] for the name of a file: a tab is shown too, and so is what makes a line that begins with the name a
/// command to GitHub (`::error::`).
pub fn printable_path(path: &str) -> String {
    escape(path, true)
}

/// [`printable_path`] for a name that may not be UTF-8; its other bytes are shown as `\xff`.
pub fn printable_bytes(path: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in path.utf8_chunks() {
        shown += &printable_path(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// An object in JSON, over lines. What [`printable`] shows is shown in JSON's own spelling, `\u001b`: its readers get the
/// character itself.
pub fn json(object: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string_pretty(object).context("a bug: the report cannot be written as JSON")?;
    let mut shown = String::with_capacity(json.len() + 1);
    for (at, c) in json.char_indices() {
        // The line breaks are those between its strings.
        if (c != '\n' && hides(c)) || (c == '#' && begins_a_command(&json[at..])) {
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown.push('\n');
    Ok(shown)
}

/// [`printable`], and where in it the `places` are, which are in bytes of the text and in order.
pub fn printable_at(text: &str, places: &[usize]) -> (String, Vec<usize>) {
    let mut shown_places = Vec::with_capacity(places.len());
    let shown = escape_and_tell(text, false, |at, shown| {
        while places.get(shown_places.len()).is_some_and(|&place| place <= at) {
            shown_places.push(shown);
        }
    });
    shown_places.resize(places.len(), shown.len());
    (shown, shown_places)
}

/// A quoted key or value that TOML reads back as `text`, and that shows as escapes what [`printable_path`] does: the
/// table is pasted from a terminal or a log.
pub fn printable_toml(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c == '#' || hides(c) => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn escape(text: &str, path: bool) -> String {
    escape_and_tell(text, path, |_, _| {})
}

/// Tells `tell` of each character where it is in the text, and where in what is shown.
fn escape_and_tell(text: &str, path: bool, mut tell: impl FnMut(usize, usize)) -> String {
    let mut shown = String::with_capacity(text.len());
    let command = if path && text.trim_start().starts_with("::") { text.find(':') } else { None };
    for (at, c) in text.char_indices() {
        tell(at, shown.len());
        let forges = match c {
            '\t' => path,
            '#' => begins_a_command(&text[at..]),
            ':' => command == Some(at),
            c => hides(c),
        };
        if forges {
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether a character is a control character, a line break of Unicode, or a mark that turns the direction of writing.
pub fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `##`, letters, `[`.
fn begins_a_command(text: &str) -> bool {
    text.strip_prefix("##")
        .is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).starts_with('['))
}
