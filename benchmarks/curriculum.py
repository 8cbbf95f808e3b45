"""Measure where the curriculum leads simulated policies; prints one JSON object.

    python benchmarks/curriculum.py [--seeds 4]

benchmarks/policies.py says how the policies answer.

    cut         chance of a cut logistic in the level; 95 % of the other completions are right
    shapes      the largest share cut over many shapes of the limit, targets and delays
    speed       groups from level 0.3 to 0.8, all right; and back, all wrong
    slow        accuracy at a target of 0.7, if wrong answers take four times as long
    luck        mean level of blind answers on a yes/no task, by target
    partial     mean level of answers that earn 0.45 and are never right, for a target of 0.4
    alike       accuracy by target, group size and correlation of the completions of one problem,
                and the standard deviation of the level; mean over `LEARNERS`
    follow      groups until the level is within 0.1 of the best after a learner's middle jumps by
                0.5, by group size and correlation; the mean of both directions
    replicas    mean error of the levels of 105 tasks after 32,000 groups, and the groups until it
                stays below 0.075; replicas hear each other after `DELAY` groups
"""

from __future__ import annotations

import random
import statistics
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import Json, parser, print_json
from benchmarks.policies import (
    Chance,
    Policy,
    always,
    answer,
    falling,
    mean,
    rising,
    simulate,
)
from rgenv.dataset.difficulty import Difficulty
from rgenv.task_names import COMPOSITE, KNOWN_TASKS

new = partial(Difficulty, "curriculum")

TASKS = [task for task in KNOWN_TASKS if task != COMPOSITE]
TARGET = 0.7
DELAY = 64
"""Groups of all replicas until one replica hears what a group of another showed: two seconds."""

CORRELATIONS = (0.0, 0.2, 0.5, 0.8)
SIZES = (4, 8, 16, 32)
LEARNERS = [(0.35, 0.05), (0.5, 0.1), (0.65, 0.15)]
"""The level at which half of the answers are right, and the width of the decline."""
JUMP = 150
"""The group at which a learner changes."""

SHAPES = {
    **{f"limit {m} {w}": rising(m, w) for m in (0.1, 0.4, 0.8) for w in (0.01, 0.05, 0.2)},
    "sharp": lambda level, group: float(level > 0.47),
    "all but the lowest": lambda level, group: float(level > 0.01),
    "some levels": lambda level, group: float(0.2 < level < 0.5),
    "longer with time": lambda level, group: rising(1 - group / 1800, 0.05)(level, group),
    "all at once": lambda level, group: float(level > (0.9 if group < 600 else 0.1)),
}


def late(curriculum: Difficulty, policy: Policy, seed: int, **more: Any) -> list[Any]:
    """Return the second half of 1,600 groups."""
    return simulate(curriculum, policy, groups=1600, seed=seed, **more)[800:]


def cut(seeds: range) -> Json:
    """Return level, share cut and accuracy by the middle of the limit."""
    result = {}
    for middle in (0.4, 0.6, 0.8):
        policy = Policy(always(0.95), rising(middle, 0.05))
        groups = [g for seed in seeds for g in late(new(target_accuracy=TARGET), policy, seed)]
        result[str(middle)] = {
            name: round(mean(groups, name), 3) for name in ("level", "cut", "solved")
        }
    return result


def shapes(seeds: range) -> Json:
    """Return the largest share cut, and where it is."""
    found = {}
    for name, limit in SHAPES.items():
        for target in (0.3, 0.5, 0.7):
            for workers in (1, 16, 64):
                policy = Policy(always(0.95), limit, spread=1.0)
                curriculum = new(target_accuracy=target)
                groups = late(curriculum, policy, seeds[0], workers=workers, ahead=workers)
                found[f"{name}, target {target}, {workers} workers"] = mean(groups, "cut")
    worst = max(found, key=lambda name: found[name])
    above = sum(share > 0.5 for share in found.values())
    return {"worst": round(found[worst], 3), "where": worst, "above_half": above, "of": len(found)}


def speed(seeds: range) -> Json:
    """Return how many groups it takes from level 0.3 to 0.8 and back, by target."""

    def groups_until(curriculum: Difficulty, score: float, done: Callable[[float], bool]) -> Any:
        for count in range(400):
            if done(curriculum.current("chain_sum")):
                return count
            level = curriculum.current("chain_sum")
            curriculum.observe("chain_sum", level, [score] * 8, [False] * 8)
        return None

    result = {}
    for target in (0.1, 0.3, 0.5, 0.7, 0.9):
        curriculum = new(target_accuracy=target)
        up = groups_until(curriculum, 1.0, lambda level: level >= 0.8)
        down = groups_until(curriculum, 0.0, lambda level: level <= 0.3) if up else None
        result[str(target)] = {"up": up, "down": down}
    return result


def slow(seeds: range) -> Json:
    """Return the accuracy by the number of groups that are generated at the same time."""
    policy = Policy(falling(0.6, 0.1), slow=4.0)
    result = {}
    for workers in (1, 16, 128):
        groups = [
            group
            for seed in seeds
            for group in simulate(
                new(target_accuracy=TARGET),
                policy,
                groups=2000,
                seed=seed,
                workers=workers,
                ahead=16,
            )[1000:]
        ]
        result[str(workers)] = round(mean(groups, "solved"), 3)
    return result


def alike(seeds: range) -> Json:
    """Return accuracy and standard deviation of the level by target, size and correlation."""
    return {
        f"target {target}, groups of {size}": {
            str(correlation): _settled(target, size, correlation, seeds)
            for correlation in CORRELATIONS
        }
        for target in (0.3, 0.5, 0.7, 0.8)
        for size in SIZES
    }


def _settled(target: float, size: int, correlation: float, seeds: range) -> Json:
    chances, deviations = [], []
    for middle, width in LEARNERS:
        right = falling(middle, width)
        policy = Policy(right, alike=correlation, size=size)
        for seed in seeds:
            groups = simulate(new(target_accuracy=target), policy, groups=600, seed=seed)[200:]
            chances.append(statistics.fmean(right(group.level, 0) for group in groups))
            deviations.append(statistics.pstdev(group.level for group in groups))
    return {
        "accuracy": round(statistics.fmean(chances), 3),
        "deviation": round(statistics.fmean(deviations), 3),
    }


def follow(seeds: range) -> Json:
    """Return the groups that a jump takes."""
    return {
        f"groups of {size}": {
            str(correlation): _jump(size, correlation, seeds) for correlation in CORRELATIONS
        }
        for size in SIZES
    }


def _jump(size: int, correlation: float, seeds: range) -> float:
    taken = []
    for before, after in ((0.3, 0.8), (0.8, 0.3)):
        right = _jumping(falling(before, 0.1), falling(after, 0.1))
        policy = Policy(right, alike=correlation, size=size)
        best = after - 0.1 * 0.847
        for seed in range(4 * len(seeds)):
            groups = simulate(new(target_accuracy=TARGET), policy, groups=2 * JUMP, seed=seed)[
                JUMP:
            ]
            near = (n for n, group in enumerate(groups) if abs(group.level - best) <= 0.1)
            taken.append(next(near, len(groups)))
    return round(statistics.fmean(taken), 1)


def _jumping(before: Chance, after: Chance) -> Chance:
    return lambda level, group: (before if group < JUMP else after)(level, group)


def luck(seeds: range) -> Json:
    """Return the mean level by target."""
    policy = Policy(always(0.0), luck=0.5)
    return {
        str(target): round(
            mean(late(new(target_accuracy=target), policy, seeds[0], task="syllogism"), "level"), 3
        )
        for target in (0.1, 0.3, 0.5, 0.7, 0.9)
    }


def partial_credit(seeds: range) -> Json:
    """Return the mean level."""
    policy = Policy(always(0.0), partial=0.45)
    return {"level": round(mean(late(new(target_accuracy=0.4), policy, seeds[0]), "level"), 3)}


def replicas(seeds: range) -> Json:
    """Return the errors by the number of replicas."""
    return {str(count): train(seeds[0], count, groups=32_000) for count in (1, 4, 16)}


def train(seed: int, count: int, *, groups: int) -> Json:
    """Return the error after all groups of `count` replicas, and when it was small."""
    rng = random.Random(seed)
    middles = {task: rng.uniform(0.15, 0.95) for task in TASKS}
    policies = {task: Policy(falling(middle, 0.1)) for task, middle in middles.items()}
    best = {task: max(0.0, middle - 0.1 * 0.847) for task, middle in middles.items()}
    curricula = [new(target_accuracy=TARGET) for _ in range(count)]
    sent: deque[tuple[int, int, str, Any]] = deque()
    reached, error = None, 1.0
    for number in range(groups):
        own, task = number % count, rng.choice(TASKS)
        group = answer(policies[task], curricula[own].current(task), number, rng)
        curricula[own].observe(task, group.level, group.scores, group.cut)
        sent.append((number, own, task, group))
        while sent[0][0] < number - DELAY:
            _, sender, of, group = sent.popleft()
            for other, curriculum in enumerate(curricula):
                if other != sender:
                    curriculum.observe(of, group.level, group.scores, group.cut)
        if number % 105 == 104:
            errors = [abs(c.current(task) - best[task]) for c in curricula for task in TASKS]
            error = sum(errors) / len(errors)
            reached = None if error > 0.075 else reached or number + 1
    return {"error": round(error, 3), "groups_until_close": reached}


def main() -> None:
    command_line = parser(__doc__)
    command_line.add_argument("--seeds", type=int, default=4, help="runs of each policy")
    options = command_line.parse_args()
    seeds = range(options.seeds)
    measures = (cut, shapes, speed, slow, alike, follow, luck, partial_credit, replicas)
    print_json({measure.__name__: measure(seeds) for measure in measures})


if __name__ == "__main__":
    main()
