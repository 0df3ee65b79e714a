//! The blocks of a text: each case is a text, and below it its outline, a line for each of its logical lines.

use std::fmt::Write as _;

use xtask::lint_spawns::python::outline::{Opens, Outline};

/// For each line of code how many blocks it is in, a mark if it opens a class or function, its definition, how many lines
/// its block has, and how it begins.
fn outline(text: &str) -> String {
    let outline = Outline::new(text);
    let mut shown = String::new();
    for (at, line) in outline.lines().iter().enumerate() {
        assert_eq!(outline.line_at(line.range.start), Some(at), "the line at the start of line {at} of {text:?}");
        assert_eq!(outline.line_at(line.range.end), Some(at), "the line at the end of line {at} of {text:?}");
        let blocks = outline.around(at).count();
        let mark = match line.opens {
            Opens::Function => "def ",
            Opens::Class => "class ",
            Opens::Other => "",
        };
        let definition = outline.definition(text, at).unwrap_or_default();
        let code = text[line.range.clone()].trim_start().lines().next().unwrap_or_default();
        let _ = writeln!(shown, "{blocks} {mark}[{definition}] +{} {code}", line.end - at - 1);
    }
    shown
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(outline(text).lines().collect::<Vec<_>>(), expected, "the outline of {text:?}");
}

#[test]
fn blocks() {
    check("a\nb", &["0 [] +0 a", "0 [] +0 b"]);
    check("if a:\n  b\n  c\nd", &["0 [] +2 if a:", "1 [] +0 b", "1 [] +0 c", "0 [] +0 d"]);
    check("if a:\n  if b:\n    c\n", &["0 [] +2 if a:", "1 [] +1 if b:", "2 [] +0 c"]);
    check("if a:\n  if b:\n    c\nd", &["0 [] +2 if a:", "1 [] +1 if b:", "2 [] +0 c", "0 [] +0 d"]);
    check("if a:\n  b\nelse:\n  c", &["0 [] +1 if a:", "1 [] +0 b", "0 [] +1 else:", "1 [] +0 c"]);
    check("if a: b\nc", &["0 [] +0 if a: b", "0 [] +0 c"]);
    check("", &[]);
    check("\n# a\n  # b\n\x0c\n", &[]);
    check("  a\nb", &["0 [] +0 a", "0 [] +0 b"]);
}

#[test]
fn what_is_no_line_ends_no_block() {
    check("if a:\n  b\n\n# c\n  d", &["0 [] +2 if a:", "1 [] +0 b", "1 [] +0 d"]);
    check("if a:\n  b = '''\nc\n'''\n  d", &["0 [] +2 if a:", "1 [] +0 b = '''", "1 [] +0 d"]);
    check("if a:\n  b = (\nc\n)\n  d", &["0 [] +2 if a:", "1 [] +0 b = (", "1 [] +0 d"]);
    check("if a:\n  b = \\\nc\n  d", &["0 [] +2 if a:", "1 [] +0 b = \\", "1 [] +0 d"]);
    check("if a:\n  b = f'''{\nc}'''\n  d", &["0 [] +2 if a:", "1 [] +0 b = f'''{", "1 [] +0 d"]);
}

#[test]
fn indentation() {
    check("if a:\n\tb\n        c", &["0 [] +2 if a:", "1 [] +0 b", "1 [] +0 c"]);
    check("if a:\n    b\n\tc", &["0 [] +2 if a:", "1 [] +1 b", "2 [] +0 c"]);
    check("if a:\n  \tb\n\tc", &["0 [] +2 if a:", "1 [] +0 b", "1 [] +0 c"]);
    check("if a:\n \x0c  b\n  c", &["0 [] +2 if a:", "1 [] +0 b", "1 [] +0 c"]);
    check("if a:\n  b\n  \x0cc", &["0 [] +1 if a:", "1 [] +0 b", "0 [] +0 c"]);
    check("if a:\n    b\n  c\nd", &["0 [] +2 if a:", "1 [] +0 b", "1 [] +0 c", "0 [] +0 d"]);
}

#[test]
fn definitions() {
    check("def f():\n  a\nb", &["0 def [f] +1 def f():", "1 [f] +0 a", "0 [] +0 b"]);
    check("def f(): a\nb", &["0 def [f] +0 def f(): a", "0 [] +0 b"]);
    check("async  def f[T](a):\n  b", &["0 def [f] +1 async  def f[T](a):", "1 [f] +0 b"]);
    check("async with a:\n  b", &["0 [] +1 async with a:", "1 [] +0 b"]);
    check("class C(B):\n  a = 1", &["0 class [C] +1 class C(B):", "1 [C] +0 a = 1"]);
    check(
        "class C:\n  def f(self):\n    if a:\n      b\n  c\nd",
        &[
            "0 class [C] +4 class C:",
            "1 def [C.f] +2 def f(self):",
            "2 [C.f] +1 if a:",
            "3 [C.f] +0 b",
            "1 [C] +0 c",
            "0 [] +0 d",
        ],
    );
    check("if a:\n  def f():\n    b", &["0 [] +2 if a:", "1 def [f] +1 def f():", "2 [f] +0 b"]);
    check("@a\ndef f():\n  b", &["0 [] +0 @a", "0 def [f] +1 def f():", "1 [f] +0 b"]);
    check(
        "class C:\n  @a(\n  b)\n  def f(): pass",
        &["0 class [C] +2 class C:", "1 [C] +0 @a(", "1 def [C.f] +0 def f(): pass"],
    );
    check("def f(\n  a,\n):\n  b", &["0 def [f] +1 def f(", "1 [f] +0 b"]);
    check("def é_1(a): b", &["0 def [é_1] +0 def é_1(a): b"]);
    check("def \\\n f(): b", &["0 def [f] +0 def \\"]);
    check("defer = a\nclassy(b)\nasynchronous", &["0 [] +0 defer = a", "0 [] +0 classy(b)", "0 [] +0 asynchronous"]);
}

#[test]
fn where_no_code_is() {
    let outline = Outline::new("a\n\n# b\n  c\n");
    let lines: Vec<Option<usize>> = (0..11).map(|offset| outline.line_at(offset)).collect();
    let expected = [Some(0), Some(0), None, None, None, None, None, Some(1), Some(1), Some(1), Some(1)];
    assert_eq!(lines, expected);
}

#[test]
fn endless_texts() {
    for (text, endless) in [
        ("'''a'''", false),
        ("a = '''", true),
        ("def f():\n  '''a\n\ndef g(): pass", true),
        ("# '''", false),
        ("f'''{a}", true),
        ("'a", false),
        ("f(", false),
    ] {
        assert_eq!(Outline::new(text).is_endless(), endless, "{text:?}");
    }
}
