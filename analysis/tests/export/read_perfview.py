"""A strict reader of PerfView's saved stacks, written after PerfView's own treatment of each element."""

from __future__ import annotations

import zipfile
from collections import Counter
from decimal import Decimal
from xml.etree import ElementTree

INT = range(-(2**31), 2**31)
RESERVED = ["ROOT", "BROKEN", "?!?", "OVERHEAD"]
"""StackSourceFrameIndex of TraceEvent: the first numbers are reserved. Every file that PerfView itself writes begins
with them."""


class PerfViewStacks:
    """The stacks of one file. `samples`: (time in ms, path from the root to the leaf, metric in ms), in the file's
    order."""

    def __init__(self, path):
        if path.name.lower().endswith(".zip"):
            with zipfile.ZipFile(path) as archive:
                (self.entry,) = archive.namelist()
                content = archive.read(self.entry)
        else:
            content = path.read_bytes()
        window = ElementTree.fromstring(content)
        assert window.tag == "StackWindow"
        # PerfView passes all elements except StackSource to its window, which knows Notes.
        assert [child.tag for child in window] == ["StackSource", "Notes"]
        self.notes = window.find("Notes").text
        source = window[0]
        assert [child.tag for child in source] == ["Frames", "Stacks", "Samples"]
        for part in source:
            assert int(part.get("Count")) == len(part), part.tag
        self.frames = {_number(e, "ID"): _name(e) for e in source.find("Frames")}
        assert list(self.frames.values())[: len(RESERVED)] == RESERVED
        self.stacks: dict[int, tuple[int, str]] = {}
        for e in source.find("Stacks"):
            caller = _number(e, "CallerID")
            assert caller == -1 or caller in self.stacks, "a caller before what it calls, so there are no circles"
            assert _number(e, "FrameID") >= len(RESERVED)
            self.stacks[_number(e, "ID")] = (caller, self.frames[_number(e, "FrameID")])
        for ids in (self.frames, self.stacks):
            assert list(ids) == list(range(len(ids))), "indexes of arrays, without a hole"
        self.samples = [
            (_decimal(e, "Time"), self.path(_number(e, "StackID")), _decimal(e, "Metric", "1"))
            for e in source.find("Samples")
        ]

    def path(self, stack):
        path = []
        while stack != -1:
            stack, frame = self.stacks[stack]
            path.append(frame)
        return tuple(reversed(path))

    def by_leaf(self):
        """Returns the nanoseconds and the samples of each leaf."""
        total: Counter[str] = Counter()
        count: Counter[str] = Counter()
        for _, path, metric in self.samples:
            total[path[-1]] += int(metric.scaleb(6))
            count[path[-1]] += 1
        return total, count


def _name(element):
    assert element.tag == "Frame" and len(element) == 0
    # PerfView fails on an empty element and skips a text of white space.
    assert element.text and element.text.strip() and "\n" not in element.text
    return element.text


def _number(element, attribute):
    number = int(element.get(attribute))
    assert number in INT
    return number


def _decimal(element, attribute, default=None):
    """Parses a number like double.Parse with the invariant culture: no thousands separator, no comma."""
    text = element.get(attribute, default)
    assert text.replace(".", "", 1).isdigit(), text
    return Decimal(text)
