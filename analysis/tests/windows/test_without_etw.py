"""A Windows capture with only the runtime's streams: the advice for the missing data uses Windows terms."""

import json

import pytest
from poolscope.capture import open_capture
from poolscope.capture.manifest import of_windows
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def advice(folder, system):
    builder = CaptureBuilder(folder, length=3000 * MS, limits=(1, 1), kernel=False, cut=True)
    for i in range(200):
        start = i * 10 * MS
        builder.item(0, start, start + 10 * MS, 200, [("blocked", 9 * MS), ("running", MS)])
    builder.write()
    path = folder / "capture.json"
    manifest = json.loads(path.read_text())
    manifest["host"]["os"] = system
    path.write_text(json.dumps(manifest))
    analysis = analyse(open_capture(folder)).to_json()
    return next(finding["advice"] for finding in analysis["findings"] if finding["id"] == "coverage-low")


def test_windows_is_not_told_of_root_and_tracefs(tmp_path):
    said = str(advice(tmp_path, "Microsoft Windows 10.0.19045"))
    assert "started as administrator" in said and "recipe perfview" in said
    assert "tracefs" not in said and "root" not in said


def test_linux_is(tmp_path):
    assert "tracefs" in str(advice(tmp_path, "Debian GNU/Linux 12"))


@pytest.mark.parametrize(
    ("system", "is_windows"),
    [("Windows", True), ("Microsoft Windows 10.0.19045", True), ("Linux", False), ("", False), (None, False)],
)
def test_windows_goes_by_its_name(system, is_windows):
    assert of_windows({"host": {"os": system}}) is is_windows
