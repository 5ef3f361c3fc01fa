"""What a worker does with one capture. It answers with plain values only: a client never has to trust a worker's classes."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from poolscope.base.errors import PoolscopeError
from poolscope.fleets.cache import RowCache, code_key, content_key
from poolscope.fleets.extract import extract
from poolscope.fleets.row import pack
from poolscope.fleets.sources import fetched


class Answer(TypedDict):
    """What comes back of one capture."""

    code: str
    """code_key of the Poolscope that made it."""
    key: str | None
    """content_key of the capture."""
    packed: bytes | None
    """Its row; None: it has none."""
    reason: str
    """Why it has none; else empty."""
    cached: bool


def answer(source: str, late_ms: float, cache: str | None) -> Answer:
    """Returns the row of a capture at a path or URL that this machine can read. `cache`: folder of known rows; None: none.

    Raises nothing that the capture is to blame for: a capture without a row is an answer, too.
    """
    key = None
    kept = RowCache(None if cache is None else Path(cache))
    try:
        with fetched(source) as path:
            key = content_key(path, late_ms)
            packed = kept.get(key)
            if packed is not None:
                return Answer(code=code_key(), key=key, packed=packed, reason="", cached=True)
            packed = pack(extract(path, late_ms))
    except PoolscopeError as error:
        return _refused(key, _without(source, str(error)))
    except MemoryError:
        return _refused(key, "larger than the memory of its worker")
    except Exception as error:  # noqa: BLE001 - one capture may not end the question of all others
        said = " ".join(str(error).split())
        return _refused(key, f"internal error: {type(error).__name__}: {said}"[:500])
    kept.put(key, packed)
    return Answer(code=code_key(), key=key, packed=packed, reason="", cached=False)


def _refused(key: str | None, reason: str) -> Answer:
    return Answer(code=code_key(), key=key, packed=None, reason=reason, cached=False)


def _without(source: str, message: str) -> str:
    """Returns an error's message without the path at its beginning, which its row has anyway."""
    return message.removeprefix(f"{source}: ")
