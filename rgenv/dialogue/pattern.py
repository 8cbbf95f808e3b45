r"""An answer format of one's own: a regular expression with one group.

`^` and `$` stand for the ends of lines. The text of a model decides how long a search takes, so it
has a limit: a text beyond it has no answer, and its violation says so.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

import regex

from rgenv.dialogue.formats import MOST, AnswerFormat, Span, too_many

SECONDS = 0.1
"""Of processor time for one text."""

LONGEST = 500
"""Characters of an expression, and of what it matches at least."""


@dataclass(frozen=True)
class Pattern(AnswerFormat):
    """The group of the only match of a regular expression; ValueError: it makes no sense."""

    missing = "no match of answer_format"

    def __post_init__(self) -> None:
        if not any(map(self._reads_back, ("42", "A", "a", "yes"))):
            raise ValueError("must match a text that has an answer such as 42 in the group")

    def _reads_back(self, answer: str) -> bool:
        text = self.write(answer)
        found = self.find(text)
        return not isinstance(found, str) and text[found[0] : found[1]].strip() == answer

    @property
    def asks(self) -> str:
        return (
            "state the solution: write exactly one final answer in the form "
            f'"{self.write("...")}", in the format that the problem asks for. A second such text, '
            "or none, makes the solution invalid."
        )

    def find(self, text: str) -> Span | str:
        search, _ = _read(self.name)
        try:
            found = list(islice(search.finditer(text, timeout=SECONDS), MOST + 1))
        except TimeoutError:
            return "answer_format takes too long to read it"
        if not found:
            return self.missing
        return found[0].span(1) if len(found) == 1 else too_many(len(found))

    def write(self, answer: str) -> str:
        _, tree = _read(self.name)
        return "".join(_written(tree, answer))


@functools.lru_cache
def _read(expression: str) -> tuple[Any, Any]:
    """Return what searches for an expression, and the expression as Python's parser reads it."""
    if len(expression) > LONGEST:
        raise ValueError(f"has more than {LONGEST} characters")
    try:
        tree = _parser.parse(expression, re.MULTILINE)
        is_there = any(str(name) == "SUBPATTERN" and value[0] == 1 for name, value in tree)
        if tree.state.groups != 2 or not is_there:
            raise ValueError(
                "must be tags, boxed, final_line, or a regular expression with one group, which is "
                "neither repeated nor optional"
            )
        if len(list(islice(_written(tree, ""), LONGEST + 1))) > LONGEST:
            raise ValueError("must not repeat so often: its shortest match is too long")
        return regex.compile(expression, regex.MULTILINE), tree
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is not a regular expression ({error})") from None


def _written(tree: Any, answer: str) -> Iterator[str]:
    """Yield the parts of a text that the expression matches, with an answer in its group."""
    for node in tree:
        name, value = str(node[0]), node[1]
        if name == "SUBPATTERN" and value[0] == 1:
            yield answer
        elif name in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            is_it = _compiler.compile(_parser.SubPattern(tree.state, [node]))
            known = [" ", *map(chr, range(33, 127)), "\n"]
            yield next(filter(is_it.fullmatch, [chr(value)] if name == "LITERAL" else known), "")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            for _ in range(value[0]):
                yield from _written(value[2], answer)
        elif name == "BRANCH":
            yield from _written(value[1][0], answer)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from _written(value[-1] if name == "SUBPATTERN" else value, answer)
        elif name == "AT":
            yield ""
        else:
            raise ValueError("must do without look-arounds and back references")
