"""Capture.whatif, called with wrong settings."""

import json
import math

import numpy as np
import pytest
from library.refused import refused
from poolscope import InvalidArgument

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"min_threads": -1}, InvalidArgument, "min threads -1: from 1 to 32767"),
        ({"min_threads": 0}, InvalidArgument, "min threads 0: from 1 to 32767"),
        ({"min_threads": 40_000}, InvalidArgument, "min threads 40,000: from 1 to 32767"),
        ({"min_threads": 5}, InvalidArgument, "min threads 5 above max threads 4, as captured"),
        ({"min_threads": [2, -1]}, InvalidArgument, "min threads -1: from 1 to 32767"),
        ({"min_threads": []}, InvalidArgument, "min_threads: none given"),
        ({"min_threads": 2.5}, TypeError, "min_threads: a whole number or several of them, not float"),
        ({"min_threads": NAN}, TypeError, "min_threads: a whole number or several of them, not float"),
        ({"min_threads": "2..8"}, TypeError, "min_threads: a whole number or several of them, not str"),
        ({"min_threads": [2, 3.0]}, TypeError, "min_threads: a whole number, not float"),
        ({"min_threads": True}, TypeError, "min_threads: a whole number, not bool"),
        ({"max_threads": 0}, InvalidArgument, "max_threads 0: from 1 to 32767"),
        ({"max_threads": -8}, InvalidArgument, "max_threads -8: from 1 to 32767"),
        ({"max_threads": [8]}, TypeError, "max_threads: a whole number, not list"),
        ({"min_threads": 20, "max_threads": 10}, InvalidArgument, "min threads 20 above max threads 10"),
        ({"cores": 0}, InvalidArgument, "cores 0: a number above 0"),
        ({"cores": -2}, InvalidArgument, "cores -2: a number above 0"),
        ({"cores": NAN}, InvalidArgument, "cores nan: a number above 0"),
        ({"cores": INF}, InvalidArgument, "cores inf: a number above 0"),
        ({"cores": "2"}, TypeError, "cores: a number, not str"),
        ({"cores": True}, TypeError, "cores: a number, not bool"),
        ({"asynchronous": 1}, TypeError, "asynchronous: True or False, not int"),
        ({"dedicated": "yes"}, TypeError, "dedicated: True or False, not str"),
        ({"asynchronous": True, "dedicated": True}, InvalidArgument, "contradict each other"),
        ({"policy": "fifo"}, InvalidArgument, "unknown policy 'fifo': one of net, net4x"),
        ({"policy": 4}, TypeError, "policy: a str, not int"),
        ({"load": 0}, InvalidArgument, "load 0: a number above 0"),
        ({"load": -1}, InvalidArgument, "load -1: a number above 0"),
        ({"load": NAN}, InvalidArgument, "load nan: a number above 0"),
        ({"load": 1e6}, InvalidArgument, "at most 1000 times"),
        ({"load": "2x"}, TypeError, "load: a number, not str"),
        ({"load": None}, TypeError, "load: a number, not None"),
        ({"faster": 2}, TypeError, "faster: a mapping, not int"),
        ({"faster": {5: 2}}, TypeError, "faster: a str, not int"),
        ({"faster": {"10.0.0.9:5432": 0}}, InvalidArgument, "faster 10.0.0.9:5432 0: a number above 0"),
        ({"faster": {"10.0.0.9:5432": "2x"}}, TypeError, "faster 10.0.0.9:5432: a number, not str"),
        ({"faster": {"10.0.0.9:5432": 1e6}}, InvalidArgument, "1e+06 times as fast: from 0.001 to 1000 times"),
        (
            {"faster": {"10.0.0.9:5432": 2}},
            InvalidArgument,
            "10.0.0.9:5432 gave no answer in this capture; these did: none",
        ),
        ({"target_p99_ms": 0}, InvalidArgument, "target_p99_ms 0: a number above 0"),
        ({"target_p99_ms": -5}, InvalidArgument, "target_p99_ms -5: a number above 0"),
        ({"target_p99_ms": NAN}, InvalidArgument, "target_p99_ms nan: a number above 0"),
        ({"target_p99_ms": "100ms"}, TypeError, "target_p99_ms: a number, not str"),
        ({"target_p99_ms": 100, "load": 2}, InvalidArgument, "needs several min threads"),
        ({"target_p99_ms": 100, "min_threads": 3}, InvalidArgument, "needs several min threads"),
        ({"replications": 0}, InvalidArgument, "replications 0: from 1 to 1000"),
        ({"replications": 1001}, InvalidArgument, "replications 1001: from 1 to 1000"),
        ({"replications": 2.5}, TypeError, "replications: a whole number, not float"),
        ({"seed": -1}, InvalidArgument, "seed -1: at least 0"),
        ({"seed": None}, TypeError, "seed: a whole number, not None"),
        ({"progress": "yes"}, TypeError, "progress: a function, not str"),
        ({"threads": 8}, TypeError, "unexpected keyword argument 'threads'"),
    ],
)
def test_whatif(settings, error, says, golden):
    refused(error, says, lambda: golden.whatif(**settings))


def test_whatif_takes_no_positions(golden):
    refused(TypeError, "positional", lambda: golden.whatif(8))


def test_numbers_of_numpy_are_numbers(golden):
    asked = golden.whatif(
        min_threads=np.arange(2, 5), cores=np.float32(2), load=np.float64(1.5), replications=np.int16(1)
    )
    assert [p.setting.min_threads for p in asked.sweep] == [2, 3, 4]
    assert json.dumps(asked.to_json())
