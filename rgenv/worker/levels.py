"""Turn a level in [0, 1] into the parameters of a task, for every task except composite.

::

    level_config("chain_sum", 0.5)
    -> {"min_terms": 7, "max_terms": 8, "min_digits": 2, "max_digits": 3}

reasoning-gym's curricula list a few values for each parameter, such as [10, 25, 50, 100]. A level
is a position on these lists. Numbers are interpolated; a range (min, max) covers the values next to
the position; other values change in steps. `Levels` of a task's record holds what the curricula
lack. A task whose source has changed keeps its defaults: nobody has measured its levels.
"""

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

from reasoning_gym.coaching.attributes import AttributeDefinition, RangeAttributeDefinition
from reasoning_gym.coaching.base_curriculum import BaseCurriculum, CurriculumContext
from reasoning_gym.factory import create_curriculum, has_curriculum

from rgenv.tasks.registry import record_of


def level_config(task: str, level: float) -> dict[str, Any]:
    """Return the parameters of `task` at `level`, for ``create_dataset(task, **parameters)``.

    They are of JSON types. As the level rises, every number moves in one direction only.
    """
    levels = record_of(task).levels
    if levels.fixed:
        return {}
    config = _curriculum_config(task, level) if has_curriculum(task) else {}
    knots = levels.knots.items()
    return config | {field: interpolate(list(values), level) for field, values in knots}


def overridden(task: str, level: float, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `task` at `level`, overridden by a user's; for composite, by part.

    Where a user sets one end of a range beyond the other, both ends are the user's.
    """
    if task == "composite":
        parts = [
            {**part, "config": overridden(part["name"], level, part.get("config", {}))}
            for part in config.get("datasets", [])
        ]
        return {**config, "datasets": parts}
    found = {**level_config(task, level), **config}
    for least in found:
        most = least.replace("min_", "max_", 1)
        if least.startswith("min_") and most in found and found[least] > found[most]:
            if least not in config:
                found[least] = found[most]
            elif most not in config:
                found[most] = found[least]
    return found


def work_range(task: str, level: float) -> tuple[float, float] | None:
    """Return the least and the most work of a problem of `task` at `level`.

    None if the parameters of the level decide the work, or the task is not covered. Many measures
    count, so a range between two entries of the table is widened to whole numbers.
    """
    bounds = record_of(task).levels.work
    if bounds is None:
        return None
    least, most = interpolate([list(pair) for pair in bounds], level)
    return math.floor(least), math.ceil(most)


def is_fixed(task: str) -> bool:
    """Return whether every level of `task` is its default: nothing in it can move."""
    levels = record_of(task).levels
    moves = levels.work or levels.knots or has_curriculum(task) or task == "composite"
    return not moves or (bool(levels.fixed) and levels.work is None)


def _curriculum_config(task: str, position: float) -> dict[str, Any]:
    curriculum = create_curriculum(task)
    config = curriculum.generate_configuration(context=_PositionContext(position))
    fields = list[str]()
    for attr in curriculum.attributes.values():
        is_range = isinstance(attr, RangeAttributeDefinition)
        fields += (attr.lower_field_name, attr.upper_field_name) if is_range else (attr.field_name,)
    return {field: getattr(config, field) for field in fields}


class _PositionContext(CurriculumContext):
    """Gives a curriculum the values of its attributes at a position between their levels."""

    def __init__(self, position: float) -> None:
        self._position = position

    def get_attr_value(self, curriculum: BaseCurriculum, attr: AttributeDefinition) -> Any:
        """Return a scalar, or the two ends of a range."""
        values = attr.levels
        if not isinstance(attr, RangeAttributeDefinition):
            return interpolate(values, self._position)
        if attr.ensure_interval:
            return [interpolate(part, self._position) for part in (values[:-1], values[1:])]
        return [interpolate(values, self._position, to_int) for to_int in (math.floor, math.ceil)]


def round_half_up(value: float) -> int:
    """Round to the nearest integer. round() would make 2 of both 1.5 and 2.5, an empty range."""
    return math.floor(value + 0.5)


def interpolate(
    values: list[Any], position: float, to_int: Callable[[float], int] = round_half_up
) -> Any:
    """Return the value at `position` on `values`, from the first (0) to the last (1).

    A value between two integers is rounded by `to_int`. Lists of numbers are weights: they are
    interpolated element by element and never rounded. Values of any other type change in steps of
    equal width.
    """
    if all(isinstance(value, list) and all(map(_is_number, value)) for value in values):
        columns = zip(*values, strict=True)
        return [interpolate([float(value) for value in column], position) for column in columns]
    if not all(map(_is_number, values)):
        return copy.deepcopy(values[min(int(position * len(values)), len(values) - 1)])
    offset = position * (len(values) - 1)
    index = min(int(offset), max(len(values) - 2, 0))
    start, end = values[index], values[min(index + 1, len(values) - 1)]
    value = _between(start, end, offset - index)
    return to_int(value) if isinstance(start, int) and isinstance(end, int) else value


def _between(start: float, end: float, share: float) -> float:
    """Return the number at `share` in [0, 1] between `start` and `end`.

    With a large ratio it is the geometric one: half way from 10 to 1000 is 100, where 505 would be
    nearly as hard as 1000.
    """
    if start * end > 0 and max(start / end, end / start) > 4:
        value: float = start * (end / start) ** share
    else:
        value = start + (end - start) * share
    # Nine decimals: 0.1 + 0.2 becomes 0.3, and math.ceil makes 7 of 7.000000000001.
    return round(value, 9)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
