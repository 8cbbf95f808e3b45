"""What the page shows of one line: a group, a sample, or the metrics of a step."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rgenv.dialogue.reading import Reading
from rgenv.runtime import saved_lines
from rgenv.runtime.saved_lines import MetricsRow, SavedGroup, SavedRollout, text_of
from rgenv.viewing.misplaced import is_misplaced

MAX_TEXT, HEAD = 20_000, 8_000
"""Characters of a completion or a prompt that are kept; of a longer one the first `HEAD`, and the
rest from its end."""


@dataclass(slots=True)
class Outcome:
    """The numbers of one rollout (SavedRollout).

    Attributes:
        characters: length of the completion; 0 if the text is not there.
        misplaced: whether it holds the reference answer, but not in the required format.
    """

    reward: float | None
    score: float | None
    verdict: str
    tokens: int | None
    characters: int
    cut: bool
    misplaced: bool


@dataclass(slots=True)
class Row:
    """One line: a group or, of an evaluation, one completion."""

    saved: SavedGroup
    rollouts: list[Outcome] = field(repr=False)

    def texts(self) -> dict[str, Any] | None:
        """Return what is shown when the group is opened, JSON-able; None if the file has no texts.

        This takes most of the time of a line, and most lines of a large folder are not shown.
        """
        group, first = self.saved, self.saved.rollouts[0].conversation
        if group.kind == "groups" and not any(rollout.conversation for rollout in group.rollouts):
            return None
        prompt = _prompt(first)
        if group.kind == "samples" and not first:
            prompt = [["user", shortened(text_of(group.question))]]
        completions = [_shown(rollout, group.reading) for rollout in group.rollouts]
        if group.failure is not None:
            completions[0]["failure"] = shortened(text_of(group.failure))
        if group.kind == "samples" and first:
            reasoning = _optional_text(first[-1].get("reasoning_content"))
            completions[0] |= {"reasoning": reasoning} if reasoning else {}
        return {
            "prompt": prompt,
            "answer": _optional_text(group.answer),
            "recipe": _recipe(group.recipe),
            "completions": completions,
        }


def read_line(content: bytes, place: str) -> Row | MetricsRow | None:
    """Return what a line says, as `saved_lines.read_line` does; None: it is foreign."""
    found = saved_lines.read_line(content, place)
    if not isinstance(found, SavedGroup):
        return found
    return Row(found, [_outcome(rollout, found.answer) for rollout in found.rollouts])


def _outcome(rollout: SavedRollout, answer: Any) -> Outcome:
    text = rollout.text
    unread = rollout.verdict == "no_answer" and not rollout.cut and isinstance(answer, str)
    return Outcome(
        rollout.reward,
        rollout.score,
        rollout.verdict,
        rollout.tokens,
        len(text),
        rollout.cut,
        unread and is_misplaced(text, answer),
    )


def _shown(rollout: SavedRollout, reading: Reading) -> dict[str, Any]:
    """Return what is shown of one completion: its parts, and why it has no answer."""
    pieces = reading.parts(rollout.whole)
    if rollout.opening and pieces:  # the prompt has it
        pieces[0] = pieces[0][0], pieces[0][1].removeprefix(rollout.opening)
    shown: dict[str, Any] = {"parts": _shortened_parts(pieces)}
    if rollout.verdict == "no_answer":
        shown["violation"] = reading.violation(rollout.whole) or "the answer is empty"
    return shown


def _shortened_parts(pieces: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Shorten each part so that together they have about `MAX_TEXT` characters."""
    total = sum(len(text) for _, text in pieces)
    if total <= MAX_TEXT:
        return [[kind, text] for kind, text in pieces]
    return [
        [kind, shortened(text, max(200, MAX_TEXT * len(text) // total))]
        for kind, text in pieces[:200]
    ]


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """Return at most about `limit` characters, and say how many are missing."""
    missing = len(text) - limit
    if missing <= 0:
        return text
    head = limit * HEAD // MAX_TEXT
    note = f"[… {missing:,} characters are not in this page …]"
    return f"{text[:head]}\n{note}\n{text[missing + head :]}"


def _prompt(conversation: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return role and text of each message before the completion."""
    return [
        [text_of(m.get("role"))[:200], shortened(text_of(m.get("content")))]
        for m in conversation[:-1][:50]
    ]


def _recipe(recipe: Mapping[str, Any]) -> str | None:
    """Return a recipe as JSON text, because JavaScript would round its seed."""
    return shortened(json.dumps(recipe, ensure_ascii=False)) if recipe else None


def _optional_text(value: Any) -> str | None:
    return None if value is None else shortened(text_of(value))
