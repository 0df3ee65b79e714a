//! What stands in double quotes and braces, and behind a dollar sign.

use super::{Reader, UNKNOWN, Within, is_of_name};

impl Reader<'_> {
    pub(super) fn in_double_quotes(&mut self, c: char) {
        match c {
            '"' => {
                self.close();
            }
            '\\' => match self.next() {
                Some('\n') | None => {}
                Some(c @ ('$' | '`' | '"' | '\\')) => self.draft().text.push(c),
                Some(c) => self.draft().text.extend(['\\', c]),
            },
            '$' => self.dollar(),
            '`' => self.backquotes(),
            c => self.draft().text.push(c),
        }
    }

    pub(super) fn in_braces(&mut self, c: char, quoted: bool) {
        match c {
            '}' => {
                self.close();
            }
            '\\' => {
                self.next();
            }
            '\'' if !quoted => self.rest = self.rest.split_once('\'').map_or("", |(_, rest)| rest),
            '"' => self.open(Within::DoubleQuotes),
            '$' => self.dollar(),
            '`' => self.backquotes(),
            _ => {}
        }
    }

    /// After `$'`: bash's quotes in which a backslash escapes. What its escapes mean is not needed.
    pub(super) fn escapes(&mut self) {
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '\'' => break,
                '\\' => text.extend(self.next()),
                c => text.push(c),
            }
        }
        self.quoted().push_str(&text);
    }

    pub(super) fn dollar(&mut self) {
        if self.eat("(") {
            self.open_parentheses(Within::Substitution);
        } else if self.eat("{") {
            let quoted = matches!(self.level.within, Within::DoubleQuotes | Within::Braces { quoted: true });
            self.open(Within::Braces { quoted });
        } else if self.rest.starts_with(|c: char| c.is_ascii_digit() || "@*#?$!-".contains(c) || c == UNKNOWN) {
            self.next();
            self.unknown();
        } else {
            let rest = self.rest.trim_start_matches(is_of_name);
            if rest.len() == self.rest.len() {
                self.draft().text.push('$');
            } else {
                self.rest = rest;
                self.unknown();
            }
        }
    }

    pub(super) fn backquotes(&mut self) {
        let in_quotes = matches!(self.level.within, Within::DoubleQuotes);
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '`' => break,
                '\\' => match self.next() {
                    Some(c @ ('$' | '`' | '\\')) => text.push(c),
                    Some('"') if in_quotes => text.push('"'),
                    Some(c) => text.extend(['\\', c]),
                    None => {}
                },
                c => text.push(c),
            }
        }
        self.backquoted.push(text);
        self.unknown();
    }
}
