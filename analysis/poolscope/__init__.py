"""Poolscope: why did this thread-pool work item start late?

    import poolscope

    capture = poolscope.open("traces/demo")
    print(capture.verdict().text)
    capture.attribute()[["injection", "blocking", "core", "runtime"]].mean() / 1e6   # ms per item

docs/library.md has worked examples. The names here are the public interface, which follows semantic versioning; the
rest of the package does not. Importing is cheap: pandas and the analysis are imported by the first call that needs
them.
"""

from __future__ import annotations

from poolscope.version import __version__

__all__ = [
    "Advice",
    "Calibration",
    "Capture",
    "Coverage",
    "Finding",
    "Findings",
    "Fleet",
    "InsufficientEvidence",
    "InvalidArgument",
    "Outcome",
    "PoolscopeError",
    "Prediction",
    "Tables",
    "UnknownTable",
    "UnreadableCapture",
    "Verdict",
    "WhatIf",
    "__version__",
    "fleet",
    "open",
]

TYPE_CHECKING = False
"""Type checkers treat this name as true, as they treat the one in `typing`. Importing `typing` would cost more than the
rest of this module."""

if TYPE_CHECKING:
    from poolscope.base.errors import (
        InsufficientEvidence,
        InvalidArgument,
        PoolscopeError,
        UnknownTable,
        UnreadableCapture,
    )
    from poolscope.check.outcome import Outcome
    from poolscope.coverage.coverage import Coverage
    from poolscope.findings.finding import Finding, Findings
    from poolscope.findings.verdict import Verdict
    from poolscope.library import Capture, Tables, open
    from poolscope.library.fleet import Fleet, fleet
    from poolscope.whatif.advice import Advice
    from poolscope.whatif.calibration import Calibration
    from poolscope.whatif.explore import WhatIf
    from poolscope.whatif.prediction import Prediction
else:
    # Hidden from type checkers: with `__getattr__` in sight, they would accept every misspelt name.
    _HOMES = {
        "poolscope.check.outcome": ("Outcome",),
        "poolscope.coverage.coverage": ("Coverage",),
        "poolscope.base.errors": (
            "InsufficientEvidence",
            "InvalidArgument",
            "PoolscopeError",
            "UnknownTable",
            "UnreadableCapture",
        ),
        "poolscope.findings.finding": ("Finding", "Findings"),
        "poolscope.findings.verdict": ("Verdict",),
        "poolscope.library.fleet": ("Fleet", "fleet"),
        "poolscope.library": ("Capture", "Tables", "open"),
        "poolscope.whatif.advice": ("Advice",),
        "poolscope.whatif.calibration": ("Calibration",),
        "poolscope.whatif.explore": ("WhatIf",),
        "poolscope.whatif.prediction": ("Prediction",),
    }

    def __getattr__(name):
        """Imports a public name when it is first used."""
        from importlib import import_module

        for home, names in _HOMES.items():
            if name in names:
                value = getattr(import_module(home), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module 'poolscope' has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
