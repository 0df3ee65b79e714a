//! Depth and size beyond reason: judged right, or reported as `unparsable`, never dropped, never a crash.

use camino::Utf8Path;
use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;
use xtask::lint_spawns::rule::Rule;
use xtask::lint_spawns::run::STACK_SIZE;

const ALL_RULES: &str = "select = ['all']\nprecise = true\n";

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

/// A value, and what is said so often before and after it. Here each expression means something to some rule.
const VALUES: [(&str, &str, &str); 30] = [
    ("[", "1", "]"),
    ("[*", "[]", "]"),
    ("{1: ", "1", "}"),
    ("{**", "{}", "}"),
    ("f(start_new_session=", "1", ")"),
    ("dict(process_group=", "1", ")"),
    ("f(**", "x", ")"),
    ("run(", "['nohup']", ")"),
    ("list(", "['nohup']", ")"),
    ("partial(", "run", ")"),
    ("bool(", "x", ")"),
    ("getattr(", "os", ", 'setsid')"),
    ("__import__(", "'os'", ")"),
    ("", "os", ".setsid"),
    ("", "os", ".a(1)"),
    ("-", "1", ""),
    ("~", "1", ""),
    ("not ", "True", ""),
    ("x | ", "8", ""),
    ("", "8", " | 8"),
    ("", "1", " << 63"),
    ("'a' + ", "'&'", ""),
    ("", "['nohup']", " + [x]"),
    ("", "'a &'", " % x"),
    ("' '.join([", "'a'", "])"),
    ("x if y else ", "os.setsid", ""),
    ("x or ", "True", ""),
    ("(x := ", "True", ")"),
    ("lambda x: f(start_new_session=", "y", ")"),
    ("[f(start_new_session=a) for a in ", "b", "]"),
];

/// Where the extended rules and `precise` look at a value.
const PLACES: [(&str, &str); 8] = [
    ("f(start_new_session=", ", process_group=1)"),
    ("run(", ")"),
    ("run(['sh', '-c', ", "])"),
    ("run(x, creationflags=", ")"),
    ("os.system(", ")"),
    ("", ".setsid()"),
    ("kw['process_group'] = x = ", "; run(x, **kw)"),
    ("if os.fork() == ", ": os.fork()"),
];

#[test]
fn depth() {
    with_checker("", |checker| {
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
    with_checker("", |checker| {
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
    with_checker("", |checker| {
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
    with_checker("", |checker| {
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
    with_checker("", |checker| {
        let lines = 50_000;
        assert_eq!(checker.check("os.setsid()\n".repeat(lines).as_bytes()).len(), lines);
    });
}

#[test]
fn a_broken_beginning() {
    with_checker("", |checker| {
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

#[test]
fn depth_of_what_all_rules_look_at() {
    with_checker(ALL_RULES, |checker| {
        let imports = "import os\nfrom functools import partial\nfrom subprocess import run\n";
        // The deepest are not parsed, wherever they are.
        for (depth, places) in [(10, 8), (1_000, 8), (5_000, 2), (20_000, 1)] {
            for (number, (before, value, after)) in VALUES.into_iter().enumerate() {
                let value = [&before.repeat(depth), value, &after.repeat(depth)].concat();
                for (start, end) in PLACES.iter().cycle().skip(number).take(places) {
                    let program = format!("{imports}{start}{value}{end}\nos.setsid()\n");
                    let hits = checker.check(program.as_bytes());
                    let last = hits.last().map(|hit| (hit.line, hit.rules.as_slice()));
                    let kind = format!("{start}{before}…{after}{end}, {depth} deep");
                    assert_eq!(last, Some((5, [Rule::OsSetsid].as_slice())), "what follows {kind}");
                }
            }
        }
    });
}

#[test]
fn long_values() {
    with_checker(ALL_RULES, |checker| {
        for (program, rule) in [
            (format!("os.system({} + 'b &')", ["'a'"; 5_000].join(" + ")), Rule::ShellBackground),
            (format!("run({} + ['b'])", ["['nohup']"; 5_000].join(" + ")), Rule::ArgvDetacher),
            (format!("run(['nohup'{}])", ", x".repeat(100_000)), Rule::ArgvDetacher),
            (format!("run(x, creationflags=8{})", " | x".repeat(900)), Rule::WindowsCreationflags),
            (format!("f(start_new_session={}True)", "x or ".repeat(5_000)), Rule::StartNewSession),
            (format!("f(start_new_session={}True)", "not ".repeat(10_000)), Rule::StartNewSession),
            (format!("f(process_group={}0)", "x if y else ".repeat(5_000)), Rule::ProcessGroup),
            (format!("x = [{}'nohup']; run(x)", "*[], ".repeat(10_000)), Rule::ArgvDetacher),
        ] {
            let hits = checker.check(format!("import os\nfrom subprocess import run\n{program}\n").as_bytes());
            let rules: Vec<&[Rule]> = hits.iter().map(|hit| hit.rules.as_slice()).collect();
            assert_eq!(rules, [[rule]], "{}", &program[..40]);
            assert!(!hits[0].dropped, "{}", &program[..40]);
        }
    });
}

#[test]
fn many_names() {
    with_checker(ALL_RULES, |checker| {
        let lines = 20_000;
        let imports = "import os\nimport subprocess\n";
        for (kind, before, line, after, count) in [
            ("names", "", "x# = True\nf#(start_new_session=x#)\n", "", lines),
            ("aliases", "", "f# = subprocess.run\nf#(['nohup'])\n", "", lines),
            ("mentions", "x = True\nf(start_new_session=x)\n", "print(x[#], x)\n", "", 1),
            ("values", "f(start_new_session=x)\n", "x = #\n", "", 1),
            ("questions", "x = ['nohup']\n", "subprocess.run([*x, #])\n", "", 1),
            ("commands", "", "subprocess.run(['nohup', x#])\n", "", lines),
            ("items", "def f():\n", " kw['process_group'] = x#\n", " subprocess.run(**kw)\n", lines),
            ("appended words", "x = ['nohup']\n", "x.append(#)\nsubprocess.run(x)\n", "", 1),
            ("forks", "", "os.fork()\n", "", 0),
            ("forks in functions", "", "def f#():\n if os.fork() == 0:\n  os.fork()\n", "", lines),
            ("imports", "", "from m# import *\nfrom m# import x\n", "setsid()\nx()\n", 0),
        ] {
            let all: String = (0..lines).map(|number| line.replace('#', &number.to_string())).collect();
            let hits = checker.check([imports, before, &all, after].concat().as_bytes());
            assert_eq!(hits.iter().filter(|hit| !hit.dropped).count(), count, "hits of {kind}");
        }
    });
}

#[test]
fn names_in_circles_and_in_ever_more_ways() {
    with_checker(ALL_RULES, |checker| {
        let uses = "run(a0, start_new_session=a0)\nos.system(a0)\nrun(x, creationflags=a0)\nkw['process_group'] = a0\n";
        for links in ["# or #", "# if x else #", "# + #", "# | #", "[*#, *#]", "(#, *#)", "# and not #", "f'{#}' + #"] {
            for end in ["a0", "True", "['nohup']", "'b &'", "8"] {
                let name = |number: usize| format!("a{number}");
                let chain: String =
                    (0..200).map(|at| format!("{} = {}\n", name(at), links.replace('#', &name(at + 1)))).collect();
                let program =
                    format!("import os\nfrom subprocess import run\n{chain}a200 = {end}\n{uses}os.setsid()\n");
                let hits = checker.check(program.as_bytes());
                let last = hits.last().map(|hit| hit.rules.as_slice());
                assert_eq!(last, Some([Rule::OsSetsid].as_slice()), "what follows {links}, {end}");
            }
        }
    });
}

/// In a thread like the one that checks files.
fn with_checker(policy: &'static str, check: impl FnOnce(&Checker) + Send + 'static) {
    let run = move || {
        let config = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(config.path(), policy).unwrap();
        let policy = Policy::load(Utf8Path::new("."), Utf8Path::from_path(config.path())).unwrap();
        check(&Checker::new(&policy).unwrap());
    };
    std::thread::Builder::new().stack_size(STACK_SIZE).spawn(run).unwrap().join().unwrap();
}
