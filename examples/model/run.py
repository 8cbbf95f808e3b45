"""A real language model imitates solved problems, then learns from the environment's rewards.

    python -m examples.model.run --output model_output

One command makes all that docs/evidence.md says of it: an evaluation of the model as it comes, the
imitation, GRPO with right and with shuffled rewards from the same weights, evaluations on held-out
problems on the way, a file of results and a figure. It takes hours. The same command resumes it.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer
from transformers.utils import logging as transformers_logging

from demo.command import run_command
from demo.launch import environment_command, view_command
from demo.processes import Children
from examples.learn.curve import COLORS, draw, results_of
from examples.learn.model import freeze_lower, load_model
from examples.learn.run import Start, reinforce, start_model_server
from examples.learn.warmup import imitate
from rgenv.cli.parser import positive

from .imitation import LEARNING_RATE, solved
from .settings import LEVEL, TASKS, as_it_comes_settings, training_changes
from .weights import unpack

TRAINED_LAYERS = 15  # of 30
SECONDS = 4 * 3600.0


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed, 2 bad usage."""
    options = parse(words)
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # not annotated
    return run_command(lambda children: run(children, options), logs=options.output / "logs")


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m examples.model.run", description="Train a language model on this machine."
    )
    add: Callable[..., Any] = parser.add_argument
    add("--output", type=Path, default=Path("model_output"), help="folder for all results")
    add("--problems", type=positive, default=1600, help="solved problems to imitate")
    add("--imitation-steps", type=positive, default=120, help="supervised steps on them")
    add("--steps", type=positive, default=100, help="steps of GRPO")
    add("--control-steps", type=positive, default=60, help="steps with shuffled rewards")
    add("--batch-size", type=positive, default=128, help="rollouts in a step")
    add("--learning-rate", type=float, default=5e-5, help="of GRPO")
    add("--seeds", type=positive, default=1, help="runs of GRPO; each has its control")
    add("--eval-items", type=positive, default=100, help="held-out problems of each task")
    add("--eval-every", type=positive, default=20, help="steps between two evaluations")
    options = parser.parse_args(words)
    options.output = options.output.resolve()
    return options


async def run(children: Children, options: argparse.Namespace) -> None:
    output = options.output
    base = unpack(output / "base")
    start = Start(
        base,
        await start_model(children, base, options),
        changes=training_changes(base),
        trained_layers=TRAINED_LAYERS,
        eval_every=options.eval_every,
        server_options=("--most", "12"),
    )
    for seed in range(1, options.seeds + 1):
        for kind, steps in (("rewards", options.steps), ("shuffled", options.control_steps)):
            await learn(start, output / f"{kind}-{seed}", seed, steps, options)
    await evaluate_as_it_comes(children, base, output / "as_it_comes")
    write_results(output)


async def start_model(children: Children, base: Path, options: argparse.Namespace) -> Path:
    """Train on solved problems, unless that is done, and return the folder of the model."""
    folder: Path = options.output / "imitation"
    if folder.exists():
        return folder
    data = options.output / "solved"
    words = {"problems": options.problems, "tasks": ",".join(TASKS), "levels": LEVEL}
    await children.run("export", [*environment_command("export", words), str(data)], SECONDS)
    model = load_model(base)
    freeze_lower(model, TRAINED_LAYERS)
    rollouts = solved(data, AutoTokenizer.from_pretrained(base))
    wanted = {"steps": options.imitation_steps, "learning_rate": LEARNING_RATE}
    await imitate(model, rollouts, folder, seed=1, **wanted)
    return folder


async def learn(
    start: Start, output: Path, seed: int, steps: int, options: argparse.Namespace
) -> None:
    """Learn from rewards, or from shuffled ones, unless that is done."""
    print(f"{output.name}: {steps} steps", flush=True)
    changed = {
        "output": output,
        "seed": seed,
        "steps": steps,
        "checkpoint_every": options.eval_every,
        "shuffle_rewards": output.name.startswith("shuffled"),
    }
    logs = output / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    async with Children(logs) as children:
        await reinforce(children, start, argparse.Namespace(**vars(options) | changed))


async def evaluate_as_it_comes(children: Children, base: Path, folder: Path) -> None:
    """Evaluate the model before all training on all tasks, and write the page of its answers."""
    if (folder / "metrics.json").exists():
        return
    print("evaluating the model as it comes on all tasks", flush=True)
    start = Start(base, base, server_options=("--most", "48"))
    server = await start_model_server(children, start, base, seed=1)
    settings = as_it_comes_settings(server, base, folder)
    await children.run("evaluation", environment_command("evaluate", settings), SECONDS)
    await children.run("view", view_command(folder), SECONDS)


def write_results(output: Path) -> None:
    """Write what the documents quote into one small file, and draw the figure."""
    runs = [
        results_of(folder, kind, int(folder.name.rpartition("-")[2]))
        for kind in COLORS
        for folder in sorted(output.glob(f"{kind}-*"))
    ]
    results = {"runs": runs, "as_it_comes": counts(output / "as_it_comes" / "samples.jsonl")}
    (output / "results.json").write_text(json.dumps(results) + "\n", encoding="utf-8")
    draw(runs, output / "model.png")
    print(f"results  {output}/results.json\nfigure   {output}/model.png")


def counts(path: Path) -> dict[str, list[int]]:
    """Return the numbers of problems, of answers and of right ones, by category and level."""
    found: dict[str, list[int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        sample = json.loads(line)
        if "verdict" in sample:
            level = "defaults" if sample["level"] is None else "easiest"
            one = (1, sample["verdict"] == "scored", sample["correct"])
            for name in (f"{sample['category']}, {level}", f"all, {level}"):
                old = found.get(name, [0, 0, 0])
                found[name] = [before + new for before, new in zip(old, one, strict=True)]
    return dict(sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())
