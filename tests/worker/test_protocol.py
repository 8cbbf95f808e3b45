"""rgenv/worker/protocol.py: a worker's settings and its documented exchange."""

import json
import re

from rgenv.pool.process import worker_environment
from rgenv.worker import protocol
from tests.support.programs import run_python


def test_the_documented_exchange_is_real() -> None:
    """A worker gives exactly the replies of the docstring, which abbreviates texts with dots."""
    text = re.sub(r",\n {7}", ", ", str(protocol.__doc__))  # what takes two lines
    lines = [line.strip() for line in text.splitlines()]
    requests = [line for line in lines if line.startswith("{")]
    documented = [line.removeprefix("< ") for line in lines if line.startswith("< ")]
    given = "".join(f"{request}\n" for request in requests)
    done = run_python("-m", "rgenv.worker", "{}", given=given, env=worker_environment())
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    replies[0]["tasks"] = {"ab": replies[0]["tasks"]["ab"]}
    replies[0]["sources"] = {"ab": replies[0]["sources"]["ab"]}
    replies[0]["fixed"] = replies[0]["hardened"] = replies[1]["layers"] = []
    replies[1]["missing"] = {}
    assert replies[2]["question"].startswith("State the ")
    replies[2]["question"] = "State the ..."
    assert len(requests) == 4 and len(documented) == 8
    expected = [
        json.loads(line.replace(", ...}", "}").replace("[...]", "[]")) for line in documented
    ]
    assert replies == expected
