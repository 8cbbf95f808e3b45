"""The tasks of reasoning-gym, and the words with which users select tasks and levels."""

import fnmatch
from collections.abc import Mapping, Sequence

from rgenv.errors import BadUsage, UnknownTask
from rgenv.measured import RELEASE, TASKS
from rgenv.text import did_you_mean, nearest

COMPOSITE = "composite"
"""The one task without usable defaults: it mixes other tasks, which must be configured."""

LIBRARY, HARDENED = "library", "hardened"
PROBLEMS = LIBRARY, HARDENED
"""Which problems are asked: reasoning-gym's, or harder ones of our own where a task has them."""

KNOWN_TASKS: dict[str, str] = {
    task: TASKS[task].category for task in sorted(TASKS, key=lambda one: (TASKS[one].category, one))
}
"""Name -> category in reasoning-gym `RELEASE`."""


def choose_tasks(
    available: Mapping[str, str],
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    *,
    configured: Sequence[str] = (),
) -> list[str]:
    """Select tasks by name, category or glob pattern; composite, only if it is `configured`.

    BadUsage: words match no task, no task is left, or composite is named and not configured.
    """
    found = {word: _matching(available, word) for word in (*include, *exclude)}
    if unknown := [word for word, tasks in found.items() if not tasks]:
        sentence = "No task or category is called {!r}.{}".format
        raise UnknownTask(" ".join(sentence(word, suggestion(word, available)) for word in unknown))
    chosen = set().union(*(found[word] for word in include)) if include else set(available)
    chosen = chosen.difference(*(found[word] for word in exclude))
    if COMPOSITE in chosen and COMPOSITE not in configured:
        if COMPOSITE in include or chosen == {COMPOSITE}:
            raise BadUsage(
                "composite has no data sets of its own: configure task_configs.composite.datasets "
                "(a list of {name, weight, config}), or leave it out of task_names."
            )
        chosen.discard(COMPOSITE)
    if not chosen:
        raise BadUsage("No task is left: exclude_tasks removes all that task_names selects.")
    return sorted(chosen)


def _matching(available: Mapping[str, str], word: str) -> set[str]:
    in_category = {task for task, category in available.items() if word == category}
    return in_category | set(fnmatch.filter(available, word))


def require_task(task: str, available: Mapping[str, str]) -> None:
    """Check that there is a task of this name; UnknownTask suggests similar names."""
    if not isinstance(task, str):
        raise UnknownTask(f"{task!r:.60} is not a task: write one name, such as 'gcd'.")
    if task not in available:
        is_category = task in available.values()
        hint = " It is a category: name one of its tasks." if is_category else ""
        raise UnknownTask(f"There is no task {task!r:.60}.{hint or suggestion(task, available)}")


def suggestion(word: str, available: Mapping[str, str]) -> str:
    """Return a sentence that helps to correct `word`, to append to an error message."""
    if word in KNOWN_TASKS and word not in available:
        return (
            f" The task is gone from this reasoning-gym: leave it out, or `pip install "
            f"reasoning-gym=={RELEASE}`."
        )
    names = [*available, *set(available.values())]
    near = nearest(word, names, n=3, cutoff=0.5)
    near = near[:1] if word.lower() in near else near
    return did_you_mean(near) or " The command `tasks` lists the tasks."


def parse_names(text: str) -> list[str]:
    """Split names separated by commas; blanks around names and empty names are dropped."""
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_levels(text: str) -> list[float | None]:
    """Return the levels of a text such as ``none,0,0.5``, each once, or raise BadUsage."""
    words = parse_names(text.lower())
    try:
        levels = [None if word in ("none", "null") else float(word) for word in words]
    except ValueError:
        levels = []
    if not levels or not all(level is None or 0 <= level <= 1 for level in levels):
        raise BadUsage(f"{text!r} is not a list of levels: write none or numbers in [0, 1].")
    return list(dict.fromkeys(levels))
