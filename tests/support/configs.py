"""Random parameters of tasks that the library accepts."""

import dataclasses
from random import Random
from typing import Any

from reasoning_gym.factory import DATASETS

MOST_CHANGED = 3
"""Parameters that differ from the defaults."""
ATTEMPTS = 200
ENDLESS = {"depth_constraint", "width_constraint"}
"""Parameters of knights_knaves with which the library's generator may never end."""
ALONE = {"n_people": 1}
"""So it is with one person, who says nothing about others."""


def random_config(task: str, rng: Random) -> dict[str, Any]:
    """Return parameters near the defaults that the task's own `validate` accepts; {} at worst."""
    config_class = DATASETS[task][1]
    defaults = dataclasses.asdict(config_class())
    names = [name for name, value in defaults.items() if _can_change(name, value)]
    for _ in range(ATTEMPTS if names else 0):
        chosen = rng.sample(names, rng.randint(1, min(MOST_CHANGED, len(names))))
        config = {name: _other(rng, defaults[name]) for name in chosen}
        try:
            config_class(**config).validate()
        except Exception:  # each data set raises exceptions of its own
            continue
        if not ALONE.items() <= config.items():
            return config
    return {}


def _can_change(name: str, value: Any) -> bool:
    return name not in {"seed", "size", *ENDLESS} and isinstance(value, int | float)


def _other(rng: Random, value: Any) -> Any:
    """Return a value of the same type; numbers differ by half at most."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.randint(min(value, 0) + max(value, 0) // 2, value + abs(value) // 2 + 1)
    return round(value * rng.uniform(0.5, 1.5), 2)
