"""Captures made from other tools' files."""

import json

from synthetic import MS, CaptureBuilder

MADE_FROM = [
    {"file": "runtime.nettrace", "from": "trace.nettrace", "format": "nettrace"},
    {"file": "sched.perf.data", "from": "sched.perf.data", "format": "perf.data"},
]


def made(folder, *, items, refused=()):
    builder = CaptureBuilder(folder, length=1000 * MS)
    for number in range(items):
        builder.item(number * 50 * MS, number * 50 * MS + MS, (number * 50 + 9) * MS, 200, [("running", 8 * MS)])
    builder.write()
    manifest = json.loads((folder / "capture.json").read_text())
    manifest |= {"made_from": MADE_FROM, "refused": list(refused)}
    (folder / "capture.json").write_text(json.dumps(manifest))
    return folder
