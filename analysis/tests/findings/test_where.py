"""The part of the capture in which a finding's cost lies."""

import numpy as np
import pytest
from poolscope.evidence.where import ITEMS_SHOWN, Costs, Window
from poolscope.product import analyse
from poolscope.report import render
from synthetic import MS, CaptureBuilder

SECOND = 1000 * MS


def costs(*rows):
    """Returns the costs of rows (item, begin, end, cost)."""
    return Costs(*(np.array(column) for column in zip(*rows, strict=True)))


def test_the_window_is_the_shortest_with_most_of_the_cost():
    # A straggler with a hundredth of the cost at the start, and the rest in one second.
    found = costs((1, 0, SECOND, 1.0), (2, 60 * SECOND, 61 * SECOND, 99.0)).window(100 * SECOND)
    assert len(found) == 1
    assert 60 <= found[0].from_s + 0.2 and found[0].to_s <= 61.2 and found[0].to_s - found[0].from_s <= 1.2


def test_a_cost_in_one_moment_has_a_window_of_one_step():
    assert costs((1, 50 * SECOND, 50 * SECOND, 5.0)).window(512 * SECOND) == [Window(50.0, 51.0)]


def test_what_cost_nothing_has_no_place():
    nothing = costs((1, 0, SECOND, 0.0))
    assert nothing.window(SECOND) == [] and nothing.worst() == []


def test_an_item_pays_for_all_its_stretches_and_only_the_worst_are_named():
    rows = [(7, 0, 1, 3.0 * MS), (7, 2, 3, 3.0 * MS), *((i, 0, 1, float(i) / 10 * MS) for i in range(20, 30))]
    worst = costs(*rows).worst()
    assert [p.item for p in worst] == [7, 29, 28, 27, 26] and len(worst) == ITEMS_SHOWN
    assert worst[0].cost_ms == pytest.approx(6.0)


def test_a_finding_links_to_its_time_and_items(tmp_path):
    builder = CaptureBuilder(tmp_path, length=8 * SECOND, limits=(2, 2))
    for i in range(12):
        start = i // 2 * SECOND
        builder.item(0, start, start + SECOND, 200 + i % 2, [("blocked", SECOND)])
    analysis = analyse(builder.write())
    finding = analysis.findings[0]
    assert finding.id == "blocked-at-cap"
    assert {p.item for p in finding.where.items[:2]} == {10, 11}
    (window,) = finding.where.windows
    assert 0 <= window.from_s < window.to_s <= 5.1
    page = render(analysis.to_json())
    assert 'id="finding-blocked-at-cap"' in page and 'href="#finding-blocked-at-cap"' in page
    assert f'href="#pool" data-from="{window.from_s}" data-to="{window.to_s}"' in page
    assert f'href="#item-{finding.where.items[0].item}" data-item="{finding.where.items[0].item}"' in page
