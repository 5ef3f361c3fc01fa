"""The report mentions the maximum of threads if the pool reached it, and does not otherwise."""

import pytest
from poolscope.product import analyse
from synthetic import MS, CaptureBuilder


@pytest.mark.parametrize(
    ("most", "because", "title"),
    [
        (2, "because blocked items held every thread", "Blocked items held all the threads"),
        (6, "because blocked items would have held even every thread", "Blocked items would have held every thread"),
    ],
)
def test_a_maximum_that_was_never_reached_is_not_said_to_have_been(tmp_path, most, because, title):
    # Forty items block for 200 ms each on two threads; with six threads a third of the wait would remain.
    builder = CaptureBuilder(tmp_path, length=4000 * MS, limits=(2, most))
    for i in range(40):
        builder.item(0, i // 2 * 200 * MS, (i // 2 + 1) * 200 * MS, 200 + i % 2, [("blocked", 200 * MS)])
    for tid in (200, 201):
        builder.thread(tid, 100, ".NET TP Worker")
    analysis = analyse(builder.write())
    found = next(f for f in analysis.findings if f.id == "blocked-at-cap")
    assert f"because {found.because}".startswith(because) and found.title.startswith(title)
    assert any("It wanted 2 at most; with all 6 at once" in sentence for sentence in found.evidence) == (most == 6)
