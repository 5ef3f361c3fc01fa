"""Analysing a fleet: a failure is a row with its reason, known captures are not analysed again, and workers may die."""

import gzip
import json
import os
import shutil
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest

from poolscope.base.errors import InvalidArgument, PoolscopeError
from poolscope.fleets import cluster as clusters
from poolscope.fleets.cluster import Cluster
from poolscope.fleets.extract import extract
from poolscope.fleets.keys import from_path
from poolscope.fleets.question import ask
from poolscope.fleets.row import MOST_BYTES, Failed, Row, pack, unpack
from poolscope.fleets.sources import find_sources
from poolscope.fleets.task import content_key

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
HERE = Cluster(1)


def folder_of(golden, target, **change):
    """Extracts a golden capture to a folder and changes its manifest."""
    with zipfile.ZipFile(GOLDEN / f"{golden}.zip") as archive:
        archive.extractall(target)
    place = next(target.rglob("capture.json"))
    place.write_text(json.dumps(json.loads(place.read_text()) | change))
    return place.parent


@pytest.fixture
def bad(tmp_path):
    """Makes captures that cannot be analysed, each with a part of its reason."""
    corrupt = folder_of("healthy", tmp_path / "corrupt")
    (corrupt / "tables" / "work_items.npz").write_bytes(b"PK\x03\x04 no archive")
    older = folder_of("healthy", tmp_path / "older", format=0)
    return {
        str(corrupt): "work_items",
        str(older): "made by an older Poolscope",
        str(tmp_path / "absent"): "no such file or folder",
        "memory://nothing/there.zip": "cannot be fetched",
    }


def test_what_fails_is_a_row_and_the_others_are_answered(bad, tmp_path):
    pytest.importorskip("fsspec")
    found = ask([*bad, str(GOLDEN / "healthy.zip")], 50.0, HERE, tmp_path / "cache")
    assert [type(one) for one in found] == [Failed] * 4 + [Row]
    for one in found[:4]:
        assert bad[one.source] in one.reason and one.source not in one.reason


def test_a_second_question_reads_no_table(tmp_path, monkeypatch):
    sources = [str(GOLDEN / f"{name}.zip") for name in ("healthy", "injection-delay")]
    first = ask(sources, 50.0, HERE, tmp_path)
    monkeypatch.setattr("poolscope.fleets.task.extract", lambda *_: pytest.fail("analysed again"))
    second = ask(sources, 50.0, HERE, tmp_path)
    assert [row.cached for row in first] == [False, False] and [row.cached for row in second] == [True, True]
    assert [row.wait.total for row in first] == [row.wait.total for row in second]


def test_another_limit_or_label_or_byte_is_another_question(tmp_path):
    plain = folder_of("healthy", tmp_path / "a")
    labelled = folder_of("healthy", tmp_path / "b", labels={"host": "h1"})
    touched = folder_of("healthy", tmp_path / "c")
    with open(touched / "tables" / "streams.npz", "ab") as file:
        file.write(b" ")
    keys = [content_key(plain, 50.0), content_key(plain, 20.0), content_key(labelled, 50.0), content_key(touched, 50.0)]
    assert len(set(keys)) == 4 and content_key(folder_of("healthy", tmp_path / "d"), 50.0) == keys[0]


def test_an_interrupted_run_goes_on(tmp_path):
    sources = [str(GOLDEN / f"{name}.zip") for name in ("healthy", "injection-delay", "core-contention")]

    def stop(state):
        if state.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(sources, 50.0, HERE, tmp_path, stop)
    assert sum(row.cached for row in ask(sources, 50.0, HERE, tmp_path)) == 2


def test_a_row_travels_whole_and_a_changed_one_is_refused():
    made: Any = extract(GOLDEN / "sync-over-async.zip", 50.0)
    row = unpack("x", pack(made))
    assert row.wait.count > 0 and sum(part.total for part in row.parts.values()) == row.wait.total
    for change in (
        {"format": 99},
        {"wait": None},
        {"parts": []},
        {"start_utc": "soon"},
        {"tree": {"frames": []}},
        {"run": {}},
    ):
        with pytest.raises(ValueError):
            unpack("x", pack(made | change))
    with pytest.raises(ValueError):
        unpack("x", gzip.compress(b" " * (MOST_BYTES + 1)))
    with pytest.raises(ValueError):
        unpack("x", b"no gzip")


def test_folders_globs_and_misspelt_names_become_sources(tmp_path):
    one, two = folder_of("healthy", tmp_path / "one"), folder_of("healthy", tmp_path / "two")
    shutil.copy(GOLDEN / "healthy.zip", tmp_path / "z.zip")
    assert find_sources([str(one.parent if one.name == "tables" else one)]) == [str(one)]
    assert set(find_sources([str(tmp_path)])) >= {str(tmp_path / "z.zip")}
    assert find_sources([str(tmp_path / "*.zip"), str(tmp_path / "z.zip")]) == [str(tmp_path / "z.zip")]
    assert find_sources([str(tmp_path / "nothing-*")]) == [str(tmp_path / "nothing-*")]
    del two


def test_captures_come_out_of_a_store(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    whole = folder_of("healthy", tmp_path / "x")
    store.put(str(whole), "/fleet/a", recursive=True)
    store.pipe("/fleet/b.zip", (GOLDEN / "injection-delay.zip").read_bytes())
    sources = find_sources(["memory://fleet"])
    assert sources == ["memory:///fleet/a", "memory:///fleet/b.zip"]
    rows = ask(sources, 50.0, HERE, tmp_path / "cache")
    assert [type(row) for row in rows] == [Row, Row]
    assert rows[0].wait.total == ask([str(whole)], 50.0, HERE, None)[0].wait.total
    assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("poolscope-fleet-*/capture.json"))


def test_a_download_is_bounded(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe("/large.zip", b"x" * 5000)
    monkeypatch.setattr("poolscope.fleets.sources.MOST_BYTES", 4000)
    (failed,) = ask(["memory:///large.zip"], 50.0, HERE, None)
    assert "more than 4,000 bytes" in failed.reason


def test_labels_come_out_of_paths():
    assert from_path("{service}/{*}/{host}", "/data/shop/2.1/h7") == {"service": "shop", "host": "h7"}
    assert from_path("{a}/{b}/{c}", "x/y") == {}
    with pytest.raises(InvalidArgument):
        from_path("{service}/version", "x")


def test_without_dask_one_line_says_what_to_install(monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] in ("dask", "distributed"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PoolscopeError, match=r"pip install 'poolscope\[fleet\]'.*--workers 1"):
        ask([str(GOLDEN / "healthy.zip")], 50.0, Cluster(2), None)


def workers_below(pid):
    """Returns the processes that Dask's nannies below a process have started."""
    found, queue = [], [pid]
    while queue:
        at = queue.pop()
        try:
            for thread in Path(f"/proc/{at}/task").iterdir():
                below = [int(one) for one in (thread / "children").read_text().split()]
                found += below
                queue += below
        except OSError:
            continue
    return [one for one in found if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers in /proc")
def test_a_worker_that_is_killed_loses_nothing(tmp_path, bad):
    pytest.importorskip("distributed")
    names = ("healthy", "injection-delay", "core-contention", "sync-over-async", "blocked-at-cap")
    copies = []
    for number in range(12):
        copies.append(str(folder_of(names[number % 5], tmp_path / f"c{number}", labels={"seed": str(number)})))
    killed: list = []

    def kill(state):
        if state.done >= 3 and not killed:
            killed.append(sorted(workers_below(os.getpid()))[-1])
            os.kill(killed[0], signal.SIGKILL)

    sources = [*copies, *bad]
    found = ask(sources, 50.0, Cluster(2), tmp_path / "cache", kill)
    assert killed
    assert [one.source for one in found] == sources
    assert sum(isinstance(one, Row) for one in found) == 12 and sum(isinstance(one, Failed) for one in found) == 4


def test_an_answer_that_is_no_plain_one_is_refused():
    plain = {"code": "c", "key": None, "packed": None, "reason": "r", "cached": False}
    assert clusters._is_answer(plain)
    assert not clusters._is_answer(plain | {"packed": bytearray(b"x")})
    assert not clusters._is_answer(plain | {"more": 1}) and not clusters._is_answer(None)


def test_a_scheduler_that_is_not_there_is_said_in_one_line(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "CONNECT_S", 1)
    with pytest.raises(InvalidArgument, match="no Dask scheduler answers at tcp://127.0.0.1:9"):
        ask([str(GOLDEN / "healthy.zip")], 50.0, Cluster(1, "tcp://127.0.0.1:9"), None)
