"""What groups showed, exchanged between replicas through files in a folder that all of them see.

Each replica appends to its own file and reads the new lines of the others, in a thread, every
`SECONDS`. A folder that is slow or broken delays or loses evidence and nothing else: every replica
also learns from its own groups. What was written before a replica starts is not read.

A line is a JSON list with the values of an `Evidence`. Other lines are skipped.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rgenv.dataset.difficulty import Difficulty, right_answers
from rgenv.runtime.files import make_folder, parse_json
from rgenv.runtime.json_lines import JsonLines, line_of
from rgenv.types import Problem, is_level

log = logging.getLogger(__name__)

SECONDS = 2.0
"""Seconds between two exchanges."""

FILES_AT_ONCE = 64
"""The number of files that one exchange reads; the next one reads others, if there are more."""

MOST_BYTES = 1 << 17
"""Of a file with more new bytes, one exchange reads the last."""

MOST_COMPLETIONS = 4096
"""More completions of one group are taken for damage."""

MOST_LINES = 500
"""Of the lines that one exchange finds, the last are learned from: each takes a millisecond."""

SUFFIX = ".jsonl"


class Evidence(NamedTuple):
    """What one group, or some prompts, showed.

    Attributes:
        right: the number of completions that are solved and were not cut at the token limit.
        size: the number of completions whose scores reflect the model.
        limit: None for a group. Else this is no group, but `size` prompts, of which `right` leave
            room for an answer and `cut` do not; `limit` is that of the prompts, as in `Room`.
    """

    task: str
    level: float | None
    right: int
    cut: int
    size: int
    limit: str | None = None

    def completions(self) -> tuple[list[float], list[bool]]:
        """Return the scores of the completions of a group, and which were cut."""
        scores = [1.0] * self.right + [0.0] * (self.size - self.right)
        return scores, [False] * (self.size - self.cut) + [True] * self.cut


class SharedEvidence:
    def __init__(self, folder: Path, name: str) -> None:
        self._own = folder / f"{name}{SUFFIX}"
        self._to_send: list[Evidence] = []
        self._received: list[Evidence] = []
        self._read: dict[str, int] = {}
        self._first, self._turn = True, 0
        self._thread: threading.Thread | None = None
        self._due = 0.0
        self._warned = False

    def add(self, evidence: Evidence) -> None:
        self._to_send.append(evidence)

    def poll(self) -> list[Evidence]:
        """Return what was received since the last call; start an exchange if one is due."""
        if self._thread is not None and self._thread.is_alive():
            return []
        received, self._received = self._received, []
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + SECONDS
            sent, self._to_send = self._to_send, []
            self._thread = self._started(self.exchange, sent)
        return received

    async def send(self, evidence: Evidence) -> None:
        """Write evidence at once, as the process may end at any time; wait up to `SECONDS`."""
        await asyncio.to_thread(self._started(self._write, [evidence]).join, SECONDS)

    def _started(
        self, work: Callable[[list[Evidence]], None], sent: list[Evidence]
    ) -> threading.Thread:
        def run() -> None:
            try:
                work(sent)
            except OSError as error:
                if not self._warned:
                    log.warning("No evidence is exchanged with other replicas: %s.", error)
                self._warned = True

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def exchange(self, sent: list[Evidence]) -> None:
        """Write evidence and read that of others; raise OSError if the folder can't be used."""
        self._write(sent)
        others = sorted(path for path in self._own.parent.glob(f"*{SUFFIX}") if path != self._own)
        turns = max(1, -(-len(others) // FILES_AT_ONCE))
        self._turn = (self._turn + 1) % turns
        for path in others if self._first else others[self._turn :: turns]:
            with contextlib.suppress(FileNotFoundError):
                self._received += self._new_lines(path)
        self._received = self._received[-MOST_LINES:]
        self._first = False

    def _write(self, sent: list[Evidence]) -> None:
        make_folder(self._own.parent)
        if sent:
            with contextlib.closing(JsonLines(self._own)) as file:  # with threads
                file.write(b"".join(map(line_of, sent)))

    def _new_lines(self, path: Path) -> list[Evidence]:
        """Return the evidence that was appended to a file; nothing at the first exchange."""
        size = path.stat().st_size
        start = size if self._first else self._read.get(path.name, 0)
        if not start < size:
            self._read[path.name] = size
            return []
        with path.open("rb") as file:
            file.seek(max(start, size - MOST_BYTES))
            content = file.read(size - max(start, size - MOST_BYTES))
        whole = content[: content.rfind(b"\n") + 1]
        self._read[path.name] = size - (len(content) - len(whole))
        return [evidence for line in whole.splitlines() if (evidence := _parsed(line)) is not None]


def _parsed(line: bytes) -> Evidence | None:
    """Return the evidence of a line, or None if it is damaged."""
    try:
        evidence = read_evidence(parse_json(line))
    except (ValueError, TypeError):
        return None
    level = evidence.level
    if not evidence.size:  # nobody sends that
        return None
    return evidence._replace(level=None if level is None else round(level, 2))


def read_evidence(values: Sequence[Any]) -> Evidence:
    """Return the evidence that a file has.

    Raises:
        ValueError, TypeError: it is damaged.
    """
    evidence = Evidence(*values)
    task, level, right, cut, size, limit = evidence
    are_texts = isinstance(task, str) and isinstance(limit, str | None)
    are_counts = {type(right), type(cut), type(size)} == {int}
    if not (are_texts and are_counts and is_level(level)):
        raise ValueError("values of other types")
    if not 0 <= right <= size - cut <= size <= MOST_COMPLETIONS:
        raise ValueError("impossible numbers")
    return evidence


# What is learned from it


class Learning:
    """Passes evidence to the difficulty and to other replicas, after it was recorded.

    Of what others send, only that on `tasks` counts: each further name would stay in memory.
    """

    def __init__(
        self, difficulty: Difficulty, record: Callable[..., None], tasks: Collection[str]
    ) -> None:
        self._difficulty = difficulty
        self._tasks = tasks
        self._room = difficulty.room
        self._record = record
        self._shared: SharedEvidence | None = None
        self._received: deque[Evidence] = deque()

    def share(self, shared: SharedEvidence) -> None:
        self._shared = shared

    def group(self, problem: Problem, scores: Sequence[float], cut: Sequence[bool]) -> float | None:
        """Learn from one group; return the new level of its task if the curriculum moved."""
        right = sum(right_answers(scores, cut))
        group = Evidence(problem.task, problem.level, right, sum(cut), len(scores))
        if self._shared is not None and scores:
            self._shared.add(group)
        return self._learn(group, scores, cut)

    def prompts(self, task: str, level: float | None, *, fits: int, too_long: int) -> None:
        if self._shared is not None:
            counts = fits, too_long, fits + too_long
            self._shared.add(Evidence(task, level, *counts, limit=self._room.limit))
        self.count_prompts(task, level, fits, too_long)

    def unasked(self, problem: Problem) -> None:
        """Learn from a problem that could not be asked, because its prompt is too long."""
        task, level = problem.task, problem.level
        self._record("learned", *Evidence(task, level, 0, 1, 1, limit=self._room.limit))
        self.prompts(task, level, fits=0, too_long=1)

    async def poll(self) -> None:
        """Learn from what other replicas have sent, and let others work after each group.

        Cancelling this loses nothing: the next call goes on.
        """
        received = self._shared.poll() if self._shared else []
        self._received.extend(one for one in received if one.task in self._tasks)
        while self._received:
            self.evidence(self._received.popleft())
            await asyncio.sleep(0)

    def evidence(self, evidence: Evidence) -> None:
        """Learn from evidence of another replica, or of this run before it was resumed."""
        task, level, right, cut, _, limit = evidence
        if limit is None:
            self._learn(evidence, *evidence.completions())
        elif self._room.believes(limit):
            self._record("learned", *evidence)
            self.count_prompts(task, level, right, cut)

    def count_prompts(self, task: str, level: float | None, fits: int, too_long: int) -> None:
        """Count prompts for the room alone, and say if that was the end of a task."""
        served = self._room.serves(task)
        self._room.observe(task, level, fits=fits, too_long=too_long)
        if served and not self._room.serves(task):
            log.warning(
                "%s is asked no more: its prompts leave no room for an answer. Leave it out, or "
                "raise the limit.",
                task,
            )

    def _learn(self, group: Evidence, scores: Sequence[float], cut: Sequence[bool]) -> float | None:
        self._record("learned", *group)
        return self._difficulty.observe(group.task, group.level, scores, cut)
