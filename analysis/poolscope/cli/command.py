"""The command and its verbs."""

from __future__ import annotations

import click

from poolscope import __version__
from poolscope.cli.attribute import attribute
from poolscope.cli.check import check
from poolscope.cli.compare import compare
from poolscope.cli.export import export
from poolscope.cli.report import report
from poolscope.cli.verify import verify
from poolscope.cli.whatif import whatif


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 ok, 1 (check only) a condition holds, 2 usage, 3 unreadable input, 4 evidence insufficient, 5 internal error.",
)
@click.version_option(__version__, message="%(version)s")
def poolscope() -> None:
    """Says why thread-pool work items of a .NET process started late.

    Captures come from `poolscope-collect collect`.

    \b
    Examples:
      poolscope report traces/app-20260102-030405          one HTML file for the ticket
      poolscope attribute traces/app-20260102-030405       the same as text
      poolscope whatif traces/app-20260102-030405          other settings, simulated
      poolscope compare before-* -- after-*                  longer, shorter, or noise
      poolscope check CAPTURE --fail-on 'wait.p99>100ms'     a gate: exit code 1 if so
      poolscope export CAPTURE --to perfetto               for ui.perfetto.dev; also speedscope, csv, ...
      poolscope attribute CAPTURE --json | jq .verdict     for scripts
    """


for _verb in (report, attribute, whatif, compare, check, export, verify):
    poolscope.add_command(_verb)
