"""rgenv/worker/verifiers: right answers keep their score, blind ones earn nothing, junk is harmless."""

from __future__ import annotations

import functools
import itertools
import json
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from rgenv.tasks import KNOWN_TASKS
from rgenv.worker import guard, labels, levels
from rgenv.worker.operations import Problems, score_answer
from rgenv.worker.verifiers import VERIFIERS, verify
from rgenv.worker.verifiers.exact import SAME_TEXT

SLOW = {
    "arc_agi": 3,
    "codeio": 8,
    "futoshiki": 6,
    "group_anagrams": 8,
    "knight_swap": 6,
    "sokoban": 6,
    "intermediate_integration": 6,
    "figlet_font": 8,
}
"""Tasks whose items take long to make: how many of them are tried, instead of 25."""


@pytest.fixture(scope="module", autouse=True)
def guarded() -> Iterator[None]:
    """Verifiers meet answers behind the guard, as in a worker."""
    guard.install()
    yield
    guard.take_rejection()


@functools.cache
def made(task: str, seed: int, level: float | None = None) -> tuple[Any, Any]:
    """A data set and its entry."""
    import numpy
    import reasoning_gym

    random.seed(seed)
    numpy.random.seed(seed)
    config = {} if level is None else levels.level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed, **config)
    return dataset, dataset[0]


def scored(
    task: str, answer: str, seed: int = 0, level: float | None = None, strict: bool = True
) -> float:
    """What a worker makes of both forms of an answer."""
    dataset, entry = made(task, seed, level)
    problems = Problems(strict=strict)
    reply = score_answer(lambda text: problems.score(task, dataset, entry, text), task, answer)
    return max(reply.get("raw") or 0.0, reply.get("tagged") or 0.0)


def right_answer(task: str, entry: Any) -> str | None:
    """The answer of an entry, from its metadata where it gives none."""
    metadata = entry["metadata"]
    if task == "graph_color":
        return json.dumps(metadata["possible_answer"])
    if task == "propositional_logic":
        mended = labels.corrected(task, entry)
        return mended and mended["metadata"]["example_answer"]
    answer = metadata["example_correct_answer"] if task == "rubiks_cube" else entry["answer"]
    return answer or None


def answered(task: str, seeds: int, level: float | None = None) -> Iterator[tuple[int, str]]:
    """Seeds of entries that can be won, with a right answer to each."""
    for seed in range(seeds):
        dataset, entry = made(task, seed, level)
        answer = right_answer(task, entry)
        if answer is None:
            continue
        # the library does not take a single variable for a conclusion
        if task == "propositional_logic" or dataset.score_answer(answer, entry) >= 1.0:
            yield seed, answer


@pytest.mark.parametrize("task", sorted(VERIFIERS))
def test_right_answers_score_one(task: str) -> None:
    """The entry's own answer is right at default parameters and at every level."""
    for level, seeds in ((None, SLOW.get(task, 25)), (0.0, 2), (0.5, 2), (1.0, 2)):
        for seed, answer in answered(task, seeds, level):
            assert scored(task, answer, seed, level) == 1.0, (seed, level, answer)


@pytest.mark.parametrize("task", sorted(set(VERIFIERS) - {"boxnet", "rush_hour"}))
def test_answers_of_other_items_earn_little(task: str) -> None:
    """A wrong answer of the right shape earns less than a half on average, however it is
    wrapped."""
    items = list(answered(task, SLOW.get(task, 12)))
    earned = [
        scored(task, form.format(answer), seed)
        for (seed, right), (_, answer) in itertools.pairwise(items)
        for form in ("{}", "{} blah", "1{}")
        if answer != right
    ]
    wrong = [score for score in earned if score < 1.0]  # another item's may be right here too
    assert sum(wrong) <= 0.2 * len(earned)


@pytest.mark.parametrize("task", SAME_TEXT)
def test_texts_that_hold_the_right_answer_are_wrong(task: str) -> None:
    """More than the right answer is not the right answer, space around it apart."""
    for seed, answer in answered(task, 5):
        assert scored(task, f"  {answer}\n", seed) == 1.0
        for text in (f"1{answer}", f"{answer}1", f"{answer} blah blah", f"{answer}\n{answer}"):
            assert scored(task, text, seed) == 0.0, text


def test_tasks_of_one_right_text_are_compared_so_by_the_library() -> None:
    """Where text is all that counts here, the library knows no other equality either."""
    from reasoning_gym.dataset import ProceduralDataset
    from reasoning_gym.factory import DATASETS

    own = [
        task
        for task in SAME_TEXT
        if DATASETS[task][0].score_answer is not ProceduralDataset.score_answer
    ]
    assert own == ["circuit_logic"]  # strips the answer, then compares


def test_every_verifier_is_of_a_known_task() -> None:
    """A name that is misspelt would leave its task to the library."""
    assert set(VERIFIERS) <= set(KNOWN_TASKS)


def test_a_task_without_a_verifier_of_ours_has_the_librarys() -> None:
    """What is not known to be wrong stays as the library judges it."""
    assert verify("gcd_of_another_library", "4", {}, lambda answer: 0.25) == 0.25


def test_tags_add_nothing() -> None:
    """An answer in tags is not scored a second time."""
    entry = {"answer": "<answer>4</answer>", "metadata": {}, "question": ""}
    assert verify("gcd", "<answer>4</answer>", entry, lambda answer: 1.0) == 0.0


# Constants.

CONSTANTS = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1/2",
    "nan",
    "inf",
    "-inf",
    "None",
    "True",
    "False",
    "Yes",
    "No",
    "A",
    "[]",
    "{}",
    '""',
    "x",
    "I don't know",
    "[NaN, NaN, NaN, NaN, NaN]",
    "12:00",
    "30 days",
    "30 days, 12:00",
    "Monday",
    "1*1*4*6",
    "[[0]]",
    "(P ∨ ¬P)",
    "P",
    "A1",
    "R",
    "A → B",
]


@pytest.mark.parametrize("task", sorted(VERIFIERS))
def test_constants_earn_only_where_they_are_right(task: str) -> None:
    """No constant earns partial credit worth mentioning."""
    seeds = range(SLOW.get(task, 12))
    for constant in CONSTANTS:
        earned = [scored(task, constant, seed) for seed in seeds]
        partial = [score for score in earned if score < 1.0]
        assert sum(partial) <= 0.02 * len(earned), constant


# Hostile texts.

SIZE = 32_768
HOSTILE = {
    "digits": "9" * SIZE,
    "a number with a point": "9" * 16_000 + "." + "9" * 16_000,
    "an exponent": "1e" + "9" * 4_000,
    "brackets": "(" * (SIZE // 2) + ")" * (SIZE // 2),
    "square brackets": "[" * SIZE,
    "objects": '{"a":' * (SIZE // 5),
    "signs": "-" * SIZE,
    "sums": "1+" * (SIZE // 2) + "1",
    "products": "9×" * (SIZE // 2),
    "connectives": "¬" * 1_000 + "P",
    "commas": "," * SIZE,
    "numbers": "1, " * (SIZE // 3),
    "lines": "1\n" * (SIZE // 2),
    "spaces": " " * SIZE + "x",
    "moves": "LRUD" * (SIZE // 4),
    "buttons": "A → " * (SIZE // 4) + "A",
    "cars": "A+1 B-1 " * (SIZE // 8),
    "superscripts": "²" * SIZE,
    "other digits": "٣" * SIZE,
    "one other digit": "٣",
    "a superscript": "²",
    "surrogates": "\ud800" * 100,
    "nothing visible": "\x00\u200b",
    "empty": "",
}
SECONDS = 2.0
"""Of a processor, for both forms: what hangs takes for ever, and collecting garbage a while."""


@pytest.mark.parametrize("task", sorted(VERIFIERS))
def test_hostile_texts_are_soon_done_with(task: str) -> None:
    """Whatever the text, an answer comes back in milliseconds, and nothing is raised."""
    dataset, entry = made(task, 1)
    problems = Problems()

    def verifier(text: str) -> float:
        return problems.score(task, dataset, entry, text)

    for name, text in HOSTILE.items():
        started = time.process_time()
        reply = score_answer(verifier, task, text)
        assert time.process_time() - started < SECONDS, name
        assert "rejected" in reply or "raw_error" not in reply, (name, reply)
