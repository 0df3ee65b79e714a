"""Checks lint-spawns against CPython.

lint-spawns cuts single statements out of a text and gives them to a parser that is not Python's. Here the whole text
goes through `ast.parse`, the default rules are applied to the tree in the plainest way, and the lines that the two
find are compared: on this repository's fixtures, on the standard library of the Python that runs this, on PATHS, and
on programs made up at random. What this Python, 3.9 or later, cannot parse is counted and not compared.

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
from typing import NamedTuple, Optional

from oracle_programs import HELPER, random_program

POLICY = f'exclude = []\ndetach-helpers = ["{HELPER}"]\n'
SETSID = ("setsid", "setpgid", "setpgrp")
NEEDLES = ("start_new_session", "process_group", *SETSID, HELPER)
MARKER = re.compile(r"detached-spawn: ok\s*[—-].*[^\s—–-]")
PROBLEM = re.compile(r"(\d+)\.py:(\d+): .*?(  \[cannot be parsed\])?")

# Before 3.12, what stands in an f-string has made-up positions.
FSTRINGS_HAVE_POSITIONS = sys.version_info >= (3, 12)


class Lines(NamedTuple):
    """What CPython makes of a text."""

    text: list[str]
    hits: set[int]
    unsettled: set[int]
    """Lines that lint-spawns may report or not: it promises nothing, or this Python does not tell."""


def lines_of(data: bytes) -> Optional[Lines]:
    """The lines that have to be reported, which marked ones are not; None if this Python cannot parse the text."""
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

    def __init__(self, text: list[str]) -> None:
        self.text = text
        self.hits: set[int] = set()
        self.unsettled: set[int] = set()
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

    def near(self, number: int) -> list[str]:
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

    def compare(self, kind: str, programs: dict[str, bytes]) -> None:
        """One run of lint-spawns over programs, which are given by what to call them."""
        compared = lines = differences = 0
        for (title, program), reported in zip(programs.items(), self.report(list(programs.values()))):
            expected = lines_of(program)
            if expected is None:
                continue
            compared += 1
            lines += len(expected.hits)
            wrong = {number: "missed" for number in expected.hits - set(reported)}
            wrong.update((number, "not a hit") for number in set(reported) - expected.hits - expected.unsettled)
            wrong.update((number, "not parsed, but Python does") for number in reported if reported[number])
            if wrong:
                differences += 1
                self.show(title, program, expected.text, wrong)
        if programs:
            print(
                f"{kind}: {compared} programs compared, {lines} lines to report, {differences} programs differ; "
                f"{len(programs) - compared} that this Python cannot parse"
            )
        self.compared += compared
        self.differences += differences

    def report(self, programs: list[bytes]) -> list[dict[int, bool]]:
        """The lines that lint-spawns reports in each program, and whether as ones that it cannot parse."""
        reported: list[dict[int, bool]] = [{} for _ in programs]
        if not programs:
            return reported
        with tempfile.TemporaryDirectory(prefix="lint-spawns-oracle-") as name:
            folder = Path(name).resolve()
            (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
            for number, program in enumerate(programs):
                (folder / f"{number}.py").write_bytes(program)
            # In a folder that git takes for no repository, all files count.
            environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
            environment["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
            output = self.run(["--all", "--config", "policy.toml", "."], folder, environment)
        for line in output.split("\n"):
            problem = PROBLEM.fullmatch(line)
            if problem:
                reported[int(problem[1])][int(problem[2])] = problem[3] is not None
        return reported

    def run(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> str:
        command = [str(self.xtask), "lint-spawns", *arguments]
        pipes = {"stdin": subprocess.DEVNULL, "capture_output": True, "encoding": "utf-8", "errors": "replace"}
        try:
            run = subprocess.run(command, cwd=folder, env=environment, timeout=600, **pipes)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Impossible(error) from error
        if run.returncode not in (0, 1):
            raise Impossible(f"{shlex.join(command)} ended with {run.returncode}:\n{run.stderr.strip()}")
        return run.stdout

    def show(self, title: str, program: bytes, text: list[str], wrong: dict[int, str]) -> None:
        self.kept = self.kept or Path(tempfile.mkdtemp(prefix="lint-spawns-differences-"))
        name = re.sub(r"\W+", "_", title.removesuffix(".py")).strip("_")
        (self.kept / f"{name}.py").write_bytes(program)
        for number, what in sorted(wrong.items()):
            source = "".join(text[number - 1 : number]).strip()
            print(f"{title}:{number}: {what}: {source[:160]!r}")


def made_up(seed: str, count: int) -> dict[str, bytes]:
    """Random programs. Each has a seed of its own, so that a smaller count makes the same first ones."""
    return {f"seed {seed}, program {n}": random_program(f"{seed}/{n}") for n in range(count)}


def standard_library() -> list[Path]:
    """What came with this Python, and nothing that was installed since."""
    folder = Path(sysconfig.get_path("stdlib"))
    return [path for path in folder.iterdir() if path.name not in ("site-packages", "dist-packages")]


def with_needle(paths: list[Path]) -> dict[str, bytes]:
    """The Python files among and below paths that are worth a comparison."""
    programs = {}
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            data = file.read_bytes() if file.is_file() else b""
            if any(needle.encode() in data for needle in NEEDLES):
                programs[str(file)] = data
    return programs


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares lint-spawns with CPython's own parser.")
    xtask = os.environ.get("XTASK", "target/debug/xtask")  # `cargo xtask ci` says where it is itself
    parser.add_argument("--xtask", type=Path, default=xtask, help="the program to check [default: %(default)s]")
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
