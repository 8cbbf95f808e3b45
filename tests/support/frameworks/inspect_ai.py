"""What the adapter imports of inspect-ai and its modules: values that keep what they are given."""

import sys
from types import SimpleNamespace
from typing import Any

for module in ("dataset", "model", "scorer", "solver"):
    sys.modules[f"{__name__}.{module}"] = sys.modules[__name__]

Task = Sample = ChatMessageSystem = ChatMessageUser = Score = SimpleNamespace
accuracy = mean = stderr = SimpleNamespace
Scorer = Target = TaskState = Any


class MemoryDataset(list[Any]):
    def __init__(self, samples: list[Any], name: str) -> None:
        super().__init__(samples)
        self.name = name


def task(function: Any) -> Any:
    return function


def scorer(metrics: Any) -> Any:
    return task
