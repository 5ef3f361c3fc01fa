"""New tables, after a change of the decoder or of traces/schema.json, for the golden captures and for the capture of a
web service that the fuzzer damages. New answers after a change of the analysis."""

from __future__ import annotations

import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import repo

FOLDERS = (repo.ROOT / "traces" / "golden", repo.ROOT / "traces" / "fuzz")
TABLES = "tables/"
ANSWERS = repo.ROOT / "analysis" / "tests" / "golden" / "answers.py"


def refresh() -> Iterator[str]:
    """Decodes the raw streams of every such capture again and replaces its tables; yields the archives' names.

    All other entries of an archive stay as they are, byte for byte: they were recorded once and cannot be recorded
    again.
    """
    for archive in (archive for folder in FOLDERS for archive in sorted(folder.glob("*.zip"))):
        with tempfile.TemporaryDirectory() as folder:
            _decode(archive, Path(folder))
            _replace_tables(archive, Path(folder) / TABLES)
        yield archive.name


def accept() -> list[str]:
    """Writes the current answers of the analysis to traces/answers; returns the names of the files that changed."""
    command = [repo.venv_python(), ANSWERS]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def _decode(archive: Path, folder: Path) -> None:
    collect = repo.ROOT / "artifacts" / "bin" / "Poolscope.Collect" / "release" / "poolscope-collect"
    with zipfile.ZipFile(archive) as raw:
        raw.extractall(folder, [name for name in raw.namelist() if not name.startswith(TABLES)])
    subprocess.run([collect, "decode", folder], check=True, capture_output=True)


def _replace_tables(archive: Path, tables: Path) -> None:
    new = archive.with_suffix(".tmp")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in old.infolist():
            if not entry.filename.startswith(TABLES):
                out.writestr(entry, old.read(entry), compress_type=entry.compress_type)
        for table in sorted(tables.iterdir()):
            out.write(table, TABLES + table.name)
    new.replace(archive)
