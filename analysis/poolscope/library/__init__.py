"""`import poolscope`: a capture opened from Python. The public names are those of the package itself."""

from poolscope.library.capture import Capture, open
from poolscope.library.tables import Tables

__all__ = ["Capture", "Tables", "open"]
