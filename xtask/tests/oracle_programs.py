"""Random programs for the oracle: every kind of statement and expression in every layout, full of what lint-spawns
looks for and of what only looks like it. Most of them are Python.
"""

import re
import sys
from random import Random

# What the fixtures name in `detach-helpers`.
HELPER = "windows_detach_popen_kwargs"


def random_program(seed: str) -> bytes:
    """The same seed makes the same program under one version of Python; later versions have more to write."""
    return Writer(Random(seed)).program()


# The grammar of the random programs: `<name>` stands for any one of the name's alternatives, alternatives that are
# listed twice come up more often. An `atom` needs no parentheses; a line break stands between brackets only.
GRAMMAR: dict[str, list[str]] = {
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
}  # fmt: skip

# Compound statements: their headers, each of which is followed by a body unless it is a decorator.
COMPOUND: list[list[str]] = [
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
