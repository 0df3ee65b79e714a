"""Tries what xtask/docs/recipes.md shows, as people would: each block is run as it stands on the page.

The hooks are run by git, and by the pre-commit of PyPI: the one that .pre-commit-hooks.yaml offers, from a commit of
what this work tree holds, and that of a monorepo which has xtask/ in it. The commands of the workflows are run in the
shell that GitHub takes, and lint-spawns is installed and run where there is no Cargo workspace: all of it in throw-away
repositories, without the git settings of whoever runs it.

What is slow is kept below target/hooks: pre-commit, and the hook that it has installed, as long as this work tree is
the same. Programs are built without optimization, from the dependencies that `cargo xtask` has built.

Exit code 0: all went as told; 1: something did not; 2: it could not be tried.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import recipes
from hooks_repository import (
    APART,
    CACHE,
    ROOT,
    TARGET,
    Impossible,
    Repository,
    Wrong,
    copy_of_this_repository,
    environment,
    forget_clones,
    monorepo,
    python_project,
    run,
)

PRE_COMMIT = "pre-commit==4.7.0"
OUT_OF_REACH = (
    "PyPI, or a mirror that pip is told of, has to be within reach; "
    "where there is none, `cargo xtask ci --skip hooks` leaves this out"
)

# What the recipes leave open.
ADDRESS, REVISION = "https://github.com/OWNER/REPOSITORY", "REVISION"

CLEAN = "import subprocess\n"
SPAWN = 'import subprocess\nsubprocess.Popen(["a"], start_new_session=True)\n'
MARKED = 'import subprocess\n# detached-spawn: ok — it restarts us\nsubprocess.Popen(["a"], start_new_session=True)\n'
PROBLEM = 'agent/run.py:2: subprocess.Popen(["a"], start_new_session=True)'
HOW_TO_MARK = "    # detached-spawn: ok — <why this child may outlive its owner>"


def try_hook(repository: Repository) -> None:
    """What every hook has to do, in a repository whose policy includes agent/ and which has a commit."""
    repository.stage("agent/run.py", CLEAN)
    repository.commit().must(0)
    head = repository.head()

    # A new spawn, in the work tree as well as in the index.
    repository.stage("agent/run.py", SPAWN)
    repository.commit().must(1, PROBLEM, HOW_TO_MARK)

    # Mended in the work tree, and not staged.
    repository.write("agent/run.py", CLEAN)
    repository.commit().must(1, PROBLEM, HOW_TO_MARK)
    if repository.read("agent/run.py") != CLEAN or repository.head() != head:
        raise Wrong("a hook that refuses a commit has changed the work tree, or the commit is there all the same")

    # The other way round: what is staged is clean, and what is not staged is none of the commit's business.
    repository.stage("agent/run.py", CLEAN + "\n")
    repository.write("agent/run.py", SPAWN)
    repository.commit().must(0).must_not_say(PROBLEM)
    committed = repository.git("show", "HEAD:agent/run.py").must(0).text
    if (committed, repository.read("agent/run.py")) != (CLEAN + "\n", SPAWN):
        raise Wrong("a file that was staged in part was not committed as it was staged, or has changed")

    # What is named, or all, is committed from an index of its own.
    repository.stage("agent/other.py", CLEAN)
    repository.commit("--", "agent/run.py").must(1, PROBLEM)
    repository.commit("--", "agent/other.py").must(0).must_not_say(PROBLEM)
    repository.commit("--all").must(1, PROBLEM)

    # What the policy does not include, and what is marked.
    repository.stage("scripts/run.py", SPAWN)
    repository.stage("agent/run.py", MARKED)
    repository.commit().must(0)


def try_pre_commit(repository: Repository, program: Path, config: str, policy: str) -> None:
    """`policy` is the path of the policy file, which has to end in the policy's table. In the end all is as before."""
    start = repository.head()
    repository.stage(".pre-commit-config.yaml", config)
    repository.run(program, "validate-config").must(0)
    install = repository.run(program, "install", "--install-hooks")
    if "No matching distribution found for" in install.text:
        raise Impossible(f"{install.text.strip()}\npip cannot install what builds the hook: {OUT_OF_REACH}")
    install.must(0)
    repository.commit().must(0)
    try_hook(repository)

    # In CI nothing is staged, and all is checked.
    repository.run(program, "run", "--all-files").must(0)
    repository.stage("agent/run.py", SPAWN)
    repository.commit("--no-verify").must(0)
    repository.run(program, "run", "--all-files").must(1, "- exit code: 1", PROBLEM, HOW_TO_MARK)

    # With neither Python nor the policy in a commit, what is there already is not its business.
    repository.stage("notes.txt", "")
    repository.commit().must(0).must_not_say(PROBLEM)

    # A policy that tolerates it; and one that cannot be read.
    text = repository.read(policy)
    repository.stage(policy, text + 'baseline = { "agent/run.py" = 1 }\n')
    repository.commit().must(0).must_not_say(PROBLEM)
    repository.stage(policy, text + "exclud = []\n")
    repository.commit().must(1, "- exit code: 2")
    repository.run(program, "uninstall").must(0)
    repository.git("reset", "--quiet", "--hard", start).must(0)


def try_git_hook(repository: Repository, script: str) -> None:
    """In the end all is as before."""
    start = repository.head()
    hook = repository.write(".git/hooks/pre-commit", script)
    hook.chmod(0o755)
    try_hook(repository)
    hook.unlink()
    repository.git("reset", "--quiet", "--hard", start).must(0)


def try_installed(repository: Repository) -> None:
    """The program by itself, where there is no Cargo.toml."""
    version = (ROOT / "xtask" / "Cargo.toml").read_text(encoding="utf-8").split('version = "', 1)[1].split('"', 1)[0]
    repository.run("lint-spawns", "--version").must(0, f"lint-spawns {version}")
    repository.run("lint-spawns", "--help").must(0, "Usage: lint-spawns [OPTIONS] [PATHS]...").must_not_say("xtask")
    repository.run("lint-spawns", "rule").must(0).must_not_say("xtask")
    repository.run("lint-spawns", "rule", "pty-spawn").must(0).must_not_say("xtask")

    repository.stage("agent/run.py", CLEAN)
    repository.stage("scripts/run.py", SPAWN)
    clean = "no unmarked detached spawn in 1 Python file (policy: pyproject.toml)"
    repository.run("lint-spawns").must(0, clean)
    repository.stage("agent/run.py", SPAWN)
    repository.run("lint-spawns").must(1, PROBLEM, HOW_TO_MARK, "1 detached spawn in 1 file (policy: pyproject.toml).")
    repository.run("lint-spawns", "scripts").must(1, PROBLEM.replace("agent", "scripts", 1))
    repository.run("lint-spawns", "baseline", "write").must(0)
    repository.run("lint-spawns", "--strict-baseline").must(0)
    repository.git("reset", "--quiet", "--hard").must(0)


def try_workflow(repository: Repository, workflow: dict, expected: list[int | None], **variables: str) -> None:
    """Runs the commands of a workflow's only job. A step that only GitHub can do, or that is left out, is None."""
    (job,) = workflow["jobs"].values()
    codes: list[int | None] = []
    log = ""
    for step in job["steps"]:
        left_out = any(codes) and "!cancelled()" not in step.get("if", "")
        if "run" not in step or left_out:
            codes.append(None)
            continue
        ended = repository.shell(step["run"], **workflow.get("env", {}), **variables)
        codes.append(ended.code)
        log += f"{ended.what}\n{ended.text}"
    if codes != expected:
        raise Wrong(f"the steps of a workflow ended with {codes}, not with {expected}:\n{log}")


def try_vim(repository: Repository, settings: str) -> None:
    """Has vim list what `:make` and `:LintSpawns` find, the latter in a buffer with one line more than its file."""
    repository.write("vimrc", settings)
    show = "call writefile(map(getqflist(), 'bufname(v:val.bufnr) . \" \" . v:val.lnum'), 'found', 'a')"
    find = ["make", show, "normal Oimport os", "LintSpawns", show, "qall!"]
    commands = [word for command in find for word in ("-c", command)]
    repository.run("vim", "-N", "-u", "vimrc", "-es", "agent/run.py", *commands)
    if repository.read("found") != "agent/run.py 2\nagent/run.py 3\n":
        raise Wrong(f"vim does not find the problem, but\n{repository.read('found')}")


def pre_commit(variables: dict[str, str]) -> Path:
    """The program, installed."""
    folder = CACHE / f"{PRE_COMMIT}-python{sys.version_info[0]}.{sys.version_info[1]}"
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    if not (folder / "installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            venv.create(folder, with_pip=True)
        except subprocess.CalledProcessError as error:
            raise Impossible(f"{error}; install what venv needs: on Debian, python3-venv") from error
        command = [str(programs / "python"), "-m", "pip", "install", "--quiet", PRE_COMMIT]
        install = run(command, folder, variables)
        if install.code != 0:
            raise Impossible(f"{install.text.strip()}\npip cannot install {PRE_COMMIT}: {OUT_OF_REACH}")
        (folder / "installed").touch()
    return programs / "pre-commit"


def yaml(program: Path, text: str) -> Any:
    """What YAML says, as PyYAML reads it, which pre-commit brings along."""
    reader = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin.buffer), sys.stdout)"
    command = [str(program.with_name("python")), "-c", reader]
    return json.loads(subprocess.run(command, input=text, capture_output=True, check=True, encoding="utf-8").stdout)


def from_here(recipe: str, address: str, revision: str) -> str:
    """With what it leaves open filled in."""
    if ADDRESS not in recipe or REVISION not in recipe:
        raise Wrong(f"a recipe does not name {ADDRESS} and {REVISION}:\n{recipe}")
    return recipe.replace(ADDRESS, address).replace(REVISION, revision)


def cheaply(recipe: str) -> str:
    """As people run it, but without the minutes that optimization takes."""
    return recipe.replace("cargo install ", "cargo install --debug ")


def tell(what: str) -> None:
    print(f"{what} ...")


def try_all(folder: Path, variables: dict[str, str]) -> None:
    tell(f"{PRE_COMMIT}, and a copy of this repository")
    program = pre_commit(variables)
    here, revision = copy_of_this_repository(variables)
    git_hook = recipes.block("A git hook without pre-commit", "sh")

    tell("the hook of .pre-commit-hooks.yaml, by pre-commit")
    home = CACHE / "pre-commit" / revision
    for old in home.parent.glob("*"):
        if old != home:
            shutil.rmtree(old)
    variables["PRE_COMMIT_HOME"] = str(home)
    variables["MATURIN_PEP517_ARGS"] = "--profile=dev --config={}.{}".format(*APART).replace(" = ", "=")
    project = python_project(folder / "project", variables)
    project.run(program, "validate-manifest", here / ".pre-commit-hooks.yaml").must(0)
    config = from_here(recipes.block("pre-commit", "yaml", 0), here.as_posix(), revision)
    try_pre_commit(project, program, config, "pyproject.toml")

    tell("the hook of a monorepo with xtask/, by pre-commit")
    mono = monorepo(folder / "monorepo", here, variables)
    try_pre_commit(mono, program, recipes.block("pre-commit", "yaml", 1), "Cargo.toml")

    tell("the same, by git alone")
    try_git_hook(mono, git_hook)

    tell("the commands for GitHub and GitLab, in the monorepo")
    github = yaml(program, recipes.block("GitHub", "yaml"))
    matched = {"jobs": {"lint-spawns": {"steps": yaml(program, recipes.block("Problem matcher", "yaml"))}}}
    gitlab = yaml(program, recipes.block("GitLab, and any other CI", "yaml"))
    for text, code in ((CLEAN, 0), (MARKED, 0), (SPAWN, 1)):
        mono.stage("agent/run.py", text)
        try_workflow(mono, github, [None, code])
        try_workflow(mono, matched, [0, code])
        for command in gitlab["lint-spawns"]["script"]:
            mono.shell(command).must(code)
    settings = recipes.block("Editors", "vim")
    if shutil.which("vim"):
        try_vim(mono, settings)
    else:
        print("vim is not here, and so its settings are not tried")

    tell("cargo install --path, and the program where there is no Cargo.toml")
    root = folder / "installed"
    installing = {**variables, "CARGO_INSTALL_ROOT": str(root)}
    installing["PATH"] = os.pathsep.join([str(root / "bin"), variables["PATH"]])
    # Built from this work tree, it is what `cargo xtask` builds.
    ours = {**installing, "CARGO_TARGET_DIR": str(TARGET)}
    run(["bash", "-e", "-c", cheaply(recipes.block("Install", "sh", 1))], ROOT, ours).must(0)
    alone = python_project(folder / "alone", installing)
    try_installed(alone)
    try_git_hook(alone, git_hook.replace("cargo xtask lint-spawns", "lint-spawns"))

    tell("cargo install --git")
    shutil.rmtree(root)
    # What cargo has just built it takes for the same, since it is of the same text.
    alone.shell(cheaply(from_here(recipes.block("Install", "sh", 0), here.as_uri(), revision))).must(0)
    try_installed(alone)

    tell("the workflow for code scanning")
    shutil.rmtree(root)
    scanning = yaml(program, cheaply(from_here(recipes.block("Code scanning", "yaml"), here.as_uri(), revision)))
    for text, code in ((CLEAN, 0), (MARKED, 0), (SPAWN, 1)):
        alone.stage("agent/run.py", text)
        try_workflow(alone, scanning, [None, None, 0, 0, None, code])
        (report,) = json.loads(alone.read("lint-spawns.sarif"))["runs"]
        if len(report["results"]) != code:
            raise Wrong(f"lint-spawns.sarif should have {code} results, not {report['results']}")


def main() -> int:
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    try:
        variables = environment()
        try:
            with tempfile.TemporaryDirectory(prefix="lint-spawns-hooks-") as name:
                try_all(Path(name).resolve(), variables)
        finally:
            forget_clones(variables)
    except Wrong as error:
        print(f"hooks: {error}", file=sys.stderr)
        return 1
    except (Impossible, LookupError) as error:
        print(f"hooks: {error}", file=sys.stderr)
        return 2
    if recipes.untaken():
        print(f"hooks: nothing here tries {', '.join(recipes.untaken())}", file=sys.stderr)
        return 1
    print("all of it works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
