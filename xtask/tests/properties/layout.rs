//! Ways to lay a program out that do not change what it means.

use xtask::lint_spawns::rule::Rule;

use super::program::Program;

pub(crate) struct Layout {
    pub(crate) name: &'static str,
    /// Indentation, from the outermost block inwards; the last one is that of all deeper blocks.
    indents: &'static [&'static str],
    /// A header for each block that the whole program is put into.
    around: &'static [&'static str],
    /// Lines that are put between logical lines, each in its turn.
    between: &'static [&'static str],
    /// What is put before the first word of a logical line.
    before: &'static str,
    /// What is put after a logical line.
    after: &'static str,
    line_break: &'static str,
    byte_order_mark: bool,
    last_line_break: bool,
}

/// Spaces, line feeds, and nothing else.
pub(crate) const PLAIN: Layout = Layout {
    name: "plain",
    indents: &["    "],
    around: &[],
    between: &[],
    before: "",
    after: "",
    line_break: "\n",
    byte_order_mark: false,
    last_line_break: true,
};

pub(crate) const CHANGED: [Layout; 13] = [
    Layout { name: "carriage returns and line feeds", line_break: "\r\n", ..PLAIN },
    Layout { name: "carriage returns", line_break: "\r", ..PLAIN },
    Layout { name: "a byte order mark", byte_order_mark: true, ..PLAIN },
    Layout { name: "no last line break", last_line_break: false, ..PLAIN },
    Layout { name: "tabs", indents: &["\t"], ..PLAIN },
    Layout { name: "mixed indentation", indents: &[" ", "\t", "        ", "\t ", "  "], ..PLAIN },
    Layout { name: "inside an if", around: &["if True:"], ..PLAIN },
    Layout { name: "inside a method", around: &["class C:", "def f(self):"], indents: &["  "], ..PLAIN },
    Layout { name: "blank lines", between: &["", "  ", "\t", "", "\x0c", ""], ..PLAIN },
    Layout { name: "comments", between: COMMENTS, ..PLAIN },
    Layout { name: "white space and comments after lines", after: " \t\x0c # it's (os.setsid() \"\"\" \\", ..PLAIN },
    Layout { name: "backslashes before lines", before: "\\\n", ..PLAIN },
    Layout {
        name: "all at once",
        indents: &["\t", "  "],
        around: &["async def f():", "while 1: # :"],
        between: COMMENTS,
        before: "\\\n",
        after: "\t# (",
        line_break: "\r\n",
        byte_order_mark: true,
        last_line_break: false,
    },
];

/// Each statement has a marker, and these get none by the reference where they are written on several lines.
pub(crate) const MARKED: [Layout; 3] = [
    Layout { name: "markers behind statements", after: "  # detached-spawn: ok — why", ..PLAIN },
    Layout { name: "markers above statements", between: &["  # detached-spawn: ok — why"], ..PLAIN },
    Layout {
        name: "markers in comment blocks above statements",
        between: &["# it's a (\n\t# detached-spawn: ok — why\n# and \"\"\" \\"],
        line_break: "\r\n",
        ..PLAIN
    },
];

const COMMENTS: &[&str] = &[
    "# os.setsid()",
    "      # it's [",
    "#\t\"\"\" {'process_group': 0}",
    "  # f(start_new_session=True) \\",
    "#",
    "\t# windows_detach_popen_kwargs()",
];

impl Layout {
    /// The text, and the hits in it in order: 1-based lines and rules.
    pub(crate) fn lay_out(&self, program: &Program) -> (String, Vec<(usize, Rule)>) {
        let mut text = String::new();
        let mut hits = Vec::new();
        for (depth, header) in self.around.iter().enumerate() {
            self.indent(depth, &mut text);
            text += header;
            text.push('\n');
        }
        let mut between = self.between.iter().cycle();
        for line in &program.lines {
            if let Some(between) = between.next() {
                text += between;
                text.push('\n');
            }
            self.indent(self.around.len() + line.depth, &mut text);
            text += self.before;
            let first = 1 + text.matches('\n').count();
            hits.extend(line.hits.iter().map(|(line, rule)| (first + line, *rule)));
            text += &line.text;
            text += self.after;
            text.push('\n');
        }
        if !self.last_line_break {
            text.pop();
        }
        if self.byte_order_mark {
            text.insert(0, '\u{feff}');
        }
        (text.replace('\n', self.line_break), hits)
    }

    fn indent(&self, depth: usize, text: &mut String) {
        for level in 0..depth {
            *text += self.indents[level.min(self.indents.len() - 1)];
        }
    }
}
