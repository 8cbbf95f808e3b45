r"""Answer formats: where a completion has its answer, outside its thinking.

A format is strict: a text has one answer, or a named violation. Of a text with more than `MOST`
answers none is read, so that no text takes long. The text of a model decides how long a regular
expression of a user's own searches, so that has a limit: a text beyond it has no answer.
"""

import functools
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any, ClassVar

import regex

Span = tuple[int, int]
"""Where an answer begins and ends."""

MOST = 64
"""Answers that are looked at; a text with more of them has none."""

SECONDS = 0.1
"""Of processor time for the search of a user's own expression in one text."""

LONGEST = 500
"""Characters of such an expression, and of what it matches at least."""


@dataclass(frozen=True)
class AnswerFormat(ABC):
    """A format; `name` is what the option `answer_format` says."""

    name: str
    missing: ClassVar[str]
    """The violation of a text that has no answer in it."""

    @property
    @abstractmethod
    def around(self) -> tuple[str, str]:
        """What stands before an answer, and after it."""

    @property
    @abstractmethod
    def asks(self) -> str:
        """How a prompt asks for it, after "When you are done thinking,"."""

    @abstractmethod
    def find(self, text: str) -> Span | str:
        """Return where the only answer of a text stands, or how the text violates the format."""

    def write(self, answer: str) -> str:
        """Return a text that ends with an answer in this format."""
        return answer.join(self.around)


def too_many(count: int) -> str:
    return f"{count} answers" if count <= MOST else f"more than {MOST} answers"


@dataclass(frozen=True)
class Tags(AnswerFormat):
    """One ``<answer>…</answer>``, with spaces and attributes as in HTML, in any case."""

    name: str = "tags"
    missing = "no answer tags"
    around = ("<answer>", "</answer>")
    asks = (
        "state the solution: write exactly one final answer inside <answer> and </answer> tags, in "
        "the format that the problem asks for and with nothing else inside the tags. Text around "
        "the answer tags is allowed; a second pair of answer tags, or none, makes the solution "
        "invalid."
    )
    _tag = re.compile(  # group 1 is the slash of a closing tag
        r"""
        <(?: (/)answer
           | answer (?: \s++ [\w:-]++ \s*+ = \s*+ (?: "[^"<>]*+" | '[^'<>]*+' | [^\s<>"'=]++ ) )*+
        ) \s*+ >
        """,
        re.IGNORECASE | re.VERBOSE,
    )

    def find(self, text: str) -> Span | str:
        tags = list(islice(self._tag.finditer(text), 2 * MOST + 1))
        order = "".join("c" if tag[1] else "o" for tag in tags)  # closing, opening
        if order == "oc":
            return tags[0].end(), tags[1].start()
        if not tags:
            return self.missing
        if order.replace("oc", "") == "" or len(tags) > 2 * MOST:
            return too_many((len(tags) + 1) // 2)
        return "nested or unbalanced answer tags"


@dataclass(frozen=True)
class Boxed(AnswerFormat):
    r"""``\boxed{…}``, with balanced braces; several boxes that say the same count as one."""

    name: str = "boxed"
    missing = "no box"
    around = ("\\boxed{", "}")
    asks = (
        "state the solution: write exactly one final answer inside \\boxed{}, in the format that "
        "the problem asks for and with nothing else inside the box. Text around the box is "
        "allowed; a second box with another answer, or none, makes the solution invalid."
    )
    _box = re.compile(r"\\boxed\s*\{")
    # A brace, or a backslash with what it escapes; a set in front makes the search fast.
    _brace = re.compile(r"[{}\\](?:(?<=\\).)?", re.DOTALL)

    def find(self, text: str) -> Span | str:
        spans: list[Span] = []
        braces = 2000  # that are counted
        box = self._box.search(text)
        while box is not None and len(spans) <= MOST:
            depth = 1
            for brace in islice(self._brace.finditer(text, box.end()), braces):
                braces -= 1
                depth += {"{": 1, "}": -1}.get(brace[0], 0)
                if depth == 0:
                    break
            if depth:
                return "unbalanced box"
            spans.append((box.end(), brace.start()))
            box = self._box.search(text, brace.end())
        if not spans:
            return self.missing
        if len(spans) <= MOST and len({text[start:end].strip() for start, end in spans}) == 1:
            return spans[-1]
        return too_many(len(spans))


@dataclass(frozen=True)
class FinalLine(AnswerFormat):
    """``Answer: …`` as the last line that is not empty, and in no other line.

    The word may be emphasized as in Markdown, and may have any case.
    """

    name: str = "final_line"
    missing = "no answer line"
    around = ("Answer: ", "")
    asks = (
        'state the solution: write exactly one final answer as "Answer: ..." in the last line, in '
        "the format that the problem asks for, on one line and with nothing else in it. A second "
        "such line, or text after it, makes the solution invalid."
    )
    # Sets instead of re.IGNORECASE: they are forty times as fast. Groups: the mark of the emphasis,
    # the same if it ends before the colon, the answer.
    _line = re.compile(
        r"^[ \t>#]*+(\*\*|__|[*_]|)[ \t]*+[Aa][Nn][Ss][Ww][Ee][Rr][ \t]*+(\1|)[ \t]*+[:：](.*)",
        re.MULTILINE,
    )
    _end = re.compile(r"(?:<[|｜][^\s<>|｜]{1,40}[|｜]>|</s>|<end_of_turn>|<eos>)\Z")

    def find(self, text: str) -> Span | str:
        text = text.rstrip()
        # Some servers leave tokens there that end a text, such as <|im_end|>.
        while (end_token := self._end.search(text, max(0, len(text) - 64))) is not None:
            text = text[: end_token.start()].rstrip()
        lines = list(islice(self._line.finditer(text), MOST + 1))
        if not lines:
            return self.missing
        if len(lines) > 1:
            return too_many(len(lines))
        mark, closing, answer = lines[0].groups()
        start, end = lines[0].span(3)
        if mark and not closing:
            if answer.startswith(mark):
                start += len(mark)
            elif answer.rstrip().endswith(mark):
                end = start + len(answer.rstrip()) - len(mark)
        if any(sign.isprintable() and sign not in " *_" for sign in text[end:]):
            return "answer line is not the last"
        return start, end


TAGS, BOXED, FINAL_LINE = Tags(), Boxed(), FinalLine()
SHIPPED: dict[str, AnswerFormat] = {one.name: one for one in (TAGS, BOXED, FINAL_LINE)}


@dataclass(frozen=True)
class Pattern(AnswerFormat):
    """The group of the only match of a regular expression; ValueError: it makes no sense.

    ``^`` and ``$`` stand for the ends of lines.
    """

    missing = "no match of answer_format"

    def __post_init__(self) -> None:
        for answer in ("42", "A", "a", "yes"):
            found = self.find(text := self.write(answer))
            if not isinstance(found, str) and text[slice(*found)].strip() == answer:
                return
        raise ValueError("must match a text that has an answer such as 42 in the group")

    @property
    def around(self) -> tuple[str, str]:
        return _read(self.name)[1]

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


@functools.lru_cache
def _read(expression: str) -> tuple[Any, tuple[str, str]]:
    """Return what searches for an expression, and the shortest text around its group."""
    if len(expression) > LONGEST:
        raise ValueError(f"has more than {LONGEST} characters")
    try:
        tree = _parser.parse(expression, re.MULTILINE)
        is_group = [str(name) == "SUBPATTERN" and value[0] == 1 for name, value in tree]
        if tree.state.groups != 2 or not any(is_group):
            raise ValueError(
                "must be tags, boxed, final_line, or a regular expression with one group, which is "
                "neither repeated nor optional"
            )
        place = is_group.index(True)
        parts = tree[:place], tree[place + 1 :]
        before, after = (list(islice(_shortest(part), LONGEST)) for part in parts)
        if len(before) + len(after) >= LONGEST:
            raise ValueError("must not repeat so often: its shortest match is too long")
        return regex.compile(expression, regex.MULTILINE), ("".join(before), "".join(after))
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is not a regular expression ({error})") from None


def _shortest(tree: Any) -> Iterator[str]:
    """Yield the parts of the shortest text that an expression without its group matches."""
    for node in tree:
        name, value = str(node[0]), node[1]
        if name in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            is_it = _compiler.compile(_parser.SubPattern(tree.state, [node]))
            known = [" ", *map(chr, range(33, 127)), "\n"]
            yield next(filter(is_it.fullmatch, [chr(value)] if name == "LITERAL" else known), "")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            for _ in range(value[0]):
                yield from _shortest(value[2])
        elif name == "BRANCH":
            yield from _shortest(value[1][0])
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            yield from _shortest(value[-1] if name == "SUBPATTERN" else value)
        elif name == "AT":
            yield ""
        else:
            raise ValueError("must do without look-arounds and back references")
