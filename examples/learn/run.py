"""Train a small model: it imitates saved rollouts, then learns from the environment's rewards.

    python -m examples.learn.run --output learn_output

Rollout API, inference server and environment are started as a user would, on free ports of this
machine. The trainer runs in this process. The same command resumes a run that was stopped. The run
ends with a table of accuracies before and after, a plot, and a page of all rollouts. All logs,
rollouts, checkpoints and evaluations are in the output folder.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

try:
    import torch  # noqa: F401 - checked first, to name the remedy
except ImportError:
    sys.exit("Learning needs torch: `pip install -r requirements-learn.txt -c constraints.txt`.")
from transformers import AutoTokenizer
from transformers.utils import logging as transformers_logging

from demo.command import run_command
from demo.launch import (
    environment_command,
    start_api,
    start_policy,
    start_server,
    view_command,
)
from demo.processes import Children
from rgenv.cli.parser import positive
from rgenv.errors import BadUsage
from rgenv.runtime.progress import Progress

from .curve import accuracy_table, plot, read_metrics
from .model import SIZES, load_model, new_model, use_half_the_threads
from .settings import (
    MAX_TOKENS,
    POLICY_ERRORS,
    evaluate_settings,
    process_settings,
    serve_settings,
)
from .tokenizer import build_tokenizer
from .trainer import Learner, Row, Settings, append_row, checkpoints, read_rows, train
from .warmup import read_rollouts, supervised

GROUP_SIZE = 8
PROCESS_SECONDS, EVALUATION_SECONDS, VIEW_SECONDS = 900.0, 600.0, 300.0
FIXED_OPTIONS = ("size", "seed", "batch_size", "learning_rate", "shuffle_rewards")
"""Options that must not change when a run is resumed."""


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed, 2 bad usage.

    Raises:
        SystemExit: 2 for a bad command line; 130 or 143 after a signal.
    """
    options = parse(words)
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # not annotated
    return run_command(lambda children: run(children, options), logs=options.output)


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m examples.learn.run", description="Train a small model on this machine."
    )
    add: Callable[..., Any] = parser.add_argument
    add("--output", type=Path, default=Path("learn_output"), help="folder for all results")
    add("--size", choices=SIZES, default="small", help="size of the model")
    add("--steps", type=positive, default=100, help="steps of GRPO")
    add("--batch-size", type=positive, default=128, help=f"rollouts, a multiple of {GROUP_SIZE}")
    add("--learning-rate", type=float, default=5e-4, help="of GRPO")
    add("--seed", type=int, default=1, help="of weights, problems and sampling")
    add("--warmup-items", type=positive, default=3000, help="rollouts to imitate")
    add("--warmup-steps", type=positive, default=600, help="supervised steps on them")
    add("--warmup-from", type=Path, help="output folder of another run, to use its warm-up")
    add("--eval-items", type=positive, default=100, help="held-out problems per task and level")
    add("--checkpoint-every", type=positive, default=50, help="steps between two checkpoints")
    add("--shuffle-rewards", action="store_true", help="control: permute rewards within groups")
    options = parser.parse_args(words)
    if options.batch_size % GROUP_SIZE:
        parser.error(f"--batch-size must be a multiple of {GROUP_SIZE}, not {options.batch_size}")
    if options.warmup_from and not (options.warmup_from / "warmup" / "model").exists():
        parser.error(f"--warmup-from {options.warmup_from} holds no warmup/model")
    options.output = options.output.resolve()
    return options


async def run(children: Children, options: argparse.Namespace) -> None:
    output = options.output
    check_fixed_options(options)
    tokenizer = build_tokenizer(output / "tokenizer")
    warm_model = await warm_up(children, tokenizer, options)
    saved = checkpoints(output / "checkpoints" / "trainer")
    weights = saved[-1] if saved else warm_model
    server = await start_model_server(children, tokenizer, weights, options.seed)
    if saved:
        learner = Learner.resume(weights, options.learning_rate)
    else:
        learner = Learner.begin(load_model(weights), options.learning_rate)
        await evaluate(children, server, 0, options)
    if learner.step < options.steps:
        await learn(children, server, learner, options)
    await evaluate(children, server, learner.step, options)
    await children.run("view", view_command(output), VIEW_SECONDS)
    show(learner.step, options)


def check_fixed_options(options: argparse.Namespace) -> None:
    """Write the options of a new run, and compare those of a resumed one.

    Raises:
        BadUsage: the folder holds a run with other options.
    """
    path = options.output / "run.json"
    ours = {name: getattr(options, name) for name in FIXED_OPTIONS}
    if path.exists() and (theirs := json.loads(path.read_text(encoding="utf-8"))) != ours:
        changed = [name for name in FIXED_OPTIONS if theirs.get(name) != ours[name]]
        raise BadUsage(
            f"{options.output} holds a run with another {', '.join(changed)}: choose another "
            "--output, or the options of that run."
        )
    path.write_text(json.dumps(ours) + "\n", encoding="utf-8")


async def warm_up(children: Children, tokenizer: Path, options: argparse.Namespace) -> Path:
    """Train the initial model, unless that is done, and return its folder."""
    output = options.output
    folder: Path = (options.warmup_from or output) / "warmup" / "model"
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"collecting {options.warmup_items} rollouts of the stand-in policy", flush=True)
    async with Children(children.logs) as helpers:
        policy = await start_policy(helpers, tokenizer, "--seed", str(options.seed), *POLICY_ERRORS)
        settings = process_settings(policy, output, seed=options.seed, items=options.warmup_items)
        await helpers.run("process", environment_command("process", settings), PROCESS_SECONDS)
    vocabulary = len(AutoTokenizer.from_pretrained(tokenizer))
    model = new_model(options.size, vocabulary=vocabulary, seed=options.seed)
    rollouts = read_rollouts(output / "warmup" / "groups.jsonl")
    size = sum(weight.numel() for weight in model.parameters()) / 1e6
    print(f"a model of {size:.1f} million parameters imitates {len(rollouts)} of them", flush=True)
    losses = supervised(model, rollouts, steps=options.warmup_steps, seed=options.seed)
    with Progress("Warm-up", total=options.warmup_steps, unit="steps") as progress:
        while (loss := await asyncio.to_thread(next, losses, None)) is not None:
            progress.advance(note=f"loss {loss:.3f}")
    incomplete = folder.with_name("writing")
    model.save_pretrained(incomplete)
    incomplete.replace(folder)
    return folder


async def start_model_server(children: Children, tokenizer: Path, weights: Path, seed: int) -> str:
    """Start the inference server and return its URL."""
    module = [sys.executable, "-m", "examples.learn.server", "--tokenizer", str(tokenizer)]
    words = ["--weights", str(weights), "--seed", str(seed)]
    return await start_server(children, "inference server", [*module, *words])


async def learn(
    children: Children, server: str, learner: Learner, options: argparse.Namespace
) -> None:
    """Run environment and trainer until the last step."""
    rows_path = options.output / "steps.jsonl"
    rows = read_rows(rows_path, up_to=learner.step)  # later ones will be taken again
    rows_path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    api = await start_api(children)
    settings = serve_settings(
        api,
        server,
        options.output,
        seed=options.seed,
        group_size=GROUP_SIZE,
        eval_items=options.eval_items,
        start_over=learner.step == 0,
    )
    environment = await children.start("environment", environment_command("serve", settings))
    use_half_the_threads()
    with Progress("Learning", total=options.steps, unit="steps", initial=learner.step) as progress:

        def on_step(row: Row) -> None:
            append_row(rows_path, row)
            progress.advance(note=summary_of(row))

        await children.while_alive(train(api, server, learner, trainer_settings(options), on_step))
    await children.stop(environment)


def trainer_settings(options: argparse.Namespace) -> Settings:
    return Settings(
        output=options.output,
        steps=options.steps,
        batch_size=options.batch_size,
        max_token_len=MAX_TOKENS + 1,
        checkpoint_every=options.checkpoint_every,
        shuffle_seed=f"{options.seed}" if options.shuffle_rewards else None,
    )


def summary_of(row: Row) -> str:
    level = sum(row["levels"].values()) / len(row["levels"])
    return (
        f"reward {row['reward']:.2f}, format {row['format_rate']:.2f}, "
        f"informative {row['informative']:.2f}, level {level:.2f}"
    )


async def evaluate(children: Children, server: str, step: int, options: argparse.Namespace) -> None:
    """Evaluate the model on held-out problems, unless that is done for this step."""
    folder = evaluation_folder(step, options)
    if not (folder / "metrics.json").exists():
        print(f"evaluating on held-out problems after {step} steps", flush=True)
        settings = evaluate_settings(
            server,
            options.output,
            folder,
            eval_items=options.eval_items,
            earlier=evaluation_folder(0, options) if step else None,
        )
        command = environment_command("evaluate", settings)
        await children.run("evaluation", command, EVALUATION_SECONDS)


def evaluation_folder(step: int, options: argparse.Namespace) -> Path:
    folder: Path = options.output / "evaluations" / f"step-{step:06d}"
    return folder


def show(last_step: int, options: argparse.Namespace) -> None:
    last = evaluation_folder(last_step, options)
    before, after = read_metrics(evaluation_folder(0, options)), read_metrics(last)
    rows = read_rows(options.output / "steps.jsonl", up_to=options.steps)
    plot(rows, before, after, options.output / "curve.png")
    print(f"\n{accuracy_table(before, after)}\n")
    print(f"curve    {options.output}/curve.png\nreport   {last}/report.html")
    print(f"view     {options.output}/view.html")


if __name__ == "__main__":
    sys.exit(main())
