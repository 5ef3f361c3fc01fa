"""`poolscope.fleet`: one question about many captures, answered with DataFrames."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from poolscope.base.files import write_text
from poolscope.base.limits import LATE_LIMIT_MS
from poolscope.fleets.answer import FleetAnswer
from poolscope.fleets.answer_json import headline, to_json
from poolscope.fleets.cluster import Cluster
from poolscope.fleets.page import render
from poolscope.fleets.places import costliest_code
from poolscope.fleets.question import Question
from poolscope.fleets.table import captures_frame
from poolscope.base.files import cache_folder
from poolscope.library import arguments

MOST_WORKERS = 1024


def fleet(
    captures: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    workers: int = 1,
    scheduler: str | None = None,
    group_by: Iterable[str] = (),
    label_from_path: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    late_ms: float = LATE_LIMIT_MS,
) -> Fleet:
    """Analyses many captures at once: folders, zips, folders of these, globs, and URLs.

    - `workers`, 1 to 1024: processes on this machine; the default, 1, is this process and does not need Dask; with
      more, a script needs the guard `if __name__ == "__main__":`, because the processes import it;
    - `scheduler`: the address of a Dask scheduler whose workers analyse instead, such as `tcp://head:8786`;
    - `group_by`: keys of the manifest to group by besides labels, such as `target.cpu_quota`;
    - `label_from_path`: labels from the ends of paths, such as `{service}/{version}/{*}`;
    - `cache`: a folder of known results; default: that of the command line;
    - `late_ms`, above 0: an item that waits longer is late; default: 50.

    Captures that cannot be analysed are in `failed`. Raises InvalidArgument and TypeError for invalid arguments,
    PoolscopeError if a package is missing.
    """
    words = _several("captures", captures)
    count = arguments.integer("workers", workers, 1, MOST_WORKERS)
    question = Question(
        captures=[_word(word) for word in words],
        cluster=Cluster(count, None if scheduler is None else arguments.text("scheduler", scheduler)),
        cache=cache_folder() if cache is None else arguments.path("cache", cache),
        late_ms=arguments.positive("late_ms", late_ms),
        group_by=[arguments.text("group_by", key) for key in _several("group_by", group_by)],
        labels_from=None if label_from_path is None else arguments.text("label_from_path", label_from_path),
    )
    return Fleet(question.answer())


def _several(name: str, given: object) -> list[object]:
    """Returns the values as a list. A text is one path, not a sequence of characters."""
    if isinstance(given, (str, bytes, os.PathLike)):
        return [given]
    if not isinstance(given, Iterable):
        raise TypeError(f"{name}: one or several, not {'None' if given is None else type(given).__name__}")
    return list(given)


def _word(word: object) -> str:
    """Returns a URL unchanged, because a path would lose one of its slashes."""
    return word if isinstance(word, str) and "://" in word else str(arguments.path("captures", word))


class Fleet:
    """The answer of `poolscope.fleet`. The caller owns the result."""

    def __init__(self, answer: FleetAnswer) -> None:
        self._answer = answer

    @property
    def text(self) -> str:
        """The answer in one sentence."""
        return headline(self._answer)

    def captures(self) -> pd.DataFrame:
        """Returns one row per capture, with those without figures last (docs/fleet.md lists the columns)."""
        return captures_frame(self._answer)

    def failed(self) -> pd.DataFrame:
        """Returns the captures that could not be analysed: `source`, `reason`."""
        return pd.DataFrame([vars(one) for one in self._answer.failed], columns=["source", "reason"])

    def ranking(self) -> pd.DataFrame:
        """Returns the groups with excess delay, largest first.

        - `key`, `value`; `of`: items or requests; `cause`; `captures`.
        - `seconds`: the delay beyond the other captures; `share`.
        - `group_ms`, `rest_ms`; `more_ms` with `low_ms` and `high_ms` (95 % interval); `p`.
        - `same_as`, `only_with`: other groups, as text; `text`.
        """
        rows = []
        for row in self._json["ranking"]:
            more, low, high = row["more_ms"]
            named = {key: row[key] for key in ("key", "value", "of", "cause", "captures", "seconds", "share")}
            rows.append(
                named
                | {
                    "group_ms": row["group_ms"],
                    "rest_ms": row["rest_ms"],
                    "more_ms": more,
                    "low_ms": low,
                    "high_ms": high,
                }
                | {"p": row["p"], "same_as": ", ".join(_named(one) for one in row["same_as"])}
                | {"only_with": _named(row["only_with"]) if row["only_with"] else "", "text": row["text"]}
            )
        columns = (
            *("key", "value", "of", "cause", "captures", "seconds", "share", "group_ms", "rest_ms", "more_ms"),
            *("low_ms", "high_ms", "p", "same_as", "only_with", "text"),
        )
        return pd.DataFrame(rows, columns=columns)

    def groups(self, key: str) -> pd.DataFrame:
        """Returns waits by the values of a key, such as `host`, longest total wait first.

        The columns are `value`, `captures`, `items`, `wait_s`, `mean_ms`, `p50_ms`, `p90_ms`, `p99_ms`, `max_ms`,
        `requests` and `latency_p99_ms`. Raises InvalidArgument for a key that captures are not grouped by.
        """
        groups = {group["key"]: group["values"] for group in self._json["groups"]}
        rows = groups[arguments.choice("key", key, tuple(groups) or ("service",))] if groups else []
        found = [
            {name: row[name] for name in ("value", "captures", "items")}
            | {"wait_s": sum(row["wait_s"].values())}
            | {f"{name}_ms": row["wait_ms"][name] for name in ("mean", "p50", "p90", "p99", "max")}
            | {"requests": row["requests"], "latency_p99_ms": row["latency_ms"]["p99"]}
            for row in rows
        ]
        return pd.DataFrame(found)

    def code(self) -> pd.DataFrame:
        """Returns the methods that held threads while items waited, costliest first: `method`, `kind`, `call`, `file`,
        `line`, `thread_s`, `estimated_s`, `share`, `captures`, `services`."""
        columns = ("method", "kind", "call", "file", "line", "thread_s", "estimated_s", "share", "captures", "services")
        return pd.DataFrame(costliest_code(self._answer.rows), columns=columns)

    def outliers(self) -> pd.DataFrame:
        """Returns the captures unlike the others of their service: `source`, `mean_ms`, `usual_ms`, `seconds`, `z`,
        `verdict`."""
        rows = [{key: value for key, value in one.items() if key != "report"} for one in self._json["outliers"]]
        return pd.DataFrame(rows, columns=["source", "mean_ms", "usual_ms", "seconds", "z", "verdict"])

    def to_json(self) -> dict[str, Any]:
        """Returns the content of fleet.json (docs/fleet.md)."""
        return to_json(self._answer)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page and returns its path. Raises InvalidArgument if it cannot be written."""
        place = arguments.path("path", path)
        write_text(place, render(self._json))
        return place

    @property
    def _json(self) -> dict[str, Any]:
        return to_json(self._answer)


def _named(group: dict[str, Any]) -> str:
    return f"{group['key']} {group['value']}"
