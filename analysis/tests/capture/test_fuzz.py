"""A fixed 2,000 damaged inputs of each kind, and verdicts on damaged tables (docs/fuzzing.md has the long runs)."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fuzz.kinds import KINDS, READ, REFUSED, WEB, WEB_KIND
from fuzz.memory import Original
from fuzz.verdicts import CONFIDENT_AND_WRONG, Judge
from service import web_service
from synthetic import MS

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
COUNT = 2_000
SEED = 15
VERDICTS = 30


@pytest.fixture(scope="module")
def originals():
    return [Original(GOLDEN / f"{name}.zip") for name in ("core-contention", "healthy")]


@pytest.fixture(scope="module")
def webs(tmp_path_factory):
    """Returns captures of a service with requests, calls and sockets of every kind, which no golden capture has."""
    builder = web_service(tmp_path_factory.mktemp("web"), [20, 30, 45, 20], remote="10.0.0.9:5432")
    builder.manifest["target"]["launched"] = False
    builder.earlier_request(90 * MS).earlier_call(95 * MS).call(100 * MS, 150 * MS, connection=1).call(120 * MS)
    builder.connection((200 * MS, "read", 50, 1000), unread_at=5 * MS)
    builder.connection(unread_at=6 * MS)
    builder.write()
    return [Original(builder.folder)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_damaged_input_is_read_or_refused(kind, originals, webs):
    if kind == WEB_KIND:
        originals = webs
        assert set(WEB) <= set(webs[0].tables)
    found = Counter(
        KINDS[kind](originals[number % len(originals)], np.random.default_rng((SEED, number)))
        for number in range(COUNT)
    )
    assert set(found) == {READ, REFUSED} and sum(found.values()) == COUNT
    assert found[REFUSED] > COUNT // 5, "damage that nothing notices damages nothing"


def test_no_damaged_table_gives_a_confident_wrong_verdict(originals):
    judge = Judge(originals[0])
    found = [judge.judge(np.random.default_rng((SEED, number))) for number in range(VERDICTS)]
    assert [damage for outcome, damage in found if outcome == CONFIDENT_AND_WRONG] == []
    assert len({outcome for outcome, _ in found}) >= 2
