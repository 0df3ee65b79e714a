//! Calls, the parameters of functions, and what is between them.

use xtask::lint_spawns::rule::Rule;

use super::expressions::Level;
use super::{Generator, Kind, Part, rule_of};

const KEYWORDS: &[&str] =
    &["start_new_session", "process_group", "start_new_session", "process_group", "k", "process_groups", "setsid", "é"];

const PARAMETERS: &[&str] = &["a", "b", "c", "process_group", "start_new_session", "d"];

impl Generator<'_> {
    pub(super) fn call(&mut self, line: usize) -> Part {
        let function = self.expression(Level::Primary);
        if function.kind == Kind::Helper {
            self.hits.insert((line, Rule::DetachHelper));
        }
        if self.choices.chance(8) {
            self.comprehension("(", ")");
        } else {
            self.open("(");
            self.arguments();
            self.close(")");
        }
        Part { line, kind: Kind::Other }
    }

    /// Those of a call or of a class, without the parentheses.
    pub(super) fn arguments(&mut self) {
        let mut comma = false;
        for _ in 0..self.choices.below(3) {
            self.comma(&mut comma);
            self.starred_or_named();
        }
        let mut unpacked = false;
        let first = self.choices.below(KEYWORDS.len());
        for number in 0..self.choices.below(4) {
            self.comma(&mut comma);
            match self.choices.below(6) {
                4 => {
                    self.token("**");
                    self.expression(Level::Test);
                    unpacked = true;
                }
                5 if !unpacked => {
                    self.token("*");
                    self.expression(Level::Test);
                }
                _ => self.keyword(number, first),
            }
        }
        if comma && self.choices.chance(3) {
            self.token(",");
        }
    }

    /// No keyword may be repeated: after the first of a call come those that follow it in the table.
    fn keyword(&mut self, number: usize, first: usize) {
        const DISTINCT: &[&str] = &["start_new_session", "process_group", "k", "process_groups", "setsid", "é"];
        let start = DISTINCT.iter().position(|name| *name == KEYWORDS[first]).unwrap_or_default();
        let name = DISTINCT[(start + number) % DISTINCT.len()];
        self.token(name);
        self.token("=");
        let value = self.expression(Level::Test);
        self.argument(rule_of(name), value.kind, value.line);
    }

    fn comma(&mut self, needed: &mut bool) {
        if *needed {
            self.token(",");
        }
        *needed = true;
    }

    /// The parameters of a lambda, or of a function, which can be annotated.
    pub(super) fn parameters(&mut self, annotated: bool) {
        let names = &PARAMETERS[..self.choices.below(PARAMETERS.len() + 1)];
        let mut comma = false;
        let mut default = false;
        // 0: before a slash or star, 1: after a slash, 2: after a star.
        let mut part = 0;
        for name in names {
            self.comma(&mut comma);
            match self.choices.below(8) {
                5 if part < 2 => {
                    self.token("*");
                    self.comma(&mut comma);
                    part = 2;
                    self.parameter(name, annotated, false);
                    continue;
                }
                6 if part < 2 => {
                    self.token("*");
                    self.token(name);
                    if annotated && self.choices.chance(2) {
                        self.token(":");
                        if self.any_dialect() && self.choices.chance(2) {
                            self.token("*");
                            self.expression(Level::BitOr);
                        } else {
                            self.expression(Level::Test);
                        }
                    }
                    part = 2;
                    continue;
                }
                7 => {
                    self.token("**");
                    self.parameter(name, annotated, false);
                    break;
                }
                _ => {}
            }
            // After one with a default, positional ones need theirs.
            let has_default = (default && part < 2) || self.choices.chance(2);
            default |= has_default;
            self.parameter(name, annotated, has_default);
            if part == 0 && self.choices.chance(6) {
                self.token(",");
                self.token("/");
                part = 1;
            }
        }
    }

    fn parameter(&mut self, name: &str, annotated: bool, default: bool) {
        self.token(name);
        if annotated && self.choices.chance(3) {
            self.token(":");
            self.expression(Level::Test);
        }
        if default {
            self.token("=");
            self.expression(Level::Test);
        }
    }

    /// `[T: int, *Ts, **P]`, which is not in every statement that could have it.
    pub(super) fn type_parameters(&mut self) {
        if !self.choices.chance(4) {
            return;
        }
        self.open("[");
        let count = 1 + self.choices.below(3);
        let mut default = false;
        for name in &["T", "U", "V"][..count] {
            let stars = self.choices.pick(&["", "", "*", "**"]);
            if !stars.is_empty() {
                self.token(stars);
            }
            self.token(name);
            if stars.is_empty() && self.choices.chance(2) {
                self.token(":");
                self.expression(Level::Test);
            }
            default = self.any_dialect() && (default || self.choices.chance(2));
            if default {
                self.token("=");
                if stars == "*" && self.choices.chance(2) {
                    self.token("*");
                    self.expression(Level::BitOr);
                } else {
                    self.expression(Level::Test);
                }
            }
            self.token(",");
        }
        self.close("]");
    }
}
