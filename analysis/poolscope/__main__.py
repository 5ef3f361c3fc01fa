"""Entry point of the `poolscope` command."""

from __future__ import annotations

import _thread
import errno
import os
import signal
import sys
import time

import click

from poolscope.base.errors import ExitCode, PoolscopeError
from poolscope.base.heap import keep_memory
from poolscope.cli.command import poolscope
from poolscope.cli.terminal import print_anywhere, reader_is_gone

CANNOT_PRINT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of writing to stdout when it is a file on a full disk."""

OUT_OF_MEMORY = (
    "the analysis needs more memory than this machine has. Fix: analyse less of the recording (--from, --until), or all of it on a "
    "machine with more memory"
)


def main() -> None:
    """Runs the command. Every failure is one line on stderr and a documented exit code."""
    sys.unraisablehook = _interrupt_again
    print_anywhere()
    keep_memory()
    code = run(sys.argv[1:])
    try:
        # Flush here: a failure at the interpreter's exit would print a traceback and set another exit code.
        sys.stdout.flush()
    except OSError as error:
        reader_is_gone()
        if not isinstance(error, BrokenPipeError):
            code = _fail(_cannot_print(error), ExitCode.USAGE)
    except KeyboardInterrupt:
        code = _fail("interrupted", ExitCode.INTERRUPTED)
    # All output is written. The interpreter takes a tenth of a second to exit; Ctrl-C in that time would change the
    # exit code.
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
        # click exits with 1 when the pipe is closed, but exit code 1 of `check` means that a condition holds.
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
    # The exit code that a verb passed to Context.exit, or the verb's return value, which is None.
    return code if isinstance(code, int) else ExitCode.OK


def _was_interrupted(error: BaseException | None) -> bool:
    """Reports whether Ctrl-C caused an error. Python 3.11 turns an interrupt during the creation of a class into a
    RuntimeError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """Repeats a Ctrl-C that Python dropped because it arrived in a callback, such as that of a weak reference during an
    import."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        # Not threading.Timer: its start waits for the thread, and the interrupt would arrive in this hook.
        _thread.start_new_thread(_interrupt_soon, ())
    else:
        sys.__unraisablehook__(ignored)


def _interrupt_soon() -> None:
    time.sleep(0.1)
    _thread.interrupt_main()


def _hung_up() -> ExitCode:
    """Returns the exit code for a pipe whose reader has gone, as with `| head`. This is not a failure."""
    reader_is_gone()
    return ExitCode.OK


def _cannot_print(error: OSError) -> str:
    return f"cannot write to stdout: {error.strerror or error}"


def _usage(error: click.ClickException) -> str:
    """Returns a message of click in Poolscope's form: one line, no capital, no period. Some of click's messages list
    each choice on a line of its own."""
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
