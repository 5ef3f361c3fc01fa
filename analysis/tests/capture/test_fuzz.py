"""A fixed 2,000 damaged inputs of each kind, and verdicts of damaged tables (docs/fuzzing-analysis.md has the long runs)."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fuzz.kinds import KINDS, READ, REFUSED
from fuzz.memory import Original
from fuzz.verdicts import CONFIDENT_AND_WRONG, Judge

GOLDEN = Path(__file__).resolve().parents[3] / "traces" / "golden"
COUNT = 2_000
SEED = 15
VERDICTS = 30


@pytest.fixture(scope="module")
def originals():
    return [Original(GOLDEN / f"{name}.zip") for name in ("core-contention", "healthy")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_damaged_input_is_read_or_refused(kind, originals):
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
