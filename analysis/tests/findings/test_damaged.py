"""If `decode` found a stream damaged, the verdict on its intact part never has high confidence."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


def blocked(folder):
    builder = CaptureBuilder(folder, length=3000 * MS, limits=(1, 1))
    for i in range(200):
        start = i * 10 * MS
        builder.item(0, start, start + 10 * MS, 200, [("blocked", 9 * MS), ("running", MS)])
    return builder


@pytest.mark.parametrize(
    ("stream", "confidence"),
    [
        ("runtime.nettrace", "low"),
        ("sched.perf.data", "low"),
        ("waits.nettrace", "medium"),  # names the places where threads blocked; no part of the wait depends on it
    ],
)
def test_damage_lowers_the_confidence_and_is_said(tmp_path, stream, confidence):
    sound = analyse(blocked(tmp_path / "sound").write()).verdict
    damaged = analyse(blocked(tmp_path / "damaged").loss(2500 * MS, -1, -1, stream, "damaged").write()).verdict
    assert (sound.id, sound.confidence) == ("blocked-at-cap", "high")
    assert (damaged.id, damaged.confidence) == ("blocked-at-cap", confidence)
    assert f"{stream} is damaged; Poolscope ignored everything after the damage." in damaged.reasons


def test_a_damaged_runtime_stream_without_items_is_not_a_pool_without_work(tmp_path):
    verdict = analyse(CaptureBuilder(tmp_path, length=1000 * MS).loss(0, -1, -1, what="damaged").write()).verdict
    assert verdict.id == "cannot-tell"
    assert any("runtime.nettrace is damaged" in reason for reason in verdict.reasons)
