"""The shell's umask lets all users read, or write."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ..outcome import Outcome
from ..processes import collector, target


def run(count: int) -> list[Outcome]:
    return [_row(mask, made) for mask in (0o022, 0o000) for made in (False, True)]


def _row(mask: int, made: bool) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        place = Path(folder) / "capture"
        if made:
            place.mkdir(mode=0o755)
        said = Path(folder) / "said"
        program = ["sh", "-c", f'umask > {said}; exec "$@"', "sh", *target("beat", 3_000)]
        tool = collector("collect", "-o", place, "--", *program, preexec_fn=lambda: os.umask(mask) and None)
        code = tool.finish(60)
        files = [path for path in place.rglob("*") if path.is_file()]
        folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
        modes = {stat.S_IMODE(path.stat().st_mode) for path in files}
        of_folders = {stat.S_IMODE(path.stat().st_mode) for path in folders}
        own = int(said.read_text(), 8) if said.exists() else -1
        return Outcome(
            f"umask {mask:03o}, capture's folder {'there before with mode 755' if made else 'new'}",
            "files 0600, folders 0700; the launched program has the shell's own umask",
            f"{len(files)} files: {', '.join(sorted(f'{m:04o}' for m in modes))}; {len(folders)} folders: "
            f"{', '.join(sorted(f'{m:04o}' for m in of_folders))}; program's umask {own:03o}, exit code {code}",
            modes == {0o600} and of_folders == {0o700} and own == mask and code == 0,
        )
