"""The build engine of Poolscope, started by build.sh and build.ps1 with the same arguments.

Standard library only. This file stays readable for old Pythons, so that one of them can say which version is needed.
"""

import sys

OLDEST_PYTHON = (3, 11)


def main(arguments):
    # type: (list[str]) -> int
    if sys.version_info[:2] < OLDEST_PYTHON:
        found, wanted = (".".join(map(str, v)) for v in (sys.version_info[:2], OLDEST_PYTHON))
        what = "build: this is Python %s: install Python %s or newer and put it on PATH"
        print(what % (found, wanted), file=sys.stderr)
        return 1
    import verbs

    return verbs.run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
