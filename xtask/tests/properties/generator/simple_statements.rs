//! Statements that are part of a line.

use super::expressions::Level;
use super::{Generator, Kind, Part};

const AUGMENTED: &[&str] = &["+=", "-=", "*=", "@=", "/=", "//=", "%=", "**=", ">>=", "<<=", "&=", "^=", "|="];

const IMPORTS: &[&[&str]] = &[
    &["import", "os"],
    &["import", "a", ".", "setsid", "as", "b", ",", "os", ".", "path"],
    &["from", "os", "import", "setsid"],
    &["from", ".", ".", "a", "import", "process_group", "as", "b", ",", "c"],
    &["from", ".", "import", "*"],
];

impl Generator<'_> {
    /// One or more, with semicolons between them.
    pub(super) fn simple_statements(&mut self) {
        self.simple_statement();
        while self.choices.chance(6) {
            self.token(";");
            self.simple_statement();
        }
        if self.choices.chance(12) {
            self.token(";");
        }
        if self.choices.chance(10) {
            self.comment();
        }
    }

    fn simple_statement(&mut self) {
        match self.choices.below(24) {
            0 => self.token("pass"),
            1..5 => self.expression_statement(),
            5..10 => self.assignment(),
            10 => self.augmented_assignment(),
            11 => self.annotated_assignment(),
            12 => {
                self.token("del");
                self.targets();
            }
            13 => {
                self.token("return");
                if !self.choices.chance(4) {
                    self.expressions();
                }
            }
            14 => self.raise(),
            15 => {
                self.token("assert");
                self.expression(Level::Test);
                if self.choices.chance(2) {
                    self.token(",");
                    self.expression(Level::Test);
                }
            }
            16 => {
                let statement = self.choices.pick(&["break", "continue"]);
                self.token(statement);
            }
            17 => {
                let statement = self.choices.pick(&["global", "nonlocal"]);
                self.tokens(&[statement, "process_group", ",", "setsid"]);
            }
            18 => self.import(),
            // The parser looks for it at the start of a line only.
            19 | 20 if self.any_dialect() || self.text.is_empty() => self.type_alias(),
            21 => {
                self.yielded();
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) {
        self.expressions();
    }

    /// The targets come first, but whether they are hits is told by the value.
    fn assignment(&mut self) {
        let mut targets: Vec<Part> = Vec::new();
        for _ in 0..1 + self.choices.below(2) {
            let target = if self.choices.chance(2) { self.item() } else { self.targets() };
            targets.push(target);
            self.token("=");
        }
        let value = match self.choices.below(6) {
            4 => self.yielded(),
            5 => {
                self.expression(Level::Test);
                self.token(",");
                Kind::Other
            }
            _ => self.expression(Level::Test).kind,
        };
        for target in targets {
            if let Kind::Key(rule) = target.kind {
                self.argument(Some(rule), value, target.line);
            }
        }
    }

    /// `kw["process_group"]` and its like, maybe in parentheses. Its kind is that of the key.
    fn item(&mut self) -> Part {
        let parentheses = self.choices.chance(8);
        if parentheses {
            self.open("(");
        }
        let line = self.place();
        let kind = if self.choices.chance(3) {
            self.subscript().unwrap_or(Kind::Other)
        } else {
            self.expression(Level::Primary);
            self.open("[");
            let key = self.strings();
            self.close("]");
            key.kind
        };
        if parentheses {
            self.close(")");
        }
        Part { line, kind }
    }

    fn augmented_assignment(&mut self) {
        self.single_target();
        let operator = self.choices.pick(AUGMENTED);
        self.token(operator);
        if self.choices.chance(6) {
            self.yielded();
        } else {
            self.expressions();
        }
    }

    fn annotated_assignment(&mut self) {
        self.place();
        let start = self.text.len();
        self.single_target();
        // No target of an annotation may begin with a parenthesis, to CPython before 3.14.
        if self.text[start..].starts_with('(') {
            return;
        }
        self.token(":");
        self.expression(Level::Test);
        if self.choices.chance(2) {
            self.token("=");
            self.expression(Level::Test);
        }
    }

    /// A name, attribute or item.
    pub(super) fn single_target(&mut self) -> Part {
        let line = self.place();
        match self.choices.below(3) {
            0 => {
                self.name();
            }
            1 => {
                self.attribute();
            }
            _ => return self.item(),
        }
        Part { line, kind: Kind::Other }
    }

    /// What can be assigned to, as in `for` and `with`.
    pub(super) fn targets(&mut self) -> Part {
        let line = self.place();
        match self.choices.below(8) {
            5 => {
                self.single_target();
                self.token(",");
                self.single_target();
            }
            6 => {
                self.open("(");
                self.single_target();
                self.token(",");
                self.single_target();
                self.close(")");
            }
            7 => {
                self.open("[");
                self.single_target();
                self.close("]");
            }
            _ => return self.single_target(),
        }
        Part { line, kind: Kind::Other }
    }

    fn raise(&mut self) {
        self.token("raise");
        if self.choices.chance(4) {
            return;
        }
        self.expression(Level::Test);
        if self.choices.chance(2) {
            self.token("from");
            self.expression(Level::Test);
        }
    }

    fn import(&mut self) {
        if self.choices.chance(4) {
            self.tokens(&["from", "os", "import"]);
            self.open("(");
            self.tokens(&["setsid", ",", "setpgrp", "as", "b"]);
            self.close(")");
        } else {
            let import = self.choices.pick(IMPORTS);
            self.tokens(import);
        }
    }

    fn type_alias(&mut self) {
        self.token("type");
        let name = self.choices.pick(&["X", "process_group", "Setsid"]);
        self.token(name);
        self.type_parameters();
        self.token("=");
        self.expression(Level::Test);
    }
}
