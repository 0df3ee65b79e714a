//! Nesting of every kind, deeper than any stack: judged right, or reported as `unparsable`, never dropped, never a crash.

use camino::Utf8Path;
use xtask::lint_spawns::STACK_SIZE;
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::rule::Rule;

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
fn nesting() {
    let run = || {
        let config = tempfile::NamedTempFile::new().unwrap();
        let policy = Policy::load(Utf8Path::new("."), Utf8Path::from_path(config.path())).unwrap();
        let checker = Checker::new(&policy).unwrap();
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
    };
    std::thread::Builder::new().stack_size(STACK_SIZE).spawn(run).unwrap().join().unwrap();
}
