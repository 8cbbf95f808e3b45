"""The simulated learners behave as documented, and sampling.py compares strategies fairly."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import sampling
from benchmarks.simulation import learner as learning
from benchmarks.simulation.learner import (
    BUDGET,
    COLLAPSE_BY,
    KINDS,
    PARTIAL,
    TASKS,
    Learner,
    Outcome,
)
from benchmarks.simulation.strategies import GROUP_SIZE, STRATEGIES, ReferenceStrategy
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learners that neither learn nor forget, so that they can be asked often."""
    for rate in ("LEARNED", "SHARED", "FORGOTTEN", "RELEARNED"):
        monkeypatch.setattr(learning, rate, 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_chances_are_true(kind: str, frozen: None) -> None:
    """The stated probability of an informative group is the share of informative groups."""
    learner, levels = Learner(kind, 3), np.array([0.2, 0.7])
    chances = learner.chances(levels, 8)
    for place in range(0, len(TASKS), 25):
        for column, level in enumerate(levels):
            groups = [learner.answer(TASKS[place], float(level), 8) for _ in range(800)]
            share = np.mean([group.informative for group in groups])
            assert share == pytest.approx(chances[place, column], abs=0.08)


def test_only_informative_groups_teach() -> None:
    """An informative group raises the skill in its task and its category; others fade."""
    learner = Learner("uneven", 0)
    gaps = np.abs(learner.skills() - learner.easiest - 0.5 * learner.span) + 99 * learner.guess
    task, before = TASKS[int(np.argmin(gaps))], learner.skills()
    outcomes = [learner.answer(task, 0.5, 8) for _ in range(50)]
    gained = learner.skills() - before
    assert any(outcome.informative for outcome in outcomes)
    assert int(np.argmax(gained)) == learner.index[task] and gained.max() > 0.1
    same = learner.category == learner.category[learner.index[task]]
    assert (gained[same] > 0).all() and (gained[~same] <= 0).all()
    hopeless = Learner("weak", 0)
    worst = TASKS[int(np.argmin(hopeless.chances(np.array([1.0]), 8)))]
    before = hopeless.skills()
    assert not any(hopeless.answer(worst, 1.0, 8).informative for _ in range(20))
    assert (hopeless.skills() <= before).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_sampler_asks_tasks_that_are_informative(kind: str, frozen: None) -> None:
    """Their mean probability of an informative group is far above that of all tasks."""
    learner = Learner(kind, 0)
    strategy = STRATEGIES["oracle sampler"](learner, 0)
    chosen = [strategy.choose(n) for n in range(400)]
    assert {level for _, level in chosen} == {0.3}
    chances = learner.chances(np.array([0.3]), GROUP_SIZE)[:, 0]
    asked = np.mean([chances[learner.index[task]] for task, _ in chosen])
    assert asked > 1.2 * chances.mean()


def test_harder_items_cost_more_tokens(frozen: None) -> None:
    """Completions grow with the level."""
    learner = Learner("strong", 0)
    learner.length[:] = 300.0
    costs = [
        sum(learner.answer("gcd", level, 8).tokens for _ in range(50)) for level in (0.0, 0.5, 1.0)
    ]
    assert costs == sorted(costs) and costs[2] > 4 * costs[0]


def test_long_completions_are_cut(frozen: None) -> None:
    """They are wrong, earn no partial credit, and their tokens carry no gradient."""
    learner = Learner("strong", 0)
    task = TASKS[int(np.argmax(learner.partial))]
    learner.length[:] = BUDGET
    outcomes = [learner.answer(task, 0.0, 8) for _ in range(50)]
    assert any(0 < outcome.cut < 8 for outcome in outcomes)
    for outcome in outcomes:
        assert outcome.longest <= BUDGET and outcome.cut_tokens == outcome.cut * BUDGET
        assert len(outcome.scores) == len(outcome.cuts) == 8
        pairs = list(zip(outcome.scores, outcome.cuts, strict=True))
        assert all(score == 0 for score, end in pairs if end)
        assert {score for score, end in pairs if not end} <= {PARTIAL, 1.0}
        assert outcome.informative == (len({score for score, end in pairs if not end}) > 1)
        assert outcome.gradient_tokens <= outcome.tokens - outcome.cut_tokens
    learner.length[:] = 10 * BUDGET
    assert learner.answer(task, 0.0, 8).cut == 8


def test_a_collapse_happens_once_and_can_be_made_good() -> None:
    """Some categories lose skill once, and what is regained stays."""
    learner = Learner("collapsing", 0)
    before = learner.skills()
    learner.collapse()
    lost = before - learner.skills()
    assert set(np.round(lost, 6)) == {0.0, COLLAPSE_BY}
    learner.lost = [0.5 * lost for lost in learner.lost]
    learner.collapse()
    assert np.round((before - learner.skills()).max(), 6) == COLLAPSE_BY / 2
    steady = Learner("strong", 0)
    steady.collapse()
    assert not any(steady.lost)


def test_the_reference_moves_few_tasks_and_counts_stale_groups() -> None:
    """Sixteen solved groups take a task from 0.3 to the top, whatever level they were made at."""
    reference = ReferenceStrategy(0)
    for _ in range(16):
        reference.observe("sudoku", 0.0, Outcome(8, 8, 1.0))
    assert reference.levels["sudoku"] == 1.0
    levels = {task: level for task, level in (reference.choose(n) for n in range(3000))}
    assert {
        task for task, level in levels.items() if level is not None
    } == ReferenceStrategy.EFFECTIVE
    assert len(ReferenceStrategy.EFFECTIVE) == 20


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_gets_the_same_tokens(name: str) -> None:
    """Every strategy spends the budget, and equal seeds give equal runs."""
    result = sampling.simulate(name, "uneven", seed=1, budget=1e7)
    assert len(result["curve"]) == len(result["skills"]) == sampling.POINTS
    assert all(0 <= share <= 1 for share in result["curve"])
    assert result == sampling.simulate(name, "uneven", seed=1, budget=1e7)
    assert result["groups"] > 500


def test_signal_wastes_less(tmp_path: Path) -> None:
    """The environment's sampler beats the reference for every kind of learner, and is plotted."""
    picture = tmp_path / "a.png"
    words = ["benchmarks/sampling.py", "--seeds", "1", "--tokens", "2e7", "--plot", str(picture)]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=600, check=True
    )
    out = json.loads(done.stdout)
    assert picture.stat().st_size > 10_000
    assert set(out["kinds"]) == set(KINDS)
    for kind in KINDS:
        assert out["verdict"][kind]["times_reference"] > 1.2
