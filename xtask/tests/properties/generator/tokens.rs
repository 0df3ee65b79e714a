//! Tokens, and the white space, line breaks and comments between them.

use super::Generator;

const COMMENTS: &[&str] = &[
    "# a",
    "# it's",
    "#(",
    "# os.setsid()",
    "# f(start_new_session=True)",
    "# ]}) \"\"\" '''",
    "# {'",
    "# 'process_group': 0, \\",
    "#é detached-spawn: ok - why",
    "# windows_detach_popen_kwargs()",
];

impl Generator<'_> {
    pub(super) fn token(&mut self, token: &str) {
        self.place();
        self.placed = false;
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let (last, first) = (self.text.chars().next_back(), token.chars().next());
        let would_join = match (last, first) {
            (Some(last), Some(first)) => {
                (is_word(last) && is_word(first)) || (last == first && matches!(first, '"' | '\''))
            }
            _ => false,
        };
        if would_join {
            self.text.push(' ');
        }
        self.raw(token);
    }

    pub(super) fn tokens(&mut self, tokens: &[&str]) {
        for token in tokens {
            self.token(token);
        }
    }

    pub(super) fn open(&mut self, bracket: &str) {
        self.token(bracket);
        self.brackets += 1;
    }

    pub(super) fn close(&mut self, bracket: &str) {
        self.token(bracket);
        self.brackets -= 1;
    }

    /// Goes to where the next token starts, and tells its line.
    pub(super) fn place(&mut self) -> usize {
        if !self.placed && !self.text.is_empty() {
            self.space();
        }
        self.placed = true;
        self.line
    }

    /// What is text to the generator: it joins it to what there is.
    pub(super) fn raw(&mut self, text: &str) {
        self.line += text.matches('\n').count();
        self.text += text;
    }

    pub(super) fn space(&mut self) {
        match self.choices.below(26) {
            0..12 => {}
            12..20 => self.raw(" "),
            20 => self.raw("  \t"),
            21 => self.raw(" \x0c"),
            22 => self.raw("\\\n"),
            23 if self.brackets > 0 => self.raw("\n"),
            24 if self.brackets > 0 => self.raw("\n\n\t  "),
            25 if self.brackets > 0 => {
                self.comment();
                self.raw("\n  ");
            }
            _ => self.raw(" \\\n  "),
        }
    }

    pub(super) fn comment(&mut self) {
        let comment = self.choices.pick(COMMENTS);
        self.raw("  ");
        self.raw(comment);
    }

    pub(super) fn name(&mut self) -> &'static str {
        const NAMES: &[&str] = &[
            "a",
            "b",
            "os",
            "setsid",
            "process_group",
            "é",
            "kw",
            "self",
            "preexec_fn",
            "start_new_session_",
            "f",
            "_",
        ];
        const SOFT_KEYWORDS: &[&str] = &["match", "case", "type"];
        let name = if self.any_dialect() && self.choices.chance(12) {
            self.choices.pick(SOFT_KEYWORDS)
        } else {
            self.choices.pick(NAMES)
        };
        self.token(name);
        name
    }
}
