"""CPU samples as a tree and as rows: every sample counts once, and unknown parts are named."""

import pytest
from poolscope.attribution import attribute
from poolscope.capture.schema import enum
from poolscope.flames.cpu import build_flame
from poolscope.flames.cpu import MOST_NODES
from poolscope.product import analyse
from poolscope.report import render
from synthetic import MS, CaptureBuilder

TARGET = 100
WORKER, OTHER = 200, 300


class Samples:
    """One item that runs for 50 ms on a worker while a second one waits, and CPU samples with stacks."""

    def __init__(self, folder, **options):
        self.builder = CaptureBuilder(folder, length=200 * MS, limits=(1, 1), **options)
        self.builder.item(0, 0, 50 * MS, WORKER, [("running", 50 * MS)])
        self.builder.item(0, 50 * MS, 60 * MS, WORKER, [("running", 10 * MS)])
        self.rows = self.builder.rows
        self.target = self.builder.manifest["target"]["pid"]

    def frame(self, method, module="app.dll", resolved="resolved", file=None, line=-1, line_is="executed"):
        row = {"method": method, "module": module, "resolved": enum("frames", "resolved", resolved)}
        row |= {"file": file, "line": line, "line_is": enum("frames", "line_is", line_is if file else "absent")}
        if row not in self.rows["frames"]:
            self.rows["frames"].append(row)
        return self.rows["frames"].index(row)

    def stack(self, *leaf_first):
        parent = -1
        for frame in reversed(leaf_first):
            number = len(self.rows["stacks"])
            self.rows["stacks"].append({"id": number, "parent": parent, "frame": frame})
            parent = number
        return parent

    def sample(self, time, stack, tid=WORKER, pid=None):
        row = {"time": time, "cpu": 0, "pid": self.target if pid is None else pid, "tid": tid, "stack": stack}
        self.rows["cpu_samples"].append(row)

    def flame(self):
        capture = self.builder.write()
        return build_flame(capture, attribute(capture))


def test_each_sample_counts_once_for_a_method_and_the_leaf_owns_it(tmp_path):
    s = Samples(tmp_path)
    run, work = s.frame("App.Run"), s.frame("App.Work")
    s.sample(1 * MS, s.stack(work, run))
    s.sample(2 * MS, s.stack(work, run))
    s.sample(3 * MS, s.stack(work, work, run))  # a recursion
    s.sample(4 * MS, s.stack(run))
    flame = s.flame()
    assert {m.frame.method: (m.own, m.total) for m in flame.methods} == {"App.Work": (3, 3), "App.Run": (1, 4)}
    assert [(n.parent, n.frame.method, n.own, n.total) for n in flame.nodes] == [
        (-1, "App.Run", 1, 4),
        (0, "App.Work", 2, 3),
        (1, "App.Work", 1, 1),
    ]


def test_workers_the_queue_other_processes_and_the_window_are_told_apart(tmp_path):
    s = Samples(tmp_path)
    stack = s.stack(s.frame("App.Work"))
    s.sample(10 * MS, stack)
    s.sample(55 * MS, stack)  # no item waits any more
    s.sample(10 * MS, stack, tid=OTHER)
    s.sample(11 * MS, -1)
    s.sample(12 * MS, -1, tid=900, pid=s.target + 1)
    s.sample(201 * MS, stack)
    flame = s.flame()
    assert (flame.samples, flame.with_stack, flame.workers, flame.waiting) == (4, 3, 2, 2)
    (row,) = flame.rows()
    assert (row["self_share"], row["workers"], row["workers_share"], row["waiting"]) == (1.0, 2, 1.0, 2)


def test_lines_of_one_method_are_one_row_that_names_the_line_with_most_own_samples(tmp_path):
    s = Samples(tmp_path)
    run = s.frame("App.Run", file="/src/Run.cs", line=3, line_is="method_start")
    for line, count in ((7, 1), (9, 2)):
        for i in range(count):
            s.sample((line + i) * MS, s.stack(s.frame("App.Work", file="/src/Work.cs", line=line), run))
    rows = {r["method"]: (r["file"], r["line"], r["line_is"]) for r in s.flame().rows()}
    assert rows == {"App.Work": ("/src/Work.cs", 9, "executed"), "App.Run": ("/src/Run.cs", 3, "method_start")}


def test_code_without_symbols_is_its_module_and_code_without_a_name_is_one(tmp_path):
    s = Samples(tmp_path)
    native = [s.frame(f"+0x{i:x}", "libfoo.so", "native_offset") for i in (1, 2)]
    image = s.frame("+0x3", "System.Foo.dll", "native_offset")
    nameless = s.frame(None, None, "unresolved")
    s.sample(1 * MS, s.stack(*native, nameless, nameless, image, s.frame("main", "host", "native_symbol")))
    (*path, leaf) = s.flame().nodes
    assert [(n.frame.method, n.frame.module, n.frame.kind) for n in path] == [
        ("main", "host", "native"),
        (None, "System.Foo.dll", "managed"),
        (None, None, "unknown"),
    ]
    assert (leaf.frame.module, leaf.frame.kind, leaf.own) == ("libfoo.so", "native", 1)


def test_rare_branches_are_left_out_of_a_large_tree_and_the_least_is_said(tmp_path):
    s = Samples(tmp_path)
    common = s.stack(s.frame("App.Common"))
    for i in range(5):
        s.sample(i * MS, common)
    for i in range(MOST_NODES + 10):
        s.sample(1 * MS, s.stack(s.frame(f"App.Rare{i}")))
    content = s.flame().to_json()
    assert (content["least"], content["nodes"]["total"], content["with_stack"]) == (2, [5], MOST_NODES + 15)


@pytest.mark.parametrize("recorded", [True, False])
def test_the_page_and_the_product_say_whether_samples_exist(tmp_path, recorded):
    s = Samples(tmp_path)
    s.sample(1 * MS, s.stack(s.frame("App.<script>", file="/src/<b>.cs", line=5)))
    capture = s.builder.write()
    if not recorded:
        (tmp_path / "tables" / "cpu_samples.npz").unlink()
    content = analyse(capture).to_json()
    page = render(content)
    assert (content["cpu_flame"] is not None) == recorded
    assert ("App.&lt;script&gt;" in page, "&lt;b&gt;.cs:5" in page) == (recorded, recorded)
    assert "<b>.cs" not in page
