"""Train small learners by GRPO with right and with wrong rewards; one line of JSON for each arm.

    python -m examples.experiments.run --output docs/data/learners.jsonl
    python -m examples.experiments.run --output second.jsonl --first-seed 12

Arms of a group begin with the same weights and see the same problems in the same order; only the
reward differs, or the problems. The same command goes on where it ended.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from rgenv.runtime.progress import Progress

from .learner import END, PAD, Weights, advantages, learn, new_weights, sample
from .problems import FORMS, PROGRAMS, Bank, Short, Verifier

ROWS, PROBLEMS, GROUP = 32, 8, 8
WARM_UP_RATE, RATE = 3e-3, 1e-3
RIGHT, ANOTHER = 0.4, 0.5
"""Shares of the answers that warm-up shows: right ones, and answers of another problem of the task.
The others answer nothing: one of NO_ANSWERS, or the first words of the question."""
NO_ANSWERS = ("0", "nan", "None", "")
FIXED = "0"
"""The one wrong answer that a damaged verifier pays."""
EVERY = 20
"""Steps between evaluations."""

DEFECTIVE = ("complex_arithmetic", "coin_flip", "prime_factorization", "aiw", "syllogism")
SOUND = ("spell_backward", "chain_sum", "gcd")
RATES = (5, 10, 20, 40)


class Arm(NamedTuple):
    """What is trained: on which tasks and problems, with which reward, and damaged how."""

    group: str
    tasks: tuple[str, ...]
    problems: str = "library"
    verifier: Verifier = "ours"
    damage: str = "none"
    percent: int = 0


def arms() -> Iterator[Arm]:
    for task in DEFECTIVE:
        yield Arm("verifiers", (task,))
        yield Arm("verifiers", (task,), verifier="library")
    yield Arm("damage", ("spell_backward",))
    for damage in ("one answer paid", "random paid", "some answers refused", "random refused"):
        for percent in (*RATES, 100) if damage == "one answer paid" else RATES:
            yield Arm("damage", ("spell_backward",), damage=damage, percent=percent)
    for task in PROGRAMS:
        yield Arm("problems", (task,))
        yield Arm("problems", (task,), problems="hardened")
    yield Arm("mixed", (*DEFECTIVE, *SOUND))
    yield Arm("mixed", (*DEFECTIVE, *SOUND), verifier="library")


class Learners:
    """Learners of several seeds that know the same words.

    Rows of prompts are padded on the left, rows of answers on the right.
    """

    train: Sequence[Short]
    prompts: Tensor

    def __init__(self, shorts: Sequence[Short], seeds: int, first: int) -> None:
        known = {word for short in shorts for word in (*short.words, *short.answer)}
        self._names = ["", "", *sorted(known | set(NO_ANSWERS) - {""})]
        self._ids = {word: place for place, word in enumerate(self._names) if place > END}
        self._asked = max(len(short.words) for short in shorts)
        self.longest = max(len(short.answer) for short in shorts) + 1
        self.seeds, self.first = seeds, first
        self.weights: Weights = new_weights(seeds, len(self._names), first)

    def begin(self, train: Sequence[Short]) -> "Learners":
        """Return copies that train on these problems."""
        other = copy(self)
        other.train, other.prompts = train, self._prompts(train)
        other.weights = {
            name: weight.detach().clone().requires_grad_() for name, weight in self.weights.items()
        }
        return other

    def _prompts(self, shorts: Sequence[Short]) -> Tensor:
        rows = [[self._ids[word] for word in short.words] for short in shorts]
        return torch.tensor([[PAD] * (self._asked - len(row)) + row for row in rows])

    def _answer(self, words: Sequence[str]) -> list[int]:
        ids = [*(self._ids[word] for word in words[: self.longest - 1]), END]
        return ids + [PAD] * (self.longest - len(ids))

    def texts(self, rows: Tensor) -> list[str]:
        return ["".join(self._names[one] for one in row) for row in rows.tolist()]

    def places(self, draw: int, rows: int) -> Tensor:
        """Return the places of problems, which depend on the seed and the draw alone."""
        seeds = range(self.first, self.first + self.seeds)
        draws = [torch.Generator().manual_seed(seed * 10**6 + draw) for seed in seeds]
        return torch.stack([torch.randint(len(self.train), (rows,), generator=d) for d in draws])

    def warm_up(self, steps: int) -> None:
        torch.manual_seed(self.first)
        optimizer = torch.optim.Adam(self.weights.values(), lr=WARM_UP_RATE)
        for step in range(steps):
            optimizer.param_groups[0]["lr"] = WARM_UP_RATE * min(1, 1.1 - step / steps)
            places = self.places(10**5 + step, ROWS)
            chances = torch.rand(places.shape).flatten().tolist()
            asked = [self.train[place] for place in places.flatten().tolist()]
            shown = [self._shown(*pair) for pair in zip(asked, chances, strict=True)]
            rows = torch.tensor([self._answer(words) for words in shown])
            learn(self.weights, optimizer, self.prompts[places], rows.view(self.seeds, ROWS, -1))

    def _shown(self, short: Short, chance: float) -> Sequence[str]:
        which = int(chance * 10**9)
        if chance < RIGHT:
            return short.answer
        if chance < RIGHT + ANOTHER:
            others = [other for other in self.train if other.words[0] == short.words[0]]
            return others[which % len(others)].answer
        word = NO_ANSWERS[which % len(NO_ANSWERS)]
        return [word] if word else short.words[1:]

    def answers(self, shorts: Sequence[Short]) -> list[list[str]]:
        """Return the greedy answers of each learner."""
        prompts = self._prompts(shorts).repeat(self.seeds, 1, 1)
        return list(map(self.texts, sample(self.weights, prompts, 1, self.longest, greedy=True)))

    def accuracy(self, bank: Bank) -> dict[str, list[float]]:
        """Return by task the share of held-out problems that each learner solves, greedily."""
        found: dict[str, list[list[float]]] = {}
        for short, *texts in zip(bank.held_out, *self.answers(bank.held_out), strict=True):
            found.setdefault(short.words[0], []).append(bank.solved([short] * len(texts), texts))
        return {task: _means(rows) for task, rows in found.items()}


def damaged(arm: Arm, train: Sequence[Short]) -> Callable[[int, str, float], float]:
    """Return the reward of an answer to a problem that our verifier scores."""
    share, rng = arm.percent / 100, torch.Generator().manual_seed(1)
    first = sorted("".join(short.answer) for short in train)[int(share * len(train)) % len(train)]

    def reward(place: int, text: str, score: float) -> float:
        hit = float(torch.rand((), generator=rng)) < share
        if arm.damage == "one answer paid":
            hit = text == FIXED and place % 100 < arm.percent
        elif arm.damage == "some answers refused":
            hit = text < first
        return float("paid" in arm.damage) if hit else score

    return reward


def train(arm: Arm, learners: Learners, bank: Bank, steps: int) -> dict[str, Any]:
    """Take steps of GRPO; return what was rewarded, what was right, and held-out accuracy."""
    optimizer = torch.optim.Adam(learners.weights.values(), lr=RATE)
    reward, seeds = damaged(arm, learners.train), learners.seeds
    torch.manual_seed(learners.first)
    paid, right, held = list[list[float]](), list[list[float]](), [learners.accuracy(bank)]
    for step in range(steps):
        places = learners.places(step, PROBLEMS)
        prompts = learners.prompts[places]
        drawn = sample(learners.weights, prompts, GROUP, learners.longest)
        texts = learners.texts(drawn.flatten(0, 1))
        asked = places.repeat_interleave(GROUP, 1).flatten().tolist()
        shorts = [learners.train[place] for place in asked]
        given = bank.scores(arm.verifier, shorts, texts)
        solved = torch.tensor(bank.solved(shorts, texts))
        rewards = torch.tensor([reward(*one) for one in zip(asked, texts, given, strict=True)])
        gains = advantages(rewards.view(seeds, PROBLEMS, GROUP))
        learn(learners.weights, optimizer, prompts, drawn, gains)
        paid.append(rewards.view(seeds, -1).mean(1).tolist())
        right.append(solved.view(seeds, -1).mean(1).tolist())
        if (step + 1) % EVERY == 0:
            held.append(learners.accuracy(bank))
    bins = [slice(start, start + EVERY) for start in range(0, steps, EVERY)]
    means = {"paid": [_means(paid[i]) for i in bins], "right": [_means(right[i]) for i in bins]}
    return means | {"held_out": held}


def _means(rows: list[list[float]]) -> list[float]:
    return [round(sum(column) / len(rows), 4) for column in zip(*rows, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("learners.jsonl"))
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--warm-up", type=int, default=200, help="steps")
    parser.add_argument("--steps", type=int, default=60, help="of GRPO")
    parser.add_argument("--only", default="", help="arms whose names begin so, with commas")
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = options.output.read_text().splitlines() if options.output.exists() else []
    done = {tuple(map(str, json.loads(line)["arm"])) for line in lines}
    names = {arm: f"{arm.group} {arm.tasks[0]} {arm.damage}" for arm in arms()}
    only = tuple(options.only.split(","))
    todo = [a for a in names if names[a].startswith(only) and tuple(map(str, a)) not in done]
    with Progress("Training", total=len(todo), unit="arms") as progress:
        for _, group in groupby(todo, lambda arm: (arm.group, arm.tasks)):
            for line in run(list(group), options):
                with options.output.open("a") as file:
                    print(json.dumps(line), file=file)
                progress.advance()


def run(group: Sequence[Arm], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Warm up once, then train each arm from there."""
    tasks, on_both = group[0].tasks, group[0].group == "problems"
    sources = ("library", "hardened") if on_both else ("library",)
    banks = {source: Bank(tasks, source) for source in sources}
    tests = dict(banks)
    if on_both and FORMS[tasks[0]].larger:
        tests |= {f"larger {source}": Bank(tasks, source, larger=True) for source in sources}
    every = [short for bank in tests.values() for short in (*bank.train, *bank.held_out)]
    start = time.monotonic()
    warm = Learners(every, options.seeds, options.first_seed)
    warm = warm.begin([short for bank in banks.values() for short in bank.train])
    warm.warm_up(options.warm_up)
    warm_up = round(time.monotonic() - start)
    for arm in group:
        start, bank = time.monotonic(), banks[arm.problems]
        learners = warm.begin(bank.train)
        line = {"arm": arm, **train(arm, learners, bank, options.steps)}
        for key, tested in (("tests", learners), ("tests_before", warm)) if on_both else ():
            line[key] = {name: program_table(tested, bank) for name, bank in tests.items()}
        yield line | {"seconds": round(time.monotonic() - start), "warm_up_seconds": warm_up}
    for bank in tests.values():
        bank.close()


def program_table(learners: Learners, bank: Bank) -> dict[str, list[float]]:
    """Return by seed what is right, and where the program is wrong: what is right, what is its."""
    shorts = bank.held_out
    cheap = [PROGRAMS[short.words[0]]("".join(short.words[1:])) for short in shorts]
    wrong = [place for place, right in enumerate(bank.solved(shorts, cheap)) if not right]
    table: dict[str, list[float]] = {"program": [1 - len(wrong) / len(shorts), len(wrong)]}
    for row in learners.answers(shorts):
        solved = bank.solved(shorts, row)
        where_wrong = [solved[place] for place in wrong]
        as_program = [float(row[place] == cheap[place]) for place in wrong]
        cases_of = {"accuracy": solved, "where_wrong": where_wrong, "as_program": as_program}
        for name, cases in cases_of.items():
            table.setdefault(name, []).append(round(sum(cases) / max(1, len(cases)), 4))
    return table


if __name__ == "__main__":
    main()
