"""Training problems, rewards and evaluation for the tasks of reasoning-gym.

The packages, in the order in which a problem passes through them::

    stream/       chooses the task, level and seed of the next problem, and what is held out
    pool/         makes problems and scores answers in worker processes: the parent's side
    tasks/        what is known of each task, one file a task; runs in a worker
    worker/       the worker process: makes problems, scores answers, inside a sandbox
    dialogue/     how a problem is asked, and how an answer is read: prompts, answer formats
    gym/          problems and scores for any program: ReasoningGym, AsyncReasoningGym
    inference/    completions from inference servers: engines, prompts, tokenizers
    rollouts/     completions: answers, rewards, metrics, saved rollouts, the snapshot
    evaluation/   asks for a fixed set of held-out problems, and writes a report
    pages/        shows runs and evaluations as HTML pages, alone or side by side
    export/       writes the best of what a run saved, or new problems, as data for training
    validation/   checks tasks and verifiers without a model
    runtime/      start, shutdown, retries, progress; files that survive kill -9
    adapters/     adapters to other frameworks: TRL, verifiers, inspect, OpenEnv, Ray
    cli/          the command line: options, help, and a file for each command
    atropos/      the adapter to Atropos; the only package that imports atroposlib and wandb

    types.py      Problem, Rollout, Verdict, Group, Sample
    errors.py     exceptions and exit codes; says which extra of the package is missing
    mistakes.py   says in one sentence what is wrong with the value of a setting
    py.typed      tells type checkers that the package has types
    task_names.py the list of tasks, and selecting tasks and levels
    measured.py   what was measured of each task: measured.json, which tools/measure.py writes
    secrets.py    keeps keys and passwords out of logs and files
    text.py       formats tables, names of levels, and exceptions

`tests/repository/test_repository.py` checks that no other package imports what only worker/, tasks/
or atropos/ may import, and that there is no import cycle. `reasoning_gym_environment.py` has the
class that Atropos calls.

Example::

    with rgenv.ReasoningGym(tasks=["arithmetic"], seed=7) as gym:
        problem = gym.make("chain_sum", seed=7, level=0.5)
        gym.score(problem, [f"<answer>{problem.answer}</answer>"])    # [1.0]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036  # pip knows, but a clone may run without it
    sys.exit("error: Python 3.11 to 3.13 is needed; this is " + sys.version.split()[0] + ".")

if TYPE_CHECKING:
    from rgenv.gym.clients import AsyncReasoningGym, ReasoningGym

__all__ = ["AsyncReasoningGym", "ReasoningGym"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import the clients when they are first asked for: workers import this package, too."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rgenv.gym import clients

    return getattr(clients, name)
