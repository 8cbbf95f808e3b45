"""Sentences hidden in emoji."""

from __future__ import annotations

import random

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.texts import Sentence, changed_letters


class HiddenSentence(Sentence):
    """A sentence to the letter."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return changed_letters(reference, rng)
