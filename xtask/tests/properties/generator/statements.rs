//! Statements that are lines of their own.

use super::Generator;
use super::expressions::Level;

/// Deeper than this there are no further blocks.
const DEEPEST: usize = 4;

impl Generator<'_> {
    pub(super) fn statement(&mut self) {
        let compound = self.depth < DEEPEST && self.choices.chance(2);
        if !compound {
            self.simple_statements();
            self.end_line();
            return;
        }
        match self.choices.below(10) {
            0 => self.if_statement(),
            1 => self.while_statement(),
            2 => self.for_statement(),
            3 => self.with_statement(),
            4 => self.try_statement(),
            5 => self.try_star_statement(),
            6 | 7 => self.function(),
            8 => self.class(),
            _ => self.match_statement(),
        }
    }

    /// The colon of a clause, and what it is a header of.
    fn body(&mut self) {
        self.token(":");
        if self.choices.chance(4) {
            self.simple_statements();
            self.end_line();
            return;
        }
        if self.choices.chance(10) {
            self.comment();
        }
        self.end_line();
        self.depth += 1;
        for _ in 0..=self.choices.below(2) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn clause(&mut self, keyword: &str) {
        self.token(keyword);
        self.body();
    }

    fn condition(&mut self, keyword: &str) {
        self.token(keyword);
        self.expression(Level::Named);
        self.body();
    }

    fn if_statement(&mut self) {
        self.condition("if");
        while self.choices.chance(3) {
            self.condition("elif");
        }
        if self.choices.chance(3) {
            self.clause("else");
        }
    }

    fn while_statement(&mut self) {
        self.condition("while");
        if self.choices.chance(4) {
            self.clause("else");
        }
    }

    fn maybe_async(&mut self) {
        if self.choices.chance(4) {
            self.token("async");
        }
    }

    fn for_statement(&mut self) {
        self.maybe_async();
        self.token("for");
        self.targets();
        self.token("in");
        self.expressions();
        self.body();
        if self.choices.chance(4) {
            self.clause("else");
        }
    }

    fn with_statement(&mut self) {
        self.maybe_async();
        self.token("with");
        if self.choices.chance(3) {
            self.open("(");
            self.list(&mut |generator| {
                generator.with_item();
                generator.token(",");
            });
            self.close(")");
        } else {
            self.with_item();
            while self.choices.chance(4) {
                self.token(",");
                self.with_item();
            }
        }
        self.body();
    }

    fn with_item(&mut self) {
        self.expression(Level::Test);
        if self.choices.chance(2) {
            self.token("as");
            self.single_target();
        }
    }

    fn try_statement(&mut self) {
        self.clause("try");
        let handlers = self.choices.below(3);
        for _ in 0..handlers {
            self.handler(&["except"]);
        }
        if handlers > 0 {
            if self.choices.chance(4) {
                self.clause("except");
            }
            if self.choices.chance(4) {
                self.clause("else");
            }
        }
        if handlers == 0 || self.choices.chance(4) {
            self.clause("finally");
        }
    }

    fn try_star_statement(&mut self) {
        self.clause("try");
        self.list(&mut |generator| generator.handler(&["except", "*"]));
    }

    fn handler(&mut self, keyword: &[&str]) {
        self.tokens(keyword);
        self.expression(Level::Test);
        match self.choices.below(4) {
            1 => self.tokens(&["as", "process_group"]),
            2 if self.any_dialect() => {
                self.token(",");
                self.expression(Level::Test);
            }
            _ => {}
        }
        self.body();
    }

    fn decorators(&mut self) {
        while self.choices.chance(4) {
            self.token("@");
            self.expression(Level::Named);
            if self.choices.chance(10) {
                self.comment();
            }
            self.end_line();
        }
    }

    fn function(&mut self) {
        self.decorators();
        self.maybe_async();
        self.token("def");
        let name = self.choices.pick(&["f", "setsid", "process_group", "windows_detach_popen_kwargs"]);
        self.token(name);
        self.type_parameters();
        self.open("(");
        self.parameters(true);
        self.close(")");
        if self.choices.chance(4) {
            self.token("->");
            self.expression(Level::Test);
        }
        self.body();
    }

    fn class(&mut self) {
        self.decorators();
        self.tokens(&["class", "C"]);
        self.type_parameters();
        if self.choices.chance(2) {
            self.open("(");
            self.arguments();
            self.close(")");
        }
        self.body();
    }

    fn match_statement(&mut self) {
        self.token("match");
        if self.choices.chance(5) {
            self.starred_or_named();
            self.token(",");
        } else {
            self.expression(Level::Named);
        }
        self.token(":");
        self.end_line();
        self.depth += 1;
        self.list(&mut |generator| {
            generator.token("case");
            generator.top_pattern();
            if generator.choices.chance(4) {
                generator.token("if");
                generator.expression(Level::Named);
            }
            generator.body();
        });
        self.depth -= 1;
    }
}
