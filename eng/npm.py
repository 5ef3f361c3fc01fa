"""Single files and whole packages from npm, pinned by their integrity value and never committed."""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import repo


@dataclass(frozen=True)
class Package:
    """`integrity` is the registry's own value of this version (`npm view NAME@VERSION dist.integrity`)."""

    name: str
    version: str
    integrity: str


RETRY_SECONDS = 24 * 3600
"""After a registry that did not answer, setup asks again no sooner than this."""


class Silence:
    """Remembers that the registry had nothing to give for this purpose."""

    def __init__(self, purpose: str) -> None:
        self._stamp = repo.CACHE / "stamps" / f"{purpose}-unanswered"

    def lasts(self) -> bool:
        return self._stamp.is_file() and time.time() - self._stamp.stat().st_mtime < RETRY_SECONDS

    def begin(self) -> None:
        self._stamp.parent.mkdir(parents=True, exist_ok=True)
        self._stamp.touch()

    def end(self) -> None:
        self._stamp.unlink(missing_ok=True)


def fetch(package: Package) -> bytes | None:
    """The package as npm serves it; None where there is no npm or its registry does not answer."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        options = ["--ignore-scripts", "--silent", "--fetch-retries=0", "--fetch-timeout=20000"]
        command = [npm, "pack", f"{package.name}@{package.version}", *options]
        try:
            subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
        files = list(Path(folder).glob("*.tgz"))
        return files[0].read_bytes() if files else None


def check(packed: bytes, package: Package) -> None:
    """BuildError unless this is the pinned package: what runs or is embedded must be what was reviewed."""
    found = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    if found != package.integrity:
        raise repo.BuildError(
            f"{package.name} {package.version} is not the pinned file: expected {package.integrity}, got {found}"
        )


def files(packed: bytes) -> Iterator[tuple[str, bytes]]:
    """Every file of a package with its path inside it; links and paths that lead out of it are left out."""
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isreg() else None
            path = Path(member.name)
            if content is not None and not path.is_absolute() and ".." not in path.parts:
                yield Path(*path.parts[1:]).as_posix(), content.read()


def unpack(packed: bytes, package: Package, modules: Path) -> None:
    """Checks a package as npm packed it and puts it where Node finds it: in a folder of its name below `modules`."""
    check(packed, package)
    place = modules / package.name
    # Inside the folder of the scope, where the name has one (`@scope/name`).
    partial = place.with_name(f".{place.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name, content in files(packed):
        file = partial / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    shutil.rmtree(place, ignore_errors=True)
    partial.rename(place)


def install(packages: list[Package], modules: Path, silence: Silence) -> Package | None:
    """Puts these packages below `modules`. Returns the first that the registry has not to give, and remembers that."""
    for package in packages:
        packed = fetch(package)
        if packed is None:
            silence.begin()
            return package
        unpack(packed, package, modules)
    silence.end()
    return None
