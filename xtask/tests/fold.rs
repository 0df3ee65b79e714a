//! What an expression comes to: each case is the last line of a text, behind `=`.

use xtask::lint_spawns::python::fold;
use xtask::lint_spawns::python::names::{Names, Shelf};
use xtask::lint_spawns::python::tree::{Node, Site, Tree};

/// Asks about the value of the last assignment in `text`.
fn ask<T>(text: &str, question: impl FnOnce(&Names, Site) -> T) -> T {
    let shelf = Shelf::default();
    let names = Names::new(text, &shelf);
    let last = names.outline().lines().len() - 1;
    for cursor in names.trees(last).iter().flat_map(Tree::cursors) {
        if let Node::Stmt(stmt) = cursor.node()
            && let Some(assign) = stmt.as_assign_stmt()
        {
            return question(&names, cursor.site(&assign.value));
        }
    }
    panic!("{text:?} does not end with an assignment");
}

#[test]
fn truth() {
    for (value, expected) in [
        ("True", Some(true)),
        ("0", Some(false)),
        ("0.0", Some(false)),
        ("0j", Some(false)),
        ("''", Some(false)),
        ("b''", Some(false)),
        ("'a'", Some(true)),
        ("None", Some(false)),
        ("...", Some(true)),
        ("-1", Some(true)),
        ("-0", Some(false)),
        ("~0", Some(true)),
        ("~-1", Some(false)),
        ("not x", None),
        ("not 0", Some(true)),
        ("not not 0", Some(false)),
        ("x and False", Some(false)),
        ("x and True", None),
        ("x or True", Some(true)),
        ("x or False", None),
        ("0 or ''", Some(false)),
        ("1 and 2", Some(true)),
        ("1 if x else 2", Some(true)),
        ("1 if x else 0", None),
        ("x if 0 else 0", Some(false)),
        ("x if 1 else 0", None),
        ("1 < 2", Some(true)),
        ("1 >= 2", Some(false)),
        ("1 == 1", Some(true)),
        ("1 != 1", Some(false)),
        ("1 < 2 < 3", None),
        ("1 is 1", None),
        ("x == x", None),
        ("bool()", Some(false)),
        ("bool(0)", Some(false)),
        ("bool([1])", Some(true)),
        ("bool(x)", None),
        ("int(0)", None),
        ("()", Some(false)),
        ("(0,)", Some(true)),
        ("[]", Some(false)),
        ("[*x]", None),
        ("{}", Some(false)),
        ("{1: 2}", Some(true)),
        ("{**x}", None),
        ("{*x}", None),
        ("{1}", Some(true)),
        ("lambda: 0", Some(true)),
        ("f''", None),
        ("f'{x}'", None),
        ("(y := 0)", Some(false)),
        ("[a for a in b]", None),
        ("x", None),
        ("f(1)", None),
        ("x.y", None),
    ] {
        assert_eq!(ask(&format!("a = {value}"), fold::truth), expected, "the truth of {value}");
    }
}

#[test]
fn names_are_followed() {
    for (text, expected) in [
        ("a = 1\nb = a", Some(true)),
        ("a = 0\nb = a\nc = b", Some(false)),
        ("b = a\na = 0\nc = b", Some(false)),
        ("a = 0\na = 0\nb = a", None),
        ("a = 0\na += 1\nb = a", None),
        ("from m import a\nb = a", None),
        ("a = b\nb = a\nc = a", None),
        ("a = a or a\nb = a", None),
        ("bool = f\na = bool(0)", None),
        ("def f(a):\n    b = a", None),
        ("a = 0\ndef f():\n    b = a", Some(false)),
    ] {
        assert_eq!(ask(text, fold::truth), expected, "the truth of the last value in {text:?}");
    }
}

#[test]
fn numbers() {
    for (value, expected) in [
        ("1", Some("1")),
        ("True", Some("1")),
        ("0x10", Some("16")),
        ("-1", Some("-1")),
        ("+1", Some("1")),
        ("~1", Some("-2")),
        ("1 | 2", Some("3")),
        ("3 & 2", Some("2")),
        ("3 ^ 2", Some("1")),
        ("1 + 2 - 4", Some("-1")),
        ("1 << 4", Some("16")),
        ("1 << 64", None),
        ("1 << -1", None),
        ("1 << 63 << 63", Some("85070591730234615865843651857942052864")),
        ("2 * 3", None),
        ("1.0", None),
        ("'1'", None),
        ("not 1", None),
        ("1 | x", None),
        ("1 if x else 1", None),
    ] {
        let found = ask(&format!("a = {value}"), fold::number).map(|number| number.to_string());
        assert_eq!(found.as_deref(), expected, "the number {value}");
    }
}

#[test]
fn arms() {
    for (text, expected) in [
        ("a = x", "x"),
        ("a = x if y else z", "x, z"),
        ("a = x or y or z", "x, y, z"),
        ("a = x and y", "y"),
        ("a = x or (y if z else w and v)", "x, y, v"),
        ("a = (y := x)", "x"),
        ("b = 1 or 2\na = b or 3", "1, 2, 3"),
        ("B = 1\na = B or c", "1 at B, c"),
        ("B = 1\nC = B\na = C", "1 at C"),
        ("B = 1\nc = B\na = c", "1 at B"),
        ("b = a\na = b", "b"),
        ("a = f(x or y)", "f(x or y)"),
    ] {
        let found = ask(text, |names, site| {
            let arms = fold::arms(names, site.into());
            let shown = arms.iter().map(|arm| {
                let code = &text[arm.site.place()];
                arm.constant.clone().map_or(code.to_owned(), |constant| format!("{code} at {}", &text[constant]))
            });
            shown.collect::<Vec<_>>().join(", ")
        });
        assert_eq!(found, expected, "what the last value in {text:?} may come to");
    }
}

#[test]
fn very_many_arms() {
    let count = |operands: usize| {
        let text = format!("a = {}", vec!["(x or y)"; operands].join(" or "));
        ask(&text, |names, site| fold::arms(names, site.into()).len())
    };
    assert_eq!(count(100), 200);
    assert_eq!(count(400), 400);
}
