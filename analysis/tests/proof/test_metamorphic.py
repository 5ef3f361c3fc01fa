"""An attribution does not depend on the clock's origin, the threads' names or the order of rows. Two independent halves
together give what each gives alone."""

import numpy as np
import pytest
import synthetic
from poolscope.attribution import attribute
from poolscope.attribution.causes.origins import OUTSIDE
from scenes import OTHER_PROCESS, SOCKETS, scene, told
from synthetic import MS, CaptureBuilder, sleepers

SEEDS = range(4)
UNORDERED = ("waits", "task_waits", "tasks", "wakeups", "workers", "parked", "threads", "suspensions", "throttles")
"""Tables in these captures for whose rows the schema promises no order."""


def plain(folder, seed, launched=True):
    return told(attribute(scene(folder / "plain", seed, launched=launched).write()))


def test_the_scenes_have_what_is_to_be_proven(tmp_path):
    """Otherwise equal results would prove nothing."""
    splits = [attribute(scene(tmp_path / str(seed), seed).write()).split for seed in SEEDS]
    for split in splits:
        assert (split.causes.parent != OUTSIDE).sum() + len(split.causes.awaited.segment) >= 3
        assert split.causes.replaced.any()
    for part in ("injection", "holding", "core", "runtime"):
        assert sum(bool(getattr(split.parts, part).any()) for split in splits) >= 2, part


@pytest.mark.parametrize("base", [0, 2**53 + 1, 4 * 10**18])
@pytest.mark.parametrize("seed", SEEDS)
def test_where_the_clock_began_changes_nothing(tmp_path, monkeypatch, seed, base):
    """2^53 + 1 is the first time that a float64 cannot hold; it is reached 104 days after boot."""
    before = plain(tmp_path, seed)
    monkeypatch.setattr(synthetic, "BASE", base)
    builder = scene(tmp_path / "shifted", seed)
    builder.manifest["clock"]["start_ns"] = base
    assert (told(attribute(builder.write())) == before).all()


@pytest.mark.parametrize("launched", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_what_threads_processes_and_locks_are_called_changes_nothing(tmp_path, seed, launched):
    before = plain(tmp_path, seed, launched)
    builder = scene(tmp_path / "renamed", seed, launched=launched)
    tids = {row[c] for rows in builder.rows.values() for row in rows for c in row if c.endswith("tid") and row[c] > 0}
    random = np.random.default_rng(seed + 1)
    new = dict(zip(sorted(tids), (int(n) for n in random.permutation(len(tids)) * 7 + 1000), strict=True))
    for name, rows in builder.rows.items():
        for row in rows:
            for column in [c for c in row if c.endswith("tid") and row[c] > 0]:
                row[column] = new[row[column]]
            if name == "threads":
                row["pid"] = {100: 55, OTHER_PROCESS: 44}[row["pid"]]
            if name == "waits":
                row["object"] = {70: 8, 71: 3, 90: 1, 91: 2}[row["object"]]
    builder.manifest["target"]["pid"] = 55
    assert new[SOCKETS] != SOCKETS
    assert (told(attribute(builder.write())) == before).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_without_an_order_changes_nothing(tmp_path, seed):
    before = plain(tmp_path, seed)
    builder = scene(tmp_path / "permuted", seed)
    random = np.random.default_rng(seed)
    for name in UNORDERED:
        random.shuffle(builder.rows[name])
    assert (told(attribute(builder.write())) == before).all()


def put(builder, rows, later, tids):
    """Adds the rows of a capture a second time, `later` and on other threads."""
    count = len(builder.rows["work_items"])
    for name, table in rows.items():
        if name in ("streams", "pool_limits", "threads"):
            continue
        for old in table:
            row = dict(old)
            for column in ("time", "start", "end", "enqueue", "dequeue"):
                if row.get(column, -1) >= 0:
                    row[column] += later
            for column in [c for c in row if c.endswith("tid") and 200 <= row[c] < OTHER_PROCESS]:
                row[column] += tids
            if row.get("parent", -1) >= 0:
                row["parent"] += count
            if "object" in row:
                row["object"] += 1000
            builder.rows[name].append(row)


def ticket(folder):
    changes = [(i * 1000 * MS, 2 + i) for i in range(1, 7)]
    at = [t for t, _ in changes]
    return sleepers(
        folder,
        count=8,
        gap=0,
        sleep=9000 * MS,
        threads=lambda t: 2 + sum(a <= t for a in at),
        limits=(2, 32767),
        changes=changes,
    )


def capped(folder):
    return sleepers(folder, count=60, gap=10 * MS, sleep=500 * MS, threads=lambda t: 10, limits=(10, 10))


def crowded(folder):
    builder = CaptureBuilder(folder, length=2100 * MS)
    for i in range(20):
        start = (i // 2) * 200 * MS
        builder.item(0, start, start + 200 * MS, 200 + i % 2, [("running", 200 * MS)])
    return builder


@pytest.mark.parametrize("make", [ticket, capped, crowded])
def test_two_independent_halves_add(tmp_path, make):
    one = told(attribute(make(tmp_path / "one").write()))
    builder = make(tmp_path / "both")
    length = builder.length
    rows = {name: list(table) for name, table in builder.rows.items()}
    put(builder, rows, later=2 * length, tids=300)
    if rows["pool_changes"]:  # the second half begins with the same threads as the first
        builder.change(2 * length - MS, 2)
        builder.rows["pool_changes"].sort(key=lambda r: r["time"])
    builder.length = 3 * length
    for stream in builder.rows["streams"]:
        stream["end"] = 3 * length
    both = told(attribute(builder.write()))
    half = one.shape[1]
    assert both.shape[1] == 2 * half
    assert (both[:, :half] == one).all()
    assert (both[:, half:] == one).all()
    assert one[1:6].sum() == one[0].sum() > 0
