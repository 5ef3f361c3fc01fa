"""Parses the output of `./build.sh fuzz --format dump`."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

_HEAD = re.compile(r"^dump\s+(\d+) inputs\s+([\d.]+) s .* peak (\d+) MiB\s+slowest (\d+) ms\s+(\d+) findings")
_ROW = re.compile(r"^\s+(\d+)  (\S.*)$")


def parse(text: str) -> dict[str, Any]:
    """Returns inputs, seconds, peak memory, findings, and the count of each answer. Raises ValueError for any other
    text."""
    answers: Counter[str] = Counter()
    head = None
    for line in text.splitlines():
        if found := _HEAD.match(line):
            head = found
        elif head is not None and (row := _ROW.match(line)):
            answers[row[2]] += int(row[1])
    if head is None:
        raise ValueError("not the output of ./build.sh fuzz --format dump")
    return {
        "inputs": int(head[1]),
        "seconds": float(head[2]),
        "peak_mib": int(head[3]),
        "slowest_ms": int(head[4]),
        "findings": int(head[5]),
        "answers": dict(answers.most_common()),
    }


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts over runs. Stuck: the library that reads the runtime's memory did not end, and the reader's limit ended
    it."""
    answers = Counter[str]()
    for row in rows:
        answers.update(row["answers"])
    total = sum(answers.values())
    refused = sum(count for words, count in answers.items() if "refused" in words or "too little" in words)
    return {
        "inputs": sum(row["inputs"] for row in rows),
        "answered": total - refused,
        "refused_in_one_line": refused,
        "reader_died": sum(count for words, count in answers.items() if words.startswith("reader died")),
        "reader_ended_by_limit": sum(count for words, count in answers.items() if words.startswith("without end")),
        "findings": sum(row["findings"] for row in rows),
        "peak_mib": max((row["peak_mib"] for row in rows), default=None),
    }
