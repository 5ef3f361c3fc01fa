"""The `fuzz` verb: decodes damaged files of every format, for any length of time."""

from __future__ import annotations

import guided_fuzzing
import repo
import steps

FUZZ = repo.ROOT / "artifacts" / "bin" / "Poolscope.Fuzz" / "release" / "Poolscope.Fuzz.dll"


def run(arguments: list[str]) -> int:
    """Passes the arguments to the fuzzer and returns its exit code: 1 if any input got a wrong answer."""
    if "--guided" in arguments:
        return guided_fuzzing.run([word for word in arguments if word != "--guided"])
    return steps.call(["dotnet", FUZZ, "--golden", repo.ROOT / "traces" / "golden", *arguments])
