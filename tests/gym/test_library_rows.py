"""rgenv/gym/recipes.py, rgenv/worker/problem_maker.py: rows score as the recipes do."""

import io
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy
import pyarrow
import pytest
import reasoning_gym
from pyarrow import parquet
from reasoning_gym.factory import DATASETS

from rgenv import ReasoningGym
from rgenv.errors import BadUsage, MakeFailed
from rgenv.gym.recipes import MOST_BYTES
from rgenv.tasks.registry import record_of
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.configs import random_config

Row = dict[str, Any]
QUICK = ["gcd", "rearc", "graph_color", "number_sorting", "family_relationships"]
UNLIKE = {"isomorphic_strings", "polynomial_multiplication", "ransom_note"}
"""Their questions depend on the hashes of texts, which each process has of its own."""
UNPROVABLE = "no answer to the question of this row is provably right"
GCD = {
    "question": "Find the Greatest Common Divisor (GCD) of these numbers: 12, 18.",
    "answer": "6",
    "metadata": {"source_dataset": "gcd", "numbers": [12, 18], "result": 6},
}


@pytest.fixture(scope="module")
def gym() -> Iterator[ReasoningGym]:
    with ReasoningGym(workers=2) as made:
        yield made


def library_row(task: str, seed: int, config: Row) -> Row:
    """Return a row as the library writes it, of the problem that the recipe makes."""
    if (item := record_of(task).item) is not None:
        size, index = item(seed)
        entry = reasoning_gym.create_dataset(task, size=size, seed=seed, **config)[index]
    else:
        entry = ProblemMaker(strict=False).make(task, seed, config).entry
    return {name: entry[name] for name in ("question", "answer", "metadata")}


def through_parquet(plain: Sequence[Row]) -> list[Row]:
    """Return rows of a file with metadata as columns, or as text where they have no one type."""
    file = io.BytesIO()
    try:
        table = pyarrow.Table.from_pylist(plain)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        table = pyarrow.Table.from_pylist(
            [{**row, "metadata": json.dumps(row["metadata"])} for row in plain]
        )
    parquet.write_table(table, file)
    return parquet.read_table(file).to_pylist()


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, marks=pytest.mark.slow if task in QUICK else pytest.mark.soak)
        for task in sorted(DATASETS.keys() - {"composite"})
    ],
)
def test_rows_score_as_their_recipes(gym: ReasoningGym, task: str) -> None:
    """With default parameters and random ones, which may make no problem."""
    rng, problems = Random(task), []
    for seed in range(4 if task in QUICK else 20):
        config = {} if seed % 2 else random_config(task, rng)
        try:
            problems.append(gym.make(task, seed, config=config))
        except MakeFailed:
            problems.append(gym.make(task, seed, config={}))
    rows = [library_row(task, one.seed, dict(one.config)) for one in problems]
    answers = [problem.answer or "0" for problem in problems]
    plain = [json.loads(json.dumps(row)) for row in rows]
    kept = list(zip(plain, through_parquet(plain), strict=True))
    for n, problem in enumerate(problems):
        if task in UNLIKE:
            assert gym.score(kept[n][0], [f"<answer>{rows[n]['answer']}</answer>"]) == [1.0]
            continue
        assert problem.question.startswith(rows[n]["question"])
        said = [answers[n], rows[n]["answer"] or "1", answers[n - 1], f"{answers[n]}1", "yes"]
        texts = [f"<answer>{text}</answer>" for text in said]
        wanted = [(one.score, one.kind) for one in gym.verdicts(problem, texts)]
        for row in kept[n]:
            verdicts = gym.verdicts(row, texts)
            found = [(one.score, one.kind) for one in verdicts]
            unprovable = not problem.winnable and all(UNPROVABLE in v.detail for v in verdicts)
            assert found == wanted or unprovable, (problem, wanted, verdicts)


@pytest.mark.slow
def test_an_entry_is_found_where_trainers_keep_it(gym: ReasoningGym) -> None:
    """An entry may be a value of its row or JSON; what pandas and numpy make of it is read."""
    written = {**GCD, "metadata": json.dumps(GCD["metadata"])}
    arrays = {**GCD, "metadata": {**GCD["metadata"], "numbers": numpy.array([12, 18])}}
    unnamed = {**GCD, "metadata": {"numbers": [12, 18]}, "task": "gcd"}
    rows = [
        json.dumps(GCD),
        written,
        arrays,
        unnamed,
        {"prompt": [], "extra_info": {"index": 3, "entry": json.dumps(written)}},
        {"verification_info": json.dumps({"reasoning_gym_entry": GCD})},
    ]
    texts = ["<answer>6</answer>", "<answer>5</answer>"]
    assert [gym.score(row, texts) for row in rows] == [[1.0, 0.0]] * 6
    assert gym.score_many([(row, texts[0]) for row in rows[:4]]) == [1.0] * 4


@pytest.mark.slow
def test_nothing_of_a_row_is_executed(gym: ReasoningGym, tmp_path: Any) -> None:
    """A program is run only if it is the library's; other questions have no provable answer."""
    row = library_row("codeio", 2, {})
    mark = tmp_path / "mark"
    head, tip, _ = row["question"].partition("but not copy spans of code directly.\n\n")
    code = f"open({str(mark)!r}, 'w')\ndef main_solution(**_): return 1\n"
    foreign = {**row, "question": head + tip + code, "answer": "1"}
    [verdict] = gym.verdicts(foreign, ["<answer>1</answer>"])
    assert verdict.failed and UNPROVABLE in verdict.detail and not mark.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**GCD, "answer": 6}, "have to be texts"),
        ({**GCD, "metadata": {}}, "names no task"),
        ({**GCD, "metadata": "none"}, "no mapping"),
        ({**GCD, "metadata": {"source_dataset": "gdc"}}, "Did you mean gcd"),
        ({**GCD, "metadata": {"source_dataset": "gcd", "x": object()}}, "not JSON serializable"),
        ({**GCD, "question": "x" * MOST_BYTES}, "more than"),
        ({"question": "x"}, "is not a recipe"),
    ],
)
def test_a_row_that_cannot_be_read_is_a_sentence(gym: ReasoningGym, row: Row, said: str) -> None:
    with pytest.raises(BadUsage, match=said):
        gym.score(row, ["<answer>6</answer>"])
