"""A manifest with a value of the wrong type or range gives one line and exit code 3."""

import copy
import json
from typing import Any

import pytest
from poolscope.__main__ import run
from poolscope.base.errors import UnreadableCapture
from poolscope.capture.manifest import MOST_BYTES, read_manifest
from synthetic import MANIFEST, MS, CaptureBuilder

STREAM = {
    "file": "runtime.nettrace",
    "tier": "eventpipe",
    "start_ns": 1,
    "end_ns": 2,
    "bytes": 3,
    "events": 4,
    "lost": 0,
}


def changed(path, value):
    manifest = copy.deepcopy(MANIFEST) | {"streams": [dict(STREAM)]}
    at: Any = manifest
    *parents, last = path
    for key in parents:
        at = at[key]
    at[last] = value
    return json.dumps(manifest).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "1"),
        (("format",), True),
        (("clock", "start_ns"), "now"),
        (("clock", "start_ns"), 2**63),
        (("clock", "start_utc"), None),
        (("clock", "start_utc"), "9999-12-31T23:59:59Z"),
        (("host", "cpus_online"), 0),
        (("host", "memory_bytes"), 0.5),
        (("target", "pid"), [1]),
        (("target", "pid"), 2**31),
        (("target", "launched"), 1),
        (("target", "cpus_allowed"), None),
        (("target", "cpus_allowed"), 10**400),
        (("target", "cpu_quota"), -1),
        (("target", "processor_count"), 0),
        (("target", "command"), "app"),
        (("target", "limits"), [1]),
        (("target", "min_threads"), 5),
        (("target", "max_threads"), {"value": 10**6, "known": "default"}),
        (("pool",), "rotor"),
        (("phases",), {"a": 1}),
        (("streams",), [1]),
        (("streams", 0, "file"), None),
        (("streams", 0, "end_ns"), 1e300),
        (("streams", 0, "lost"), "0"),
    ],
)
def test_a_value_of_the_wrong_type_or_range_is_named(path, value, tmp_path):
    with pytest.raises(UnreadableCapture, match="capture.json is damaged") as caught:
        read_manifest(changed(path, value), tmp_path)
    assert str(path[-1]) in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "raw", [b"[" * 100_000, b'{"format":' * 50_000, b"NaN", b'{"format": NaN}', b"\xff", b" " * (MOST_BYTES + 1)]
)
def test_what_is_no_document_is_refused(raw, tmp_path):
    with pytest.raises(UnreadableCapture, match="damaged"):
        read_manifest(raw, tmp_path)


def test_a_sound_manifest_passes(tmp_path):
    assert read_manifest(changed(("stop",), None), tmp_path)["target"]["pid"] == 100


def test_the_command_says_one_line(tmp_path, capsys):
    CaptureBuilder(tmp_path / "x", length=1000 * MS).write()
    (tmp_path / "x" / "capture.json").write_bytes(changed(("target", "pid"), {}))
    assert run(["attribute", str(tmp_path / "x")]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "target.pid" in error
