"""Every verb of both commands with --help, with wrong input and with --json, and the result that each must have.

The tests run it in this process (test_matrix.py), with the built command (test_built_matrix.py), from the wheel in an
empty home and from the single file in an empty root (eng/tests: test_installing.py, test_single_file_live.py).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

RECORDERS = ("ps", "doctor", "look", "top", "watch", "collect", "recipe", "decode")
"""The verbs of the single file."""
NO_PROCESS = "2147483647"
NOWHERE = "no/such/capture"


@dataclass(frozen=True)
class Row:
    """A command line without the command's name, and its expected result."""

    words: tuple[str, ...]
    codes: tuple[int, ...]
    says: tuple[str, ...] = ()
    """Parts of the one line on stderr. <command> stands for the command's name."""
    lines_of_json: bool = False

    def judge(self, name: str, code: int, out: str, error: str) -> None:
        """Asserts the result of a command of this name."""
        told = f"{name} {' '.join(self.words)}: exit code {code}\n{out}\n{error}"
        assert code in self.codes, told
        assert "Traceback" not in error and "   at " not in error, told
        if "--help" in self.words:
            assert f"{name} {self.words[0]}" in out and "Examples:" in out and not error, told
        elif self.says:
            assert error.startswith(f"{name}: ") and error.count("\n") == 1 and error.endswith("\n"), told
            missing = [part for part in self.says if part.replace("<command>", name) not in error]
            assert not missing, f"{told}: {missing}"
        else:
            documents = out.splitlines() if self.lines_of_json else [out]
            assert documents and all(isinstance(json.loads(text), (dict, list)) for text in documents), told


def wrong(words: str, code: int, *says: str) -> Row:
    return Row(tuple(words.split()), (code,), says)


def answers(words: str, *codes: int, lines: bool = False) -> Row:
    return Row(tuple(words.split()), codes or (0,), lines_of_json=lines)


def helps(verbs: tuple[str, ...] | list[str]) -> list[Row]:
    return [answers(f"{verb} --help") for verb in verbs]


def options(verbs: tuple[str, ...] | list[str]) -> list[Row]:
    """Returns rows with an unknown option, and with a known option that has one letter too many."""
    rows = [
        wrong(f"{verb} --no-such-option", 2, f"there is no option --no-such-option (see <command> {verb} --help)")
        for verb in verbs
    ]
    return rows + [wrong(f"{verb} --helpp", 2, "there is no option --helpp; did you mean --help?") for verb in verbs]


def readers(verbs: list[str]) -> list[Row]:
    """Returns rows with wrong input for the verbs that read captures; nothing is recorded."""
    sides = {"compare": f"{NOWHERE} -- no/such/other", "export": f"{NOWHERE} --to csv"}
    missing = [
        wrong(f"{verb} {sides.get(verb, NOWHERE)}", 3, f"{NOWHERE}: no such file or folder")
        for verb in verbs
        if verb != "fleet"
    ]
    return missing + [
        wrong(f"fleet {NOWHERE} --workers 1 --no-cache --json", 3, "no capture could be analysed"),
        wrong("report x --late soon", 2, "--late soon: a time with its unit, such as 100ms or 2s"),
        wrong("report x --from soon", 2, "--from soon: a time from the beginning of the recording"),
        wrong("report x --memory lots", 2, "--memory lots: a size with its unit"),
        wrong("attribute x --late 5", 2, "--late 5: a time with its unit"),
        wrong("attribute x --until -5s", 2, "--until -5s: a time from the beginning"),
        wrong("whatif x --target-p99 soon", 2, "--target-p99 soon: a time with its unit"),
        wrong("fleet x --late 5parsec", 2, "--late 5parsec: a time with its unit"),
        wrong("check x --late soon", 2, "--late soon: a time with its unit"),
        wrong("check x --fail-on wait>5", 2, "needs a unit"),
        wrong("check x --fail-on queue>1000", 2, "poolscope watch --when 'queue>1000'"),
        wrong("record", 2, "say what to record: one of -p PID, -n NAME, or -- COMMAND"),
        wrong("record -p x", 2, "-p takes the id of a process, not x"),
        wrong("record -p 1 --duration soon", 2, "--duration soon: a time such as 30s, 5m, 1h30m or 300 (seconds)"),
        wrong("record -- no-such-program", 127, "there is no program no-such-program"),
        wrong("record 4711", 127, "there is no program 4711; did you mean -p 4711?"),
        wrong("reprot x", 2, "there is no verb 'reprot'; did you mean report?"),
    ]


def recorders(through_poolscope: bool) -> list[Row]:
    """Returns rows with wrong input for the collector's verbs, and with answers that need no other process."""
    other = [
        wrong("ps extra", 2, "got unexpected extra argument (extra)"),
        wrong(f"doctor -p {NO_PROCESS}", 3, f"there is no process {NO_PROCESS}; `<command> ps` lists"),
        wrong(f"look -p {NO_PROCESS}", 3, f"there is no process {NO_PROCESS}"),
        wrong("look no/such/core", 3, "no/such/core: there is no such file"),
        wrong("top -n no-such-program", 3, "no .NET process is named no-such-program; `<command> ps` lists"),
        wrong(f"watch -p {NO_PROCESS}", 3, f"there is no process {NO_PROCESS}"),
        wrong("collect -n no-such-program", 3, "no .NET process is named no-such-program"),
        wrong("collect -- no-such-program", 127, "there is no program no-such-program"),
        wrong(
            "collect dotnet app.dll --urls x",
            2,
            "put -- before the command: <command> collect -- dotnet app.dll --urls x",
        ),
        wrong(f"decode {NOWHERE}", 3, f"there is no file or folder {NOWHERE}"),
        wrong("recipe no-such-tool", 2, "no-such-tool", "'dotnet-trace' 'perf' 'perfview'"),
        wrong("top -p 1 --duration soon", 2, "--duration takes a time such as 30s, 5m, 1h30m or 300 (seconds)"),
        wrong("collect -p 1 --duration soon", 2, "--duration takes a time such as 30s, 5m, 1h30m or 300 (seconds)"),
        wrong("recipe perf --duration soon", 2, "--duration takes a time such as"),
        wrong("watch -n a --before soon", 2, "--before takes 1s to 1h with its unit, such as 90s or 5m, not soon"),
        wrong("watch -n a --when wait>soon", 2, "--when: wait is compared with a duration and its unit"),
        wrong("watch -n a --when injection.p99>1s", 2, "poolscope check CAPTURE --fail-on 'injection.p99>1s'"),
        wrong("collect -p 1 --max-size lots", 2, "--max-size takes a size of at least 10MB"),
        wrong("collect -p 1 --snapshots soon", 2, "--snapshots takes 50ms to 1h"),
        wrong("collect -p x", 2, "-p takes the id of a process, not x"),
        answers("ps --json"),
    ]
    if through_poolscope:
        # The collector checks the options that `record` passes on.
        other.append(wrong(f"record -p {NO_PROCESS}", 3, f"there is no process {NO_PROCESS}; `<command> ps` lists"))
        other.append(wrong("record -p 1 --max-size lots", 2, "--max-size takes a size of at least 10MB"))
        return other
    return [
        *other,
        wrong("record -p 1", 2, "here, collect records: <command> collect"),
        wrong("report x", 2, "copy the capture to a machine with poolscope, and run there: poolscope report CAPTURE"),
        wrong("", 2, "say what to do: ps, doctor, look, top, collect, watch, recipe, decode"),
    ]


def of_captures(capture: str, other: str) -> list[Row]:
    """Returns rows with JSON answers of the verbs that read captures."""
    return [
        answers(f"report {capture} -o page.html --json"),
        answers(f"attribute {capture} --json"),
        answers(f"whatif {capture} --min-threads 8 --replications 1 --json"),
        answers(f"compare {other} -- {capture} --json", 0, 4),
        answers(f"check {capture} --fail-on wait>1h --json"),
        answers(f"check {capture} --fail-on wait>1ms --json", 1),
        answers(f"fleet {capture} --workers 1 --no-cache --json"),
        answers(f"export {capture} --to perfetto -o {capture}.pftrace --json"),
        answers(f"verify {capture} --json"),
    ]


def of_process(pid: int) -> list[Row]:
    """Returns rows with JSON answers of the verbs that look at a process."""
    return [
        answers(f"doctor -p {pid} --json", 0, 3),
        answers(f"look -p {pid} --json"),
        answers(f"top -p {pid} --duration 2s --json", lines=True),
    ]
