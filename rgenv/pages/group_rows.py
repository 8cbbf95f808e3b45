"""What the page shows of one line: a group, a sample, or the metrics of a step."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rgenv.dialogue.reading import Reading
from rgenv.rollouts import saved_lines
from rgenv.rollouts.saved_lines import MetricsRow, SavedGroup, SavedRollout, text_of

MAX_TEXT, HEAD = 20_000, 8_000
"""Characters of a completion or a prompt that are kept; of a longer one the first `HEAD`, and the
rest from its end."""

MAX_ANSWER, MAX_PARTS = 2_000, 200
"""Characters of a reference answer that is looked for, and parts of a completion that are shown."""

_SIGNS = " .*_$`)}\"'!"
_TAG = re.compile(r"</?\w{1,20}>\Z")
_MARKED = re.compile(r"<answer>([^<]{1,4000})</answer>|\\boxed\{([^{}]{1,4000})\}", re.IGNORECASE)


class Outcome(NamedTuple):
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

    def merged(self, other: "Outcome") -> "Outcome":
        """Return the same rollout with what another file says of it."""
        pairs = zip(self, other, strict=True)
        return Outcome._make(a if b is None or (a and not b) else b for a, b in pairs)


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
        prompt = [
            [text_of(m.get("role"))[:200], shortened(text_of(m.get("content")))]
            for m in first[:-1][:50]
        ]
        if group.kind == "samples" and not first:
            prompt = [["user", shortened(text_of(group.question))]]
        completions = [_shown(rollout, group.reading) for rollout in group.rollouts]
        if group.failure is not None:
            completions[0]["failure"] = shortened(text_of(group.failure))
        if group.kind == "samples" and first:
            reasoning = text_of(first[-1].get("reasoning_content"))
            completions[0] |= {"reasoning": shortened(reasoning)} if reasoning else {}
        # The recipe is a text, because JavaScript would round its seed.
        recipe = shortened(json.dumps(group.recipe, ensure_ascii=False)) if group.recipe else None
        answer = None if group.answer is None else shortened(text_of(group.answer))
        return {"prompt": prompt, "answer": answer, "recipe": recipe, "completions": completions}


def read_line(content: bytes, place: str) -> Row | MetricsRow | None:
    """Return what a line says, as `saved_lines.read_line` does; None: it is foreign."""
    found = saved_lines.read_line(content, place)
    if not isinstance(found, SavedGroup):
        return found
    return Row(found, [_outcome(rollout, found) for rollout in found.rollouts])


def _outcome(rollout: SavedRollout, group: SavedGroup) -> Outcome:
    text = rollout.text
    unread = rollout.verdict == "no_answer" and not rollout.cut
    return Outcome(
        rollout.reward,
        rollout.score,
        rollout.verdict,
        rollout.tokens,
        len(text),
        rollout.cut,
        unread and is_misplaced(text, group.answer),
    )


def is_misplaced(text: str, answer: str | None) -> bool:
    """Whether a completion ends with an answer, or marks it with a tag or a box.

    It compares texts, not values, so it misses other forms of an answer. It scores nothing.
    """
    wanted = _bare(answer) if answer and len(answer) <= MAX_ANSWER else ""
    if not answer or not wanted:
        return False
    tail = _bare(text[-2 * len(answer) - 400 :])
    if tail.endswith(wanted) and not re.search(r"[\w./-]\Z", tail[: -len(wanted)]):
        return True
    return any(_bare(tag or box) == wanted for tag, box in _MARKED.findall(text))


def _bare(text: str) -> str:
    """Return a text in small letters, with single spaces, without signs and tags at its end."""
    text = " ".join(text.casefold().split())
    while (shorter := _TAG.sub("", text.rstrip(_SIGNS))) != text:
        text = shorter
    return text


def _shown(rollout: SavedRollout, reading: Reading) -> dict[str, Any]:
    """Return what is shown of one completion: its parts, and why it has no answer."""
    pieces = reading.parts(rollout.whole)
    if rollout.opening and pieces:  # the prompt has it
        pieces[0] = pieces[0][0], pieces[0][1].removeprefix(rollout.opening)
    whole = max(MAX_TEXT, sum(len(text) for _, text in pieces))  # each part is shortened alike
    shown: dict[str, Any] = {
        "parts": [
            [kind, shortened(text, max(200, MAX_TEXT * len(text) // whole))]
            for kind, text in pieces[:MAX_PARTS]
        ]
    }
    if rollout.verdict == "no_answer":
        shown["violation"] = reading.violation(rollout.whole) or "the answer is empty"
    return shown


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """Return at most about `limit` characters, and say how many are missing."""
    missing = len(text) - limit
    if missing <= 0:
        return text
    head = limit * HEAD // MAX_TEXT
    note = f"[… {missing:,} characters are not in this page …]"
    return f"{text[:head]}\n{note}\n{text[missing + head :]}"
