"""The bill of materials: its contents, its CycloneDX form, and the licences of the packages."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import export_readers
import pack
import plotly_bundle
import repo
import sbom
import standalone
import third_party

SCHEMA_BASE = "http://cyclonedx.org/schema/"


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Writes the bill of three fake packages, in a repository that has fetched its plotly.js."""
    bundle = tmp_path / "bundle.js"
    bundle.touch()
    monkeypatch.setattr(plotly_bundle, "BUNDLE", bundle)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    version = sbom.version()
    names = [f"poolscope-{version}-py3-none-any.whl", f"poolscope-{version}.tar.gz"]
    names += [f"{tool}.{version}.nupkg" for tool in pack.TOOLS]
    files = [tmp_path / name for name in names]
    for file in files:
        file.write_text(file.name)
    return pack.bill_of_materials(tmp_path, files, []), files


def read(path):
    return json.loads(path.read_text("utf-8"))


def test_it_holds_every_package_file_with_its_hash(made):
    path, files = made
    assert path.name == f"poolscope-{sbom.version()}.cdx.json"
    listed = {
        entry["name"]: entry["hashes"]
        for component in read(path)["components"]
        for entry in component.get("components", [])
    }
    assert listed == {
        file.name: [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}] for file in files
    }


def test_it_holds_what_the_lock_files_the_bundle_and_the_requirements_name(made):
    found = {c["purl"] for c in read(made[0])["components"] if "purl" in c}
    locked = {
        f"pkg:nuget/{name}@{entry['resolved']}"
        for project in pack.TOOLS.values()
        for name, entry in read(project.with_name("packages.lock.json"))["dependencies"]["net10.0"].items()
        if entry["type"] != "Project"
    }
    assert len(locked) == 15 and locked <= found
    alone = {third_party.clrmd().purl}
    assert alone <= found
    bundle = plotly_bundle.PACKAGE
    assert f"pkg:npm/{bundle.name}@{bundle.version}" in found
    asked = {f"pkg:pypi/{c.name}" for c in third_party.python()}
    assert found - locked - alone - asked == {f"pkg:npm/{bundle.name}@{bundle.version}"} and len(asked) == 8


def test_who_takes_what(made):
    bill = read(made[0])
    graph = {entry["ref"]: entry["dependsOn"] for entry in bill["dependencies"]}
    refs = {c["bom-ref"] for c in bill["components"]} | {"poolscope"}
    assert set(graph) == refs and all(set(needed) <= refs for needed in graph.values())
    assert graph["poolscope"] == ["package:poolscope", "package:poolscope-collect", "package:poolscope-workloads"]

    def short(ref):
        return [re.sub(r"pkg:\w+/|@.*", "", needed) for needed in graph[ref]]

    assert short("package:poolscope-workloads") == ["System.CommandLine"]
    assert short("package:poolscope-collect") == [
        "Microsoft.Diagnostics.NETCore.Client",
        "Microsoft.Diagnostics.Runtime",
        "Microsoft.Diagnostics.Tracing.TraceEvent",
        "Spectre.Console",
        "System.CommandLine",
        "prometheus-net",
    ]


def test_the_same_files_give_the_same_bytes_and_others_another_serial_number(made, tmp_path):
    path, files = made
    before = path.read_bytes()
    assert pack.bill_of_materials(tmp_path, files, []).read_bytes() == before
    files[0].write_text("changed")
    after = read(pack.bill_of_materials(tmp_path, files, []))
    assert after["serialNumber"] != json.loads(before)["serialNumber"]
    assert after["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"


def test_it_is_cyclonedx_by_the_format_s_own_schema(made):
    if lacks := export_readers.missing_cyclonedx():
        say: Any = pytest.fail if os.environ.get("CI", "").lower() in ("true", "1") else pytest.skip
        say(f"{', '.join(lacks)} missing; ./build.sh setup gets it")
    schemas = {
        SCHEMA_BASE + file.name: read(file)
        for file in export_readers.CYCLONEDX_SCHEMAS.glob("*.schema.json")
        if file.name.startswith((f"bom-{sbom.SPEC}.", "spdx.", "jsf-"))
    }
    schema = schemas[f"{SCHEMA_BASE}bom-{sbom.SPEC}.SNAPSHOT.schema.json"]
    resolver = jsonschema.RefResolver.from_schema(schema, store=schemas)
    check = jsonschema.Draft7Validator(schema, resolver=resolver)
    bill = read(made[0])
    assert list(check.iter_errors(bill)) == []
    bill["components"][-1]["licenses"] = [{"license": {"id": "Nobody's"}}]
    assert list(check.iter_errors(bill)) != [], "the schema looks at licences"


def test_a_package_whose_licence_nobody_has_read_ends_the_build():
    with pytest.raises(repo.BuildError, match="read its licence"):
        third_party.licence(third_party.NUGET, "Somebody.Else")
    with pytest.raises(repo.BuildError, match="read its licence"):
        third_party.python(["somebody-else>=1"])


def test_no_licence_is_listed_for_what_nobody_takes():
    taken = {(c.ecosystem, c.name) for project in pack.TOOLS.values() for c in third_party.nuget(project)}
    taken |= {(c.ecosystem, c.name) for c in third_party.python()}
    taken |= {(third_party.NUGET, platform.runtime) for platform in standalone.PLATFORMS}
    assert taken | {(third_party.NPM, plotly_bundle.PACKAGE.name)} == set(third_party.LICENCES)


@pytest.mark.parametrize("tool", pack.TOOLS)
def test_nuget_licences_are_what_the_packages_say(tool):
    cache = Path(os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages")
    for component in third_party.nuget(pack.TOOLS[tool]):
        folder = cache / component.name.lower() / component.version
        specification = ElementTree.parse(folder / f"{component.name.lower()}.nuspec")
        (licence,) = [node for node in specification.iter() if node.tag.endswith("}license")]
        assert (licence.get("type"), licence.text) == ("expression", component.licence), component.name


def test_the_notices_name_what_the_packages_carry_and_nothing_else():
    """Packages that pip installs beside the wheel come from their own authors, so the notices do not list them."""
    notices = (repo.ROOT / "THIRD-PARTY-NOTICES.txt").read_text("utf-8").split("\nThe MIT License\n")[0]
    carried = {c for project in pack.TOOLS.values() for c in third_party.nuget(project)}
    # The package carries no file of these: the framework has the same types.
    named = {c.name for c in carried} - EMPTY
    assert {name for name in named if name not in notices} == set()
    assert {c.licence for c in carried} == {"MIT"}, "the notices hold the text of one licence"
    words = set(re.findall(r"[A-Z]\w+(?:\.[A-Z]\w+)+", notices))
    # A library inside TraceEvent, and the other assembly of prometheus-net: `pack` looks for the files of both.
    assert words - named == {"Microsoft.Diagnostics.FastSerialization", "Prometheus.NetStandard"}
    assert "plotly.js" in notices


EMPTY = {"System.Reflection.TypeExtensions"}
"""Packages without a file for .NET 10."""
