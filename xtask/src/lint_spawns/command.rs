//! Commands that hand a child to something that detaches it: lists of words, and texts that a shell runs.
//!
//! A command is judged by the program that it starts with. Of its options those are looked at by which it may turn out
//! harmless: tmux, screen and the container engines also run in the foreground, others only list or stop something.
//! Where part of a command is not known, it is not taken for an option.

use super::rule::{Rule, Strength};
use super::shell::Script;
pub use super::shell::{UNKNOWN, Word};

/// What detaches the child of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detached {
    /// [`Rule::ArgvDetacher`] if the program does, [`Rule::ShellBackground`] if that is a shell and its text does.
    pub rule: Rule,
    pub strength: Strength,
    /// The place of that program, or of that text, among the words.
    pub word: usize,
}

/// A command that detaches has one of these words, or an `&`. Those of Windows may be in capitals. A word that is cut up
/// by quotes or backslashes, which only a shell puts together, is found nevertheless.
pub const PROGRAMS: [&str; DETACHERS.len() + 1] = {
    let mut names = [START; DETACHERS.len() + 1];
    let mut at = 0;
    while at < DETACHERS.len() {
        names[at] = DETACHERS[at].name;
        at += 1;
    }
    names
};

/// Judges a command of which the words are given one by one.
pub fn argv(words: &[Word]) -> Option<Detached> {
    match command(words)? {
        Command::Detaches { strength, word } => Some(Detached { rule: Rule::ArgvDetacher, strength, word }),
        Command::Runs { text, word } => {
            shell(text).map(|strength| Detached { rule: Rule::ShellBackground, strength, word })
        }
    }
}

/// Judges a text that a shell runs. If more than one child gets away, the strength is that of the farthest.
pub fn shell(text: &str) -> Option<Strength> {
    let mut farthest = on_windows(text);
    let mut texts = vec![text.to_owned()];
    // No text is read often: with each level that it is deeper, the quotes around it are twice as many.
    while let Some(text) = texts.pop() {
        let script = Script::read(&text);
        if script.background {
            farthest = farthest.max(Some(Strength::Group));
        }
        for words in &script.commands {
            match command(words) {
                Some(Command::Detaches { strength, .. }) => farthest = farthest.max(Some(strength)),
                Some(Command::Runs { text, .. }) => texts.push(text.to_owned()),
                None => {}
            }
        }
    }
    farthest
}

/// What the shell of Windows has and others have not: `start`, and backslashes in paths.
fn on_windows(text: &str) -> Option<Strength> {
    let mut words = text.split_whitespace().map(|word| word.trim_matches('"'));
    let detaches = if is_program(file_name(words.next()?), CMD) {
        let arguments: Vec<Word> = words.map(|word| Word::One(word.to_owned())).collect();
        cmd_starts(&arguments)
    } else {
        is_start(text)
    };
    detaches.then_some(Strength::Group)
}

enum Command<'w> {
    Detaches { strength: Strength, word: usize },
    Runs { text: &'w str, word: usize },
}

fn command(words: &[Word]) -> Option<Command<'_>> {
    // Its first argument is the program.
    let program = match words {
        [Word::One(program), ..] if is_program(file_name(program), "busybox") => 1,
        _ => 0,
    };
    let [Word::One(file), arguments @ ..] = words.get(program..)? else {
        return None;
    };
    let file = file_name(file);
    if let Some(detacher) = DETACHERS.iter().find(|detacher| is_program(file, detacher.name)) {
        return detacher
            .detaches(arguments)
            .then_some(Command::Detaches { strength: detacher.strength, word: program });
    }
    if !SHELLS.iter().any(|shell| is_program(file, shell)) {
        return None;
    }
    let mut runs_text = false;
    let operands = options(arguments, shell_value, |name, _| runs_text |= lists("c command", name));
    match operands {
        [Word::One(text), ..] if runs_text => Some(Command::Runs { text, word: words.len() - operands.len() }),
        _ => None,
    }
}

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];

/// The text is an operand: options can stand between `-c` and it.
fn shell_value(name: &str) -> Value {
    if matches!(name, "o" | "O" | "rcfile" | "init-file") { Value::Next } else { Value::None }
}

/// A program that detaches what it starts.
struct Detacher {
    name: &'static str,
    strength: Strength,
    when: When,
}

/// When it does. Names of options are listed without their dashes.
enum When {
    /// Unless it has an `idle` option, with which it starts nothing. Of the others, the `valued` ones have a value.
    Unless { idle: &'static str, valued: &'static str },
    /// If its arguments say so.
    If(fn(&[Word]) -> bool),
}

pub(super) const CMD: &str = "cmd";
pub(super) const START: &str = "start";

const DETACHERS: [Detacher; 12] = [
    Detacher {
        name: "setsid",
        strength: Strength::Session,
        when: When::Unless { idle: "h help V version", valued: "" },
    },
    // The child stays in its group, but is deaf to the hang-up at the end of the session.
    Detacher { name: "nohup", strength: Strength::Group, when: When::Unless { idle: "help version", valued: "" } },
    Detacher {
        name: "systemd-run",
        strength: Strength::OutOfReach,
        when: When::Unless { idle: "h help version", valued: "H M u unit p property E setenv slice" },
    },
    Detacher { name: "daemonize", strength: Strength::OutOfReach, when: When::Unless { idle: "", valued: "" } },
    Detacher {
        name: "start-stop-daemon",
        strength: Strength::OutOfReach,
        when: When::Unless {
            idle: "K stop T status t test H help V version",
            valued: "p pidfile x exec n name u user g group c chuid s signal a startas r chroot d chdir N nicelevel \
                     P procsched I iosched k umask O output R retry pid ppid notify-timeout",
        },
    },
    Detacher {
        name: "at",
        strength: Strength::OutOfReach,
        when: When::Unless { idle: "l d r c V", valued: "q f t u o" },
    },
    Detacher { name: "batch", strength: Strength::OutOfReach, when: When::Unless { idle: "V", valued: "q f t u" } },
    Detacher { name: "tmux", strength: Strength::OutOfReach, when: When::If(tmux_detaches) },
    Detacher { name: "screen", strength: Strength::OutOfReach, when: When::If(screen_detaches) },
    Detacher { name: "docker", strength: Strength::OutOfReach, when: When::If(engine_detaches) },
    Detacher { name: "podman", strength: Strength::OutOfReach, when: When::If(engine_detaches) },
    Detacher { name: CMD, strength: Strength::Group, when: When::If(cmd_starts) },
];

impl Detacher {
    fn detaches(&self, arguments: &[Word]) -> bool {
        match self.when {
            When::Unless { idle, valued } => !has_option(arguments, idle, valued),
            When::If(detaches) => detaches(arguments),
        }
    }
}

/// `tmux new-session -d`, possibly after other commands.
fn tmux_detaches(arguments: &[Word]) -> bool {
    let commands = options(arguments, |name| Value::rest_if(lists("c f L S T", name)), |_, _| {});
    commands.split(|word| is(word, ";")).any(|command| match command {
        [Word::One(name), arguments @ ..] => {
            // `new` is its other name. Of the beginnings of its name, those are enough that no other command has.
            let is_new_session = name == "new" || name.len() > "new-".len() && "new-session".starts_with(name.as_str());
            is_new_session && has_option(arguments, "d", "c e f F n s t x y")
        }
        _ => false,
    })
}

/// `screen -d -m`. Other options make it look for a session that is there already.
fn screen_detaches(arguments: &[Word]) -> bool {
    let value = |name: &str| match name {
        "c" | "e" | "p" => Value::Rest,
        "h" | "s" | "S" | "t" | "T" => Value::Next,
        _ => Value::None,
    };
    let (mut detached, mut new, mut existing) = (false, false, false);
    options(arguments, value, |name, _| match name {
        "d" => detached = true,
        "m" => new = true,
        "r" | "R" | "x" | "X" | "Q" | "w" => existing = true,
        _ => {}
    });
    detached && new && !existing
}

/// `docker run --detach`.
fn engine_detaches(arguments: &[Word]) -> bool {
    let command = options(arguments, |name| Value::rest_if(!lists(ENGINE_FLAGS, name)), |_, _| {});
    let arguments = match command {
        [run, arguments @ ..] if is(run, "run") => arguments,
        [container, run, arguments @ ..] if is(container, "container") && is(run, "run") => arguments,
        _ => return false,
    };
    let mut detached = false;
    options(
        arguments,
        |name| Value::rest_if(!lists(RUN_FLAGS, name)),
        |name, value| {
            if lists("d detach", name) {
                detached = !value.is_some_and(|value| lists("0 f F false False FALSE", value));
            }
        },
    );
    detached
}

/// Options of docker and podman before the command that have no value. Most have one.
const ENGINE_FLAGS: &str = "D debug h help noout r remote syslog tls tlsverify trace transient-store v version";

/// The same of `run`.
const RUN_FLAGS: &str = "d detach disable-content-trust env-host help http-proxy i init interactive no-healthcheck \
                         no-hostname no-hosts oom-kill-disable P passwd privileged publish-all q quiet read-only \
                         read-only-tmpfs replace rm rmi rootfs sig-proxy t tls-verify tty unsetenv-all use-api-socket";

/// `cmd /c start`.
fn cmd_starts(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().map_while(|word| match word {
        Word::One(text) => Some(text.as_str()),
        Word::Many => None,
    });
    let runs_next = |word: &str| word.eq_ignore_ascii_case("/c") || word.eq_ignore_ascii_case("/k");
    let last_switch = words.find(|word| runs_next(word) || !word.starts_with('/'));
    last_switch.is_some_and(runs_next) && words.next().is_some_and(is_start)
}

/// Whether a text is for the `start` of Windows.
fn is_start(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '"');
    let word = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '/')).next();
    word.is_some_and(|word| word.eq_ignore_ascii_case(START))
}

/// The name of the file that a word is for.
fn file_name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// Whether a file is the program of this name.
fn is_program(file: &str, name: &str) -> bool {
    match file.rsplit_once('.') {
        Some((stem, extension)) if extension.eq_ignore_ascii_case("exe") => stem.eq_ignore_ascii_case(name),
        _ if name == CMD => file.eq_ignore_ascii_case(name),
        _ => file == name,
    }
}

fn is(word: &Word, text: &str) -> bool {
    matches!(word, Word::One(word) if word == text)
}

/// Whether `name` is one of the names in `list`.
fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

/// Where the value of an option is, if `=` does not give it.
enum Value {
    None,
    /// In the rest of its word, or else in the next one.
    Rest,
    /// In the next word, whatever follows in its own.
    Next,
}

impl Value {
    fn rest_if(has_value: bool) -> Value {
        if has_value { Value::Rest } else { Value::None }
    }
}

/// Whether one of the `wanted` options stands before the operands.
fn has_option(words: &[Word], wanted: &str, valued: &str) -> bool {
    let mut found = false;
    options(words, |name| Value::rest_if(lists(valued, name)), |name, _| found |= lists(wanted, name));
    found
}

/// Calls `found` with each option, long or of one letter, and the value that `=` gives it. Returns the operands: what
/// follows the options.
fn options(mut words: &[Word], value_of: impl Fn(&str) -> Value, mut found: impl FnMut(&str, Option<&str>)) -> &[Word] {
    while let [word, rest @ ..] = words {
        let mut values = 0;
        match word {
            Word::One(word) if word == "--" => return rest,
            Word::One(word) if word.starts_with("--") => {
                let long = word.trim_start_matches("--");
                match long.split_once('=') {
                    Some((name, value)) => found(name, Some(value)),
                    None => {
                        found(long, None);
                        values += usize::from(!matches!(value_of(long), Value::None));
                    }
                }
            }
            Word::One(word) if word.starts_with('-') && word.len() > 1 => {
                let mut letters = word.trim_start_matches('-');
                while let Some(letter) = letters.chars().next() {
                    let (name, after) = letters.split_at(letter.len_utf8());
                    letters = after;
                    found(name, after.strip_prefix('='));
                    match value_of(name) {
                        Value::None => {}
                        Value::Next => values += 1,
                        Value::Rest if after.is_empty() => values += 1,
                        Value::Rest => break,
                    }
                }
            }
            Word::One(_) => return words,
            // None of them is an operand, or what follows would be operands too.
            Word::Many => {}
        }
        words = rest.get(values..).unwrap_or_default();
    }
    words
}
