"""Layers import downwards only, and no module imports itself through others."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "poolscope"
LAYERS = [
    "contract", "native", "base",
    "capture", "replay", "naming", "recording", "html",
    "executions",
    "attribution",
    "measures",
    "blame",
    "coverage",
    "flames", "incidents", "whatif",
    "evidence",
    "findings",
    "product", "redact", "check",
    "report", "compare", "export", "look",
    "fleets",
    "library",
    "cli",
]  # fmt: skip
"""From the bottom up, as in docs/architecture.md. Layers on one line there may import each other in one direction."""
OUTSIDE = {"version", "__init__", "__main__"}
"""`poolscope` itself names the public objects and imports them on first use; every layer may import the version."""


def name_of(file: Path) -> str:
    parts = ("poolscope", *file.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(file): file for file in PACKAGE.rglob("*.py")}


def imported(file: Path) -> set[str]:
    """Returns the package's modules that a file imports anywhere. `from a import b` counts as a.b if that is a module,
    else as a."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in FILES else node.module for name in names}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & FILES.keys()


EDGES = {name: imported(file) - {name} for name, file in FILES.items()}


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def upward(edges: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Returns imports of a module by a lower layer. The command line may import the public package, like its users."""
    height = {layer: at for at, layer in enumerate(LAYERS)} | {"version": -1, "__init__": height_of_public()}
    return [
        (module, other)
        for module, others in edges.items()
        if layer_of(module) not in OUTSIDE
        for other in others
        if height[layer_of(other)] > height[layer_of(module)]
    ]


def height_of_public() -> float:
    return LAYERS.index("library") + 0.5


def cycles(edges: dict[str, set[str]]) -> list[str]:
    """Returns modules that can be reached from themselves."""
    left = {module: set(others) for module, others in edges.items()}
    while free := [module for module, others in left.items() if not others & left.keys()]:
        for module in free:
            del left[module]
    return sorted(left)


def test_every_folder_is_a_layer():
    folders = {file.parent.relative_to(PACKAGE).parts[0] for file in FILES.values() if file.parent != PACKAGE}
    assert folders == set(LAYERS)
    assert {file.stem for file in FILES.values() if file.parent == PACKAGE} == OUTSIDE


def test_imports_go_down():
    assert upward(EDGES) == []


def test_no_module_imports_itself_by_way_of_others():
    # A package's __init__ collects names of its modules, which import from each other and not from it.
    assert cycles(EDGES) == []


@pytest.mark.parametrize(
    ("module", "other"),
    [("poolscope.base.units", "poolscope.capture.schema"), ("poolscope.product.worst", "poolscope.report.rendering")],
)
def test_an_import_upwards_would_be_seen(module, other):
    assert upward({**EDGES, module: EDGES[module] | {other}}) == [(module, other)]


def test_a_cycle_would_be_seen():
    assert "poolscope.base.units" in cycles({**EDGES, "poolscope.base.units": {"poolscope.base.words"},
                                             "poolscope.base.words": {"poolscope.base.units"}})  # fmt: skip
