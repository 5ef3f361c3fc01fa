"""Captures with stacks, wait events, snapshots and CPU samples, and their flame graphs as paths with weights."""

from poolscope.attribution import attribute
from poolscope.blame import assign_blame
from poolscope.capture.schema import enum
from poolscope.flames import blocked_flame, ready_flame
from synthetic import MS, CaptureBuilder

SLEEP = "System.Threading.Thread.Sleep"
LOCK = "System.Threading.Monitor.Enter"
RUN = "App.Run"
WORKER = 200


class Recorded:
    """One thread whose first item goes through these states (name, ms); a second item waits meanwhile and runs for 1
    ms."""

    def __init__(self, folder, *states, **options):
        self.end = sum(ms for _, ms in states)
        self.builder = CaptureBuilder(folder, length=(self.end + 10) * MS, limits=(1, 1), **options)
        self.builder.item(0, 0, self.end * MS, WORKER, [(name, ms * MS) for name, ms in states])
        self.builder.item(0, self.end * MS, (self.end + 1) * MS, WORKER, [("running", MS)])
        self.rows = self.builder.rows
        self.target = self.builder.manifest["target"]["pid"]

    def stack(self, *leaf_first):
        parent = -1
        for name in reversed(leaf_first):
            frame = {"method": name, "module": "app.dll", "resolved": int(name is not None)}
            if frame not in self.rows["frames"]:
                self.rows["frames"].append(frame)
            number = len(self.rows["stacks"])
            self.rows["stacks"].append({"id": number, "parent": parent, "frame": self.rows["frames"].index(frame)})
            parent = number
        return parent

    def snapshot(self, ms, *leaf_first, tid=WORKER):
        self.rows["snapshots"].append({"tid": tid, "time": ms * MS, "stack": self.stack(*leaf_first)})

    def contention(self, begin, end, *leaf_first):
        kind = enum("waits", "kind", "contention")
        row = {"tid": WORKER, "start": begin * MS, "end": end * MS, "kind": kind, "stack": self.stack(*leaf_first)}
        self.rows["waits"].append({**row, "object": 1, "owner_tid": -1})

    def sample(self, ms, *leaf_first, tid=WORKER, pid=None):
        stack = self.stack(*leaf_first) if leaf_first else -1
        pid = self.target if pid is None else pid
        self.rows["cpu_samples"].append({"time": int(ms * MS), "cpu": 0, "pid": pid, "tid": tid, "stack": stack})

    def blocked(self):
        capture = self.builder.write()
        blame = assign_blame(capture, attribute(capture))
        return blame, blocked_flame(capture, blame)

    def ready(self):
        capture = self.builder.write()
        return ready_flame(capture, attribute(capture))


def by_path(flame, weight="total"):
    """Returns the weight of each node by its path from the root; kinds of wait and nodes without a stack are in
    brackets."""
    content = flame.to_json()
    frames, nodes = content["frames"], content["nodes"]
    paths: list[tuple] = []
    found: dict = {}
    for parent, frame, value in zip(nodes["parent"], nodes["frame"], nodes[weight], strict=True):
        f = frames[frame]
        name = f"({f['wait']})" if f["kind"] == "wait" else f"({f['kind']})" if f["kind"] == "none" else f["method"]
        paths.append((*(paths[parent] if parent >= 0 else ()), name))
        found[paths[-1]] = value
    assert len(found) == len(paths), "each path is one node"
    return found
