"""Makes the bytes of NuGet packages independent of the build time: `dotnet pack` writes the clock into every entry."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path

# The earliest time in the zip format.
EARLIEST = (1980, 1, 1, 0, 0, 0)


def settle(package: Path, epoch: int) -> None:
    """Gives every entry the time `epoch` (s since 1970, in UTC); names, order and contents stay."""
    moment = max(EARLIEST, time.gmtime(epoch)[:6])
    new = package.with_suffix(".partial")
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(new, "w") as out:
        for entry in old.infolist():
            settled = zipfile.ZipInfo(entry.filename, moment)
            settled.external_attr = entry.external_attr
            out.writestr(settled, old.read(entry), compress_type=zipfile.ZIP_DEFLATED)
    new.replace(package)
