"""The command and its verbs."""

from __future__ import annotations

import click

from poolscope.cli.group import VerbGroup
from poolscope.version import __version__

VERBS = {
    "record": "Records a process, judges it, and writes the page: one step from a slow service to the ticket.",
    "report": "Writes one self-contained HTML file that says why items started late.",
    "attribute": "Splits the wait of every work item by cause and prints the verdict.",
    "whatif": "Simulates the captured work under other settings: what would the waits have been?",
    "compare": "Says what became longer or shorter from side A to side B, and whether that is more than noise.",
    "fleet": "Says which service, version, host, hour, route or code has delay that the others do not, over many captures.",
    "check": "Exits with 1 if a capture meets a condition that you name.",
    "export": "Writes a capture in a format that other tools open.",
    "verify": "Compares a capture of a bundled workload with the workload's own clock readings.",
}
"""Each verb with the first sentence of its help. `poolscope.cli.NAME` is loaded when the verb is asked for; the collector
has the others (handed.py)."""
SECTIONS = {
    "See what runs": ("ps", "doctor", "look", "top"),
    "Record": ("record", "watch", "collect", "recipe", "decode"),
    "Explain a capture": ("report", "attribute", "whatif"),
    "Compare captures": ("compare", "fleet", "check"),
    "Pass on": ("export", "verify"),
}
"""All verbs in the order of a ticket."""

FIRST_STEPS = """\
poolscope record -p PID --duration 30s --open     record a slow process, find the cause, show the page
poolscope record -- dotnet app.dll                start a program and record it from its first instruction
poolscope look -p PID                             see in a second what the pool does now, without recording
poolscope report CAPTURE                          write the page of a capture, for the ticket
poolscope check CAPTURE --fail-on 'incidents>0'   CI gate: exit with 1 if items started late enough to matter
poolscope --help                                  list all verbs
"""
"""What `poolscope` alone prints: what to type first. In lines of at most 110 characters, as wide as help."""


@click.group(
    cls=VerbGroup,
    verbs=VERBS,
    sections=SECTIONS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 ok, 1 (check only) a condition holds, 2 usage, 3 unreadable input, 4 not enough evidence, 5 internal error; `record -- COMMAND` passes on the command's own (docs/exit-codes.md).",
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def poolscope(context: click.Context) -> None:
    """Says why thread-pool work items of a .NET process started late.

    `record` does everything at once: it records, finds the cause, and writes the page. The other verbs are its steps, in the order of a ticket.

    \b
    Examples:
      poolscope record -p 4711 --duration 30s --open       record, judge, show the page
      poolscope look -p 4711                               one glance, without recording; also at a core dump
      poolscope watch -n app --when 'wait>5s'              wait for the incident, then keep a capture of it
      poolscope report traces/app-20260102-030405          one HTML file for the ticket
      poolscope attribute traces/app-20260102-030405       the same as text
      poolscope whatif traces/app-20260102-030405          other settings, simulated
      poolscope compare before-* -- after-*                longer, shorter, or noise
      poolscope fleet captures/                            many captures: which host, version, route
      poolscope check CAPTURE --fail-on 'wait.p99>100ms'   a gate: exit code 1 if so
      poolscope export CAPTURE --to perfetto               for ui.perfetto.dev; also speedscope, csv, ...
      poolscope attribute CAPTURE --json | jq .verdict     for scripts
    """
    if context.invoked_subcommand is None:
        click.echo(FIRST_STEPS, nl=False)
