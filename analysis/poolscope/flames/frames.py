"""The frames of CPU samples, as the tree and the rows name them: by method, not by source line or address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum
from poolscope.naming import OwnCode, is_user, written

SourceLine = tuple[str, int, bool]
"""File, line, whether it is the line that ran (else the one where the method starts)."""

IMAGES = (".dll", ".exe")
"""Modules of .NET: an address in one that no method covers is code compiled ahead of time, whose names were not reported."""


class CpuFrame(NamedTuple):
    """A method or function; of code without a symbol the module alone, of code that nothing names neither. A tuple: it is the
    key of every step of every stack."""

    method: str | None
    """Of .NET code as its author wrote it: what the compiler made of one method (its state machine, say) is that method."""
    module: str | None
    kind: str
    """managed, native or unknown."""
    user: bool = False
    """Whether it is the application's own code."""

    @property
    def merges(self) -> bool:
        """A row of frames of one module, or of unknown code, says no more than one of them."""
        return self.method is None

    @property
    def label(self) -> str:
        return f"{self.module or ''}!{self.method or ''}"


Placed = tuple[CpuFrame, SourceLine | None]
"""A frame and its source line."""
_read: WeakKeyDictionary[DecodedCapture, list[Placed]] = WeakKeyDictionary()
"""Of captures that are open: each flame asks for them."""


def read_frames(capture: DecodedCapture) -> list[Placed]:
    """Returns what each row of table `frames` is, and its source line. Not to be changed."""
    if capture not in _read:
        _read[capture] = list(_frames(capture))
    return _read[capture]


def _frames(capture: DecodedCapture) -> Iterator[Placed]:
    table = capture.table("frames")
    kinds = {
        enum("frames", "resolved", "resolved"): "managed",
        enum("frames", "resolved", "native_symbol"): "native",
        enum("frames", "resolved", "native_offset"): "module",
    }
    executed = enum("frames", "line_is", "executed")
    own = OwnCode.of(capture.manifest)
    for row in table.itertuples():
        kind = kinds.get(int(row.resolved), "unknown")
        module = row.module if isinstance(row.module, str) else None
        method = row.method if isinstance(row.method, str) and kind in ("managed", "native") else None
        if kind == "module":
            kind = "managed" if module is not None and module.endswith(IMAGES) else "native"
        user = False
        if method is not None and kind == "managed":
            user, method = is_user(own.name(method, module)), written(method)
        line = (row.file, int(row.line), int(row.line_is) == executed) if isinstance(row.file, str) else None
        yield CpuFrame(method, module, kind, user), line


def stack_paths(capture: DecodedCapture, stacks: list[int]) -> Iterator[list[Placed]]:
    """Yields each stack from the thread's start to the leaf. Neighbours of one native module without symbols are one frame."""
    parent = capture.table("stacks")["parent"].to_numpy().tolist()
    frame = capture.table("stacks")["frame"].to_numpy().tolist()
    frames = read_frames(capture)
    for stack in stacks:
        path: list[Placed] = []
        node = stack
        while node >= 0:
            found = frames[frame[node]]
            if not (found[0].merges and path and path[-1][0] == found[0]):
                path.append(found)
            node = parent[node]
        yield path[::-1]
