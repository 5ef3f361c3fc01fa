"""Packages from npm: only by the lock file, all or none, and no error without npm."""

import shutil

import pytest

import npm
import repo

PURPOSE = "plotly"


@pytest.fixture
def modules(tmp_path, monkeypatch):
    monkeypatch.setattr(repo, "CACHE", tmp_path / "cache")
    return tmp_path / "made" / "node_modules"


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """answer(SCRIPT) makes `npm` this shell script, which records its arguments."""
    if repo.WINDOWS:
        pytest.skip("the stand-in is a shell script")
    shell = shutil.which("sh")
    tools = tmp_path / "tools"
    tools.mkdir()

    def be(script):
        (tools / "npm").write_text(f'#!{shell}\necho "$*" > {tmp_path}/asked\n{script}\n')
        (tools / "npm").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")

    return be


def test_packages_are_installed_by_the_lock_file_and_without_scripts(answer, modules, tmp_path):
    answer("test -f package-lock.json && mkdir -p node_modules/it && touch node_modules/it/index.js")
    npm.Silence(PURPOSE).begin()
    assert npm.install(PURPOSE, modules)
    assert (modules / "it" / "index.js").is_file()
    assert (tmp_path / "asked").read_text().startswith("ci --ignore-scripts ")
    assert list(modules.parent.iterdir()) == [modules], "nothing else is left"
    assert not npm.Silence(PURPOSE).lasts()


def test_what_is_there_stays_where_the_registry_does_not_answer(answer, modules):
    modules.mkdir(parents=True)
    answer("mkdir node_modules; echo 'npm error code ENOTFOUND' >&2; exit 1")
    assert not npm.install(PURPOSE, modules)
    assert list(modules.parent.iterdir()) == [modules] and list(modules.iterdir()) == []
    assert npm.Silence(PURPOSE).lasts()


@pytest.mark.parametrize("line", ["npm error code EINTEGRITY", "npm ERR! code EUSAGE"])
def test_other_bytes_or_another_lock_file_end_the_build(answer, modules, line):
    answer(f"echo '{line}' >&2; exit 1")
    with pytest.raises(repo.BuildError, match=f"eng/node_packages/plotly failed with {line.split()[-1]}"):
        npm.install(PURPOSE, modules)
    assert not modules.exists()


def test_without_npm_there_is_no_package_and_no_error(monkeypatch, modules, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not npm.install(PURPOSE, modules)
    assert npm.Silence(PURPOSE).lasts()


def test_once_npm_is_there_it_is_asked_at_once(monkeypatch, modules, answer, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    npm.install(PURPOSE, modules)
    assert npm.Silence(PURPOSE).lasts()
    answer("mkdir node_modules")
    assert not npm.Silence(PURPOSE).lasts()
