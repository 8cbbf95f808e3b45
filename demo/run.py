"""Run the whole training loop: rollout API, stand-in policy, environment, trainer, evaluation.

    python -m demo.run --batches 12

The environment is started with command-line flags, as a user would, on free ports of this machine.
The run ends with a table, the rollout dumps, the logs, the page of an evaluation that is
compared with the one of the run before, and the page of all groups and curves. The exit code is 0
only if the wanted number of batches reached the trainer and nothing was wrong with any of them.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rgenv.cli.parser import positive
from rgenv.text import table

from .command import run_command
from .launch import (
    READY_SECONDS,
    environment_command,
    model_settings,
    start_api,
    start_policy,
    view_command,
)
from .processes import ChildFailed, Children
from .tokenizer import build_tokenizer
from .train import require_good, shown
from .trainer import TaskStats, TrainerReport

GROUP_SIZE, GROUPS_PER_BATCH = 4, 8
BATCH_SIZE = GROUP_SIZE * GROUPS_PER_BATCH
MAX_TOKEN_LENGTH = 2048
EVALUATION_SECONDS, VIEW_SECONDS = 120.0, 120.0
GUESSED = "maze", "mini_sudoku", "knights_knaves", "caesar_cipher"
"""Tasks for which the stand-in has no rule."""

TASKS = (
    "chain_sum,gcd,lcm,products,simple_equations,fraction_simplification,letter_counting,"
    f"word_sorting,number_sorting,number_filtering,rotate_matrix,spiral_matrix,{','.join(GUESSED)}"
)


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed.

    Raises:
        SystemExit: 2 for a bad command line; 130 or 143 after a signal.
    """
    options = parse(words)
    return run_command(lambda children: run(children, options), logs=options.output)


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run the whole training loop on this machine.")
    parser.add_argument("--batches", type=positive, default=24, help="number of batches to train")
    parser.add_argument("--output", type=Path, default=Path("demo_output"), help="results")
    parser.add_argument("--tasks", default=TASKS, help="comma-separated, as --env.task_names")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for all batches")
    options = parser.parse_args(words)
    options.output = options.output.resolve()
    return options


async def run(children: Children, options: argparse.Namespace) -> None:
    output, dumps = options.output, options.output / "rollouts"
    earlier_dumps = set(dumps.glob("*.jsonl"))
    tokenizer = build_tokenizer(output / "tokenizer")
    api, policy = await start_api(children), await start_policy(children, tokenizer)
    print(f"rollout API at {api}, policy server at {policy}", flush=True)
    print("starting the environment and waiting for its first batch", flush=True)
    settings = shared_settings(policy, tokenizer, options.tasks)
    report = await train(children, api, settings, options)
    print("evaluating the policy on held-out problems", flush=True)
    evaluation = new_results_folder(output / "evaluations")
    await evaluate(children, settings, evaluation)
    await children.run("view", view_command(output), VIEW_SECONDS)
    show(report, output, sorted(set(dumps.glob("*.jsonl")) - earlier_dumps), evaluation)
    require_good(report)


async def train(
    children: Children, api: str, settings: dict[str, object], options: argparse.Namespace
) -> TrainerReport:
    """Run environment and trainer until all batches have come."""
    command = environment_command(
        "serve", settings | training_settings(api, options.output / "rollouts", options.batches)
    )
    environment = await children.start("environment", command)
    report = await children.while_alive(
        shown(
            api,
            batch_size=BATCH_SIZE,
            max_token_len=MAX_TOKEN_LENGTH + 1,
            num_batches=options.batches,
            timeout=options.timeout,
            checkpoint_dir=str(options.output / "checkpoints"),
        )
    )
    if report.batches < options.batches:
        raise ChildFailed(
            environment,
            f"sent {report.batches} of {options.batches} batches in {options.timeout:.0f} s",
        )
    await children.stop(environment)
    return report


async def evaluate(children: Children, settings: dict[str, object], results: Path) -> None:
    """Run the environment's evaluation of the policy."""
    evaluation = {
        "env.data_dir_to_save_evals": results,
        "env.num_eval_samples_per_task": 4,
        "env.eval_levels": "none,0.5",
    }
    command = environment_command("evaluate", settings | evaluation)
    await children.run("evaluation", command, EVALUATION_SECONDS)


def shared_settings(policy: str, tokenizer: Path, tasks: str) -> dict[str, object]:
    return model_settings(policy, tokenizer) | {
        "env.wandb_name": "demo",
        "env.task_names": tasks,
        "env.group_size": GROUP_SIZE,
        "env.max_token_length": MAX_TOKEN_LENGTH,
        "env.startup_timeout": READY_SECONDS,
        "openai.model_name": "stand-in",
    }


def training_settings(api: str, dumps: Path, batches: int) -> dict[str, object]:
    never = batches + 1000  # more steps than the trainer takes: the trainer ends the run
    return {
        "env.rollout_server_url": api,
        "env.seed": 42,
        "env.force": "true",  # each demo asks the same problems
        "env.batch_size": BATCH_SIZE,
        "env.total_steps": never,
        "env.steps_per_eval": never,
        "env.num_eval_samples_per_task": 1,
        "env.ensure_scores_are_not_same": "false",
        "env.dump_rollouts": "true",
        "env.dump_failed_rollouts": "true",
        "env.data_dumps_dir": dumps,
    }


def new_results_folder(folder: Path) -> Path:
    """Return a new folder for this run's evaluation, next to those of earlier runs."""
    number = 1 + max((int(path.name[4:]) for path in folder.glob("run-[0-9]*")), default=0)
    return folder / f"run-{number:03d}"


COLUMNS = ("task", "groups", "mean score", "format failures", "truncated")


def report_table(report: TrainerReport) -> str:
    """Return a table with a line for each task, best first, and a line for all tasks."""
    by_score = sorted(report.tasks.items(), key=lambda entry: (-entry[1].mean_score, entry[0]))
    rows = [_row(name, stats) for name, stats in by_score]
    return table(COLUMNS, rows, last=_row("all", report.total))


def _row(name: str, stats: TaskStats) -> tuple[str, ...]:
    counts = (stats.format_failures, stats.truncations)
    return (name, str(stats.groups), f"{stats.mean_score:.3f}", *map(str, counts))


def show(report: TrainerReport, output: Path, dumps: Sequence[Path], evaluation: Path) -> None:
    received = f"{report.batches} batches, {report.total.groups} groups of {GROUP_SIZE}"
    print(f"\n{report_table(report)}\n")
    if guessed := sorted(set(GUESSED) & report.tasks.keys()):
        print(f"the stand-in has no rule for {', '.join(guessed)}: it writes no right answer there")
    print(f"{received} in {report.seconds:.0f} s; a truncated rollout is also a format failure")
    for path in dumps:
        print(f"rollouts  {path}")
    print(f"logs      {output}/*.log\nreport    {evaluation}/report.html")
    print(f"view      {output}/view.html: all groups, with those the trainer did not wait for")


if __name__ == "__main__":
    sys.exit(main())
