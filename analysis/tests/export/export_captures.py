"""Captures for tests of the exports: real ones, and one that has everything that real ones rarely have together."""

from pathlib import Path

from synthetic import MS, CaptureBuilder

GOLDEN = sorted((Path(__file__).parents[3] / "traces" / "golden").glob("*.zip"))


def odd_capture(folder, **options):
    """Builds a late attach with a full pool, an item run by a waiter, one without length, one never started, one never
    ended, suspensions that overlap, and a gap without a known time."""
    builder = CaptureBuilder(folder, length=5000 * MS, launched=False, **options)
    builder.item(-1, 1000 * MS, 1500 * MS, 200, [("running", 100 * MS), ("blocked", 300 * MS), ("ready", 100 * MS)])
    builder.item(100 * MS, 1500 * MS, 1500 * MS, 200, enqueue_tid=300)
    builder.item(200 * MS, 1500 * MS, 2500 * MS, 200, [("running", 400 * MS), ("blocked", 600 * MS)], enqueue_tid=-1)
    builder.item(1400 * MS, 1600 * MS, 1700 * MS, 200, flags=("inlined",), parent=1)
    builder.item(2000 * MS, 2600 * MS, -1, 200, [("running", 500 * MS), ("blocked", 1900 * MS)])
    builder.item(3000 * MS)
    builder.suspension(700 * MS, 900 * MS).suspension(800 * MS, 950 * MS).suspension(4000 * MS, -1)
    builder.change(900 * MS, 3).change(1400 * MS, 2, "ClimbingMove")
    builder.loss(-1, -1, -1).loss(2100 * MS, 2200 * MS, 7)
    builder.thread(200, 100, ".NET TP Worker").thread(300, 100, "main")
    builder.contention(200, 1899 * MS, 2500 * MS, lock=5)
    builder.rows["frames"] = [
        {"method": n, "resolved": 1} for n in ("System.Threading.Monitor.Enter", "App.Run", "A.B")
    ]
    builder.rows["stacks"] = [{"id": i, "parent": i - 1, "frame": (2, 1, 0)[i]} for i in range(3)]
    builder.rows["waits"][0]["stack"] = 2
    builder.rows["throttles"] = [{"start": 10 * MS, "end": 110 * MS, "throttled_periods": 1, "throttled": 7 * MS}]
    return builder.write()
