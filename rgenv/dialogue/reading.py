"""Reading a completion: its thinking, and the only answer outside of it.

::

    >>> reading = Reading()
    >>> reading.answer("<think>2 or <answer>3</answer>?</think> So <answer> 4 </answer>")
    '4'
    >>> reading.violation("<answer>4</answer> or <answer>5</answer>")
    '2 answers'
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rgenv.dialogue.formats import SHIPPED, TAGS, AnswerFormat, Pattern, Span

THINK = ("<think>", "</think>")

Part = Literal["thinking", "answer", "text"]
"""What a part of a completion is."""


@dataclass(frozen=True)
class Reading:
    """How completions are read.

    Attributes:
        format: of the answer.
        think_tags: what opens and closes the thinking, in any case; empty: a completion has none.
    """

    format: AnswerFormat = TAGS
    think_tags: tuple[str, ...] = THINK

    @classmethod
    def of_recipe(cls, recipe: Mapping[str, Any]) -> Reading:
        """Return the reading that a recipe names; ValueError: it makes no sense."""
        tags = recipe.get("think_tags")
        form = read_format(recipe.get("answer_format") or TAGS)
        return cls(form, THINK if tags is None else read_think_tags(tags))

    @property
    def recipe(self) -> dict[str, Any]:
        """What `of_recipe` reads; empty for the default."""
        named: dict[str, Any] = {}
        if self.format != TAGS:
            named["answer_format"] = self.format.name
        if self.think_tags != THINK:
            named["think_tags"] = list(self.think_tags)
        return named

    @property
    def marks(self) -> list[str]:
        """The texts by which completions are read, which may be special tokens of a model."""
        return [*self.think_tags, *self.format.write(" ").split()]

    def answer(self, text: str) -> str | None:
        """Return the answer; None if the format is broken."""
        return self.answer_or_violation(text)[0]

    def violation(self, text: str) -> str | None:
        """Return why there is no answer; None if there is one."""
        return self.answer_or_violation(text)[1]

    def answer_or_violation(self, text: str) -> tuple[str | None, str | None]:
        """Return the stripped answer, which may be empty, or in a few words why there is none."""
        _, outside, found = self._read(text)
        if not isinstance(found, str):
            return outside[slice(*found)].strip(), None
        missing = self.format.missing
        if found == missing and outside != text:
            lines = _tags(self.think_tags).sub("\n", text)
            if self.format.find(lines) != missing:
                return None, "answer only inside thinking"
        return None, found

    def after_thinking(self, text: str) -> str:
        """Return what follows the last tag that closes the thinking."""
        return text.rpartition(self.think_tags[1])[2].strip() if self.think_tags else text.strip()

    def opening(self, prompt: str) -> str:
        """Return the tag with which a prompt ends, and the space behind it; else an empty text."""
        end = prompt.rstrip()
        if not self.think_tags or not end.endswith(self.think_tags[0]):
            return ""
        return prompt[len(end) - len(self.think_tags[0]) :]

    def write(self, answer: str, thought: str = "") -> str:
        """Return a completion: a thought, if there are tags for it, and an answer."""
        if not (thought and self.think_tags):
            return self.format.write(answer)
        opens, closes = self.think_tags
        return f"{opens}\n{thought}\n{closes}\n{self.format.write(answer)}"

    def parts(self, text: str) -> list[tuple[Part, str]]:
        """Split a completion into thinking, answer and other text, with the tags of each.

        The parts together are `text`. Only what `answer` returns is an answer, with the space
        around it; where the format is broken, there is none.
        """
        spans, _, answer = self._read(text)
        first, last = (0, 0) if isinstance(answer, str) else answer
        found: list[tuple[Part, str]] = []
        done = read = 0  # in `text`, and in `outside`
        for start, end in spans:
            found.append(("thinking", text[done:start]))
            low, high = (min(max(at - read + start, start), end) for at in (first, last))
            found += [
                ("text", text[start:low]),
                ("answer", text[low:high]),
                ("text", text[high:end]),
            ]
            done, read = end, read + end - start
        found.append(("thinking", text[done:]))
        return [part for part in found if part[1]]

    def _read(self, text: str) -> tuple[list[Span], str, Span | str]:
        """Return where text outside the thinking stands, that text, and its answer or violation.

        A tag that closes without one that opens closes what the prompt opened, so all text before
        the last such tag is thinking.
        """
        spans: list[Span] = []
        inside, start = False, 0
        for tag in _tags(self.think_tags).finditer(text) if self.think_tags else ():
            if tag[1]:  # it closes
                if not inside:
                    spans.clear()
                inside, start = False, tag.end()
            elif not inside:
                spans.append((start, tag.start()))
                inside = True
        if not inside:
            spans.append((start, len(text)))
        outside = "".join(text[first:last] for first, last in spans)
        return spans, outside, "thinking never closed" if inside else self.format.find(outside)


READING = Reading()


@functools.cache
def _tags(tags: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds both tags; group 1 is that which closes."""
    first = len(os.path.commonprefix(tags))  # noqa: RUF071  # of texts, not of paths
    same, (opens, closes) = re.escape(tags[0][:first]), (re.escape(tag[first:]) for tag in tags)
    # A search for fixed text is many times as fast as one for alternatives.
    rest = f"(/?){opens}" if closes == f"/{opens}" else f"(?:({closes})|{opens})"
    return re.compile(f"{same}{rest}", re.IGNORECASE)


def read_format(word: str | AnswerFormat) -> AnswerFormat:
    """Return a format, by its name or its regular expression; ValueError: it makes no sense."""
    if isinstance(word, AnswerFormat):
        return word
    if not isinstance(word, str):
        raise ValueError(f"{word!r:.80} must be {', '.join(SHIPPED)}, or a regular expression")
    try:
        return SHIPPED.get(word) or Pattern(word)
    except ValueError as error:
        raise ValueError(f"{word!r:.80} {error}") from None


def read_think_tags(words: Any) -> tuple[str, ...]:
    """Return a pair of tags, or none; ValueError: they make no sense."""
    tags = tuple(words) if isinstance(words, list | tuple) else (words,)
    are_texts = all(isinstance(tag, str) and 0 < len(tag.strip()) <= 64 for tag in tags)
    if not are_texts or len({tag.casefold() for tag in tags}) not in (0, 2) or len(tags) > 2:
        raise ValueError(
            f"{words!r:.80} must be two different tags, such as <think>,</think>, or none"
        )
    return tags
