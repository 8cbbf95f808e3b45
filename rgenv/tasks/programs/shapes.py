"""Learn what a generator's inputs look like, and check that a proposed value looks like them.

Numbers and sizes may exceed the samples' by far enough for any sensible input, and not so far that
a program that copes with the samples needs hours. A value of another type, another key and a list
of another length, where all samples have the same, do not fit.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MIN_SAMPLES = 8
"""Values that have to have the same length before any other length is a misfit."""
MAX_OPTIONAL = 3
"""Keys that some of the samples lack, if the others are the names of fields."""
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,20})?", re.ASCII)


class Misfit(ValueError):
    """The value does not look like the samples."""


@dataclass(frozen=True)
class Sizes:
    """Lengths of the lists or dicts at one place of the samples."""

    shortest: int
    longest: int
    fixed: bool

    @classmethod
    def of(cls, values: Sequence[Any]) -> Sizes | None:
        lengths = set(map(len, values))
        fixed = len(values) >= MIN_SAMPLES and len(lengths) == 1
        return cls(min(lengths), max(lengths), fixed) if lengths else None

    def check(self, length: int) -> None:
        """Raise Misfit unless a list or dict may have `length` items."""
        least, most = min(1, self.shortest), 2 * self.longest + 10
        if length != self.longest if self.fixed else not least <= length <= most:
            raise Misfit("a size that the generator does not make")


@dataclass(frozen=True)
class Shape:
    """What the values at one place of the samples have in common.

    Attributes:
        kinds: their types.
        largest: the largest absolute value of the numbers.
        longest: the length of the longest string; None without strings.
        digits: the length of the longest run of digits in a string.
        lists: the lengths of lists and tuples, whose items have the shape `items`.
        fields: the shapes of the values of dicts whose keys are names of fields.
        required: the fields that every dict has.
        dicts: the lengths of dicts with any other keys; keys have the shape `keys`, values `items`.
    """

    kinds: frozenset[type]
    largest: float
    longest: int | None
    digits: int
    lists: Sizes | None
    items: Shape | None
    fields: Mapping[str, Shape]
    required: frozenset[str]
    dicts: Sizes | None
    keys: Shape | None


def shape_of(values: Sequence[Any]) -> Shape:
    numbers = [abs(v) for v in values if isinstance(v, int | float) and math.isfinite(v)]
    strings = [v for v in values if isinstance(v, str)]
    lists = [v for v in values if isinstance(v, list | tuple)]
    dicts = [v for v in values if isinstance(v, dict)]
    names = _field_names(dicts)
    others = dicts if names is None else []
    items = [x for v in lists for x in v] + [x for v in others for x in v.values()]
    return Shape(
        kinds=frozenset(map(_kind, values)),
        largest=float(max((min(n, 1e300) for n in numbers), default=0.0)),
        longest=max(map(len, strings), default=None),
        digits=_longest_number(strings),
        lists=Sizes.of(lists),
        items=shape_of(items) if items else None,
        fields={name: shape_of([v[name] for v in dicts if name in v]) for name in names or ()},
        required=frozenset.intersection(*map(frozenset, dicts)) if names else frozenset(),
        dicts=Sizes.of(others),
        keys=shape_of([key for v in others for key in v]) if others else None,
    )


def _kind(value: Any) -> type:
    """Return the type of a value; for a subclass, such as a float of numpy, the type it extends."""
    known = bool, int, float, str, list, tuple, dict
    return next((kind for kind in known if isinstance(value, kind)), type(value))


def _field_names(dicts: Sequence[dict[Any, Any]]) -> set[str] | None:
    """Return the keys of dicts if they are names of fields: nearly the same ones in all of them."""
    if not dicts:
        return None
    keys = set().union(*dicts)
    common = set.intersection(*map(set, dicts))
    are_names = common and len(keys - common) <= MAX_OPTIONAL and all(type(k) is str for k in keys)
    return keys if are_names else None


def _longest_number(texts: Iterable[str]) -> int:
    return max((len(run) for text in texts for run in _DIGITS.findall(text)), default=0)


def fitted(value: Any, shape: Shape | None) -> Any:
    """Return a JSON value with the types of the samples: tuples, and whole numbers as integers.

    Raise Misfit if the value does not look like the samples.
    """
    if shape is None:
        raise Misfit("a value where the generator makes none")
    match value:
        case bool() | None:
            if type(value) not in shape.kinds:
                raise Misfit(f"a {type(value).__name__} where the generator makes none")
            return value
        case int() | float():
            return _fitted_number(value, shape)
        case str():
            if shape.longest is None or len(value) > 2 * shape.longest + 20:
                raise Misfit("a string that is too long")
            if _longest_number([value]) > max(3, shape.digits + 1):
                raise Misfit("a string with a number that is too long")
            return value
        case list():
            if shape.lists is None:
                raise Misfit("a list where the generator makes none")
            shape.lists.check(len(value))
            items = [fitted(item, shape.items) for item in value]
            return items if list in shape.kinds else tuple(items)
    if shape.fields:
        if not shape.required <= value.keys() <= shape.fields.keys():
            raise Misfit("other keys than the generator makes")
        return {key: fitted(item, shape.fields[key]) for key, item in value.items()}
    if shape.dicts is None:
        raise Misfit("an object where the generator makes none")
    shape.dicts.check(len(value))
    return {_fitted_key(key, shape.keys): fitted(x, shape.items) for key, x in value.items()}


def _fitted_number(value: float, shape: Shape) -> float:
    if not abs(value) <= 10 * shape.largest + 100:  # also for NaN
        raise Misfit("a number that is far too large")
    if int in shape.kinds and (isinstance(value, int) or float not in shape.kinds):
        if value != int(value):
            raise Misfit("a fraction where the generator makes integers")
        return int(value)
    if float not in shape.kinds:
        raise Misfit("a number where the generator makes none")
    return float(value)


def _fitted_key(key: str, shape: Shape | None) -> Any:
    """Return the key of a dict, which JSON writes as a string, in the type of the samples' keys."""
    is_number = shape is not None and str not in shape.kinds and _NUMBER.fullmatch(key)
    return fitted(json.loads(key) if is_number else key, shape)
