"""Evaluate a model on held-out problems with inspect-ai.

    inspect eval examples/trainers/inspect_evaluation.py -T per_task=5 --model openai/MODEL

Without this file, `inspect eval rgenv/reasoning_gym -T tasks=gcd` does the same in any folder.
"""

from inspect_ai import Task, task

from rgenv.adapters.inspect_ai import reasoning_gym


@task
def arithmetic(per_task: int = 20) -> Task:
    """Ask for arithmetic at three levels."""
    return reasoning_gym(tasks="arithmetic", levels=[0.0, 0.5, 1.0], per_task=per_task)
