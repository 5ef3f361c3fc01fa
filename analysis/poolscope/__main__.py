"""Entry point of the `poolscope` command."""

from __future__ import annotations

import os
import sys

import click

from poolscope.cli.command import poolscope
from poolscope.errors import ExitCode, PoolscopeError


def main() -> None:
    """Runs the command; every failure is one line on stderr and a documented exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code of one command line."""
    try:
        code = poolscope.main(args=arguments, prog_name="poolscope", standalone_mode=False)
    except PoolscopeError as error:
        return _fail(str(error), error.exit_code)
    except click.exceptions.Abort:
        return _fail("interrupted", ExitCode.INTERNAL)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if isinstance(context, click.Context) else "poolscope"
        # Some of click's messages are lists, a line for each choice.
        message = " ".join(error.format_message().split())
        return _fail(f"{message} (see {command} --help)", ExitCode.USAGE)
    except BrokenPipeError:
        # The reader of a pipe went away, as with `| head`: nothing is wrong here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except Exception as error:
        if os.environ.get("POOLSCOPE_DEBUG"):
            raise
        name = type(error).__name__
        return _fail(f"internal error: {name}: {error} (set POOLSCOPE_DEBUG=1 for the traceback)", ExitCode.INTERNAL)
    # What a verb passed to Context.exit; else what it returned, which is nothing.
    return code if isinstance(code, int) else ExitCode.OK


def _fail(message: str, code: ExitCode) -> int:
    print(f"poolscope: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
