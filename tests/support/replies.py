"""Replies of a fake inference server: what `scripted` and `make_env` take."""

from tests.support.fakes import Completion, Reply

THINK = "<think>t</think>"


def always(text: str) -> Reply:
    """Return a reply that gives the same completion to every request."""
    return lambda _prompt, n: [(text, "stop")] * n


class Solver:
    """Gives `answer`, which a test sets, where `pattern` has a y, and a wrong one elsewhere."""

    def __init__(self, pattern: str = "yyyy", reason: str = "stop") -> None:
        self.pattern, self.reason = pattern, reason
        self.answer = ""
        self.asked = 0

    def __call__(self, _prompt: str, n: int) -> list[Completion]:
        self.asked += 1
        texts = [self.answer if mark == "y" else "wrong" for mark in self.pattern]
        return [(f"{THINK}<answer>{text}</answer>", self.reason) for text in texts][:n]


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
