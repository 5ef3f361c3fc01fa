"""Files that a page or docstring names with a folder exist: otherwise the text outlives a move."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"(?<![\w./-])(?:[a-z_0-9]+/)+[a-z_0-9]+\.py\b")
PLACEHOLDER = "your_"
SOURCES = [file for name in ("analysis", "bench", "eng", "eval", "collector") for file in (ROOT / name).rglob("*.py")]
PATHS = {f"/{file.relative_to(ROOT).as_posix()}" for file in SOURCES}
TEXTS = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
TEXTS += sorted((ROOT / "analysis" / "poolscope").rglob("*.py"))


def unknown(text: str) -> list[str]:
    """Returns Python files that the text names with a folder and that do not exist."""
    named = {name for name in NAMED.findall(text) if PLACEHOLDER not in name}
    return sorted(name for name in named if not any(path.endswith(f"/{name}") for path in PATHS))


def test_every_named_file_is_there():
    found = {text.relative_to(ROOT).as_posix(): unknown(text.read_text("utf-8")) for text in TEXTS}
    assert {text: names for text, names in found.items() if names} == {}


def test_a_file_that_is_gone_is_found():
    assert unknown("as `coverage/gone.py` says, not `coverage/coverage.py`, and see cli/your_verb.py") == [
        "coverage/gone.py"
    ]
