"""The source lines that each test reaches, and its duration."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

MOST_EVENTS = 500
"""Maximum number of lines of one function that are recorded in one test. A long loop reaches no new lines later, or so
rarely that a fault there is reported as a survivor, which is the safe side."""


@contextmanager
def noted_lines(folder: Path) -> Iterator[dict[str, set[int]]]:
    """Records the lines that run in the files below a folder, by the path of the file."""
    lines: dict[str, set[int]] = {}
    left: dict[CodeType, int] = {}
    below = str(folder)

    def in_function(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        left[code] -= 1
        if left[code] <= 0:
            frame.f_trace_lines = False
        lines[code.co_filename].add(frame.f_lineno)
        return in_function

    def on_call(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if not code.co_filename.startswith(below):
            return None
        if left.setdefault(code, MOST_EVENTS) <= 0:
            return None
        lines.setdefault(code.co_filename, set()).add(frame.f_lineno)
        return in_function

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield lines
    finally:
        sys.settrace(before)
