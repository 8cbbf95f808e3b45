"""One command: a small model warms up on saved rollouts, then learns from the environment.

    python -m examples.learn.run --output learn_output

Rollout API, inference server and environment are started as anybody would start them, on free ports
of this machine; the trainer runs here. The same command goes on where it was stopped. At the end
stand the table of held-out items before and after, `curve.png`, and every log, rollout, checkpoint
and evaluation in the output folder.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from demo.children import Children
from demo.run import (
    DemoFailed,
    end_on_sigterm,
    exit_code,
    finish,
    positive,
    start_api,
    start_server,
)

try:
    import torch  # noqa: F401 - for the sentence below
except ImportError:
    sys.exit("Learning needs torch: `pip install -r requirements-learn.txt -c constraints.txt`.")
from transformers import AutoTokenizer
from transformers.utils import logging as transformers_logging

from . import programs
from .curve import plot, read_metrics, table
from .model import SIZES, load_model, new_model, take_half_the_threads
from .tokenizer import build_tokenizer
from .trainer import Learner, Row, Settings, append, read_rows, saved, train
from .warmup import read_rollouts, supervised

GROUP_SIZE = 8
PROCESS_SECONDS, EVALUATION_SECONDS = 900.0, 600.0
SAME = ("size", "seed", "batch_size", "learning_rate", "shuffle_rewards")


class LearnFailed(DemoFailed):
    """The run can't be what was asked for; the text says why and what to do."""


class Progress:
    """A bar in a terminal, plain lines elsewhere."""

    def __init__(self, name: str, total: int, begin: int = 0, every: int = 1) -> None:
        self.name, self.every = name, every
        self.bar = tqdm(total=total, initial=begin, desc=name, disable=None)
        self.done = begin

    def step(self, text: str) -> None:
        self.done += 1
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update()
        if self.bar.disable and (self.done % self.every == 0 or self.done == self.bar.total):
            print(f"{self.name} {self.done} of {self.bar.total}: {text}", flush=True)


async def warm_up(children: Children, options: argparse.Namespace) -> Path:
    """The model to begin with: made once."""
    output = options.output
    model_folder = (options.warmup_from or output) / "warmup" / "model"
    if model_folder.exists():
        return model_folder
    groups = output / "warmup" / "groups.jsonl"
    (output / "warmup").mkdir(parents=True, exist_ok=True)
    print(f"collecting {options.warmup_items} rollouts of the rule policy", flush=True)
    command = programs.policy_command(output / "tokenizer", options.seed)
    policy = await start_server(children, "policy server", command)
    collect = programs.process(policy, output, seed=options.seed, items=options.warmup_items)
    await finish(children, "process", collect, PROCESS_SECONDS)
    await children.running.pop().stop()
    vocabulary = len(AutoTokenizer.from_pretrained(output / "tokenizer"))
    model = new_model(options.size, vocabulary=vocabulary, seed=options.seed)
    size = sum(weight.numel() for weight in model.parameters()) / 1e6
    rows = read_rollouts(groups)
    print(f"{len(rows)} of them teach a model of {size:.1f} million parameters", flush=True)
    progress = Progress("warm-up step", options.warmup_steps, every=50)
    losses = supervised(model, rows, steps=options.warmup_steps, seed=options.seed)
    while (loss := await asyncio.to_thread(next, losses, None)) is not None:
        progress.step(f"loss {loss:.3f}")
    working = model_folder.with_name("writing")
    model.save_pretrained(working)
    working.replace(model_folder)
    return model_folder


async def evaluate(children: Children, server: str, step: int, options: argparse.Namespace) -> Path:
    """Held-out items, once for each step at which it is asked for."""
    folder = options.output / "evaluations" / f"step-{step:06d}"
    if not (folder / "metrics.json").exists():
        print(f"evaluating on held-out items after {step} steps", flush=True)
        command = programs.evaluate(server, options.output, folder, eval_items=options.eval_items)
        await finish(children, "evaluation", command, EVALUATION_SECONDS)
    return folder


async def learn(
    children: Children, server: str, learner: Learner, options: argparse.Namespace
) -> None:
    output, rows_path = options.output, options.output / "steps.jsonl"
    rows = read_rows(rows_path, up_to=learner.step)
    rows_path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    api = await start_api(children)
    command = programs.serve(
        api,
        server,
        output,
        seed=options.seed,
        group_size=GROUP_SIZE,
        eval_items=options.eval_items,
    )
    environment = await children.start("environment", command)
    settings = Settings(
        output=output,
        steps=options.steps,
        batch_size=options.batch_size,
        max_token_len=programs.MAX_TOKENS + 1,
        learning_rate=options.learning_rate,
        checkpoint_every=options.checkpoint_every,
        shuffle_seed=f"{options.seed}" if options.shuffle_rewards else None,
    )
    progress = Progress("step", options.steps, learner.step, every=10)

    def on_step(row: Row) -> None:
        append(rows_path, row)
        level = sum(row["levels"].values()) / len(row["levels"])
        progress.step(
            f"reward {row['reward']:.2f}, format {row['format_rate']:.2f}, "
            f"informative {row['informative']:.2f}, level {level:.2f}"
        )

    take_half_the_threads()
    await children.while_alive(train(api, server, learner, settings, on_step))
    await environment.stop()
    children.running.remove(environment)


async def run(options: argparse.Namespace) -> None:
    """Everything in order; the children end on every way out."""
    output = options.output
    end_on_sigterm()
    async with Children(logs=output) as children:
        tokenizer = build_tokenizer(output / "tokenizer")
        warm = await warm_up(children, options)
        checkpoints = saved(output / "checkpoints" / "trainer")
        begin = checkpoints[-1] if checkpoints else warm
        server = await start_server(
            children, "inference server", programs.server_command(tokenizer, begin, options.seed)
        )
        before = output / "evaluations" / f"step-{0:06d}"
        if checkpoints:
            learner = Learner.resume(begin, options.learning_rate)
        else:
            learner = Learner.begin(load_model(begin), options.learning_rate)
            before = await evaluate(children, server, 0, options)
        if learner.step < options.steps:
            await learn(children, server, learner, options)
        after = await evaluate(children, server, learner.step, options)
    show(before, after, options)


def show(before: Path, after: Path, options: argparse.Namespace) -> None:
    first, last = read_metrics(before), read_metrics(after)
    rows = read_rows(options.output / "steps.jsonl", up_to=options.steps)
    plot(rows, first, last, options.output / "curve.png")
    print(f"\n{table(first, last)}\n")
    print(f"curve    {options.output}/curve.png\nreport   {after}/report.html")


def keep_to_what_was_begun(options: argparse.Namespace) -> None:
    """Write down what this run is; a folder that holds another one is refused."""
    path = options.output / "run.json"
    mine = {name: getattr(options, name) for name in SAME}
    if path.exists() and (theirs := json.loads(path.read_text(encoding="utf-8"))) != mine:
        changed = [name for name in SAME if theirs.get(name) != mine[name]]
        raise LearnFailed(
            f"{options.output} holds a run with another {', '.join(changed)}: choose another "
            "--output, or take the options it was begun with."
        )
    path.write_text(json.dumps(mine) + "\n", encoding="utf-8")


def options_of(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m examples.learn.run", description="Let a small model learn, on this machine."
    )
    add: Callable[..., Any] = parser.add_argument
    add("--output", type=Path, default=Path("learn_output"), help="everything of this run")
    add("--size", choices=SIZES, default="small", help="of the model")
    add("--steps", type=positive, default=100, help="of GRPO")
    add("--batch-size", type=positive, default=128, help=f"rollouts, a multiple of {GROUP_SIZE}")
    add("--learning-rate", type=float, default=5e-4, help="of GRPO")
    add("--seed", type=int, default=1, help="of weights, items and sampling")
    add("--warmup-items", type=positive, default=3000, help="rollouts to begin with")
    add("--warmup-steps", type=positive, default=600, help="supervised steps on them")
    add("--warmup-from", type=Path, help="output of another run, whose warm-up is used")
    add("--eval-items", type=positive, default=100, help="held-out items for each task and level")
    add("--checkpoint-every", type=positive, default=50, help="steps")
    add("--shuffle-rewards", action="store_true", help="a control: rewards dealt by chance")
    options = parser.parse_args(words)
    if options.batch_size % GROUP_SIZE:
        parser.error(f"--batch-size must be a multiple of {GROUP_SIZE}, not {options.batch_size}")
    if options.warmup_from and not (options.warmup_from / "warmup" / "model").exists():
        parser.error(f"--warmup-from {options.warmup_from} holds no warmup/model")
    options.output = options.output.resolve()
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Returns: 0 done, 1 failed, 130 interrupted, 143 terminated."""
    options = options_of(words)
    transformers_logging.disable_progress_bar()

    def work() -> int:
        options.output.mkdir(parents=True, exist_ok=True)
        keep_to_what_was_begun(options)
        asyncio.run(run(options))
        return 0

    return exit_code(work, "Learning failed.")


if __name__ == "__main__":
    sys.exit(main())
