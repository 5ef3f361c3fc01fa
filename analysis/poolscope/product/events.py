"""Which events another tool's trace holds, and what of them is used."""

from __future__ import annotations

from poolscope.capture import DecodedCapture
from poolscope.capture.schema import enum, load_schema
from poolscope.contract.analysis_json import EventCountJson, EventsJson

ROWS = 400
"""More kinds of events than any recording of the runtime's own providers has."""


def events_json(capture: DecodedCapture) -> EventsJson | None:
    """Returns the counts of events; None if Poolscope recorded the capture, or an earlier version decoded it."""
    table = capture.table("event_counts") if capture.has("event_counts") else None
    if table is None or table.empty:
        return None
    unused = enum("event_counts", "used", "nothing")
    # Some have several ids, as each counter's type has.
    kinds = table.groupby(["provider", "name", "used"], sort=False, observed=True, as_index=False)["count"].sum()
    shown = kinds.nlargest(ROWS, "count", keep="first").sort_index()
    left_out = int(table["count"].sum() - shown["count"].sum())
    uses = load_schema().tables["event_counts"].column("used").values
    rows: list[EventCountJson] = [
        {
            "provider": str(provider),
            "event": str(name),
            "count": int(count),
            "used": None if used == unused else uses[used],
        }
        for provider, name, count, used in zip(shown["provider"], shown["name"], shown["count"], shown["used"])
    ]
    return {
        "total": int(table["count"].sum()),
        "used": int(table["count"][table["used"] != unused].sum()),
        "rows": rows,
        "rows_left_out": len(kinds) - len(shown),
        "events_left_out": left_out,
    }
