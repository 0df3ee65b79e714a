"""What xtask/docs/recipes.md shows: its blocks, as they stand there."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "recipes.md"


def block(section: str, language: str, number: int = 0) -> str:
    """The text of a block of code of this language below a heading; the first is number 0."""
    found = blocks(language)[section]
    if number >= len(found):
        raise LookupError(f"{PAGE.name} shows no {language} block number {number} below {section!r}")
    return found[number]


def blocks(language: str) -> dict[str, list[str]]:
    """The blocks of a language below each heading."""
    found: dict[str, list[str]] = {}
    section = ""
    for heading, words, code in re.findall(r"^(#+) (.+)$|^```(.*\n(?:.*\n)*?)```$", PAGE.read_text("utf-8"), re.M):
        if heading:
            section = words
            found[section] = []
        elif code.startswith(f"{language}\n"):
            found[section].append(code.split("\n", 1)[1])
    return found
