"""Captures that are damaged, not decoded, or without data, read through the library."""

import shutil
import zipfile

import numpy as np
import poolscope
import pytest
from library.refused import GOLDEN, refused
from poolscope import InsufficientEvidence, UnreadableCapture
from synthetic import MS, CaptureBuilder


@pytest.fixture
def folder(tmp_path):
    with zipfile.ZipFile(GOLDEN / "blocked-at-cap.zip") as archive:
        archive.extractall(tmp_path / "capture")
    return tmp_path / "capture"


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ("{}", "damaged"),
        ('{"format": 99}', "capture format 99"),
        ('{"format": 1}', "tool is missing, not an object"),
        ('{"format": 1, "clock": {}, "host": {}, "target": [], "tool": {}}', "clock.start_ns is missing"),
    ],
)
def test_open_a_damaged_manifest(manifest, says, folder):
    (folder / "capture.json").write_text(manifest)
    refused(UnreadableCapture, says, lambda: poolscope.open(folder))


def test_open_what_is_not_decoded(folder):
    shutil.rmtree(folder / "tables")
    refused(UnreadableCapture, "poolscope decode", lambda: poolscope.open(folder))


@pytest.mark.parametrize(
    "method", ["attribute", "verdict", "incidents", "findings", "coverage", "blame", "analysis", "whatif", "report"]
)
def test_a_damaged_table(method, folder):
    (folder / "tables" / "work_items.npz").write_bytes(b"PK\x03\x04 not really")
    capture = poolscope.open(folder)
    refused(UnreadableCapture, "work_items cannot be read", getattr(capture, method))


def test_a_zip_with_a_damaged_table(tmp_path):
    broken = bytearray((GOLDEN / "blocked-at-cap.zip").read_bytes())
    with zipfile.ZipFile(GOLDEN / "blocked-at-cap.zip") as archive:
        entry = archive.getinfo("tables/work_items.npz")
    at = entry.header_offset + 30 + len(entry.filename)
    broken[at + 40 : at + 200] = b"\xff" * 160
    (tmp_path / "broken.zip").write_bytes(broken)
    capture = poolscope.open(tmp_path / "broken.zip")
    refused(UnreadableCapture, "tables/work_items.npz cannot be read", capture.attribute)


@pytest.mark.parametrize(
    "method", ["attribute", "verdict", "incidents", "findings", "coverage", "blame", "analysis", "whatif", "report"]
)
def test_without_a_runtime_stream_nothing_is_answered(method, tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    builder.rows["streams"] = [s for s in builder.rows["streams"] if s["tier"] != "eventpipe"]
    builder.write()
    refused(InsufficientEvidence, "no runtime.nettrace", getattr(poolscope.open(tmp_path), method))


def test_without_work_items_there_is_nothing_to_simulate(tmp_path):
    CaptureBuilder(tmp_path, length=100 * MS).write()
    refused(InsufficientEvidence, "no work items", poolscope.open(tmp_path).whatif)


def test_an_enum_value_that_nobody_knows(folder):
    with np.load(folder / "tables" / "pool_changes.npz") as archive:
        columns = {name: archive[name] for name in archive.files}
    columns["reason"] = columns["reason"] + np.uint8(200)
    np.savez(folder / "tables" / "pool_changes.npz", **columns)
    tables = poolscope.open(folder).tables
    refused(UnreadableCapture, "is none of Warmup", lambda: tables["pool_changes"])
