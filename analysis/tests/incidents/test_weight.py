"""Incidents that matter to a reader: long waits, many waits, and not those of a start-up."""

import pytest
from poolscope.attribution import attribute
from poolscope.incidents import assess, counted_by_blame, late_and_waiting
from synthetic import BASE, MS, CaptureBuilder


def builder_of(folder, waits, length=30_000, work=1, **options):
    """Builds items from `waits`: (enqueue, dequeue) in ms, each on a worker of its own that then runs for `work` ms."""
    builder = CaptureBuilder(folder, length=length * MS, **options)
    for worker, (enqueue, dequeue) in enumerate(waits, start=200):
        builder.item(enqueue * MS, dequeue * MS, (dequeue + work) * MS, worker, [("running", work * MS)])
    return builder


def weighed(builder, limit_ms=50.0):
    capture = builder.write()
    return assess(capture, attribute(capture), limit_ms)


@pytest.mark.parametrize(
    ("waits", "matters"),
    [
        pytest.param([(0, 999)], False, id="one of less than a second"),
        pytest.param([(0, 1000)], True, id="one of a second"),
        # Waits of 300 ms are 250 ms beyond the limit: four of them make a second.
        pytest.param([(i, i + 300) for i in range(4)], True, id="a second beyond the limit in all"),
        pytest.param([(i, i + 299) for i in range(4)], False, id="less than that"),
        # One hiccup, however many items were queued: no wait over 250 ms, and over within a second.
        pytest.param([(i % 9, i % 9 + 240) for i in range(100)], False, id="a hiccup"),
        pytest.param([(i % 9, i % 9 + 251) for i in range(100)], True, id="longer waits"),
        pytest.param([(i * 10, i * 10 + 240) for i in range(100)], True, id="a longer time"),
        # One wait of 60 ms every second, for 200 s: 2 s beyond the limit, a hundredth of the time.
        pytest.param([(i * 1000, i * 1000 + 60) for i in range(200)], True, id="a hundredth of the time"),
        pytest.param([(i * 1000, i * 1000 + 59) for i in range(200)], False, id="less than a hundredth"),
    ],
)
def test_it_matters_if_one_waits_a_second_or_the_waits_beyond_the_limit_add_up_to_one(waits, matters, tmp_path):
    (incident,) = weighed(builder_of(tmp_path, waits, length=waits[-1][1] + 1000))
    assert incident.matters == matters
    assert incident.longest_ms == pytest.approx(max(d - e for e, d in waits))
    assert incident.item_seconds == pytest.approx(sum(d - e for e, d in waits) / 1000)
    assert matters == (incident.why_not is None) and not incident.at_start_up


def test_what_does_not_matter_is_told_with_its_figures(tmp_path):
    (incident,) = weighed(builder_of(tmp_path, [(0, 300), (0, 400), (0, 10)]))
    assert incident.why_not == "2 work items of 3 started late, up to 400 ms: too few and too short to matter."


@pytest.mark.parametrize("limit_ms", [50.0, 2000.0])
def test_the_limit_is_the_callers(limit_ms, tmp_path):
    assert [i.matters for i in weighed(builder_of(tmp_path, [(0, 1500)]), limit_ms)] == (
        [True] if limit_ms < 1500 else []
    )


def test_a_wait_of_unknown_length_is_a_lower_bound(tmp_path):
    builder = builder_of(tmp_path, [(0, 100)], length=5000)
    builder.item(200 * MS)
    (incident,) = weighed(builder)
    assert incident.at_least and incident.longest_ms == pytest.approx(4800) and incident.matters


class TestStartUp:
    """Twenty items wait 2 s while two threads run throughout on two cores. `compiling`: cores in the compiler."""

    def starting(
        self,
        folder,
        *,
        launched=True,
        created=None,
        compiling=None,
        sampled=(),
        late_at=200,
        states="running",
        suspended=0,
        throttled=0,
    ):
        builder = CaptureBuilder(folder, length=40_000 * MS, launched=launched)
        for i in range(20):
            builder.item(
                (late_at + i) * MS, (late_at + 2000 + i) * MS, (late_at + 2001 + i) * MS, 300 + i, [("running", MS)]
            )
        for worker in (200, 201):
            builder.item(1, 2, (late_at + 2100) * MS, worker, [(states, (late_at + 2100) * MS - 2)])
        if suspended:
            builder.suspension(late_at * MS, (late_at + suspended) * MS)
        for at in range(late_at, late_at + 2000, 100):
            row = {"start": at * MS, "end": (at + 100) * MS, "throttled_periods": 1, "throttled": throttled * MS}
            builder.rows["throttles"] += [row] if throttled else []
        if created is not None:
            builder.manifest["target"]["process_start_ns"] = BASE + created * MS
        if compiling is not None:
            rows = [(at * 500 * MS, (at + 1) * 500 * MS, int(compiling * 500 * MS)) for at in range(80)]
            builder.rows["pool_counters"] = [{"since": s, "time": t, "compiling": c} for s, t, c in rows]
        modules = ["libclrjit.so", "App.dll"]
        builder.rows["frames"] = [{"method": None, "module": m, "resolved": 1} for m in modules]
        builder.rows["stacks"] = [{"id": i, "parent": -1, "frame": i} for i in range(2)]
        for at in range(late_at, late_at + 2000, 10):
            for stack in sampled:
                builder.rows["cpu_samples"].append({"time": at * MS, "cpu": 0, "pid": 100, "tid": 200, "stack": stack})
        return weighed(builder)[0]

    @pytest.mark.parametrize(
        ("options", "at_start_up"),
        [
            pytest.param({"compiling": 1.0}, True, id="the runtime says that it compiles"),
            pytest.param({"compiling": 0.4}, False, id="on less than a quarter of the cores"),
            pytest.param({"sampled": (0, 1)}, True, id="half of the samples in the compiler"),
            pytest.param({"sampled": (0, 1, 1, 1, 1)}, False, id="a fifth of them"),
            pytest.param({"sampled": (0,), "states": "blocked"}, False, id="blocked threads leave the cores idle"),
            pytest.param({}, False, id="nothing tells of it"),
            pytest.param({"compiling": 1.0, "launched": False}, False, id="attached, age not known"),
            pytest.param({"compiling": 1.0, "launched": False, "created": -1000}, True, id="attached, a second old"),
            pytest.param({"compiling": 1.0, "launched": False, "created": -60_000}, False, id="attached, a minute old"),
            pytest.param({"compiling": 1.0, "late_at": 6000}, False, id="begins after 6 s"),
            pytest.param({"compiling": 1.0, "suspended": 1000}, False, id="collections held the items up"),
            pytest.param({"compiling": 1.0, "suspended": 300}, True, id="a few collections"),
            pytest.param({"compiling": 1.0, "throttled": 30}, False, id="a CPU quota held the items up"),
            pytest.param({"compiling": 1.0, "throttled": 10}, True, id="a quota that stops little"),
        ],
    )
    def test_a_program_that_starts_is_told_by_its_age_and_what_it_did(self, tmp_path, options, at_start_up):
        incident = self.starting(tmp_path, **options)
        assert (incident.at_start_up, incident.matters) == (at_start_up, not at_start_up)
        assert at_start_up == ("while the program started" in (incident.why_not or ""))

    def test_what_lasts_is_no_start_up(self, tmp_path):
        builder = builder_of(tmp_path, [(100, 11_000)], length=20_000)
        builder.rows["pool_counters"] = [{"since": 0, "time": 20_000 * MS, "compiling": 40_000 * MS}]
        assert not weighed(builder)[0].at_start_up


def test_blame_counts_the_moments_in_which_a_late_item_waited(tmp_path):
    waits = [(0, 1200), (1000, 1900), (1500, 1510), (9000, 9100)]
    builder = builder_of(tmp_path, waits)
    capture = builder.write()
    attribution = attribute(capture)
    incidents = assess(capture, attribution)
    assert [i.matters for i in incidents] == [True, False]
    counted = counted_by_blame(attribution.items, incidents)
    assert counted.integral(0, 30_000 * MS) == pytest.approx(1900 * MS), "both late ones of the first, each moment once"
    both = late_and_waiting(attribution.items, incidents)
    assert both.integral(0, 30_000 * MS) == pytest.approx(2000 * MS)
    assert counted_by_blame(attribution.items, incidents[1:]) is None
