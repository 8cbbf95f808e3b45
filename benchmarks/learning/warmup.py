"""Warm-up: supervised learning on a mixture of right and wrong answers, before any arm.

    bank = warmup_problems(gym, ["gcd"], 1500, folder)
    model = warm_model(tokens, bank, seed=1, folder=folder)     # read from disk the second time

A model that imitates the mixture knows the format and is sometimes right, so rewards differ. How
often it imitates right answers is part of the choice of tasks (tasks.py). A wrong answer is the
right one of another problem of the task; a broken one lacks a tag. All arms of a seed start from
the same weights. Problems of the warm-up are never held out.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch.nn import functional

from benchmarks.learning.model import Transformer, padded
from benchmarks.learning.tasks import HARDER, TASKS
from benchmarks.learning.tokens import CLOSE, END, OPEN, Tokens
from rgenv import ReasoningGym

STEPS, ROWS, LEARNING_RATE, RAMP = 2600, 64, 2e-3, 50
LESSONS = 0.97
"""The share of the steps that imitate right answers alone; the others imitate the mixture."""

PARTS = (32, 16, 16)
"""Rows of a step that are padded together, short ones first."""

BROKEN = 0.1
"""The share of completions without a closing tag."""

FIRST_SEED = 10_000_000
"""Seeds of these problems begin here, and those of training far above."""

IGNORED = -100
Row = tuple[list[int], list[int]]
"""The tokens of a prompt and of a completion."""

Bank = Mapping[str, Sequence[tuple[str, str]]]
"""Task -> question and reference answer of each problem."""


def warmup_problems(
    gym: ReasoningGym, tasks: Sequence[str], count: int, folder: Path
) -> dict[str, list[tuple[str, str]]]:
    """Return `count` problems of each task, less those held out.

    Their levels go up to `HARDER`; low ones come more often.
    """
    bank = {}
    for task in tasks:
        path = folder / f"warmup-{task}-{count}.json"
        if not path.exists():
            write_whole(path, json.dumps(_made(gym, task, count)))
        bank[task] = [(question, answer) for question, answer in json.loads(path.read_text())]
    return bank


def _made(gym: ReasoningGym, task: str, count: int) -> list[tuple[str, str]]:
    rng = random.Random(f"warm-up {task}")
    levels = [round(HARDER * rng.random() ** 2, 3) for _ in range(count)]
    problems = [gym.make(task, FIRST_SEED + n, level) for n, level in enumerate(levels)]
    return [(p.question, p.answer) for p in problems if p.answer and not p.held_out]


def warm_model(
    tokens: Tokens, bank: Bank, *, seed: int, folder: Path, steps: int = STEPS
) -> Transformer:
    """Return the model of a seed after the warm-up, from `folder` if it was made before."""
    model = Transformer(len(tokens), seed)
    path = folder / f"warm-{_key(bank)}-{steps}-{seed}.pt"
    if not path.exists():
        train(model, tokens, bank, seed=seed, steps=steps)
        part = path.with_suffix(f".{os.getpid()}")
        torch.save(model.state_dict(), part)
        part.replace(path)
    model.load_state_dict(torch.load(path))
    return model


def _key(bank: Bank) -> str:
    """Return a hash of what the weights depend on, besides seed and steps."""
    digest = hashlib.sha256(
        repr([(task, TASKS[task].right, len(bank[task])) for task in bank]).encode()
    )
    for name in ("model.py", "tokens.py", "warmup.py"):
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()[:12]


def write_whole(path: Path, text: str) -> None:
    """Write a file that is either there as a whole or not at all."""
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def train(model: Transformer, tokens: Tokens, bank: Bank, *, seed: int, steps: int) -> None:
    """Imitate the mixture."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95))
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / RAMP) * max(0.1, 1 - step / steps)
    )
    rng = random.Random(seed)
    lessons, mixture = _lessons(tokens, bank), _mixture(tokens, bank, rng)
    for step in range(steps):
        rows = lessons if step < LESSONS * steps else mixture
        batch = sorted(rng.sample(rows, ROWS), key=lambda row: len(row[0]) + len(row[1]))
        total = sum(len(answer) for _, answer in batch)
        for size in PARTS:
            _imitate(model, batch[:size], total)
            del batch[:size]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        pace.step()


def _lessons(tokens: Tokens, bank: Bank) -> list[Row]:
    """Return right answers to all tasks that have some."""
    return [
        (tokens.prompt(task, question), [*tokens.encode(f"{OPEN}{answer}{CLOSE}"), END])
        for task, problems in bank.items()
        for question, answer in problems
        if TASKS[task].right
    ]


def _mixture(tokens: Tokens, bank: Bank, rng: random.Random) -> list[Row]:
    """Return a completion of each problem: right, wrong or broken."""
    rows = []
    for task, problems in bank.items():
        for question, answer in problems:
            right = rng.random() < TASKS[task].right
            said = answer if right else rng.choice(problems)[1]
            text = f"{OPEN}{said}" + ("" if rng.random() < BROKEN else CLOSE)
            rows.append((tokens.prompt(task, question), [*tokens.encode(text), END]))
    return rows


def _imitate(model: Transformer, rows: Sequence[Row], total: int) -> None:
    inputs = padded([prompt + answer for prompt, answer in rows])
    targets = padded([[IGNORED] * len(prompt) + answer for prompt, answer in rows], fill=IGNORED)
    lengths = torch.tensor([len(prompt) for prompt, _ in rows])
    logits = model(inputs[:, :-1], lengths)
    loss = functional.cross_entropy(
        logits.flatten(0, 1), targets[:, 1:].flatten(), ignore_index=IGNORED, reduction="sum"
    )
    (loss / total).backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
