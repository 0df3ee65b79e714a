//! What a name means: each case is a text in which `$` stands before the name that is asked about.

use xtask::lint_spawns::python::names::{Meaning, Names, Shelf};
use xtask::lint_spawns::python::tree::{Cursor, Node, Tree};

/// The dotted paths of what is imported, `= value` of what is assigned, `class`, `unbound` or `unknown`.
fn meaning(marked: &str) -> String {
    let (before, after) = marked.split_once('$').expect("a marked name");
    let text = [before, after].concat();
    let shelf = Shelf::default();
    let names = Names::new(&text, &shelf);
    let line = names.outline().line_at(before.len()).expect("a line of code");
    let (name, at) = names
        .trees(line)
        .iter()
        .flat_map(Tree::cursors)
        .find_map(|cursor| name_at(cursor, before.len()))
        .unwrap_or_else(|| panic!("no name is marked in {marked:?}"));
    match names.meaning(name, at) {
        Meaning::Imported(paths) => paths.join(" or "),
        Meaning::Value { site, augmented } => {
            format!("= {}{}", &text[site.place()], if augmented { " and more" } else { "" })
        }
        Meaning::Class(_) => "class".to_owned(),
        Meaning::Unbound => "unbound".to_owned(),
        Meaning::Unknown => "unknown".to_owned(),
    }
}

fn name_at(cursor: Cursor<'_>, start: usize) -> Option<(&str, Cursor<'_>)> {
    match cursor.node() {
        Node::Expr(expr) => {
            let name = expr.as_name_expr()?;
            (cursor.site(expr).place().start == start).then_some((name.id.as_str(), cursor))
        }
        _ => None,
    }
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expected)| (text, expected, meaning(text)))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(text, expected, found)| format!("{text:?}\n    is {found:?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn imports() {
    check(&[
        ("import os\n$os", "os"),
        ("import os as x\n$x", "os"),
        ("import os as x\n$os", "unbound"),
        ("import os.path\n$os", "os"),
        ("import os.path as p\n$p", "os.path"),
        ("import os.path as p\n$os", "unbound"),
        ("import a.os\n$os", "unbound"),
        ("import a, os\n$os", "os"),
        ("import a as b, os as c\n$c", "os"),
        ("from os import setsid\n$setsid", "os.setsid"),
        ("from os import setsid as s\n$s", "os.setsid"),
        ("from os import setsid as s\n$setsid", "unbound"),
        ("from os import (\n    fork,\n    setsid as s,  # why\n)\n$s", "os.setsid"),
        ("from a.b import c\n$c", "a.b.c"),
        ("from . import c\n$c", ".c"),
        ("from .. import c as d\n$d", "..c"),
        ("from .a import c\n$c", ".a.c"),
        ("from ...a.b import c\n$c", "...a.b.c"),
        ("from os import *\n$setsid", "unbound"),
        ("from \\\n    os \\\n    import setsid\n$setsid", "os.setsid"),
        ("\\\nimport os\n$os", "os"),
        ("import\tos\n$os", "os"),
        ("import os; $os", "os"),
        ("x = 1; import os\n$os", "os"),
        ("if a: import os\n$os", "os"),
        ("if a:\n    import os\n$os", "os"),
        ("try: import os\nfinally: pass\n$os", "os"),
        ("with a: from os import setsid\n$setsid", "os.setsid"),
        ("while a:\n\tif b:\n\t\timport os\n$os", "os"),
        ("$os\nimport os", "os"),
        ("def f():\n    import os\n    $os", "os"),
        ("def f():\n    import os\n$os", "unbound"),
        ("def f():\n    $os\nimport os", "os"),
        ("class C:\n    import os\n    $os", "os"),
        ("class C:\n    import os\n$os", "unbound"),
        ("import os\nimport os\n$os", "os"),
        ("import os\n\ndef f():\n    import posix as os\n    $os", "posix"),
        ("import os\n\ndef f():\n    import posix as os\n$os", "os"),
        ("import importé\n$importé", "importé"),
        ("import oss\n$os", "unbound"),
        ("import é\n$é", "é"),
    ]);
}

#[test]
fn imports_that_may_fail() {
    check(&[
        ("try:\n    import os\nexcept ImportError:\n    import posix as os\n$os", "os or posix"),
        ("try:\n    import os\nexcept ImportError:\n    os = None\n$os", "os"),
        ("os = None\nimport os\n$os", "os"),
        ("try: from a import b\nexcept ImportError: b = None\n$b", "a.b"),
        (
            "try:\n    from a import b\nexcept ImportError:\n    from c import d as b\nelse:\n    b = None\n$b",
            "a.b or c.d",
        ),
        ("try:\n    import os\nexcept ImportError:\n    os = a\n$os", "unknown"),
        ("try:\n    import os\nexcept ImportError:\n    def os(): pass\n$os", "unknown"),
        ("try:\n    from a import C\nexcept ImportError:\n    class C: pass\n$C", "unknown"),
        ("import os\nos += 1\n$os", "unknown"),
        ("import os\ndel os\n$os", "unknown"),
    ]);
}

#[test]
fn values() {
    check(&[
        ("a = 1\n$a", "= 1"),
        ("a = b = 1\n$a", "= 1"),
        ("a = b = 1\n$b", "= 1"),
        ("a: int = 1\n$a", "= 1"),
        ("a: int\na = 1\n$a", "= 1"),
        ("a: int\n$a", "unbound"),
        ("(a) = 1\n$a", "= 1"),
        ("(a := 1)\n$a", "= 1"),
        ("if (a := f()): pass\n$a", "= f()"),
        ("f(a := 1)\n$a", "= 1"),
        ("a, b = 1, 2\n$a", "= 1"),
        ("a, b = 1, 2\n$b", "= 2"),
        ("(a, b) = (1, 2)\n$b", "= 2"),
        ("c = a, b = 1, 2\n$b", "= 2"),
        ("a, b = f()\n$a", "unknown"),
        ("a, *b = 1, 2\n$a", "unknown"),
        ("a, b = *c, 2\n$a", "unknown"),
        ("a, b = 1, 2, 3\n$a", "unknown"),
        ("a, (b, c) = 1, (2, 3)\n$b", "unknown"),
        ("[a, b] = 1, 2\n$a", "unknown"),
        ("a = 1\na += 2\n$a", "= 1 and more"),
        ("a = []\na |= 2\na += 2\n$a", "= [] and more"),
        ("a += 2\n$a", "unknown"),
        ("a = 1\na = 2\n$a", "unknown"),
        ("a = 1\nif b:\n    a = 1\n$a", "unknown"),
        ("if b: a = 1\n$a", "= 1"),
        ("if b: pass\nelse: a = 1\n$a", "= 1"),
        ("x = 0; a = 1; y = 2\n$a", "= 1"),
        ("a = (\n    1\n)\n$a", "= 1"),
        ("a \\\n  = 1\n$a", "= 1"),
        ("a[0] = 1\n$a", "unbound"),
        ("a.b = 1\n$a", "unbound"),
        ("b.a = 1\n$a", "unbound"),
        ("f(a=1)\n$a", "unbound"),
        ("a == 1\n$a", "unbound"),
        ("a = f'{1}'\n$a", "= f'{1}'"),
        ("$a\na = 1", "= 1"),
        ("def f():\n    $a\na = 1", "= 1"),
        ("a = 1\ndef f():\n    a = 2\n    $a", "= 2"),
        ("a = 1\ndef f():\n    a = 2\n$a", "= 1"),
        ("def f():\n    a = 1\n    def g():\n        $a", "= 1"),
        ("def f():\n    a = 1\n    if b:\n        for c in d:\n            $a", "= 1"),
        ("def f():\n    a = 1\ndef g():\n    $a", "unbound"),
        ("a = a\n$a", "= a"),
        ("__all__ = ['a']\n$a", "unbound"),
    ]);
}

#[test]
fn what_binds_again() {
    for again in [
        "a = 2",
        "a: int = 2",
        "a, b = 1, 2",
        "[a] = b",
        "*a, b = c",
        "(a, b), c = d",
        "for a in b: pass",
        "for b, a in c: pass",
        "for b, *a in c: pass",
        "async for a in b: pass",
        "for a in b:\n    pass",
        "with b as a: pass",
        "with b as (c, a): pass",
        "with b as c, d as a: pass",
        "async with b as a:\n    pass",
        "try: pass\nexcept E as a: pass",
        "try:\n    pass\nexcept* E as a:\n    pass",
        "del a",
        "del b, a",
        "del (a)",
        "if b: del a",
        "def a(): pass",
        "def a[T](b): pass",
        "async def a(): pass",
        "class a: pass",
        "class a(b):\n    pass",
        "@b\ndef a(): pass",
        "import a",
        "import a.b",
        "import b as a",
        "from b import a",
        "from b import c as a",
        "match b:\n    case a: pass",
        "match b:\n    case [c, *a]: pass",
        "match b:\n    case {'c': d, **a}: pass",
        "match b:\n    case {'c': a}: pass",
        "match b:\n    case C(a): pass",
        "match b:\n    case C(c=a): pass",
        "match b:\n    case C() as a: pass",
        "match b:\n    case [C(a)]:\n        pass",
        "match b:\n    case (1 | 2) as a if a: pass",
        "def f():\n    global a\n    a = 2",
        "def f():\n    global b, a",
        "def f():\n    if b: global a",
        "def f(): global a; a = 2",
        "class C:\n    global a\n    a = 2",
        "type a = int",
        "type a[T] = int",
        "(a := 2)",
        "[b for b in c if (a := b)]",
        "[(a := b) for b in c]",
        "b = (yield (a := 2))",
        "if b:\n  if c:\n    a = 2",
        "b = 1; a = 2",
        "for b in c: a = 2",
    ] {
        for text in [format!("a = 1\n{again}\n$a"), format!("{again}\na = 1\n$a")] {
            check(&[(&text, "unknown")]);
        }
    }
}

#[test]
fn what_binds_nothing_here() {
    for other in [
        "a",
        "b = a",
        "b[a] = a",
        "a.b = 2",
        "a[0] = 2",
        "a.b: int = 2",
        "a()",
        "b(a=2)",
        "b.a = 2",
        "from a import b",
        "import b.a",
        "import b.a as c",
        "from b.a import c",
        "for b in a: pass",
        "for a.b in c: pass",
        "for a[0] in c: pass",
        "with a as b: pass",
        "with a as a.b: pass",
        "del a.b, a[0]",
        "[a for a in b]",
        "{a: a for a in b}",
        "{a for b in c for a in d}",
        "(a for b, (c, *a) in d)",
        "lambda a: a",
        "lambda *a: a",
        "def f(a): pass",
        "def f(*a): pass",
        "def f(b, /, *, a=2): pass",
        "async def f(**a): pass",
        "def f(a): a = 2",
        "def f():\n    a = 2",
        "def f():\n    def a(): pass",
        "def f():\n    def g():\n        nonlocal b\n        a = 2",
        "class C:\n    a = 2",
        "class C: a = 2",
        "class C(a): pass",
        "@a\ndef f(): pass",
        "@a.b\nclass C: pass",
        "def f(b=a) -> a: pass",
        "match a:\n    case 1: pass",
        "match b:\n    case a.b: pass",
        "match b:\n    case a(): pass",
        "match b:\n    case C(a=1): pass",
        "try: pass\nexcept a: pass",
        "# a = 2",
        "b = 1  # a = 2",
        "'a = 2'",
        "'''\na = 2\n'''",
        "f'''\na = 2\n'''",
        "f'{a}'",
        "f'{a=}'",
        "raise a",
        "return a",
        "assert a == 2, a",
        "aa = 2",
        "_a = 2",
        "éa = 2",
        "aé = 2",
        "a: int",
        "type b = a",
        "a <= 2",
        "a != 2",
        "a = = 2",
        "a = 2 3",
        "for a on b: pass",
        "import a as",
    ] {
        check(&[(&format!("a = 1\n{other}\n\n$a"), "= 1"), (&format!("a = 1\nif b:\n    pass\n$a\n{other}"), "= 1")]);
    }
}

#[test]
fn scopes() {
    check(&[
        ("def f(a): $a", "unknown"),
        ("def f(a):\n    $a", "unknown"),
        ("def f(*, a=1):\n    $a", "unknown"),
        ("def f(*a, **b):\n    $b", "unknown"),
        ("def f(\n    a,\n):\n    $a", "unknown"),
        ("a = 1\ndef f(a):\n    def g():\n        $a", "unknown"),
        ("a = 1\ndef f(a=$a): pass", "= 1"),
        ("a = 1\ndef f(a: $a): pass", "= 1"),
        ("a = 1\ndef f(a) -> $a: pass", "= 1"),
        ("a = 1\n@$a\ndef f(a): pass", "= 1"),
        ("a = 1\nclass C($a):\n    a = 2", "= 1"),
        ("a = 1\nclass C(b=$a): a = 2", "= 1"),
        ("a = 1\nclass C:\n    a = 2\n    $a", "= 2"),
        ("a = 1\nclass C:\n    a = 2\n    def f(self):\n        $a", "= 1"),
        ("a = 1\nclass C:\n    a = 2\n    def f(self, b=$a): pass", "= 2"),
        ("a = 1\nclass C:\n    a = 2\n    @$a\n    def f(self): pass", "= 2"),
        ("a = 1\nclass C:\n    a = 2\n    class D:\n        $a", "= 1"),
        ("a = 1\nclass C:\n    a = 2\n    f = lambda: $a", "= 1"),
        ("a = 1\nclass C:\n    a = 2\n    b = [$a for c in d]", "= 1"),
        ("a = 1\nclass C:\n    a = 2\n    b = [c for c in $a]", "= 2"),
        ("a = 1\nclass C:\n    a = 2\n    b = [c for c in d for e in $a]", "= 1"),
        ("a = 1\nclass C:\n    a = 2\n    b = lambda c=$a: c", "= 2"),
        ("class C:\n    def f(self):\n        a = 1\n        def g():\n            $a", "= 1"),
        ("class C:\n    def f(self):\n        a = 1\n    def g(self):\n        $a", "unbound"),
        ("class C:\n    pass\n$C", "class"),
        ("class C: pass\n$C", "class"),
        ("class C[T](B): pass\n$C", "class"),
        ("class C: pass\nclass C: pass\n$C", "unknown"),
        ("def f(): pass\n$f", "unknown"),
        ("def f(): $f", "unknown"),
        ("class C: $C", "class"),
        ("def f(): a = 1\n$a", "unbound"),
        ("def f(): a = 1; $a", "= 1"),
        ("a = 1\ndef f(): a = 2; $a", "= 2"),
        ("a = 1\ndef f(): $a", "= 1"),
        ("class C: a = 1; $a", "= 1"),
        ("class C: a = 1\n$a", "unbound"),
        ("if b:\n    a = 1\n$a", "= 1"),
        ("lambda a: $a", "unknown"),
        ("lambda *a: $a", "unknown"),
        ("lambda b, **a: $a", "unknown"),
        ("a = 1\nlambda a: lambda b: $a", "unknown"),
        ("a = 1\nlambda a=$a: a", "= 1"),
        ("a = 1\nlambda b: $a", "= 1"),
        ("a = 1\n[$a for a in b]", "unknown"),
        ("a = 1\n[b for b in c if $a]", "= 1"),
        ("a = 1\n[b for a in c if $a]", "unknown"),
        ("a = 1\n[a for a in $a]", "= 1"),
        ("a = 1\n{b: $a for c, (b, *a) in d}", "unknown"),
        ("a = 1\n{$a for [a] in d}", "unknown"),
        ("a = 1\n($a for b in c for a in b)", "unknown"),
        ("a = 1\n[b for a in c for b in $a]", "unknown"),
        ("a = 1\n[b for b in [$a for a in c]]", "unknown"),
        ("def f():\n    global a\n    $a\na = 1", "unknown"),
        ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        a = 2\n    $a", "unknown"),
        ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        $a", "unknown"),
        ("a = 1\ndef f():\n    a = 2\n    def g():\n        nonlocal a\n        a = 3\n$a", "= 1"),
        ("a = 1\nclass C:\n    def f(self):\n        self.a = 2\n        $a", "= 1"),
        ("self = 1\n$self", "unknown"),
        ("def f():\n\ta = 1\n        $a", "= 1"),
    ]);
}

#[test]
fn decorators_bind_nothing() {
    check(&[
        ("from os import setsid as f\n@f\ndef g(): pass\n$f", "os.setsid"),
        ("f = 1\n@f.g(h)\nclass C: pass\n$f", "= 1"),
        ("@$f\ndef g(): pass", "unbound"),
        ("@f\ndef f(): pass\n$f", "unknown"),
    ]);
}

#[test]
fn what_cannot_be_read_binds_nothing() {
    check(&[
        ("import os\nprint os\n$os", "os"),
        ("import os\nos = `x`\n$os", "os"),
        ("import os\nexec 'x' in os\n$os", "os"),
        ("import os\nx = (os,\ndef f(): pass\n$os", "os"),
        ("import os\nos = 'x\n$os", "os"),
    ]);
}

#[test]
fn circles_end() {
    let shelf = Shelf::default();
    for text in ["a = b; b = a\na.x", "a = a\na.x", "a = b.x\nb = a.x\na.x", "a = b or c; b = a; c = a or b\na.x"] {
        let names = Names::new(text, &shelf);
        let line = names.outline().lines().len() - 1;
        for cursor in names.trees(line).iter().flat_map(Tree::cursors) {
            if let Node::Expr(expr) = cursor.node() {
                names.begin();
                assert!(names.paths(cursor.site(expr)).is_empty(), "the paths in {text:?}");
            }
        }
    }
}
