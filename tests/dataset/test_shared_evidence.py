"""rgenv/dataset/shared_evidence.py: evidence of other replicas."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.shared_evidence import MOST_LINES, Evidence, Learning, SharedEvidence

ONE = Evidence("gcd", 0.35, right=5, cut=1, size=8)
TWO = Evidence("acre", None, right=0, cut=0, size=8)
PROMPTS = Evidence("gcd", 0.9, right=0, cut=6, size=6, limit="5f2c")


def replicas(folder: Path, count: int) -> list[SharedEvidence]:
    """Return replicas that have looked into the folder once."""
    made = [SharedEvidence(folder / "evidence", f"replica{n}of{count}") for n in range(count)]
    for each in made:
        each.exchange([])
    return made


def received(shared: SharedEvidence) -> list[Evidence]:
    """Exchange nothing and return what the others sent."""
    shared.exchange([])
    found, shared._received = shared._received, []
    return found


def test_each_replica_gets_the_evidence_of_all_others_once(tmp_path: Path) -> None:
    """Its own evidence does not come back."""
    first, second, third = replicas(tmp_path, 3)
    first.exchange([ONE, TWO, PROMPTS])
    second.exchange([TWO])
    assert received(third) == [ONE, TWO, PROMPTS, TWO]
    assert received(third) == []
    assert received(first) == [TWO]
    first.exchange([ONE])
    assert received(third) == [ONE]


def test_what_was_written_before_the_start_is_not_read(tmp_path: Path) -> None:
    """It may be of another run; a replica that joins later is read from its beginning."""
    first, _ = replicas(tmp_path, 2)
    first.exchange([ONE])
    late = SharedEvidence(tmp_path / "evidence", "late")
    assert received(late) == []
    late.exchange([TWO])
    assert received(first) == [TWO]


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    """An unfinished line is read once it is whole; nonsense never is."""
    [first] = replicas(tmp_path, 1)
    path = tmp_path / "evidence" / "other.jsonl"
    lines = ["{}", "[1]", '["gcd", 2.0, 1, 0, 8, null]', '["gcd", 0.5, 9, 0, 8, null]', "\x00"]
    lines += [f'["gcd", 0.5, 1, 0, {size}, null]' for size in (-1, "1e99", "[]", 10**8, 10**400)]
    lines += ['["gcd", 0.5, 0, 0, 0, null]']
    path.write_text("\n".join([*lines, '["gcd", 0.35, 5, 1, 8, nu']))
    assert received(first) == []
    with path.open("a") as file:
        file.write("ll]\n")
    assert received(first) == [ONE]


def test_a_long_file_is_read_from_its_end(tmp_path: Path) -> None:
    """One exchange reads a bounded number of bytes, and the newest."""
    [first] = replicas(tmp_path, 1)
    line = '["gcd", 0.35, 5, 1, 8, null]\n'
    (tmp_path / "evidence" / "other.jsonl").write_text(line * 20_000)
    found = received(first)
    assert len(found) == MOST_LINES
    assert received(first) == []


def test_many_replicas_are_read_in_turns(tmp_path: Path) -> None:
    """With more files than one exchange reads, each is read after a few exchanges."""
    [first] = replicas(tmp_path, 1)
    for number in range(150):
        (tmp_path / "evidence" / f"{number}.jsonl").write_text(f'["t{number}",0.5,1,0,2,null]\n')
    found = [evidence.task for _ in range(3) for evidence in received(first)]
    assert sorted(found) == sorted(f"t{number}" for number in range(150))


async def test_a_folder_that_cannot_be_used_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on without evidence of others."""
    (tmp_path / "file").write_text("")
    shared = SharedEvidence(tmp_path / "file" / "evidence", "a")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await shared.send(ONE)
    assert caplog.text.count("No evidence is exchanged") == 1
    assert shared.poll() == []


async def test_much_evidence_is_learned_in_small_steps(tmp_path: Path) -> None:
    """Others work in between; whoever is cancelled leaves the rest to the next one, in order.

    Evidence on tasks that are not asked here is left out, however many names it has.
    """
    [shared] = replicas(tmp_path, 1)
    sent = [Evidence("gcd", 0.3, right=number % 9, cut=0, size=8) for number in range(MOST_LINES)]
    others = [Evidence(f"task {number}", 0.3, 1, 0, 8) for number in range(MOST_LINES)]
    shared._received = [*others, *sent]
    learned: list[tuple[Any, ...]] = []
    learning = Learning(Difficulty("curriculum"), lambda *event: learned.append(event), ["gcd"])
    learning.share(shared)
    first, second = (asyncio.create_task(learning.poll()) for _ in range(2))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert 0 < len(learned) < 10
    first.cancel()
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    await learning.poll()
    assert learned == [("learned", *evidence) for evidence in sent]
