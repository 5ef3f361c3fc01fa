"""Activities: a slice from begin to end of each, on as many tracks as there were at once."""

from __future__ import annotations

import numpy as np

from poolscope.base.arrays import IntArray
from poolscope.export.perfetto.encode import Encoder, end
from poolscope.export.perfetto.lanes import lanes
from poolscope.export.perfetto.sources import BEGINS, ENDS, Events
from poolscope.export.perfetto.tracks import Tracks
from poolscope.export.source import Source
from poolscope.html.escape import visible
from poolscope.measures.activities import ACTIVITY_PARTS, Activities
from poolscope.product.activities import operations_of

GROUP = "Activities"
LANE = "activities"
CATEGORY = "activity"


def activity_events(source: Source, tracks: Tracks, encoder: Encoder) -> list[Events]:
    """Returns the slices of the activities; the first source begins them. Empty if no activity was recorded."""
    activities = source.activities
    if activities is None:
        return []
    base = source.capture.window[0]
    start = np.maximum(activities.begun, 0)
    # A slice without a length would end before it begins.
    stop = np.maximum(np.where(activities.end < 0, activities.stop, activities.end), start + 1)
    of_lane = lanes(start, stop)
    group = tracks.of_process(GROUP)
    track = [tracks.below(group, LANE) for _ in range(int(of_lane.max()) + 1)]
    given = _Arguments(activities, encoder)
    names, code = operations_of(activities)
    shown = encoder.names([visible(f"{operation} ({source_name})") for source_name, operation in names])
    category = encoder.category(CATEGORY)
    ends = [end(one) for one in track]

    def begin(rows: IntArray) -> list[bytes]:
        return [
            encoder.begin(track[lane], shown[which], category, given(row))
            for row, lane, which in zip(rows.tolist(), of_lane[rows].tolist(), code[rows].tolist())
        ]

    def finish(rows: IntArray) -> list[bytes]:
        return [ends[lane] for lane in of_lane[rows].tolist()]

    return [Events(start + base, BEGINS, begin), Events(stop + base, ENDS, finish)]


class _Arguments:
    """What is said of each activity."""

    def __init__(self, activities: Activities, encoder: Encoder) -> None:
        self._activities, self._encoder = activities, encoder
        names = ("activity", "duration_ns", "duration_is_at_least", "began_before", "trace_id", "span_id", "item")
        self._key = dict(zip(names, encoder.keys(*names)))
        self._part_keys = encoder.keys(*(f"{name}_ns" for name in ACTIVITY_PARTS))
        self._parts = np.stack([activities.part[name] for name in ACTIVITY_PARTS], axis=1)
        self._place = np.full(activities.count, -1, dtype=np.int64)
        self._place[activities.whole] = np.arange(len(activities.whole))
        self._duration, self._open = activities.duration, activities.open

    def __call__(self, row: int) -> list[bytes]:
        encoder, key, activities = self._encoder, self._key, self._activities
        given = [encoder.argument(key["activity"], int(activities.id[row]))]
        if activities.begun[row] < 0:
            given.append(encoder.argument(key["began_before"], True))
        else:
            given.append(encoder.argument(key["duration_ns"], int(self._duration[row])))
        if self._open[row]:
            given.append(encoder.argument(key["duration_is_at_least"], True))
        if self._place[row] >= 0:
            parts = self._parts[self._place[row]].tolist()
            given += [encoder.argument(k, ns) for k, ns in zip(self._part_keys, parts) if ns]
        if activities.item[row] >= 0:
            given.append(encoder.argument(key["item"], int(activities.item[row])))
        for name, ids in (("trace_id", activities.trace), ("span_id", activities.span)):
            if isinstance(ids[row], str):
                given.append(encoder.argument(key[name], visible(ids[row])))
        return given
