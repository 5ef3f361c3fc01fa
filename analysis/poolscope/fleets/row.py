"""One capture of a fleet as the client holds it, parsed and type-checked from a worker's answer or the cache."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from poolscope.base.sketch import Sketch, from_json
from poolscope.compare.run import ComparedRun
from poolscope.fleets.extract import FORMAT
from poolscope.fleets.run_json import run_from_json

MOST_BYTES = 8 << 20
"""The largest row as JSON, bytes. A row of a busy service has 20 kB. A larger one from a worker is rejected."""

Single = str | int | float | bool


@dataclass(frozen=True)
class RouteRow:
    """The requests of one route of one capture. Sums are in ns, over the answered requests."""

    name: str
    """HTTP method and route."""
    latency: Sketch
    whole: int
    parts_ns: Mapping[str, int]
    causes_ns: Mapping[str, int]


@dataclass(frozen=True)
class Row:
    """One analysed capture."""

    source: str
    """The path or URL of the capture."""
    name: str
    start_utc: str
    seconds: float
    labels: Mapping[str, str]
    manifest: Mapping[str, Single]
    """Values by `part.key` of capture.json."""
    verdict: str
    confidence: str
    run: ComparedRun
    """The values that trends over versions compare."""
    wait: Sketch
    parts: Mapping[str, Sketch]
    """Waits by cause."""
    latency: Sketch | None
    """The latency of requests. None if unknown."""
    parts_ns: Mapping[str, int]
    """The parts of the answered requests' latency, ns."""
    whole: int
    """The number of answered requests in parts_ns."""
    routes: tuple[RouteRow, ...]
    incidents: tuple[Mapping[str, object], ...]
    blame: tuple[Mapping[str, object], ...]
    tree: Mapping[str, object] | None
    cached: bool = field(default=False, compare=False)

    def labelled(self, more: Mapping[str, str]) -> Row:
        """Returns the row with labels added that the capture itself does not have."""
        return replace(self, labels={**more, **self.labels})


@dataclass(frozen=True)
class Failed:
    """A capture without a row, and the reason."""

    source: str
    reason: str


def pack(row: Mapping[str, object]) -> bytes:
    """Returns a row in the form that is sent and cached: compressed JSON. The same row gives the same bytes."""
    return gzip.compress(json.dumps(row, allow_nan=False).encode("ascii"), 6, mtime=0)


def unpack(source: str, packed: bytes) -> Row:
    """Returns the row in `packed`. Raises ValueError if it is damaged, too large, or of another format."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise ValueError("more bytes than a row has")
        return _row(source, json.loads(raw, parse_constant=_no_constant))
    except (OSError, EOFError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"damaged ({error})") from error


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _row(source: str, told: dict[str, object]) -> Row:
    if told["format"] != FORMAT:
        raise ValueError(f"format {told['format']} of a row; this Poolscope has {FORMAT}")
    datetime.fromisoformat(_text(told["start_utc"]))
    labels = {_text(key): _text(value) for key, value in _object(told["labels"]).items()}
    asked = told["requests"]
    requests = {} if asked is None else _object(asked)
    routes = _list(requests.get("routes", []))
    verdict = _object(told["verdict"])
    return Row(
        source=source,
        name=_text(told["name"]),
        start_utc=_text(told["start_utc"]),
        seconds=_figure(told["seconds"]),
        labels=labels,
        manifest={
            key: value for key, value in _object(told["manifest"]).items() if isinstance(value, (str, int, float))
        },
        verdict=_text(verdict["id"]),
        confidence=_text(verdict["confidence"]),
        run=run_from_json(told["run"]),
        wait=from_json(told["wait"]),
        parts={key: from_json(value) for key, value in _object(told["parts"]).items()},
        latency=from_json(requests["latency"]) if requests else None,
        parts_ns=_counts(requests.get("parts_ns", {})),
        whole=_count(requests.get("whole", 0)),
        routes=tuple(_route(_object(route)) for route in routes),
        incidents=tuple(_incident(_object(one)) for one in _list(told["incidents"])),
        blame=tuple(_blame(_object(one)) for one in _list(told["blame"])),
        tree=None if told["tree"] is None else _tree(_object(told["tree"])),
    )


def _route(told: dict[str, object]) -> RouteRow:
    return RouteRow(
        name=f"{_text(told['http_method'])} {_text(told['route'])}",
        latency=from_json(told["latency"]),
        whole=_count(told["whole"]),
        parts_ns=_counts(told["parts_ns"]),
        causes_ns=_counts(told["causes_ns"]),
    )


def _incident(told: dict[str, object]) -> dict[str, object]:
    datetime.fromisoformat(_text(told["start_utc"]))
    for key in ("seconds", "item_seconds", "longest_ms"):
        _figure(told[key])
    return told


def _blame(told: dict[str, object]) -> dict[str, object]:
    for key in ("thread_s", "estimated_s"):
        _figure(told[key])
    if not all(told[key] is None or isinstance(told[key], str) for key in ("method", "file", "call")):
        raise ValueError("a method is no text")
    _text(told["kind"])
    return told


def _tree(told: dict[str, object]) -> dict[str, object]:
    frames, parent, frame, alone = (_list(told[key]) for key in ("frames", "parent", "frame", "self_ms"))
    if not len(parent) == len(frame) == len(alone):
        raise ValueError("a tree has arrays of several lengths")
    for at, (above, name) in enumerate(zip(parent, frame, strict=True)):
        if type(above) is not int or not -1 <= above < at or type(name) is not int or not 0 <= name < len(frames):
            raise ValueError("a tree has a node without a place")
    [_text(name) for name in frames], [_figure(ms) for ms in alone]
    return told


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError("no list")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def _figure(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("no figure")
    return float(value)


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("no count")
    return value


def _counts(value: object) -> dict[str, int]:
    return {key: _count(one) for key, one in _object(value).items()}
