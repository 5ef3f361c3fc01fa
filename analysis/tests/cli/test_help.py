"""`--help` of every verb: its purpose, options with units and defaults, examples that parse, exit codes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from poolscope.__main__ import run
from poolscope.base.errors import ExitCode
from poolscope.cli.command import FIRST_STEPS, SECTIONS, SENTENCES as HANDED, VERBS as SENTENCES, poolscope
from poolscope.cli.record import FLAGS, NAMED, OTHERWISE, REPEATED

ANALYSIS = Path(__file__).resolve().parents[2]
VERBS = sorted(SENTENCES)
COMMANDS = {verb: poolscope.get_command(None, verb) for verb in VERBS}
LINE = re.compile(r"^ *(poolscope .*)$", re.MULTILINE)


def help_of(capsys, *verb):
    assert run([*verb, "--help"]) == 0
    return capsys.readouterr().out


def examples(text):
    """Returns the commands under `Examples:`, without a comment after two spaces and without a pipe."""
    lines = LINE.findall(text[text.index("Examples:") :])
    return [re.split(r" \| |\s{2,}", line)[0] for line in lines]


def options(verb):
    return [p for p in COMMANDS[verb].params if isinstance(p, click.Option)]


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_says_all_that_it_must(verb, capsys):
    text = help_of(capsys, verb)
    assert text.startswith(f"Usage: poolscope {verb} ")
    purpose = " ".join(COMMANDS[verb].help.split("\n\n")[0].split())
    assert purpose == SENTENCES[verb], "the list of verbs says the same"
    assert purpose.endswith((".", "?")), "the first line is a sentence that says what the verb is for"
    assert text.index("Options:") < text.index("Examples:") < text.index("Exit codes:")
    for code in (ExitCode.OK, ExitCode.USAGE, ExitCode.UNREADABLE, ExitCode.INSUFFICIENT, ExitCode.INTERNAL):
        assert re.search(rf"\b{code.value}\b", text[text.index("Exit codes:") :])
    assert all(option.help for option in options(verb))


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_of_a_verb_parse(verb, capsys):
    commands = examples(help_of(capsys, verb))
    assert len(commands) >= 2
    for command in commands:
        program, named, *arguments = shlex.split(command)
        assert (program, named) == ("poolscope", verb), command
        with COMMANDS[verb].make_context(f"poolscope {verb}", arguments):
            pass  # an unknown option or a wrong value raises


def test_the_examples_of_the_command_parse(capsys):
    commands = examples(help_of(capsys))
    assert len(commands) >= 4
    for command in commands:
        _, named, *arguments = shlex.split(command)
        if named in HANDED:
            continue  # test_handed_live.py passes these to the collector
        with COMMANDS[named].make_context(named, arguments):
            pass


def test_the_command_alone_shows_what_to_type_first(capsys):
    assert run([]) == ExitCode.OK
    said = capsys.readouterr()
    assert (said.out, said.err) == (FIRST_STEPS, "")
    lines = FIRST_STEPS.splitlines()
    assert len(lines) == 6 and max(map(len, lines)) <= 110
    assert all(re.fullmatch(r"poolscope \S.*?\s{2,}\S.*", line) for line in lines), "a command, and what it does"
    named = []
    for command in examples(f"Examples:\n{FIRST_STEPS.replace('PID', '4711')}"):
        _, verb, *arguments = shlex.split(command)
        named.append(verb)
        if verb in COMMANDS:
            with COMMANDS[verb].make_context(verb, arguments):
                pass
    assert named == ["record", "record", "look", "report", "check", "--help"]


def test_a_verb_does_not_show_what_to_type_first(capsys):
    assert run(["report"]) == ExitCode.USAGE
    assert capsys.readouterr().out == ""


def test_an_example_that_does_not_parse_would_be_found():
    with pytest.raises(click.UsageError):
        COMMANDS["report"].make_context("report", ["x", "--target-p99", "1s"])


@pytest.mark.parametrize("verb", VERBS)
def test_what_takes_a_value_says_what_and_where_it_has_none(verb):
    """Every option with a value names its type or metavar and, except for the output, its default."""
    for option in options(verb):
        if option.is_flag:
            continue
        said = f"{option.help} {'default' if option.show_default else ''}".lower()
        assert (
            "default" in said or option.required or option.multiple or option.name in ("output", "target_p99")
        ), option.name


OF_TWO_FIELDS = {("--scheduler", "fleet")}
"""In `fleet` the option means Dask's scheduler, as Dask's users call it; in all other verbs it means the kernel's."""


def test_the_same_option_is_the_same_in_every_verb():
    seen: dict = {}
    for verb in VERBS:
        for option in options(verb):
            for name in option.opts:
                if (name, verb) in OF_TWO_FIELDS:
                    continue
                known = seen.setdefault(name, (verb, option))[1]
                assert sorted(option.opts) == sorted(known.opts), (name, verb)
                assert option.is_flag == known.is_flag and type(option.type) is type(known.type), (name, verb)
                assert option.metavar == known.metavar or None in (option.metavar, known.metavar), (name, verb)
                assert option.name == known.name, (name, verb)
    assert {"-o", "--output", "--json", "--redact"} <= set(seen)


@pytest.mark.parametrize("verb", ["", "report", "attribute", "whatif", "check", "verify"])
def test_help_needs_nothing_that_computes(verb):
    script = "import sys; from poolscope.__main__ import run; run(sys.argv[1:]); print(*sys.modules)"
    command = [sys.executable, "-c", script, *verb.split(), "--help"]
    loaded = subprocess.run(command, capture_output=True, text=True, cwd=ANALYSIS).stdout.split()
    assert "click" in loaded and not {"numpy", "pandas", "plotly", "jinja2", "rich"} & set(loaded)
    verbs = {name for name in loaded if name.startswith("poolscope.cli.")} & {f"poolscope.cli.{v}" for v in VERBS}
    assert verbs == ({f"poolscope.cli.{verb}"} if verb else set())


@pytest.mark.parametrize("verb", ["look", "ps", "watch"])
def test_a_verb_of_the_collector_starts_it_at_once(verb):
    """The answer takes under a second, so there is no quarter of one to spare for imports of the analysis."""
    taken = "os.execve = lambda *words: print(*sys.modules, flush=True) or os._exit(0)"
    script = f"import os, sys; from poolscope.__main__ import run; {taken}; run(sys.argv[1:])"
    environment = {**os.environ, "POOLSCOPE_COLLECT": sys.executable}
    command = [sys.executable, "-c", script, verb]
    loaded = subprocess.run(command, capture_output=True, text=True, cwd=ANALYSIS, env=environment).stdout.split()
    assert "poolscope.recording.collector" in loaded
    assert not {"numpy", "pandas", "plotly", "jinja2", "rich"} & set(loaded)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_both_names_of_help(option, capsys):
    assert run([option]) == 0
    assert capsys.readouterr().out.startswith("Usage: poolscope ")


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("reprot", "did you mean report?"),
        ("what-if", "did you mean whatif?"),
        ("REPORT", "did you mean report?"),
        ("atribute", "did you mean attribute?"),
        ("zzz", "the verbs are ps, doctor, look, top, record,"),
        ("colect", "did you mean collect?"),
        ("tests", "it is a path: poolscope report tests"),
    ],
)
def test_a_wrong_verb_names_the_nearest(wrong, hint, capsys, monkeypatch):
    monkeypatch.chdir(ANALYSIS)
    assert run([wrong, "x"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert hint in said and f"there is no verb '{wrong}'" in said and said.count("\n") == 1


def collectors_source():
    folder = ANALYSIS.parent / "collector" / "Poolscope.Collect" / "Commands"
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("CommandTree*.cs"))}


def test_every_verb_of_the_collector_is_one_of_this_command_with_the_same_sentence():
    described = {}
    for text in collectors_source().values():
        for name, what in re.findall(r'new Command\("([\w-]+)", "((?:[^"\\]|\\.)*)"', text):
            described[name] = what
    assert set(described) == set(HANDED)
    for name, what in described.items():
        assert what == HANDED[name] or what.startswith(HANDED[name] + " "), name


def test_the_sections_of_the_help_have_every_verb_once():
    named = [name for names in SECTIONS.values() for name in names]
    assert sorted(named) == sorted({*SENTENCES, *HANDED}) and len(set(named)) == len(named)


def test_record_has_every_option_of_collect():
    """Functions make the options that several verbs share; -p, -n and -o have short names as well."""
    text = "".join(collectors_source().values())
    collect = text[text.index('new Command("collect"') :]
    variables = collect[collect.index("{") + 1 : collect.index("}")].replace(" ", "").strip().rstrip(",").split(",")
    assert len(variables) > 15 and variables[-1] == "child"
    named = {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "-", {"pid": "processId", "buffer": "buffersize", "labels": "label"}.get(v, v))
        for v in variables[:-1]
    }
    assert {f"--{name.lower()}" for name in named} == {*NAMED, *REPEATED, *FLAGS, *OTHERWISE}
    for name in (*NAMED, *REPEATED, *FLAGS):
        assert f'"{name}"' in text


def test_the_help_of_the_command_is_in_the_order_of_a_ticket(capsys):
    text = help_of(capsys)
    at = [text.index(f"\n{heading}:\n") for heading in SECTIONS]
    assert at == sorted(at)
    for heading, names in SECTIONS.items():
        section = text[text.index(f"\n{heading}:\n") :]
        lines = [re.search(rf"^  {name}\s", section, re.MULTILINE) for name in names]
        assert all(lines) and [m.start() for m in lines] == sorted(m.start() for m in lines)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["report"], "missing argument 'CAPTURE' (see poolscope report --help)"),
        (["report", "a", "b"], "got unexpected extra argument (b) (see poolscope report --help)"),
        (
            ["whatif", "x", "--cores", "y"],
            "invalid value for '--cores': 'y' is not a valid float (see poolscope whatif",
        ),
    ],
    ids=["nothing", "too much", "no number"],
)
def test_what_click_says_is_in_our_form(arguments, said, capsys):
    assert run(arguments) == ExitCode.USAGE
    assert f"poolscope: {said}" in capsys.readouterr().err


@pytest.mark.parametrize("arguments, name", [(["-x"], "-x"), (["--zzzz"], "--zzzz"), (["report", "-q"], "-q")])
def test_an_option_that_is_like_no_other_is_named_alone(arguments, name, capsys):
    assert run(arguments) == ExitCode.USAGE
    assert f"poolscope: there is no option {name} (see poolscope" in capsys.readouterr().err


def test_a_wrong_option_names_the_nearest_and_the_verbs_own_help(capsys):
    assert run(["report", "x", "--outptu", "y"]) == ExitCode.USAGE
    assert (
        capsys.readouterr().err
        == "poolscope: there is no option --outptu; did you mean --output? (see poolscope report --help)\n"
    )


MODULE = [sys.executable, "-m", "poolscope"]
SCRIPT = [
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = '/usr/bin/poolscope'; from poolscope.__main__ import main; main()",
]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["whatif", "--help"],
        [],
        ["nonsense"],
        ["report"],
        ["report", "no/such"],
        ["check", "x", "--fail-on", "y"],
    ],
    ids=" ".join,
)
def test_the_module_is_the_command(arguments):
    """`python -m poolscope` and the console script (which calls main) print the same and end with the same code."""
    one, two = (subprocess.run([*start, *arguments], capture_output=True, cwd=ANALYSIS) for start in (MODULE, SCRIPT))
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    if arguments[-1:] == ["--help"]:
        assert one.stdout.startswith(b"Usage: poolscope ")


def test_the_console_script_calls_main():
    import tomllib

    settings = tomllib.loads((ANALYSIS / "pyproject.toml").read_text())
    assert settings["project"]["scripts"] == {"poolscope": "poolscope.__main__:main"}
