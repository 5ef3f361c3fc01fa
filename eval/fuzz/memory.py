"""A capture in memory whose single files can be replaced."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np

from poolscope.attribution import Attribution, attribute
from poolscope.base.arrays import AnyArray
from poolscope.capture import DecodedCapture, open_capture
from poolscope.capture.manifest import read_manifest


class MemoryFiles:
    """Files of a capture by their path inside it."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def read(self, name: str) -> bytes | None:
        return self.files.get(name)

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO | None]:
        raw = self.read(name)
        yield None if raw is None else io.BytesIO(raw)


class Original:
    """A sound capture, read once, from which damaged ones are made."""

    def __init__(self, path: Path) -> None:
        self.name = path.name.removesuffix(".zip")
        self.path = path
        self.files = _files(path)
        self.capture = open_capture(path)
        self.tables = sorted(n[7:-4] for n in self.files if n.startswith("tables/"))
        self._arrays: dict[str, dict[str, AnyArray]] = {}
        for table in self.tables:
            self.capture.stored(table)

    @cached_property
    def attribution(self) -> Attribution:
        """The attribution of the sound capture."""
        return attribute(self.capture)

    def arrays(self, table: str) -> dict[str, AnyArray]:
        """Returns the arrays of a table as stored."""
        if table not in self._arrays:
            with np.load(io.BytesIO(self.files[f"tables/{table}.npz"]), allow_pickle=False) as archive:
                self._arrays[table] = {name: archive[name] for name in archive.files}
        return self._arrays[table]

    def with_table(self, table: str, raw: bytes) -> DecodedCapture:
        """Returns the capture with other bytes for one table. Unchanged tables are not read again."""
        manifest = read_manifest(self.files["capture.json"], self.path)
        made = DecodedCapture(self.path, MemoryFiles(self.files | {f"tables/{table}.npz": raw}), manifest)
        made.share(self.capture, without=table)
        return made


def archive_of(arrays: dict[str, AnyArray]) -> bytes:
    """Returns an uncompressed archive of arrays."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, values in arrays.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, values, allow_pickle=False)  # type: ignore[no-untyped-call]
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), entry.getvalue())
    return raw.getvalue()


def _files(path: Path) -> dict[str, bytes]:
    """Returns the files of a folder or a zip that the analysis reads."""
    if path.is_dir():
        names = [path / "capture.json", *path.glob("tables/*.npz"), *path.glob("truth.npz")]
        return {str(name.relative_to(path)): name.read_bytes() for name in names}
    with zipfile.ZipFile(path) as archive:
        return {
            n: archive.read(n)
            for n in archive.namelist()
            if n.startswith("tables/") or n in ("capture.json", "truth.npz")
        }
