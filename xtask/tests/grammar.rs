//! Puts each shape into every position of the grammar, and the whole into every statement.

use xtask::lint_spawns::check::Checker;
use xtask::lint_spawns::policy::Policy;

const SHAPES: [&str; 4] = ["f(start_new_session=True)", "({'process_group': 0})", "os.setsid", "spawn_kwargs()"];

/// Expressions with a place, `@`, for another: every child of every node.
const EXPRESSIONS: &[&str] = &[
    "@",
    "(@ and b)",
    "(a or @)",
    "(x := @)",
    "(@ + b)",
    "(a ** @)",
    "(-@)",
    "(not @)",
    "(~@)",
    "(lambda: @)",
    "(lambda a=@: a)",
    "(lambda a, /, b=@: a)",
    "(lambda *, a=@: a)",
    "(@ if b else c)",
    "(a if @ else c)",
    "(a if b else @)",
    "{@: 1}",
    "{1: @}",
    "{**@}",
    "{a, @}",
    "[@ for a in b]",
    "[a for a in @]",
    "[a for a in b if @]",
    "[a for a in b if c if @]",
    "[a for a in b for c in @]",
    "[a for b[@] in c]",
    "{@ for a in b}",
    "{a for a in @}",
    "{@: a for a in b}",
    "{a: @ for a in b}",
    "{a: b for a in @}",
    "(@ for a in b)",
    "(a for a in @)",
    "g(a for a in @)",
    "(await @)",
    "(yield @)",
    "(yield from @)",
    "(@ < b)",
    "(a < @)",
    "(a < b < @)",
    "(a in @)",
    "(a is not @)",
    "@(a)",
    "g(@)",
    "g(a, @)",
    "g(*@)",
    "g(k=@)",
    "g(**@)",
    "f'{@}'",
    "f'{a:{@}}'",
    "f'{@!r}'",
    "f'{@ = }'",
    "f'''{\n@\n}'''",
    "'a' f'{@}' 'b'",
    "f'{f'{@}'}'",
    "t'{@}'",
    "@.a",
    "a[@]",
    "@[a]",
    "a[@:]",
    "a[:@]",
    "a[::@]",
    "a[b, @]",
    "a[*@]",
    "[*@]",
    "[a, @]",
    "(@, a)",
    "(a, @)",
    "(\n@\n)",
    "(a, # comment )\n @)",
    "(a) + \\\n@",
];

/// Statements with a place for an expression.
const STATEMENTS: &[&str] = &[
    "@",
    "a = @",
    "a = b = @",
    "a[@] = b",
    "a: @",
    "a: int = @",
    "a[@]: int",
    "a += @",
    "a[@] += 1",
    "del a[@]",
    "return @",
    "raise @",
    "raise a from @",
    "assert @",
    "assert a, @",
    "@@\ndef f(): pass",
    "@a(@)\nclass C: pass",
    "@a\n# comment\n@@\nasync def f(): pass",
    "def f(a=@): pass",
    "def f(a, /, b=@): pass",
    "def f(*, a=@): pass",
    "def f(a: @): pass",
    "def f(*a: @): pass",
    "def f(**a: @): pass",
    "def f() -> @: pass",
    "async def f(a=@): pass",
    "def f[T: @](): pass",
    "def f[T = @](): pass",
    "class C[T: int = @]: pass",
    "class C[T: int = not @]: pass",
    "class C(@): pass",
    "class C(metaclass=@): pass",
    "class C(*@): pass",
    "class C[T: @ = a]: pass",
    "class C[T: a == b = @]: pass",
    "class C[T: int = lambda: @]: pass",
    "class C[T: lambda a=1: a, U = b](@): pass",
    "class C[T = lambda a=1, b=2: @]: pass",
    "class C[T = 1, P = lambda *, c=1: 2](@): pass",
    "class C[*Ts = *@]: pass",
    "class C[T = a,\n **P = [@] # comment\n](b): pass",
    "async def f[T: int = lambda a=1: a](): @",
    "def f[T = a](): type if @ else b",
    "class C[T = 2]: type is not @",
    "type A[T: lambda a=1: 2] = 1; type B = @",
    "type A[T = @, *Ts = *b] = a",
    "type A = @",
    "type A[T: @] = T",
    "for a in @: pass",
    "for a[@] in b: pass",
    "async for a in @: pass",
    "while @: pass",
    "if @: pass",
    "if a: pass\nelif @: pass",
    "with @: pass",
    "with a as b[@]: pass",
    "with (a, @ as b): pass",
    "async with @: pass",
    "match @:\n case _: pass",
    "match a:\n case _ if @: pass",
    "match a:\n case _: @",
    "match a, @:\n case _: pass",
    "try: pass\nexcept @: pass",
    "try: pass\nexcept* @: pass",
    "try: pass\nexcept (A, @): pass",
    "try: pass\nexcept A, @: pass",
    "if a: @",
    "if a: pass; @",
    "if a: pass\nelse: @",
    "if a: pass\nelif b: @",
    "for a in b: @",
    "for a in b: pass\nelse: @",
    "while a: @",
    "with a: @",
    "try: @\nfinally: pass",
    "try: pass\nexcept: @",
    "try: pass\nexcept A as b: @",
    "try: pass\nexcept A, B: @",
    "try: pass\nexcept lambda a, b=1: a, B: @",
    "b'x'; type X[T = a] = @",
    "try: pass\nexcept* A: @",
    "try: pass\nfinally: @",
    "class C: a; @",
    "def f(): @",
    "async def f(): @",
    "a; @; b",
    "if a:\n\t\tx = 1\n\t\t@",
    "if a:\n  x\n  \\\n  @",
    "'''\ntext ( \" '''; @",
    "match(a); @",
    "match[a]: int = @",
    "match -a; @",
    "type(a); @",
    "case = @",
    "case[a] = @",
    "lambda: @",
    "if a: type X = int; @",
    "if a: type X[T: b = c, *Ts = *@] = d",
    "if lambda: 1: type X = @",
    "def f(a: lambda: 1 = 2) -> lambda: 3: type X = @",
    "a; type X[**P] = @",
    "a; type X[T = @] = b",
    "a; \\\ntype X[T = b] = @",
    "a; type is x; type X = @",
    "print(a, *@)",
    "global a; @",
    "import a; @",
    "from a import (b,\nc); @",
    "@ # comment",
    "match = {'a': @}",
    "é = @",
    "x = '\\N{DASH}' 'b'; @",
    "x = 0x1for y in @",
];

#[test]
fn every_position() {
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(config.path(), "detach-helpers = ['spawn_kwargs']\n").unwrap();
    let path = camino::Utf8Path::from_path(config.path()).unwrap();
    let policy = Policy::load(camino::Utf8Path::new("."), Some(path)).unwrap();
    let checker = Checker::new(&policy).unwrap();
    let mut wrong = Vec::new();
    for statement in STATEMENTS {
        for expression in EXPRESSIONS {
            for shape in SHAPES {
                let program = fill(statement, &fill(expression, shape));
                let program = format!("first = 1\n{program}\nlast = 1");
                let line = 1 + program[..program.find(shape).unwrap()].matches('\n').count();
                let hits = checker.check(program.as_bytes());
                let found: Vec<_> = hits.iter().map(|hit| (hit.line, hit.rules[0].name())).collect();
                if found.len() != 1 || found[0].0 != line || found[0].1 == "unparsable" {
                    wrong.push(format!("{program:?}: {found:?}, not line {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong, the first of them\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// Puts `filling` at the last `@`: in front of others there are decorators.
fn fill(frame: &str, filling: &str) -> String {
    let at = frame.rfind('@').unwrap();
    [&frame[..at], filling, &frame[at + 1..]].concat()
}
