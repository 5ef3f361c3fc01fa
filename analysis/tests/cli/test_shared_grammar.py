"""Durations, sizes and conditions mean the same in both languages: the C# tests read traces/command-line.json too."""

import json
from pathlib import Path

import pytest
from poolscope.base.typed import duration_ns, size_bytes
from poolscope.base.errors import InvalidArgument
from poolscope.check import parse_any
from poolscope.check.condition import LATE_REQUESTS, SHORT, SUMMARIES, WATCHED, unit_of

SHARED = json.loads((Path(__file__).resolve().parents[3] / "traces" / "command-line.json").read_text("utf-8"))
NS = {"ms": 1e6, "s": 1e9}
VALUES = {"duration": ">1m30s", "number": ">=100", "nothing": ""}


def told(text):
    """Returns the meaning of a condition in the notation of the shared file, or None if it is refused."""
    try:
        terms = parse_any(text)
    except InvalidArgument:
        return None
    return " or ".join(f"{'.'.join(t.key)} {t.operator} {round(t.limit * NS.get(unit_of(t.key), 1))}" for t in terms)


@pytest.mark.parametrize("row", SHARED["durations"], ids=lambda row: f"{row['text']!r} {row.get('bare', '')}")
def test_durations(row):
    assert duration_ns(row["text"], row.get("bare")) == row["ns"]


@pytest.mark.parametrize("row", SHARED["sizes"], ids=lambda row: f"{row['text']!r} {row.get('bare', '')}")
def test_sizes(row):
    assert size_bytes(row["text"], row.get("bare")) == row["bytes"]


@pytest.mark.parametrize("row", SHARED["conditions"], ids=lambda row: repr(row["text"]))
def test_conditions(row):
    assert told(row["text"]) == row["check"]


@pytest.mark.parametrize("word", sorted(SHARED["words"]))
def test_a_word_is_known_or_the_verb_that_knows_it_is_named(word):
    row = SHARED["words"][word]
    text = word + VALUES[row["takes"]]
    if row["check"] is not None:
        assert told(text).startswith(f"{row['check']} >")
        return
    with pytest.raises(InvalidArgument, match=f"a capture does not show {word}; .*: poolscope watch --when '{word}"):
        parse_any(text)


def test_the_shared_file_has_every_word_that_stands_for_one_number():
    words = SHARED["words"]
    assert {w for w, row in words.items() if row["check"] is None} == set(WATCHED)
    assert {w for w, row in words.items() if row["check"]} == {*SUMMARIES, "goal", "incidents", LATE_REQUESTS}
    assert set(SUMMARIES) < set(SHORT)
