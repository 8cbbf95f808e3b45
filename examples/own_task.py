"""A task of your own: docs/own_tasks.md shows what to do with it."""

from dataclasses import dataclass
from random import Random
from typing import Any

from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition
from reasoning_gym.factory import ProceduralDataset, register_dataset

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.record import Task


@dataclass
class VisitorsConfig:
    """The parameters of the task; each needs a default, and `seed` and `size` are required."""

    min_events: int = 3
    max_events: int = 6
    seed: int | None = None
    size: int = 500


class VisitorsDataset(ProceduralDataset):
    """Count the visitors who are in a museum at the end of a day."""

    def __init__(self, config: VisitorsConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        rng = Random(self.seed + idx)
        inside, lines = 0, []
        for _ in range(rng.randint(self.config.min_events, self.config.max_events)):
            came = rng.randint(1, 60)
            left = rng.randint(0, inside + came)
            inside += came - left
            lines.append(f"{came} visitors come, and {left} leave.")
        question = " ".join(["A museum is empty.", *lines, "How many visitors are in it now?"])
        return {"question": question, "answer": str(inside), "metadata": {"inside": inside}}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        return float(answer == entry["answer"])


class VisitorsCurriculum(BaseCurriculum):
    """What makes the task harder: level 0 has 2 events, level 1 has 24."""

    def __init__(self) -> None:
        super().__init__("VisitorsCurriculum", VisitorsConfig)
        events = {"lower_field_name": "min_events", "upper_field_name": "max_events"}
        self._define_attributes(
            RangeAttributeDefinition(name="events", levels=[2, 4, 8, 16, 24], **events)
        )


register_dataset("visitors", VisitorsDataset, VisitorsConfig, VisitorsCurriculum)

TASK = Task(answer=Number(unit="visitors?"))  # reads `**7 visitors**`, `\boxed{7}` and `7.0` as 7
