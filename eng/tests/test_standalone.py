"""The collector as one file, alone and in wheels: names, contents, and the reasons to end the build or to leave one
out."""

import json
import subprocess
import sys
import zipfile

import pytest

import pack
import native_code
import repo
import sbom
import standalone
from test_packages import contents, tree  # noqa: F401

LINUX, ARM, MUSL, WINDOWS = standalone.PLATFORMS
INSIDE = "poolscope/collector/"


def collector(folder, platform):
    """Makes a fake published collector: small files under the real names."""
    folder.mkdir(exist_ok=True)
    files = [folder / name for name in (platform.program, "THIRD-PARTY-NOTICES.txt", "dotnet-license.txt")]
    for file in files:
        file.write_text(file.name)
    files[0].chmod(0o755)
    return standalone.Collector(platform, tuple(files), "10.0.1", "hash==")


@pytest.fixture
def wheels(tree, tmp_path, monkeypatch):  # noqa: F811
    """wheels(platforms) returns the packages that `pack` makes of such collectors, bare ones included, by the end of
    their name."""
    monkeypatch.setattr(repo, "PYPROJECT", tree / "analysis" / "pyproject.toml")
    monkeypatch.setattr(repo, "venv_python", lambda: sys.executable)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")

    def make(*platforms, to="made"):
        folder = tmp_path / to
        folder.mkdir()
        made = pack.python_packages(folder)
        made += pack.platform_wheels(folder, [collector(tmp_path / of.rid, of) for of in platforms])
        return {file.name.split("-", 2)[-1]: file for file in made}

    return make


def test_a_wheel_of_a_platform_is_the_bare_one_with_the_collector(wheels, capfd):
    made = wheels(LINUX, WINDOWS)
    tag = native_code.TAG if native_code.made() else "py3-none"
    names = ["py3-none-any.whl", f"{tag}-manylinux_2_27_x86_64.whl", "py3-none-win_amd64.whl"]
    assert {name for name in made if name.endswith(".whl")} == set(names)
    bare, linux, windows = (contents(made[name]) for name in names)
    of_linux = {f"poolscope/native/{native_code.NAME}"} if native_code.made() else set()
    of_windows: set[str] = set()
    for found, program, own in ((linux, "poolscope-collect", of_linux), (windows, "poolscope-collect.exe", of_windows)):
        more = found.keys() - bare.keys()
        assert more == {INSIDE + name for name in (program, "THIRD-PARTY-NOTICES.txt", "dotnet-license.txt")} | own
        assert found[INSIDE + program] == program.encode()
        (label,) = [found[name].decode() for name in found if name.endswith(".dist-info/WHEEL")]
        assert "Root-Is-Purelib: false" in label
    assert f"Tag: {tag}-manylinux_2_27_x86_64" in "".join(
        text.decode() for name, text in linux.items() if name.endswith("/WHEEL")
    )
    with zipfile.ZipFile(made[names[1]]) as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
    assert modes[INSIDE + "poolscope-collect"] == 0o755, "pip keeps what may be executed so"
    assert "sdist" in capfd.readouterr().out and not [name for name in bare if name.startswith(INSIDE)]


def test_the_same_collector_makes_the_same_bytes(wheels):
    first, again = wheels(LINUX), wheels(LINUX, to="again")
    assert {name: file.read_bytes() for name, file in first.items()} == {
        name: file.read_bytes() for name, file in again.items()
    }


def test_the_bill_of_materials_has_the_runtime_in_the_wheels_that_bring_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    made = [tmp_path / name for name in ("poolscope-1-py3-none-any.whl", f"poolscope-1-py3-none-{LINUX.tag}.whl")]
    for file in made:
        file.write_text(file.name)
    bill = json.loads(pack.bill_of_materials(tmp_path, made, [collector(tmp_path / "c", LINUX)]).read_text())
    needs = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    runtime = "pkg:nuget/Microsoft.NETCore.App.Runtime.linux-x64@10.0.1"
    assert runtime in needs["package:poolscope-linux-x64"] and runtime not in needs["package:poolscope"]
    assert set(needs["package:poolscope"]) | set(needs["package:poolscope-collect"]) < set(
        needs["package:poolscope-linux-x64"]
    )
    files = {
        component["name"]: [file["name"] for file in component["components"]]
        for component in bill["components"]
        if component.get("components")
    }
    assert files["poolscope-linux-x64"] == [made[1].name] and files["poolscope"] == [made[0].name]


def test_each_platform_has_its_program_and_all_have_one_text_of_licences(tmp_path):
    collectors = [collector(tmp_path / of.rid, of) for of in (LINUX, MUSL, WINDOWS)]
    (tmp_path / "made").mkdir()
    *made, licences = pack.programs(tmp_path / "made", collectors)
    of = sbom.version()
    assert [file.name for file in made] == [
        f"poolscope-collect-{of}-linux-x64",
        f"poolscope-collect-{of}-linux-musl-x64",
        f"poolscope-collect-{of}-win-x64.exe",
    ]
    assert [file.read_text() for file in made] == ["poolscope-collect", "poolscope-collect", "poolscope-collect.exe"]
    assert [file.stat().st_mode & 0o777 for file in made] == [0o755] * 3
    assert licences.read_text().startswith("LICENSE\n\n" + (repo.ROOT / "LICENSE").read_text()[:20])
    assert "dotnet-license.txt\n\ndotnet-license.txt" in licences.read_text()
    assert pack.programs(tmp_path / "made", []) == []


@pytest.mark.parametrize("lacking", ["", "NuGet has no compiler"])
def test_machine_code_is_published_where_there_is_a_compiler_and_the_program_anyway(lacking, tmp_path, monkeypatch):
    class Published(Exception):
        """Stops at the publish command; carries that command."""

    def publish(_, command, **__):
        raise Published(*command)

    monkeypatch.setattr(standalone, "FOLDER", tmp_path)
    assets = MUSL.build / "obj" / "Poolscope.Collect" / "project.assets.json"
    assets.parent.mkdir(parents=True)
    assets.write_text("{}")
    monkeypatch.setattr(
        standalone,
        "_restore",
        lambda _, options: lacking if standalone.COMPILED in options else "",
    )
    monkeypatch.setattr(standalone, "_hold_to_lock_file", lambda _: None)
    monkeypatch.setattr(standalone.steps, "run", publish)
    with pytest.raises(Published) as published:
        standalone.publish(MUSL)
    assert (standalone.COMPILED in published.value.args) == (not lacking)
    monkeypatch.setattr(standalone, "_restore", lambda *_: "NuGet has nothing")
    assert standalone.publish(MUSL) == "NuGet has nothing"


def test_musl_has_no_wheel(wheels):
    assert sorted(name for name in wheels(MUSL) if name.endswith(".whl")) == ["py3-none-any.whl"]


def test_the_bill_of_materials_has_each_program_with_its_own_runtime(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    collectors = [collector(tmp_path / of.rid, of) for of in (LINUX, MUSL)]
    wheel = tmp_path / "poolscope-1-py3-none-any.whl"
    wheel.write_text("wheel")
    made = [wheel, *pack.programs(tmp_path, collectors)]
    bill = json.loads(pack.bill_of_materials(tmp_path, made, collectors).read_text())
    files = {
        component["name"]: [file["name"] for file in component["components"]]
        for component in bill["components"]
        if component.get("components")
    }
    of = sbom.version()
    assert files["poolscope-linux-x64"] == [f"poolscope-collect-{of}-linux-x64"]
    assert files["poolscope-linux-musl-x64"] == [f"poolscope-collect-{of}-linux-musl-x64"]
    assert files["poolscope-collect"] == [f"poolscope-collect-{of}-licences.txt"]
    needs = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}["package:poolscope-linux-musl-x64"]
    assert "pkg:nuget/Microsoft.NETCore.App.Runtime.linux-musl-x64@10.0.1" in needs
    assert not [ref for ref in needs if ref.startswith("pkg:pypi/")], "no Python is in it"


@pytest.fixture
def dotnet_says(monkeypatch):
    """dotnet_says(text) makes every restore fail with this text."""
    if repo.WINDOWS:
        pytest.skip("the stand-in is a shell script")

    def be(text):
        run = subprocess.run
        monkeypatch.setattr(
            subprocess, "run", lambda command, **options: run(["sh", "-c", f"echo '{text}'; exit 1"], **options)
        )

    return be


def test_a_runtime_that_nuget_has_not_leaves_one_wheel_out(dotnet_says):
    dotnet_says("x.csproj : error NU1101: Unable to find package. [x]\ny : error NU1101: Unable")
    assert standalone.publish(ARM) == "NuGet has no Microsoft.NETCore.App.Runtime.linux-arm64 to give here (NU1101)"


@pytest.mark.parametrize("text", ["error NU1101: a\nerror NU1403: other bytes", "error CS1002: a", "killed"])
def test_any_other_failure_ends_pack(dotnet_says, text):
    dotnet_says(text)
    with pytest.raises(repo.BuildError, match="linux-arm64 failed"):
        standalone.publish(ARM)


def test_what_the_lock_file_does_not_name_is_not_packed():
    lock = json.loads(standalone.PROJECT.with_name("packages.lock.json").read_text("utf-8"))["dependencies"]["net10.0"]
    libraries = {
        f"{name}/{entry['resolved']}": {"type": "package", "sha512": entry["contentHash"]}
        for name, entry in lock.items()
        if entry["type"] != "Project"
    }
    libraries["Poolscope.Tables/1.0.0"] = {"type": "project"}
    standalone._hold_to_lock_file({"libraries": libraries})
    libraries["System.CommandLine/3.0.0"]["sha512"] = "other"
    with pytest.raises(repo.BuildError, match="lock file names: .*System.CommandLine"):
        standalone._hold_to_lock_file({"libraries": libraries})


@pytest.mark.parametrize(("newest", "fits"), [("2.17", True), ("2.27", True), ("2.28", False), ("2.4", True)])
def test_a_program_needs_no_newer_glibc_than_its_wheel_says(tmp_path, newest, fits):
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF\0GLIBC_2.2.5\0GLIBC_" + newest.encode() + b"\0")
    if fits:
        standalone.hold_to_glibc(program)
    else:
        with pytest.raises(repo.BuildError, match="2, 28"):
            standalone.hold_to_glibc(program)


def test_a_program_for_musl_asks_for_nothing_of_glibc(tmp_path):
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF\0libc.musl-x86_64.so.1\0")
    standalone.hold_to_musl(program)
    program.write_bytes(b"\x7fELF\0GLIBC_2.17\0")
    with pytest.raises(repo.BuildError, match="asks for glibc"):
        standalone.hold_to_musl(program)
