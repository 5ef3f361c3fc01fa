"""The library behind `import poolscope`: opens a capture from Python. The package itself exports the public names."""

from poolscope.library.capture import Capture, open
from poolscope.library.tables import Tables

__all__ = ["Capture", "Tables", "open"]
