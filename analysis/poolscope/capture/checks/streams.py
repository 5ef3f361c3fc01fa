"""The table `streams` against the manifest: both are written by one decode, so they say the same."""

from __future__ import annotations

from typing import Any

import pandas as pd

from poolscope.capture.checks.damage import Damaged

TABLE = "streams"
TOLD = {"start": "start_ns", "end": "end_ns", "events": "events", "bytes": "bytes", "lost": "lost"}
"""Columns, and the keys of the manifest's `streams` that say the same."""


def check_streams(streams: pd.DataFrame, manifest: dict[str, Any]) -> None:
    """Raises Damaged where a file is there twice, or the manifest says otherwise of it. For a file that it does not name it
    says nothing."""
    files = streams["file"].astype(str)
    if files.duplicated().any():
        raise Damaged(TABLE, "file", int(files.duplicated().to_numpy().argmax()), "the file is there already")
    told = {stream["file"]: stream for stream in manifest.get("streams") or []}
    for row, stream in enumerate(streams.itertuples()):
        found = told.get(str(stream.file))
        if found is None:
            continue
        for column, key in TOLD.items():
            value = int(getattr(stream, column))
            if found.get(key) is None or found[key] == value:
                continue
            # The recorder knows when it ended a stream; a file that broke off ends before that.
            if column != "end" or not stream.cut or value > found[key]:
                raise Damaged(TABLE, column, row, f"{value}, and capture.json says {found[key]}")
        if found.get("tier") is not None and found["tier"] != str(stream.tier):
            raise Damaged(TABLE, "tier", row, f"{stream.tier!s}, and capture.json says {found['tier']!s:.40}")
