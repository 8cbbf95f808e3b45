"""The rules of the stand-in policy: right answers for their own tasks, None for other texts."""

import subprocess
import sys
import time

import pytest
import reasoning_gym
from hypothesis import given
from hypothesis import strategies as st
from reasoning_gym.factory import DATASETS

from demo.rules import SOLVED_TASKS, answer
from demo.rules.arithmetic import evaluate
from demo.rules.table import RULES
from tests.support.paths import ROOT

SEEDS = range(25)
UNANSWERABLE = {("simple_equations", 13)}  # the question is to solve "0 = 0"


def category(task: str) -> str:
    return DATASETS[task][0].__module__.split(".")[1]


@pytest.mark.parametrize("task", SOLVED_TASKS)
def test_the_verifier_agrees(task: str) -> None:
    """The task's own verifier gives every answer of its rule a score of 1.0."""
    for seed in SEEDS:
        if (task, seed) in UNANSWERABLE:
            continue
        dataset = reasoning_gym.create_dataset(task, size=1, seed=seed)
        given_answer = answer(dataset[0]["question"])
        assert dataset.score_answer(given_answer, dataset[0]) == 1.0, (seed, given_answer)


def test_enough_tasks_of_enough_kinds() -> None:
    """The rules cover at least fourteen tasks in at least six categories."""
    assert len(SOLVED_TASKS) >= 14
    assert len({category(task) for task in SOLVED_TASKS}) >= 6


@pytest.mark.parametrize("task", sorted(set(DATASETS) - {"composite"}))
def test_no_rule_matches_another_tasks_question(task: str) -> None:
    """A question is matched by the rule of its own task or by none."""
    question = reasoning_gym.create_dataset(task, size=1, seed=3)[0]["question"]
    recognised = [rule.task for rule in RULES if rule.pattern.search(question)][:1]
    assert recognised == ([task] if task in SOLVED_TASKS else [])


@given(text=st.text())
def test_any_text_is_harmless(text: str) -> None:
    """A text without a rule gives None, never an exception."""
    assert answer(text) is None


@pytest.mark.parametrize(
    "question",
    [
        "Simplify the fraction 1/0 to its lowest terms",
        "Find the value of x in the equation: x = = 2",
        "Calculate 1 / 0.",
        "Calculate " + "(" * 5000 + ".",
        "Find the prime factorization of 1" + "0" * 5000 + ".",
        "convert the base-99 number 12 to base-3",
        "there are between 1 and 99999999999 (inclusive) : how many prime numbers there are "
        "between 1 and 99999999999 (inclusive)",
        "how many legs are there in total if you have 3 unicorns?",
        "This is a BF (Brainf*ck) program\n\n+[]\n",
        "This is a BF (Brainf*ck) program\n\n][\n",
        "Solve the following task:\n|1 2|2 1/3 1 =",
    ],
)
def test_nonsense_is_not_answered(question: str) -> None:
    """A question that matches a pattern but makes no sense gives None."""
    assert answer(question) is None


@pytest.mark.parametrize("piece", ["1 ", "1 0\n", "a\n", "Calculate . ", "a is b. ", "|1 2", " "])
def test_long_texts_take_no_time(piece: str) -> None:
    """Patterns take linear time: a text of 100,000 characters is rejected quickly."""
    text = piece * (100_000 // len(piece))
    begin = time.perf_counter()
    assert answer(text) is None
    assert time.perf_counter() - begin < 20


@pytest.mark.parametrize("text", ["__import__('os')", "x", "1 if 1 else 2", "2**9", "'a'*3"])
def test_expressions_are_arithmetic_only(text: str) -> None:
    """The evaluator computes + - * / of numbers and rejects anything else."""
    with pytest.raises(ValueError):
        evaluate(text)


def test_the_policy_does_not_use_the_library() -> None:
    """Neither the policy nor its server imports reasoning-gym."""
    code = "import demo.policy_server, sys; assert 'reasoning_gym' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)
