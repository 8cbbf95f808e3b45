"""Right answers score 1.0, blind ones 0.0, and junk does no harm."""

from __future__ import annotations

import itertools
import time

import pytest

from rgenv.task_names import KNOWN_TASKS
from rgenv.worker.operations import score_answer
from rgenv.worker.problem_maker import ProblemMaker
from rgenv.worker.scoring import verify
from tests.support.entries import answered, made, scored
from tests.support.records import EXACT_TEXT, VERIFIERS

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
"""Number of entries to try for tasks whose entries are slow to make; 25 for the others."""


pytestmark = pytest.mark.usefixtures("guarded")


@pytest.mark.parametrize("task", sorted(VERIFIERS))
def test_right_answers_score_one(task: str) -> None:
    """A right answer scores 1.0 at the default parameters and at three levels."""
    for level, seeds in ((None, SLOW.get(task, 25)), (0.0, 2), (0.5, 2), (1.0, 2)):
        for seed, answer in answered(task, seeds, level):
            assert scored(task, answer, seed, level) == 1.0, (seed, level, answer)


@pytest.mark.parametrize("task", sorted(set(VERIFIERS) - {"boxnet", "rush_hour"}))
def test_answers_of_other_entries_score_low(task: str) -> None:
    """Right answers to other entries, bare or wrapped in text, score little on average."""
    answers = list(answered(task, SLOW.get(task, 12)))
    scores = [
        scored(task, form.format(answer), seed)
        for (seed, right), (_, answer) in itertools.pairwise(answers)
        for form in ("{}", "{} blah", "1{}")
        if answer != right
    ]
    wrong = [score for score in scores if score < 1.0]  # another entry's answer may be right here
    assert sum(wrong) <= 0.2 * len(scores)


@pytest.mark.parametrize("task", EXACT_TEXT)
def test_texts_that_contain_the_right_answer_score_zero(task: str) -> None:
    """Any addition to the right answer but surrounding whitespace makes it wrong."""
    for seed, answer in answered(task, 5):
        assert scored(task, f"  {answer}\n", seed) == 1.0
        for text in (f"1{answer}", f"{answer}1", f"{answer} blah blah", f"{answer}\n{answer}"):
            assert scored(task, text, seed) == 0.0, text


def test_every_verifier_belongs_to_a_known_task() -> None:
    """Every name in VERIFIERS is a task; a misspelt one would leave its task to the library."""
    assert set(VERIFIERS) <= set(KNOWN_TASKS)


def test_a_task_without_our_verifier_keeps_the_librarys_score() -> None:
    """A task that is not in VERIFIERS gets the library's score."""
    assert verify("gcd_of_another_library", "4", {"answer": "5"}, lambda answer: 0.25) == 0.25


def test_the_tagged_form_scores_zero() -> None:
    """Our verifiers give the tagged form of an answer 0.0."""
    entry = {"answer": "<answer>4</answer>", "metadata": {}, "question": ""}
    assert verify("gcd", "<answer>4</answer>", entry, lambda answer: 1.0) == 0.0


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
def test_wrong_constants_score_next_to_nothing(task: str) -> None:
    """Constant answers that are wrong score at most 0.02 on average."""
    seeds = range(SLOW.get(task, 12))
    for constant in CONSTANTS:
        scores = [scored(task, constant, seed) for seed in seeds]
        wrong = [score for score in scores if score < 1.0]
        assert sum(wrong) <= 0.02 * len(scores), constant


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
SECONDS = 10.0
"""CPU seconds for both forms of an answer; enough for a slow machine, too few for a hang."""


@pytest.mark.parametrize("task", sorted(VERIFIERS))
def test_hostile_texts_are_scored_quickly(task: str) -> None:
    """Every hostile text is scored or rejected in time, without an exception."""
    dataset, entry = made(task, 1)
    problems = ProblemMaker()

    def verifier(text: str) -> float:
        return problems.score(task, dataset, entry, text)

    for name, text in HOSTILE.items():
        started = time.process_time()
        reply = score_answer(verifier, task, text)
        assert time.process_time() - started < SECONDS, name
        assert "rejected" in reply or "raw_error" not in reply, (name, reply)
