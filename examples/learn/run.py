"""Train a small model: it imitates saved rollouts, then learns from the environment's rewards.

    python -m examples.learn.run --output learn_output

Rollout API, inference server and environment are started as a user would, on free ports of this
machine. The trainer runs in this process. The same command resumes a run that was stopped. The run
ends with a table of accuracies before and after, a plot, and a page of all rollouts. All logs,
rollouts, checkpoints and evaluations are in the output folder.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import torch  # noqa: F401 - checked first, to name the remedy
except ImportError:
    sys.exit("Learning needs torch: `pip install -r requirements-learn.txt -c constraints.txt`.")
from transformers import AutoTokenizer
from transformers.utils import logging as transformers_logging

from demo.command import run_command
from demo.launch import environment_command, start_api, start_policy, start_server, view_command
from demo.processes import Children
from rgenv.cli.parser import positive
from rgenv.errors import BadUsage
from rgenv.runtime.progress import Progress

from .curve import accuracy_table, draw, results_of
from .model import SIZES, freeze_lower, load_model, new_model, use_half_the_threads
from .settings import (
    GROUP_SIZE,
    POLICY_ERRORS,
    evaluate_settings,
    process_settings,
    serve_settings,
)
from .tokenizer import build_tokenizer
from .trainer import Learner, Row, checkpoints, read_rows, train
from .warmup import imitate, read_rollouts

PROCESS_SECONDS, EVALUATION_SECONDS, VIEW_SECONDS = 900.0, 600.0, 300.0
FIXED_OPTIONS = ("size", "seed", "batch_size", "learning_rate", "shuffle_rewards")
"""Options that must not change when a run is resumed."""


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed, 2 bad usage; exit with 130 or 143 after a signal."""
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
    add("--eval-items", type=positive, default=100, help="held-out problems per task and level")
    add("--checkpoint-every", type=positive, default=50, help="steps between two checkpoints")
    add("--shuffle-rewards", action="store_true", help="control: permute rewards within groups")
    options = parser.parse_args(words)
    if options.batch_size % GROUP_SIZE:
        parser.error(f"--batch-size must be a multiple of {GROUP_SIZE}, not {options.batch_size}")
    options.output = options.output.resolve()
    return options


async def run(children: Children, options: argparse.Namespace) -> None:
    check_fixed_options(options)
    tokenizer = build_tokenizer(options.output / "tokenizer")
    warm_model = await warm_up(children, tokenizer, options)
    last_step = await reinforce(children, Start(tokenizer, warm_model), options)
    await children.run("view", view_command(options.output), VIEW_SECONDS)
    show(options, last_step)


@dataclass(frozen=True)
class Start:
    """What learning by rewards begins with.

    Attributes:
        changes: settings of the environment for other tasks than ours.
        trained_layers: the upper layers that learn; None: the whole model.
        eval_every: steps between two evaluations on the way; None: at both ends only.
        server_options: further options of the inference server.
    """

    tokenizer: Path
    weights: Path
    changes: Mapping[str, object] = field(default_factory=dict)
    trained_layers: int | None = None
    eval_every: int | None = None
    server_options: Sequence[str] = ()


async def reinforce(children: Children, start: Start, options: argparse.Namespace) -> int:
    """Learn until `options.steps`, from the last checkpoint if any; return the last step."""
    saved = checkpoints(options.output / "checkpoints" / "trainer")
    weights = saved[-1] if saved else start.weights
    server = await start_model_server(children, start, weights, options.seed)
    model = load_model(weights)
    if start.trained_layers:
        freeze_lower(model, start.trained_layers)
    learner = Learner.begin(model, options.learning_rate)
    if saved:
        learner.resume(weights)
    await evaluate(children, server, learner.step, start, options)
    use_half_the_threads()
    while learner.step < options.steps:
        goal = min(options.steps, learner.step + (start.eval_every or options.steps))
        await learn(children, server, learner, goal, start, options)
        await evaluate(children, server, learner.step, start, options)
    return learner.step


def check_fixed_options(options: argparse.Namespace) -> None:
    """Write the options of a new run; BadUsage: a resumed one has others."""
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
    folder: Path = output / "warmup" / "model"
    if folder.exists():
        return folder
    print(f"collecting {options.warmup_items} rollouts of the stand-in policy", flush=True)
    async with Children(children.logs) as helpers:
        policy = await start_policy(helpers, tokenizer, "--seed", str(options.seed), *POLICY_ERRORS)
        command = environment_command("process", process_settings(policy, options))
        await helpers.run("process", command, PROCESS_SECONDS)
    vocabulary = len(AutoTokenizer.from_pretrained(tokenizer))
    model = new_model(options.size, vocabulary=vocabulary, seed=options.seed)
    rollouts = read_rollouts(output / "warmup" / "groups.jsonl")
    size = sum(weight.numel() for weight in model.parameters()) / 1e6
    print(f"a model of {size:.1f} million parameters imitates {len(rollouts)} of them", flush=True)
    await imitate(model, rollouts, folder, steps=options.warmup_steps, seed=options.seed)
    return folder


async def start_model_server(children: Children, start: Start, weights: Path, seed: int) -> str:
    """Start the inference server and return its URL."""
    module = [sys.executable, "-m", "examples.learn.server", "--tokenizer", str(start.tokenizer)]
    words = ["--weights", str(weights), "--seed", str(seed), *start.server_options]
    return await start_server(children, "inference server", [*module, *words])


async def learn(
    children: Children,
    server: str,
    learner: Learner,
    goal: int,
    start: Start,
    options: argparse.Namespace,
) -> None:
    """Run rollout API, environment and trainer until a step."""
    rows_path = options.output / "steps.jsonl"
    rows = read_rows(rows_path)[: learner.step]  # later ones will be taken again
    rows_path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    async with Children(children.logs) as helpers:
        api = await start_api(helpers)
        settings = serve_settings(api, server, options, start_over=learner.step == 0)
        settings |= start.changes
        await helpers.start("environment", environment_command("serve", settings))
        progress = Progress("Learning", total=goal, unit="steps", initial=learner.step)

        def on_step(row: Row) -> None:
            print(json.dumps(row), file=file, flush=True)
            progress.advance(note=summary_of(row))

        with progress, rows_path.open("a", encoding="utf-8") as file:
            work = train(api, server, learner, options, goal, on_step)
            await helpers.while_alive(children.while_alive(work))


def summary_of(row: Row) -> str:
    level = sum(row["levels"].values()) / len(row["levels"])
    return (
        f"reward {row['reward']:.2f}, format {row['format_rate']:.2f}, "
        f"informative {row['informative']:.2f}, level {level:.2f}"
    )


async def evaluate(
    children: Children, server: str, step: int, start: Start, options: argparse.Namespace
) -> None:
    """Evaluate the model on held-out problems, unless that is done for this step."""
    folder = evaluation_folder(step, options)
    if not (folder / "metrics.json").exists():
        print(f"evaluating on held-out problems after {step} steps", flush=True)
        earlier = evaluation_folder(0, options) if step else None
        settings = evaluate_settings(server, options, folder, earlier)
        settings |= start.changes
        command = environment_command("evaluate", settings)
        await children.run("evaluation", command, EVALUATION_SECONDS)


def evaluation_folder(step: int, options: argparse.Namespace) -> Path:
    folder: Path = options.output / "evaluations" / f"step-{step:06d}"
    return folder


def show(options: argparse.Namespace, last_step: int) -> None:
    kind = "shuffled" if options.shuffle_rewards else "rewards"
    results = results_of(options.output, kind, seed=1)
    draw([results], options.output / "curve.png")
    print(f"\n{accuracy_table(results)}\n")
    print(f"curve    {options.output}/curve.png")
    print(f"report   {evaluation_folder(last_step, options)}/report.html")
    print(f"view     {options.output}/view.html")


if __name__ == "__main__":
    sys.exit(main())
