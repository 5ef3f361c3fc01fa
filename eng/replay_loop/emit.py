"""Writes the replay loop as an object file for any x86-64 Linux: `python emit.py FILE` with poolscope and numba at hand.

Prints the name of its function. Nothing of numba or Python is needed to run it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Read when numba is imported: for every CPU of the kind, not for this one.
os.environ["NUMBA_CPU_NAME"] = "x86-64"
os.environ["NUMBA_CPU_FEATURES"] = ""
TRIPLE = "x86_64-unknown-linux-gnu"


def emit(target: Path) -> str:
    """Returns the function's name in the object file. RuntimeError if the code would need anything but libm and libc."""
    import llvmlite.binding as llvm
    import numba
    from poolscope.replay.compiled import SIGNATURE, register_functions
    from poolscope.replay.loop.events import run

    register_functions()
    # No reference is counted in it, and Python never calls it: so it needs neither numba's runtime nor Python's.
    options = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled = numba.njit(SIGNATURE, nogil=True, **options)(run)
    (result,) = compiled.overloads.values()
    name = str(result.fndesc.llvm_func_name)
    module = llvm.parse_assembly(result.library.get_llvm_str())
    if asked := [function.name for function in module.functions if function.is_declaration and _foreign(function.name)]:
        raise RuntimeError(f"the loop's code would need {', '.join(asked)}")
    for function in module.functions:
        if not function.is_declaration:
            function.visibility = "hidden"
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="x86-64", opt=3, reloc="pic", codemodel="default"
    )
    target.write_bytes(machine.emit_object(module))
    return name


def _foreign(name: str) -> bool:
    return name.startswith(("Py", "_Py", "NRT_", "numba_"))


if __name__ == "__main__":
    print(emit(Path(sys.argv[1])))
