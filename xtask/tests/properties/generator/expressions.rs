//! Expressions.

use xtask::lint_spawns::rule::Rule;

use super::{Generator, HELPER, Kind, Part};

/// How tightly an expression binds: where a tighter one is wanted, it gets parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Yield,
    Named,
    Test,
    Or,
    And,
    Not,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Term,
    Factor,
    Await,
    Number,
    Primary,
}

/// Deeper than this there are only atoms.
const DEEPEST: usize = 6;

/// Operators, and what their operands must bind as tightly as: sums and products, bits, logic.
const BINARY: &[(&str, Level, Level)] = &[
    ("+", Level::Sum, Level::Term),
    ("-", Level::Sum, Level::Term),
    ("*", Level::Term, Level::Factor),
    ("@", Level::Term, Level::Factor),
    ("/", Level::Term, Level::Factor),
    ("//", Level::Term, Level::Factor),
    ("%", Level::Term, Level::Factor),
    ("**", Level::Await, Level::Factor),
    ("<<", Level::Shift, Level::Sum),
    (">>", Level::Shift, Level::Sum),
    ("|", Level::BitOr, Level::BitXor),
    ("^", Level::BitXor, Level::BitAnd),
    ("&", Level::BitAnd, Level::Shift),
    ("and", Level::Not, Level::Not),
    ("or", Level::And, Level::And),
];

const COMPARISONS: &[&[&str]] =
    &[&["<"], &[">="], &["=="], &["!="], &["in"], &["not", "in"], &["is"], &["is", "not"], &["<="], &[">"]];

impl Generator<'_> {
    /// An expression that binds at least as tightly as `level`.
    pub(super) fn expression(&mut self, level: Level) -> Part {
        self.nesting += 1;
        let choice = if self.nesting > DEEPEST { self.choices.below(12) } else { self.choices.below(52) };
        let own_level = level_of(choice);
        let part = if own_level < level || self.choices.chance(14) {
            self.open("(");
            let part = self.core(choice);
            self.close(")");
            part
        } else {
            self.core(choice)
        };
        self.nesting -= 1;
        part
    }

    /// The expression without parentheses around it. [`level_of`] knows the choices.
    fn core(&mut self, choice: usize) -> Part {
        let line = self.place();
        let kind = match choice {
            0..3 => self.name_expression(),
            3..6 => self.literal(),
            6..8 => self.number(),
            8..11 => return self.strings(),
            11 => {
                self.token(HELPER);
                Kind::Helper
            }
            12..16 => self.attribute(),
            16..25 => return self.call(line),
            25..27 => {
                self.subscript();
                Kind::Other
            }
            27..30 => self.dict(),
            30 => self.display("[", "]"),
            31 => self.display("{", "}"),
            32 => self.tuple(),
            33 => self.comprehension("[", "]"),
            34 => self.comprehension("{", "}"),
            35 => self.comprehension("(", ")"),
            36 => self.dict_comprehension(),
            37..40 => self.binary(choice - 37),
            40 => self.comparison(),
            41 => self.unary("not", Level::Not),
            42 => {
                let operator = self.choices.pick(&["-", "+", "~"]);
                self.unary(operator, Level::Factor)
            }
            43 => self.unary("await", Level::Number),
            44..46 => self.ternary(),
            46..48 => self.lambda(),
            48 => self.named(),
            49 => self.yielded(),
            _ => return self.strings(),
        };
        Part { line, kind }
    }

    fn name_expression(&mut self) -> Kind {
        if self.name() == "os" { Kind::Os } else { Kind::Other }
    }

    fn literal(&mut self) -> Kind {
        let literal = self.choices.pick(&["None", "False", "True", "..."]);
        self.token(literal);
        match literal {
            "None" => Kind::None,
            "False" => Kind::False,
            _ => Kind::Other,
        }
    }

    fn number(&mut self) -> Kind {
        const NUMBERS: &[&str] = &["1", "42", "0x1F", "1_000", "1.5", ".5", "2e3", "3j", "0b1"];
        const ZEROS: &[&str] = &["0", "0.0", "0j", "0x0", "00", "0_0", "0e5", ".0", "0b0", "0o0", "0.0J"];
        if self.choices.chance(2) {
            let zero = self.choices.pick(ZEROS);
            self.token(zero);
            Kind::False
        } else {
            let number = self.choices.pick(NUMBERS);
            self.token(number);
            Kind::Other
        }
    }

    pub(super) fn attribute(&mut self) -> Kind {
        const ATTRIBUTES: &[&str] =
            &["a", "setsid", "setpgid", "setpgrp", "setsid", HELPER, "process_group", "match", "os", "getsid"];
        let line = self.place();
        let object = self.expression(Level::Primary);
        self.token(".");
        let attribute = self.choices.pick(ATTRIBUTES);
        self.token(attribute);
        if object.kind == Kind::Os && Rule::OsSetsid.needles().contains(&attribute) {
            self.hits.insert((line, Rule::OsSetsid));
        }
        if attribute == HELPER { Kind::Helper } else { Kind::Other }
    }

    /// The kind of its index, if that is one expression.
    pub(super) fn subscript(&mut self) -> Option<Kind> {
        self.expression(Level::Primary);
        self.open("[");
        let mut only = None;
        match self.choices.below(6) {
            0..3 => only = Some(self.expression(Level::Test).kind),
            3 if self.any_dialect() => {
                self.list(&mut |generator| {
                    if generator.choices.chance(2) {
                        generator.token("*");
                        generator.expression(Level::BitOr);
                    } else {
                        generator.expression(Level::Named);
                    }
                    generator.token(",");
                });
            }
            3 => {
                self.expression(Level::Test);
                self.token(",");
                self.slice();
            }
            _ => self.slice(),
        }
        self.close("]");
        only
    }

    fn slice(&mut self) {
        let colons = 1 + self.choices.below(2);
        for place in 0..=colons {
            if place > 0 {
                self.token(":");
            }
            if self.choices.chance(2) {
                self.expression(Level::Test);
            }
        }
    }

    fn dict(&mut self) -> Kind {
        self.open("{");
        for _ in 0..self.choices.below(4) {
            if self.choices.chance(5) {
                self.token("**");
                self.expression(Level::BitOr);
            } else {
                let key = if self.choices.chance(3) { self.expression(Level::Test) } else { self.strings() };
                self.token(":");
                let value = self.expression(Level::Test);
                if let Kind::Key(rule) = key.kind {
                    self.argument(Some(rule), value.kind, key.line);
                }
            }
            self.token(",");
        }
        self.close("}");
        Kind::Other
    }

    fn display(&mut self, open: &str, close: &str) -> Kind {
        self.open(open);
        let mut items = self.choices.below(3);
        // A set cannot be empty.
        if open == "{" {
            items += 1;
        }
        for _ in 0..items {
            self.starred_or_named();
            self.token(",");
        }
        self.close(close);
        Kind::Other
    }

    fn tuple(&mut self) -> Kind {
        self.open("(");
        for _ in 0..self.choices.below(3) {
            self.starred_or_named();
            self.token(",");
        }
        self.close(")");
        Kind::Other
    }

    pub(super) fn starred_or_named(&mut self) {
        if self.choices.chance(6) {
            self.token("*");
            self.expression(Level::BitOr);
        } else {
            self.expression(Level::Named);
        }
    }

    pub(super) fn comprehension(&mut self, open: &str, close: &str) -> Kind {
        self.open(open);
        self.expression(Level::Named);
        self.comprehension_clauses();
        self.close(close);
        Kind::Other
    }

    fn dict_comprehension(&mut self) -> Kind {
        self.open("{");
        self.expression(Level::Test);
        self.token(":");
        self.expression(Level::Test);
        self.comprehension_clauses();
        self.close("}");
        Kind::Other
    }

    fn comprehension_clauses(&mut self) {
        for _ in 0..=self.choices.below(2) {
            if self.choices.chance(6) {
                self.token("async");
            }
            self.token("for");
            self.targets();
            self.token("in");
            self.expression(Level::Or);
            for _ in 0..self.choices.below(3) {
                self.token("if");
                self.expression(Level::Or);
            }
        }
    }

    fn binary(&mut self, family: usize) -> Kind {
        let (operator, left, right) = match family {
            0 => BINARY[self.choices.below(8)],
            1 => BINARY[8 + self.choices.below(5)],
            _ => BINARY[13 + self.choices.below(2)],
        };
        self.expression(left);
        self.token(operator);
        self.expression(right);
        Kind::Other
    }

    fn comparison(&mut self) -> Kind {
        self.expression(Level::BitOr);
        for _ in 0..=self.choices.below(2) {
            let operator = self.choices.pick(COMPARISONS);
            self.tokens(operator);
            self.expression(Level::BitOr);
        }
        Kind::Other
    }

    fn unary(&mut self, operator: &str, operand: Level) -> Kind {
        self.token(operator);
        self.expression(operand);
        Kind::Other
    }

    fn ternary(&mut self) -> Kind {
        self.expression(Level::Or);
        self.token("if");
        self.expression(Level::Or);
        self.token("else");
        self.expression(Level::Test);
        Kind::Other
    }

    fn lambda(&mut self) -> Kind {
        self.token("lambda");
        self.parameters(false);
        self.token(":");
        self.expression(Level::Test);
        Kind::Other
    }

    fn named(&mut self) -> Kind {
        self.name();
        self.token(":=");
        self.expression(Level::Test);
        Kind::Other
    }

    pub(super) fn yielded(&mut self) -> Kind {
        self.token("yield");
        match self.choices.below(3) {
            0 => {}
            1 => self.expressions(),
            _ => {
                self.token("from");
                self.expression(Level::Test);
            }
        }
        Kind::Other
    }

    /// One expression, or a tuple without parentheses.
    pub(super) fn expressions(&mut self) {
        if !self.choices.chance(4) {
            self.expression(Level::Test);
            return;
        }
        self.starred_or_test();
        self.token(",");
        if self.choices.chance(2) {
            self.starred_or_test();
        }
    }

    fn starred_or_test(&mut self) {
        if self.choices.chance(3) {
            self.token("*");
            self.expression(Level::BitOr);
        } else {
            self.expression(Level::Test);
        }
    }

    /// One to three of what `item` writes.
    pub(super) fn list(&mut self, item: &mut dyn FnMut(&mut Self)) {
        for _ in 0..=self.choices.below(3) {
            item(self);
        }
    }
}

/// Of the expression that [`Generator::core`] makes of a choice.
fn level_of(choice: usize) -> Level {
    match choice {
        6..8 => Level::Number,
        37 => Level::Sum,
        38 => Level::BitOr,
        39 => Level::Or,
        40 => Level::Comparison,
        41 => Level::Not,
        42 => Level::Factor,
        43 => Level::Await,
        44..48 => Level::Test,
        48 => Level::Named,
        49 => Level::Yield,
        _ => Level::Primary,
    }
}
