"""What xtask/docs/recipes.md shows: its blocks, as they stand there."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "recipes.md"
HEADING_OR_BLOCK = re.compile(r"^(#+) (.+)$|^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)

# xtask/tests/cli/matcher.rs reads it.
ELSEWHERE = "json"

taken: set[tuple[str, str, int]] = set()


def block(section: str, language: str, number: int = 0) -> str:
    """The text of a block of this language below a heading; the first is number 0."""
    taken.add((section, language, number))
    found = blocks().get((section, language, number))
    if found is None:
        raise LookupError(f"{PAGE.name} has no block number {number} of {language} below {section!r}")
    return found


def blocks() -> dict[tuple[str, str, int], str]:
    """All there are, by heading, language and number."""
    found: dict[tuple[str, str, int], str] = {}
    section = ""
    for mark, heading, language, text in HEADING_OR_BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if mark:
            section = heading
        else:
            number = sum(1 for known in found if known[:2] == (section, language))
            found[section, language, number] = text
    return found


def untaken() -> list[str]:
    """The blocks that nobody has asked for."""
    missing = [key for key in blocks() if key not in taken and key[1] != ELSEWHERE]
    return [f"block number {number} of {language} below {section!r}" for section, language, number in missing]
