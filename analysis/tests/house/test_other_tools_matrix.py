"""Each row of the tables in docs/other-tools.md has a test or a public file, and quotes words that the product still
uses."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs" / "other-tools.md").read_text("utf-8")
HEADING = "## What each kind of file gives"
EVIDENCE = json.loads(Path(__file__).with_name("other_tools_evidence.json").read_text("utf-8"))
"""Keyed by the first cell of a row: names of tests and files here, and the path of a public file in its GitHub
repository."""
HEADS = ("kind of file", "refused (exit code 3)")
RUN = 4
"""Words in a row that must match, because a sentence may have placeholders in between."""


def rows():
    """Returns the rows of the section's tables as cells."""
    section = DOCUMENT.partition(HEADING)[2].partition("\n### ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if not set("".join(row)) <= set("-| ") and row[0] not in HEADS]


@cache
def named_files():
    """Returns the names and paths that may serve as evidence for a row."""
    tests = [
        *ROOT.glob("analysis/tests/**/*"),
        *ROOT.glob("collector/**/*Tests.cs"),
        *ROOT.glob("traces/other-tools/*"),
    ]
    return {name for path in tests for name in (path.name, path.stem, str(path.relative_to(ROOT)))}


@cache
def said():
    """Returns all sources of the product as one lower-case text, with strings joined that are written in pieces."""
    files = [*ROOT.glob("analysis/poolscope/**/*.py"), *ROOT.glob("analysis/poolscope/**/*.html")]
    files += [path for path in ROOT.glob("collector/**/*.cs") if "Tests" not in str(path) and "/obj/" not in str(path)]
    text = "\n".join(path.read_text("utf-8") for path in files)
    whole = re.sub(r'"\s*\+?\s*[$f]*"', "", text)
    return " ".join(re.sub(r"[^\w:.]+", " ", whole).lower().split())


def runs(phrase):
    words = re.sub(r"[^\w:.]+", " ", phrase).lower().split()
    return [" ".join(words[at : at + RUN]) for at in range(max(len(words) - RUN, 0) + 1)]


def test_the_matrix_is_found():
    assert len(rows()) > 30


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:60])
def test_a_row_has_a_test_or_a_public_file_behind_it(row):
    evidence = EVIDENCE[row[0]]
    assert evidence["tests"] or evidence.get("public")
    assert not (missing := [name for name in evidence["tests"] if name not in named_files()]), missing


def test_no_evidence_is_left_over():
    assert set(EVIDENCE) == {row[0] for row in rows()}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:60])
def test_words_that_a_row_quotes_are_in_the_product(row):
    for phrase in re.findall(r'"([^"]+)"', " ".join(row[1:])):
        assert any(run in said() for run in runs(phrase)), phrase
