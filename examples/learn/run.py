"""Train a small model: it imitates saved rollouts, then learns from the environment's rewards.

    python -m examples.learn.run --output learn_output

Rollout API, inference server and environment are started as a user would, on free ports of this
machine. The trainer runs in this process. The same command resumes a run that was stopped. The run
ends with a table of accuracies before and after, a plot, and a page of all rollouts. All logs,
rollouts, checkpoints and evaluations are in the output folder.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
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
from demo.launch import environment_command, start_api, start_policy, start_server, view_command
from demo.processes import Children
from demo.trainer import completion_tokens
from rgenv.cli.parser import positive
from rgenv.errors import BadUsage
from rgenv.runtime.progress import Progress

from . import settings
from .curve import accuracy_table, draw, results_of
from .model import SIZES, freeze_lower, load_model, new_model, use_half_the_threads
from .sampler import Rollout
from .settings import GROUP_SIZE
from .tokenizer import build_tokenizer
from .trainer import Learner, imitate, read_rows, train

PROCESS_SECONDS, EVALUATION_SECONDS, VIEW_SECONDS = 900.0, 600.0, 300.0


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed, 2 bad usage; exit with 130 or 143 after a signal."""
    options = parse(words)
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # not annotated
    return run_command(lambda children: run(children, options), logs=options.output)


def parse(words: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(description="Train a small model on this machine.")
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
    parser.set_defaults(changes={}, server_options=(), trained_layers=None, eval_every=None)
    options = parser.parse_args(words)
    if options.batch_size % GROUP_SIZE:
        parser.error(f"--batch-size must be a multiple of {GROUP_SIZE}, not {options.batch_size}")
    options.output = options.output.resolve()
    options.tokenizer = options.output / "tokenizer"
    options.imitation = options.output / "warmup" / "model"
    return options


async def run(children: Children, options: Namespace) -> None:
    check_fixed_options(options)
    if not options.tokenizer.exists():
        build_tokenizer(options.tokenizer, list(settings.TASK_WEIGHTS))
    if not options.imitation.exists():
        await warm_up(children, options)
    last_step = await reinforce(children, options)
    await children.run("view", view_command(options.output), VIEW_SECONDS)
    results = results_of(options.output, "shuffled" if options.shuffle_rewards else "rewards", 1)
    draw([results], options.output / "curve.png")
    print(f"\n{accuracy_table(results)}\n")
    print(f"curve    {options.output}/curve.png")
    print(f"report   {options.output}/evaluations/step-{last_step:06d}/report.html")
    print(f"view     {options.output}/view.html")


def check_fixed_options(options: Namespace) -> None:
    """Write the options of a new run; BadUsage: a resumed one has others."""
    fixed = ("size", "seed", "batch_size", "learning_rate", "shuffle_rewards")
    path, ours = options.output / "run.json", {name: getattr(options, name) for name in fixed}
    theirs = json.loads(path.read_text(encoding="utf-8")) if path.exists() else ours
    if changed := [name for name in fixed if theirs[name] != ours[name]]:
        raise BadUsage(
            f"{options.output} holds a run with another {', '.join(changed)}: choose another "
            "--output, or the options of that run."
        )
    path.write_text(json.dumps(ours) + "\n", encoding="utf-8")


async def warm_up(children: Children, options: Namespace) -> None:
    """Train a new model on what the stand-in policy wrote.

    The policy is wrong more often than right, and sometimes breaks the answer format. The model
    learns how to answer, and is right about a third of the time.
    """
    print(f"collecting {options.warmup_items} rollouts of the stand-in policy", flush=True)
    async with Children(children.logs) as helpers:
        words = f"--seed {options.seed} --error-rate 0.6 --format-error-rate 0.1 --overlong-rate 0"
        policy = await start_policy(helpers, options.tokenizer, *words.split())
        command = environment_command("process", settings.of_process(policy, options))
        await helpers.run("process", command, PROCESS_SECONDS)
    rollouts = [
        Rollout(tokens, completion_tokens(masks))
        for group in read_rows(options.output / "warmup" / "groups.jsonl")
        for tokens, masks in zip(group["tokens"], group["masks"], strict=True)
    ]
    model = new_model(options.size, AutoTokenizer.from_pretrained(options.tokenizer), options.seed)
    size = sum(weight.numel() for weight in model.parameters()) / 1e6
    print(f"a model of {size:.1f} million parameters imitates {len(rollouts)} of them", flush=True)
    learner, steps = Learner(model, 2e-3, weight_decay=0.01), options.warmup_steps
    await imitate(learner, rollouts, options.imitation, steps=steps, seed=options.seed)


async def reinforce(children: Children, options: Namespace) -> int:
    """Learn by rewards, from the last checkpoint if there is one; return the last step.

    Beside what `parse` reads, options have `tokenizer` and `imitation`, the folders to begin with;
    `changes`, settings of the environment; `trained_layers`, the upper layers that learn, or None
    for all; `eval_every`, the steps between evaluations on the way; and `server_options`.
    """
    model, weights = load_model(options.imitation), options.output / "weights"
    if options.trained_layers:
        freeze_lower(model, options.trained_layers)
    learner = Learner(model, options.learning_rate)
    if (checkpoint := options.output / "checkpoints" / "trainer.pt").exists():
        learner.resume(checkpoint)
    model.save_pretrained(weights)
    server = await start_model_server(children, weights, options.seed, *options.server_options)
    await evaluate(children, server, learner.step, options)
    use_half_the_threads()
    while learner.step < options.steps:
        goal = min(options.steps, learner.step + (options.eval_every or options.steps))
        await learn(children, server, learner, goal, options)
        await evaluate(children, server, goal, options)
    return learner.step


async def start_model_server(children: Children, weights: Path, seed: int, *words: str) -> str:
    """Start the inference server and return its URL."""
    module = [sys.executable, "-m", "examples.learn.server"]
    options = ["--weights", str(weights), "--seed", str(seed), *words]
    return await start_server(children, "inference server", [*module, *options])


async def learn(
    children: Children, server: str, learner: Learner, goal: int, options: Namespace
) -> None:
    """Run rollout API, environment and trainer until a step."""
    path = options.output / "steps.jsonl"
    rows = read_rows(path)[: learner.step] if learner.step else []  # others will be taken again
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    async with Children(children.logs) as helpers:
        api = await start_api(helpers)
        serve = settings.of_serve(api, server, options, start_over=learner.step == 0)
        await helpers.start("environment", environment_command("serve", serve))
        with Progress("Learning", total=goal, unit="steps", initial=learner.step) as progress:
            work = train(api, server, learner, options, goal, progress)
            await helpers.while_alive(children.while_alive(work))


async def evaluate(children: Children, server: str, step: int, options: Namespace) -> None:
    """Evaluate the model on held-out problems, unless that is done for this step."""
    first, folder = (options.output / "evaluations" / f"step-{n:06d}" for n in (0, step))
    if not (folder / "metrics.json").exists():
        print(f"evaluating on held-out problems after {step} steps", flush=True)
        asked = settings.of_evaluate(server, options, folder, first if step else None)
        await children.run("evaluation", environment_command("evaluate", asked), EVALUATION_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
