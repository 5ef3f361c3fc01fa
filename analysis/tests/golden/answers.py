"""The answers under review: the analyses of fifteen small captures, as files in which git shows each change.

An analysis.json has one leaf a line here, named by its path, so that a diff shows each change without its neighbours.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from pathlib import Path

from poolscope.capture import open_capture
from poolscope.contract.analysis_json import AnalysisJson
from poolscope.product import analyse
from poolscope.report.rendering import to_markdown

TRACES = Path(__file__).resolve().parents[3] / "traces"
ANSWERS = TRACES / "answers"
ROW = 12
"""Number of a series' values on one line."""
SHOWN = 20
"""Number of lines of a difference that the message shows, each cut to `WIDTH` characters."""
WIDTH = 160


def captures() -> dict[str, Path]:
    """Returns the archive of every capture, by its name."""
    return {path.stem: path for folder in (TRACES / "golden", ANSWERS) for path in sorted(folder.glob("*.zip"))}


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yields every leaf with its path. A long list of plain values is cut into rows; an empty dict or list is a
    leaf."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    elif isinstance(value, list) and len(value) > ROW:
        for start in range(0, len(value), ROW):
            yield f"{path}[{start}:{min(start + ROW, len(value))}]", value[start : start + ROW]
    else:
        yield path, value


def flat(content: AnalysisJson) -> str:
    """Returns an analysis.json as JSON with one leaf a line."""
    lines = (f"{json.dumps(path)}: {json.dumps(value, allow_nan=False)}" for path, value in leaves(content))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def answers(archive: Path) -> dict[str, str]:
    """Analyses a capture; returns the contents of its files by name."""
    content = analyse(open_capture(archive)).to_json()
    return {f"{archive.stem}.analysis.json": flat(content), f"{archive.stem}.md": to_markdown(content)}


def difference(name: str, new: str) -> list[str]:
    """Returns the lines that differ from the file of this name, shortened for the message; empty if none does."""
    path = ANSWERS / name
    old = path.read_text("utf-8").splitlines() if path.is_file() else []
    unified = difflib.unified_diff(old, new.splitlines(), f"traces/answers/{name}", "now", n=0, lineterm="")
    lines = [line if len(line) <= WIDTH else line[:WIDTH] + "..." for line in unified if not line.startswith("@@")]
    return lines if len(lines) <= SHOWN else [*lines[:SHOWN], f"and {len(lines) - SHOWN} more lines"]


def accept() -> list[str]:
    """Writes every answer that changed and deletes those without a capture; returns the names of these files."""
    wanted = {name: text for archive in captures().values() for name, text in answers(archive).items()}
    left = [path for path in sorted(ANSWERS.iterdir()) if path.suffix in (".json", ".md") and path.name != "README.md"]
    gone = [path for path in left if path.name not in wanted]
    changed = [name for name, text in wanted.items() if difference(name, text)]
    for path in gone:
        path.unlink()
    for name in changed:
        (ANSWERS / name).write_text(wanted[name], "utf-8")
    return [*(path.name for path in gone), *changed]


if __name__ == "__main__":
    for changed_name in accept():
        print(changed_name)
