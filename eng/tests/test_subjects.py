"""Subjects of commits: the refused ones, the commits that are checked, and no check without the history."""

import subprocess

import pytest

import linting
import repo
import subjects


@pytest.mark.parametrize("subject", [
    "Name the lock that a convoy waits for",
    "Docs: say what a dump lacks",
    "Embed the small plotly.js",
    "Pass the port on; need no second one",
    "README: shorten the limits",
    "Decode .etl and .etl.zip on Linux",
    'Revert "Added a check, whose subject was longer than all that a terminal of 80 columns can show."',
    "X" * 72,
])  # fmt: skip
def test_subjects_as_they_are_to_be(subject):
    assert subjects.faults(subject) == []


@pytest.mark.parametrize(("subject", "fault"), [
    ("X" * 73, "73 characters"),
    ("name the lock", "no capital letter"),
    ("look: name the limits", "no capital letter"),
    ("Name the lock.", "a full stop"),
    ("Added a check", "'Added' is not imperative (past tense)"),
    ("Wrote a check", "past tense"),
    ("Adding a check", "gerund"),
    ("Adds a check", "third person"),
    ("Docs: fixes of names", "'fixes' is not imperative"),
    ("A lock is no convoy", "no verb"),
    ("Look: what a dump lacks", "no verb"),
    ("", "no capital letter"),
])  # fmt: skip
def test_subjects_that_are_refused(subject, fault):
    (found,) = subjects.faults(subject)
    assert fault in found


def test_everything_that_is_wrong_is_said():
    assert len(subjects.faults("fixed " + 80 * "x" + ".")) == 4


def git(folder, *arguments):
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def history(tmp_path):
    """Makes a repository with three commits; returns its folder and the hash of the first."""
    folder = tmp_path / "whole"
    folder.mkdir()
    git(folder, "init", "-q")
    hashes = []
    for subject in ("added something long ago", "Name it", "Fixed it"):
        git(folder, "commit", "-q", "--allow-empty", "-m", subject)
        hashes.append(git(folder, "rev-parse", "HEAD"))
    return folder, hashes[0]


def test_commits_since_the_base_are_looked_at(history):
    folder, base = history
    assert [subject for _, subject in subjects.new(folder, base)] == ["Fixed it", "Name it"]


def test_too_little_history_is_no_failure(history, tmp_path):
    folder, base = history
    git(tmp_path, "clone", "-q", "--depth", "1", folder.as_uri(), "shallow")
    assert subjects.new(tmp_path / "shallow", base) == []
    assert subjects.new(tmp_path, base) == [], "no repository"
    assert subjects.new(folder, "f" * 40) == [], "no such commit"


def test_lint_names_commit_and_fault(monkeypatch):
    monkeypatch.setattr(subjects, "new", lambda: [("abc1234", "Fixed it"), ("abc1235", "Fix it")])
    with pytest.raises(repo.BuildError, match="abc1234 Fixed it: .*past tense") as error:
        linting._subjects()
    assert "abc1235" not in str(error.value)
