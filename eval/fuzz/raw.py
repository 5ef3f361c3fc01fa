"""Damage to bytes: of an archive of arrays, of JSON, of a zip."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

Rng = np.random.Generator
HEADER = re.compile(rb"'descr': '..?\d'|'shape': \(\d+,\)|'fortran_order': \w+")
WORDS = (
    b"'<i8'",
    b"'|O'",
    b"'<f8'",
    b"'<U9999'",
    b"'V8'",
    b"(99999999999,)",
    b"(-1,)",
    b"(2, 3)",
    b"()",
    b"True",
    b"{",
    b"\0",
)
NUMBERS = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x01\0\0\0", b"\0\0\0\x80")
SIGNATURES = (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06")


def damage_bytes(raw: bytes, rng: Rng) -> bytes:
    """Makes one to four changes: bits, numbers, pieces moved, doubled, dropped or cut off, fields of a zip and of a
    header."""
    data = bytearray(raw)
    for _ in range(int(rng.integers(1, 5))):
        if not data:
            break
        at = int(rng.integers(len(data)))
        size = int(rng.integers(1, 64))
        kind = int(rng.integers(9))
        if kind == 0:
            data[at] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            data[at : at + 4] = NUMBERS[int(rng.integers(len(NUMBERS)))]
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at : at + size]
        elif kind == 4:
            data[at:at] = data[at : at + size]
        elif kind == 5:
            to = int(rng.integers(len(data)))
            data[to : to + size] = data[at : at + size]
        elif kind == 6:
            _damage_field(data, rng)
        elif kind == 7:
            _damage_header(data, rng)
        else:
            data[at : at + size] = rng.bytes(size)
    return bytes(data)


def _damage_field(data: bytearray, rng: Rng) -> None:
    """Damages a field of a zip's own structure: a size, an offset, a method, a count."""
    found = [m.start() for s in SIGNATURES for m in re.finditer(re.escape(s), data)]
    if found:
        at = found[int(rng.integers(len(found)))] + 4 + int(rng.integers(42))
        data[at : at + 4] = NUMBERS[int(rng.integers(len(NUMBERS)))]


def _damage_header(data: bytearray, rng: Rng) -> None:
    """Damages a part of an array's header."""
    found = list(HEADER.finditer(data))
    if found:
        part = found[int(rng.integers(len(found)))]
        word = WORDS[int(rng.integers(len(WORDS)))]
        colon = data.index(b":", part.start()) + 2
        data[colon : part.end()] = word.ljust(part.end() - colon)[: part.end() - colon]


def damage_json(raw: bytes, rng: Rng) -> bytes:
    """Changes a value of the document to another type or range, drops or nests it, or changes bytes."""
    if rng.random() < 0.25:
        return damage_bytes(raw, rng)
    document = json.loads(raw)
    for _ in range(int(rng.integers(1, 4))):
        places = list(_places(document))
        holder, key = places[int(rng.integers(len(places)))]
        values = _values(holder[key])
        chosen = int(rng.integers(len(values) + 1))
        if chosen == len(values):
            del holder[key]
        else:
            holder[key] = values[chosen]
        if not document:
            break
    text = json.dumps(document)
    if rng.random() < 0.02:
        text = text.replace("null", "[" * 100_000, 1)
    return text.encode("utf-8", "surrogatepass")


def _places(node: Any) -> list[tuple[Any, Any]]:
    """Returns every value of a document, as its container and its key there."""
    keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    return [(node, key) for key in keys] + [place for key in keys for place in _places(node[key])]


def _values(value: Any) -> list[Any]:
    found: list[Any] = [
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        2**64,
        -(2**63),
        10**400,
        0.5,
        1e308,
        float("nan"),
    ]
    found += ["", "\0", "\ud800", "x" * 1000, "../..", "9999-12-31T23:59:59Z", [], {}, [value], {"a": value}]
    return found
