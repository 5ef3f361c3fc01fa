"""The gaps of a capture made from other tools' files (docs/other-tools.md)."""

from __future__ import annotations

from dataclasses import dataclass

from poolscope.contract.manifest_json import ManifestJson

WORK_ITEMS = "work items"
"""What such a file lacks if they were not recorded, as the collector notes it (ForeignGaps.cs)."""

POOL = "worker threads and the pool's goal"
"""What such a file lacks where the runtime's own events of the pool were not recorded, as the collector notes it."""

LOSSES = "how many events were lost"
"""What a file lacks whose recorder may have dropped events without telling, as the collector notes it."""

NOT_JUDGED = ("another process than the recorder", "a known pool", "stable ids")
"""What a file lacks without which no verdict may be given, as the collector notes it."""


SWITCHES = "all switches"
"""What a recording of perf lacks where the kernel left threads out of sched_switch, as the collector notes it."""

KERNEL = "what the kernel did with the threads"
"""What a trace of the runtime alone lacks, as the collector notes it."""

BOTH = {
    "Linux": "Record again with the line that this prints, which records work items and what the kernel did with the threads: "
    "poolscope recipe perf. It needs root; without root, record the work items alone: poolscope recipe dotnet-trace.",
    "Windows": "Record again with the line that this prints, which records work items and what the kernel did with the threads: "
    "poolscope recipe perfview. It needs an administrator; without one, record the work items alone: poolscope recipe "
    "dotnet-trace.",
}
"""By the system that a trace of the runtime comes from."""

DECODE_AGAIN = "Decode it again; if that does not help, record again."
RECORD_LIKE_THIS = (
    "Decoding it again does not help. Record again with the lines that these commands print: poolscope recipe dotnet-trace, "
    "and poolscope recipe perf."
)


@dataclass(frozen=True)
class Lack:
    """Something that the other tool did not record."""

    why: str
    how: str
    """What records it."""


def without_work_items(manifest: ManifestJson) -> Lack | None:
    """Says why no work item is in a capture, and which command records them; None if they were recorded, or Poolscope
    recorded it."""
    return _lack(manifest, WORK_ITEMS)


def losses_untold(manifest: ManifestJson) -> Lack | None:
    """Says why nothing shows whether events were lost; None if losses are counted."""
    return _lack(manifest, LOSSES)


def not_judged(manifest: ManifestJson) -> Lack | None:
    """Says why a capture of an old runtime, or of the recorder itself, gets no verdict, and what to record instead;
    None if nothing forbids one. No manifest of Windows says who recorded it, so that does not count."""
    return next((lack for wanted in NOT_JUDGED if (lack := _noted(manifest, wanted))), None)


def without_kernel(manifest: ManifestJson) -> Lack | None:
    """Returns what records the kernel's events on the trace's system; None: they are there, or Poolscope recorded it."""
    return _lack(manifest, KERNEL)


def without_pool(manifest: ManifestJson) -> Lack | None:
    """Says why the pool's threads and goal are not in a capture; None if they are, or Poolscope recorded it."""
    return _lack(manifest, POOL)


def both_recipe(manifest: ManifestJson) -> str | None:
    """Returns the one command that records work items and the kernel's events, for the trace's system; None if not both
    are missing, or no one command records both."""
    recipe = BOTH.get(manifest["host"].get("os") or "")
    return recipe if recipe and without_work_items(manifest) and without_kernel(manifest) else None


def contradiction_remedy(manifest: ManifestJson) -> str:
    """Returns what to do about a capture that contradicts itself. Of other tools' files decoding again makes the same."""
    if lack := _lack(manifest, SWITCHES):
        return f"{lack.why[0].upper()}{lack.why[1:]}. {lack.how}."
    return RECORD_LIKE_THIS if manifest.get("made_from") else DECODE_AGAIN


def _lack(manifest: ManifestJson, wanted: str) -> Lack | None:
    return _noted(manifest, wanted) if manifest.get("made_from") else None


def _noted(manifest: ManifestJson, wanted: str) -> Lack | None:
    refused = manifest.get("refused", [])
    return next((Lack(str(r.get("why")), str(r.get("how"))) for r in refused if r.get("wanted") == wanted), None)
