"""Captures written by hand for the stack exports, and names that may break a format."""

from __future__ import annotations

from poolscope.capture.schema import enum
from synthetic import MS, CaptureBuilder

HOSTILE = {
    "markup": "</Frame><Sample/>&amp;\"'<![CDATA[]]>",
    "nul": "a\x00b\x1b[31m\x07\x7f\x85",
    "lines": "a\r\nb\n# c\td\u2028e",
    "surrogate": "caf\udce9\ud800",
    "no character": "a\ufffe\uffff\U0001ffffb",
    "bidi": "safe\u202etxt.exe",
    "blank": " \t ",
    "folded": "a;b;c 12",
    "number": "App.Run 12",
    "comment": "# App.Run 1.5",
    "long": "x" * 20_000,
}


class Queued:
    """Items in a chain, each queued by the one before. They wait for 1 ms and run for 2 ms, blocked in the second of
    these.

    A snapshot shows the method of each item.
    """

    def __init__(self, folder, methods, module="app.dll", thread="worker"):
        self.names = {"frames": {"method": methods, "module": module}, "threads": {"name": thread}}
        self.builder = CaptureBuilder(folder, length=(len(methods) + 1) * 10 * MS)
        rows = self.builder.rows
        for i in range(len(methods)):
            start, worker = i * 10 * MS, 200 + i
            states = [("running", MS), ("blocked", MS)]
            self.builder.item(start, start + MS, start + 3 * MS, worker, states, parent=i - 1)
            self.builder.thread(worker, 100, "thread")
            frame = {"method": f"m{i}", "module": "module", "resolved": enum("frames", "resolved", "resolved")}
            rows["frames"].append(frame)
            rows["stacks"].append({"id": i, "parent": -1, "frame": i})
            rows["snapshots"].append({"tid": worker, "time": start + 5 * MS // 2, "stack": i})
            sample = {"time": start + 3 * MS // 2, "cpu": 0, "pid": 100, "tid": worker, "stack": i}
            rows["cpu_samples"].append(sample)

    def write(self):
        """Writes the capture and then sets names in memory: no table on disk can hold some of them, but a reader
        may."""
        capture = self.builder.write()
        for table, columns in self.names.items():
            for column, names in columns.items():
                capture.table(table)[column] = names
        return capture
