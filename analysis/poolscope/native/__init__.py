"""The native extension (analysis/native): the replay's loop and the searches. It is in the wheel for Linux x64, and in the source
tree after `./build.sh setup` with a C++ compiler. Without it Python and NumPy give the same bytes, later."""

from __future__ import annotations

try:
    from poolscope.native import extension
except ImportError:  # another platform, an installation without a compiler
    extension = None  # type: ignore[assignment]

__all__ = ["extension"]
