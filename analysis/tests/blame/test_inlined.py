"""Stacks that lack a hot method because the JIT inlined it."""

import pytest
from blame_captures import MONITOR, TASK
from poolscope.attribution import attribute
from poolscope.blame import assign_blame
from poolscope.blame.stacks import StackNames, own_stack_of
from poolscope.evidence.culprit import Culprit
from poolscope.measures.requests import measure_requests
from poolscope.naming.choice import blocking_calls
from synthetic import MS, CaptureBuilder
from synthetic_stacks import Stacks

SLEEP, CALL = "System.Threading.Thread.Sleep", "System.Threading.Tasks.Task.InnerInvoke"
DISPATCH = "System.Threading.ThreadPoolWorkQueue.Dispatch"
BARE = (SLEEP, CALL, DISPATCH)


def found(folder, *paths):
    """Returns, for each incomplete stack in `paths`, the index of the complete one that replaces it."""
    builder = CaptureBuilder(folder, length=100 * MS)
    stacks = Stacks(builder)
    known = [stacks.stack(*path) for path in paths]
    same = own_stack_of(sorted(known), StackNames(builder.write()))
    return {known.index(bare): known.index(own) for bare, own in same.items()}


@pytest.mark.parametrize(
    ("others", "taken_for"),
    [
        pytest.param([(SLEEP, "App.Poll", CALL, DISPATCH)], {0: 1}, id="the only method in its place"),
        pytest.param([(SLEEP, "App.Poll", CALL, DISPATCH), (SLEEP, "App.Poll", "App.Run", CALL, DISPATCH)], {0: 1}, id="one leaf"),
        pytest.param([(SLEEP, "App.Poll", CALL, DISPATCH, "System.Threading.Worker.Start")], {0: 1}, id="a worker of another beginning"),
        pytest.param([(SLEEP, SLEEP, "App.Poll", CALL, DISPATCH)], {0: 1}, id="an overload by way of another"),
        pytest.param([(SLEEP, SLEEP, "App.Poll", CALL, DISPATCH), (SLEEP, "App.Nap", CALL, DISPATCH)], {}, id="two, one by an overload"),
        pytest.param([(SLEEP, "App.Poll", CALL, DISPATCH), (SLEEP, "App.Nap", CALL, DISPATCH)], {}, id="two methods"),
        pytest.param([(SLEEP, "App.Poll", DISPATCH)], {}, id="another place"),
        pytest.param([("System.Threading.Monitor.Wait", "App.Poll", CALL, DISPATCH)], {}, id="another wait"),
        pytest.param([], {}, id="nobody's"),
    ],
)  # fmt: skip
def test_a_bare_stack_is_that_of_the_only_method_between_the_same_frames(others, taken_for, tmp_path):
    assert found(tmp_path, BARE, *others) == taken_for


PARALLEL, REPLICA = "System.Threading.Tasks.Parallel", "System.Threading.Tasks.TaskReplicator+Replica.Execute"
EACH, WORKER = (
    f"{PARALLEL}+<>c__DisplayClass44_0`2[System.Int32,System.__Canon].<ForEachWorker>b__0",
    f"{PARALLEL}.ForWorker",
)
OWN_LOOP = (SLEEP, "App.Send", EACH, WORKER, REPLICA, DISPATCH)
SHARE = f"{PARALLEL}+<>c__DisplayClass19_0`2[System.__Canon,System.Int32].<ForWorker>b__1"


def begun_by(method, *body):
    """Returns the stack of a thread that began a loop and runs its body as well."""
    return (
        SLEEP,
        *body,
        EACH,
        WORKER,
        REPLICA,
        f"{PARALLEL}.ForEachWorker",
        f"{PARALLEL}.ForEach",
        method,
        "System.Jobs.Run",
    )


@pytest.mark.parametrize(
    ("others", "method"),
    [
        pytest.param([begun_by("App.SendAll")], "App.SendAll", id="the only method that runs such a loop"),
        pytest.param([begun_by("App.SendAll"), begun_by("App.Clean")], DISPATCH, id="two methods"),
        pytest.param([begun_by("App.SendAll", "App.Send")], DISPATCH, id="its body is there"),
        pytest.param([("System.IO.FileStream.Read", *begun_by("App.SendAll")[1:])], DISPATCH, id="another body"),
    ],
)
def test_the_body_of_a_loop_is_that_of_the_method_that_began_it(others, method, tmp_path):
    builder = CaptureBuilder(tmp_path, length=100 * MS)
    stacks = Stacks(builder)
    bare, *known = [stacks.stack(*path) for path in ((SLEEP, EACH, SHARE, REPLICA, DISPATCH), *others)]
    for at, stack in enumerate(known):
        stacks.snapshot(900, at * MS, stack)
    names = StackNames(builder.write())
    assert names.path(bare) == [SLEEP, EACH, SHARE, REPLICA, method]
    assert [call.kind for call in blocking_calls(names.path(bare))][:1] == ["sleep"]


@pytest.mark.parametrize(
    ("bare", "others", "taken_for"),
    [
        pytest.param((SLEEP, EACH, WORKER, REPLICA, DISPATCH), [OWN_LOOP], {0: 1}, id="the method alone"),
        pytest.param((SLEEP, WORKER, REPLICA, DISPATCH), [OWN_LOOP], {0: 1}, id="with its caller of the same class"),
        pytest.param((SLEEP, REPLICA, DISPATCH), [OWN_LOOP], {}, id="with a whole class"),
        pytest.param(
            (SLEEP, WORKER, REPLICA, DISPATCH), [(*OWN_LOOP[:4], None, DISPATCH)], {0: 1}, id="a frame without a name"
        ),
        pytest.param(
            (SLEEP, WORKER, REPLICA, DISPATCH),
            [OWN_LOOP, (SLEEP, "App.Nap", WORKER, None, DISPATCH)],
            {},
            id="two methods, one of them behind a frame without a name",
        ),
        pytest.param((SLEEP, WORKER, None, DISPATCH), [OWN_LOOP], {}, id="the bare stack s own frame has no name"),
    ],
)
def test_callers_of_one_class_vanish_with_the_method(bare, others, taken_for, tmp_path):
    assert found(tmp_path, bare, *others) == taken_for


@pytest.mark.parametrize(("others_ms", "route"), [(5, "GET /pay/{id}"), (60, None)])
def test_an_endpoint_that_was_inlined_is_named_by_the_route_that_had_the_requests_time(tmp_path, others_ms, route):
    builder = CaptureBuilder(tmp_path, length=100 * MS, limits=(1, 1))
    builder.item(0, 0, 60 * MS, 200, [("blocked", 59 * MS), ("running", MS)])
    builder.item(0, 60 * MS, 61 * MS, 200, [("running", MS)])
    builder.request(0, 200, 60 * MS, 200, path="/pay/1").request(0, 200, others_ms * MS, 200, path="/other")
    stacks = Stacks(builder)
    stacks.wait(200, 0, 59 * MS, stacks.stack(MONITOR, TASK, "dynamicClass.lambda_method1", DISPATCH))
    capture = builder.write()
    attribution = attribute(capture)
    found = Culprit.of(assign_blame(capture, attribution), measure_requests(capture, attribution))
    assert (found.inlined, found.route) == (True, route)
