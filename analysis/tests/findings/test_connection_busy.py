"""Messages that wait for each other on one connection. Times are ms."""

import pytest
from late_captures import fired
from synthetic_stacks import Stacks
from service import EPOLL
from synthetic import MS, CaptureBuilder


def messages(folder, took=2000, handled=True, behind=True):
    """Builds a message every 100 on one connection, each answered 3 later; the one at 2,000 is answered `took` later.
    If `handled`, the item that reads it has queued an item that runs for that long. If `behind`, it reads on
    meanwhile."""
    builder = CaptureBuilder(folder, length=8000 * MS).thread(EPOLL, 100, ".NET Sockets")
    stack, transfers = Stacks(builder).stack("System.Threading.Thread.Sleep", "App.Export"), []
    for n in range(70):
        at, reader, late = 10 + 100 * n, 1000 + n, 2000 < 10 + 100 * n < 2010 + took
        if late and not behind and n > 20:
            continue
        answer = 2014 + took + n if late else at + 3
        transfers += [(at, "arrived", 40), (at + 1, "read", 40, reader), (answer, "sent", 20, 3000 if late else reader)]
        end = at + 2 if late else at + 4
        builder.item(at * MS, at * MS, end * MS, reader, [("running", (end - at) * MS)], enqueue_tid=EPOLL, work_id=n)
    start, ran = 2011 * MS, took + 100 if handled else 4
    builder.item(
        start + MS // 2,
        start + MS,
        start + ran * MS,
        3000,
        [("blocked", (ran - 1) * MS)],
        enqueue_tid=1020,
        work_id=500,
    )
    builder.connection(*((at * MS, *rest) for at, *rest in sorted(transfers, key=lambda t: t[0])), role="accepted")
    builder.rows["snapshots"].append({"time": start + 500 * MS, "tid": 3000, "stack": stack})
    return builder


@pytest.mark.fires("connection-busy")
def test_messages_behind_one_that_blocks_name_its_method(tmp_path):
    found, verdict = fired(messages(tmp_path))
    assert verdict.id == "connection-busy", (verdict, list(found))
    assert verdict.text.startswith("Messages on 1 connection were answered up to 2 s late")
    assert "one spent that long in App.Export" in verdict.text


@pytest.mark.quiet("connection-busy")
@pytest.mark.parametrize(
    "other",
    [{"took": 900}, {"handled": False}, {"behind": False}],
    ids=["short", "no item of its own ran", "nothing behind it"],
)
def test_a_connection_on_which_no_message_waited_for_another(tmp_path, other):
    assert "connection-busy" not in fired(messages(tmp_path, **other))[0]


def test_messages_that_wait_for_each_other_without_an_item_are_not_healthy(tmp_path):
    _, verdict = fired(messages(tmp_path, handled=False))
    assert verdict.id == "cannot-tell"
    assert verdict.text.startswith("Cannot tell why messages on 1 connection were answered up to 2 s late")
    assert any("--activities Microsoft.AspNetCore.SignalR.Server" in reason for reason in verdict.reasons)


def test_messages_behind_an_awaited_call_of_a_hub_name_it_where_its_activity_was_recorded(tmp_path):
    builder = messages(tmp_path, handled=False)
    for name, start, end in (("Team.ChatHub/Export", 2011, 4016), ("Team.ChatHub/Say", 500, 503)):
        builder.activity(start * MS, end * MS, source="Microsoft.AspNetCore.SignalR.Server", name=name)
    _, verdict = fired(builder)
    assert (verdict.id, verdict.confidence) == ("connection-busy", "medium")
    assert "one spent that long in Team.ChatHub.Export" in verdict.text
