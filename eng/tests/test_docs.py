"""The documentation names files that exist: links, pages of anchors, and the source files in architecture.md."""

import re
import subprocess

import pytest
import repo

PAGES = [repo.ROOT / name for name in ("README.md", "CONTRIBUTING.md")] + sorted(
    [*(repo.ROOT / "docs").rglob("*.md"), *(repo.ROOT / "traces").glob("*.md"), *(repo.ROOT / "reports").glob("*.md")]
)
LINK = re.compile(r"\]\((?!https?:|#)(?P<path>[^)#\s]+)(?:#(?P<anchor>[^)\s]+))?\)")
SOURCE = re.compile(r"`(?P<path>[\w./]+\.(?:py|cs))`")


def anchors(page):
    """Returns GitHub's anchors of the headings: lower case, no punctuation, hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(repo.ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    broken = []
    for link in LINK.finditer(page.read_text("utf-8")):
        target = (page.parent / link["path"]).resolve()
        if not target.exists():
            broken.append(link[0])
        elif link["anchor"] and target.suffix == ".md" and link["anchor"] not in anchors(target):
            broken.append(link[0])
    assert broken == []


def test_the_files_of_the_architecture_are_there():
    tracked = subprocess.run(["git", "ls-files"], cwd=repo.ROOT, capture_output=True, text=True).stdout.split()
    named = {found["path"] for found in SOURCE.finditer((repo.ROOT / "docs" / "architecture.md").read_text("utf-8"))}
    missing = {path for path in named if "your_" not in path and not any(f"/{f}".endswith(f"/{path}") for f in tracked)}
    assert len(named) > 15
    assert missing == set()
