"""Throw-away git repositories for hooks.py, and the runs in them."""

import os
import shlex
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import NamedTuple

import recipes

ROOT = Path(__file__).resolve().parents[2]
TARGET = (ROOT / os.environ.get("CARGO_TARGET_DIR", "target")).resolve()
CACHE = TARGET / "hooks"
"""What is slow to make, and kept from one run to the next."""

# The crate that is built from a copy must not take the place of the one that is built from this work tree. It would,
# for cargo knows both by the same name; this makes it a build of its own, and leaves it the dependencies.
APART = ("profile.dev.package.xtask", "codegen-units = 64")

COPY = f"lint-spawns-{zlib.crc32(os.fsencode(CACHE)):08x}"
"""The name of the copy of this repository. cargo names its clone after it, so it is one that nobody else has."""

POLICY = 'include = ["agent"]\n'


class Wrong(Exception):
    """Something does not go as told."""


class Impossible(Exception):
    """It cannot be tried."""


class Run(NamedTuple):
    """How a command ended, and what it printed."""

    what: str
    code: int
    text: str

    def must(self, code: int, *lines: str) -> "Run":
        """It has to end with this code, and among what it printed have to be these lines."""
        missing = [line for line in lines if line not in self.text.split("\n")]
        if self.code != code or missing:
            lacks = "".join(f"\nit should print: {line}" for line in missing)
            raise Wrong(f"{self.what}\nended with {self.code}, not {code}:{lacks}\n{self.text}")
        return self

    def must_not_say(self, words: str) -> "Run":
        if words in self.text:
            raise Wrong(f"{self.what}\nshould not say {words!r}:\n{self.text}")
        return self


def run(command: list[str], folder: Path, variables: dict[str, str]) -> Run:
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    text = {"encoding": "utf-8", "errors": "replace"}
    try:
        ended = subprocess.run(command, cwd=folder, env=variables, timeout=900, **pipes, **text)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Impossible(error) from error
    return Run(f"$ {' '.join(command)}", ended.returncode, ended.stdout)


def environment() -> dict[str, str]:
    """Without what the user has set for git, Python and pre-commit, and with a home of its own."""
    home, user = CACHE / "home", Path.home()
    home.mkdir(parents=True, exist_ok=True)
    # Whoever owns this repository, it may be read.
    gitconfig = "[user]\n\tname = a\n\temail = a@localhost\n[safe]\n\tdirectory = *\n"
    (home / ".gitconfig").write_text(gitconfig, encoding="utf-8")
    kept = {"CARGO_HOME": user / ".cargo", "RUSTUP_HOME": user / ".rustup"}
    for settings in (user / ".pip" / "pip.conf", user / ".config" / "pip" / "pip.conf"):
        if settings.is_file():
            kept["PIP_CONFIG_FILE"] = settings
    dropped = ("GIT_", "PRE_COMMIT", "SKIP", "XDG_", "VIRTUAL_ENV", "PYTHON", "CARGO_PKG_", "CLICOLOR", "FORCE_COLOR")
    return {
        **{name: str(path) for name, path in kept.items()},
        **{name: value for name, value in os.environ.items() if not name.startswith(dropped)},
        "HOME": str(home),
        "USERPROFILE": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        # A cargo before 1.91 does not know the second, and builds the dependencies once more.
        "CARGO_TARGET_DIR": str(CACHE / "target"),
        "CARGO_BUILD_BUILD_DIR": str(TARGET),
    }


class Repository:
    """A git repository, and what is run at its top."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self.folder = folder
        self.variables = variables
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main").must(0)

    def run(self, *command: str | Path, **variables: str) -> Run:
        return run([str(word) for word in command], self.folder, {**self.variables, **variables})

    def shell(self, script: str, **variables: str) -> Run:
        """As GitHub runs it."""
        return self.run("bash", "-e", "-c", script, **variables)

    def git(self, *arguments: str) -> Run:
        return self.run("git", *arguments)

    def write(self, path: str, text: str) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return file

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def stage(self, path: str, text: str) -> None:
        self.write(path, text)
        self.git("add", path).must(0)

    def commit(self, *options: str) -> Run:
        return self.git("commit", "--quiet", "--message", "it", *options)

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").must(0).text.strip()


def copy_of_this_repository(variables: dict[str, str]) -> tuple[Path, str]:
    """One commit of what this work tree holds, and its name, which is the same for the same files."""
    folder = CACHE / COPY
    shutil.rmtree(folder, ignore_errors=True)
    then = {"GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z"}
    copy = Repository(folder, {**variables, **then})
    listing = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT, variables).must(0)
    for name in sorted(set(listing.text.split("\0")) - {""}):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    copy.git("add", "--all", "--force").must(0)
    copy.commit().must(0)
    return folder, copy.head()


def forget_clones(variables: dict[str, str]) -> None:
    """Removes what `cargo install --git` leaves in cargo's home, which is that of the user."""
    for place in ("db", "checkouts"):
        for clone in (Path(variables["CARGO_HOME"]) / "git" / place).glob(f"{COPY}-*"):
            shutil.rmtree(clone)


def monorepo(folder: Path, original: Path, variables: dict[str, str]) -> Repository:
    """A Cargo workspace of another edition, with xtask/ in it, as the recipe has it copied."""
    repository = Repository(folder, variables)
    # The versions and settings of this repository, so that the dependencies need not be built anew.
    settings = "[profile.dev]\ndebug = false\n\n[{}]\n{}".format(*APART)
    workspace = '[workspace]\nresolver = "2"\nmembers = ["ours"]\n\n[workspace.package]\nedition = "2021"\n'
    repository.write("Cargo.toml", f"{workspace}\n{settings}\n")
    repository.write("Cargo.lock", (original / "Cargo.lock").read_text(encoding="utf-8"))
    repository.write("ours/Cargo.toml", '[package]\nname = "ours"\nedition.workspace = true\n')
    repository.write("ours/src/lib.rs", "")
    recipe = recipes.block("In a Cargo workspace", "sh")
    repository.shell(recipe.replace("../lint-spawns", shlex.quote(original.as_posix()))).must(0)
    manifest = repository.read("Cargo.toml").replace('"ours"]', '"ours", "xtask"]')
    repository.write("Cargo.toml", f"{manifest}\n[workspace.metadata.lint-spawns]\n{POLICY}")
    # It puts what xtask/ depends on into Cargo.lock.
    repository.run("cargo", "xtask", "lint-spawns", "rule").must(0)
    repository.git("add", "--all").must(0)
    repository.commit().must(0)
    return repository


def python_project(folder: Path, variables: dict[str, str]) -> Repository:
    """A repository without Cargo."""
    repository = Repository(folder, variables)
    repository.stage("pyproject.toml", f"[tool.lint-spawns]\n{POLICY}")
    repository.commit().must(0)
    return repository
