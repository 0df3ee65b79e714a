//! Depth and size beyond reason: judged right, or reported as `unparsable`, never dropped, never a crash.

use camino::Utf8Path;
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::rule::Rule;
use xtask::lint_spawns::run::STACK_SIZE;

const DEPTHS: [usize; 4] = [10, 1_000, 10_000, 100_000];

/// What is said so often before the shape, and so often after it.
const KINDS: [(&str, &str, &str); 45] = [
    ("parentheses", "(", ")"),
    ("lists", "[", "]"),
    ("sets", "{", "}"),
    ("dicts", "{1: ", "}"),
    ("keys", "{", ": 1}"),
    ("tuples", "(", ",)"),
    ("calls", "f(", ")"),
    ("keyword arguments", "f(a=", ")"),
    ("double stars", "f(**", ")"),
    ("subscripts", "a[", "]"),
    ("slices", "a[:", "]"),
    ("call chain", "", "()"),
    ("attribute chain", "", ".a"),
    ("subscript chain", "", "[0]"),
    ("minus", "-", ""),
    ("inversion", "~", ""),
    ("negation", "not ", ""),
    ("await", "await (", ")"),
    ("sum", "a + ", ""),
    ("sum behind", "", " + a"),
    ("power", "a ** ", ""),
    ("product over lines", "a * \\\n", ""),
    ("conjunction", "a and ", ""),
    ("disjunction behind", "", " or a"),
    ("comparison", "a < ", ""),
    ("comparison behind", "", " in a"),
    ("condition", "a if b else ", ""),
    ("condition behind", "", " if a else b"),
    ("lambda", "lambda: ", ""),
    ("lambda with defaults", "lambda a=1, b=2: ", ""),
    ("walrus", "(a := ", ")"),
    ("comprehension", "[", " for a in b]"),
    ("generator", "(a for b in ", ")"),
    ("yield", "(yield ", ")"),
    ("star", "[*", "]"),
    ("f-string", "f'{", "}'"),
    ("f-string format", "f'{a:{", "}}'"),
    ("t-string over lines", "t'''{\n", "\n}'''"),
    ("string concatenation", "'a' + ", ""),
    ("joined strings", "", " + 'a' 'b'"),
    ("joined f-strings", "f'{a}' 'b' + ", ""),
    ("targets", "a = ", ""),
    ("semicolons", "a; ", ""),
    ("elif chain", "elif a:\n pass\n", ""),
    ("arguments", "f(a, *b, c=1); ", ""),
];

#[test]
fn depth() {
    with_checker(|checker| {
        for depth in DEPTHS {
            for (kind, before, after) in KINDS {
                let (before, after) = (before.repeat(depth), after.repeat(depth));
                let line = 1 + before.matches('\n').count();
                let program = format!("{before}os.setsid(){after}\nos.setsid()\n");
                let hits = checker.check(program.as_bytes());
                let lines: Vec<usize> = hits.iter().map(|hit| hit.line).collect();
                assert_eq!(lines, [line, program.lines().count()], "lines of the hits in {kind}, {depth} deep");
                assert_eq!(hits[1].rules, [Rule::OsSetsid], "what follows {kind}, {depth} deep");
                let judged = hits[0].rules == [Rule::OsSetsid];
                assert!(judged || depth > 1_000, "{kind}, {depth} deep, is not judged");
            }
        }
    });
}

#[test]
fn depth_beyond_any_stack() {
    with_checker(|checker| {
        for (before, after) in [("-", ""), ("a + ", ""), ("a if b else ", ""), ("(", ")"), ("lambda a,: ", "")] {
            let program = format!("{}os.setsid(){}\n", before.repeat(1_000_000), after.repeat(1_000_000));
            let hits = checker.check(program.as_bytes());
            assert_eq!(hits.len(), 1);
            assert_eq!(hits[0].rules, [Rule::Unparsable], "a million times {before}");
        }
    });
}

#[test]
fn large_statements() {
    with_checker(|checker| {
        for (megabytes, rule) in [(1, Rule::StartNewSession), (3, Rule::Unparsable)] {
            let program = format!("f({}\n    start_new_session=True)\n", "a,".repeat(megabytes * 500_000));
            let hits = checker.check(program.as_bytes());
            assert_eq!(hits.len(), 1);
            assert_eq!((hits[0].line, hits[0].rules.as_slice()), (2, [rule].as_slice()), "{megabytes} MB");
        }
    });
}

#[test]
fn long_statements_are_not_deep() {
    with_checker(|checker| {
        for element in ["a", "(a)", "f'{a}'", "'a'", "-a[0]", "{1: b + c}", "f(a=lambda: 1)"] {
            let program = format!("[{}os.setsid()]\n", format!("{element}, ").repeat(40_000));
            let hits = checker.check(program.as_bytes());
            assert_eq!(hits.len(), 1);
            assert_eq!(hits[0].rules, [Rule::OsSetsid], "40,000 times {element}");
        }
    });
}

#[test]
fn a_needle_in_every_line() {
    with_checker(|checker| {
        let lines = 50_000;
        assert_eq!(checker.check("os.setsid()\n".repeat(lines).as_bytes()).len(), lines);
    });
}

#[test]
fn a_broken_beginning() {
    with_checker(|checker| {
        let functions = 10_000;
        let rest = "def f():\n    \"\"\"Calls setsid.\"\"\"\n    os.setsid()\n".repeat(functions);
        for beginning in
            ["x = '", "x = (", "x = [{'a': (", "x = \"\"\"", "x = f\"\"\"{", "x = f'{", "x = '''", ")]}", "\\"]
        {
            let hits = checker.check(format!("{beginning}\n{rest}").as_bytes());
            let judged = hits.iter().filter(|hit| hit.rules == [Rule::OsSetsid]).count();
            assert_eq!(judged, functions, "behind {beginning}");
        }
    });
}

/// In a thread like the one that checks files.
fn with_checker(check: impl FnOnce(&Checker) + Send + 'static) {
    let run = || {
        let config = tempfile::NamedTempFile::new().unwrap();
        let policy = Policy::load(Utf8Path::new("."), Utf8Path::from_path(config.path())).unwrap();
        check(&Checker::new(&policy).unwrap());
    };
    std::thread::Builder::new().stack_size(STACK_SIZE).spawn(run).unwrap().join().unwrap();
}
