//! Where logical lines end, and what a cut statement is completed to.

use xtask::lint_spawns::python::statement::{cut, logical_lines};

fn check_lines(text: &str, expected: &[&str]) {
    let lines: Vec<&str> =
        logical_lines(text).map(|range| &text[range]).filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines, expected, "the lines of {text:?}");
}

/// What the first reading of the statement around the needle `N` is.
fn check_module(text: &str, expected: &str) {
    let at = text.find('N').unwrap();
    let needle = at..at + 1;
    let statements: Vec<_> = cut(text, std::slice::from_ref(&needle)).collect();
    assert_eq!(statements.len(), 1, "the statements of {text:?}");
    let first = statements[0].readings().next().unwrap();
    assert_eq!(first[0].source, expected, "the module made of {text:?}");
}

#[test]
fn strings() {
    for whole in [
        "'a\\'b'",
        "\"it's\"",
        "'''a\nb'''",
        "\"\"\"a\"\"b\n\\\"\"\"\"",
        "rb'\\\\'",
        "Rb\"\"\"\n\"\"\"",
        "u'#'",
        "'(' \"[\" '{'",
        "'a\\\nb'",
        "print'''a\n'''",
        "''''a\n'''",
        "f'{x}'",
        "f'{{'",
        "f'{x!r:>{w}}'",
        "f'{d['k']}'",
        "f'{\n x\n}'",
        "f'''{\n'''a\n'''\n}'''",
        "f'{f'{f'{1}'}'}'",
        "rf'\\{x}'",
        "f'\\N{DASH}{x}'",
        "f'{x:%H:%M}'",
        "f'{ {1: 2}[1] }'",
        "f'{x # ) ' \n}'",
        "t'{x}'",
        "F'{a!=b}'",
        "f'{x:{y:{z}}}'",
        "f'{x=}'",
        "f'{lambda_}'",
        "'a' 'b' f'c'",
    ] {
        check_lines(&format!("{whole}\nnext"), &[whole, "next"]);
        check_lines(&format!("a = ({whole},\n 1); b\nnext"), &[&format!("a = ({whole},\n 1); b"), "next"]);
    }
}

#[test]
fn continuations_and_comments() {
    check_lines("a = \\\n 1\nb", &["a = \\\n 1", "b"]);
    check_lines("a = ( # ) '\n 1)\nb # (\nc", &["a = ( # ) '\n 1)", "b # (", "c"]);
    check_lines("\\\na\nb", &["\\\na", "b"]);
    check_lines("a; b\n\tc\x0c\n\nd", &["a; b", "\tc\x0c", "d"]);
    check_lines("a", &["a"]);
    check_lines("", &[]);
}

#[test]
fn broken_text_hides_nothing_below_it() {
    check_lines("a = 'b\nc", &["a = 'b", "c"]);
    check_lines("f(a,\ndef g(): pass\nh", &["f(a,", "def g(): pass", "h"]);
    check_lines("f([a,\n  import b\nh", &["f([a,", "  import b", "h"]);
    check_lines("f([a,\nfrom b import c\nh", &["f([a,", "from b import c", "h"]);
    check_lines("f((yield\nfrom b), [\nimportant, define])\nh", &["f((yield\nfrom b), [\nimportant, define])", "h"]);
    check_lines("a = \"\"\"b\nc\nd", &["a = \"\"\"b", "c", "d"]);
    check_lines("a)\nb", &["a)", "b"]);
    check_lines("f'{a\nclass B: pass\nc", &["f'{a", "class B: pass", "c"]);
    check_lines("f'a\nb", &["f'a", "b"]);
}

#[test]
fn every_clause_has_what_it_needs() {
    check_module("  if N:\n", "if N:\n pass\n");
    check_module("if a: N # c", "if a: N # c\n");
    check_module("while N: # c", "while N: # c\n pass\n");
    check_module(" elif N: a", "if 0: pass\nelif N: a\n");
    check_module("elif N :", "if 0: pass\nelif N :\n pass\n");
    check_module("else: N", "if 0: pass\nelse: N\n");
    check_module("except N as e:", "try: pass\nexcept N as e:\n pass\n");
    check_module("except* N: a", "try: pass\nexcept* N: a\n");
    check_module("finally: N", "try: pass\nfinally: N\n");
    check_module("try: N", "try: N\nfinally: pass\n");
    check_module("match N:", "match N:\n case _: pass\n");
    check_module("match(N)", "match(N)\n");
    check_module("case N: a", "match 0:\n case N: a\n");
    check_module("case N:", "match 0:\n case N:\n  pass\n");
    check_module("@N", "@N\ndef f(): pass\n");
    check_module("async with N:", "async with N:\n pass\n");
    check_module("def f(\n a=N):", "def f(\n a=N):\n pass\n");
    check_module("class A: a; N", "class A: a; N\n");
    check_module("\t\\\n  N = 1", "N = 1\n");
    check_module("x = {a: N, 'b':\n 1}", "x = {a: N, 'b':\n 1}\n");
    check_module("x = '''\n  a''', N", "x = '''\n  a''', N\n");
}

#[test]
fn strings_with_fields_become_lists_of_them() {
    check_module("x = f'a{N}b'", "x = [   N, ]\n");
    check_module("f'{N!r:>{w}}'", "[  N,    w, ]\n");
    check_module("f'{N = }'", "[  N   ,]\n");
    check_module("f'{N==a}'", "[  N==a,]\n");
    check_module("f'{yield N}'", "[        N,]\n");
    check_module("f'{N,}'", "[  N, ]\n");
    check_module("'é' f'{N}' 'b'", "[       N,    ]\n");
    check_module("f'{f'{N}'}'", "[  [  N,],]\n");
    check_module("g(f'''\n{N}''', f'')", "g([   \n N,  ], [ ])\n");
}

#[test]
fn a_needle_that_means_nothing_makes_no_statement() {
    for text in ["a # N", "'a N'", "b'N'", "f'N'", "'''\nN\n'''", "# N"] {
        let at = text.find('N').unwrap();
        assert_eq!(cut(text, std::slice::from_ref(&(at..at + 1))).count(), 0, "{text:?}");
    }
    for text in ["'N'", "r\"N\"", "'''N'''", "f'{N}'"] {
        let at = text.find('N').unwrap();
        assert_eq!(cut(text, std::slice::from_ref(&(at..at + 1))).count(), 1, "{text:?}");
    }
}
