"""Settings: what determines the problems and their scores, each declared once.

A class of fields is a section of the help; its docstring is the heading. The environment's options
(rgenv/atropos/options.py) are these and its own, and the commands take some of them by name.

::

    settings = Settings(tasks="gcd,lcm", answer_format="boxed")
    settings.task_names, settings.answer_format       # ["gcd", "lcm"], Boxed()

A value may be words, as on a command line. A function that reads them returns what is not text
unchanged; one that checks a value returns it, or raises ValueError with what follows its name.
"""

import contextlib
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    model_validator,
)

from rgenv.dialogue.formats import TAGS, AnswerFormat
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
from rgenv.gym.recipes import MOST_DIGITS, check_parameters
from rgenv.mistakes import invalid_values
from rgenv.pool import task_modules
from rgenv.pool.library import checkout_path
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.files import parse_json, read_file
from rgenv.stream.difficulty import TARGETS
from rgenv.stream.stream import MAX_REPLICAS
from rgenv.task_names import parse_levels, parse_names
from rgenv.text import refusal
from rgenv.types import MOST_WORKERS
from rgenv.worker.protocol import WorkerSettings

T = TypeVar("T")

MOST = 10**9
"""The largest number that has no smaller bound."""


def between(least: float, most: float = MOST, *, special: int | None = None) -> Callable[[T], T]:
    """Return a check of a number; `special` is another value, with a meaning of its own."""

    def check(value: Any) -> Any:
        if not least <= value <= most and value != special:
            instead = "" if special is None else f", or {special}"
            raise ValueError(f"must be from {least:g} to {most:g}{instead}, not {value!s:.40}")
        return value

    return check


def none_word(value: Any) -> Any:
    """Return None for text that stands for it: none, null or nothing."""
    is_none = isinstance(value, str) and value.lower() in ("", "none", "null")
    return None if is_none else value


def split_words(value: Any) -> Any:
    """Return the list that ``gcd,lcm`` or a JSON list stands for, empty for None."""
    if (value := none_word(value)) is None:
        return []
    if isinstance(value, os.PathLike):
        value = [value]
    if isinstance(value, list | tuple):
        return [os.fspath(word) if isinstance(word, os.PathLike) else word for word in value]
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):  # otherwise a pattern, such as [a-c]*
        with contextlib.suppress(ValueError):
            return parse_json(value)
    return parse_names(value)


def parse_mapping(value: Any, read: Callable[[str], Any] = str) -> Any:
    """Return the mapping that ``name=value,...`` or a JSON object stands for, empty for None.

    `read` returns what a value of the first form stands for. ValueError: the text is neither, or
    has a name twice.
    """
    if (value := none_word(value)) is None:
        return {}
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        try:
            return parse_json(value)
        except ValueError as error:
            raise ValueError(f"this is not valid JSON: {error}") from None
    mapping: dict[str, Any] = {}
    for pair in parse_names(value):
        name, equals, word = (part.strip() for part in pair.partition("="))
        if not (name and equals):
            raise ValueError(f"write name=value,... or JSON, not {name + equals!r}")
        if name in mapping:
            raise ValueError(f"{name!r} comes twice")
        mapping[name] = read(word)
    return mapping


def _levels(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = split_words(value)
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return parse_levels(value) if isinstance(value, str) else value


def json_or_word(text: str) -> Any:
    """Return what a text stands for as JSON, or else the text."""
    try:
        return parse_json(text)
    except ValueError:
        return text


OPTIONAL = BeforeValidator(lambda value: value if value == "" else none_word(value))
"""In front of a type that includes None: ``none`` and ``null`` stand for it; no text is a text."""

Words = Annotated[list[str], BeforeValidator(split_words)]
Seed = Annotated[int, Field(ge=-(10**MOST_DIGITS), le=10**MOST_DIGITS)]
Count = Annotated[int, AfterValidator(between(1))]
MaybeCount = Annotated[Count | None, OPTIONAL]
Natural = Annotated[int, AfterValidator(between(0))]
Level = Annotated[float, AfterValidator(between(0, 1))]
Seconds = Annotated[float, Field(gt=0, le=MOST)]
Levels = Annotated[list[float | None], BeforeValidator(_levels)]
Request = Annotated[
    dict[str, Any], BeforeValidator(lambda value: parse_mapping(value, json_or_word))
]


def _range(value: tuple[float, float]) -> tuple[float, float]:
    if not 0 <= value[0] <= value[1] <= 1:
        raise ValueError(f"must be two rising numbers in [0, 1], got {value}")
    return value


def _weight(value: float) -> float:
    if not 0 < value <= MOST:
        raise ValueError(f"must be a positive number up to {MOST:g}; or exclude the task instead")
    return value


def _path(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


@functools.lru_cache
def _dialogue(
    answer_format: AnswerFormat, prompt: str, template: str, think_tags: tuple[str, ...]
) -> Dialogue:
    """Return how problems are asked; `prompt` is a name, a text, or the path of a file."""
    path = os.path.expanduser(prompt)
    if prompt not in (DEFAULT, *SYSTEM_PROMPTS) and "\n" not in prompt:
        if os.path.isfile(path):
            try:
                prompt = read_file(Path(path), at_most=1 << 20).decode()
            except (OSError, UnicodeDecodeError) as error:
                reason = refusal(error) if isinstance(error, OSError) else "it is not a text file"
                raise ValueError(f"system_prompt {prompt!r:.80} can't be read: {reason}") from None
        elif " " not in prompt.strip():
            raise ValueError(
                f"system_prompt {prompt!r:.80} is neither a name nor a file: write {CHOICES}"
            )
    return Dialogue.of(answer_format, prompt, template, think_tags)


class Tasks(BaseModel):
    """Tasks"""

    task_names: Words = Field(
        default=[],
        alias="tasks",
        description="Tasks whose problems are served: names, categories or patterns "
        "(`*_sorting`); empty: all.",
    )
    exclude_tasks: Words = Field(
        default=[], description="Tasks to exclude: names, categories or patterns."
    )
    task_modules: Words = Field(
        default=[],
        description="Python files, or names that can be imported, that register tasks of your own "
        "(docs/own_tasks.md).",
    )
    task_weights: Annotated[
        dict[str, Annotated[float, AfterValidator(_weight)]], BeforeValidator(parse_mapping)
    ] = Field(default={}, description="How often a task is drawn; tasks without a weight have 1.")
    task_configs: Annotated[
        dict[str, Annotated[dict[str, Any], AfterValidator(check_parameters)]],
        BeforeValidator(parse_mapping),
    ] = Field(
        default={},
        description="Keyword parameters for reasoning-gym, by task; they override the level's.",
    )
    problems: Literal["library", "hardened"] = Field(
        default="library",
        description="Which problems are asked: `library`, reasoning-gym's own, or `hardened`, "
        "harder ones of our own in the tasks that have them (docs/tasks.md).",
    )
    seed: Seed = Field(default=42, description="Seed of the stream of training problems.")
    replica_id: Natural = Field(
        default=0,
        description="Index of this process among `num_replicas`, such as its rank; no two of them "
        "get the same problem.",
    )
    num_replicas: Annotated[int, AfterValidator(between(1, MAX_REPLICAS))] = Field(
        default=1, description="Processes that share one stream, such as the world size."
    )
    balance_labels: bool = Field(
        default=True,
        description="Choose problems so that the few answers of a task are about as frequent, and "
        "cap any reference answer at 11 of a task's last 20 problems, if possible.",
    )


class Difficulty(BaseModel):
    """Difficulty"""

    curriculum_target_accuracy: Annotated[float, AfterValidator(between(*TARGETS))] = Field(
        default=0.7,
        description="Accuracy that the curriculum steers each task to, from 0.1 to 0.9; what blind "
        "guessing earns does not count.",
    )
    random_level_range: Annotated[
        tuple[float, float], BeforeValidator(split_words), AfterValidator(_range)
    ] = Field(default=(0.0, 1.0), description="Lowest and highest level of `random` difficulty.")
    start_levels: Annotated[dict[str, Level], BeforeValidator(parse_mapping)] = Field(
        default={},
        description="Level at which the curriculum begins with a task; others begin at 0.3. "
        "`profile` measures them; a checkpoint wins.",
    )


class Prompt(BaseModel):
    """Prompt and answer"""

    answer_format: Annotated[
        AnswerFormat,
        PlainValidator(read_format),
        PlainSerializer(lambda found: getattr(found, "name", found), return_type=str),
    ] = Field(
        default=TAGS,
        description="How completions have their answer: `tags`, `boxed`, `final_line`, or a "
        "regular expression with one group (docs/running.md).",
    )
    system_prompt: Annotated[str, BeforeValidator(_path)] = Field(
        default=DEFAULT,
        description="A text, the path of a file, or a name: `default` (it asks for the answer "
        "format), `reference`, `deepseek_zero`, `boxed` or `none`.",
    )
    question_template: Annotated[str, AfterValidator(check_template)] = Field(
        default=QUESTION, description="Message of the user, with `{question}` in it."
    )
    examples: Annotated[int, AfterValidator(between(0, 64))] = Field(
        default=0,
        description="Solved problems before each question, neither trained on nor held out.",
    )
    think_tags: Annotated[
        tuple[str, ...], BeforeValidator(split_words), AfterValidator(read_think_tags)
    ] = Field(
        default=THINK,
        description="What opens and closes the thinking of a completion; `none`: it has none.",
    )


class Rewards(BaseModel):
    """Sampling and rewards"""

    min_score_spread: Level = Field(
        default=0.05,
        description="Make the rewards of a group equal where they lie closer together than this.",
    )


class HeldOut(BaseModel):
    """Evaluation"""

    eval_seed: Seed = Field(
        default=123, description="Seed of the evaluation set; independent of `seed`."
    )


class Scoring(BaseModel):
    """Scoring"""

    strict_verifiers: bool = Field(
        default=True,
        description="Use our verifiers and corrected reference answers where the library's are "
        "proven wrong.",
    )
    scoring_workers: Annotated[int, AfterValidator(between(1, MOST_WORKERS))] = Field(
        default=2,
        alias="workers",
        description="Processes that make problems and score answers.",
    )
    require_wall: bool = Field(
        default=False,
        description="Refuse to start unless these processes have every layer of their sandbox that "
        "this machine could have (docs/security.md).",
    )
    scoring_timeout: Seconds = Field(
        default=5.0,
        description="Seconds that scoring one answer may take; making a problem may take twice as "
        "long.",
    )


class Settings(Scoring, HeldOut, Rewards, Prompt, Difficulty, Tasks):  # the last come first
    """What determines the problems and their scores; unknown names are errors."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.replica_id >= self.num_replicas:
            raise ValueError(
                f"replica_id {self.replica_id} does not exist among num_replicas "
                f"{self.num_replicas}: ids count from 0"
            )
        self.dialogue  # noqa: B018  # raises what is wrong with it
        return self

    @property
    def dialogue(self) -> Dialogue:
        """How problems are asked, and completions read; without examples."""
        return _dialogue(
            self.answer_format, self.system_prompt, self.question_template, (*self.think_tags,)
        )


def read_settings(**values: Any) -> Settings:
    """Return settings; raise BadUsage, which names all that is wrong with them."""
    try:
        return Settings(**values)
    except ValidationError as error:
        raise BadUsage(invalid_values(error)) from None


async def start_pool(settings: Settings, *, tries_own: bool = True) -> WorkerPool:
    """Start the worker pool; unless told not to, try a user's own tasks, all of which must work."""
    pool = WorkerPool(
        workers=settings.scoring_workers,
        scoring_timeout=settings.scoring_timeout,
        generation_timeout=2 * settings.scoring_timeout,
        settings=WorkerSettings(
            import_path=checkout_path(),
            strict=settings.strict_verifiers,
            balance_labels=settings.balance_labels,
            task_modules=task_modules.found(settings.task_modules),
        ),
        require_wall=settings.require_wall,
    )
    try:
        await pool.start()
        if tries_own:
            await task_modules.require_sound(pool)
    except PoolBroken as error:
        raise StartupError(str(error)) from None
    except BaseException:
        await pool.close()
        raise
    return pool
