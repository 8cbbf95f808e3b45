"""A task of a user whose verifier makes the attack that its answer names.

``VICTIM`` is a line of JSON in the file ``victim.json`` beside this module: the fields of `Victim`.
The template imports the module, so what stands before the ``yield`` of an attack happens there.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reasoning_gym.factory import ProceduralDataset, register_dataset

from tests.support.attacks import ATTACKS, Victim

VICTIM = Victim(*json.loads(Path(__file__).with_name("victim.json").read_text()))
PREPARED = {name: attack(VICTIM) for name, attack in ATTACKS.items()}
for steps in PREPARED.values():
    next(steps)


@dataclass
class AttackedConfig:
    seed: int | None = None
    size: int = 1

    def validate(self) -> None:
        pass


class Attacked(ProceduralDataset):
    def __init__(self, config: AttackedConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        return {"question": "Name an attack.", "answer": "none", "metadata": {}}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """Return 1 if the attack succeeds, or if none is named."""
        if attack := PREPARED.pop(answer or "", None):
            next(attack, None)
            return 1.0
        return float(answer == "none")


register_dataset("attacked", Attacked, AttackedConfig)
