"""Checks lint-spawns against CPython.

lint-spawns cuts single statements out of a text and gives them to a parser that is not Python's. Here the whole text
goes through `ast.parse`, the default rules are applied to the tree in the plainest way, and the lines that the two
find are compared: on this repository's fixtures, on the standard library of the Python that runs this, on PATHS, and
on programs made up at random. What this Python cannot parse is counted and not compared.

Exit code 0: the same lines; 1: a difference; 2: the comparison could not be made.
"""

import argparse
import ast
import os
import platform
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path
from random import Random
from typing import Dict, Iterable, List, NamedTuple, Optional, Set

HELPER = "windows_detach_popen_kwargs"
POLICY = f'exclude = []\ndetach-helpers = ["{HELPER}"]\n'
SETSID = ("setsid", "setpgid", "setpgrp")
NEEDLES = ("start_new_session", "process_group", *SETSID, HELPER)
MARKER = re.compile(r"detached-spawn: ok\s*[—-].*[^\s—–-]")
PROBLEM = re.compile(r"(\d+\.py):(\d+): .*?(  \[cannot be parsed\])?")

# Before 3.12, what stands in an f-string has made-up positions.
FSTRINGS_HAVE_POSITIONS = sys.version_info >= (3, 12)


class Lines(NamedTuple):
    """What CPython makes of a text."""

    text: List[str]
    hits: Set[int]
    unsettled: Set[int]
    """Lines that lint-spawns may report or not: it promises nothing, or this Python does not tell."""


def lines_of(data: bytes) -> Optional[Lines]:
    """The lines that have to be reported, markers included; None if this Python cannot parse the text."""
    text = data.decode("utf-8-sig", errors="ignore").replace("\r\n", "\n").replace("\r", "\n")
    finder = Finder(text.split("\n"))
    try:
        finder.visit(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    marked = {number for number in finder.hits if any(MARKER.search(line) for line in finder.near(number))}
    return Lines(finder.text, finder.hits - marked - finder.unsettled, finder.unsettled)


class Finder(ast.NodeVisitor):
    """The default rules."""

    def __init__(self, text: List[str]) -> None:
        self.text = text
        self.hits: Set[int] = set()
        self.unsettled: Set[int] = set()
        self.fstring: Optional[ast.JoinedStr] = None

    def visit_keyword(self, node: ast.keyword) -> None:
        if detaches(node.arg, node.value):
            self.found(node.arg, node, node.value)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values):
            self.item(key, value, key)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                self.item(target.slice, node.value, target)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in SETSID and isinstance(node.value, ast.Name) and node.value.id == "os":
            self.found(node.attr, node, node)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if HELPER in (getattr(node.func, "id", None), getattr(node.func, "attr", None)):
            self.found(HELPER, node.func, node)
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer = self.fstring
        if not FSTRINGS_HAVE_POSITIONS:
            self.fstring = outer or node
        self.generic_visit(node)
        self.fstring = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        # One line alone does not tell `case[x]: int` from a clause; lint-spawns reads it as one.
        if re.match(r"case[\s\\]*[\[(]", self.source(node)):
            self.unsettled.update(range(node.lineno, node.end_lineno + 1))
        self.generic_visit(node)

    def item(self, key: Optional[ast.expr], value: ast.expr, place: ast.expr) -> None:
        if isinstance(key, ast.Constant) and detaches(key.value, value):
            self.found(key.value, key, place)

    def found(self, needle: str, spelled: ast.AST, place: ast.AST) -> None:
        """A shape: its name stands in the text of `spelled`, and it counts where `place` begins."""
        if self.fstring is not None:
            spelled = place = self.fstring
            if place.lineno != place.end_lineno:
                self.unsettled.update(range(place.lineno, place.end_lineno + 1))
                return
        # A name that is split over literals or written with escapes is outside the promise.
        spelled_out = needle in self.source(spelled)
        (self.hits if spelled_out else self.unsettled).add(place.lineno)

    def source(self, node: ast.AST) -> str:
        # ast.get_source_segment splits the whole text anew each time.
        lines = [line.encode() for line in self.text[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    def near(self, number: int) -> List[str]:
        """A line, 1-based, and the one above it: where a marker counts."""
        return self.text[max(number - 2, 0) : number]


def detaches(name: object, value: ast.expr) -> bool:
    """Whether the Popen argument `name` of this value starts a session or a group. Nothing is folded."""
    unset = isinstance(value, ast.Constant) and value.value is None
    if name == "process_group":
        return not unset
    number = isinstance(value, ast.Constant) and isinstance(value.value, (bool, int, float, complex))
    return name == "start_new_session" and not unset and not (number and value.value == 0)


class Impossible(Exception):
    """The comparison cannot be made."""


class Tally:
    """Compares, counts, and keeps the programs that differ."""

    def __init__(self, xtask: Path) -> None:
        self.xtask = xtask
        self.compared = 0
        self.differences = 0
        self.kept: Optional[Path] = None

    def compare(self, kind: str, programs: Dict[str, bytes]) -> None:
        """One run of lint-spawns over programs, which are given by what to call them."""
        if not programs:
            return
        compared = lines = differing = 0
        # Below a folder of its own that git takes for no repository, all files count.
        with tempfile.TemporaryDirectory(prefix="lint-spawns-oracle-") as name:
            folder = Path(name).resolve()
            files = {f"{number}.py": title for number, title in enumerate(programs)}
            for file, title in files.items():
                (folder / file).write_bytes(programs[title])
            reported, unparsable = self.run(folder)
            for file, title in files.items():
                expected = lines_of(programs[title])
                if expected is None:
                    continue
                compared += 1
                lines += len(expected.hits)
                wrong = {number: "missed" for number in expected.hits - reported[file]}
                wrong.update((number, "not a hit") for number in reported[file] - expected.hits - expected.unsettled)
                wrong.update((number, "parsed by Python, not by lint-spawns") for number in unparsable[file])
                if wrong:
                    differing += 1
                    self.show(title, programs[title], expected.text, wrong)
        print(
            f"{kind}: {compared} programs compared, {lines} lines to report, {differing} programs differ; "
            f"{len(programs) - compared} that this Python cannot parse"
        )
        self.compared += compared
        self.differences += differing

    def run(self, folder: Path):
        """The line numbers that lint-spawns reports in each file of a folder: all, and those that it cannot parse."""
        (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
        command = [str(self.xtask), "lint-spawns", "--all", "--config", "policy.toml", "."]
        try:
            run = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=600,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Impossible(error) from error
        if run.returncode not in (0, 1):
            raise Impossible(f"{' '.join(command)} ended with {run.returncode}:\n{run.stderr.strip()}")
        reported: Dict[str, Set[int]] = {path.name: set() for path in folder.glob("*.py")}
        unparsable: Dict[str, Set[int]] = {name: set() for name in reported}
        for line in run.stdout.split("\n"):
            problem = PROBLEM.fullmatch(line)
            if problem:
                reported[problem[1]].add(int(problem[2]))
                if problem[3]:
                    unparsable[problem[1]].add(int(problem[2]))
        return reported, unparsable

    def show(self, title: str, program: bytes, text: List[str], wrong: Dict[int, str]) -> None:
        self.kept = self.kept or Path(tempfile.mkdtemp(prefix="lint-spawns-differences-"))
        (self.kept / re.sub(r"[^\w.-]+", "_", title.lstrip("/"))).with_suffix(".py").write_bytes(program)
        for number, what in sorted(wrong.items()):
            print(f"{title}:{number}: {what}: {text[number - 1].strip()[:160]!r}")


# The grammar of the random programs: `<name>` stands for any one of the name's alternatives, alternatives that are
# listed twice come up more often. An `atom` needs no parentheses; a line break stands between brackets only.
GRAMMAR: Dict[str, List[str]] = {
    "leaf": ["<shape>", "<shape>", "<shape>", "a", "1.5", "None", "é", "...", "match", "case", "type", "<string>"],
    "string": [
        "'s'", '"it\'s"', "'''t\n\"'''", "r'\\\\'", "b'x'", "u'#'", "'os.setsid'", "'start_new_session=True'",
        "'a' \"b\"", '"""os.setpgrp(\n\'\'\'"""', "'{'", "'\\\nprocess_group'", "f'{{os.setsid}}'",
    ],
    "value": [
        "True", "False", "None", "0", "0.0", "0j", "0x0", "00", "-0", "''", "b''", "()", "...", "not x", "1", "x",
        "(0)", "(<gap>None<gap>)", "(<gap>x<gap>)", "(<gap>x)(<gap>)", "[<gap>0]", "lambda: 0", "f'{x}'", "0 or 0",
        "0 if x else 0", "(<gap>0).real", "(<gap>x for x in y)", "(<gap>0<gap>,)", "'' <gap>''",
    ],
    "gap": ["", "", "", "", " ", "\n", " \\\n ", "\n\n", "  # it's ({\n", "\n# os.setsid[\n"],
    "shape": [
        "f(<gap>start_new_session<gap>=<gap><value><gap>)", "f(a,<gap>process_group=<value>,<gap>)", "os.setsid",
        "{<gap>'start_new_session'<gap>:<gap><value>}", '{**k,<gap>"process_group": <value>, 1: 2}',
        "{(<gap>'process_group'<gap>): <value>}", "{'process_group' <gap>'': <value>}", "{r'''process_group''': 0}",
        "os.setpgid(<gap>0, 0)", "(<gap>os<gap>.<gap>setpgrp<gap>)", "(<gap>os).setsid()", "self.setsid()", "setsid",
        f"{HELPER}(<gap>)", f"m.{HELPER}(<gap>)", f"(<gap>m<gap>.{HELPER}<gap>)()", HELPER, "x.os.setsid",
        "dict(process_group=<value>,<gap>start_new_session=<value>)", "kw['start_new_session']", "process_group",
        "{f'process_group': 1}", "{b'process_group': 1}", "{process_group: 1}", "g(process_groups=1)",
        "{'process_group': 0 for x in y}", "(lambda process_group=0: 0)", "{'process_group', 0}",
    ],
    "atom": [
        "(<gap><expr><gap>)", "[<expr>,<gap>*<atom>]", "{<expr>:<gap><expr>}", "{**<atom>, 1: <expr>}", "{<expr>, 2}",
        "[<expr> for a in <atom> if <atom>]", "{<expr>: <expr> async for a in <atom>}", "(<gap>x := <expr>)",
        "g(<expr> for a in <atom>)", "(yield <expr>)", "(yield from <expr>)", "(await <atom>)", "<atom>.attr",
        "<atom>[<expr>:<expr>,<gap><expr>]", "(<gap><expr>,)", "<atom>(<gap><expr>)", "g(<expr>, *<atom>, k=<expr>)",
        "g(**<atom>,<gap>start_new_session=<expr>)", "<fstring>", "<leaf>",
    ],
    "fstring": [
        "f'{<field>}'", "f'a{<field>!r:>{<field>}}b{{'", "'s' f'{<field>}{<field>:%Y-{x}}' 't'", "rf'\\{<field>:\\d}'",
        "f'''\n{<field> = }\n{<field>}'''", 'f"{f\'{<field>}\'}"', "f'{x:{<field>}}'",
    ],
    "field": [
        "f(start_new_session=True)", "f(process_group=None)", "os.setsid", f"{HELPER}()", "x", "(lambda: os.setpgrp)",
    ],
    "expr": [
        "<atom>", "<atom>", "<atom>", "<atom> and <atom>", "<atom> + <atom>", "<atom>//<atom>", "-<atom>", "not <atom>",
        "<atom> is not <atom>", "<atom><<atom>", "<atom> if <atom> else <expr>", "<atom> + \\\n  <atom>",
        "lambda a=<expr>, *b, c=<expr>: <expr>",
    ],
    "simple": [
        "<expr>", "<expr>", "x = <expr>", "kw['start_new_session'] = <value>", "kw['process_group'] = <expr>",
        "a = kw[<gap>'process_group'] = b = <expr>", "(<gap>kw<gap>)['process_group'] = <value>", "x: <expr> = <expr>",
        "kw['process_group']: int = 0", "kw['process_group'] += 1", "kw['start_new_session'], y = <expr>, 1",
        "x += <expr>", "*a, b = <expr>", "del os.setsid, x[<expr>]", "os.setsid = <expr>", "return <expr>", "pass",
        "raise X(<expr>) from <expr>", "assert <expr>, <expr>", "import os; <expr>", "from os import setsid",
        "global process_group", "x = yield <expr>", "print(<expr>)", "match(<expr>)", "match[<expr>]: int = <expr>",
        "match[0]: int = <expr>", "match.x[<expr>] = 1", "match -x, <expr>", "match * a[<expr>]", "case = <expr>",
        "case(x)[<expr>] = 1", "type(<expr>)", "type: int = <expr>", "_ = match, <expr>",
    ],
    "params": ["", "a, /, b: <expr> = <expr>, *c: <expr>, d=<expr>, **k", "process_group=0,<gap>*, x=<expr>"],
    "pattern": [
        "os.setsid | X(process_group=0)", "{'start_new_session': True, **rest}", "[a, *_] | 'os.setsid'", "_",
        "(os.setpgrp as x, -1)", "X(process_group=os.setsid)",
    ],
    "above": ["", "", "", "", "\n", "# setsid ' \"\"\"\n", "  # detached-spawn: ok — why\n", "\x0c\n", "# caf\udce9\n"],
    "tail": ["", "", "", "", ";", "  # os.setsid('", "  # detached-spawn: ok - why", " # detached-spawn: ok --"],
}

# Compound statements: their headers, each of which is followed by a body unless it is a decorator.
COMPOUND: List[List[str]] = [
    ["if <expr>:", "elif <expr>:", "else:"],
    ["while <expr>:", "else :"],
    ["for x[<expr>] in <expr>:"],
    ["async for x in <expr>:", "else:"],
    ["with <expr> as x, <expr>:"],
    ["with (<gap><expr> as x,<gap><expr>):"],
    ["async with <atom> as x[<expr>]:"],
    ["try:", "except (<expr>, B):", "except:", "else:", "finally:"],
    ["try :", "except <expr> as y:"],
    ["@<expr>", "@x.y", "def f(<params>) -> <expr>:"],
    ["async def f(<gap><params>):"],
    ["@<expr>", "class C(<expr>,<gap>start_new_session=<value>, **<atom>):"],
    ["class C:"],
]  # fmt: skip

if sys.version_info >= (3, 11):
    COMPOUND += [["try:", "except* <expr> as y:"]]
if sys.version_info >= (3, 12):
    GRAMMAR["field"] += ["<expr>", "(<expr>)", "(<gap><expr><gap>)"]
    GRAMMAR["simple"] += ["type X = <expr>", "type X[T: <expr>] = <expr>", "type X[T: (<expr>, int), *U, **P] = int"]
    COMPOUND += [["async def f[T: <expr>](<params>):"], ["class C[T](process_group=<value>):"]]
if sys.version_info >= (3, 13):
    GRAMMAR["simple"] += ["type X[T = <expr>] = <expr>"]
    COMPOUND += [["class C[T = <expr>, *U = <expr>, **P = <expr>]:"], ["def f[T: int = <expr>]() -> <expr>:"]]
if sys.version_info >= (3, 14):
    GRAMMAR["fstring"] += ["t'{<field>}'", "rt'''\n{<field>!r:{<field>}}'''"]
    COMPOUND += [["try:", "except <atom>, B:"]]


class Writer:
    """Writes a random program."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def program(self) -> bytes:
        text = "".join(self.statement("", self.random.randrange(4)) for _ in range(self.random.randint(1, 4)))
        if self.random.random() < 1 / 3:
            text = self.mutated(text)
        if self.random.random() < 1 / 20:
            text = "\ufeff" + text.rstrip("\n")
        text = text.replace("\n", self.random.choice(["\n"] * 18 + ["\r\n", "\r"]))
        # A lone surrogate stands for a byte that is not UTF-8.
        return text.encode("utf-8", "surrogateescape")

    def statement(self, indent: str, depth: int) -> str:
        above = self.one("above")
        if depth <= 0 or self.random.random() < 0.4:
            # After a tab and a backslash, CPython miscounts the columns.
            start = "" if "\t" in indent else self.random.choice(["", "", "", "\\\n" + indent])
            return f"{above}{indent}{start}{self.simple(self.random.randrange(4))}"
        if sys.version_info >= (3, 10) and self.random.random() < 0.15:
            return above + self.match(indent, depth)
        return above + "".join(self.clause(header, indent, depth) for header in self.random.choice(COMPOUND))

    def match(self, indent: str, depth: int) -> str:
        cases = self.random.choice([["case <pattern>:"], ["case <pattern>:", "case <pattern> if <expr>:"]])
        head = self.expand(self.random.choice(["match <expr>:", "match <expr>, <expr>:"]), 2)
        return f"{indent}{head}\n" + "".join(self.clause(case, indent + " ", depth) for case in cases)

    def clause(self, header: str, indent: str, depth: int) -> str:
        start = indent + self.expand(header, self.random.randrange(1, 4))
        if header.startswith("@"):
            return start + "\n" + self.one("above")
        if self.random.random() < 0.35:
            return f"{start} {self.simple(1)}"
        deeper = indent + self.random.choice(["  ", "    ", "\t"])
        body = "".join(self.statement(deeper, depth - 1) for _ in range(self.random.randint(1, 2)))
        return start + self.random.choice(["\n", "  # process_group: it's (\n"]) + body

    def simple(self, depth: int) -> str:
        """The rest of a line, of one simple statement or two."""
        statements = [self.one("simple", depth) for _ in range(self.random.choice([1, 1, 1, 2]))]
        return "; ".join(statements) + self.one("tail") + "\n"

    def one(self, name: str, depth: int = 0) -> str:
        return self.expand(self.random.choice(GRAMMAR[name]), depth)

    def expand(self, template: str, depth: int) -> str:
        def part(placeholder: "re.Match[str]") -> str:
            name = placeholder[1]
            return self.one("leaf" if depth <= 0 and name in ("expr", "atom", "fstring") else name, depth - 1)

        return re.sub(r"<([a-z]+)>", part, template)

    def mutated(self, text: str) -> str:
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randrange(len(text))
            piece = self.random.choice([*"()[]{}'\":,.=#\\; \n\r\x0c", "", "", "f'", '"""', "\\\n", "\r\n"])
            text = text[:at] + piece + text[at + self.random.randrange(2) :]
        return text


def made_up(seed: str, count: int) -> Dict[str, bytes]:
    """Random programs. Each has a seed of its own, so that a smaller count makes the same first ones."""
    return {f"seed {seed}, program {n}": Writer(Random(f"{seed}/{n}")).program() for n in range(count)}


def standard_library() -> List[Path]:
    """What came with this Python, and nothing that was installed since."""
    folder = Path(sysconfig.get_path("stdlib"))
    return [path for path in folder.iterdir() if path.name not in ("site-packages", "dist-packages")]


def with_needle(paths: Iterable[Path]) -> Dict[str, bytes]:
    """The Python files among and below paths that are worth a comparison."""
    programs = {}
    for path in paths:
        for file in path.rglob("*.py") if path.is_dir() else [path]:
            data = file.read_bytes() if file.is_file() else b""
            if any(needle.encode() in data for needle in NEEDLES):
                programs[str(file)] = data
    return programs


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares lint-spawns with CPython's own parser.")
    parser.add_argument("--xtask", type=Path, required=True, help="the program to check")
    parser.add_argument("--programs", type=int, default=1000, help="how many programs to make up [default: 1000]")
    parser.add_argument("--seed", default="0", help="of the random numbers [default: 0]")
    parser.add_argument("paths", type=Path, nargs="*", help="further files and folders to compare on")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.setrecursionlimit(10_000)
    warnings.simplefilter("ignore")

    for path in [arguments.xtask, *arguments.paths]:
        if not path.exists():
            parser.error(f"{path} does not exist")
    tally = Tally(arguments.xtask.resolve())
    try:
        tally.compare("fixtures", with_needle([Path(__file__).resolve().parents[2] / "fixtures"]))
        tally.compare("standard library", with_needle(standard_library()))
        tally.compare("paths", with_needle(arguments.paths))
        tally.compare("made up", made_up(arguments.seed, arguments.programs))
        if tally.compared == 0:
            raise Impossible("there was nothing to compare")
    except Impossible as error:
        print(f"oracle: {error}", file=sys.stderr)
        return 2
    print(f"{tally.differences} of {tally.compared} programs differ from Python {platform.python_version()}")
    if tally.kept:
        print(f"they are kept in {tally.kept}; again: {shlex.join([sys.executable, *sys.argv])}")
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
