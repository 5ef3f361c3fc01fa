"""The list of words to avoid finds those words, and nothing else."""

from pathlib import Path

import pytest
from prose import words

FILE = Path("page.md")


@pytest.mark.parametrize(
    "text, shown",
    [
        ("The dearest cause leads.", "dearest"),
        ("Mend that first.", "Mend"),
        ("Timers ran late for want\nof a thread.", "for want of"),
        ("You have not to be told.", "have not to be"),
        ("The evidence does not carry a verdict.", "carry a verdict"),
        ("though that be 1 %", "though that be"),
        ("It waited, nobody knows how long.", "nobody knows"),
        ("A file that may leave the house.", "leave the house"),
        ("Prints what came of it.", "what came of it"),
        ("Cores that workers wanted in vain.", "in vain"),
    ],
)
def test_a_word_of_the_list_is_found_and_another_proposed(text, shown):
    (found,) = words.in_text(f"first line\n{text}\n", FILE)
    assert found.words == shown
    assert found.line == 2
    assert "write " in str(found)


@pytest.mark.parametrize(
    "text",
    [
        "The amendment was recommended.",
        "Measured for wants of users.",
        "The costliest cause.",
        "Dear reader",
        "He became of age.",
        "a vain hope",
    ],
)
def test_other_words_are_left_alone(text):
    assert list(words.in_text(text, FILE)) == []
