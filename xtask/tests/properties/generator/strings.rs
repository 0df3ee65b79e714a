//! String literals of every kind.

use super::expressions::Level;
use super::{Generator, Kind, Part, rule_of};

const PREFIXES: &[&str] = &["", "", "", "r", "R", "u", "U"];
const BYTES_PREFIXES: &[&str] = &["b", "B", "rb", "bR", "Br"];
const FORMAT_PREFIXES: &[&str] = &["f", "F", "rf", "fR"];
const TEMPLATE_PREFIXES: &[&str] = &["t", "T", "rt", "tR"];
const QUOTES: &[&str] = &["'", "\"", "'''", "\"\"\""];

/// A literal that says one of these, and nothing else, can be the key of a shape.
const KEYS: &[&str] = &["start_new_session", "process_group"];

/// Text without quotes, braces and line breaks.
const PIECES: &[&str] = &[
    "x",
    " ",
    "os.setsid()",
    "f(start_new_session=True)",
    "process_group ",
    "#",
    "# (",
    "[)",
    "\\\\",
    "\\n",
    "\\x41",
    "\\'",
    "\\\"",
    ";",
    ":",
    "!r",
    "lambda",
    "\t\x0c",
    "windows_detach_popen_kwargs()",
    "\\\n",
];

const QUOTED_PIECES: &[&str] = &["it's", "say \"no\" to", "a''b", "a\"\"b"];
const BRACES: &[&str] = &["{", "}", "{}", "{'process_group': 0}", "}{"];
const DOUBLED_BRACES: &[&str] = &["{{", "}}", "{{}}", "{{ os.setsid() }}", "}}{{"];
const UNICODE_PIECES: &[&str] = &["é", "\u{2028}", "\u{1f600}", "\u{85}"];
const SPECIFICATIONS: &[&str] = &["", ">10", "%Y-%m-%d #", "os.setsid("];

impl Generator<'_> {
    /// One or more literals, joined.
    pub(super) fn strings(&mut self) -> Part {
        let line = self.place();
        let kind = match self.choices.below(12) {
            0..6 => self.key_or_text(),
            6..8 => self.join(&mut |generator| generator.text_literal(BYTES_PREFIXES)),
            8..11 if self.any_dialect() => self.join(&mut |generator| {
                if generator.choices.chance(3) {
                    generator.text_literal(PREFIXES);
                } else {
                    generator.format_literal(FORMAT_PREFIXES);
                }
            }),
            11 if self.any_dialect() => self.join(&mut |generator| generator.format_literal(TEMPLATE_PREFIXES)),
            _ => self.plain_strings(),
        };
        Part { line, kind }
    }

    /// Those that can stand in patterns.
    pub(super) fn plain_strings(&mut self) -> Kind {
        self.join(&mut |generator| generator.text_literal(PREFIXES))
    }

    pub(super) fn key_or_text(&mut self) -> Kind {
        if self.choices.chance(4) {
            self.text_literal(PREFIXES);
            return Kind::Other;
        }
        let key = self.choices.pick(KEYS);
        let prefix = self.choices.pick(PREFIXES);
        let quotes = self.choices.pick(QUOTES);
        self.token(&[prefix, quotes, key, quotes].concat());
        if self.choices.chance(20) {
            self.token("\"\"");
        }
        rule_of(key).map_or(Kind::Other, Kind::Key)
    }

    fn join(&mut self, literal: &mut dyn FnMut(&mut Self)) -> Kind {
        literal(self);
        while self.choices.chance(5) {
            literal(self);
        }
        Kind::Other
    }

    fn text_literal(&mut self, prefixes: &[&str]) {
        let prefix = self.choices.pick(prefixes);
        let quotes = self.choices.pick(QUOTES);
        self.token(&[prefix, quotes].concat());
        let is_bytes = prefix.to_ascii_lowercase().contains('b');
        for _ in 0..self.choices.below(4) {
            match self.choices.below(6) {
                0 if !is_bytes => {
                    let piece = self.choices.pick(UNICODE_PIECES);
                    self.raw(piece);
                }
                1 => {
                    let piece = self.choices.pick(BRACES);
                    if !piece.contains(&quotes[..1]) {
                        self.raw(piece);
                    }
                }
                _ => self.piece(quotes),
            }
        }
        self.raw(quotes);
    }

    fn piece(&mut self, quotes: &str) {
        match self.choices.below(8) {
            6 => {
                let piece = self.choices.pick(QUOTED_PIECES);
                let ends = if quotes.len() == 1 { piece.contains(quotes) } else { false };
                if !ends {
                    self.raw(piece);
                }
            }
            7 if quotes.len() == 3 => self.raw("\n"),
            _ => {
                let piece = self.choices.pick(PIECES);
                self.raw(piece);
            }
        }
    }

    fn format_literal(&mut self, prefixes: &[&str]) {
        let prefix = self.choices.pick(prefixes);
        let quotes = self.choices.pick(QUOTES);
        self.token(&[prefix, quotes].concat());
        for _ in 0..self.choices.below(4) {
            match self.choices.below(5) {
                0 | 1 => self.field(),
                2 => {
                    let piece = self.choices.pick(DOUBLED_BRACES);
                    self.raw(piece);
                }
                3 if !prefix.to_ascii_lowercase().contains('r') => self.raw("\\N{EM DASH}"),
                _ => self.piece(quotes),
            }
        }
        self.raw(quotes);
    }

    fn field(&mut self) {
        self.field_start();
        if self.choices.chance(5) {
            self.token("=");
        }
        self.space();
        if self.choices.chance(4) {
            let conversion = self.choices.pick(&["!r", "!s", "!a"]);
            self.raw(conversion);
        }
        if self.choices.chance(4) {
            self.raw(":");
            let specification = self.choices.pick(SPECIFICATIONS);
            self.raw(specification);
            if self.choices.chance(3) {
                self.field_start();
                self.field_end();
            }
        }
        self.field_end();
    }

    fn field_start(&mut self) {
        self.raw("{");
        self.brackets += 1;
        self.place();
        let start = self.text.len();
        match self.choices.below(10) {
            6 => {
                // What follows is not free to have a colon of its own.
                self.token("yield");
                if self.choices.chance(2) {
                    self.token("from");
                }
                self.expression(Level::Or);
            }
            7 => {
                self.token("*");
                self.expression(Level::BitOr);
                self.token(",");
            }
            8 => {
                self.expression(Level::Or);
                self.token(",");
                self.expression(Level::Or);
            }
            _ => {
                self.expression(Level::Or);
            }
        }
        // Two braces would be text.
        if self.text[start..].starts_with('{') {
            self.text.insert(start, ' ');
        }
    }

    fn field_end(&mut self) {
        self.raw("}");
        self.brackets -= 1;
    }
}
