"""Entry point of the `poolscope` command."""

from __future__ import annotations

import _thread
import errno
import os
import signal
import sys
import threading

import click

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.base.heap import keep_memory
from poolscope.cli.command import poolscope
from poolscope.cli.terminal import print_anywhere, reader_is_gone

CANNOT_PRINT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""The error of a full disk when stdout is a file on it."""

OUT_OF_MEMORY = (
    "the analysis needs more memory than this machine has. Fix: analyse less of the recording (--from, --until), or all of it on a "
    "machine with more memory"
)


def main() -> None:
    """Runs the command; every failure is one line on stderr and a documented exit code."""
    sys.unraisablehook = _interrupt_again
    print_anywhere()
    keep_memory()
    code = run(sys.argv[1:])
    try:
        # Here, because at the interpreter's end a failure would be a traceback and an exit code of its own.
        sys.stdout.flush()
    except OSError as error:
        reader_is_gone()
        if not isinstance(error, BrokenPipeError):
            code = _fail(_cannot_print(error), ExitCode.USAGE)
    except KeyboardInterrupt:
        code = _fail("interrupted", ExitCode.INTERRUPTED)
    # All is said and written. The interpreter takes a tenth of a second to end, in which Ctrl-C would give an exit code that
    # denies it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Returns the exit code of one command line."""
    try:
        code = poolscope.main(args=arguments, prog_name="poolscope", standalone_mode=False)
    except PoolscopeError as error:
        return error.exit_code if error.said else _fail(str(error), error.exit_code)
    except click.exceptions.Abort:
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if isinstance(context, click.Context) else "poolscope"
        return _fail(f"{_usage(error)} (see {command} --help)", ExitCode.USAGE)
    except SystemExit as end:
        # click's own answer to a closed pipe is 1, which says of `check` that a condition holds.
        if isinstance(end.__context__, OSError) and end.__context__.errno == errno.EPIPE:
            return _hung_up()
        raise
    except BrokenPipeError:
        return _hung_up()
    except Exception as error:
        if isinstance(error, OSError) and error.errno in CANNOT_PRINT and error.filename is None:
            return _fail(_cannot_print(error), ExitCode.USAGE)
        if os.environ.get("POOLSCOPE_DEBUG"):
            raise
        if _was_interrupted(error):
            return _fail("interrupted", ExitCode.INTERRUPTED)
        if isinstance(error, MemoryError):
            return _fail(OUT_OF_MEMORY, ExitCode.INTERNAL)
        name = type(error).__name__
        return _fail(f"internal error: {name}: {error} (set POOLSCOPE_DEBUG=1 for the traceback)", ExitCode.INTERNAL)
    # What a verb passed to Context.exit; else what it returned, which is nothing.
    return code if isinstance(code, int) else ExitCode.OK


def _was_interrupted(error: BaseException | None) -> bool:
    """Says whether Ctrl-C is behind an error. Python 3.11 turns an interrupt while a class is made into a RuntimeError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Repeats a Ctrl-C that Python dropped because it came in a callback, as of a weak reference while a module is imported."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        threading.Timer(0.01, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(ignored)


def _hung_up() -> ExitCode:
    """Returns the reader of a pipe went away, as with `| head`: nothing is wrong here."""
    reader_is_gone()
    return ExitCode.OK


def _cannot_print(error: OSError) -> str:
    return f"cannot write to stdout: {error.strerror or error}"


def _usage(error: click.ClickException) -> str:
    """Returns a message of click's in our form: one line, where some are lists with a line for each choice; no capital, no period."""
    if isinstance(error, click.NoSuchOption):
        near = f"; did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return f"there is no option {error.option_name}{near}"
    message = " ".join(error.format_message().split()).removesuffix(".")
    return message[:1].lower() + message[1:]


def _fail(message: str, code: ExitCode) -> int:
    print(f"poolscope: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
