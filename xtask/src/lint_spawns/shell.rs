//! What a shell makes of a text: its simple commands, and whether it leaves one in the background.
//!
//! The grammar is that of POSIX, with what bash adds where it changes where a word or a command ends. Nothing is
//! expanded: what a variable or a substitution gives is not known, but what a substitution runs is read like the rest.
//! Every text is read as something, broken ones too. However deep it is, nothing here recurses.

mod quotes;

use std::mem;

/// Stands for a part of a text that is not known.
pub const UNKNOWN: char = '\u{fffc}';

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Its text, in which each [`UNKNOWN`] is a part of any length. One that is not known at all is only that.
    One(String),
    /// Any number of words: `*arguments` of a list, `$arguments` of a shell.
    Many,
}

#[derive(Debug, Default)]
pub(super) struct Script {
    /// The words of each command, without the assignments and reserved words before them and without redirections.
    pub(super) commands: Vec<Vec<Word>>,
    /// Whether `&` ends one of them.
    pub(super) background: bool,
}

impl Script {
    pub(super) fn read(text: &str) -> Script {
        let mut script = Script::default();
        let mut backquoted = Vec::new();
        Reader::new(text, &mut script, &mut backquoted).read();
        while let Some(text) = backquoted.pop() {
            Reader::new(&text, &mut script, &mut backquoted).read();
        }
        script
    }
}

/// Words that a command can follow. Those that end a compound command have none behind them, and are none either.
const RESERVED: [&str; 14] =
    ["!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time", "exec"];

struct Reader<'t> {
    rest: &'t str,
    script: &'t mut Script,
    /// Backquotes are escaped inside backquotes, so what is in them is read when that is undone.
    backquoted: &'t mut Vec<String>,
    level: Level,
    /// From the outside in.
    outer: Vec<Level>,
    /// Begin after this line.
    here_documents: Vec<HereDocument>,
}

/// Something that is open, and what has been read in it of a command.
struct Level {
    within: Within,
    words: Vec<Word>,
    draft: Option<Draft>,
    redirection: Option<Redirection>,
}

#[derive(Clone, Copy)]
enum Within {
    Text,
    /// `$(`, `<(`, `>(`.
    Substitution,
    /// `(`. One directly behind another may turn out to be arithmetic, which is when they are closed like that too. What
    /// has been read since the mark is forgotten then, of substitutions too.
    Subshell(Option<Mark>),
    /// `case`. Between it or `;;` and `)` are patterns.
    Case {
        pattern: bool,
    },
    /// `name=(`.
    Array,
    /// `${`. Inside double quotes a single quote is a letter.
    Braces {
        quoted: bool,
    },
    DoubleQuotes,
}

/// How much had been read.
#[derive(Clone, Copy)]
struct Mark {
    commands: usize,
    background: bool,
    here_documents: usize,
}

/// A word of which not all has been read.
#[derive(Default)]
struct Draft {
    text: String,
    quoted: bool,
    /// What its first `=` makes of it, if that is not quoted.
    assigns: Option<bool>,
    /// Some of what is not known is not quoted: it may be any number of words.
    split: bool,
}

/// What the next word is for.
enum Redirection {
    Target,
    Delimiter { tabs: bool },
}

struct HereDocument {
    delimiter: String,
    /// Its lines may begin with tabs that do not count.
    tabs: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, script: &'t mut Script, backquoted: &'t mut Vec<String>) -> Reader<'t> {
        let level = Level::new(Within::Text);
        Reader { rest: text, script, backquoted, level, outer: Vec::new(), here_documents: Vec::new() }
    }

    fn read(mut self) {
        while let Some(c) = self.next() {
            match self.level.within {
                Within::DoubleQuotes => self.in_double_quotes(c),
                Within::Braces { quoted } => self.in_braces(c, quoted),
                _ => self.plain(c),
            }
        }
        while self.close() {}
    }

    fn plain(&mut self, c: char) {
        match c {
            ' ' | '\t' | '\r' => self.end_word(),
            '\n' => {
                self.end_command();
                self.skip_here_documents();
            }
            '#' if self.level.draft.is_none() => {
                self.rest = self.rest.trim_start_matches(|c| c != '\n');
            }
            '\'' => {
                let (inside, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
                self.rest = rest;
                self.quoted().push_str(inside);
            }
            '"' => self.open(Within::DoubleQuotes),
            '\\' => match self.next() {
                Some('\n') | None => {}
                Some(c) => self.quoted().push(c),
            },
            '$' if self.eat("'") => self.escapes(),
            // Bash translates what is in these quotes.
            '$' if self.eat("\"") => self.open(Within::DoubleQuotes),
            '$' => self.dollar(),
            '`' => self.backquotes(),
            '<' | '>' if self.eat("(") => self.open(Within::Substitution),
            '<' | '>' => self.redirection(c),
            '(' => self.open_parenthesis(),
            ')' => self.close_parenthesis(),
            ';' => {
                self.end_command();
                let ends_item = self.eat(";&") || self.eat(";") || self.eat("&");
                if let Within::Case { pattern } = &mut self.level.within {
                    *pattern |= ends_item;
                }
            }
            '|' => {
                let _ = self.eat("|") || self.eat("&");
                self.end_command();
            }
            '&' if self.eat("&") => self.end_command(),
            '&' if self.eat(">") => {
                self.eat(">");
                self.end_word();
                self.level.redirection = Some(Redirection::Target);
            }
            '&' => {
                self.end_command();
                self.script.background |= self.level.has_commands();
            }
            '=' => {
                let draft = self.draft();
                let is_target = || !draft.quoted && is_assigned_to(&draft.text);
                draft.assigns.get_or_insert_with(is_target);
                draft.text.push('=');
            }
            UNKNOWN => self.unknown(),
            c => self.draft().text.push(c),
        }
    }

    fn redirection(&mut self, c: char) {
        let is_descriptor = |draft: &Draft| !draft.quoted && draft.text.bytes().all(|b| b.is_ascii_digit());
        if self.level.draft.as_ref().is_some_and(is_descriptor) {
            self.level.draft = None;
        }
        self.end_word();
        self.level.redirection = Some(match c {
            // A word takes the place of a here-document.
            '<' if self.eat("<<") => Redirection::Target,
            '<' if self.eat("<-") => Redirection::Delimiter { tabs: true },
            '<' if self.eat("<") => Redirection::Delimiter { tabs: false },
            _ => {
                let _ = self.eat(">") || self.eat("&") || self.eat("|");
                Redirection::Target
            }
        });
    }

    fn open_parenthesis(&mut self) {
        if !self.level.has_commands() {
            self.end_word();
        } else if self.level.draft.as_ref().is_some_and(Draft::assigns) {
            self.open(Within::Array);
        } else {
            self.end_command();
            self.open_parentheses(Within::Subshell(None));
        }
    }

    /// After one parenthesis.
    fn open_parentheses(&mut self, within: Within) {
        let mark = Mark {
            commands: self.script.commands.len(),
            background: self.script.background,
            here_documents: self.here_documents.len(),
        };
        self.open(within);
        if self.eat("(") {
            self.open(Within::Subshell(Some(mark)));
        }
    }

    fn close_parenthesis(&mut self) {
        self.end_word();
        if let Within::Case { pattern: pattern @ true } = &mut self.level.within {
            *pattern = false;
            self.level.words.clear();
            return;
        }
        // Its `esac` is missing.
        while matches!(self.level.within, Within::Case { .. }) {
            self.close();
        }
        let mark = match self.level.within {
            Within::Subshell(mark) => mark,
            _ => None,
        };
        self.close();
        if let Some(mark) = mark
            && self.eat(")")
        {
            self.close();
            self.script.commands.truncate(mark.commands);
            self.script.background = mark.background;
            self.here_documents.truncate(mark.here_documents);
        }
    }

    fn open(&mut self, within: Within) {
        self.outer.push(mem::replace(&mut self.level, Level::new(within)));
    }

    /// False if nothing is open.
    fn close(&mut self) -> bool {
        if !matches!(self.level.within, Within::DoubleQuotes | Within::Braces { .. }) {
            self.end_command();
        }
        let Some(outer) = self.outer.pop() else {
            return false;
        };
        let inner = mem::replace(&mut self.level, outer);
        match inner.within {
            Within::DoubleQuotes => self.quoted().push_str(&inner.draft.unwrap_or_default().text),
            Within::Substitution | Within::Braces { .. } => self.unknown(),
            Within::Text | Within::Subshell(_) | Within::Case { .. } | Within::Array => {}
        }
        true
    }

    fn end_command(&mut self) {
        self.end_word();
        self.level.redirection = None;
        let words = mem::take(&mut self.level.words);
        if self.level.has_commands() && !words.is_empty() {
            self.script.commands.push(words);
        }
    }

    fn end_word(&mut self) {
        let Some(draft) = self.level.draft.take() else {
            return;
        };
        match self.level.redirection.take() {
            Some(Redirection::Target) => return,
            Some(Redirection::Delimiter { tabs }) => {
                self.here_documents.push(HereDocument { delimiter: draft.text, tabs });
                return;
            }
            None => {}
        }
        if self.level.words.is_empty() {
            match draft.text.as_str() {
                "case" if !draft.quoted && self.level.has_commands() => {
                    self.open(Within::Case { pattern: true });
                    return;
                }
                "esac" if !draft.quoted && matches!(self.level.within, Within::Case { .. }) => {
                    self.close();
                    return;
                }
                text if draft.assigns() || !draft.quoted && RESERVED.contains(&text) => return,
                _ => {}
            }
        }
        self.level.words.push(draft.into_word());
    }

    fn skip_here_documents(&mut self) {
        for document in mem::take(&mut self.here_documents) {
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if document.delimiter == if document.tabs { line.trim_start_matches('\t') } else { line } {
                    break;
                }
            }
        }
    }

    fn unknown(&mut self) {
        let in_quotes = matches!(self.level.within, Within::DoubleQuotes);
        let draft = self.draft();
        draft.text.push(UNKNOWN);
        draft.split |= !in_quotes;
    }

    fn draft(&mut self) -> &mut Draft {
        self.level.draft.get_or_insert_default()
    }

    fn quoted(&mut self) -> &mut String {
        let draft = self.draft();
        draft.quoted = true;
        &mut draft.text
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

impl Level {
    fn new(within: Within) -> Level {
        Level { within, words: Vec::new(), draft: None, redirection: None }
    }

    /// Its words are not patterns or values.
    fn has_commands(&self) -> bool {
        !matches!(self.within, Within::Array | Within::Case { pattern: true })
    }
}

impl Draft {
    fn assigns(&self) -> bool {
        self.assigns == Some(true)
    }

    fn into_word(self) -> Word {
        if self.split && self.text.chars().all(|c| c == UNKNOWN) { Word::Many } else { Word::One(self.text) }
    }
}

/// Whether the text before a `=` is a name, with an index or a `+` behind it or not.
fn is_assigned_to(text: &str) -> bool {
    let name = text.strip_suffix('+').unwrap_or(text);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(|c| is_of_name(c) || c == UNKNOWN)
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
