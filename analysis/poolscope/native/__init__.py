"""The native extension (analysis/native): the replay's loop and the searches.

The wheel for Linux x64 contains it, and so does the source tree after `./build.sh setup` with a C++ compiler. Without
it, Python and NumPy give the same bytes, more slowly.
"""

from __future__ import annotations

try:
    from poolscope.native import extension
except ImportError:  # another platform, or an installation without a compiler
    extension = None  # type: ignore[assignment]

__all__ = ["extension"]
