"""From a level in [0, 1] to the parameters of a task, for every task but composite.

reasoning-gym's curricula list a few values per parameter ([10, 25, 50, 100]). Here a level is a
place on those lists, all of a task's parameters moving together: numbers are interpolated, so
that 0.45 and 0.55 differ; a range is the neighbourhood of the place, not everything up to it;
what is not a number steps. levels.json holds what the curricula lack:

    ends    first and last value for one of the curriculum's attributes, null for its own
    knots   values at evenly spaced levels for a parameter, instead of the curriculum's
    top     the share of the way that level 1 goes, kept under the budgets of time and length

and beside them why, and what was measured. benchmarks/difficulty.py makes tops and measurements.

    level_config("chain_sum", 0.5)
    -> {"min_terms": 7, "max_terms": 7, "min_digits": 5, "max_digits": 6}

Not covered: a task's default parameters (pass none), seeds, and composite, which has only the
levels of the data sets inside it. Runs where reasoning_gym may be imported: in a worker.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reasoning_gym.coaching.attributes import AttributeDefinition, RangeAttributeDefinition
from reasoning_gym.coaching.base_curriculum import BaseCurriculum, CurriculumContext
from reasoning_gym.factory import DATASETS, create_curriculum, has_curriculum

TABLE_PATH = Path(__file__).with_name("levels.json")
TABLE: dict[str, Any] = json.loads(TABLE_PATH.read_text(encoding="utf-8"))

# Numbers further apart than this factor are interpolated by ratio: half way from 10 to 1000 is
# 100, which has half of the digits to come, where 505 would have all of them.
RATIO = 4.0


def level_config(task: str, level: float) -> dict[str, Any]:
    """Keyword parameters of `create_dataset(task, size=1, seed=..., **parameters)` at `level`.

    The same call always gives an equal dict, made of JSON's own types only. Every number in it
    moves one way only as the level rises. A task without any parameter gives {}.

    Raises ValueError when `level` is not in [0, 1] or `task` has no levels.
    """
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"level {level!r} of {task} is not in [0, 1]")
    return config_at(task, level * TABLE["tasks"].get(task, {}).get("top", 1.0))


def config_at(task: str, place: float) -> dict[str, Any]:
    """Like `level_config`, with `place` in [0, 1] on the whole of the task's lists: no ceiling."""
    entry = TABLE["tasks"].get(task)
    if task not in DATASETS or (entry is None and not has_curriculum(task)):
        raise ValueError(f"task {task!r} has no levels: give it an entry in {TABLE_PATH.name}")
    entry = entry or {}
    config = _curriculum_config(task, place, entry.get("ends", {})) if has_curriculum(task) else {}
    knots = entry.get("knots", {})
    return config | {field: value_at(values, place) for field, values in knots.items()}


def winnable(task: str, dataset: Any, entry: dict[str, Any]) -> bool:
    """Whether some answer to `entry` can score 1.0, as far as its own answer tells.

    False when the entry's answer scores less under its own verifier (jugs that its solver gave
    up on, a string manipulated away to nothing), or when codeio's program failed and left nothing
    to ask. True when the task gives no answer to try. Raises what the verifier raises.
    """
    answer = entry["answer"]
    if not isinstance(answer, str):
        return True
    if (
        task == "codeio"
        and entry["metadata"]["input_data"] == entry["metadata"]["output_data"] == {}
    ):
        return False
    return bool(dataset.score_answer(answer, entry) >= 1.0)


class _Place(CurriculumContext):  # type: ignore[misc]  # reasoning_gym carries no types
    """Reads a curriculum's attributes at one place between their levels."""

    def __init__(self, place: float, ends: dict[str, list[Any]]) -> None:
        self.place = place
        self.ends = ends

    def get_attr_value(self, curriculum: BaseCurriculum, attr: AttributeDefinition) -> Any:
        """A scalar's value, or [one end, other end] of a range."""
        levels = between_ends(attr.levels, *self.ends.get(attr.name, [None, None]))
        if not isinstance(attr, RangeAttributeDefinition):
            return value_at(levels, self.place)
        if attr.ensure_interval:
            return [value_at(levels[:-1], self.place), value_at(levels[1:], self.place)]
        return [value_at(levels, self.place, whole) for whole in (math.floor, math.ceil)]


def _curriculum_config(task: str, place: float, ends: dict[str, list[Any]]) -> dict[str, Any]:
    """The parameters that the task's curriculum moves, at `place` in [0, 1]."""
    curriculum = create_curriculum(task)
    config = curriculum.generate_configuration(context=_Place(place, ends))
    return {
        field: getattr(config, field)
        for attr in curriculum.attributes.values()
        for field in _fields(attr)
    }


def _fields(attr: AttributeDefinition) -> list[str]:
    """The names of the parameters that an attribute sets."""
    if isinstance(attr, RangeAttributeDefinition):
        return [attr.lower_field_name, attr.upper_field_name]
    return [attr.field_name]


def between_ends(levels: list[Any], first: Any, last: Any) -> list[Any]:
    """`levels` from `first` to `last`, shorter or longer than it was; None keeps its own end.

    >>> between_ends([10, 25, 50, 100], 3, 54)
    [3, 10, 25, 50, 54]
    """
    if first is None and last is None:
        return levels
    first, last = levels[0] if first is None else first, levels[-1] if last is None else last
    low, high = sorted((first, last))
    return [first, *(value for value in levels if low < value < high), last]


def nearest(value: float) -> int:
    """Halves up: round() halves to even, which would close up ranges of neighbouring numbers."""
    return math.floor(value + 0.5)


def value_at(values: list[Any], place: float, whole: Callable[[float], int] = nearest) -> Any:
    """The value at `place` in [0, 1] of a list read from its first item (0) to its last (1).

    Between numbers it is interpolated, and made `whole` where both neighbours are; lists of
    numbers are interpolated item by item, never made whole (they are weights). Anything else
    steps, each value holding an equal share of the way.
    """
    if all(isinstance(value, list) and all(map(_is_number, value)) for value in values):
        return [value_at([float(v) for v in column], place) for column in zip(*values, strict=True)]
    if not all(map(_is_number, values)):
        return values[min(int(place * len(values)), len(values) - 1)]
    way = place * (len(values) - 1)
    left = min(int(way), max(len(values) - 2, 0))
    start, end = values[left], values[min(left + 1, len(values) - 1)]
    value = _between(start, end, way - left)
    return whole(value) if isinstance(start, int) and isinstance(end, int) else value


def _between(start: float, end: float, share: float) -> float:
    """The number `share` in [0, 1] of the way from `start` to `end`."""
    if start * end > 0 and max(start / end, end / start) > RATIO:
        value: float = start * (end / start) ** share
    else:
        value = start + (end - start) * share
    # Nine digits: 0.1 + 0.2 is 0.3 to a reader of the logs, and 7.000000000001 is 7 to ceil().
    return round(value, 9)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
