"""The contract of every record, on one set of problems that real workers make.

Each task makes nine problems: two for training and one for evaluation, at three levels. All tests
of a task share them. What else the workers say of these problems is recorded in
data/contract.json.gz as hashes; a change that alters it on purpose records it again, and says so:

    RECORD=1 python -m pytest -n 0 tests/tasks/test_contract.py -k TASK
"""

import asyncio
import copy
import json
from collections import Counter
from collections.abc import AsyncIterator
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from rgenv.measured import TASKS as MEASURED
from rgenv.pool.pool import WorkerPool
from rgenv.pool.task_modules import found
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.tasks.answers import canonical
from rgenv.tasks.record import SOLVED
from rgenv.tasks.registry import record_of
from rgenv.types import Problem, Verdict
from rgenv.worker.levels import work_range
from rgenv.worker.problem_maker import ProblemMaker
from rgenv.worker.protocol import WorkerSettings, first_evaluation_seed
from tests.labels import CHECKS
from tests.support.library import corrected
from tests.support.paths import DATA, ROOT
from tests.support.recordings import recording, short_hash
from tests.support.records import CORRECTIONS, LABELS, SALTS
from tests.support.timing import processor_seconds
from tests.support.written import written_for

pytestmark = pytest.mark.slow

OWN = "visitors"
LEVELS = (None, 0.0, 1.0)
BUDGET = {"question_chars": 12_000, "answer_chars": 6_000}
"""The most characters of a question and an answer; twice as many of single problems."""
PARTS = {"datasets": [{"name": "lcm"}, {"name": "maze"}]}


class Made(NamedTuple):
    """The problems of a task, and a right answer to each; None where nobody knows one."""

    task: str
    problems: list[Problem]
    right: list[str | None]

    def solved(self) -> list[tuple[Problem, str]]:
        pairs = zip(self.problems, self.right, strict=True)
        return [(problem, right) for problem, right in pairs if right]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def workers() -> AsyncIterator[WorkerPool]:
    """Two workers that know the example of an own task, too."""
    modules = found([ROOT / "examples" / "own_task.py"])
    async with WorkerPool(
        workers=2,
        scoring_timeout=30.0,  # machines are shared
        generation_timeout=60.0,
        settings=WorkerSettings(task_modules=modules),
    ) as pool:
        yield pool


@pytest_asyncio.fixture(
    scope="module", loop_scope="session", params=[*sorted(KNOWN_TASKS), OWN], ids=str
)
async def made(request: pytest.FixtureRequest, workers: WorkerPool) -> Made:
    """The problems of one task."""
    task = request.param
    config = PARTS if task == COMPOSITE else None
    problems = await asyncio.gather(
        *(
            workers.make(task, first + 2 * place, level=level, config=config, select=True)
            for place, level in enumerate(LEVELS)
            for first in (1, 2, first_evaluation_seed(task) + 3)
        )
    )
    return Made(task, problems, await asyncio.gather(*map(workers.solve, problems)))


def compare(task: str, aspect: str, *values: object) -> None:
    """Compare the hash of what a task made with the recorded one, or record it."""
    digest = short_hash(*values)
    again = f"RECORD=1 python -m pytest -n 0 tests/tasks/test_contract.py -k {task}"
    assert recording(DATA / "contract.json.gz", task, aspect, found=digest) == digest, (
        f"other {aspect} than recorded; if meant: {again}"
    )


async def test_problems_are_those_that_were_recorded(made: Made, workers: WorkerPool) -> None:
    compare(made.task, "problems", [[p.question, p.answer, p.recipe] for p in made.problems])
    compare(made.task, "families", [[p.family, p.held_out] for p in made.problems])
    inspected = await asyncio.gather(*map(workers.inspect, made.problems))
    compare(made.task, "rules", [[dict(one.shortcuts), one.work] for one in inspected])
    compare(made.task, "solutions", made.right)


async def test_a_recipe_makes_its_problem_again(
    made: Made, workers: WorkerPool, pool: WorkerPool
) -> None:
    others, problems = workers if made.task == OWN else pool, made.problems[::-4]  # of each level
    recipes = json.loads(json.dumps([problem.recipe for problem in problems]))
    again = await asyncio.gather(*(others.make(**recipe) for recipe in recipes))
    assert again == problems
    assert [problem.family for problem in again] == [problem.family for problem in problems]


async def test_problems_are_what_their_seeds_and_levels_want(
    made: Made, workers: WorkerPool
) -> None:
    first, record = first_evaluation_seed(made.task), record_of(made.task)
    measured, misfits = MEASURED.get(made.task), 0
    for problem in made.problems:
        assert problem.winnable and problem.held_out == (problem.seed >= first), problem
        for name, text in (("question", problem.question), ("answer", problem.answer or "")):
            budget = f"{name}_chars"
            assert len(text) <= 2 * BUDGET[budget] or budget in record.levels.unbound, problem
        assert measured is None or problem.source == measured.source or made.task == COMPOSITE
        wanted = work_range(made.task, problem.level) if problem.level is not None else None
        if wanted is not None:
            work = (await workers.inspect(problem)).work
            assert work is not None
            misfits += not wanted[0] <= work <= wanted[1]
    assert misfits <= 1
    assert len({p.question for p in made.problems}) > 6 or made.task in SALTS
    assert len({p.family for p in made.problems}) > 4 or made.task in SALTS


async def test_rules_solve_hardly_a_drawn_problem(made: Made, workers: WorkerPool) -> None:
    record, solved = record_of(made.task), 0
    if record.shortcuts is None:
        pytest.skip("no rules")
    for problem in made.problems:
        answers = (await workers.inspect(problem)).shortcuts
        rules = [answer for name, answer in answers.items() if name not in record.kept]
        verdicts = await workers.score(problem, rules)
        solved += any(verdict.score >= SOLVED for verdict in verdicts)
    assert solved <= 3


@pytest.mark.parametrize("task", [*sorted(KNOWN_TASKS), OWN])
async def test_right_answers_earn_1_in_every_form_and_wrong_ones_in_none(
    task: str, workers: WorkerPool
) -> None:
    """Only tasks whose reward is measured as partial pay for what is nearly right."""
    measured = MEASURED[task].health if task in MEASURED else None
    most = 0.5 if measured is not None and measured.reward == "partial" else 0.0
    scores: list[list[float]] = []
    for answers in written_for(task):
        problem, forms = await workers.make(**answers.recipe), answers.right_forms()
        verdicts = await workers.score(problem, list(forms.values()))
        assert {n: v for n, v in zip(forms, verdicts, strict=True) if v.score < 1.0} == {}, problem
        wrong = answers.wrong_forms()
        verdicts = await workers.score(problem, list(wrong.values()))
        pairs = zip(wrong.values(), verdicts, strict=True)
        paid = {text: v for text, v in pairs if not 0 <= v.score <= most}
        assert paid == {} and all(v.reflects_model for v in verdicts), problem
        scores.append([verdict.score for verdict in verdicts])
    assert scores
    compare(task, "scores", scores)


CONSTANTS = (
    "0|1|-1|2|0.5|1/2|nan|inf|None|True|False|Yes|No|A|[]|{}|x|I don't know|12:00|30 days|Monday"
    "|30 days, 12:00|1*1*4*6|[[0]]|[NaN, NaN, NaN]|(P ∨ ¬P)|P|A1|R|A → B"
).split("|")
HOSTILE = [
    *("9" * 32_768, "9" * 16_000 + "." + "9" * 16_000, "1e" + "9" * 4_000, "[" * 32_768),
    *('{"a":' * 6_553, "-" * 32_768, "1+" * 16_384 + "1", "9×" * 16_384, "¬" * 1_000 + "P"),
    *("," * 32_768, "1, " * 10_922, "1\n" * 16_384, " " * 32_768 + "x", "LRUD" * 8_192),
    *("A → " * 8_192 + "A", "A+1 B-1 " * 4_096, "²" * 32_768, "٣" * 32_768, "٣", "²"),
    *("(" * 16_384 + ")" * 16_384, "\x00\u200b", "2^9×" * 8_192, "1. a\n" * 6_000),
    *("✅" * 8_000, "a " * 16_000, "A is " * 6_000, "\\" * 32_768, "A=1 " * 8_000, "1 " * 50_000),
]


async def test_other_texts_earn_next_to_nothing_and_harm_nothing(
    made: Made, workers: WorkerPool
) -> None:
    """Constants, right answers to other problems, and long texts that loop, nest or grow."""
    restarts = workers.restarts
    others = [right for _, right in made.solved()]
    constants: list[list[Verdict]] = []
    for place, (problem, _) in enumerate(made.solved()):
        texts = [*CONSTANTS, *(f"{other} blah" for other in others), *others[place + 1 :]]
        verdicts = await workers.score(problem, texts)
        assert all(verdict.reflects_model for verdict in verdicts)
        constants.append(verdicts[: len(CONSTANTS)])
        mixed = [v.score for v in verdicts[len(CONSTANTS) :] if v.score < 1.0]
        assert sum(mixed) <= 0.2 * max(1, len(mixed)), problem
    for text, verdicts in zip(CONSTANTS, zip(*constants, strict=True), strict=True):
        assert sum(v.score for v in verdicts if v.score < 1.0) <= 0.02 * len(verdicts), text
    compare(made.task, "constants", [[v.score for v in verdicts] for verdicts in constants])
    hostile = await workers.score(made.problems[0], HOSTILE)
    assert [v for v in hostile if not v.reflects_model or v.score] == []
    assert workers.restarts == restarts


# Reference answers, in this process


LIBRARY = ProblemMaker(strict=False)


@lru_cache(maxsize=9)
def entry_of(recipe: str) -> dict[str, Any]:
    task, seed, config = itemgetter("task", "seed", "config")(json.loads(recipe))
    return LIBRARY.make(task, seed, config).entry


def entries(problems: list[Problem]) -> list[dict[str, Any]]:
    """Make the entries of problems here, as the library makes them."""
    return [copy.deepcopy(entry_of(json.dumps(problem.recipe))) for problem in problems]


def test_long_texts_are_read_quickly(made: Made) -> None:
    if made.task == OWN:
        pytest.skip("it is not imported here")
    [entry] = entries(made.problems[:1])
    kind = record_of(made.task).answer
    with processor_seconds(0.1 * len(HOSTILE)):
        for text in HOSTILE:
            canonical(kind, f"1{text}1", entry)


def test_reference_answers_pass_an_independent_check(made: Made) -> None:
    """A second solution, which shares no code with the record, agrees; at level 1 it takes long."""
    if made.task not in CHECKS:
        pytest.skip("no second solution")
    results = [corrected(made.task, entry) for entry in entries(made.problems[:6:2])]
    verdicts = [CHECKS[made.task](entry) for entry in results if entry]
    assert True in verdicts and False not in verdicts  # None: it can't tell


def test_corrections_copy_and_raise_nothing(made: Made) -> None:
    """They keep the question; the library takes their answer; malformed entries are refused."""
    if made.task not in CORRECTIONS:
        pytest.skip("nothing is corrected")
    for entry, problem in zip(entries(made.problems), made.problems, strict=True):
        before = copy.deepcopy(entry)
        result = corrected(made.task, entry)
        assert entry == before and (result is None or result.keys() == entry.keys())
        assert result is None or result["question"] == entry["question"]
        if result is not None and result is not entry and result["answer"] is not None:
            dataset = LIBRARY.dataset(LIBRARY.make(made.task, 1, dict(problem.config)))
            assert dataset.score_answer(result["answer"], result) == 1.0
    [entry] = entries(made.problems[:1])
    question, empty = entry["question"], dict.fromkeys(entry["metadata"])
    for changes in (
        *(
            {"question": text}
            for text in ("", question[::-1], question[: len(question) // 2], None)
        ),
        *({"answer": text} for text in (None, "\x00" * 9)),
        *({"metadata": metadata} for metadata in ({}, empty)),
    ):
        result = corrected(made.task, {**entry, **changes})
        assert result is None or result.keys() == entry.keys()
    assert not corrected(made.task, {})


@pytest.mark.parametrize("level", [None, 0.0, 1.0])
@pytest.mark.parametrize("task", sorted(LABELS))
async def test_labels_have_their_share(task: str, level: float | None, pool: WorkerPool) -> None:
    seeds = range(100, 124)
    drawn = await asyncio.gather(*(pool.make(task, n, level=level, select=True) for n in seeds))
    counts = Counter(problem.answer for problem in drawn)
    for label, share in LABELS[task].items():
        assert abs(counts[label] / 24 - share) < 0.15, counts
