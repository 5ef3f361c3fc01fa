"""A capture with tokens in place of names, for exports that you share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pandas as pd

from poolscope.capture import DecodedCapture, load_schema
from poolscope.capture.schema import enum
from poolscope.contract.manifest_json import ManifestJson
from poolscope.redact import Tokens, names

NUMBERS = ("pid", "launched", "processor_count", "cpus_allowed", "cpu_quota", "min_threads", "max_threads")
"""The fields of the manifest's target that are kept."""
NATIVE = enum("frames", "resolved", "native_symbol")


class RedactedCapture(DecodedCapture):
    """A capture with the same numbers, and only those names that are public on every machine (redact/names.py).

    A name has the same token throughout one export. Another export of the same capture may number the tokens
    differently.
    """

    def __init__(self, capture: DecodedCapture) -> None:
        manifest = cast(Mapping[str, Any], capture.manifest)
        self._token = token = Tokens()
        # Keeps only the fields of the manifest that the attribution and an export use. The command, for example, is
        # left out.
        target = {key: manifest["target"][key] for key in NUMBERS if key in manifest["target"]}
        if own := manifest["target"].get("own"):
            target["own"] = {
                "entry": names.assembly(str(own["entry"]), token),
                "assemblies": [names.assembly(str(name), token) for name in own["assemblies"]],
            }
        kept = {
            "format": manifest["format"],
            "clock": manifest["clock"],
            "streams": [
                {key: stream[key] for key in ("tier", "scope", "poll_step_ns") if key in stream}
                | {"file": names.file(str(stream.get("file")), token)}
                for stream in manifest.get("streams", [])
            ],
            "target": {**target, "name": names.process(str(manifest["target"]["name"]), token)},
        }
        # Captures are named after their process, so this name is replaced too.
        super().__init__(Path("redacted"), capture._files, cast(ManifestJson, kept))

    def _completed(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        return self._redacted(name, super()._completed(name, table))

    def _redacted(self, table: str, frame: pd.DataFrame) -> pd.DataFrame:
        """Redacts every string column by its rule. A column without a rule raises KeyError instead of leaking."""
        changed = {
            column.name: RULES[table, column.name](frame, column.name, self._token)
            for column in load_schema().tables[table].columns
            if column.type == "string"
        }
        return frame.assign(**changed) if changed else frame


Rule = Callable[[pd.DataFrame, str, Tokens], pd.Series]


def _each(rename: Callable[[str, Tokens], str]) -> Rule:
    """Returns a rule that renames every value of a column on its own."""

    def changed(frame: pd.DataFrame, column: str, token: Tokens) -> pd.Series:
        # As objects, not categories: two names may get the same token.
        return frame[column].astype(object).map(lambda word: rename(word, token), na_action="ignore").astype("category")

    return changed


def _methods(frame: pd.DataFrame, column: str, token: Tokens) -> pd.Series:
    """Redacts methods. A native function of a public module keeps its name, so the rule also reads the module."""
    native = frame["resolved"].to_numpy() == NATIVE
    modules = [module if known and isinstance(module, str) else None for module, known in zip(frame["module"], native)]
    words = [
        names.method(word, token, module) if isinstance(word, str) else None
        for word, module in zip(frame[column], modules)
    ]
    return pd.Series(pd.Categorical(words), index=frame.index)


RULES: dict[tuple[str, str], Rule] = {
    ("frames", "file"): _each(names.file),
    ("frames", "method"): _methods,
    ("frames", "module"): _each(names.module),
    ("losses", "stream"): _each(names.file),
    ("sockets", "local"): _each(names.fixed("address")),
    ("sockets", "remote"): _each(names.fixed("address")),
    ("requests", "connection"): _each(names.fixed("connection")),
    ("requests", "protocol"): _each(names.protocol),
    ("requests", "method"): _each(names.http_method),
    ("requests", "path"): _each(names.fixed("path")),
    ("earlier_requests", "connection"): _each(names.fixed("connection")),
    ("earlier_requests", "protocol"): _each(names.protocol),
    ("earlier_requests", "method"): _each(names.http_method),
    ("earlier_requests", "path"): _each(names.fixed("path")),
    ("calls", "scheme"): _each(names.scheme),
    ("calls", "host"): _each(names.fixed("host")),
    ("calls", "path"): _each(names.fixed("path")),
    ("calls", "protocol"): _each(names.protocol),
    ("event_counts", "provider"): _each(names.fixed("provider")),
    ("event_counts", "name"): _each(names.fixed("event")),
    ("activities", "source"): _each(names.fixed("source")),
    ("activities", "name"): _each(names.fixed("activity")),
    ("activities", "trace_id"): _each(names.fixed("trace")),
    ("activities", "span_id"): _each(names.fixed("span")),
    ("activities", "parent_span_id"): _each(names.fixed("span")),
    ("streams", "file"): _each(names.file),
    ("streams", "tier"): _each(lambda word, _: word),
    ("threads", "name"): _each(names.thread),
}
"""The rule of each string column, by table and column."""
