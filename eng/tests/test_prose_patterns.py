"""Each pattern finds the structure that it describes, and leaves plain sentences alone."""

import pytest
from prose import patterns

SHOWN = [
    ("of which", "Items are queued, of which three wait."),
    ("of which", "Of calls that got none HttpClient reports nothing."),
    ("where there is", "The verdict is low where there is no kernel stream."),
    ("nobody", "It waits for whoever holds the lock."),
    ("tells of", "No event tells how long it waited."),
    ("tells of", "A sample does not tell whether its thread ran."),
    ("is told", "Wake-ups are not told."),
    ("so many", "A lock may serve only so many at once."),
    ("for want of", "It was late for want of a thread."),
    ("what ... is", "What nobody asks for again is let go."),
    ("what ... is", "The file ends early; what came after is unknown."),
    ("as ever", "All of it is analysed, as ever."),
    ("which of them", "Which of them comes next is random."),
    ("goes before", "A capture's own labels go before."),
    ("is known from", "It is not known how many were lost."),
    ("no actor", "Intermediate results are let go."),
    ("condition first", "Where nothing waits, the page says so."),
    ("inverted", "To whom it passes is chance."),
    ("headless object", "It is shorter than what was written."),
    ("stands in", "The cause stands in the attribution."),
    ("archaic", "The tables are made anew."),
    ("long", "It " + "waits and " * 30 + "ends."),
]
PLAIN = [
    "Poolscope records a running process.",
    "If a capture does not fit in memory, Poolscope analyses the part with the longest waits.",
    "The report shows where it waited.",
    "Poolscope tells you why items start late.",
    "A worker that is told to stop queues its items again.",
    "What it costs",
    "What limits confidence?",
    "Of 400 faults, the tests catch 368.",
    "Of course it waits.",
    "It waited so long that the client gave up.",
    "One of the threads holds the lock.",
    "Parts: a thread ran; another thread waited for a lock that the first one held; a third one had no core at all and "
    "therefore stayed in the run queue of that core until the scheduler moved it to another one a second later.",
]


@pytest.mark.parametrize(("name", "sentence"), SHOWN)
def test_a_pattern_finds_its_structure(name, sentence):
    assert name in [pattern.name for pattern, _ in patterns.in_sentence(sentence, patterns.ALL)]


@pytest.mark.parametrize("sentence", PLAIN)
def test_plain_sentences_are_left_alone(sentence):
    assert [(pattern.name, words) for pattern, words in patterns.in_sentence(sentence, patterns.ALL)] == []


def test_every_pattern_has_an_example_and_the_dialect_has_twelve():
    assert {name for name, _ in SHOWN} == {pattern.name for pattern in patterns.ALL}
    assert len(patterns.TWELVE) == 12
