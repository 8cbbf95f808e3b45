"""One command, the whole loop: rollout API, stand-in policy, environment, trainer, evaluation.

    python -m demo.run --batches 12

The environment runs as a user starts it, with command-line flags, on free ports of this machine.
At the end stand a table, the dumps, the logs, a plot and the page of an evaluation, which compares
with the run before; the exit code is 0 only when the wanted number of batches reached the trainer
and nothing was wrong with any of them.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import aiohttp
from tqdm import tqdm

from .children import Child, ChildDied, Children, free_port
from .rules import SOLVED_TASKS
from .summary import plot, table
from .tokenizer import build_tokenizer
from .trainer import TrainerError, TrainerReport, run_trainer

GROUP_SIZE, GROUPS_PER_BATCH = 4, 8
BATCH_SIZE = GROUP_SIZE * GROUPS_PER_BATCH
MAX_TOKEN_LENGTH = 2048
START_SECONDS = 30.0
EVALUATION_SECONDS = 120.0
TASKS = (
    "chain_sum,gcd,products,leg_counting,simple_equations,base_conversion,letter_counting,"
    "word_sorting,number_filtering,rotate_matrix,binary_matrix,shortest_path,course_schedule,"
    "maze,needle_haystack,self_reference,bf,coin_flip,simple_geometry,"
    "mini_sudoku,knights_knaves,caesar_cipher"  # no rules for these three: the policy guesses
)
T = TypeVar("T")


class DemoFailed(RuntimeError):
    """The loop did not turn as wanted; the text says why in one sentence."""


def api_command(port: int) -> list[str]:
    script = Path(sys.executable).with_name("run-api")
    module = [sys.executable, "-m", "atroposlib.cli.run_api"]
    program = [str(script)] if script.exists() else module
    leash = [sys.executable, "-m", "demo.leash", str(os.getpid())]
    return [*leash, *program, "--host", "127.0.0.1", "--port", str(port)]


def policy_command(tokenizer: Path) -> list[str]:
    return [sys.executable, "-m", "demo.policy_server", "--tokenizer", str(tokenizer)]


def environment_command(
    api: str, policy: str, tokenizer: Path, dumps: Path, options: argparse.Namespace
) -> list[str]:
    return _command(
        "serve",
        policy,
        tokenizer,
        options,
        {
            "env.rollout_server_url": api,
            "env.seed": 42,
            "env.batch_size": BATCH_SIZE,
            "env.total_steps": options.batches + 1000,  # the trainer decides when it is over
            "env.steps_per_eval": options.batches + 1000,
            "env.num_eval_samples_per_task": 1,
            "env.ensure_scores_are_not_same": "false",
            "env.dump_rollouts": "true",
            "env.dump_failed_rollouts": "true",
            "env.data_dumps_dir": dumps,
        },
    )


def evaluation_command(
    policy: str, tokenizer: Path, results: Path, options: argparse.Namespace
) -> list[str]:
    return _command(
        "evaluate",
        policy,
        tokenizer,
        options,
        {
            "env.data_dir_to_save_evals": results,
            "env.num_eval_samples_per_task": 4,
            "env.eval_levels": "none,0.5",
        },
    )


def _command(
    command: str,
    policy: str,
    tokenizer: Path,
    options: argparse.Namespace,
    more: dict[str, object],
) -> list[str]:
    flags = {
        "env.tokenizer_name": tokenizer,
        "env.use_wandb": "false",
        "env.wandb_name": "demo",
        "env.task_names": options.tasks,
        "env.group_size": GROUP_SIZE,
        "env.max_token_length": MAX_TOKEN_LENGTH,
        "env.startup_timeout": START_SECONDS,
        "openai.server_type": "vllm",
        "openai.base_url": f"{policy}/v1",
        "openai.model_name": "stand-in",
        "openai.tokenizer_name": tokenizer,
        **more,
    }
    pairs = [text for name, value in flags.items() for text in (f"--{name}", str(value))]
    return [sys.executable, "reasoning_gym_environment.py", command, *pairs]


async def until(child: Child, found: Callable[[], Awaitable[T | None]]) -> T:
    """What `found` gives once it gives something; DemoFailed when that takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while (result := await found()) is None:
        if time.monotonic() > deadline:
            raise DemoFailed(
                f"The {child.name} was not ready after {START_SECONDS:.0f} s; "
                f"its log {child.log} ends with:\n{child.last_words()}"
            )
        await asyncio.sleep(0.1)
    return result


async def start_api(children: Children) -> str:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    child = await children.start("rollout API", api_command(port))

    async def answering() -> str | None:
        try:
            async with aiohttp.ClientSession() as session, session.get(url) as reply:
                return url if reply.status == 200 else None
        except aiohttp.ClientError:
            return None

    return await children.while_alive(until(child, answering))


async def start_policy(children: Children, tokenizer: Path) -> str:
    return await start_server(children, "policy server", policy_command(tokenizer))


async def start_server(children: Children, name: str, command: Sequence[str]) -> str:
    """The address of a server that prints its port as JSON."""
    child = await children.start(name, command)

    async def announced() -> str | None:
        for line in child.log.read_text(encoding="utf-8", errors="replace").splitlines(True):
            if line.startswith('{"port"') and line.endswith("\n"):
                return f"http://127.0.0.1:{json.loads(line)['port']}"
        return None

    return await children.while_alive(until(child, announced))


async def train(api: str, options: argparse.Namespace) -> TrainerReport:
    """The trainer, with a bar in a terminal and plain lines elsewhere."""
    with tqdm(total=options.batches, unit="batch", disable=None) as bar:

        def show(report: TrainerReport) -> None:
            so_far = f"{report.total.groups} groups, mean score {report.total.mean_score:.2f}"
            bar.set_postfix_str(so_far, refresh=False)
            bar.update(report.batches - bar.n)
            if bar.disable:
                print(f"batch {report.batches} of {options.batches}: {so_far}", flush=True)

        return await run_trainer(
            api,
            batch_size=BATCH_SIZE,
            max_token_len=MAX_TOKEN_LENGTH + 1,
            num_batches=options.batches,
            timeout=options.timeout,
            checkpoint_dir=str(options.output / "checkpoints"),
            on_batch=show,
        )


async def run(options: argparse.Namespace) -> TrainerReport:
    """Start everything, train, stop everything; the children end on every way out."""
    output = options.output
    end_on_sigterm()
    async with Children(logs=output) as children:
        tokenizer = build_tokenizer(output / "tokenizer")
        api, policy = await start_api(children), await start_policy(children, tokenizer)
        print(
            f"rollout API at {api}, policy server at {policy}; starting the environment and "
            "waiting for its first batch",
            flush=True,
        )
        command = environment_command(api, policy, tokenizer, output / "rollouts", options)
        environment = await children.start("environment", command)
        report = await children.while_alive(train(api, options))
        if report.batches < options.batches:
            raise DemoFailed(
                f"{report.batches} of {options.batches} batches reached the trainer in "
                f"{options.timeout:.0f} s; the environment's log {environment.log} ends with:\n"
                f"{environment.last_words()}"
            )
        await environment.stop()
        children.running.remove(environment)
        await evaluate(children, evaluation_command(policy, tokenizer, options.results, options))
    return report


async def evaluate(children: Children, command: list[str]) -> None:
    """Ask the policy the evaluation set, to the end."""
    print("evaluating the policy on held-out items", flush=True)
    await finish(children, "evaluation", command, EVALUATION_SECONDS)


async def finish(children: Children, name: str, command: Sequence[str], seconds: float) -> None:
    """Run a program to its end; DemoFailed when that is none or not a good one."""
    child = await children.start(name, command)
    try:
        async with asyncio.timeout(seconds):
            code = await child.process.wait()
    except TimeoutError:
        code = None
    children.running.remove(child)
    await child.stop()
    if code != 0:
        raise DemoFailed(
            f"The {name} {'took too long' if code is None else f'ended with exit code {code}'};"
            f" its log {child.log} ends with:\n{child.last_words()}"
        )


def new_results(folder: Path) -> Path:
    """A folder for this run's evaluation, beside those of earlier runs."""
    number = 1 + max((int(path.name[4:]) for path in folder.glob("run-[0-9]*")), default=0)
    return folder / f"run-{number:03d}"


def show_results(
    report: TrainerReport, dumps: Sequence[Path], output: Path, evaluation: Path
) -> None:
    total, picture = report.total, output / "scores.png"
    received = f"{report.batches} batches, {total.groups} groups of {GROUP_SIZE}"
    plot(report.tasks, known=SOLVED_TASKS, subtitle=received, path=picture)
    print(f"\n{table(report)}\n")
    print(f"{received} in {report.seconds:.0f} s; a truncated rollout is a format failure as well")
    for path in dumps:
        print(f"rollouts  {path}")
    print(f"logs      {output}/*.log\nplot      {picture}\nreport    {evaluation}/report.html")


def positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def options_of(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run the whole training loop on this machine.")
    parser.add_argument("--batches", type=positive, default=24, help="how many to wait for")
    parser.add_argument("--output", type=Path, default=Path("demo_output"), help="results")
    parser.add_argument("--tasks", default=TASKS, help="comma-separated, as --env.task_names")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for all batches")
    options = parser.parse_args(words)
    options.output = options.output.resolve()
    return options


def end_on_sigterm() -> None:
    """SIGTERM cancels the task that calls this, so that its children end with it."""
    if task := asyncio.current_task():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def exit_code(work: Callable[[], int], failed: str) -> int:
    """What `work` gives; 1 and a sentence that begins with `failed`; 130 and 143 for signals."""
    try:
        return work()
    except (DemoFailed, ChildDied, TrainerError, OSError) as error:
        print(f"{failed} {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except asyncio.CancelledError:
        return 143


def main(words: Sequence[str] | None = None) -> int:
    options = options_of(words)
    rollouts = options.output / "rollouts"

    def work() -> int:
        options.output.mkdir(parents=True, exist_ok=True)
        earlier = set(rollouts.glob("*.jsonl"))
        options.results = new_results(options.output / "evaluations")
        report = asyncio.run(run(options))
        dumps = sorted(set(rollouts.glob("*.jsonl")) - earlier)
        show_results(report, dumps, options.output, options.results)
        for problem in report.problems:
            print(f"wrong: {problem}", file=sys.stderr)
        return 1 if report.problems else 0

    return exit_code(work, "The demo failed.")


if __name__ == "__main__":
    sys.exit(main())
