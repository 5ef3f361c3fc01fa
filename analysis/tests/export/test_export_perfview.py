"""`export --to perfview`: a strict reader and a schema accept the file, and it says what the tables say."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from poolscope.capture import open_capture
from poolscope.cli.command import poolscope
from poolscope.export import FORMATS, Source, export
from poolscope.export.perfview import QUEUERS, item_chains
from poolscope.product import analyse
from queued_captures import HOSTILE, Queued
from read_perfview import PerfViewStacks
from synthetic import MS, CaptureBuilder

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.zip"))
SCHEMA = Path(__file__).with_name("perfview.xsd")
PARTS = {
    "INJECTION_DELAY": ["injection"],
    "BLOCKED": ["holding", "dependency"],
    "CORE_CONTENTION": ["core"],
    "RUNTIME": ["runtime"],
}


def written(capture, folder, name="x.perfView.xml.zip"):
    """Returns the export's summary, and the strict reader of the file."""
    said = export(Source(capture), FORMATS["perfview"], folder / name)
    return said, PerfViewStacks(folder / name)


def lint(xml):
    if shutil.which("xmllint") is None:
        say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
        say("no xmllint; ./build.sh setup gets it")
    command = ["xmllint", "--noout", "--schema", str(SCHEMA), "-"]
    return subprocess.run(command, input=xml, capture_output=True)


@pytest.mark.parametrize("name", NAMES)
def test_counts_and_sums_are_those_of_the_table(name, tmp_path):
    capture = open_capture(GOLDEN / f"{name}.zip")
    parts = analyse(capture).item_parts()
    said, found = written(capture, tmp_path)
    total, count = found.by_leaf()
    for leaf, columns in PARTS.items():
        amount = parts[columns].sum(axis=1)
        assert total[leaf] == amount.sum(), leaf
        assert count[leaf] == (amount > 0).sum(), leaf
    assert set(total) <= set(PARTS) and sum(total.values()) == parts["wait"].sum() > 0
    assert said.counts == {
        "items": (parts["wait"] > 0).sum(),
        "samples": len(found.samples),
        "stacks": len(found.stacks),
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_holds(name, tmp_path):
    written(open_capture(GOLDEN / f"{name}.zip"), tmp_path, "x.perfView.xml")
    result = lint((tmp_path / "x.perfView.xml").read_bytes())
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('CallerID="-1"', 'CallerID="-2"'),
        ('FrameID="4"', 'FrameID="77"'),
        ('FrameID="4"', 'FrameID="3"'),
        ("</Frame>", "\n</Frame>"),
        ('Metric="', 'Metric="1,'),
        ('<Stack ID="1"', '<Stack ID="0"'),
    ],
)
def test_the_schema_refuses_what_perfview_cannot_read(right, wrong, tmp_path):
    written(open_capture(GOLDEN / f"{NAMES[0]}.zip"), tmp_path, "x.perfView.xml")
    good = (tmp_path / "x.perfView.xml").read_text("utf-8")
    assert right in good
    assert lint(good.replace(right, wrong, 1).encode()).returncode != 0


@pytest.mark.parametrize("name", NAMES)
def test_each_stack_is_process_thread_methods_and_cause(name, tmp_path):
    capture = open_capture(GOLDEN / f"{name}.zip")
    _, found = written(capture, tmp_path)
    pid = capture.manifest["target"]["pid"]
    workers = set(capture.table("workers")["tid"])
    for _, path, _ in found.samples:
        process, thread, *methods, leaf = path
        assert process.startswith("Process64 ") and process.endswith(f"({pid})")
        assert int(thread.removeprefix("Thread (").partition(")")[0]) in workers
        assert methods and all("!" in m or m in ("METHOD_NOT_KNOWN", "QUEUES_WORK_ITEM") for m in methods)
        assert leaf in PARTS


def test_samples_of_an_item_lie_end_to_end_over_its_wait(tmp_path):
    capture = open_capture(GOLDEN / "injection-delay.zip")
    _, found = written(capture, tmp_path)
    items = Source(capture).attribution.items
    times = [time for time, _, _ in found.samples]
    assert times == sorted(times), "in order of time"
    assert len(times) > (items.wait > 0).sum() > 0, "some waits have several parts"
    # The file has times to the microsecond.
    ends = [float(time + metric) for time, _, metric in found.samples]
    for dequeue in items.dequeue[items.wait > 0].tolist():
        assert min(abs(end - dequeue / MS) for end in ends) < 0.001, dequeue
    for enqueue in items.enqueue[items.wait > 0].tolist():
        assert min(abs(float(time) - enqueue / MS) for time in times) < 0.001, enqueue
    follows = [min(abs(float(time) - end) for end in ends) < 0.0011 for time in times]
    assert sum(follows) >= len(times) - (items.wait > 0).sum(), "each part but the first of an item follows another"


def test_the_same_capture_gives_the_same_bytes_and_one_entry_named_like_the_capture(tmp_path):
    capture = open_capture(GOLDEN / "healthy.zip")
    written(capture, tmp_path, "a.perfView.xml.zip")
    _, found = written(capture, tmp_path, "b.perfView.xml.zip")
    assert (tmp_path / "a.perfView.xml.zip").read_bytes() == (tmp_path / "b.perfView.xml.zip").read_bytes()
    assert found.entry == "healthy.perfView.xml"
    written(capture, tmp_path, "c.perfView.xml")
    with zipfile.ZipFile(tmp_path / "a.perfView.xml.zip") as archive:
        assert archive.read(found.entry) == (tmp_path / "c.perfView.xml").read_bytes()


def test_a_name_that_perfview_would_not_open_is_told(tmp_path):
    capture = open_capture(GOLDEN / "healthy.zip")
    said, _ = written(capture, tmp_path, "x.perfView.xml")
    assert not any("PerfView opens only" in note for note in said.notes)
    said, _ = written(capture, tmp_path, "x.xml")
    assert any("PerfView opens only" in note for note in said.notes)


def test_what_an_item_is_called_by_and_who_queued_it(tmp_path):
    queued = Queued(tmp_path / "capture", ["App.Accept", "App.Parse", "App.Parse", "App.Store"])
    _, found = written(queued.write(), tmp_path)
    accept, parse, store = "app!App.Accept", "app!App.Parse", "app!App.Store"
    chains = {path[2:-1] for _, path, _ in found.samples}
    link = "QUEUES_WORK_ITEM"
    assert chains == {
        (accept,),
        (accept, link, parse),
        (accept, link, parse, link, store),
    }, "what queues itself is told once"
    assert "4 of 4 work items" in found.notes


def test_a_long_chain_of_items_is_cut(tmp_path):
    names = [f"App.Step{i}" for i in range(QUEUERS + 4)]
    _, found = written(Queued(tmp_path / "capture", names).write(), tmp_path)
    last = found.samples[-1][1]
    assert [frame for frame in last if "!" in frame] == [f"app!{name}" for name in names[-QUEUERS - 1 :]]


def test_without_a_kernel_stream_the_wait_is_one(tmp_path):
    builder = CaptureBuilder(tmp_path / "capture", length=100 * MS, kernel=False)
    builder.item(1 * MS, 11 * MS, 20 * MS, 200).item(2 * MS, flags=())
    said, found = written(builder.write(), tmp_path)
    assert found.by_leaf()[0] == {"QUEUE_WAIT": 10 * MS + 98 * MS}
    assert {path[1] for _, path, _ in found.samples} == {"Thread (200)", "Thread (never started)"}
    assert any("kernel stream" in note for note in said.notes)


def test_a_capture_without_items_is_a_file_without_samples(tmp_path):
    said, found = written(CaptureBuilder(tmp_path / "capture", length=100 * MS).write(), tmp_path)
    assert found.samples == [] and said.counts["samples"] == 0


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_name_is_one_readable_frame(kind, tmp_path):
    queued = Queued(tmp_path / "capture", [HOSTILE[kind], "App.Work"], module=HOSTILE[kind], thread=HOSTILE[kind])
    queued.builder.manifest["target"]["name"] = HOSTILE[kind]
    capture = queued.write()
    assert item_chains(capture, Source(capture).attribution.items).known == 2
    _, found = written(capture, tmp_path, "x.perfView.xml")
    assert {len(path) for _, path, _ in found.samples} == {4, 6}
    for _, (process, thread, *methods, _), _ in found.samples:
        # PerfView shows the text between the last slash or backslash and the first exclamation mark.
        assert "!" not in process + thread
        named = [m for m in methods if m != "QUEUES_WORK_ITEM"]
        assert named and not any(set(m.partition("!")[0]) & {"/", "\\"} for m in named)
    assert lint((tmp_path / "x.perfView.xml").read_bytes()).returncode == 0


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(poolscope, ["export", str(GOLDEN / "healthy.zip"), "--to", "perfview"])
    assert said.exit_code == 0, said.output
    assert "healthy.perfView.xml.zip: 201 items" in said.output
    assert PerfViewStacks(tmp_path / "healthy.perfView.xml.zip").samples
