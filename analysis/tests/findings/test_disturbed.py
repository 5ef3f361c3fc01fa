"""A verdict caused by other programs on the machine is uncertain, and of low confidence if it would change without
them."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from poolscope.findings.confidence import disturbance
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder

SECOND = 1e9


def evidence(
    spared, others=0.0, cores_matter=True, healthy=False, split=True, late=False, stolen=0.0, error=0.1, holders=None
):
    """Returns evidence of ten items, each delayed by a second; without the others the share `spared` of that would
    vanish. `error` is that of the replay; `holders` is the share of a second in which the lock's holders lacked a
    core."""
    delays = np.full(10, SECOND)
    return SimpleNamespace(
        attribution=SimpleNamespace(split=object() if split else None),
        split=SimpleNamespace(ladder=SimpleNamespace(as_is=delays)),
        is_healthy=healthy,
        of_judged=lambda part: part,
        spared_by_others=delays * spared,
        antagonists=SimpleNamespace(share=lambda group: others),
        cores_matter=lambda: cores_matter,
        stolen_from_items=lambda: stolen,
        coverage=SimpleNamespace(replay_error=error),
        lock_owners=holders and SimpleNamespace(to_json=lambda: {"was": {"ready": holders}, "thread_s": 1.0}),
    )


@pytest.mark.parametrize(
    ("options", "cause", "says", "flipped"),
    [
        pytest.param({"spared": 0.24}, "injection-delay", None, False, id="less than a quarter"),
        pytest.param({"spared": 0.26}, "injection-delay", "26 % of the delay", False, id="a quarter"),
        pytest.param({"spared": 0.49}, "injection-delay", "49 % of the delay", False, id="less than half"),
        pytest.param({"spared": 0.51}, "injection-delay", "51 % of the delay", True, id="half"),
        pytest.param({"spared": 0.98, "error": 1.67}, "injection-delay", None, False, id="the replay does not fit"),
        pytest.param({"spared": 0.98, "error": -0.26}, "injection-delay", None, False, id="it is too quick"),
        pytest.param({"spared": 0.6, "cores_matter": False, "late": True, "holders": 0.002}, "lock-convoy", None, False, id="a lock whose holders had cores"),
        pytest.param({"spared": 0.6, "cores_matter": False, "late": True, "holders": 0.3}, "lock-convoy", "60 %", True, id="a lock whose holders lacked cores"),
        pytest.param({"spared": 0.9}, "noisy-neighbour", None, False, id="they are the verdict"),
        pytest.param({"spared": 0.9, "healthy": True}, "healthy", None, False, id="healthy"),
        pytest.param({"spared": 0.9, "split": False}, "injection-delay", None, False, id="no kernel stream"),
        pytest.param({"spared": 0.0, "others": 0.3}, "core-contention", "30 % of the core time", False, id="they had cores"),
        pytest.param({"spared": 0.0, "others": 0.2}, "core-contention", None, False, id="few of them"),
        pytest.param({"spared": 0.0, "others": 0.9, "cores_matter": False}, "blocked-at-cap", None, False, id="no matter"),
        pytest.param({"spared": 0.0, "others": 0.9, "cores_matter": False, "late": True}, "core-contention", "90 %", False, id="ended late"),
        pytest.param({"spared": 0.0, "others": 0.3, "healthy": True, "late": True}, "oversubscribed", "30 %", False, id="started on time, ended late"),
        pytest.param({"spared": 0.0, "others": 0.6, "healthy": True, "late": True}, "oversubscribed", "60 %", True, id="most of the cores were theirs"),
        pytest.param({"spared": 0.0, "others": 0.6, "healthy": True, "late": True}, "lock-convoy", None, False, id="a lock is not theirs"),
        pytest.param({"spared": 0.9, "others": 0.9, "healthy": True, "late": True}, "slow-service", None, False, id="on the wire"),
        pytest.param({"spared": 0.0, "stolen": 0.24}, "core-contention", None, False, id="little was stolen"),
        pytest.param({"spared": 0.9, "stolen": 0.26}, "core-contention", "took 26 %", False, id="stolen, which comes first"),
        pytest.param({"spared": 0.0, "stolen": 0.51}, "noisy-neighbour", "took 51 %", True, id="stolen while others had cores"),
        pytest.param({"spared": 0.0, "stolen": 0.9, "cores_matter": False}, "sync-over-async", None, False, id="no core was wanted"),
        pytest.param({"spared": 0.0, "stolen": 0.9, "healthy": True}, "healthy", None, False, id="stolen and healthy"),
        pytest.param({"spared": 0.0, "stolen": 0.3, "healthy": True, "late": True}, "core-contention", "took 30 %", False, id="ended late of what was stolen"),
    ],
)  # fmt: skip
def test_what_the_others_share_says_of_the_confidence(options, cause, says, flipped):
    found: Any = SimpleNamespace(id=cause, ended_late=options.get("late", False))
    text, flips = disturbance(evidence(**options), found)
    assert flips == flipped
    assert text is None if says is None else says in text


def beside_others(folder, hogs):
    """Builds forty items on two threads: 100 ms of CPU time, then blocked for 100 ms. Two `hogs` double the CPU
    part."""
    builder = CaptureBuilder(folder, length=30_000 * MS, limits=(2, 2))
    turns = [("running", 10 * MS), ("ready", 10 * MS)] * 10 if hogs else [("running", 100 * MS)]
    work = [*turns, ("blocked", 100 * MS)]
    length = sum(duration for _, duration in work)
    for i in range(40):
        builder.item(0, i // 2 * length, (i // 2 + 1) * length, 200 + i % 2, work)
    for tid in (200, 201):
        builder.thread(tid, 100, ".NET TP Worker")
    for hog in range(hogs):
        builder.thread(900 + hog, 900, "hog")
        for at in range(0, 20 * length, length):
            builder.state(900 + hog, at, at + 100 * MS, "running").state(
                900 + hog, at + 100 * MS, at + 200 * MS, "ready"
            )
    return analyse(builder.write())


@pytest.mark.parametrize(("hogs", "confidence"), [(0, "high"), (2, "medium")])
def test_the_same_work_beside_others_is_judged_less_surely(tmp_path, hogs, confidence):
    verdict = beside_others(tmp_path, hogs).verdict
    assert (verdict.id, verdict.confidence) == ("blocked-at-cap", confidence), verdict
    assert any("Other processes held cores" in reason for reason in verdict.reasons) == bool(hogs)


def test_threads_of_the_process_itself_are_no_others(tmp_path):
    """The same two competitors belong to another process, or to this one: only in the first case do they count as
    others."""
    spared = []
    for pid in (900, 100):
        builder = CaptureBuilder(tmp_path / str(pid), length=30_000 * MS, limits=(2, 2))
        turns = [("running", 10 * MS), ("ready", 10 * MS)] * 10
        for i in range(40):
            builder.item(0, i // 2 * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2, turns)
        for tid in (200, 201):
            builder.thread(tid, 100, ".NET TP Worker")
        for tid in (900, 901):
            builder.thread(tid, pid, "busy")
            for at in range(0, 4000, 20):
                builder.state(tid, at * MS, (at + 10) * MS, "running")
                builder.state(tid, (at + 10) * MS, (at + 20) * MS, "ready")
        spared.append(float(analyse(builder.write()).evidence.spared_by_others.sum()))
    assert spared[0] > 10 * SECOND and spared[1] < 0.05 * spared[0]
