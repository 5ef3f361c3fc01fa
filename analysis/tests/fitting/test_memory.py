"""Free memory: the smallest amount left by the machine, the control groups and the limit of the address space."""

import resource

import pytest
from poolscope.capture.fitting import SHARE, free_bytes

GB = 10**9


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Makes a machine with 8 GB free whose process is in the group /outer/inner; returns its folders and a function
    that writes a file."""
    proc, groups = tmp_path / "proc", tmp_path / "cgroup"

    def put(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    put("proc/meminfo", f"MemTotal: 1 kB\nMemAvailable:   {8 * GB // 1024} kB\n")
    put("proc/self/cgroup", "0::/outer/inner\n")
    put("proc/self/statm", "1000 1 1 1 0 1 0\n")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return proc, groups, put


def test_a_machine_without_limits(machine):
    proc, groups, _ = machine
    assert free_bytes(proc, groups) == pytest.approx(SHARE * 8 * GB, rel=1e-6)


@pytest.mark.parametrize("group", ["outer/inner", "outer", ""])
def test_the_limit_of_any_group_above(machine, group):
    proc, groups, put = machine
    put(f"cgroup/{group}/memory.max", f"{3 * GB}\n")
    put(f"cgroup/{group}/memory.current", f"{2 * GB}\n")
    put(f"cgroup/{group}/memory.stat", f"anon 5\ninactive_file {GB}\n")
    assert free_bytes(proc, groups) == int(SHARE * 2 * GB)  # the kernel can reclaim pages of files


def test_a_group_without_a_limit_and_one_that_is_full(machine):
    proc, groups, put = machine
    put("cgroup/outer/inner/memory.max", "max\n")
    put("cgroup/outer/inner/memory.current", "5\n")
    assert free_bytes(proc, groups) == pytest.approx(SHARE * 8 * GB, rel=1e-6)
    put("cgroup/outer/memory.max", f"{GB}\n")
    put("cgroup/outer/memory.current", f"{2 * GB}\n")
    assert free_bytes(proc, groups) == 0


def test_groups_of_version_1(machine):
    proc, groups, put = machine
    put("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/x\n0::/\n")
    put("cgroup/memory/x/memory.limit_in_bytes", f"{2 * GB}\n")
    put("cgroup/memory/x/memory.usage_in_bytes", f"{GB}\n")
    put("cgroup/memory/x/memory.stat", "total_inactive_file 0\n")
    assert free_bytes(proc, groups) == int(SHARE * GB)


def test_a_limit_of_address_space(machine, monkeypatch):
    proc, groups, _ = machine
    used = 1000 * resource.getpagesize()
    monkeypatch.setattr(resource, "getrlimit", lambda which: (GB + used, GB + used))
    assert free_bytes(proc, groups) == int(SHARE * GB)


def test_where_nothing_tells(tmp_path, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert free_bytes(tmp_path / "none", tmp_path / "none") is None
    monkeypatch.setattr("sys.platform", "win32")
    assert free_bytes() is None
