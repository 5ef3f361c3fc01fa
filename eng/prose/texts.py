"""The texts of a file, and their readers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from prose import csharp_texts, markup_texts, python_texts, schema_texts
from prose.passages import Kind, Passage

GENERATED = ("docs/analysis-json.md", "docs/tables.md", "docs/zoo-programs.md", "docs/measured/")
"""Files that commands generate from texts that are checked at their source."""
SCHEMAS = ("traces/schema.json", "traces/analysis.schema.json")
LEFT_OUT = ("CHANGELOG.md", "eng/prose/", "eng/tests/test_prose", "analysis/poolscope/contract/analysis_json.py")
"""Published entries stay as they are; the other files contain the patterns themselves, or are generated."""
PAGE_PARTS = (
    "attribution blame compare coverage evidence findings flames fleets html incidents measures product "
    "replay report requests whatif"
).split()
"""Packages of the analysis whose strings appear on the page. The strings of other packages are help and errors."""
TESTS = re.compile(r"(^|/)(tests?|fuzz)/|\.(Tests|Testing|Fuzz[^/]*)/|(^|/)conftest\.py$")
TOOLS = re.compile(r"^(eng|eval|bench)/|^(build|\.ci)|^workloads/[^/]*Zoo")


def strings_of(name: str) -> Kind | None:
    """Returns the kind of a file's string literals; None for tests."""
    if TESTS.search(name):
        return None
    if TOOLS.search(name):
        return Kind.TOOLS
    package = re.match(r"analysis/poolscope/(\w+)/", name)
    return Kind.PAGE if package and package[1] in PAGE_PARTS else Kind.HELP


def in_file(root: Path, name: str) -> Iterator[Passage]:
    """Yields the passages of one file, given as a path from the repository's root."""
    path = Path(name)
    if name.startswith(LEFT_OUT) or name.startswith(GENERATED):
        return
    source = (root / path).read_text("utf-8") if path.suffix in READERS else ""
    if reader := READERS.get(path.suffix):
        yield from reader(source, path)


def _python(source: str, path: Path) -> Iterator[Passage]:
    return python_texts.passages(source, path, strings_of(path.as_posix()))


def _csharp(source: str, path: Path) -> Iterator[Passage]:
    return csharp_texts.passages(source, path, strings_of(path.as_posix()))


def _schema(source: str, path: Path) -> Iterator[Passage]:
    return schema_texts.passages(source, path) if path.as_posix() in SCHEMAS else iter(())


def _script(source: str, path: Path) -> Iterator[Passage]:
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("#"):
            yield Passage(path, number, Kind.COMMENT, line.lstrip("# "))
        elif re.search(r"\b(echo|printf|Write-Host|throw)\b", line):
            yield Passage(path, number, Kind.TOOLS, line.strip())


READERS = {
    ".py": _python,
    ".cs": _csharp,
    ".js": _csharp,
    ".md": markup_texts.of_markdown,
    ".html": markup_texts.of_html,
    ".json": _schema,
    ".sh": _script,
    ".ps1": _script,
}
