"""Drive an environment as Atropos does, over scripted replies of an inference server."""

from typing import Any

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.types import Problem
from tests.support.fakes import Completion, Reply


def always(text: str) -> Reply:
    """Return a reply that gives the same completion to every request."""
    return lambda _prompt, n: [(text, "stop")] * n


class Solver:
    """Gives `answer`, which a test sets, where `pattern` has a y, and a wrong one elsewhere."""

    def __init__(self, pattern: str = "yyyy", reason: str = "stop") -> None:
        self.pattern, self.reason, self.answer = pattern, reason, ""

    def __call__(self, _prompt: str, n: int) -> list[Completion]:
        texts = [self.answer if mark == "y" else "wrong" for mark in self.pattern]
        return [(f"<think>t</think><answer>{text}</answer>", self.reason) for text in texts][:n]


class Outage:
    """Gives `text` to every request, except while `failing` is set, when replies are empty.

    Requests from number `fails_from` on raise ConnectionError.
    """

    def __init__(self, text: str = "<answer>no</answer>", *, fails_from: int | None = None) -> None:
        self.text, self.fails_from = text, fails_from
        self.failing = False
        self.asked = 0

    def __call__(self, _prompt: str, n: int) -> list[Completion]:
        self.asked += 1
        if self.fails_from is not None and self.asked >= self.fails_from:
            raise ConnectionError("away")
        return [] if self.failing else [(self.text, "stop")] * n


async def collect(env: ReasoningGymEnv, solver: Solver) -> tuple[Problem, Any]:
    """Return a problem of gcd and its group, with right answers as `solver` gives them."""
    item = await env.make_item("gcd", 7)
    solver.answer = str(item.answer)
    group, backlog = await env.collect_trajectories(item)
    assert backlog == []
    return item, group


async def next_group(env: ReasoningGymEnv) -> tuple[Any, Problem]:
    """Return a group as it is sent, and its problem, which is the next of the stream."""
    item = await env.get_next_item()
    group, _ = await env.collect_trajectories(item)
    return await env.postprocess_histories(group), item


async def next_items(env: ReasoningGymEnv, count: int) -> list[Problem]:
    """Return the next problems of the stream, without asking for groups."""
    return [await env.get_next_item() for _ in range(count)]
