"""Third-party readers and formats for tests of the exports: speedscope and the schemas of CycloneDX (npm), and xmllint
(Debian). None is committed.

None is needed to build or use Poolscope. `missing()` names missing parts. Tests that need them are skipped with that
text, but fail if CI declares a machine that must have all parts.
"""

from __future__ import annotations

import shutil
import time

import debian
import npm
import repo
import steps

PURPOSE = "export-readers"
SPEEDSCOPE = npm.locked(PURPOSE)["speedscope"]
CYCLONEDX = npm.locked(PURPOSE)["@cyclonedx/cyclonedx-library"]

FOLDER = repo.CACHE / "export-readers"
MODULES = FOLDER / "node_modules"
PAGE = MODULES / SPEEDSCOPE.name / "dist" / "release" / "index.html"
SCHEMA = PAGE.with_name("file-format-schema.json")
CYCLONEDX_SCHEMAS = MODULES / CYCLONEDX.name / "res" / "schema"
XMLLINT_PACKAGE = "libxml2-utils"


def missing() -> list[str]:
    """Returns the parts that the tests need and this machine lacks, each in a few words."""
    lacks = [] if SCHEMA.is_file() and PAGE.is_file() else [f"npm package {SPEEDSCOPE.name}"]
    return lacks + ([] if shutil.which("xmllint") else ["xmllint"])


def missing_cyclonedx() -> list[str]:
    """Returns the same for the test of the bill of materials."""
    return [] if CYCLONEDX_SCHEMAS.is_dir() else [f"npm package {CYCLONEDX.name}"]


def _install_xmllint() -> None:
    if shutil.which("xmllint") or not debian.available():
        return
    try:
        if not debian.install_these([XMLLINT_PACKAGE]):
            steps.say("export tests: those with xmllint are skipped (apt needs root)")
    except repo.BuildError as error:
        steps.say(f"export tests: those with xmllint are skipped: {error}")


def set_up() -> bool:
    """Installs the npm packages in .cache/export-readers, and xmllint, unless they are there.

    Returns whether it tried. A failure does not end the build.
    """
    if npm.Silence(PURPOSE).lasts():
        return False

    def work() -> None:
        start = time.monotonic()
        _install_xmllint()
        if not npm.install(PURPOSE, MODULES):
            steps.say(f"export tests: npm has no {SPEEDSCOPE.name} to give; those that need it are skipped")
            return
        steps.say(f"export tests: ready ({time.monotonic() - start:.1f} s)")

    key = steps.digest([npm.lock_file(PURPOSE)])
    return steps.once("export-readers", key, [SCHEMA, PAGE, CYCLONEDX_SCHEMAS], work)
