"""How severe a share of the cost is."""

from __future__ import annotations


def severity_of(share: float) -> str:
    """Returns the severity for a share, 0 ... 1, of all that a cause could have cost."""
    return "high" if share >= 0.5 else "medium" if share >= 0.25 else "low"
