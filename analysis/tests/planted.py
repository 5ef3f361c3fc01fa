"""Real captures in which every customer name is a secret that a search can tell from all other text.

A secret consists of nonsense words that occur nowhere else, in the shapes of real names: paths, endpoints, routes with
ids, generic methods, exception messages, letters beyond ASCII, and characters that HTML, URLs and JSON escape.
"""

from __future__ import annotations

import itertools
import json
import re
import zipfile
from collections.abc import Callable

import pandas as pd
from poolscope.capture import load_schema, open_capture
from poolscope.capture.npz import write_table
from poolscope.redact import names

SYLLABLES = ("vor", "quil", "zan", "tebb", "mork", "gryx", "plun", "dask", "feol", "wiv", "jund", "hask")
LENGTH = 4
"""Syllables in a word: no other text has this many of them in a row."""
SECRET = re.compile(f"(?:{'|'.join(SYLLABLES)}){{{LENGTH}}}|(?<![0-9])[0-9]{{9}}(?![0-9])")
KEEPS: dict[str, Callable[..., str]] = {
    "method": names.method,
    "module": names.module,
    "file": names.file,
    "name": names.thread,
}
"""The part of a name that the policy keeps, by column."""


class Secrets:
    """Gives out nonsense words, each once, and remembers them."""

    def __init__(self):
        self._words = ("".join(parts) for parts in itertools.product(SYLLABLES, repeat=LENGTH))
        self._ids = itertools.count(847_139_261, 7)
        self.told = {}

    def word(self, kind, ending=""):
        word = next(self._words)
        self.told[word] = kind
        return word + ending

    def number(self, kind):
        found = str(next(self._ids))
        self.told[found] = kind
        return found

    def path(self, kind):
        return f"/{self.word(kind)}/{self.word(kind)} {self.word(kind)}/{self.word(kind)}.{self.word(kind)}"

    def endpoint(self, kind):
        return f"http://{self.word(kind)}.{self.word(kind)}:{self.number(kind)}/{self.word(kind)}?{self.word(kind)}=1&x"

    def route(self, kind):
        return f"GET /{self.word(kind)}/{self.number(kind)}/{self.word(kind)}-{self.number(kind)}"

    def marked(self, kind):
        """Returns a secret with characters that each format escapes in its own way."""
        return f"{self.word(kind, 'ü')} <{self.word(kind)}> & \"{self.word(kind)}\" '{self.word(kind)}' \\{self.word(kind)}"

    def exception(self, kind):
        return f"System.InvalidOperationException: {self.word(kind)} {self.word(kind)} at {self.path(kind)}:line 7"

    def method(self, kind):
        a, b, c = (self.word(kind).capitalize() for _ in range(3))
        return f"{a}.{b}`1[System.String,{self.word(kind).capitalize()}]+<{c}>d__5.MoveNext"

    def any(self, kind):
        """Returns a secret of each shape in turn."""
        shapes = (self.marked, self.path, self.endpoint, self.route, self.exception, self.word, self.method)
        return shapes[len(self.told) % len(shapes)](kind)


def plant(golden, folder, secrets):
    """Writes the golden capture to `folder` with a secret for every non-public name; the same name gets the same
    secret."""
    with zipfile.ZipFile(golden) as archive:
        archive.extractall(folder)
    capture = open_capture(folder)
    given = {}

    def secret(column, name):
        if not isinstance(name, str) or KEEPS[column](name, lambda *_: "") == name:
            return _with_type(name, secrets) if column == "method" and isinstance(name, str) else name
        if name not in given:
            given[name] = secrets.method("method") if column == "method" else secrets.any(column)
        return given[name]

    for table, schema in load_schema().tables.items():
        columns = [c.name for c in schema.columns if c.type == "string" and c.name in KEEPS]
        # Streams and losses name the collector's own files, and readers of a capture look for these names.
        if table in ("streams", "losses") or not columns or not capture.has(schema.name):
            continue
        frame = capture.table(schema.name).copy()
        for column in columns:
            words = frame[column].astype(object)
            frame[column] = [secret(column, word) for word in words]
            if column == "file":
                # A golden capture has no source lines.
                frame[column] = [
                    f"{secrets.path('source file')}.cs" if isinstance(m, str) and not m.startswith("System.") else None
                    for m in frame["method"]
                ]
        write_table(folder / "tables" / f"{table}.npz", schema, pd.DataFrame(frame))
    _plant_activities(folder, capture.window, secrets)
    _plant_manifest(folder / "capture.json", secrets)


def _plant_activities(folder, window, secrets):
    """Adds activities, which no golden capture has. Their ids are secrets too, because they lead to the customer's
    traces."""
    rows = []
    for row in range(8):
        start = window[0] + (window[1] - window[0]) * (row + 1) // 20
        ids = {name: secrets.word(name) for name in ("trace_id", "span_id", "parent_span_id")}
        names = {"source": secrets.word("activity source"), "name": secrets.any("activity")}
        times = {"start": start, "tid": 1, "thread_left": -1, "end": start + 1_000_000 if row else -1}
        rows.append({"id": row, **names, **times, "end_tid": 1 if row else -1, **ids})
    schema = load_schema().tables["activities"]
    write_table(folder / "tables" / "activities.npz", schema, pd.DataFrame(rows))


def _with_type(name, secrets):
    """Returns a framework method, for some names with a type argument of the customer's."""
    if name.startswith("System.") and name.endswith("Wait") and "[" not in name:
        return f"{name}<{secrets.word('type argument').capitalize()}.{secrets.word('type argument')}>"
    return name


def _plant_manifest(path, secrets):
    manifest = json.loads(path.read_text("utf-8"))
    manifest["host"] |= {
        "name": secrets.word("host") + "." + secrets.word("host"),
        "os": f"{secrets.word('system')} 12",
        "kernel": f"6.1.0-{secrets.word('kernel')}+",
        "architecture": secrets.word("architecture"),
        "cgroup": secrets.path("cgroup"),
        "user": secrets.word("user"),
    }
    manifest["target"] |= {
        "name": secrets.word("process"),
        "runtime": f".NET 10.0.1-{secrets.word('runtime')}",
        "command": [
            secrets.path("executable"),
            "--password",
            secrets.word("argument"),
            f"--{secrets.word('argument')}={secrets.endpoint('argument')}",
            f"{secrets.word('environment').upper()}={secrets.marked('environment')}",
        ],
        "environment": {secrets.word("environment"): secrets.any("environment")},
        "limits": [secrets.word("limit")],
    }
    manifest["labels"] = {"host": secrets.word("host label"), "team": secrets.word("label")}
    manifest["refused"] = [
        {
            "stream": secrets.word("refusal"),
            "wanted": secrets.word("refusal"),
            "why": f"{say} cannot be read by {secrets.word('user')}: {secrets.exception('refusal')}",
            "how": f"give {secrets.word('user')} the right to {secrets.path('refusal')}",
        }
        for say in (secrets.path("refusal"), secrets.endpoint("refusal"), secrets.marked("refusal"))
    ]
    path.write_text(json.dumps(manifest), "utf-8")


def found_in(secrets, text):
    """Returns the kind of each secret in a text, in any case; ids only as whole numbers."""
    return {word: secrets.told[word] for word in set(SECRET.findall(text.lower())) if word in secrets.told}
