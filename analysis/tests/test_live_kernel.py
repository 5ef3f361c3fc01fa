"""Whether the live tests may use the kernel's events is read from the machine."""

import pytest
from live import kernel


def machine(folder, capabilities, event="sched/sched_switch"):
    (folder / event).mkdir(parents=True)
    (folder / event / "id").write_text("300\n")
    (folder / "status").write_text(f"Name:\tpython\nCapEff:\t{capabilities:016x}\n")
    return {"tracefs": folder, "status": folder / "status"}


@pytest.mark.parametrize("capabilities, may", [(0, False), (1 << 38, True), (1 << 21, True), (1 << 20, False)])
def test_the_kernel_gives_events_to_whom_it_trusts(tmp_path, capabilities, may):
    assert kernel.may_trace("sched/sched_switch", **machine(tmp_path, capabilities)) is may


def test_a_kernel_without_the_event_gives_none(tmp_path):
    assert not kernel.may_trace("sock/sock_send_length", **machine(tmp_path, 1 << 38))
