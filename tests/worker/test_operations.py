"""rgenv/worker/operations.py: a worker answers requests to make, score and solve problems."""

import io
import json
from typing import Any

import pytest
import reasoning_gym

from rgenv.pool.pool import WorkerPool
from rgenv.worker import operations
from rgenv.worker.protocol import WorkerSettings
from tests.support.worker_program import exchange, no_ids, unlabelled


def make(task: str, seed: int, **more: Any) -> dict[str, Any]:
    """Return a make request."""
    request = {"op": "make", "task": task, "seed": seed, "level": None, "config": {}}
    return {**request, "select": False, **more}


def score(task: str, seed: int, *answers: str) -> dict[str, Any]:
    """Return a score request."""
    return {"op": "score", "task": task, "seed": seed, "config": {}, "answers": answers}


def test_a_worker_greets_makes_scores_and_ends_with_its_stdin() -> None:
    """The greeting comes first, then the replies in the order of the requests."""
    hello, problem, made, right, wrong = exchange(
        make("chain_sum", 7), score("chain_sum", 7, "156", "7")
    )
    assert hello["ready"] and hello["version"] == "0.1.25" and len(hello["tasks"]) == 106
    assert "60 + 93 - 16 + 19" in problem["question"]
    assert (problem["answer"], problem["config"], problem["winnable"]) == ("156", {}, True)
    assert made == {"made": True}
    assert right["raw"] == 1.0 > wrong["raw"]


def test_a_failing_request_has_a_reply() -> None:
    """A failure is a reply, and the worker answers the next request."""
    _, unknown, failed, problem = exchange(
        make("no_such_task", 1), make("gcd", 1, config={"min_numbers": -1}), make("gcd", 1)
    )
    assert "no_such_task" in unknown["failed"]
    assert "failed" in failed
    assert problem["answer"]


TASKS_WITH_STATE = """
codeio list_functions pool_matrix isomorphic_strings ransom_note polynomial_multiplication
knight_swap word_ladder intermediate_integration
"""
"""Tasks that use global generators, hash order or class attributes."""


def test_a_recipe_makes_the_same_problem_in_any_order_in_any_worker() -> None:
    """Global generators, hash order and class attributes leave no trace between problems."""
    recipes = [make(task, 1) for task in TASKS_WITH_STATE.split()]
    recipes += [make("decimal_arithmetic", 1)]
    recipes += [make("decimal_chain_sum", n, level=1.0) for n in range(4)]
    recipes += [make("codeio", 26), make("codeio", 43), make("list_functions", 74)]
    recipes += [make("codeio", 2, config={"difficulty": 7}), make("codeio", 2)]
    forward = exchange(*recipes)[1:]
    backward = exchange(*reversed(recipes))[1:][::-1]
    repeated = exchange(*recipes, *recipes)[1 + len(recipes) :]
    assert forward == backward == repeated


async def test_limits_hold_for_the_parts_of_a_composite(pool: WorkerPool) -> None:
    """An answer to a part of a composite is refused by the limits of the part's task."""
    config = {"datasets": [{"name": "rush_hour"}]}
    problem = await pool.make("composite", 3, config=config)
    [verdict] = await pool.score(problem, ["A+999999999"])
    assert verdict.kind == "rejected"


async def test_the_better_form_counts(pool: WorkerPool) -> None:
    """Each answer is scored with and without tags, and the higher score counts."""
    problem = await pool.make("spell_backward", 3)
    verdicts = await pool.score(problem, [str(problem.answer), "wrong", "<answer>"])
    for verdict in verdicts:
        assert verdict.raw is not None and verdict.tagged is not None
        assert verdict.score == max(verdict.raw, verdict.tagged)
    assert verdicts[0].raw == 1.0 > verdicts[0].tagged


async def test_an_exception_in_one_form_is_reported() -> None:
    """If the verifier raises on the tagged form, the raw form's score counts."""
    async with WorkerPool(workers=1, spares=0, settings=WorkerSettings(strict=False)) as pool:
        problem = await pool.make("prime_factorization", 3)
        [verdict] = await pool.score(problem, [str(problem.answer)])
    assert (verdict.score, verdict.kind) == (1.0, "scored")
    assert verdict.tagged is None and "tagged: ValueError" in verdict.detail


async def test_a_problem_that_cannot_be_won_is_marked(pool: WorkerPool) -> None:
    """Problems of `ab` with an empty answer are not winnable."""
    problems = [await pool.make("ab", seed) for seed in range(40)]
    assert {problem.winnable for problem in problems} == {True, False}
    assert all(problem.winnable == bool(problem.answer) for problem in problems)


@pytest.mark.parametrize("seed", [1000, 1001])
async def test_questions_are_the_librarys_own(pool: WorkerPool, seed: int) -> None:
    """A question that needs no correction is passed on unchanged."""
    problem = await pool.make("spell_backward", seed)
    entry = reasoning_gym.create_dataset("spell_backward", size=1, seed=seed)[0]
    assert problem.question == entry["question"]


def verdict_of(verifier: Any, task: str = "gcd", answer: str = "4") -> dict[str, Any]:
    """Return the reply for one answer and a given verifier."""
    return operations.score_answer(verifier, task, answer)


def test_scores_are_finite_and_in_range() -> None:
    """A score outside [0, 1] is brought to its end; what is no number is an error."""
    for value, score in ((1.0 + 1e-9, 1.0), (2.0, 1.0), (float("inf"), 1.0), (-1.0, 0.0)):
        assert verdict_of(lambda text, value=value: value) == {"raw": score, "tagged": score}
    assert verdict_of(lambda text: float("nan"))["raw_error"] == "the verifier returned NaN"


def test_an_answer_beyond_the_limits_never_reaches_the_verifier() -> None:
    """The reply to a refused answer holds the reason and nothing else."""
    asked: list[str] = []
    reply = verdict_of(lambda text: asked.append(text) or 1.0, "rush_hour", "A+999999999")
    assert reply == {"rejected": "moves that add up to 999999999 steps"}
    assert asked == []


def test_a_reason_can_be_sent_whatever_it_quotes() -> None:
    """Lone surrogates in a message are replaced, because the parent takes none."""

    def quote(text: str) -> float:
        raise ValueError(f"what is {text}?")

    reply = verdict_of(quote, answer="\ud800")
    assert reply["raw_error"] == "ValueError: what is ??"
    assert json.dumps(reply, ensure_ascii=False).encode()


def test_requests_are_answered_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every id has one reply, in order, and CPU time is granted anew for each of them."""
    granted: list[float] = []
    monkeypatch.setattr(operations.sandbox, "allow_cpu_seconds", granted.append)
    lines = [make("gcd", 1), score("gcd", 1, "1"), {**make("gcd", 1), "op": "solve"}]
    ids = iter("0123")
    asked = [{"ids": [next(ids) for _ in no_ids(line)], **line} for line in lines]
    requests = io.BytesIO("".join(json.dumps(line) + "\n" for line in asked).encode())
    replies = io.BytesIO()
    operations.serve(requests, replies, operations.ProblemMaker(), cpu_seconds=30.0)
    sent = list(map(json.loads, replies.getvalue().splitlines()))
    assert [reply["id"] for reply in sent] == ["0", "1", "2", "3"]
    problem, made, _, solved = map(unlabelled, sent)
    assert made == {"made": True} and solved == {"answer": problem["answer"]}
    assert granted == [30.0] * (len(lines) + 4)


def test_an_inspection_names_rules_and_the_work() -> None:
    """It has the answers of the rules that do not solve the problem."""
    request = {"op": "inspect", "task": "string_insertion", "seed": 7, "config": {}, "answers": []}
    _, inspection = exchange(request)
    assert "one rule after the other" in inspection["shortcuts"] and inspection["work"] >= 0


def test_a_problem_at_a_level_is_made_again_from_the_drawn_seed() -> None:
    """The seed of the reply makes the same question without a level and without drawing."""
    _, drawn = exchange(make("string_insertion", 7, level=0.0, select=True))
    _, again = exchange(make("string_insertion", drawn["seed"], config=drawn["config"]))
    assert again["question"] == drawn["question"] and again["seed"] == drawn["seed"]
