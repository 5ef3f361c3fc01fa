"""An .etl file of a Windows machine that is short of cores, read on this machine, decoded and explained."""

import os
import struct
import subprocess
from pathlib import Path

import pytest
from poolscope.__main__ import run
from poolscope.capture import open_capture
from poolscope.product import analyse
from windows.written_etl import CLR, FRAMEWORK, READY_STATE, WAITING, EtlFile

COLLECT = (
    Path(__file__).resolve().parents[3] / "artifacts" / "bin" / "Poolscope.Collect" / "release" / "poolscope-collect"
)
MS = 10_000
APP, RIVAL = 100, 200
MAIN, WORKERS, RIVALS = 104, (108, 112), (204, 208)
ROUNDS = 60
ROUND = 120 * MS
SHORT_OF_CORES = 80 * MS


def contended(owner: int, pointer: int = 8, mode: int = 1) -> EtlFile:
    """Returns a file in which every 120 ms two items are queued and two workers woken; a thread of `owner` on each core
    lets them run 80 ms later."""
    file = EtlFile(pointer, mode)
    file.process(APP, "shop.exe", "shop.exe --urls http://*")
    file.process(RIVAL, "scanner.exe", "scanner.exe")
    for pid, tid, name in (
        (APP, MAIN, "main"),
        *((APP, worker, ".NET TP Worker") for worker in WORKERS),
        *((owner, rival, "scan") for rival in RIVALS),
    ):
        file.thread(pid, tid, name)
    file.manifest(FRAMEWORK, 65534, 10, 0, APP, MAIN, bytes(16))
    file.manifest(CLR, 59, 20, 0, APP, MAIN, struct.pack("<5H", 2, 32767, 1, 1000, 1))
    for cpu, rival in enumerate(RIVALS):
        file.switch(30, cpu, 0, WAITING, rival)
    for number in range(ROUNDS):
        one_round(file, MS + number * ROUND, number)
    return file


def one_round(file: EtlFile, start: int, number: int) -> None:
    file.switch(start, 0, RIVALS[0], READY_STATE, MAIN)
    for nth, worker in enumerate(WORKERS):
        file.manifest(FRAMEWORK, 30, start + 10 + nth * 20, 0, APP, MAIN, struct.pack("<q", 2 * number + nth + 1))
        file.ready(start + 15 + nth * 20, 0, MAIN, APP, worker)
    file.switch(start + 100, 0, MAIN, WAITING, RIVALS[0])
    for cpu, (worker, rival) in enumerate(zip(WORKERS, RIVALS)):
        at = start + SHORT_OF_CORES + cpu * 10
        file.switch(at, cpu, rival, READY_STATE, worker)
        if number == 0:
            file.manifest(CLR, 50, at + 5, cpu, APP, worker, struct.pack("<IIH", 2, 0, 1))
        file.manifest(FRAMEWORK, 31, at + 10, cpu, APP, worker, struct.pack("<q", 2 * number + cpu + 1))
        file.manifest(CLR, 57, at + 5 * MS, cpu, APP, worker, struct.pack("<IIH", 2, 0, 1))
        file.switch(at + 5 * MS + 10, cpu, worker, WAITING, rival)


@pytest.mark.parametrize(("owner", "verdict"), [(APP, "core-contention"), (RIVAL, "noisy-neighbour")])
def test_an_etl_file_of_a_machine_short_of_cores_says_so(owner, verdict, tmp_path):
    trace = tmp_path / "shop.etl"
    trace.write_bytes(contended(owner).content())
    done = subprocess.run([str(COLLECT), "decode", str(trace)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"Decoded shop ({APP}), the process with the most work items." in done.stderr
    content = analyse(open_capture(tmp_path / "shop.poolscope")).to_json()
    assert (content["verdict"]["id"], content["coverage"]["tier"]) == (verdict, "etw")
    assert content["items"]["count"] == content["coverage"]["joined"] == 2 * ROUNDS
    assert content["attribution"]["residual_ns"] == 0
    assert content["attribution"]["wait_share"]["core"] > 0.95
    assert ("scanner" in str(content["findings"])) == (owner == RIVAL), "the competitor has its name"


def test_the_report_of_one_is_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "POOLSCOPE_COLLECT", str(COLLECT))
    Path("shop.etl").write_bytes(contended(APP).content())
    assert run(["report", "shop.etl"]) == 0
    said = capsys.readouterr()
    assert "verdict: core-contention" in said.out and "Next:" not in said.err
    assert "core-contention" in Path("shop.html").read_text("utf-8")


def started_at_once(name: str) -> EtlFile:
    """Returns twenty items of one process that start within a millisecond, without context switches."""
    file = EtlFile()
    file.process(APP, name, name)
    for number in range(20):
        at = number * 10 * MS
        file.manifest(FRAMEWORK, 30, at, 0, APP, MAIN, struct.pack("<q", number + 1))
        file.manifest(FRAMEWORK, 31, at + MS, 1, APP, WORKERS[0], struct.pack("<q", number + 1))
        file.manifest(CLR, 57, at + 2 * MS, 1, APP, WORKERS[0], struct.pack("<IIH", 2, 0, 1))
    return file


def test_without_context_switches_the_advice_is_the_line_for_perfview(tmp_path):
    (tmp_path / "shop.etl").write_bytes(started_at_once("shop.exe").content())
    assert subprocess.run([str(COLLECT), "decode", str(tmp_path / "shop.etl")], capture_output=True).returncode == 0
    content = analyse(open_capture(tmp_path / "shop.poolscope")).to_json()
    advice = next(finding["advice"] for finding in content["findings"] if finding["id"] == "coverage-low")
    assert any("recipe perfview" in line for line in advice) and "tracefs" not in str(advice)
    assert any("Start PerfView before the program" in line for line in advice) and "poolscope record" not in str(advice)


def test_the_recorder_itself_gets_no_verdict_unless_it_was_asked_for(tmp_path):
    (tmp_path / "tp.etl").write_bytes(started_at_once("PerfView.exe").content())
    verdicts = []
    wishes: list[list[str]] = [[], ["-p", str(APP)]]
    for wish in wishes:
        command = [str(COLLECT), "decode", str(tmp_path / "tp.etl"), *wish]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert ("which recorded the trace: no other process has work items" in done.stderr) == (not wish)
        verdicts.append(analyse(open_capture(tmp_path / "tp.poolscope")).verdict)
    assert [verdict.id for verdict in verdicts] == ["cannot-tell", "healthy"]
    assert any("which recorded it: no other queued any" in reason for reason in verdicts[0].reasons)


def test_without_work_items_the_line_for_perfview_is_named_with_the_file(tmp_path):
    file = EtlFile()
    file.process(APP, "shop.exe", "shop.exe")
    file.switch(30, 0, 0, WAITING, MAIN)
    (tmp_path / "shop.etl").write_bytes(file.content())
    done = subprocess.run([str(COLLECT), "decode", str(tmp_path / "shop.etl")], capture_output=True, text=True)
    assert done.returncode == 3 and done.stderr.count("\n") == 1
    assert f"{tmp_path / 'shop.etl'}: no process with thread-pool work items" in done.stderr
    assert done.stderr.rstrip().endswith("recipe perfview")
