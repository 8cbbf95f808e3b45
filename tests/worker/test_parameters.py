"""Parameters that a user sets are obeyed, with reasoning-gym's problems and hardened ones."""

import re
from collections.abc import AsyncIterator, Callable
from random import Random

import pytest
import pytest_asyncio

from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.types import Problem
from rgenv.worker.levels import level_config, overridden
from rgenv.worker.protocol import WorkerSettings
from tests.support.configs import random_config

pytestmark = pytest.mark.slow

FROM_SEED = {"acre"}
"""Tasks whose item is not the first of its data set, so that all kinds of items occur."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def library() -> AsyncIterator[WorkerPool]:
    """A worker whose problems are the library's to the letter."""
    async with WorkerPool(workers=1, settings=WorkerSettings(strict=False)) as pool:
        yield pool


@pytest.mark.parametrize("task", sorted({*KNOWN_TASKS} - {COMPOSITE} - FROM_SEED))
async def test_the_library_decides_what_parameters_ask(
    task: str, pool: WorkerPool, library: WorkerPool
) -> None:
    """For parameters by chance, the question is the library's, but for an added sentence."""
    rng = Random(task)
    compared = 0
    for _ in range(6):
        config, seed = random_config(task, rng), rng.randrange(2**31)
        try:
            theirs = await library.make(task, seed, config=config)
            ours = await pool.make(task, seed, config=config)
        except MakeFailed:  # too large for the library
            continue
        assert ours.question.startswith(theirs.question) and ours.config == config
        compared += 1
    assert compared >= 2


def test_an_end_of_a_range_that_a_user_sets_moves_the_other_end_of_the_level() -> None:
    level = level_config("chain_sum", 0.5)
    assert (level["min_terms"], level["max_terms"]) == (7, 8)
    wanted: list[tuple[dict[str, int], tuple[int, int]]] = [
        ({"max_terms": 2}, (2, 2)),
        ({"min_terms": 9}, (9, 9)),
        ({"max_terms": 9, "min_digits": 1}, (7, 9)),
        ({"min_terms": 9, "max_terms": 1}, (9, 1)),  # the library refuses them
    ]
    for config, (least, most) in wanted:
        ends = {"min_terms": least, "max_terms": most}
        assert overridden("chain_sum", 0.5, config) == {**level, **config, **ends}


Read = Callable[[Problem], list[float]]


def _found(pattern: str, measure: Callable[[str], float] | None = None) -> Read:
    """Return what measures each text that a pattern finds, or else counts them."""

    def read(problem: Problem) -> list[float]:
        hits = re.findall(pattern, problem.question, re.MULTILINE)
        return list(map(measure, hits)) if measure else [len(hits)]

    return read


def _words(text: str) -> int:
    return len(text.split())


def _cells(row: str) -> int:
    return len(row.replace(" ", ""))


def _answer(problem: Problem) -> list[float]:
    return [float(str(problem.answer))]


def _listed(measure: Callable[[str], float]) -> Read:
    """Return what measures the numbers behind the last colon of the first paragraph."""
    number = re.compile(r"-?\d+(?:\.\d+)?")

    def read(problem: Problem) -> list[float]:
        tail = problem.question.split("\n")[0].rpartition(": ")[2]
        return list(map(measure, number.findall(tail)))

    return read


def _groups(problem: Problem) -> list[float]:
    words = re.findall(r'"(\w+)"', problem.question.rpartition(":\n")[2])
    return [len({"".join(sorted(word)) for word in words})]


NUMBERS = {"numbers": lambda problem: [len(_listed(len)(problem))], "value": _listed(float)}
DECIMALS = {"decimals": _listed(lambda number: len(number.partition(".")[2]))}
CELLS = r"^((?:[*#OX] ?){2,})$"
MARKS = r"^([✅❌❔]+)$"
LIFE = r"^ ?\[+([01 ]+)\]+$"
ROW = r"^((?:\d+ )+)\d+ *$"

READ: dict[str, dict[str, Read]] = {
    "aiw": {"entities": _found(r"\d+", float)},
    "arc_1d": {"num_train": _found(r"^Example \d"), "size": lambda p: [_words(str(p.answer))]},
    "basic_arithmetic": {"terms": _found(r"\d+(?!.*\n)")},
    "course_schedule": {"num_courses": _found(r"total of (\d+) courses", float)},
    "decimal_arithmetic": {
        "terms": _found(r"\d+\.\d+(?!.*\n)"),
        "num_decimal_places": _found(r"\d\.(\d+)", len),
    },
    "game_of_life_halting": {
        "grid_size_x": _found(LIFE),
        "grid_size_y": _found(LIFE, _cells),
        "max_simulation_steps": _found(r"before (\d+) steps", float),
    },
    "gcd": NUMBERS,
    "graph_color": {
        "num_vertices": _found(r"Vertices: (.*)", _words),
        "num_colors": _found(r"colors: (.*)", _words),
    },
    "group_anagrams": {"anagram_groups": _groups},
    "isomorphic_strings": {"string_length": _found(r"^(\w+) \w+$", len)},
    "knights_knaves": {"n_people": _found(r"You meet (\d+)", float)},
    "letter_counting": {"words": _found(r'text: "(.*)"\?', _words)},
    "maze": {
        "grid_size": lambda p: [p.question.split("```")[1].strip().count("\n") + 1],
        "dist": _answer,
    },
    "modulo_grid": {"size_x": _found(MARKS, len), "size_y": _found(MARKS), "holes": _found("❔")},
    "number_filtering": NUMBERS | DECIMALS,
    "number_format": {"num_candidates": _found(r"candidates:(.*)", _words)},
    "number_sequence": {"terms": lambda p: [p.question.split("?")[0].count(",")]},
    "number_sorting": NUMBERS | DECIMALS,
    "path_star": {"path_length": lambda p: [_words(str(p.answer)) - 1]},
    "prime_factorization": {"value": _found(r"of (\d+)\.", float)},
    "ransom_note": {
        "note_length": _found(r"^Ransom note: (\w+)$", len),
        "magazine_length": _found(r"^Magazine: (\w+)$", len),
    },
    "rectangle_count": {"rectangles": _answer},
    "shortest_path": {"rows": _found(CELLS), "cols": _found(CELLS, _cells)},
    "string_insertion": {"string_length": _found(r"pattern: ([A-E]+)$", len)},
    "survo": {
        "board_size": _found(ROW),
        "empty": lambda p: [sum(_found(ROW, lambda row: row.split().count("0"))(p))],
    },
    "tsumego": {
        "board_size": _found(r"^[ \d]\d (?:[.XO] ?)+$"),
        "stones": lambda p: [sum(map(p.question.split("```")[1].count, "XO"))],
    },
    "word_sorting": {
        "words": lambda p: [len(str(p.answer).split(", "))],
        "word_length": lambda p: list(map(len, str(p.answer).split(", "))),
    },
}
"""Task -> what is read of a hardened problem, by the name of its parameter.

A value is between `min_` and `max_` of the name, or equal to the parameter of this name."""


@pytest.mark.parametrize("task", sorted(READ))
async def test_hardened_problems_have_the_parameters_that_are_set(
    task: str, pool: WorkerPool
) -> None:
    """For parameters by chance. Where no hardened problem has them, the library's is asked."""
    rng = Random(task)
    for _ in range(12):
        config, seed = random_config(task, rng), rng.randrange(2**31)
        try:
            problem = await pool.make(task, seed, config=config, problems="hardened")
        except MakeFailed:
            continue
        read = {name: values(problem) for name, values in READ[task].items() if problem.hardened}
        for name, values in read.items():
            least, most = config.get(f"min_{name}"), config.get(f"max_{name}")
            assert values, (problem.recipe, name)
            assert least is None or min(values) >= least, (problem.recipe, name, values)
            assert most is None or max(values) <= most, (problem.recipe, name, values)
            exact = {config.get(name, value) for value in values}
            assert {*values} <= exact, (problem.recipe, name, values)
    made = [await pool.make(task, seed, problems="hardened") for seed in range(20)]
    assert any(problem.hardened for problem in made)


async def test_a_parameter_that_is_an_enum_is_set_by_its_value(pool: WorkerPool) -> None:
    """So is one of a part of composite."""
    upper = {"transformation": "uppercase"}
    part = {"datasets": [{"name": "word_sorting", "config": upper}]}
    for task, config in (("word_sorting", upper), ("composite", part)):
        problem = await pool.make(task, 3, config=config)
        assert problem.answer and problem.answer == problem.answer.upper()
        assert await pool.make(**problem.recipe) == problem
    with pytest.raises(MakeFailed, match="'loud' is not a valid TextTransformation"):
        await pool.make("word_sorting", 3, config={"transformation": "loud"})
