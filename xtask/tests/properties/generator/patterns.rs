//! Patterns of `match`.

use xtask::lint_spawns::rule::Rule;

use super::Generator;

impl Generator<'_> {
    /// What stands after `case`.
    pub(super) fn top_pattern(&mut self) {
        if self.choices.chance(5) {
            self.pattern();
            self.token(",");
            if self.choices.chance(2) {
                self.token("*");
                self.token("rest");
            }
        } else {
            self.pattern();
        }
    }

    fn pattern(&mut self) {
        self.nesting += 1;
        self.alternative();
        if self.nesting < 4 {
            while self.choices.chance(6) {
                self.token("|");
                self.alternative();
            }
            if self.choices.chance(8) {
                self.token("as");
                self.token("whole");
            }
        }
        self.nesting -= 1;
    }

    fn alternative(&mut self) {
        let choice = if self.nesting > 4 { self.choices.below(6) } else { self.choices.below(12) };
        match choice {
            0 => self.token("_"),
            1 => {
                let name = self.choices.pick(&["a", "setsid", "process_group", "start_new_session"]);
                self.token(name);
            }
            2 => {
                let literal = self.choices.pick(&["None", "True", "False", "0", "- 1", "1.5", "0x10", "-2j", "1 + 2j"]);
                self.token(literal);
            }
            3 => {
                self.plain_strings();
            }
            4 | 5 => self.dotted_name(),
            6 => {
                self.open("(");
                self.pattern();
                self.close(")");
            }
            7 => self.sequence("(", ")"),
            8 => self.sequence("[", "]"),
            9 | 10 => self.class_pattern(),
            _ => self.mapping(),
        }
    }

    fn dotted_name(&mut self) {
        let line = self.place();
        let object = self.choices.pick(&["os", "a"]);
        self.token(object);
        self.token(".");
        let attribute = self.choices.pick(&["setsid", "setpgrp", "b", "setsid_"]);
        self.token(attribute);
        if object == "os" && Rule::OsSetsid.needles().contains(&attribute) {
            self.hits.insert((line, Rule::OsSetsid));
        }
        if self.choices.chance(5) {
            self.tokens(&[".", "setsid"]);
        }
    }

    fn sequence(&mut self, open: &str, close: &str) {
        self.open(open);
        for _ in 0..self.choices.below(3) {
            self.pattern();
            self.token(",");
        }
        if self.choices.chance(3) {
            self.tokens(&["*", "_", ","]);
        }
        self.close(close);
    }

    fn class_pattern(&mut self) {
        if self.choices.chance(4) {
            self.dotted_name();
        } else {
            self.token("Popen");
        }
        self.open("(");
        for _ in 0..self.choices.below(3) {
            self.pattern();
            self.token(",");
        }
        for keyword in ["start_new_session", "process_group"] {
            if self.choices.chance(2) {
                self.tokens(&[keyword, "="]);
                self.pattern();
                self.token(",");
            }
        }
        self.close(")");
    }

    fn mapping(&mut self) {
        self.open("{");
        for _ in 0..self.choices.below(3) {
            match self.choices.below(3) {
                0 => {
                    self.plain_strings();
                }
                1 => {
                    self.key_or_text();
                }
                _ => self.dotted_name(),
            }
            self.token(":");
            self.pattern();
            self.token(",");
        }
        if self.choices.chance(4) {
            self.tokens(&["**", "rest"]);
        }
        self.close("}");
    }
}
