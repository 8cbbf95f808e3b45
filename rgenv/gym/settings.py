"""Settings: what determines the problems and their scores, as plain values."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from rgenv.dataset.difficulty import check_target
from rgenv.dataset.stream import MAX_REPLICAS
from rgenv.dialogue.formats import TAGS
from rgenv.dialogue.prompts import (
    CHOICES,
    DEFAULT,
    QUESTION,
    SYSTEM_PROMPTS,
    Dialogue,
    check_template,
)
from rgenv.dialogue.reading import THINK, read_format, read_think_tags
from rgenv.errors import BadUsage, PoolBroken, StartupError
from rgenv.gym.recipes import check_parameters, check_problems, read_number
from rgenv.pool import task_modules
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.files import read_file
from rgenv.task_names import LIBRARY
from rgenv.text import refusal
from rgenv.types import MOST_WORKERS
from rgenv.worker.protocol import WorkerSettings

Check = Callable[[Any], object]
"""Returns if a value makes sense, or raises ValueError with what follows the name of the option."""


MOST = 10**9
"""The largest number that has no smaller bound."""

MOST_EXAMPLES = 64

MOST_BYTES = 1 << 20
"""Of a file with a system prompt."""


def between(least: float, most: float = MOST, *, special: int | None = None) -> Check:
    """Return a check of a number; `special` is another value, with a meaning of its own."""

    def check(value: float) -> None:
        if not least <= value <= most and value != special:
            instead = "" if special is None else f", or {special}"
            raise ValueError(f"must be from {least:g} to {most:g}{instead}, not {value!s:.40}")

    return check


def _seconds(value: float) -> None:
    if not 0 < value <= MOST:
        raise ValueError(
            f"must be a number of seconds up to {MOST:g} and above 0, not {value!s:.40}"
        )


def _range(value: tuple[float, float]) -> None:
    if not 0 <= value[0] <= value[1] <= 1:
        raise ValueError(f"must be two rising numbers in [0, 1], got {value}")


def _levels(value: Mapping[str, float]) -> None:
    if bad := [task for task, level in value.items() if not 0 <= level <= 1]:
        raise ValueError(f"a level is in [0, 1]; that of {bad[0]!r} is {value[bad[0]]}")


def _weights(value: Mapping[str, float]) -> None:
    if bad := [task for task, weight in value.items() if not 0 < weight <= MOST]:
        raise ValueError(
            f"weights must be positive numbers up to {MOST:g}; exclude {bad[0]!r} instead"
        )


def _task_configs(value: Mapping[str, Any]) -> None:
    for task, parameters in value.items():
        if not isinstance(parameters, Mapping):
            raise ValueError(f"that of {task} is {parameters!r:.60}: write a mapping")
        check_parameters(parameters, task)


def check_replica(replica_id: int, num_replicas: int) -> None:
    """Check the place of a process among those that share a stream, or raise ValueError."""
    if replica_id >= num_replicas:
        raise ValueError(
            f"replica_id {replica_id} does not exist among num_replicas {num_replicas}: ids count "
            "from 0"
        )


CHECKS: dict[str, Check] = {
    "replica_id": between(0),
    "num_replicas": between(1, MAX_REPLICAS),
    "task_weights": _weights,
    "task_configs": _task_configs,
    "curriculum_target_accuracy": check_target,
    "random_level_range": _range,
    "start_levels": _levels,
    "min_score_spread": between(0, 1),
    "problems": check_problems,
    "answer_format": read_format,
    "think_tags": read_think_tags,
    "question_template": check_template,
    "examples": between(0, MOST_EXAMPLES),
    "workers": between(1, MOST_WORKERS),
    "scoring_timeout": _seconds,
}
"""Setting -> the check of its value, which the options of the environment share."""


@dataclass(frozen=True)
class Settings:
    """What determines the problems and their scores.

    Args:
        tasks: names, categories or patterns (``*_sorting``) of the tasks that `problems` serves;
            empty: all of them.
        exclude_tasks: tasks that it does not serve, likewise.
        task_modules: Python files, or names that can be imported, that register tasks of your own
            (docs/own_tasks.md).
        task_weights: how often a task is drawn; tasks without a weight have 1.
        task_configs: keyword parameters for reasoning-gym, by task; they override the level's.
        seed: of the stream of problems.
        replica_id, num_replicas: the place of this process among those that train together, such
            as rank and world size; no two of them get the same problem.
        balance_labels: limit how often one reference answer comes.
        curriculum_target_accuracy: what ``problems(level="curriculum")`` steers each task to.
        random_level_range: the lowest and the highest level of ``problems(level="random")``.
        start_levels: task -> the level at which ``problems(level="curriculum")`` begins with it;
            others begin at 0.3. `load_state_dict` wins.
        min_score_spread: scores of a group that differ by less count as equal.
        eval_seed: of the held-out problems.
        problems: ``library``: reasoning-gym's own; ``hardened``: harder ones of our own, which no
            cheap rule answers, in the tasks that have them (docs/tasks.md).
        strict_verifiers: use our verifiers and corrected reference answers where the library's are
            proven wrong.
        workers: processes that make problems and score answers.
        answer_format: how completions have their answer: ``tags``, ``boxed``, ``final_line``, or a
            regular expression with one group (docs/running.md).
        system_prompt: a text, the path of a file, or a name: ``default``, which asks for the answer
            format, ``seed``, ``deepseek_zero``, ``boxed`` or ``none``.
        question_template: the message of the user, with ``{question}`` in it.
        examples: solved problems before each question, which are neither trained on nor held out.
        think_tags: what opens and closes the thinking of a completion; empty: it has none.
        scoring_timeout: seconds that scoring one answer may take; making a problem may take twice
            as long.
        require_wall: refuse to start unless the workers have every layer of their sandbox that this
            machine could have.

    Raises:
        BadUsage: a value makes no sense.
    """

    tasks: Sequence[str] | str = ()
    _: KW_ONLY
    exclude_tasks: Sequence[str] | str = ()
    task_modules: Sequence[str | PathLike[str]] | str | PathLike[str] = ()
    task_weights: Mapping[str, float] = field(default_factory=dict)
    task_configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 42
    replica_id: int = 0
    num_replicas: int = 1
    balance_labels: bool = True
    curriculum_target_accuracy: float = 0.7
    random_level_range: tuple[float, float] = (0.0, 1.0)
    start_levels: Mapping[str, float] = field(default_factory=dict)
    min_score_spread: float = 0.05
    eval_seed: int = 123
    problems: str = LIBRARY
    strict_verifiers: bool = True
    answer_format: str = TAGS.name
    system_prompt: str | PathLike[str] = "default"
    question_template: str = QUESTION
    examples: int = 0
    think_tags: Sequence[str] = THINK
    workers: int = 2
    scoring_timeout: float = 5.0
    require_wall: bool = False

    def __post_init__(self) -> None:
        for name in ("tasks", "exclude_tasks", "task_modules"):
            self._set(name, listed(getattr(self, name)))
        for name in ("task_weights", "task_configs", "start_levels"):
            self._set(name, dict(getattr(self, name) or {}))
        for name in ("seed", "eval_seed", "workers", "examples"):
            self._set(name, read_number(getattr(self, name), name))
        for name, check in CHECKS.items():
            value = getattr(self, name)
            try:
                check(value)
            except ValueError as error:
                raise BadUsage(f"{name}: {error}.") from None
            except (TypeError, LookupError, ArithmeticError):
                raise BadUsage(f"{name} is {value!r:.60}, which is of another type.") from None
        try:
            check_replica(self.replica_id, self.num_replicas)
            self._set("think_tags", self.dialogue.reading.think_tags)
        except ValueError as error:
            raise BadUsage(f"{error}.") from None

    @functools.cached_property
    def dialogue(self) -> Dialogue:
        """How problems are asked, and completions read; without examples."""
        return dialogue_of(
            self.answer_format, self.system_prompt, self.question_template, self.think_tags
        )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)  # this class is frozen


def dialogue_of(
    answer_format: str,
    system_prompt: str | PathLike[str],
    question_template: str,
    think_tags: Sequence[str],
) -> Dialogue:
    """Return how problems are asked and completions read, or raise ValueError."""
    return Dialogue.of(answer_format, _system_prompt(system_prompt), question_template, think_tags)


def _system_prompt(word: str | PathLike[str]) -> str:
    """Return a name or a text as it is, or the content of a file; else raise ValueError."""
    if not isinstance(word, str | PathLike) or not str(word).strip():
        raise ValueError(f"system_prompt is {word!r:.80}: write {CHOICES}")
    if isinstance(word, str) and (word in (DEFAULT, *SYSTEM_PROMPTS) or "\n" in word):
        return word
    path = Path(word).expanduser()
    try:
        if path.is_file():
            return read_file(path, at_most=MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(word, PathLike) or " " not in word:
            reason = refusal(error) if isinstance(error, OSError) else "it is not a text file"
            raise ValueError(f"system_prompt {str(path)!r:.80} can't be read: {reason}") from None
    if isinstance(word, str) and " " in word:
        return word
    raise ValueError(f"system_prompt {str(word)!r:.80} is no name or file: write {CHOICES}")


def listed(words: Any) -> list[Any]:
    return [words] if isinstance(words, str | PathLike) else list(words)


async def start_pool(settings: Settings) -> WorkerPool:
    """Start the worker pool."""
    generation_timeout = 2 * settings.scoring_timeout
    pool = WorkerPool(
        workers=settings.workers,
        scoring_timeout=settings.scoring_timeout,
        generation_timeout=generation_timeout,
        settings=WorkerSettings(
            import_path=checkout_path(),
            strict=settings.strict_verifiers,
            balance_labels=settings.balance_labels,
            task_modules=task_modules.found(listed(settings.task_modules)),
        ),
        require_wall=settings.require_wall,
    )
    try:
        await pool.start()
        await task_modules.require_sound(pool)
    except PoolBroken as error:
        raise StartupError(str(error)) from None
    except BaseException:
        await pool.close()
        raise
    return pool
