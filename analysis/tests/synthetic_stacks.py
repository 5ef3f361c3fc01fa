"""Stacks, waits and snapshots for captures written by hand."""

from poolscope.capture.schema import enum


class Stacks:
    """Adds frames, stacks, waits and snapshots to a capture under construction."""

    def __init__(self, builder):
        self.rows = builder.rows

    def stack(self, *leaf_first):
        parent = -1
        for name in reversed(leaf_first):
            frame = {"method": name, "resolved": int(name is not None)}
            if frame not in self.rows["frames"]:
                self.rows["frames"].append(frame)
            row = {"parent": parent, "frame": self.rows["frames"].index(frame)}
            self.rows["stacks"].append({"id": len(self.rows["stacks"]), **row})
            parent = len(self.rows["stacks"]) - 1
        return parent

    def wait(self, tid, start, end, stack, kind="monitor_wait"):
        row = {"tid": tid, "start": start, "end": end, "kind": enum("waits", "kind", kind), "stack": stack}
        self.rows["waits"].append(row)
        return row

    def snapshot(self, tid, time, stack):
        self.rows["snapshots"].append({"tid": tid, "time": time, "stack": stack})
